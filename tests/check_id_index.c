#include "events/id_index.h"

#include "events/perf_abi.h"
#include "tests/check_run.h"
#include "tests/mkperf.h"

static const struct mkbytes orders[] = { { .big_endian = false }, { .big_endian = true } };

/* Ids 1, 2 ... @count, of which the later half is of guest 500; without guests as old perfs write it. */
static struct mkbytes make_record(bool big_endian, uint64_t count, bool guests)
{
	struct mkbytes b = { .big_endian = big_endian };

	mkbytes_u32(&b, RECORD_ID_INDEX);
	mkbytes_u16(&b, 0);
	mkbytes_u16(&b, (uint16_t)(16 + count * (guests ? 48 : 32)));
	mkbytes_u64(&b, count);
	for (uint64_t i = 1; i <= count; i++) {
		mkbytes_u64(&b, i);
		mkbytes_u64(&b, 0);
		mkbytes_u64(&b, 7);
		mkbytes_u64(&b, (uint64_t)-1);
	}
	for (uint64_t i = 1; guests && i <= count; i++) {
		mkbytes_u64(&b, i > count / 2 ? 500 : 0);
		mkbytes_u64(&b, i);
	}
	return b;
}

static const char *add(struct id_index *index, const struct mkbytes *b, size_t size)
{
	struct raw_record raw = { .type = RECORD_ID_INDEX, .data = b->bytes.at, .size = (uint32_t)size };

	return id_index_add(index, &raw, b->big_endian);
}

START_TEST(ids_of_guests_are_told_from_the_hosts)
{
	struct mkbytes b = make_record(orders[_i].big_endian, 4, true);
	struct id_index *index = id_index_new();

	ck_assert(!id_index_has_guests(index));
	ck_assert_ptr_null(add(index, &b, b.bytes.count));
	ck_assert(id_index_has_guests(index));
	ck_assert_int_eq(id_index_guest(index, 2).machine_pid, 0);
	ck_assert_int_eq(id_index_guest(index, 3).machine_pid, 500);
	ck_assert_int_eq(id_index_guest(index, 4).vcpu, 4);
	ck_assert_int_eq(id_index_guest(index, 5).machine_pid, 0);
	id_index_free(index);
	mkbytes_free(&b);
}
END_TEST

START_TEST(without_guests_there_are_none)
{
	struct mkbytes b = make_record(orders[_i].big_endian, 4, false);
	struct id_index *index = id_index_new();

	ck_assert_ptr_null(add(index, &b, b.bytes.count));
	ck_assert(!id_index_has_guests(index));
	id_index_free(index);
	mkbytes_free(&b);
}
END_TEST

START_TEST(a_record_may_end_anywhere)
{
	struct mkbytes b = make_record(orders[_i].big_endian, 3, true);

	for (size_t size = 8; size < b.bytes.count; size++) {
		struct id_index *index = id_index_new();
		const char *why = add(index, &b, size);
		ck_assert_int_eq(why != NULL, size < 16 + 3 * 32);
		ck_assert(!id_index_has_guests(index));
		id_index_free(index);
	}
	mkbytes_free(&b);
}
END_TEST

START_TEST(a_count_that_is_no_count)
{
	struct mkbytes b = { .big_endian = orders[_i].big_endian };
	struct id_index *index = id_index_new();

	mkbytes_zeros(&b, 8);
	mkbytes_u64(&b, UINT64_MAX / 32 + 2);
	mkbytes_zeros(&b, 64);
	ck_assert_str_eq(add(index, &b, b.bytes.count), "more ids than bytes");
	id_index_free(index);
	id_index_free(NULL);
	mkbytes_free(&b);
}
END_TEST

#define BOTH_ORDERS(test) tcase_add_loop_test(tcase, test, 0, 2)
int main(void)
{
	Suite *suite = suite_create("id_index");
	TCase *tcase = tcase_create("id_index");

	BOTH_ORDERS(ids_of_guests_are_told_from_the_hosts);
	BOTH_ORDERS(without_guests_there_are_none);
	BOTH_ORDERS(a_record_may_end_anywhere);
	BOTH_ORDERS(a_count_that_is_no_count);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
