/*
 * err - errors as values.
 *
 * A function that can fail in a way that stops the run returns a struct err *; NULL means success.
 * The text names the file, the offset where there is one, and the reason, in one sentence without a
 * final full stop. The caller owns the error and frees it or hands it on. Nothing is printed here.
 *
 * A bad record is not an error of this kind: decoders give a static reason (const char *, NULL when
 * fine) and the session counts it, so that the hot path never allocates.
 */
#ifndef PERF2TXT_ERR_H
#define PERF2TXT_ERR_H

#include <stdint.h>

struct err;

#define ERR_CHECK __attribute__((warn_unused_result))

/** The reason alone, for what has no file. */
struct err *err_new(const char *format, ...) __attribute__((format(printf, 1, 2))) ERR_CHECK;

/** "FILE: REASON" */
struct err *err_file(const char *file, const char *format, ...)
	__attribute__((format(printf, 2, 3))) ERR_CHECK;

/** "FILE: offset 0xOFFSET: REASON" */
struct err *err_at(const char *file, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4))) ERR_CHECK;

/** "FILE: cannot ACTION: " and the text of errno. */
struct err *err_sys(const char *file, const char *action) ERR_CHECK;

/** Lent until err_free(). */
const char *err_text(const struct err *err);

void err_free(struct err *err); /* NULL is fine */

#endif
