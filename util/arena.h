/*
 * arena - memory that is given back all at once.
 *
 * Blocks are aligned for any type and stay where they are until arena_free().
 */
#ifndef PERF2TXT_ARENA_H
#define PERF2TXT_ARENA_H

#include <stddef.h>

struct arena_chunk;

/* All zeros is an empty arena. */
struct arena {
	struct arena_chunk *chunks;
	char *at;
	size_t left;
	size_t total; /* bytes of all chunks */
};

void arena_free(struct arena *a); /* leaves an empty arena */

/** Not cleared. */
void *arena_alloc(struct arena *a, size_t size);

/** A NUL-terminated copy of @size bytes. */
char *arena_strndup(struct arena *a, const char *text, size_t size);

#endif
