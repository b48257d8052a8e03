/*
 * writer - text on its way out: buffered, with one sticky error.
 *
 * Nothing is checked at each call: after a failed write everything is swallowed, writer_close() reports it
 * once. A closed pipe (EPIPE) is such an error too; the caller decides whether to say anything.
 */
#ifndef PERF2TXT_WRITER_H
#define PERF2TXT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/err.h"

#define WRITER_ROOM ((size_t)1 << 16)
#define WRITER_SMALL 512 /* writer_reserve() has that much */

struct writer {
	char *at, *end; /* free part of the buffer */
	char *buffer;
	const char *name; /* of the file, for messages; not owned */
	int fd;
	int error;        /* errno of the first failed write, 0: none */
	uint64_t written; /* bytes handed to the file */
};

/** @fd stays the caller's. */
struct writer *writer_new(int fd, const char *name);
/** Flush; the first error of all writes, or NULL. The writer is gone. */
struct err *writer_close(struct writer *w) ERR_CHECK;

void writer_flush(struct writer *w);
bool writer_failed(const struct writer *w); /* nothing more can come out */
bool writer_broken_pipe(const struct writer *w);

void writer_bytes_slow(struct writer *w, const char *data, size_t size);
void writer_make_room(struct writer *w, size_t size);

static inline void writer_bytes(struct writer *w, const char *data, size_t size)
{
	if ((size_t)(w->end - w->at) < size) {
		writer_bytes_slow(w, data, size);
		return;
	}
	memcpy(w->at, data, size);
	w->at += size;
}

static inline void writer_text(struct writer *w, const char *text)
{
	writer_bytes(w, text, strlen(text));
}

/** At least @size bytes to write into; then writer_advance(). */
static inline char *writer_room(struct writer *w, size_t size)
{
	if ((size_t)(w->end - w->at) < size)
		writer_make_room(w, size);
	return w->at;
}

static inline char *writer_reserve(struct writer *w)
{
	return writer_room(w, WRITER_SMALL);
}

static inline void writer_advance(struct writer *w, char *to)
{
	w->at = to;
}

static inline void writer_char(struct writer *w, char c)
{
	char *at = writer_room(w, 1);

	*at = c;
	w->at = at + 1;
}

/* Numbers, right-aligned to at least @width with blanks (printf's %*). */
void writer_dec(struct writer *w, uint64_t value, int width);
void writer_sdec(struct writer *w, int64_t value, int width);
void writer_hex(struct writer *w, uint64_t value, int width);
void writer_text_right(struct writer *w, const char *text, int width); /* %*s */
void writer_text_left(struct writer *w, const char *text, int width);  /* %-*s */
void writer_printf(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
