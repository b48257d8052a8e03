#include "events/attr.h"

#include "events/perf_abi.h"
#include "tests/bytes.h"
#include "tests/check_run.h"

/* An attr of @size bytes (at most 160) that says it has @says; every field has a value of its own. */
static struct bytes *make(bool big_endian, uint32_t says, size_t size, uint64_t flag_word)
{
	static struct bytes b;

	bytes_start(&b, big_endian);
	put_u32(&b, 1);
	put_u32(&b, says);
	put_u64(&b, 0x0102030405060708);
	put_u64(&b, 4000);
	put_u64(&b, 0x1000123);
	put_u64(&b, 0x1c);
	put_u64(&b, flag_word);
	put_u32(&b, 11);
	put_u32(&b, 12);
	put_u64(&b, 13);
	put_u64(&b, 14); /* 72 */
	put_u64(&b, 15); /* 80 */
	put_u64(&b, 16);
	put_u32(&b, 17);
	put_u32(&b, (uint32_t)-3); /* 96 */
	put_u64(&b, 18);	   /* 104 */
	put_u32(&b, 19);
	put_u16(&b, 20);
	put_u16(&b, 0xffff); /* 112 */
	put_u32(&b, 21);
	put_u32(&b, 22); /* 120 */
	put_u64(&b, 23); /* 128 */
	put_u64(&b, 24); /* 136 */
	put_u64(&b, 25); /* 144 */
	put_u64(&b, UINT64_MAX);
	put_u64(&b, UINT64_MAX);
	b.size = size;
	return &b;
}

START_TEST(every_field_is_read_in_both_byte_orders)
{
	EACH_ORDER(big_endian)
	{
		struct bytes *b = make(big_endian, 144, 144, 0);
		struct attr a;

		ck_assert_uint_eq(attr_size(b->at, b->size, big_endian), 144);
		ck_assert_ptr_null(attr_decode(b->at, b->size, big_endian, &a));
		ck_assert_uint_eq(a.type, 1);
		ck_assert_uint_eq(a.size, 144);
		ck_assert_uint_eq(a.config, 0x0102030405060708);
		ck_assert_uint_eq(a.sample_period, 4000);
		ck_assert_uint_eq(a.sample_type, 0x1000123);
		ck_assert_uint_eq(a.read_format, 0x1c);
		ck_assert_uint_eq(a.flags, 0);
		ck_assert_uint_eq(a.wakeup_events, 11);
		ck_assert_uint_eq(a.bp_type, 12);
		ck_assert_uint_eq(a.bp_addr, 13);
		ck_assert_uint_eq(a.bp_len, 14);
		ck_assert_uint_eq(a.branch_sample_type, 15);
		ck_assert_uint_eq(a.sample_regs_user, 16);
		ck_assert_uint_eq(a.sample_stack_user, 17);
		ck_assert_int_eq(a.clockid, -3);
		ck_assert_uint_eq(a.sample_regs_intr, 18);
		ck_assert_uint_eq(a.aux_watermark, 19);
		ck_assert_uint_eq(a.sample_max_stack, 20);
		ck_assert_uint_eq(a.aux_sample_size, 21);
		ck_assert_uint_eq(a.aux_action, 22);
		ck_assert_uint_eq(a.sig_data, 23);
		ck_assert_uint_eq(a.config3, 24);
		ck_assert_uint_eq(a.config4, 25);
	}
}
END_TEST

START_TEST(fields_that_an_older_attr_lacks_are_zero)
{
	EACH_ORDER(big_endian)
	{
		/* 160 bytes are there, but only what the attr's own size covers is its own. */
		struct bytes *b = make(big_endian, 96, 160, 0);
		struct attr a;

		ck_assert_ptr_null(attr_decode(b->at, b->size, big_endian, &a));
		ck_assert_uint_eq(a.size, 96);
		ck_assert_int_eq(a.clockid, -3);
		ck_assert_uint_eq(a.sample_regs_intr, 0);
		ck_assert_uint_eq(a.config4, 0);

		b = make(big_endian, 64, 64, 0);
		ck_assert_ptr_null(attr_decode(b->at, b->size, big_endian, &a));
		ck_assert_uint_eq(a.bp_addr, 13);
		ck_assert_uint_eq(a.bp_len, 0);
	}
}
END_TEST

START_TEST(a_size_of_0_means_64)
{
	EACH_ORDER(big_endian)
	{
		struct bytes *b = make(big_endian, 0, 160, 0);
		struct attr a;

		ck_assert_uint_eq(attr_size(b->at, b->size, big_endian), 64);
		ck_assert_ptr_null(attr_decode(b->at, b->size, big_endian, &a));
		ck_assert_uint_eq(a.size, 64);
		ck_assert_uint_eq(a.bp_addr, 13);
		ck_assert_uint_eq(a.bp_len, 0);
		ck_assert_uint_eq(attr_size(b->at, 63, big_endian), 0);
	}
}
END_TEST

START_TEST(a_longer_attr_is_read_up_to_the_known_part)
{
	EACH_ORDER(big_endian)
	{
		struct bytes *b = make(big_endian, 160, 160, 0);
		struct attr a;

		ck_assert_uint_eq(attr_size(b->at, b->size, big_endian), 160);
		ck_assert_ptr_null(attr_decode(b->at, b->size, big_endian, &a));
		ck_assert_uint_eq(a.size, 160);
		ck_assert_uint_eq(a.config4, 25);
	}
}
END_TEST

START_TEST(an_attr_of_less_than_64_bytes_is_refused)
{
	EACH_ORDER(big_endian)
	{
		struct bytes *b = make(big_endian, 63, 160, 0);
		struct attr a = { .type = 99 };

		ck_assert_ptr_nonnull(attr_decode(b->at, b->size, big_endian, &a));
		ck_assert_uint_eq(a.type, 99);
	}
}
END_TEST

START_TEST(flag_n_of_a_big_endian_file_is_bit_63_minus_n)
{
	for (int n = 0; n < 64; n++) {
		if (n == 15 || n == 16)
			continue;
		struct attr a;
		struct bytes *b = make(true, 144, 144, (uint64_t)1 << (63 - n));
		ck_assert_ptr_null(attr_decode(b->at, b->size, true, &a));
		ck_assert_uint_eq(a.flags, (uint64_t)1 << n);
		b = make(false, 144, 144, (uint64_t)1 << n);
		ck_assert_ptr_null(attr_decode(b->at, b->size, false, &a));
		ck_assert_uint_eq(a.flags, (uint64_t)1 << n);
	}
}
END_TEST

START_TEST(precise_ip_keeps_its_value_in_both_byte_orders)
{
	for (unsigned value = 0; value < 4; value++) {
		struct attr a;
		/* 15 flags lie before the field: from the bottom here, from the top there. */
		struct bytes *b = make(true, 144, 144, (uint64_t)value << (64 - 15 - 2));
		ck_assert_ptr_null(attr_decode(b->at, b->size, true, &a));
		ck_assert_uint_eq(attr_precise_ip(&a), value);
		ck_assert_uint_eq(a.flags, (uint64_t)value << 15);
		b = make(false, 144, 144, (uint64_t)value << 15);
		ck_assert_ptr_null(attr_decode(b->at, b->size, false, &a));
		ck_assert_uint_eq(attr_precise_ip(&a), value);
	}
}
END_TEST

START_TEST(every_cut_attr_is_refused)
{
	EACH_ORDER(big_endian)
	{
		struct bytes *b = make(big_endian, 144, 144, 0);

		for (size_t size = 0; size < 144; size++) {
			uint8_t *part = xmemdup(b->at, size);
			struct attr a;
			ck_assert_uint_eq(attr_size(part, size, big_endian), 0);
			ck_assert_ptr_nonnull(attr_decode(part, size, big_endian, &a));
			free(part);
		}
	}
}
END_TEST

CHECK_SUITE("attr", every_field_is_read_in_both_byte_orders, fields_that_an_older_attr_lacks_are_zero,
	    a_size_of_0_means_64, a_longer_attr_is_read_up_to_the_known_part,
	    an_attr_of_less_than_64_bytes_is_refused, flag_n_of_a_big_endian_file_is_bit_63_minus_n,
	    precise_ip_keeps_its_value_in_both_byte_orders, every_cut_attr_is_refused)
