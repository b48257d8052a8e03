/*
 * name_list - the names of -c, -S, --dsos and --graph-function: "NAME,NAME", and file://PATH for the lines of
 * a file, as with perf script.
 *
 * A name that holds a comma is found too. A test allocates nothing.
 */
#ifndef PERF2TXT_NAME_LIST_H
#define PERF2TXT_NAME_LIST_H

#include <stdbool.h>

#include "util/err.h"
#include "util/vec.h"

/* All zeros was not asked for and has no names. */
struct name_list {
	const char *text;	 /* of the option; NULL: not given */
	VEC(char *) files;	 /* their texts, cut into lines */
	VEC(const char *) lines; /* sorted */
};

/** @text (NULL is fine) must outlive @ret, which is to be freed on failure too. */
struct err *name_list_read(const char *text, struct name_list *ret) ERR_CHECK;
void name_list_free(struct name_list *l);

bool name_list_has(const struct name_list *l, const char *name);

/** What follows the next comma of an option's text; NULL: nothing. */
const char *name_list_next(const char *item);

#endif
