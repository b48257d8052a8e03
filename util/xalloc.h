/*
 * xalloc - allocation that ends the program instead of failing.
 *
 * Out of memory is the one failure that no caller can mend, so none has to check for it. Sizes that
 * come from a file must have been checked against the file's own size before they come here.
 * PERF2TXT_FAIL_ALLOC=N in the environment makes the N-th allocation fail (tests/faults).
 */
#ifndef PERF2TXT_XALLOC_H
#define PERF2TXT_XALLOC_H

#include <stdarg.h>
#include <stddef.h>

#define XALLOC __attribute__((malloc, returns_nonnull, warn_unused_result))

void *xmalloc(size_t size) XALLOC;
void *xcalloc(size_t count, size_t size) XALLOC;
char *xstrdup(const char *text) XALLOC;
char *xstrndup(const char *text, size_t max) XALLOC;
void *xmemdup(const void *data, size_t size) XALLOC;
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2))) XALLOC;
char *xvasprintf(const char *format, va_list args) __attribute__((format(printf, 1, 0))) XALLOC;

/** Room for @count objects of @size bytes; an overflowing product ends the program too. */
void *xreallocarray(void *old, size_t count, size_t size)
	__attribute__((returns_nonnull, warn_unused_result));

/**
 * Once, at the beginning of the program: malloc() keeps what was freed, for the next ones. New pages are
 * dear: filling them was a tenth of the CPU time of a conversion.
 */
void xalloc_prepare(void);

/**
 * All of these bytes will be written soon: their pages are made in one go, instead of by a fault each, which
 * costs a third more. Only a hint, for large memory that was not written yet.
 */
void xalloc_populate(void *at, size_t size);

/** Report and end the program with the status of an internal failure. */
void xalloc_die(void) __attribute__((noreturn));

/** For __attribute__((cleanup)): free what a char * or void * variable holds. */
static inline void xfree_cleanup(void *variable)
{
	extern void free(void *);
	free(*(void **)variable);
}
#define AUTOFREE __attribute__((cleanup(xfree_cleanup)))

#endif
