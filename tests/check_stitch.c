/* The chains wanted are those of perf script --stitch-lbr 7.2.13, but where STITCH_MAX is the matter. */
#include "symbolize/stitch.h"

#include <stdio.h>

#include "tests/check_run.h"

#define NR_REGISTERS 4
#define BRANCH_WORDS 3

static struct stitch *s;
static struct callchain c;
static int threads[2];
static uint32_t life;

static void begin(void)
{
	s = stitch_new(NR_REGISTERS);
	life = 1;
}

static void end(void)
{
	stitch_free(s);
	callchain_free(&c);
}

/* Words of the calls @from .. @to, newest first: call n comes from 0xn0 and has 0 in its flags. */
static size_t calls(unsigned from, unsigned to, uint64_t *words)
{
	size_t nr = 0;

	for (unsigned i = from; i >= to && i; i--) {
		*words++ = 0x10 * i;
		*words++ = 0x1000 + i;
		*words++ = 0;
		nr++;
	}
	return nr;
}

static const char *added(const struct stitch_sample *sample)
{
	static char text[256];
	size_t at = 0;

	callchain_reset(&c);
	stitch_add(s, sample, &c);
	text[0] = '\0';
	for (size_t i = 0; i < c.frames.count; i++) {
		ck_assert_int_eq(c.frames.at[i].mode, CALLCHAIN_USER);
		ck_assert(!c.frames.at[i].is_return);
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%llx", i ? " " : "",
				       (unsigned long long)c.frames.at[i].ip);
	}
	return text;
}

/* What is added to a stack of calls of which the newest @nr are in the registers. */
static const char *add(int thread, unsigned depth, unsigned nr)
{
	uint64_t words[BRANCH_WORDS * 8];
	struct stitch_sample sample = {
		.thread = &threads[thread], .life = life, .branches = words, .hw_idx = depth % NR_REGISTERS
	};

	sample.nr_branches = nr ? calls(depth, depth > nr ? depth - nr + 1 : 1, words) : 0;
	return added(&sample);
}

START_TEST(lost_callers_come_from_the_sample_before)
{
	begin();
	ck_assert_str_eq(add(0, 4, 4), "");
	ck_assert_str_eq(add(0, 6, 4), "20 10");
	ck_assert_str_eq(add(0, 6, 4), "20 10"); /* nothing moved */
	ck_assert_str_eq(add(0, 8, 4), "40 30 20 10");
	ck_assert_str_eq(add(0, 11, 4), "70 60 50 40 30 20 10");
	ck_assert_str_eq(add(0, 15, 4), ""); /* nothing in common */
	ck_assert_str_eq(add(0, 16, 4), "c0");
	end();
}
END_TEST

START_TEST(returns_leave_the_callers)
{
	begin();
	add(0, 4, 4);
	ck_assert_str_eq(add(0, 6, 4), "20 10");
	ck_assert_str_eq(add(0, 5, 3), "20 10");
	ck_assert_str_eq(add(0, 2, 0), "");
	end();
}
END_TEST

START_TEST(threads_have_their_own_stacks)
{
	begin();
	ck_assert_str_eq(add(0, 4, 4), "");
	ck_assert_str_eq(add(1, 6, 4), "");
	ck_assert_str_eq(add(0, 6, 4), "20 10");
	ck_assert_str_eq(add(1, 7, 4), "30");
	life = 2; /* another thread of the same number */
	ck_assert_str_eq(add(0, 7, 4), "");
	ck_assert_str_eq(add(0, 8, 4), "40");
	end();
}
END_TEST

START_TEST(branches_are_the_same_in_all_three_words_and_in_their_register)
{
	uint64_t words[BRANCH_WORDS * NR_REGISTERS];
	struct stitch_sample sample = { &threads[0], 1, words, 4, 6 % NR_REGISTERS };

	begin();
	for (size_t word = 0; word < BRANCH_WORDS; word++) {
		add(0, 4, 4);
		calls(6, 3, words);
		words[BRANCH_WORDS * 3 + word] ^= 1; /* call 3 is another one */
		ck_assert_str_eq(added(&sample), "");
	}
	add(0, 4, 4);
	calls(6, 3, words);
	words[0] ^= 1; /* only the outermost one matters */
	ck_assert_str_eq(added(&sample), "20 10");
	add(0, 4, 4);
	calls(6, 3, words);
	sample.hw_idx = 3;
	ck_assert_str_eq(added(&sample), "");
	end();
}
END_TEST

START_TEST(nonsense_is_no_stack)
{
	static const uint64_t indexes[] = { UINT64_MAX, UINT64_MAX - 3, NR_REGISTERS, INT64_MAX };
	uint64_t words[BRANCH_WORDS * 8];
	struct stitch_sample sample = { &threads[0], 1, words, 0, 0 };

	begin();
	for (size_t i = 0; i < sizeof(indexes) / sizeof(indexes[0]); i++) {
		add(0, 4, 4);
		sample.nr_branches = calls(7, 4, words);
		sample.hw_idx = indexes[i];
		added(&sample);
		add(0, 7, 4);
	}
	sample.nr_branches = calls(8, 1, words); /* more than there are registers */
	sample.hw_idx = 0;
	ck_assert_str_eq(added(&sample), "");
	ck_assert_str_eq(add(0, 9, 4), "50 40 30 20 10");
	end();
}
END_TEST

START_TEST(the_innermost_callers_are_kept)
{
	begin();
	for (unsigned depth = 4; depth < STITCH_MAX + 100; depth++) {
		uint64_t words[BRANCH_WORDS * NR_REGISTERS];
		struct stitch_sample sample = { &threads[0], 1, words, 4, depth % NR_REGISTERS };
		calls(depth, depth - 3, words);
		callchain_reset(&c);
		stitch_add(s, &sample, &c);
	}
	ck_assert_uint_eq(c.frames.count, STITCH_MAX);
	ck_assert_uint_eq(c.frames.at[0].ip, 0x10 * (STITCH_MAX + 95));
	ck_assert_uint_eq(c.frames.at[STITCH_MAX - 1].ip, 0x10 * 96);
	end();
}
END_TEST

CHECK_SUITE("stitch", lost_callers_come_from_the_sample_before, returns_leave_the_callers,
	    threads_have_their_own_stacks, branches_are_the_same_in_all_three_words_and_in_their_register,
	    nonsense_is_no_stack, the_innermost_callers_are_kept)
