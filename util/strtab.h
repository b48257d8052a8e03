/*
 * strtab - each different string once.
 *
 * Equal strings give the same pointer and the same number, so that they compare in one step.
 */
#ifndef PERF2TXT_STRTAB_H
#define PERF2TXT_STRTAB_H

#include <stdint.h>

#include "util/arena.h"
#include "util/vec.h"

struct strtab_entry {
	const char *text;
	uint32_t length;
	uint32_t hash;
};

/* All zeros is an empty table. */
struct strtab {
	struct arena arena;
	VEC(struct strtab_entry) entries;
	uint32_t *slots; /* number + 1 of an entry, 0 when free */
	size_t size;     /* of slots: a power of two, or 0 */
};

void strtab_free(struct strtab *s); /* leaves an empty table */

/** The number, from 0 on without gaps, of the string of @length bytes (which may hold NULs). */
uint32_t strtab_number(struct strtab *s, const char *text, size_t length);

/** The table's own copy, NUL-terminated, lent until strtab_free(). */
const char *strtab_intern(struct strtab *s, const char *text);

static inline const char *strtab_text(const struct strtab *s, uint32_t number)
{
	return s->entries.at[number].text;
}

#endif
