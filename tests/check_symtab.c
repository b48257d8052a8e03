#include "symbolize/symtab.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/check_run.h"
#include "util/xalloc.h"

static const char *name_at(struct symtab *s, uint64_t address)
{
	struct symbol *symbol = symtab_find(s, address);

	return symbol ? symtab_name(s, symbol) : "-";
}

#define expect(s, address, name) ck_assert_str_eq(name_at(s, address), name)

static void add(struct symtab *s, uint64_t start, uint64_t size, const char *name)
{
	symtab_add(s, start, start + size, name, SYMBOL_FUNC, SYMBOL_GLOBAL);
}

START_TEST(an_empty_table_finds_nothing)
{
	struct symtab *s = symtab_new(NULL);

	symtab_fix_elf(s);
	symtab_fix_kallsyms(s);
	symtab_fix_sizes(s);
	symtab_finish(s);
	ck_assert_uint_eq(symtab_count(s), 0);
	ck_assert_ptr_null(symtab_find(s, 0));
	ck_assert_ptr_null(symtab_find(s, UINT64_MAX));
	ck_assert_ptr_null(symtab_by_name(s, "x"));
	symtab_free(s);
	symtab_free(NULL);
}
END_TEST

START_TEST(a_symbol_ends_before_its_end)
{
	struct symtab *s = symtab_new(NULL);

	add(s, 0x300, 0x10, "c");
	add(s, 0x100, 0x10, "a");
	add(s, 0x110, 0x10, "b");
	symtab_fix_elf(s);
	symtab_finish(s);
	expect(s, 0xff, "-");
	expect(s, 0x100, "a");
	expect(s, 0x10f, "a");
	expect(s, 0x110, "b");
	expect(s, 0x11f, "b");
	expect(s, 0x120, "-");
	expect(s, 0x2ff, "-");
	expect(s, 0x300, "c");
	expect(s, 0x310, "-");
	ck_assert_str_eq(symtab_at(s, 2)->name, "c");
	symtab_free(s);
}
END_TEST

START_TEST(a_symbol_of_unknown_size_reaches_to_the_next)
{
	struct symtab *s = symtab_new(NULL);

	add(s, 0x100, 0, "a");
	add(s, 0x180, 0x10, "b");
	add(s, 0x1234, 0, "last");
	symtab_fix_elf(s);
	symtab_finish(s);
	expect(s, 0x17f, "a");
	expect(s, 0x180, "b");
	expect(s, 0x190, "-");
	expect(s, 0x1234, "last");
	expect(s, 0x2fff, "last"); /* the rest of its page, and one more */
	expect(s, 0x3000, "-");
	symtab_free(s);
}
END_TEST

START_TEST(ends_that_run_over_are_no_size)
{
	struct symtab *s = symtab_new(NULL);

	symtab_add(s, UINT64_MAX - 15, 16, "wrapped", SYMBOL_FUNC, SYMBOL_GLOBAL);
	symtab_fix_elf(s);
	symtab_finish(s);
	expect(s, UINT64_MAX - 1, "wrapped");
	expect(s, UINT64_MAX - 16, "-");
	expect(s, 15, "-");
	symtab_free(s);
}
END_TEST

struct candidate {
	uint64_t size;
	const char *name;
	enum symbol_type type;
	enum symbol_binding binding;
};

/* Which of two at one address stays, with something behind them. */
static void expect_kept(struct candidate a, struct candidate b, const char *kept)
{
	struct symtab *s = symtab_new(NULL);

	symtab_add(s, 0x100, 0x100 + a.size, a.name, a.type, a.binding);
	symtab_add(s, 0x100, 0x100 + b.size, b.name, b.type, b.binding);
	add(s, 0x200, 0x10, "next");
	symtab_fix_elf(s);
	symtab_finish(s);
	ck_assert_uint_eq(symtab_count(s), 2);
	expect(s, 0x100, kept);
	symtab_free(s);
}

#define F SYMBOL_FUNC, SYMBOL_GLOBAL
#define C(...) ((struct candidate){ __VA_ARGS__ })

START_TEST(of_duplicates_the_better_one_stays)
{
	/* with a size > without; but the one added last got the end of the gap first */
	expect_kept(C(8, "sized", SYMBOL_NOTYPE, SYMBOL_WEAK), C(8, "_b", F), "_b");
	expect_kept(C(0, "first", F), C(8, "sized", SYMBOL_NOTYPE, SYMBOL_LOCAL), "sized");
	expect_kept(C(0, "first", F), C(0, "second", SYMBOL_NOTYPE, SYMBOL_LOCAL), "second");
	/* typed > label */
	expect_kept(C(8, "label", SYMBOL_NOTYPE, SYMBOL_GLOBAL), C(8, "o", SYMBOL_OBJECT, SYMBOL_LOCAL), "o");
	expect_kept(C(8, "o", SYMBOL_OBJECT, SYMBOL_LOCAL), C(8, "label", SYMBOL_NOTYPE, SYMBOL_GLOBAL), "o");
	/* not weak > weak, even when it is local */
	expect_kept(C(8, "weak", SYMBOL_FUNC, SYMBOL_WEAK), C(8, "l", SYMBOL_FUNC, SYMBOL_LOCAL), "l");
	expect_kept(C(8, "l", SYMBOL_FUNC, SYMBOL_LOCAL), C(8, "weak", SYMBOL_FUNC, SYMBOL_WEAK), "l");
	/* global > local */
	expect_kept(C(8, "locals", SYMBOL_FUNC, SYMBOL_LOCAL), C(8, "g", F), "g");
	expect_kept(C(8, "__g", F), C(8, "locals", SYMBOL_FUNC, SYMBOL_LOCAL), "__g");
	/* fewer leading underscores, longer name, the first */
	expect_kept(C(8, "__memcpy_long", F), C(8, "memcpy", F), "memcpy");
	expect_kept(C(8, "open", F), C(8, "open64", F), "open64");
	expect_kept(C(8, "open64", F), C(8, "open", F), "open64");
	expect_kept(C(8, "abc", F), C(8, "abd", F), "abc");
	/* system call wrappers of old kernels give way */
	expect_kept(C(8, "SyS_read", F), C(8, "sys_read", F), "sys_read");
	expect_kept(C(8, "compat_SyS_x", F), C(8, "compat_sys_x", F), "compat_sys_x");
	expect_kept(C(8, "sys_read", F), C(8, "SyS_read", F), "sys_read");
}
END_TEST

/* As a demangler would: "_ZA" is "a_long_name", "_ZB" is "b". */
static char *fake_demangle(const char *raw)
{
	if (!strcmp(raw, "_ZA"))
		return xstrdup("a_long_name");
	return strcmp(raw, "_ZB") ? NULL : xstrdup("b");
}

START_TEST(duplicates_are_compared_by_their_demangled_names)
{
	struct symtab *s = symtab_new(fake_demangle);

	add(s, 0x100, 8, "_ZB");
	add(s, 0x100, 8, "_ZA");
	add(s, 0x100, 8, "plain");
	add(s, 0x200, 8, "_ZB");
	symtab_fix_elf(s);
	symtab_finish(s);
	expect(s, 0x100, "a_long_name");
	ck_assert_str_eq(symtab_find(s, 0x200)->name, "_ZB"); /* nobody asked yet */
	expect(s, 0x200, "b");
	symtab_free(s);
}
END_TEST

static unsigned nr_demangled;

static char *count_demangled(const char *raw)
{
	nr_demangled++;
	return xstrdup(raw);
}

START_TEST(kinds_of_constructors_have_one_name)
{
	struct symtab *s = symtab_new(count_demangled);

	add(s, 0x100, 8, "_ZN1AC2Ei");
	add(s, 0x100, 8, "_ZN1AC1Ei");
	add(s, 0x200, 8, "_ZN1AD0Ev");
	add(s, 0x200, 8, "_ZN1AD1Ev");
	symtab_fix_elf(s);
	ck_assert_uint_eq(nr_demangled, 0);
	ck_assert_str_eq(symtab_at(s, 0)->name, "_ZN1AC2Ei");
	ck_assert_str_eq(symtab_at(s, 1)->name, "_ZN1AD0Ev");
	add(s, 0x300, 8, "_ZN1AC1Ei");
	add(s, 0x300, 8, "_ZN1AC2Eij");
	symtab_fix_elf(s);
	ck_assert_uint_eq(nr_demangled, 2);
	ck_assert_str_eq(symtab_at(s, 2)->name, "_ZN1AC2Eij");
	symtab_free(s);
}
END_TEST

START_TEST(who_outlives_an_ifunc_is_its_alias)
{
	struct symtab *s = symtab_new(NULL);

	symtab_add(s, 0x100, 0x110, "memcpy_ifunc", SYMBOL_IFUNC, SYMBOL_LOCAL);
	add(s, 0x100, 0x10, "memcpy");
	symtab_fix_elf(s);
	ck_assert_uint_eq(symtab_count(s), 1);
	ck_assert_str_eq(symtab_at(s, 0)->name, "memcpy");
	ck_assert(symtab_at(s, 0)->ifunc_alias);
	symtab_free(s);
}
END_TEST

START_TEST(later_passes_join_the_first)
{
	struct symtab *s = symtab_new(NULL);

	add(s, 0x200, 0x10, "second");
	add(s, 0x100, 0, "first");
	symtab_fix_elf(s);
	add(s, 0x150, 0x10, "dynamic");
	add(s, 0x200, 0x10, "second_too");
	symtab_fix_elf(s);
	symtab_finish(s);
	ck_assert_uint_eq(symtab_count(s), 3);
	expect(s, 0x14f, "first");
	expect(s, 0x150, "dynamic");
	expect(s, 0x160, "first"); /* its end was fixed in its own pass */
	expect(s, 0x200, "second_too");
	symtab_free(s);
}
END_TEST

START_TEST(at_one_kallsyms_address_the_last_line_wins)
{
	struct symtab *s = symtab_new(NULL);

	add(s, 0x1000, 0, "_text");
	add(s, 0x1000, 0, "_stext");
	add(s, 0x1000, 0, "startup");
	add(s, 0x1100, 0, "next");
	symtab_fix_kallsyms(s);
	symtab_finish(s);
	ck_assert_uint_eq(symtab_count(s), 2);
	expect(s, 0x10ff, "startup");
	symtab_free(s);
}
END_TEST

START_TEST(a_module_ends_a_page_behind_its_last_symbol)
{
	struct symtab *s = symtab_new(NULL);

	add(s, 0x1010, 0, "kernel_last");
	symtab_set_group(s, 1);
	add(s, 0x10010, 0, "a");
	add(s, 0x10020, 0, "a2");
	symtab_set_group(s, 2);
	add(s, 0x20000, 0, "b");
	symtab_fix_kallsyms(s);
	symtab_finish(s);
	expect(s, 0x2fff, "kernel_last");
	expect(s, 0x3000, "-");
	expect(s, 0x1001f, "a");
	expect(s, 0x11fff, "a2");
	expect(s, 0x12000, "-");
	expect(s, 0x20fff, "b");
	expect(s, 0x21000, "-");
	symtab_free(s);
}
END_TEST

START_TEST(the_innermost_of_nested_symbols_holds_an_address)
{
	struct symtab *s = symtab_new(NULL);

	add(s, 0x100, 0x100, "outer");
	add(s, 0x120, 0x40, "inner");
	add(s, 0x130, 0x10, "innermost");
	add(s, 0x170, 0x10, "second_inner");
	symtab_finish(s);
	expect(s, 0x11f, "outer");
	expect(s, 0x120, "inner");
	expect(s, 0x130, "innermost");
	expect(s, 0x140, "inner");
	expect(s, 0x160, "outer");
	expect(s, 0x170, "second_inner");
	expect(s, 0x180, "outer");
	expect(s, 0x1ff, "outer");
	expect(s, 0x200, "-");
	symtab_free(s);
}
END_TEST

START_TEST(of_crossing_symbols_the_later_start_wins)
{
	struct symtab *s = symtab_new(NULL);

	add(s, 0x100, 0x30, "a");
	add(s, 0x120, 0x30, "b");
	add(s, 0x140, 0x100, "c");
	add(s, 0x150, 0x10, "d"); /* ends with b and c around it */
	symtab_finish(s);
	expect(s, 0x11f, "a");
	expect(s, 0x120, "b");
	expect(s, 0x140, "c");
	expect(s, 0x150, "d");
	expect(s, 0x160, "c");
	expect(s, 0x23f, "c");
	expect(s, 0x240, "-");
	symtab_free(s);
}
END_TEST

START_TEST(of_equal_starts_the_last_added_is_on_top)
{
	struct symtab *s = symtab_new(NULL);

	add(s, 0x100, 0x40, "old");
	add(s, 0x100, 0x10, "new");
	add(s, 0x200, 0x10, "small");
	add(s, 0x200, 0x40, "large");
	symtab_finish(s);
	expect(s, 0x10f, "new");
	expect(s, 0x110, "old");
	expect(s, 0x140, "-");
	expect(s, 0x200, "large");
	expect(s, 0x23f, "large");
	symtab_free(s);
}
END_TEST

START_TEST(a_symbol_without_a_size_holds_its_own_start)
{
	struct symtab *s = symtab_new(NULL);

	add(s, 0x100, 0x40, "function");
	add(s, 0x110, 0, "label");
	add(s, 0x200, 0, "alone");
	symtab_finish(s);
	expect(s, 0x10f, "function");
	expect(s, 0x110, "label");
	expect(s, 0x111, "function");
	expect(s, 0x200, "alone");
	expect(s, 0x201, "-");
	symtab_free(s);
}
END_TEST

START_TEST(sizes_alone_can_be_fixed)
{
	struct symtab *s = symtab_new(NULL);

	add(s, 0x100, 0, "old");
	add(s, 0x100, 0, "new");
	add(s, 0x140, 0x10, "next");
	add(s, 0x5000, 0, "last");
	symtab_fix_sizes(s);
	symtab_finish(s);
	ck_assert_uint_eq(symtab_count(s), 4);
	expect(s, 0x13f, "new");
	expect(s, 0x14f, "next");
	expect(s, 0x150, "-");
	expect(s, 0x5fff, "last");
	expect(s, 0x6000, "-");
	symtab_free(s);
}
END_TEST

START_TEST(a_cut_ends_what_reaches_over_it)
{
	struct symtab *s = symtab_new(NULL);

	add(s, 0x100, 0x100, "before");
	add(s, 0x180, 0x10, "at");
	symtab_cut(s, 0x180);
	symtab_finish(s);
	expect(s, 0x17f, "before");
	expect(s, 0x180, "at");
	expect(s, 0x190, "-");
	symtab_free(s);
}
END_TEST

START_TEST(symbols_are_found_by_raw_name)
{
	struct symtab *s = symtab_new(fake_demangle);

	add(s, 0x100, 0x10, "_ZA");
	add(s, 0x200, 0x10, "x");
	symtab_finish(s);
	ck_assert_uint_eq(symtab_by_name(s, "_ZA")->start, 0x100);
	ck_assert_uint_eq(symtab_by_name(s, "x")->start, 0x200);
	ck_assert_ptr_null(symtab_by_name(s, "a_long_name"));
	symtab_free(s);
}
END_TEST

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* A pass of many, of few, of one; those that begin where others do come behind them. */
START_TEST(passes_of_any_size_keep_the_order)
{
	uint64_t random = 3;

	for (int round = 0; round < 300; round++) {
		struct symtab *s = symtab_new(NULL);
		unsigned number = 0;
		symtab_reserve(s, 40);
		for (int pass = 0; pass < 5; pass++) {
			for (uint64_t count = next_random(&random) % (pass % 2 ? 4 : 60); count--;) {
				char name[16];
				snprintf(name, sizeof(name), "%u", number++);
				add(s, next_random(&random) % 100 << round % 57, 1, name);
			}
			symtab_fix_sizes(s);
		}
		ck_assert_uint_eq(symtab_count(s), number);
		for (size_t i = 1; i < symtab_count(s); i++) {
			const struct symbol *a = symtab_at(s, i - 1), *b = symtab_at(s, i);
			ck_assert(a->start < b->start ||
				  (a->start == b->start && atoi(a->name) < atoi(b->name)));
		}
		symtab_free(s);
	}
}
END_TEST

START_TEST(all_can_be_shifted_and_handed_over)
{
	struct symtab *from = symtab_new(NULL), *s = symtab_new(NULL);

	add(from, 0x100, 0x10, "low");
	add(from, 0x1200, 0x20, "b");
	add(from, 0x1100, 0x10, "a");
	symtab_fix_elf(from);
	symtab_shift(from, 0x1100, 0x1000);
	symtab_take(s, from);
	symtab_finish(s);
	ck_assert_uint_eq(symtab_count(s), 2);
	expect(s, 0x10f, "a");
	expect(s, 0x110, "-");
	expect(s, 0x21f, "b");
	symtab_free(s);
}
END_TEST

/* Kernels of another boot may lie above what was recorded. */
START_TEST(a_shift_may_run_over)
{
	struct symtab *s = symtab_new(NULL);

	add(s, 0x10, 0x10, "last");
	add(s, 0x1000, 0x10, "first");
	symtab_fix_elf(s);
	symtab_shift(s, 0, 0x100);
	symtab_finish(s);
	expect(s, 0xf00, "first");
	expect(s, UINT64_MAX - 0xef, "last");
	symtab_free(s);
}
END_TEST

/* Brute force over every address: the latest start, and of equal ones the last added. */
START_TEST(the_flat_layout_agrees_with_its_rule)
{
	struct {
		uint64_t start, end;
	} symbols[40];
	uint64_t random = 1;

	for (int round = 0; round < 300; round++) {
		struct symtab *s = symtab_new(NULL);
		for (size_t i = 0; i < 40; i++) {
			symbols[i].start = next_random(&random) % 200;
			symbols[i].end = symbols[i].start + 1 + next_random(&random) % (round % 2 ? 20 : 150);
			char name[16];
			snprintf(name, sizeof(name), "%zu", i);
			add(s, symbols[i].start, symbols[i].end - symbols[i].start, name);
		}
		symtab_finish(s);
		for (uint64_t address = 0; address < 360; address++) {
			int best = -1;
			for (int i = 0; i < 40; i++)
				if (symbols[i].start <= address && address < symbols[i].end &&
				    (best < 0 || symbols[i].start >= symbols[best].start))
					best = i;
			struct symbol *found = symtab_find(s, address);
			ck_assert_int_eq(found ? atoi(found->name) : -1, best);
		}
		symtab_free(s);
	}
}
END_TEST

/* As a kernel's: per-cpu symbols near 0, most in one place, modules far behind. */
START_TEST(symbols_far_from_the_others_are_found_too)
{
	enum { NEAR = 40, MOST = 5000, FAR = 60 };
	struct symtab *s = symtab_new(NULL);
	uint64_t starts[NEAR + MOST + FAR], seed = 7;
	size_t count = 0;

	for (unsigned i = 0; i < NEAR; i++)
		starts[count++] = 0x10 + 0x20 * i;
	for (unsigned i = 0; i < MOST; i++)
		starts[count++] = UINT64_C(0xffffffff81000000) + 0x40 * i + i % 7;
	for (unsigned i = 0; i < FAR; i++)
		starts[count++] = UINT64_C(0xffffffffc0000000) + 0x100000 * i;
	for (size_t i = 0; i < count; i++)
		symtab_add(s, starts[i], starts[i] + 0x10, "f", SYMBOL_FUNC, SYMBOL_GLOBAL);
	symtab_finish(s);
	for (size_t i = 0; i < count; i++) {
		for (uint64_t inside = 0; inside < 0x20; inside += 1 + (seed = seed * 5 + 1) % 3) {
			const struct symbol *symbol = symtab_find(s, starts[i] + inside);
			ck_assert_uint_eq(symbol ? symbol->start : 0, inside < 0x10 ? starts[i] : 0);
		}
	}
	ck_assert_ptr_null(symtab_run(s, 0xf));
	ck_assert_ptr_null(symtab_find(s, UINT64_MAX));
	ck_assert_ptr_null(symtab_find(s, UINT64_C(0x8000000000000000)));
	symtab_free(s);
}
END_TEST

/* Some stand close together and most far apart, with gaps or none between them. */
START_TEST(symbols_in_crowds_are_found_too)
{
	struct symtab *s = symtab_new(NULL);

	for (uint64_t i = 0; i < 4000; i++) {
		uint64_t start = 0x1000 + i / 40 * 0x10000 + i % 40 * (i / 40 % 5 + 1);
		symtab_add(s, start, start + 1 + i / 40 % 3, "f", SYMBOL_FUNC, SYMBOL_GLOBAL);
	}
	symtab_finish(s);
	size_t next = 0;
	for (uint64_t address = 0; address < 0x1000 + 100 * 0x10000; address++) {
		while (next < symtab_count(s) && symtab_at(s, next)->start <= address)
			next++;
		const struct symbol *last = next ? symtab_at(s, next - 1) : NULL;
		const struct symbol *expected = last && address < last->end ? last : NULL;
		if (symtab_find(s, address) != expected)
			ck_abort_msg("another symbol at %llu", (unsigned long long)address);
	}
	symtab_free(s);
}
END_TEST

/* A million nested and unsorted symbols: anything quadratic would take hours, not a second. */
START_TEST(a_million_symbols_take_no_time)
{
	struct symtab *s = symtab_new(NULL);
	clock_t before = clock();

	for (uint64_t i = 0; i < 1000000; i++) {
		uint64_t start = 0x1000 + (i * 7919 % 1000000) * 16;
		add(s, start, i % 3 ? 16 : 0x1000000, "function");
	}
	symtab_fix_elf(s);
	symtab_finish(s);
	ck_assert_uint_eq(symtab_count(s), 1000000);
	ck_assert_uint_eq(symtab_find(s, 0x1000 + 16 * 1234 + 8)->start, 0x1000 + 16 * 1234);
	ck_assert_int_lt((clock() - before) / CLOCKS_PER_SEC, 20);
	symtab_free(s);
}
END_TEST

CHECK_SUITE("symtab", an_empty_table_finds_nothing, a_symbol_ends_before_its_end,
	    a_symbol_of_unknown_size_reaches_to_the_next, ends_that_run_over_are_no_size,
	    of_duplicates_the_better_one_stays, duplicates_are_compared_by_their_demangled_names,
	    kinds_of_constructors_have_one_name, who_outlives_an_ifunc_is_its_alias,
	    later_passes_join_the_first,
	    at_one_kallsyms_address_the_last_line_wins, a_module_ends_a_page_behind_its_last_symbol,
	    the_innermost_of_nested_symbols_holds_an_address, of_crossing_symbols_the_later_start_wins,
	    of_equal_starts_the_last_added_is_on_top, a_symbol_without_a_size_holds_its_own_start,
	    sizes_alone_can_be_fixed, a_cut_ends_what_reaches_over_it, symbols_are_found_by_raw_name,
	    passes_of_any_size_keep_the_order, all_can_be_shifted_and_handed_over, a_shift_may_run_over,
	    the_flat_layout_agrees_with_its_rule, symbols_far_from_the_others_are_found_too,
	    symbols_in_crowds_are_found_too, a_million_symbols_take_no_time)
