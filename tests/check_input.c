#include "tests/check_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "events/input.h"
#include "events/perfdir.h"
#include "util/xalloc.h"

static char dir[] = "/tmp/check_input.XXXXXX";

static void make_dir(void)
{
	strcpy(dir, "/tmp/check_input.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void remove_dir(void)
{
	AUTOFREE char *command = xasprintf("rm -rf %s", dir);

	ck_assert_int_eq(system(command), 0);
}

static char *make_file(const char *name, const void *data, size_t size)
{
	char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(data, 1, size, f), size);
	fclose(f);
	return path;
}

/* Replace standard input by what a child writes into a pipe, a few bytes at a time. */
static void stdin_from_pipe(const uint8_t *data, size_t size)
{
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	if (fork() == 0) {
		close(fds[0]);
		while (size) {
			size_t n = size < 4093 ? size : 4093;
			if (write(fds[1], data, n) != (ssize_t)n)
				_exit(1);
			data += n;
			size -= n;
		}
		_exit(0);
	}
	close(fds[1]);
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
}

static const uint8_t *read_ok(struct input *in, size_t size)
{
	const uint8_t *data = NULL;

	ck_assert_ptr_null(input_read(in, size, &data));
	return data;
}

static const uint8_t *peek_ok(struct input *in, size_t size)
{
	const uint8_t *data = NULL;

	ck_assert_ptr_null(input_peek(in, size, &data));
	return data;
}

static bool skip_ok(struct input *in, uint64_t size)
{
	bool there;

	ck_assert_ptr_null(input_skip(in, size, &there));
	return there;
}

static struct input *open_ok(const char *path)
{
	struct input *in = NULL;

	ck_assert_ptr_null(input_open(path, &in));
	return in;
}

/* The same calls for all kinds of inputs that hold "0123456789". */
static void expect_ten_digits(struct input *in)
{
	ck_assert_mem_eq(peek_ok(in, 4), "0123", 4);
	ck_assert_uint_eq(input_offset(in), 0);
	ck_assert_mem_eq(read_ok(in, 3), "012", 3);
	ck_assert_uint_eq(input_offset(in), 3);
	ck_assert(skip_ok(in, 2));
	ck_assert_mem_eq(peek_ok(in, 1), "5", 1);
	ck_assert_ptr_null(read_ok(in, 6));
	ck_assert_uint_eq(input_left(in), 5);
	ck_assert_uint_eq(input_offset(in), 5);
	ck_assert_mem_eq(read_ok(in, 5), "56789", 5);
	ck_assert_ptr_nonnull(peek_ok(in, 0));
	ck_assert_ptr_null(peek_ok(in, 1));
	ck_assert_uint_eq(input_left(in), 0);
	ck_assert(!skip_ok(in, 1));
	ck_assert(skip_ok(in, 0));
	ck_assert_uint_eq(input_offset(in), 10);
}

START_TEST(memory_is_read_and_looked_at_anywhere)
{
	struct input *in = input_memory("m", "0123456789", 10);

	ck_assert(input_stable(in));
	ck_assert_uint_eq(input_size(in), 10);
	ck_assert_str_eq(input_name(in), "m");
	expect_ten_digits(in);
	input_seek(in, 8);
	ck_assert_mem_eq(read_ok(in, 2), "89", 2);
	input_seek(in, UINT64_MAX);
	ck_assert_uint_eq(input_offset(in), 10);
	ck_assert_mem_eq(input_at(in, 9, 1), "9", 1);
	ck_assert_ptr_nonnull(input_at(in, 10, 0));
	ck_assert_ptr_null(input_at(in, 10, 1));
	ck_assert_ptr_null(input_at(in, 9, UINT64_MAX));
	ck_assert_ptr_null(input_at(in, UINT64_MAX, 2));
	input_free(in);
	input_free(NULL);
}
END_TEST

START_TEST(a_stream_of_memory_reads_the_same)
{
	struct input *in = input_memory_stream("s", "0123456789", 10);

	ck_assert(!input_stable(in));
	ck_assert_uint_eq(input_size(in), 0);
	ck_assert_ptr_null(input_at(in, 0, 1));
	expect_ten_digits(in);
	input_free(in);
}
END_TEST

START_TEST(a_regular_file_is_mapped)
{
	make_dir();
	AUTOFREE char *path = make_file("f", "0123456789", 10);
	struct input *in = open_ok(path);
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert(input_stable(in));
	ck_assert_uint_eq(input_size(in), 10);
	ck_assert_int_eq(input_mtime(in), st.st_mtime);
	ck_assert_str_eq(input_name(in), path);
	expect_ten_digits(in);
	ck_assert_mem_eq(input_at(in, 0, 10), "0123456789", 10);
	input_free(in);
	remove_dir();
}
END_TEST

START_TEST(an_empty_file_is_an_input_without_bytes)
{
	make_dir();
	AUTOFREE char *path = make_file("f", "", 0);
	struct input *in = open_ok(path);

	ck_assert(input_stable(in));
	ck_assert_ptr_null(peek_ok(in, 1));
	ck_assert_uint_eq(input_left(in), 0);
	input_free(in);
	remove_dir();
}
END_TEST

START_TEST(standard_input_from_a_file_is_mapped_from_where_it_stands)
{
	make_dir();
	AUTOFREE char *path = make_file("f", "ab0123456789", 12);
	int fd = open(path, O_RDONLY);

	ck_assert_int_eq(lseek(fd, 2, SEEK_SET), 2);
	dup2(fd, STDIN_FILENO);
	close(fd);
	struct input *in = open_ok("-");
	ck_assert(input_stable(in));
	ck_assert_uint_eq(input_size(in), 10);
	expect_ten_digits(in);
	input_free(in);
	remove_dir();
}
END_TEST

START_TEST(standard_input_from_a_pipe_is_a_stream)
{
	stdin_from_pipe((const uint8_t *)"0123456789", 10);
	struct input *in = open_ok("-");

	ck_assert(!input_stable(in));
	ck_assert_int_eq(input_mtime(in), 0);
	expect_ten_digits(in);
	input_free(in);
	wait(NULL);
}
END_TEST

START_TEST(a_named_pipe_is_a_stream)
{
	make_dir();
	AUTOFREE char *path = xasprintf("%s/fifo", dir);

	ck_assert_int_eq(mkfifo(path, 0600), 0);
	if (fork() == 0) {
		int fd = open(path, O_WRONLY);
		_exit(write(fd, "0123456789", 10) != 10);
	}
	struct input *in = open_ok(path);
	ck_assert(!input_stable(in));
	expect_ten_digits(in);
	input_free(in);
	wait(NULL);
	remove_dir();
}
END_TEST

/* Pieces of all sizes, many times the buffer: what is lent is right whatever was moved before. */
START_TEST(a_long_pipe_comes_out_whole)
{
	enum { SIZE = 3000000 };
	uint8_t *data = xmalloc(SIZE);
	size_t at = 0, step = 1;

	for (size_t i = 0; i < SIZE; i++)
		data[i] = (uint8_t)(i * 7 + i / 251);
	stdin_from_pipe(data, SIZE);
	struct input *in = open_ok("-");
	while (SIZE - at >= step) {
		const uint8_t *piece = peek_ok(in, step);
		ck_assert_ptr_nonnull(piece);
		ck_assert_mem_eq(piece, data + at, step);
		ck_assert(skip_ok(in, step));
		ck_assert_mem_eq(piece, data + at, step); /* stays until the next peek */
		at += step;
		step = step * 5 % 65521 + 1;
	}
	ck_assert_uint_eq(input_offset(in), at);
	ck_assert_ptr_null(read_ok(in, step));
	ck_assert_uint_eq(input_left(in), SIZE - at);
	input_free(in);
	free(data);
	wait(NULL);
}
END_TEST

START_TEST(a_read_may_be_longer_than_the_buffer)
{
	enum { SIZE = 3000000 };
	uint8_t *data = xmalloc(SIZE);

	for (size_t i = 0; i < SIZE; i++)
		data[i] = (uint8_t)(i * 13 + i / 241);
	struct input *in = input_memory_stream("s", data, SIZE);
	ck_assert_mem_eq(read_ok(in, 5), data, 5);
	ck_assert_mem_eq(read_ok(in, SIZE - 10), data + 5, SIZE - 10);
	/* A size that only a damaged file would claim costs nothing. */
	ck_assert_ptr_null(read_ok(in, SIZE_MAX));
	ck_assert_uint_eq(input_left(in), 5);
	ck_assert(!skip_ok(in, UINT64_MAX));
	ck_assert_uint_eq(input_offset(in), SIZE);
	input_free(in);
	free(data);
}
END_TEST

START_TEST(a_non_blocking_pipe_is_waited_for)
{
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
	if (fork() == 0) {
		usleep(50000);
		_exit(write(fds[1], "0123456789", 10) != 10);
	}
	close(fds[1]);
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	struct input *in = open_ok("-");
	expect_ten_digits(in);
	input_free(in);
	wait(NULL);
}
END_TEST

static void expect_error(const char *path, const char *reason)
{
	struct input *in = NULL;
	struct err *err = input_open(path, &in);
	AUTOFREE char *want = xasprintf("%s: %s", path, reason);

	ck_assert_ptr_nonnull(err);
	ck_assert_str_eq(err_text(err), want);
	ck_assert_ptr_null(in);
	err_free(err);
}

START_TEST(what_cannot_be_opened_is_an_error_with_its_name)
{
	make_dir();
	AUTOFREE char *missing = xasprintf("%s/none", dir);

	expect_error(missing, "cannot open: No such file or directory");
	expect_error(dir, "is a directory, not a recording");
	remove_dir();
}
END_TEST

START_TEST(a_read_that_fails_is_an_error)
{
	struct input *in;
	const uint8_t *data;
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	dup2(fds[1], STDIN_FILENO); /* the end that cannot be read */
	in = open_ok("-");
	struct err *err = input_read(in, 1, &data);
	ck_assert_ptr_nonnull(err);
	ck_assert_str_eq(err_text(err), "(standard input): cannot read: Bad file descriptor");
	err_free(err);
	input_free(in);
}
END_TEST

START_TEST(a_directory_is_its_data_and_the_streams_by_name)
{
	make_dir();
	free(make_file("data", "main", 4));
	free(make_file("data.2", "two", 3));
	free(make_file("data.10", "ten", 3));
	free(make_file("data.1", "", 0));
	free(make_file("other", "x", 1));
	AUTOFREE char *sub = xasprintf("%s/data.d", dir);
	ck_assert_int_eq(mkdir(sub, 0700), 0);
	struct perfdir list;

	ck_assert(perfdir_is(dir));
	ck_assert(!perfdir_is("-"));
	ck_assert_ptr_null(perfdir_open(dir, &list));
	ck_assert_uint_eq(list.inputs.count, 3);
	ck_assert_mem_eq(input_at(list.inputs.at[0], 0, 4), "main", 4);
	ck_assert_mem_eq(input_at(list.inputs.at[1], 0, 3), "ten", 3);
	ck_assert_mem_eq(input_at(list.inputs.at[2], 0, 3), "two", 3);
	perfdir_close(&list);
	remove_dir();
}
END_TEST

START_TEST(a_directory_without_data_is_an_error)
{
	make_dir();
	struct perfdir list;
	struct err *err = perfdir_open(dir, &list);

	ck_assert_ptr_nonnull(err);
	ck_assert_ptr_nonnull(strstr(err_text(err), "a directory without a file \"data\""));
	err_free(err);
	remove_dir();
}
END_TEST

CHECK_SUITE("input", memory_is_read_and_looked_at_anywhere, a_stream_of_memory_reads_the_same,
	    a_regular_file_is_mapped, an_empty_file_is_an_input_without_bytes,
	    standard_input_from_a_file_is_mapped_from_where_it_stands, standard_input_from_a_pipe_is_a_stream,
	    a_named_pipe_is_a_stream, a_long_pipe_comes_out_whole, a_read_may_be_longer_than_the_buffer,
	    a_non_blocking_pipe_is_waited_for, what_cannot_be_opened_is_an_error_with_its_name,
	    a_read_that_fails_is_an_error, a_directory_is_its_data_and_the_streams_by_name,
	    a_directory_without_data_is_an_error)
