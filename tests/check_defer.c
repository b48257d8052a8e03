/* Samples that wait for their user call chain leave thread by thread, oldest first. */
#include "tests/check_run.h"

#include "events/defer.h"

static void hold(struct defer *d, uint8_t number, int32_t tid)
{
	struct raw_record raw = { .data = &number, .size = 1, .stable = true };

	defer_hold(d, &raw, tid);
}

static int take(struct defer *d, int32_t tid)
{
	struct raw_record raw;

	return defer_take(d, tid, &raw) ? raw.data[0] : -1;
}

static int take_any(struct defer *d)
{
	struct raw_record raw;

	return defer_take_any(d, &raw) ? raw.data[0] : -1;
}

START_TEST(a_thread_takes_its_own_samples_in_order)
{
	struct defer *d = defer_new();

	hold(d, 1, 10);
	hold(d, 2, 20);
	hold(d, 3, 10);
	ck_assert_int_eq(take(d, 10), 1);
	ck_assert_int_eq(take(d, 10), 3);
	ck_assert_int_eq(take(d, 10), -1);
	ck_assert_int_eq(take(d, -1), -1);
	ck_assert_int_eq(take(d, 20), 2);
	hold(d, 4, 10);
	ck_assert_int_eq(take(d, 10), 4);
	defer_free(d);
}
END_TEST

START_TEST(the_end_takes_all_in_order_of_arrival)
{
	struct defer *d = defer_new();

	for (uint8_t i = 0; i < 6; i++)
		hold(d, i, i % 2);
	ck_assert_int_eq(take(d, 1), 1);
	for (int i = 0; i < 6; i++) {
		if (i != 1)
			ck_assert_int_eq(take_any(d), i);
	}
	ck_assert_int_eq(take_any(d), -1);
	defer_free(d);
}
END_TEST

START_TEST(what_still_waits_is_freed)
{
	struct defer *d = defer_new();

	hold(d, 1, 10);
	hold(d, 2, 10);
	ck_assert_int_eq(take(d, 10), 1);
	defer_free(d);
	defer_free(NULL);
}
END_TEST

CHECK_SUITE("defer", a_thread_takes_its_own_samples_in_order, the_end_takes_all_in_order_of_arrival,
	    what_still_waits_is_freed)
