#include "symbolize/callchain.h"

#include <stdio.h>

#include "tests/check_run.h"

#define HV CALLCHAIN_MARK_HYPERVISOR
#define KERNEL CALLCHAIN_MARK_KERNEL
#define USER CALLCHAIN_MARK_USER
#define DEFERRED CALLCHAIN_MARK_USER_DEFERRED

#define RECORDED(c, max, ...)                                                                                \
	callchain_add_recorded((c), (const uint64_t[]){ __VA_ARGS__ },                                       \
			       sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), (max))

/* "k10 k20r u30": mode, ip in hex, r: a return address, c: a cookie */
static const char *text_of(const struct callchain *c)
{
	static char text[4096];
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < c->frames.count && at < sizeof(text) - 40; i++) {
		const struct callchain_frame *frame = &c->frames.at[i];
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%c%llx%s%s", i ? " " : "",
				       "?kuh"[frame->mode], (unsigned long long)frame->ip,
				       frame->is_return ? "r" : "", frame->is_cookie ? "c" : "");
	}
	return text;
}

START_TEST(markers_switch_the_mode_and_begin_with_an_exact_address)
{
	struct callchain c = { 0 };

	callchain_reset(&c);
	ck_assert(RECORDED(&c, 127, KERNEL, 0x10, 0x20, USER, 0x30, 0x40, HV, 0x50, 0x60));
	ck_assert_str_eq(text_of(&c), "k10 k20r u30 u40r h50 h60r");
	callchain_free(&c);
	ck_assert_ptr_null(c.frames.at);
}
END_TEST

START_TEST(a_recorder_may_have_gone_back_to_the_calls)
{
	struct callchain c = { .has_calls = true };

	for (int i = 0; i < 2; i++) {
		callchain_reset(&c);
		ck_assert(RECORDED(&c, 127, KERNEL, 0x10, 0x20, USER, 0x30, 0x40));
		callchain_add(&c, (struct callchain_frame){ .ip = 0x50, .is_return = true });
		ck_assert_str_eq(text_of(&c), "k10 k20 u30 u40 ?50r");
	}
	callchain_free(&c);
}
END_TEST

START_TEST(a_chain_without_markers_is_the_users)
{
	struct callchain c = { 0 };

	callchain_reset(&c);
	ck_assert(RECORDED(&c, 127, 0x10, 0x20));
	ck_assert_str_eq(text_of(&c), "u10 u20r");
	callchain_reset(&c);
	ck_assert(RECORDED(&c, 127, KERNEL, 0x10));
	callchain_reset(&c); /* the mode of the last sample does not stay */
	ck_assert(RECORDED(&c, 127, 0x10));
	ck_assert_str_eq(text_of(&c), "u10");
	callchain_free(&c);
}
END_TEST

START_TEST(no_chain_is_an_empty_one)
{
	struct callchain c = { 0 };

	callchain_reset(&c);
	ck_assert(callchain_add_recorded(&c, NULL, 0, 127));
	ck_assert(callchain_add_recorded(&c, NULL, 9, 127));
	ck_assert(RECORDED(&c, 127, KERNEL, USER));
	ck_assert(RECORDED(&c, 0, 0x10));
	ck_assert_str_eq(text_of(&c), "");
	callchain_free(&c);
}
END_TEST

START_TEST(an_unknown_marker_throws_the_chain_away)
{
	static const int64_t marks[] = { -1, -31, -33, -2048, -2176, -2560, -4095 };
	struct callchain c = { 0 };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		callchain_reset(&c);
		ck_assert(!RECORDED(&c, 127, KERNEL, 0x10, (uint64_t)marks[i], 0x20));
		ck_assert_str_eq(text_of(&c), "");
	}
	callchain_reset(&c);
	ck_assert(RECORDED(&c, 127, 0x10, (uint64_t)-4096)); /* the largest address */
	ck_assert_str_eq(text_of(&c), "u10 ufffffffffffff000r");
	callchain_reset(&c);
	ck_assert(RECORDED(&c, 1, 0x10, (uint64_t)-2048)); /* behind the limit nobody looks */
	ck_assert_str_eq(text_of(&c), "u10");
	callchain_free(&c);
}
END_TEST

START_TEST(the_limit_counts_addresses_not_markers)
{
	struct callchain c = { 0 };

	callchain_reset(&c);
	ck_assert(RECORDED(&c, 3, KERNEL, 0x10, 0x20, USER, 0x30, 0x40));
	ck_assert_str_eq(text_of(&c), "k10 k20r u30");
	callchain_free(&c);
}
END_TEST

START_TEST(unwound_frames_are_appended_beyond_the_limit)
{
	struct callchain c = { 0 };

	callchain_reset(&c);
	ck_assert(RECORDED(&c, 1, KERNEL, 0x10, 0x20));
	callchain_add(&c, (struct callchain_frame){ .ip = 0x30, .mode = CALLCHAIN_USER });
	callchain_add(&c, (struct callchain_frame){ .ip = 0x40, .mode = CALLCHAIN_USER, .is_return = true });
	callchain_add(&c, (struct callchain_frame){ .ip = 0x50 });
	ck_assert_str_eq(text_of(&c), "k10 u30 u40r ?50");
	callchain_free(&c);
}
END_TEST

START_TEST(a_deferred_chain_ends_with_its_cookie)
{
	const uint64_t waiting[] = { KERNEL, 0x10, 0x20, DEFERRED, 0x5 };
	struct callchain c = { 0 };
	uint64_t cookie = 0;

	ck_assert(callchain_is_deferred(waiting, 5, &cookie));
	ck_assert_uint_eq(cookie, 5);
	ck_assert(!callchain_is_deferred(waiting, 4, &cookie));
	ck_assert(!callchain_is_deferred(waiting, 1, &cookie));
	ck_assert(!callchain_is_deferred(waiting, 0, &cookie));
	ck_assert(!callchain_is_deferred(NULL, 5, &cookie));

	callchain_reset(&c);
	ck_assert(callchain_add_recorded(&c, waiting, 5, 127));
	ck_assert_str_eq(text_of(&c), "k10 k20r u5c");

	callchain_reset(&c);
	ck_assert(callchain_add_recorded(&c, waiting, 4, 127));
	ck_assert(RECORDED(&c, 127, 0x30, 0x40));
	ck_assert_str_eq(text_of(&c), "k10 k20r u30 u40r");

	callchain_reset(&c); /* one limit for both parts */
	ck_assert(callchain_add_recorded(&c, waiting, 4, 3));
	ck_assert(RECORDED(&c, 3, USER, 0x30, 0x40));
	ck_assert_str_eq(text_of(&c), "k10 k20r u30");

	callchain_reset(&c); /* a bad late part takes the recorded one with it */
	ck_assert(callchain_add_recorded(&c, waiting, 4, 127));
	ck_assert(!RECORDED(&c, 127, 0x30, (uint64_t)-1));
	ck_assert_str_eq(text_of(&c), "");
	callchain_free(&c);
}
END_TEST

/* from, to, flags; newest first */
static const uint64_t branches[] = { 0x101, 0x201, 1, 0x102, 0x202, 1 };

START_TEST(a_branch_call_stack_replaces_the_user_part)
{
	const uint64_t ips[] = { KERNEL, 0x10, 0x20, USER, 0x30, 0x40 };
	struct callchain c = { 0 };

	callchain_reset(&c);
	ck_assert(callchain_add_lbr(&c, ips, 6, 127, 0x99, branches, 2));
	ck_assert_str_eq(text_of(&c), "k10 k20r u99 u101 u102");
	callchain_reset(&c);
	ck_assert(callchain_add_lbr(&c, ips, 6, 127, 0, branches, 2));
	ck_assert_str_eq(text_of(&c), "k10 k20r u201 u101 u102");
	callchain_reset(&c);
	ck_assert(callchain_add_lbr(&c, ips + 3, 3, 127, 0x99, branches, 1));
	ck_assert_str_eq(text_of(&c), "u99 u101");
	callchain_reset(&c);
	ck_assert(callchain_add_lbr(&c, ips, 6, 127, 0x99, NULL, 0));
	ck_assert_str_eq(text_of(&c), "k10 k20r u99");
	callchain_free(&c);
}
END_TEST

START_TEST(without_a_user_part_branches_are_no_call_stack)
{
	const uint64_t ips[] = { KERNEL, 0x10, 0x20, USER, 0x30 };
	struct callchain c = { 0 };

	callchain_reset(&c);
	ck_assert(callchain_add_lbr(&c, ips, 3, 127, 0x99, branches, 2));
	ck_assert_str_eq(text_of(&c), "k10 k20r");
	callchain_reset(&c); /* the marker is looked for in the first max_stack entries */
	ck_assert(callchain_add_lbr(&c, ips, 5, 3, 0x99, branches, 2));
	ck_assert_str_eq(text_of(&c), "k10 k20r u30");
	callchain_reset(&c);
	ck_assert(callchain_add_lbr(&c, ips, 5, 127, 0, NULL, 0)); /* nor are there any, nor an ip */
	ck_assert_str_eq(text_of(&c), "k10 k20r u30");
	callchain_reset(&c);
	ck_assert(callchain_add_lbr(&c, NULL, 0, 127, 0x99, branches, 2));
	ck_assert_str_eq(text_of(&c), "");
	callchain_reset(&c);
	ck_assert(!callchain_add_lbr(&c, (const uint64_t[]){ (uint64_t)-1, 0x1, USER }, 3, 127, 0x99,
				     branches, 2));
	ck_assert_str_eq(text_of(&c), "");
	callchain_free(&c);
}
END_TEST

START_TEST(memory_is_used_again)
{
	struct callchain c = { 0 };
	uint64_t ips[1000];

	for (size_t i = 0; i < 1000; i++)
		ips[i] = i;
	callchain_reset(&c);
	ck_assert(callchain_add_recorded(&c, ips, 1000, 2000));
	ck_assert_uint_eq(c.frames.count, 1000);
	const struct callchain_frame *at = c.frames.at;
	for (int i = 0; i < 10; i++) {
		callchain_reset(&c);
		ck_assert(callchain_add_recorded(&c, ips, 1000, 2000));
		ck_assert_ptr_eq(c.frames.at, at);
	}
	callchain_free(&c);
}
END_TEST

CHECK_SUITE("callchain", markers_switch_the_mode_and_begin_with_an_exact_address,
	    a_recorder_may_have_gone_back_to_the_calls,
	    a_chain_without_markers_is_the_users, no_chain_is_an_empty_one,
	    an_unknown_marker_throws_the_chain_away, the_limit_counts_addresses_not_markers,
	    unwound_frames_are_appended_beyond_the_limit, a_deferred_chain_ends_with_its_cookie,
	    a_branch_call_stack_replaces_the_user_part, without_a_user_part_branches_are_no_call_stack,
	    memory_is_used_again)
