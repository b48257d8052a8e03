#include "source_code.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/check_run.h"
#include "util/xalloc.h"

static char folder[] = "/tmp/check_source_code.XXXXXX";

static char *write_file(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", folder, name);
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
	return path;
}

static void expect(struct source_code *s, const char *file, uint32_t line, const char *expected)
{
	struct view_text text = source_code_line(s, file, line);

	if (!expected) {
		ck_assert_ptr_null(text.text);
		return;
	}
	ck_assert_uint_eq(text.size, strlen(expected));
	ck_assert_int_eq(memcmp(text.text, expected, text.size), 0);
}

START_TEST(lines_are_counted_from_one)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	AUTOFREE char *a = write_file("a.c", "first\n\n\tthird\nno end"), *empty = write_file("empty.c", "");
	struct source_code *s = source_code_new(NULL);
	expect(s, a, 0, NULL);
	expect(s, a, 1, "first");
	expect(s, a, 2, "");
	expect(s, a, 3, "\tthird");
	expect(s, a, 4, "no end");
	expect(s, a, 5, NULL);
	expect(s, empty, 1, NULL);
	expect(s, "/nowhere/b.c", 1, NULL);
	expect(s, folder, 1, NULL);
	expect(s, a, 1, "first");
	source_code_free(s);
	source_code_free(NULL);
	unlink(a);
	unlink(empty);
	rmdir(folder);
}
END_TEST

START_TEST(with_a_sysroot_only_its_files_are_read)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	AUTOFREE char *a = write_file("a.c", "inside\n");
	struct source_code *s = source_code_new(folder);
	expect(s, "/a.c", 1, "inside");
	expect(s, "/../../a.c", 1, "inside");
	expect(s, a, 1, NULL);
	expect(s, "/etc/passwd", 1, NULL);
	source_code_free(s);
	unlink(a);
	rmdir(folder);
}
END_TEST

static bool is_shown(struct source_code *s, int32_t tid, const char *file, uint32_t line)
{
	return source_code_of_thread(s, tid, file, line).text;
}

START_TEST(each_thread_has_its_own_last_line)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	AUTOFREE char *a = write_file("a.c", "first\nsecond\n"), *b = write_file("b.c", "other\n");
	struct source_code *s = source_code_new(NULL);
	ck_assert(is_shown(s, 1, a, 1));
	ck_assert(!is_shown(s, 1, a, 1));
	ck_assert(is_shown(s, 2, a, 1));
	ck_assert(is_shown(s, 1, b, 1));
	ck_assert(is_shown(s, 1, a, 1));
	ck_assert(is_shown(s, 1, a, 2));
	ck_assert(!is_shown(s, 2, a, 1));
	ck_assert(is_shown(s, -1, a, 1));
	/* as perf script: what has no text in between is as if it were not there */
	ck_assert(!is_shown(s, 1, "/nowhere/memmove.S", 7));
	ck_assert(!is_shown(s, 1, a, 99));
	ck_assert(!is_shown(s, 1, a, 2));
	source_code_free(s);
	unlink(a);
	unlink(b);
	rmdir(folder);
}
END_TEST

CHECK_SUITE("source_code", lines_are_counted_from_one, with_a_sysroot_only_its_files_are_read,
	    each_thread_has_its_own_last_line)
