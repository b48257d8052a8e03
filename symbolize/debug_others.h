/*
 * debug_others - the other files that a file with debug information names: the supplementary file of
 * .gnu_debugaltlink (dwz), and those with its split units (.dwo, and .dwp for all of them).
 *
 * None is used that its id does not prove: a build-id, the id of a unit. Where they may be is dso_find's.
 */
#ifndef PERF2TXT_DEBUG_OTHERS_H
#define PERF2TXT_DEBUG_OTHERS_H

#include "symbolize/debug_entry.h"
#include "symbolize/debug_file.h"

struct dso_find;
struct debug_others;

/** For the file @image of a binary @binary (NULL, or the same). All must outlive it. @find NULL: finds
 * nothing. */
struct debug_others *debug_others_new(struct dso_find *find, struct image *image, const struct image *binary);
void debug_others_free(struct debug_others *others); /* NULL is fine */

/** The supplementary file; NULL: it names none, or it was not found. Lent until debug_others_free(). */
struct debug_file *debug_others_supplement(struct debug_others *others);

/**
 * The split unit that belongs to @skeleton, whose first entry is @first, opened; NULL: it has none, or it was
 * not found. Lent until debug_others_free().
 */
struct debug_unit *debug_others_split(struct debug_others *others, struct debug_unit *skeleton,
				      const struct debug_entry *first);

#endif
