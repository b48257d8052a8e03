#include "progress.h"

#include "tests/check_run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char text[256];

/* Where each step of the recording of 1000 bytes is, up to 0. */
static const char *shown(const uint64_t *positions)
{
	FILE *file = tmpfile();
	struct progress p = { .to = file, .total = 1000 };

	ck_assert_ptr_nonnull(file);
	while (*positions)
		progress_at(&p, *positions++);
	progress_end(&p);
	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

START_TEST(only_a_new_percentage_is_written)
{
	ck_assert_str_eq(shown((const uint64_t[]){ 1, 2, 300, 301, 999, 1000, 1000, 1001, 0 }),
			 "\rperf2txt: 30 %\rperf2txt: 99 %\rperf2txt: 100 %\r                \r");
}
END_TEST

START_TEST(nothing_is_cleared_that_was_not_written)
{
	ck_assert_str_eq(shown((const uint64_t[]){ 0 }), "");
	ck_assert_str_eq(shown((const uint64_t[]){ 1, 0 }), "");
}
END_TEST

START_TEST(only_a_terminal_sees_it)
{
	const struct options o = { 0 }, none = { .no_progress = true };
	const uint64_t large = UINT64_C(1) << 30;

	/* Standard error of tests is a file. */
	ck_assert_ptr_null(progress_start(&o, large, STDOUT_FILENO).to);
	ck_assert_ptr_null(progress_start(&none, large, STDOUT_FILENO).to);
	struct progress off = progress_start(&o, 0, STDOUT_FILENO);
	progress_at(&off, 1);
	progress_end(&off);
}
END_TEST

CHECK_SUITE("progress", only_a_new_percentage_is_written, nothing_is_cleared_that_was_not_written,
	    only_a_terminal_sees_it)
