#include "symbolize/load_kallsyms.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "symbolize/symtab.h"
#include "tests/check_run.h"

static char path[64];

static struct err *open_bytes(const char *text, size_t size, struct kallsyms **ret)
{
	strcpy(path, "/tmp/check_load_kallsyms.XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	FILE *file = fdopen(fd, "w");
	ck_assert_uint_eq(fwrite(text, 1, size, file), size);
	fclose(file);
	struct err *err = kallsyms_open(path, ret);
	unlink(path);
	return err;
}

static struct kallsyms *open_text(const char *text)
{
	struct kallsyms *k = NULL;
	struct err *err = open_bytes(text, strlen(text), &k);

	ck_assert_msg(!err, "%s", err ? err_text(err) : "");
	return k;
}

static void expect_refused(const char *text, const char *reason)
{
	struct kallsyms *k = NULL;
	struct err *err = open_bytes(text, strlen(text), &k);

	ck_assert_ptr_nonnull(err);
	ck_assert_msg(strstr(err_text(err), reason), "%s", err_text(err));
	ck_assert_ptr_null(k);
	err_free(err);
}

static void expect(const struct symtab *s, uint64_t address, const char *name)
{
	const struct symbol *symbol = symtab_find(s, address);

	ck_assert_str_eq(symbol ? symbol->name : "-", name);
}

static const char small[] = "0000000000000000 A fixed_percpu_data\n"
			    "ffffffff81000000 T startup_64\n"
			    "ffffffff81000000 T _stext\n"
			    "ffffffff81000000 T _text\n"
			    "ffffffff81000100 t do_work\n"
			    "ffffffff81000180 t $x\n"
			    "ffffffff81000190 t .Lloop\n"
			    "ffffffff81000198 t L0^A\n"
			    "ffffffff81000200 W weak_one\n"
			    "ffffffff81000300 R rodata\n"
			    "ffffffff81001000 D data\n"
			    "ffffffffc0000020 t modfn\t[mymod]\n"
			    "ffffffffc0000028 t $x\t[mymod]\n"
			    "ffffffffc0000120 t mod2\t[mymod]\n"
			    "ffffffffc0009000 d other\t[other]\n"
			    "ffffffffc000b000 t bpf_prog_6deef7357e7b4530_x\t[bpf]\n";

START_TEST(the_kernel_is_what_is_in_no_module)
{
	struct kallsyms *k = open_text(small);
	struct symtab *s = symtab_new(NULL);

	ck_assert_uint_eq(kallsyms_take_kernel(k, s, 0), 4);
	symtab_finish(s);
	expect(s, 0xffffffff81000000, "_text"); /* the last line of an address */
	expect(s, 0xffffffff810000ff, "_text");
	expect(s, 0xffffffff81000180, "do_work"); /* marks are no symbols */
	expect(s, 0xffffffff810001ff, "do_work");
	expect(s, 0xffffffff81000300, "weak_one"); /* types R, A, V ... are not kept */
	expect(s, 0xffffffff81001000, "data");
	/* the module behind it does not lend it its start */
	expect(s, 0xffffffff81001fff, "data");
	expect(s, 0xffffffff81002000, "-");
	expect(s, 0xffffffffc0000020, "-");
	expect(s, 0, "-");
	ck_assert_int_eq(symtab_by_name(s, "do_work")->binding, SYMBOL_LOCAL);
	ck_assert_int_eq(symtab_by_name(s, "weak_one")->binding, SYMBOL_WEAK);
	ck_assert_int_eq(symtab_by_name(s, "data")->binding, SYMBOL_GLOBAL);
	ck_assert_int_eq(symtab_by_name(s, "data")->type, SYMBOL_OBJECT);
	ck_assert_int_eq(symtab_by_name(s, "_text")->type, SYMBOL_FUNC);
	symtab_free(s);
	kallsyms_free(k);
}
END_TEST

START_TEST(addresses_may_have_fewer_digits)
{
	struct kallsyms *k = open_text("ffffffff81000000 T a\n"
				       "ffffffff81 T short\n"
				       "ffffffff T shorter\n"
				       "FFFFFFFF82000000 T b\n"
				       "ffffffff83000000g T no_line\n"
				       "ffffffff83000000 T c\n"
				       "ffffffff83000000f T too_long\n"
				       "ffffffff\n"
				       "fff");
	uint64_t address;

	ck_assert(kallsyms_address(k, "a", &address) && address == 0xffffffff81000000);
	ck_assert(kallsyms_address(k, "short", &address) && address == 0xffffffff81);
	ck_assert(kallsyms_address(k, "shorter", &address) && address == 0xffffffff);
	ck_assert(kallsyms_address(k, "b", &address) && address == 0xffffffff82000000);
	ck_assert(kallsyms_address(k, "c", &address) && address == 0xffffffff83000000);
	ck_assert(!kallsyms_address(k, "no_line", &address));
	ck_assert(!kallsyms_address(k, "too_long", &address));
	kallsyms_free(k);
}
END_TEST

START_TEST(a_delta_shifts_the_kernel)
{
	struct kallsyms *k = open_text(small);
	struct symtab *s = symtab_new(NULL);

	kallsyms_take_kernel(k, s, 0xffffffff81000000 - 0xffffffff9c000000);
	symtab_finish(s);
	expect(s, 0xffffffff9c000100, "do_work");
	expect(s, 0xffffffff81000100, "-");
	symtab_free(s);
	kallsyms_free(k);
}
END_TEST

START_TEST(a_module_is_taken_out_by_its_name)
{
	struct kallsyms *k = open_text(small);
	struct symtab *s = symtab_new(NULL);

	ck_assert_uint_eq(kallsyms_load_module(k, "[nobody]", s, 0), 0);
	ck_assert_uint_eq(kallsyms_load_module(k, "", s, 0), 0);
	ck_assert_uint_eq(kallsyms_load_module(k, "[mymod]", s, 0xffffffffc0000000), 2);
	symtab_finish(s);
	expect(s, 0x1f, "-");
	expect(s, 0x20, "modfn");
	expect(s, 0x11f, "modfn");
	expect(s, 0x120, "mod2");
	expect(s, 0x21f, "mod2"); /* a size that is only guessed does not reach into the module's PLT */
	expect(s, 0x220, "-");
	symtab_free(s);
	kallsyms_free(k);
}
END_TEST

START_TEST(a_reference_is_found_among_all_lines)
{
	struct kallsyms *k = open_text(small);
	uint64_t address = 0;

	ck_assert(kallsyms_address(k, "_stext", &address)); /* not the one that stays at its address */
	ck_assert_uint_eq(address, 0xffffffff81000000);
	ck_assert(kallsyms_address(k, "do_work", &address));
	ck_assert_uint_eq(address, 0xffffffff81000100);
	ck_assert(!kallsyms_address(k, "data", &address)); /* no function */
	ck_assert(!kallsyms_address(k, "modfn", &address));
	ck_assert(!kallsyms_address(k, "do_wor", &address));
	ck_assert(!kallsyms_address(k, "", &address));
	kallsyms_free(k);
}
END_TEST

START_TEST(addresses_that_the_kernel_hid_are_refused)
{
	expect_refused("0000000000000000 T _text\n0000000000000000 t do_work\n0000000000000000 t m\t[mod]\n",
		       "kptr_restrict");
	expect_refused("          (null) A irq_stack_union\n          (null) T _text\n", "kptr_restrict");
}
END_TEST

START_TEST(what_is_no_kallsyms_is_refused)
{
	struct kallsyms *k = NULL;
	struct err *err = kallsyms_open("/nowhere/kallsyms", &k);

	ck_assert_str_eq(err_text(err), "/nowhere/kallsyms: cannot read: No such file or directory");
	err_free(err);
	expect_refused("", "no kernel symbols");
	expect_refused("hello\nworld\n", "no kernel symbols");
	expect_refused("ffffffff81000000 R only_rodata\n", "no kernel symbols");
}
END_TEST

START_TEST(odd_lines_are_skipped)
{
	struct kallsyms *k =
		open_text("\n \nffffffff81000000\nffffffff81000000 \nffffffff81000000 T\n"
			  "ffffffff81000000 T \nffffffff81000000  T two_blanks\n"
			  "11112222333344445 T too_long\nT no_address\n"
			  "FFFFFFFF81000040 T upper\r\nc0008000 T short_address\nffffffff81000080 T last");
	struct symtab *s = symtab_new(NULL);
	uint64_t address;

	ck_assert_uint_eq(kallsyms_take_kernel(k, s, 0), 3);
	symtab_finish(s);
	expect(s, 0xffffffff81000040, "upper");
	expect(s, 0xc0008000, "short_address");
	expect(s, 0xffffffff81000080, "last");
	ck_assert(kallsyms_address(k, "short_address", &address));
	ck_assert(kallsyms_address(k, "last", &address));
	symtab_free(s);
	kallsyms_free(k);
}
END_TEST

START_TEST(every_truncation_is_read)
{
	for (size_t size = 0; size < sizeof(small); size++) {
		struct kallsyms *k = NULL;
		struct err *err = open_bytes(small, size, &k);
		if (!err) {
			struct symtab *s = symtab_new(NULL);
			kallsyms_take_kernel(k, s, 0);
			kallsyms_load_module(k, "[mymod]", s, 0);
			symtab_finish(s);
			symtab_free(s);
		}
		err_free(err);
		kallsyms_free(k);
	}
}
END_TEST

START_TEST(a_large_file_takes_no_time)
{
	char *text = malloc(200000 * 64), *at = text;

	for (unsigned i = 0; i < 150000; i++)
		at += sprintf(at, "%016llx t some_kernel_function_%u\n", 0xffffffff81000000 + 64ull * i, i);
	for (unsigned i = 0; i < 50000; i++)
		at += sprintf(at, "%016llx t f_%u\t[mod%u]\n",
			      0xffffffffc0000000 + (i * 7919ull % 50000) * 64, i, i / 100);
	struct kallsyms *k;
	clock_t before = clock();
	struct err *err = open_bytes(text, (size_t)(at - text), &k);
	ck_assert_ptr_null(err);
	struct symtab *s = symtab_new(NULL);
	ck_assert_uint_eq(kallsyms_take_kernel(k, s, 0), 150000);
	ck_assert_uint_eq(kallsyms_load_module(k, "[mod499]", s, 0), 100);
	symtab_finish(s);
	expect(s, 0xffffffff81000000 + 64 * 77 + 5, "some_kernel_function_77");
	ck_assert_int_lt((clock() - before) / CLOCKS_PER_SEC, 5);
	symtab_free(s);
	kallsyms_free(k);
	free(text);
}
END_TEST

CHECK_SUITE("load_kallsyms", the_kernel_is_what_is_in_no_module, addresses_may_have_fewer_digits,
	    a_delta_shifts_the_kernel, a_module_is_taken_out_by_its_name,
	    a_reference_is_found_among_all_lines, addresses_that_the_kernel_hid_are_refused,
	    what_is_no_kallsyms_is_refused, odd_lines_are_skipped, every_truncation_is_read,
	    a_large_file_takes_no_time)
