#include "output/writer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/digits.h"
#include "util/xalloc.h"

static void make_buffer(struct writer *w, size_t size)
{
	w->buffer = xmalloc(size);
	w->at = w->buffer;
	w->end = w->buffer + size;
}

struct writer *writer_new(int fd, const char *name)
{
	struct writer *w = xcalloc(1, sizeof(*w));

	make_buffer(w, WRITER_ROOM);
	w->name = name;
	w->fd = fd;
	return w;
}

struct err *writer_close(struct writer *w)
{
	struct err *err = NULL;

	writer_flush(w);
	if (w->error) {
		errno = w->error;
		err = err_sys(w->name, "write");
	}
	free(w->buffer);
	free(w);
	return err;
}

static void write_out(struct writer *w, const char *data, size_t size)
{
	while (size && !w->error) {
		ssize_t n = write(w->fd, data, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) { /* 0: nothing was taken and no reason given; trying again may never end */
			w->error = n < 0 ? errno : EIO;
			return;
		}
		data += n;
		size -= (size_t)n;
		w->written += (uint64_t)n;
	}
}

void writer_flush(struct writer *w)
{
	write_out(w, w->buffer, (size_t)(w->at - w->buffer));
	w->at = w->buffer;
}

bool writer_failed(const struct writer *w)
{
	return w->error != 0;
}

bool writer_broken_pipe(const struct writer *w)
{
	return w->error == EPIPE;
}

void writer_bytes_slow(struct writer *w, const char *data, size_t size)
{
	writer_flush(w);
	if (size > WRITER_ROOM) {
		write_out(w, data, size);
		return;
	}
	memcpy(w->at, data, size);
	w->at += size;
}

/* What wants more than there ever was, a name of many kilobytes, has it from then on. */
void writer_make_room(struct writer *w, size_t size)
{
	writer_flush(w);
	if ((size_t)(w->end - w->buffer) >= size)
		return;
	free(w->buffer);
	make_buffer(w, size);
}

static void pad(struct writer *w, int64_t count)
{
	for (; count > 0; count--)
		writer_char(w, ' ');
}

/* Digits in a small buffer first: a width may be larger than what writer_reserve() gives. */
static void right_aligned(struct writer *w, const char *text, const char *end, int width)
{
	pad(w, width - (end - text));
	writer_bytes(w, text, (size_t)(end - text));
}

void writer_dec(struct writer *w, uint64_t value, int width)
{
	char text[DIGITS_MAX];

	right_aligned(w, text, digits_dec(text, value, 0), width);
}

void writer_sdec(struct writer *w, int64_t value, int width)
{
	char text[DIGITS_MAX];

	right_aligned(w, text, digits_sdec(text, value, 0), width);
}

void writer_hex(struct writer *w, uint64_t value, int width)
{
	char text[DIGITS_MAX];

	right_aligned(w, text, digits_hex_any(text, value), width);
}

void writer_text_right(struct writer *w, const char *text, int width)
{
	right_aligned(w, text, text + strlen(text), width);
}

void writer_text_left(struct writer *w, const char *text, int width)
{
	size_t length = strlen(text);

	writer_bytes(w, text, length);
	pad(w, width - (int64_t)length);
}

void writer_printf(struct writer *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	AUTOFREE char *text = xvasprintf(format, args);
	va_end(args);
	writer_text(w, text);
}
