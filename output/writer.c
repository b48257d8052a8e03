#include "output/writer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "output/digits.h"
#include "util/xalloc.h"

#define TEN(d) d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" d "8" d "9"
const char digits_pairs[201] =
	TEN("0") TEN("1") TEN("2") TEN("3") TEN("4") TEN("5") TEN("6") TEN("7") TEN("8") TEN("9");

/* Built by the compiler: a byte's two digits as the two bytes of a number in memory order. */
#define DIGIT(n) ((n) < 10 ? '0' + (n) : 'a' + (n)-10)
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PAIR(n) (DIGIT((n) >> 4) | DIGIT((n)&15) << 8)
#else
#define PAIR(n) (DIGIT((n) >> 4) << 8 | DIGIT((n)&15))
#endif
#define PAIRS4(n) PAIR(n), PAIR((n) + 1), PAIR((n) + 2), PAIR((n) + 3)
#define PAIRS16(n) PAIRS4(n), PAIRS4((n) + 4), PAIRS4((n) + 8), PAIRS4((n) + 12)
#define PAIRS64(n) PAIRS16(n), PAIRS16((n) + 16), PAIRS16((n) + 32), PAIRS16((n) + 48)
const uint16_t digits_hex[256] = { PAIRS64(0), PAIRS64(64), PAIRS64(128), PAIRS64(192) };

#define KEEP(i, n) ((i) < (n) ? 0xef : 0xff)
#define KEEP4(i, n) KEEP(i, n), KEEP((i) + 1, n), KEEP((i) + 2, n), KEEP((i) + 3, n)
#define KEEP16(n)                                                                                            \
	{                                                                                                    \
		KEEP4(0, n), KEEP4(4, n), KEEP4(8, n), KEEP4(12, n)                                          \
	}
const uint8_t digits_blank[17][16] = {
	KEEP16(0),  KEEP16(1),	KEEP16(2),  KEEP16(3),	KEEP16(4),  KEEP16(5),
	KEEP16(6),  KEEP16(7),	KEEP16(8),  KEEP16(9),	KEEP16(10), KEEP16(11),
	KEEP16(12), KEEP16(13), KEEP16(14), KEEP16(15), KEEP16(16),
};

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
