#include "output/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/check_run.h"
#include "util/digits.h"

/* What was written to @w, as a string that the caller frees; @w and its file are closed. */
static char *written(struct writer *w, FILE *file)
{
	ck_assert_ptr_null(writer_close(w));
	long size = lseek(fileno(file), 0, SEEK_END);
	char *text = calloc(1, (size_t)size + 1);
	ck_assert_int_eq(pread(fileno(file), text, (size_t)size, 0), size);
	fclose(file);
	return text;
}

#define EXPECT(expected, call)                                                                               \
	do {                                                                                                 \
		FILE *file = tmpfile();                                                                      \
		struct writer *w = writer_new(fileno(file), "t");                                            \
		call;                                                                                        \
		char *text = written(w, file);                                                               \
		ck_assert_str_eq(text, expected);                                                            \
		free(text);                                                                                  \
	} while (0)

START_TEST(numbers_are_right_aligned_and_never_cut)
{
	EXPECT("0", writer_dec(w, 0, 0));
	EXPECT("     42", writer_dec(w, 42, 7));
	EXPECT("18446744073709551615", writer_dec(w, UINT64_MAX, 3));
	EXPECT("     -1", writer_sdec(w, -1, 7));
	EXPECT("-9223372036854775808", writer_sdec(w, INT64_MIN, 0));
	EXPECT("        ffffffff", writer_hex(w, 0xffffffff, 16));
	EXPECT("0", writer_hex(w, 0, 0));
	EXPECT("ffffffffffffffff", writer_hex(w, UINT64_MAX, 1));
}
END_TEST

START_TEST(text_is_padded_on_the_side_asked_for_and_never_cut)
{
	EXPECT("  ab", writer_text_right(w, "ab", 4));
	EXPECT("ab  ", writer_text_left(w, "ab", 4));
	EXPECT("abcdefabcdef", writer_text_right(w, "abcdef", 4); writer_text_left(w, "abcdef", 4));
	EXPECT("7 of x", writer_printf(w, "%d of %s", 7, "x"));
}
END_TEST

START_TEST(digits_agree_with_printf)
{
	uint64_t value = 1;
	char ours[64], theirs[64];

	for (int i = 0; i < 2000; i++) {
		uint64_t v = value >> (i % 64);
		*digits_dec(ours, v, 12) = '\0';
		snprintf(theirs, sizeof(theirs), "%12" PRIu64, v);
		ck_assert_str_eq(ours, theirs);
		*digits_dec(ours, v, 40) = '\0';
		snprintf(theirs, sizeof(theirs), "%40" PRIu64, v);
		ck_assert_str_eq(ours, theirs);
		*digits_sdec(ours, (int64_t)v, 7) = '\0';
		snprintf(theirs, sizeof(theirs), "%7" PRId64, (int64_t)v);
		ck_assert_str_eq(ours, theirs);
		*digits_hex16(ours, v) = '\0';
		snprintf(theirs, sizeof(theirs), "%16" PRIx64, v);
		ck_assert_str_eq(ours, theirs);
		*digits_hex_any(ours, v) = '\0';
		snprintf(theirs, sizeof(theirs), "%" PRIx64, v);
		ck_assert_str_eq(ours, theirs);
		*digits_fixed(ours, v, 6) = '\0';
		snprintf(theirs, sizeof(theirs), "%06" PRIu64, v % 1000000);
		ck_assert_str_eq(ours, theirs);
		value = value * 6364136223846793005u + 1442695040888963407u;
	}
	*digits_hex16(ours, 0) = '\0';
	ck_assert_str_eq(ours, "               0");
}
END_TEST

START_TEST(all_numbers_of_six_digits)
{
	char ours[8] = "", theirs[8] = "000000";

	for (uint32_t v = 0; v < 1000000; v++) {
		digits_six(ours, v);
		ck_assert_msg(!strcmp(ours, theirs), "%s is %s", theirs, ours);
		for (int i = 5; i >= 0 && ++theirs[i] > '9'; i--)
			theirs[i] = '0';
	}
}
END_TEST

START_TEST(more_than_the_buffer_comes_out_whole_and_in_order)
{
	size_t size = 3 * WRITER_ROOM + 17;
	char *big = malloc(size + 1);
	for (size_t i = 0; i < size; i++)
		big[i] = (char)('a' + i % 23);
	big[size] = '\0';
	FILE *file = tmpfile();
	struct writer *w = writer_new(fileno(file), "t");
	writer_char(w, '<');
	writer_bytes(w, big, size);
	for (int i = 0; i < 40000; i++) {
		char *at = writer_reserve(w);
		memcpy(at, "0123456789", 10);
		writer_advance(w, at + 10);
	}
	char *text = written(w, file);
	ck_assert_uint_eq(strlen(text), 1 + size + 400000);
	ck_assert(text[0] == '<' && !memcmp(text + 1, big, size));
	for (size_t i = 0; i < 400000; i++)
		ck_assert_int_eq(text[1 + size + i], (char)('0' + i % 10));
	free(text);
	free(big);
}
END_TEST

START_TEST(room_of_any_size)
{
	FILE *file = tmpfile();
	struct writer *w = writer_new(fileno(file), "t");
	size_t total = 0;

	for (size_t size = 1; size < 5 * WRITER_ROOM; size = 3 * size + 1) {
		char *at = writer_room(w, size);
		memset(at, 'x', size);
		writer_advance(w, at + size);
		writer_char(w, '|');
		total += size + 1;
	}
	char *text = written(w, file);
	ck_assert_uint_eq(strlen(text), total);
	for (size_t size = 1, at = 0; size < 5 * WRITER_ROOM; at += size + 1, size = 3 * size + 1) {
		ck_assert_uint_eq(strspn(text + at, "x"), size);
		ck_assert_int_eq(text[at + size], '|');
	}
	free(text);
}
END_TEST

START_TEST(a_failed_write_is_reported_once_and_the_rest_swallowed)
{
	int fd = open("/dev/full", O_WRONLY);
	if (fd < 0)
		return;
	struct writer *w = writer_new(fd, "out.txt");
	ck_assert(!writer_failed(w));
	for (int i = 0; i < 100000; i++)
		writer_text(w, "some text\n");
	ck_assert(writer_failed(w));
	ck_assert(!writer_broken_pipe(w));
	ck_assert_uint_eq(w->written, 0);
	struct err *err = writer_close(w);
	ck_assert_ptr_nonnull(err);
	ck_assert_str_eq(err_text(err), "out.txt: cannot write: No space left on device");
	err_free(err);
	close(fd);
}
END_TEST

START_TEST(a_closed_pipe_is_told_apart)
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	signal(SIGPIPE, SIG_IGN);
	close(ends[0]);
	struct writer *w = writer_new(ends[1], "pipe");
	writer_text(w, "x");
	writer_flush(w);
	ck_assert(writer_failed(w) && writer_broken_pipe(w));
	struct err *err = writer_close(w);
	ck_assert_ptr_nonnull(err);
	err_free(err);
	close(ends[1]);
}
END_TEST

CHECK_SUITE("writer", numbers_are_right_aligned_and_never_cut,
	    text_is_padded_on_the_side_asked_for_and_never_cut, digits_agree_with_printf,
	    all_numbers_of_six_digits, room_of_any_size, more_than_the_buffer_comes_out_whole_and_in_order,
	    a_failed_write_is_reported_once_and_the_rest_swallowed, a_closed_pipe_is_told_apart)
