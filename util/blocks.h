/*
 * blocks - copies of short texts whose size is known only at run time.
 *
 * A memcpy() of such a size is a call that first has to see what is best, which pays for long texts only; a
 * block is a few moves. Both sides must have BLOCK bytes more than the text: what lies behind it is read, and
 * written over, too.
 */
#ifndef PERF2TXT_BLOCKS_H
#define PERF2TXT_BLOCKS_H

#include <stddef.h>
#include <string.h>

#define BLOCK 32
#define BLOCKS_LONG 256

/** Returns the place behind the copy. */
static inline char *blocks_copy(char *at, const char *from, size_t size)
{
	char *end = at + size;

	if (size > BLOCKS_LONG) {
		memcpy(at, from, size);
		return end;
	}
	do {
		memcpy(at, from, BLOCK);
		at += BLOCK;
		from += BLOCK;
	} while (at < end);
	return end;
}

#endif
