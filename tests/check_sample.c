#include "events/sample.h"

#include "events/perf_abi.h"
#include "tests/bytes.h"
#include "tests/check_run.h"

static struct sample_decoder decoder;
static struct sample decoded;
static struct bytes b;
static struct evlist *evlist;

/* The first event of a list of two with the same attr; the second one is there to lead. */
static struct event *event_with(const struct attr *attr, bool big_endian)
{
	evlist_free(evlist);
	evlist = evlist_new(big_endian);
	struct event *event = evlist_add(evlist, attr, NULL, 0, NULL);
	evlist_add(evlist, attr, NULL, 0, NULL);
	evlist_finish(evlist);
	return event;
}

static struct event *event_of(uint64_t sample_type, bool big_endian)
{
	return event_with(&(struct attr){ .size = 144, .sample_type = sample_type, .sample_period = 4000 },
			  big_endian);
}

static void start_sample(bool big_endian)
{
	bytes_start(&b, big_endian);
	put_header(&b, RECORD_SAMPLE, CPUMODE_USER | 1 << 14);
}

static const char *decode(const struct event *event, struct sample *ret)
{
	struct raw_record raw = raw_of(&b, RECORD_SAMPLE, CPUMODE_USER | 1 << 14);

	const char *why = sample_decode(&decoder, event, &raw, b.big_endian, &decoded);
	*ret = decoded;
	return why;
}

static void expect_good(const struct event *event, struct sample *ret)
{
	ck_assert_ptr_null(decode(event, ret));
}

static void expect_bad(const struct event *event)
{
	struct sample sample;

	ck_assert_ptr_nonnull(decode(event, &sample));
}

START_TEST(what_is_not_recorded_has_its_default)
{
	EACH_ORDER(big_endian)
	{
		struct sample s;
		start_sample(big_endian);
		expect_good(event_of(0, big_endian), &s);
		ck_assert_uint_eq(s.misc, CPUMODE_USER | 1 << 14);
		ck_assert_uint_eq(s.cpumode, CPUMODE_USER);
		ck_assert_int_eq(s.pid, -1);
		ck_assert_int_eq(s.tid, -1);
		ck_assert_int_eq(s.cpu, -1);
		ck_assert_uint_eq(s.ip, 0);
		ck_assert_uint_eq(s.time, UINT64_MAX);
		ck_assert_uint_eq(s.id, UINT64_MAX);
		ck_assert_uint_eq(s.stream_id, UINT64_MAX);
		ck_assert_uint_eq(s.period, 4000);
		ck_assert_uint_eq(s.data_src, 0x1e05080021);
		ck_assert_uint_eq(s.weight, 0);
		ck_assert_uint_eq(s.nr_read, 0);
		ck_assert_ptr_null(s.chain);
		ck_assert_ptr_null(s.raw);
		ck_assert_ptr_null(s.branches);
		ck_assert_uint_eq(s.branch_hw_idx, UINT64_MAX);
		ck_assert_uint_eq(s.user_regs.abi, 0);
		ck_assert_uint_eq(s.stack_size, 0);
		ck_assert_ptr_null(s.aux);
	}
}
END_TEST

START_TEST(fixed_fields_are_read_in_the_order_of_the_abi)
{
	EACH_ORDER(big_endian)
	{
		struct sample s;
		start_sample(big_endian);
		put_u64(&b, 1000);		 /* IDENTIFIER */
		put_u64(&b, 0x1122334455667788); /* IP */
		put_u32(&b, 77);
		put_u32(&b, (uint32_t)-1);
		put_u64(&b, 123456789);
		put_u64(&b, 0x8877665544332211);
		put_u64(&b, 1000);
		put_u64(&b, 1001);
		put_u32(&b, 5);
		put_u32(&b, 0xdead);
		put_u64(&b, 99);
		expect_good(event_of(SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR |
					     SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_PERIOD,
				     big_endian),
			    &s);
		ck_assert_uint_eq(s.ip, 0x1122334455667788);
		ck_assert_int_eq(s.pid, 77);
		ck_assert_int_eq(s.tid, -1);
		ck_assert_uint_eq(s.time, 123456789);
		ck_assert_uint_eq(s.addr, 0x8877665544332211);
		ck_assert_uint_eq(s.id, 1000);
		ck_assert_uint_eq(s.stream_id, 1001);
		ck_assert_int_eq(s.cpu, 5);
		ck_assert_uint_eq(s.period, 99);
	}
}
END_TEST

START_TEST(a_call_chain_of_this_machines_order_is_not_copied)
{
	EACH_ORDER(big_endian)
	{
		struct sample s;
		struct event *event = event_of(SAMPLE_CALLCHAIN, big_endian);
		start_sample(big_endian);
		put_u64(&b, 2);
		put_u64(&b, CHAIN_USER);
		put_u64(&b, 0x401000);
		expect_good(event, &s);
		ck_assert_uint_eq(s.nr_chain, 2);
		ck_assert_uint_eq(s.chain[0], CHAIN_USER);
		ck_assert_uint_eq(s.chain[1], 0x401000);
		bool native = big_endian == (BYTE_ORDER == BIG_ENDIAN);
		ck_assert_int_eq((const uint8_t *)s.chain == b.at + 16, native);

		/* The same record at an odd address. */
		struct raw_record raw = raw_of(&b, RECORD_SAMPLE, 0);
		memmove(b.at + 1, b.at, b.size);
		raw.data = b.at + 1;
		ck_assert_ptr_null(sample_decode(&decoder, event, &raw, big_endian, &decoded));
		ck_assert_uint_eq(decoded.chain[1], 0x401000);
	}
}
END_TEST

START_TEST(an_empty_call_chain_is_a_call_chain)
{
	struct sample s;

	start_sample(false);
	put_u64(&b, 0);
	expect_good(event_of(SAMPLE_CALLCHAIN, false), &s);
	ck_assert_ptr_nonnull(s.chain);
	ck_assert_uint_eq(s.nr_chain, 0);
}
END_TEST

START_TEST(counts_that_do_not_fit_are_refused)
{
	static const uint64_t counts[] = {
		2, UINT64_MAX, UINT64_MAX / 8 + 1, (uint64_t)1 << 61, UINT64_MAX / 24 + 1, UINT64_MAX - 6
	};
	static const uint32_t types[] = { SAMPLE_CALLCHAIN, SAMPLE_BRANCH_STACK, SAMPLE_AUX,
					  SAMPLE_STACK_USER };

	EACH_ORDER(big_endian)
	{
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			for (size_t k = 0; k < 4; k++) {
				start_sample(big_endian);
				put_u64(&b, types[k] >= SAMPLE_STACK_USER ? counts[i] | 8 : counts[i]);
				put_u64(&b, 1);
				if (types[k] != SAMPLE_AUX || counts[i] > 8)
					expect_bad(event_of(types[k], big_endian));
			}
		}
	}
}
END_TEST

START_TEST(raw_data_stays_in_the_recordings_order)
{
	EACH_ORDER(big_endian)
	{
		struct sample s;
		struct event *event = event_of(SAMPLE_RAW | SAMPLE_WEIGHT, big_endian);
		start_sample(big_endian);
		put_u32(&b, 12);
		put_bytes(&b, "abcdefghijkl", 12);
		put_u64(&b, 9);
		expect_good(event, &s);
		ck_assert_uint_eq(s.raw_size, 12);
		ck_assert_ptr_eq(s.raw, b.at + 12);
		ck_assert_mem_eq(s.raw, "abcdefghijkl", 12);
		ck_assert_uint_eq(s.weight, 9);
		start_sample(big_endian);
		put_u32(&b, UINT32_MAX);
		put_u32(&b, 0);
		expect_bad(event);
	}
}
END_TEST

START_TEST(read_values_are_found_whatever_the_format)
{
	EACH_ORDER(big_endian)
	{
		for (unsigned format = 0; format < 32; format++) {
			struct attr attr = { .sample_type = SAMPLE_READ | SAMPLE_DATA_SRC,
					     .read_format = format };
			struct event *event = event_with(&attr, big_endian);
			unsigned nr = format & READ_GROUP ? 3 : 1;
			struct sample s;
			start_sample(big_endian);
			put_u64(&b, format & READ_GROUP ? 3 : 100);
			if (format & READ_TOTAL_TIME_ENABLED)
				put_u64(&b, 7000);
			if (format & READ_TOTAL_TIME_RUNNING)
				put_u64(&b, 6000);
			for (unsigned i = 0; i < nr; i++) {
				if (format & READ_GROUP)
					put_u64(&b, 100 + i);
				if (format & READ_ID)
					put_u64(&b, 200 + i);
				if (format & READ_LOST)
					put_u64(&b, 300 + i);
			}
			put_u64(&b, 0x42);
			expect_good(event, &s);
			ck_assert_uint_eq(s.nr_read, nr);
			ck_assert_uint_eq(s.time_enabled, format & READ_TOTAL_TIME_ENABLED ? 7000 : 0);
			ck_assert_uint_eq(s.time_running, format & READ_TOTAL_TIME_RUNNING ? 6000 : 0);
			for (unsigned i = 0; i < nr; i++) {
				struct read_value v = sample_read_value(&s, event, i);
				ck_assert_uint_eq(v.value, 100 + i);
				ck_assert_uint_eq(v.id, format & READ_ID ? 200 + i : UINT64_MAX);
				ck_assert_uint_eq(v.lost, format & READ_LOST ? 300 + i : 0);
			}
			ck_assert_uint_eq(s.data_src, 0x42);
		}
	}
}
END_TEST

static void put_two_branches(uint64_t flags)
{
	for (uint64_t i = 0; i < 2; i++) {
		put_u64(&b, 0x1000 + i);
		put_u64(&b, 0x2000 + i);
		put_u64(&b, flags);
	}
}

START_TEST(branch_flags_have_the_same_numbers_in_both_orders)
{
	/* mispred 1, cycles 0x8001, type 5, spec 2, new_type 9, priv 3, not_taken 1 */
	const uint64_t little = 1 | 0x8001 << 4 | 5 << 20 | 2 << 24 | (uint64_t)9 << 26 | (uint64_t)3 << 30 |
				(uint64_t)1 << 33;
	/* the same fields, each that far from the top */
	const uint64_t big = (uint64_t)1 << 63 | (uint64_t)0x8001 << 44 | (uint64_t)5 << 40 |
			     (uint64_t)2 << 38 | (uint64_t)9 << 34 | (uint64_t)3 << 31 | (uint64_t)1 << 30;

	EACH_ORDER(big_endian)
	{
		struct sample s;
		start_sample(big_endian);
		put_u64(&b, 2);
		put_two_branches(big_endian ? big : little);
		expect_good(event_of(SAMPLE_BRANCH_STACK, big_endian), &s);
		ck_assert_uint_eq(s.nr_branches, 2);
		ck_assert_uint_eq(s.branches[1].from, 0x1001);
		ck_assert_uint_eq(s.branches[1].to, 0x2001);
		ck_assert_uint_eq(s.branches[1].flags, little);
		ck_assert_uint_eq(s.branch_hw_idx, UINT64_MAX);
		ck_assert_ptr_null(s.branch_counters);
	}
}
END_TEST

START_TEST(branch_index_is_of_the_event_and_counters_are_of_its_leader)
{
	struct attr attr = { .sample_type = SAMPLE_BRANCH_STACK | SAMPLE_WEIGHT,
			     .branch_sample_type = BRANCH_HW_INDEX };

	EACH_ORDER(big_endian)
	{
		struct event *event = event_with(&attr, big_endian);
		struct sample s;
		start_sample(big_endian);
		put_u64(&b, 2);
		put_u64(&b, 31);
		put_two_branches(0);
		put_u64(&b, 501);
		put_u64(&b, 502);
		put_u64(&b, 9);
		expect_good(event, &s);
		ck_assert_uint_eq(s.branch_hw_idx, 31);
		ck_assert_ptr_null(s.branch_counters);
		ck_assert_uint_eq(s.weight, 501);
		event->leader = evlist->events.at[1];
		event->leader->attr.branch_sample_type |= BRANCH_COUNTERS;
		expect_good(event, &s);
		ck_assert_uint_eq(s.branch_counters[1], 502);
		ck_assert_uint_eq(s.weight, 9);
	}
}
END_TEST

START_TEST(a_kernel_without_branches_writes_a_lone_0)
{
	struct attr attr = { .sample_type = SAMPLE_BRANCH_STACK, .branch_sample_type = BRANCH_HW_INDEX };
	struct sample s;

	start_sample(false);
	put_u64(&b, 0);
	expect_good(event_with(&attr, false), &s);
	ck_assert_ptr_nonnull(s.branches);
	ck_assert_uint_eq(s.nr_branches, 0);
	ck_assert_uint_eq(s.branch_hw_idx, UINT64_MAX);
}
END_TEST

START_TEST(registers_and_stack_are_read_by_the_mask_and_the_size)
{
	struct attr attr = {
		.sample_type = SAMPLE_REGS_USER | SAMPLE_STACK_USER | SAMPLE_REGS_INTR,
		.sample_regs_user = (uint64_t)1 << 63 | 0x101,
		.sample_regs_intr = 2,
	};

	EACH_ORDER(big_endian)
	{
		struct sample s;
		struct event *event = event_with(&attr, big_endian);
		start_sample(big_endian);
		put_u64(&b, 2);
		put_u64(&b, 10);
		put_u64(&b, 11);
		put_u64(&b, 12);
		put_u64(&b, 16);
		put_bytes(&b, "0123456789abcdef", 16);
		put_u64(&b, 8);
		put_u64(&b, 1);
		put_u64(&b, 13);
		expect_good(event, &s);
		ck_assert_uint_eq(s.user_regs.abi, 2);
		ck_assert_uint_eq(s.user_regs.mask, attr.sample_regs_user);
		ck_assert_uint_eq(s.user_regs.values[0], 10);
		ck_assert_uint_eq(s.user_regs.values[2], 12);
		ck_assert_uint_eq(s.stack_size, 8);
		ck_assert_mem_eq(s.stack, "01234567", 8);
		ck_assert_uint_eq(s.intr_regs.abi, 1);
		ck_assert_uint_eq(s.intr_regs.values[0], 13);

		/* A kernel thread has neither. */
		start_sample(big_endian);
		put_u64(&b, 0);
		put_u64(&b, 0);
		put_u64(&b, 0);
		expect_good(event, &s);
		ck_assert_uint_eq(s.user_regs.abi, 0);
		ck_assert_uint_eq(s.user_regs.mask, 0);
		ck_assert_uint_eq(s.stack_size, 0);
	}
}
END_TEST

START_TEST(more_stack_than_was_reserved_is_refused)
{
	EACH_ORDER(big_endian)
	{
		struct sample s;
		struct event *event = event_of(SAMPLE_STACK_USER, big_endian);
		start_sample(big_endian);
		put_u64(&b, 8);
		put_u64(&b, 0);
		put_u64(&b, 9);
		expect_bad(event);
		b.size -= 8;
		put_u64(&b, 8);
		expect_good(event, &s);
		ck_assert_uint_eq(s.stack_size, 8);
	}
}
END_TEST

START_TEST(a_weight_is_one_number_or_three)
{
	EACH_ORDER(big_endian)
	{
		struct sample s;
		start_sample(big_endian);
		put_u64(&b, 0x0003000200000001);
		expect_good(event_of(SAMPLE_WEIGHT, big_endian), &s);
		ck_assert_uint_eq(s.weight, 0x0003000200000001);
		ck_assert_uint_eq(s.ins_lat, 0);
		ck_assert_uint_eq(s.retire_lat, 0);
		expect_good(event_of(SAMPLE_WEIGHT_STRUCT, big_endian), &s);
		ck_assert_uint_eq(s.weight, 1);
		ck_assert_uint_eq(s.ins_lat, 2);
		ck_assert_uint_eq(s.retire_lat, 3);
	}
}
END_TEST

/* A sample with every field, and its event. */
static struct event *whole_sample(bool big_endian)
{
	struct attr attr = {
		.sample_type = 0x1ffffff & ~SAMPLE_WEIGHT_STRUCT,
		.read_format = READ_GROUP | READ_ID,
		.branch_sample_type = BRANCH_HW_INDEX | BRANCH_COUNTERS,
		.sample_regs_user = 3,
		.sample_regs_intr = 1,
	};
	struct event *event = event_with(&attr, big_endian);

	start_sample(big_endian);
	for (int i = 0; i < 9; i++)
		put_u64(&b, 0x100000001); /* IDENTIFIER to PERIOD */
	put_u64(&b, 1);
	put_u64(&b, 21);
	put_u64(&b, 22);
	put_u64(&b, 1);
	put_u64(&b, 0x401000);
	put_u32(&b, 4);
	put_bytes(&b, "abcd", 4);
	put_u64(&b, 2);
	put_u64(&b, 3);
	put_two_branches(0);
	put_u64(&b, 1);
	put_u64(&b, 2);
	put_u64(&b, 2);
	put_u64(&b, 31);
	put_u64(&b, 32);
	put_u64(&b, 8);
	put_u64(&b, 0);
	put_u64(&b, 8);
	put_u64(&b, 41); /* WEIGHT */
	put_u64(&b, 42);
	put_u64(&b, 43);
	put_u64(&b, 2);
	put_u64(&b, 44); /* REGS_INTR */
	put_u64(&b, 45);
	put_u64(&b, 46);
	put_u64(&b, 47);
	put_u64(&b, 48);
	put_u64(&b, 5);
	put_bytes(&b, "AUXes\0\0\0", 8);
	return event;
}

START_TEST(all_fields_together_are_found)
{
	EACH_ORDER(big_endian)
	{
		struct sample s;
		expect_good(whole_sample(big_endian), &s);
		ck_assert_uint_eq(s.chain[0], 0x401000);
		ck_assert_mem_eq(s.raw, "abcd", 4);
		ck_assert_uint_eq(s.branch_hw_idx, 3);
		ck_assert_uint_eq(s.user_regs.values[1], 32);
		ck_assert_uint_eq(s.weight, 41);
		ck_assert_uint_eq(s.data_src, 42);
		ck_assert_uint_eq(s.transaction, 43);
		ck_assert_uint_eq(s.intr_regs.values[0], 44);
		ck_assert_uint_eq(s.phys_addr, 45);
		ck_assert_uint_eq(s.cgroup, 46);
		ck_assert_uint_eq(s.data_page_size, 47);
		ck_assert_uint_eq(s.code_page_size, 48);
		ck_assert_uint_eq(s.aux_size, 5);
		ck_assert_mem_eq(s.aux, "AUXes", 5);
	}
}
END_TEST

static void start_fixed_sample(uint64_t ip, bool big_endian)
{
	start_sample(big_endian);
	put_u64(&b, ip);
	put_u64(&b, 77);
}

/* It is decoded into the same place all the time. */
START_TEST(nothing_is_left_of_the_sample_before)
{
	EACH_ORDER(big_endian)
	{
		struct event *whole = whole_sample(big_endian);
		ck_assert_ptr_null(decode(whole, &(struct sample){ 0 }));
		for (unsigned i = 0; i < 3; i++) {
			struct sample s;
			uint64_t last = i < 2 ? SAMPLE_PERIOD : SAMPLE_TIME;
			start_fixed_sample(0x1000 + i, big_endian);
			expect_good(event_of(SAMPLE_IP | last, big_endian), &s);
			ck_assert_uint_eq(s.ip, 0x1000 + i);
			ck_assert_uint_eq(s.period, i < 2 ? 77 : 4000);
			ck_assert_uint_eq(s.time, i < 2 ? UINT64_MAX : 77);
			ck_assert_int_eq(s.pid, -1);
			ck_assert_int_eq(s.cpu, -1);
			ck_assert_uint_eq(s.addr, 0);
			ck_assert_uint_eq(s.nr_read, 0);
			ck_assert_uint_eq(s.nr_chain, 0);
			ck_assert_uint_eq(s.nr_branches, 0);
			ck_assert_uint_eq(s.user_regs.abi, 0);
			ck_assert_uint_eq(s.stack_size, 0);
			ck_assert_uint_eq(s.cgroup, 0);
		}
	}
}
END_TEST

START_TEST(every_cut_sample_is_refused)
{
	EACH_ORDER(big_endian)
	{
		struct event *event = whole_sample(big_endian);
		struct raw_record raw = raw_of(&b, RECORD_SAMPLE, 0);
		for (uint16_t size = RECORD_HEADER_SIZE; size < raw.size; size++) {
			uint8_t *block;
			struct raw_record part = cut_record(&raw, size, &block);
			ck_assert_ptr_nonnull(sample_decode(&decoder, event, &part, big_endian, &decoded));
			free(block);
		}
	}
}
END_TEST

START_TEST(the_largest_record_fits_the_decoder)
{
	struct sample s;

	start_sample(true);
	put_u64(&b, (RECORD_MAX_SIZE - 16) / 24);
	while (b.size + 8 <= RECORD_MAX_SIZE)
		put_u64(&b, b.size);
	expect_good(event_of(SAMPLE_BRANCH_STACK, true), &s);
	ck_assert_uint_eq(s.nr_branches, 2729);
	ck_assert_uint_eq(s.branches[2728].from, 16 + 2728 * 24);
}
END_TEST

START_TEST(any_bytes_are_safe)
{
	struct event *event = whole_sample(false);
	uint32_t random = 1;

	for (int round = 0; round < 20000; round++) {
		b.size = whole_sample(round & 1) ? b.size : 0;
		event = evlist->events.at[0];
		for (int i = 0; i < 3; i++) {
			random = random * 1664525 + 1013904223;
			b.at[8 + (random >> 8) % (b.size - 8)] = (uint8_t)(random >> 24);
		}
		struct raw_record raw = raw_of(&b, RECORD_SAMPLE, 0);
		uint8_t *block;
		struct raw_record exact = cut_record(&raw, raw.size, &block);
		if (!sample_decode(&decoder, event, &exact, round & 1, &decoded)) {
			struct sample s = decoded;
			uint64_t sum = 0;
			for (uint64_t i = 0; i < s.nr_chain; i++)
				sum += s.chain[i];
			for (uint64_t i = 0; i < s.nr_branches; i++)
				sum += s.branches[i].flags + s.branch_counters[i];
			for (uint64_t i = 0; i < s.nr_read; i++)
				sum += sample_read_value(&s, event, i).id;
			for (uint64_t i = 0; i < s.stack_size; i++)
				sum += s.stack[i];
			for (uint64_t i = 0; i < s.aux_size; i++)
				sum += s.aux[i];
			for (uint64_t i = 0; i < s.raw_size; i++)
				sum += s.raw[i];
			__asm__ volatile("" : : "r"(sum));
		}
		free(block);
	}
	evlist_free(evlist);
	evlist = NULL;
}
END_TEST

CHECK_SUITE("sample", what_is_not_recorded_has_its_default, fixed_fields_are_read_in_the_order_of_the_abi,
	    a_call_chain_of_this_machines_order_is_not_copied, an_empty_call_chain_is_a_call_chain,
	    counts_that_do_not_fit_are_refused, raw_data_stays_in_the_recordings_order,
	    read_values_are_found_whatever_the_format, branch_flags_have_the_same_numbers_in_both_orders,
	    branch_index_is_of_the_event_and_counters_are_of_its_leader,
	    a_kernel_without_branches_writes_a_lone_0, registers_and_stack_are_read_by_the_mask_and_the_size,
	    more_stack_than_was_reserved_is_refused, a_weight_is_one_number_or_three,
	    all_fields_together_are_found, nothing_is_left_of_the_sample_before, every_cut_sample_is_refused,
	    the_largest_record_fits_the_decoder, any_bytes_are_safe)
