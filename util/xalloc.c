#include "util/xalloc.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static long fail_countdown = -1;

__attribute__((constructor)) static void read_fail_countdown(void)
{
	const char *count = getenv("PERF2TXT_FAIL_ALLOC");

	if (count)
		fail_countdown = atol(count);
}

void xalloc_die(void)
{
	static const char text[] = "perf2txt: out of memory\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	_exit(1);
}

/* The one place that decides whether an allocation succeeded. */
static void *alloc_or_die(void *got)
{
	if (!got || (fail_countdown > 0 && --fail_countdown == 0))
		xalloc_die();
	return got;
}

void *xmalloc(size_t size)
{
	return alloc_or_die(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return alloc_or_die(calloc(count ? count : 1, size ? size : 1));
}

#define HUGE_PAGE ((size_t)2 << 20) /* of most machines; elsewhere it is an alignment like any other */

void *xmalloc_huge(size_t size)
{
	if (size < HUGE_PAGE / 2 || size > SIZE_MAX - HUGE_PAGE)
		return xmalloc(size);
	size = (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	void *memory = alloc_or_die(aligned_alloc(HUGE_PAGE, size));
	madvise(memory, size, MADV_HUGEPAGE); /* a hint: whether it is taken does not matter */
	return memory;
}

#ifdef __GLIBC__

#define HEAP (64 << 20) /* bytes; only those that are used become memory */
#define LARGEST_IN_HEAP (4 << 20)
#define MORE_HEAP (1 << 20)

/* Where the heap cannot get so much, it grows as it is needed. */
void xalloc_prepare(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGEST_IN_HEAP);
	mallopt(M_TRIM_THRESHOLD, INT_MAX); /* what is free stays, for the next ones */
	mallopt(M_TOP_PAD, HEAP);
	char *start = sbrk(0);
	void *volatile first = malloc(MORE_HEAP); /* else the compiler leaves both calls out */
	free(first);
	char *end = sbrk(0);
	mallopt(M_TOP_PAD, MORE_HEAP);
	start += HUGE_PAGE - (uintptr_t)start % HUGE_PAGE;
	if (start < end)
		madvise(start, (size_t)(end - start), MADV_HUGEPAGE);
}

#else

void xalloc_prepare(void)
{
}

#endif

void *xreallocarray(void *old, size_t count, size_t size)
{
	return alloc_or_die(reallocarray(old, count ? count : 1, size ? size : 1));
}

void *xmemdup(const void *data, size_t size)
{
	void *copy = xmalloc(size);

	if (size)
		memcpy(copy, data, size);
	return copy;
}

char *xstrndup(const char *text, size_t max)
{
	size_t length = strnlen(text, max);
	char *copy = xmalloc(length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *xstrdup(const char *text)
{
	return xmemdup(text, strlen(text) + 1);
}

char *xvasprintf(const char *format, va_list args)
{
	char *text = NULL;

	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	return alloc_or_die(text);
}

char *xasprintf(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	char *text = xvasprintf(format, args);
	va_end(args);
	return text;
}
