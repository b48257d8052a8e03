#include "symbolize/load_perfmap.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolize/symtab.h"
#include "tests/check_run.h"

static char folder[64], path[128];

/* The symbols of a file with these bytes. */
static struct symtab *load_bytes(const char *text, size_t size, const char **reason)
{
	struct symtab *s = symtab_new(NULL);

	strcpy(folder, "/tmp/check_load_perfmap.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/perf-4242.map", folder);
	FILE *file = fopen(path, "w");
	ck_assert_uint_eq(fwrite(text, 1, size, file), size);
	fclose(file);
	*reason = load_perfmap(path, s);
	symtab_finish(s);
	unlink(path);
	rmdir(folder);
	return s;
}

static struct symtab *load(const char *text)
{
	const char *reason;
	struct symtab *s = load_bytes(text, strlen(text), &reason);

	ck_assert_ptr_null(reason);
	return s;
}

static void expect(const struct symtab *s, uint64_t address, const char *name)
{
	const struct symbol *symbol = symtab_find(s, address);

	ck_assert_str_eq(symbol ? symbol->name : "-", name);
}

START_TEST(a_name_is_the_rest_of_the_line)
{
	struct symtab *s = load("1000 20 LazyCompile:~main /home/me/a b.js:1\n"
				"2000 20 a;b (c) [d]\n"
				"3000 20 x\n"
				"4000 20 lambda\r\n");

	expect(s, 0x1000, "LazyCompile:~main /home/me/a b.js:1");
	expect(s, 0x2010, "a;b (c) [d]");
	expect(s, 0x3000, "x"); /* perf skips names of less than 3 characters */
	expect(s, 0x4000, "lambda");
	expect(s, 0x1020, "-");
	symtab_free(s);
}
END_TEST

START_TEST(names_stay_raw)
{
	struct symtab *s = load("1000 20 _ZN3foo3barEv\n");

	expect(s, 0x1000, "_ZN3foo3barEv");
	symtab_free(s);
}
END_TEST

START_TEST(a_last_line_without_end_is_whole)
{
	struct symtab *s = load("1000 20 first\n2000 20 last");

	expect(s, 0x2000, "last");
	symtab_free(s);
}
END_TEST

START_TEST(numbers_may_have_0x_and_upper_case)
{
	struct symtab *s = load("0x7F00ABCDEF00 0X1F prefixed\nffffABCD0000 aB upper\n");

	expect(s, 0x7f00abcdef1e, "prefixed");
	expect(s, 0x7f00abcdef1f, "-");
	expect(s, 0xffffabcd00aa, "upper");
	symtab_free(s);
}
END_TEST

START_TEST(size_0_reaches_to_the_next_entry)
{
	struct symtab *s = load("3000 10 after\n1000 0 open\n2000 0 open two\n5000 0 open last\n");

	expect(s, 0x1fff, "open");
	expect(s, 0x2fff, "open two");
	expect(s, 0x3010, "-");
	expect(s, 0x5000, "open last");
	expect(s, 0x6000, "-");
	symtab_free(s);
}
END_TEST

START_TEST(garbage_is_skipped)
{
	struct symtab *s = load("# a comment\n"
				"\n"
				"1000\n"
				"1000 20\n"
				"1000 20 \n"
				"zzzz 20 not hex\n"
				"-10 20 negative\n"
				"1000 -20 negative\n"
				"11112222333344445 20 too many digits\n"
				"fffffffffffffff0 20 runs over\n"
				"1000,20,commas\n"
				"2000 20 good\n");

	ck_assert_uint_eq(symtab_count(s), 1);
	expect(s, 0x2000, "good");
	symtab_free(s);
}
END_TEST

START_TEST(the_last_definition_wins_and_the_older_keeps_its_tail)
{
	struct symtab *s = load("1000 40 old\n2000 10 small old\n1000 10 new\n2000 40 large new\n");

	expect(s, 0x1000, "new");
	expect(s, 0x1010, "old");
	ck_assert_uint_eq(symtab_find(s, 0x1010)->start, 0x1000);
	expect(s, 0x2000, "large new");
	expect(s, 0x203f, "large new");
	symtab_free(s);
}
END_TEST

START_TEST(nested_entries_give_the_innermost)
{
	struct symtab *s = load("1000 100 outer\n1040 10 inner\n2040 10 inner first\n2000 100 outer last\n");

	expect(s, 0x103f, "outer");
	expect(s, 0x1040, "inner");
	expect(s, 0x1050, "outer");
	expect(s, 0x2040, "inner first");
	expect(s, 0x2050, "outer last");
	symtab_free(s);
}
END_TEST

START_TEST(every_truncation_is_read)
{
	static const char text[] = "1000 20 one\n0x2000 0x0 two\n3000 20 three four\n";

	for (size_t size = 0; size < sizeof(text); size++) {
		const char *reason;
		struct symtab *s = load_bytes(text, size, &reason);
		ck_assert(!reason == (symtab_count(s) > 0));
		symtab_free(s);
	}
}
END_TEST

START_TEST(what_cannot_be_read_has_a_reason)
{
	struct symtab *s = symtab_new(NULL);
	const char *reason;

	ck_assert_str_eq(load_perfmap("/nowhere/perf-1.map", s), "not found");
	ck_assert_str_eq(load_perfmap("/tmp", s), "not a regular file");
	strcpy(folder, "/tmp/check_load_perfmap.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/perf-1.map", folder);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_str_eq(load_perfmap(path, s), "not a regular file"); /* and nobody waits for a writer */
	unlink(path);
	rmdir(folder);
	symtab_free(s);
	s = load_bytes("", 0, &reason);
	ck_assert_str_eq(reason, "holds no symbols");
	symtab_free(s);
}
END_TEST

CHECK_SUITE("load_perfmap", a_name_is_the_rest_of_the_line, names_stay_raw, a_last_line_without_end_is_whole,
	    numbers_may_have_0x_and_upper_case, size_0_reaches_to_the_next_entry, garbage_is_skipped,
	    the_last_definition_wins_and_the_older_keeps_its_tail, nested_entries_give_the_innermost,
	    every_truncation_is_read, what_cannot_be_read_has_a_reason)
