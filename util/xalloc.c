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

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; older ones refuse it */
#endif

void xalloc_populate(void *at, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)at + page - 1) & ~(page - 1), to = ((uintptr_t)at + size) & ~(page - 1);

	if (from < to)
		madvise((void *)from, to - from, MADV_POPULATE_WRITE);
}

#ifdef __GLIBC__

#define LARGEST_IN_HEAP (32 << 20) /* bytes; malloc() takes no larger bound */
#define MORE_HEAP (1 << 20)

void xalloc_prepare(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGEST_IN_HEAP);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_TOP_PAD, MORE_HEAP);
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
