#include "events/evlist.h"

#include "events/perf_abi.h"
#include "tests/bytes.h"
#include "tests/check_run.h"

#define FLAG(n) ((uint64_t)1 << (n))

static struct attr attr_of(uint64_t sample_type, uint64_t flags)
{
	return (struct attr){ .size = 144, .sample_type = sample_type, .flags = flags };
}

/* The name that is made up for an attr. */
static void expect_name(const char *expected, uint32_t type, uint64_t config, uint64_t flags)
{
	struct attr attr = {
		.type = type, .config = config, .flags = flags, .bp_addr = 0xabc0, .bp_type = 3
	};
	struct evlist *evlist = evlist_new(false);
	struct event *event = evlist_add(evlist, &attr, NULL, 0, NULL);

	evlist_finish(evlist);
	ck_assert_str_eq(event->name, expected);
	ck_assert(!event->name_recorded);
	ck_assert_int_eq(evlist->name_width, (int)strlen(expected));
	evlist_free(evlist);
}

START_TEST(hardware_and_software_names_are_made_up_by_number)
{
	static const char *const hardware[] = { "cycles",
						"instructions",
						"cache-references",
						"cache-misses",
						"branches",
						"branch-misses",
						"bus-cycles",
						"stalled-cycles-frontend",
						"stalled-cycles-backend",
						"ref-cycles",
						"unknown-hardware" };
	static const char *const software[] = {
		"cpu-clock",	    "task-clock",   "page-faults",	"context-switches",
		"cpu-migrations",   "minor-faults", "major-faults",	"alignment-faults",
		"emulation-faults", "dummy",	    "unknown-software", "unknown-software"
	};

	for (unsigned i = 0; i < 11; i++)
		expect_name(hardware[i], ATTR_HARDWARE, i, 0);
	for (unsigned i = 0; i < 12; i++)
		expect_name(software[i], ATTR_SOFTWARE, i, 0);
	expect_name("cpu/cycles/", ATTR_HARDWARE, (uint64_t)4 << 32, 0);
	expect_name("cpu/unknown-hardware/:u", ATTR_HARDWARE, (uint64_t)4 << 32 | 99,
		    FLAG(ATTR_EXCLUDE_KERNEL) | FLAG(ATTR_EXCLUDE_HV));
	expect_name("unknown-software", ATTR_SOFTWARE, UINT64_MAX, 0);
}
END_TEST

START_TEST(cache_names_are_put_together_from_three_bytes)
{
	expect_name("L1-dcache-loads", ATTR_HW_CACHE, 0x000000, 0);
	expect_name("L1-dcache-load-misses", ATTR_HW_CACHE, 0x010000, 0);
	expect_name("LLC-stores", ATTR_HW_CACHE, 0x000102, 0);
	expect_name("dTLB-store-misses", ATTR_HW_CACHE, 0x010103, 0);
	expect_name("node-prefetch-misses", ATTR_HW_CACHE, 0x010206, 0);
	expect_name("L1-icache-prefetches", ATTR_HW_CACHE, 0x000201, 0);
	expect_name("branch-loads:k", ATTR_HW_CACHE, 0x000005,
		    FLAG(ATTR_EXCLUDE_USER) | FLAG(ATTR_EXCLUDE_HV));
	expect_name("invalid-cache", ATTR_HW_CACHE, 0x000101, 0);
	expect_name("invalid-cache", ATTR_HW_CACHE, 0x000104, 0);
	expect_name("invalid-cache", ATTR_HW_CACHE, 0x010205, 0);
	expect_name("unknown-ext-hardware-cache-type", ATTR_HW_CACHE, 0x000007, 0);
	expect_name("unknown-ext-hardware-cache-op", ATTR_HW_CACHE, 0x000300, 0);
	expect_name("unknown-ext-hardware-cache-result", ATTR_HW_CACHE, 0x020000, 0);
}
END_TEST

START_TEST(other_names_are_made_up_from_their_numbers)
{
	expect_name("raw 0x1c2", ATTR_RAW, 0x1c2, 0);
	expect_name("raw 0x1c2:u", ATTR_RAW, 0x1c2, FLAG(ATTR_EXCLUDE_KERNEL) | FLAG(ATTR_EXCLUDE_HV));
	expect_name("mem:0xabc0:rw", ATTR_BREAKPOINT, 0, 0);
	expect_name("mem:0xabc0:rw:u", ATTR_BREAKPOINT, 0, FLAG(ATTR_EXCLUDE_KERNEL) | FLAG(ATTR_EXCLUDE_HV));
	expect_name("unknown tracepoint id=0x13b", ATTR_TRACEPOINT, 315, FLAG(ATTR_EXCLUDE_KERNEL));
	expect_name("unknown event PMU=8 config=0x400", 8, 0x400, FLAG(ATTR_EXCLUDE_KERNEL));
	expect_name("unknown event PMU=-1 config=0x0", UINT32_MAX, 0, 0);
}
END_TEST

START_TEST(modifiers_follow_one_colon)
{
	const uint64_t kernel = FLAG(ATTR_EXCLUDE_KERNEL), user = FLAG(ATTR_EXCLUDE_USER),
		       hv = FLAG(ATTR_EXCLUDE_HV), host = FLAG(ATTR_EXCLUDE_HOST),
		       guest = FLAG(ATTR_EXCLUDE_GUEST);

	expect_name("cycles:H", 0, 0, guest);
	expect_name("cycles:G", 0, 0, host);
	expect_name("cycles", 0, 0, host | guest);
	expect_name("cycles:uppH", 0, 0, kernel | hv | guest | (uint64_t)2 << ATTR_PRECISE_IP);
	expect_name("cycles:ppp", 0, 0, (uint64_t)3 << ATTR_PRECISE_IP);
	expect_name("cycles:ku", 0, 0, hv);
	expect_name("cycles:kh", 0, 0, user);
	expect_name("cycles", 0, 0, kernel | user | hv);
	expect_name("cycles:p", 0, 0, kernel | user | hv | (uint64_t)1 << ATTR_PRECISE_IP);
}
END_TEST

START_TEST(a_recorded_name_wins_and_widens_the_column)
{
	struct attr attr = attr_of(SAMPLE_IP, 0);
	struct evlist *evlist = evlist_new(false);

	struct event *first = evlist_add(evlist, &attr, NULL, 0, "mine");
	struct event *second = evlist_add(evlist, &attr, NULL, 0, NULL);
	evlist_finish(evlist);
	ck_assert_str_eq(first->name, "mine");
	ck_assert(first->name_recorded);
	ck_assert_str_eq(second->name, "cycles");
	ck_assert_int_eq(evlist->name_width, 6);
	event_set_name(second, "sched:sched_switch");
	evlist_finish(evlist);
	ck_assert_str_eq(second->name, "sched:sched_switch");
	ck_assert(second->name_recorded);
	ck_assert_int_eq(evlist->name_width, 18);
	ck_assert_ptr_eq(second->leader, second);
	ck_assert_uint_eq(second->index, 1);
	evlist_free(evlist);
}
END_TEST

START_TEST(the_layout_follows_from_the_sample_type)
{
	const uint64_t all = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR |
			     SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_PERIOD | SAMPLE_CALLCHAIN;
	struct attr attrs[] = {
		attr_of(all, FLAG(ATTR_SAMPLE_ID_ALL)),
		attr_of(SAMPLE_TIME, FLAG(ATTR_SAMPLE_ID_ALL)),
		attr_of(SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME, 0),
		attr_of(SAMPLE_IP | SAMPLE_CPU, FLAG(ATTR_SAMPLE_ID_ALL)),
	};
	static const struct {
		int fixed, sample_time, trailer_time, trailer_size;
	} expected[] = { { 72, 32, 40, 48 }, { 8, 8, 8, 8 }, { 24, 24, -1, 0 }, { 16, -1, -1, 8 } };

	struct evlist *evlist = evlist_new(false);
	for (size_t i = 0; i < 4; i++)
		evlist_add(evlist, &attrs[i], NULL, 0, NULL);
	evlist_finish(evlist);
	for (size_t i = 0; i < 4; i++) {
		struct event *event = evlist->events.at[i];
		ck_assert_int_eq(event->sample_fixed, expected[i].fixed);
		ck_assert_int_eq(event->sample_time, expected[i].sample_time);
		ck_assert_int_eq(event->trailer_time, expected[i].trailer_time);
		ck_assert_int_eq(event->trailer_size, expected[i].trailer_size);
	}
	ck_assert_int_eq(evlist->sample_id, 8);
	ck_assert_int_eq(evlist->trailer_id, 8);
	evlist_free(evlist);
}
END_TEST

/* Two events with the ids 0x1122 and 0x3344. */
static struct evlist *two_events(bool big_endian, uint64_t sample_type, uint64_t flags)
{
	struct attr attr = attr_of(sample_type, flags);
	struct evlist *evlist = evlist_new(big_endian);

	evlist_add(evlist, &attr, (uint64_t[]){ 0x1122 }, 1, "first");
	evlist_add(evlist, &attr, (uint64_t[]){ 0x3344 }, 1, "second");
	evlist_finish(evlist);
	return evlist;
}

/* A record of words 100, 101, ... but for @id, the @place-th. */
static struct raw_record words_record(struct bytes *b, bool big_endian, uint32_t type, int nr, int place,
				      uint64_t id)
{
	bytes_start(b, big_endian);
	put_header(b, type, 0);
	for (int i = 0; i < nr; i++)
		put_u64(b, i == place ? id : 100 + (uint64_t)i);
	return raw_of(b, type, 0);
}

static void expect_event(struct evlist *evlist, uint32_t type, int nr, int place, uint64_t id,
			 int expected)
{
	static struct bytes b;
	struct raw_record raw = words_record(&b, evlist->big_endian, type, nr, place, id);
	struct event *event = evlist_of(evlist, &raw);

	ck_assert_int_eq(event ? (int)event->index : -1, expected);
}

START_TEST(a_sample_belongs_to_the_event_that_has_its_id)
{
	EACH_ORDER(big_endian)
	{
		struct evlist *evlist = two_events(
			big_endian,
			SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR | SAMPLE_ID | SAMPLE_CPU, 0);
		expect_event(evlist, RECORD_SAMPLE, 6, 4, 0x3344, 1);
		expect_event(evlist, RECORD_SAMPLE, 6, 4, 0x1122, 0);
		expect_event(evlist, RECORD_SAMPLE, 6, 4, 0, 0);
		expect_event(evlist, RECORD_SAMPLE, 6, 4, 0x5566, -1);
		expect_event(evlist, RECORD_SAMPLE, 5, 4, 0x3344, 1);
		expect_event(evlist, RECORD_SAMPLE, 4, -1, 0, -1);
		evlist_free(evlist);
		evlist = two_events(big_endian, SAMPLE_IDENTIFIER | SAMPLE_IP, 0);
		expect_event(evlist, RECORD_SAMPLE, 2, 0, 0x3344, 1);
		evlist_free(evlist);
	}
}
END_TEST

START_TEST(other_records_have_the_id_in_their_trailer)
{
	EACH_ORDER(big_endian)
	{
		const uint64_t type = SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU;
		struct evlist *evlist = two_events(big_endian, type, FLAG(ATTR_SAMPLE_ID_ALL));
		expect_event(evlist, RECORD_COMM, 8, 8 - 3, 0x3344, 1);
		expect_event(evlist, RECORD_COMM, 8, 8 - 3, 0, 0);
		expect_event(evlist, RECORD_COMM, 8, 8 - 3, 0x5566, -1);
		expect_event(evlist, RECORD_COMM, 3, 0, 0x3344, 1);
		expect_event(evlist, RECORD_COMM, 2, -1, 0, -1);
		evlist_free(evlist);
		evlist = two_events(big_endian, type | SAMPLE_IDENTIFIER, FLAG(ATTR_SAMPLE_ID_ALL));
		expect_event(evlist, RECORD_COMM, 8, 7, 0x3344, 1);
		evlist_free(evlist);
		evlist = two_events(big_endian, type, 0);
		expect_event(evlist, RECORD_COMM, 8, 5, 0x3344, 0);
		evlist_free(evlist);
	}
}
END_TEST

START_TEST(a_lone_event_owns_everything)
{
	struct attr attr = attr_of(SAMPLE_IDENTIFIER, FLAG(ATTR_SAMPLE_ID_ALL));
	struct evlist *evlist = evlist_new(false);

	expect_event(evlist, RECORD_SAMPLE, 2, 0, 7, -1);
	evlist_add(evlist, &attr, NULL, 0, NULL);
	evlist_finish(evlist);
	expect_event(evlist, RECORD_SAMPLE, 2, 0, 7, 0);
	expect_event(evlist, RECORD_SAMPLE, 0, 0, 7, 0);
	expect_event(evlist, RECORD_COMM, 2, 0, 7, 0);
	evlist_free(evlist);
}
END_TEST

START_TEST(ids_can_be_added_and_are_kept_once)
{
	struct evlist *evlist = two_events(false, SAMPLE_IDENTIFIER, 0);
	struct event *second = evlist->events.at[1];

	evlist_add_id(evlist, second, 77);
	evlist_add_id(evlist, second, 77);
	evlist_add_id(evlist, second, UINT64_MAX);
	ck_assert_uint_eq(second->ids.count, 3);
	ck_assert_ptr_eq(evlist_by_id(evlist, 77), second);
	ck_assert_ptr_eq(evlist_by_id(evlist, UINT64_MAX), second);
	ck_assert_ptr_null(evlist_by_id(evlist, 78));
	evlist_free(evlist);
	evlist_free(NULL);
}
END_TEST

START_TEST(the_time_is_found_without_decoding)
{
	static struct bytes b;

	EACH_ORDER(big_endian)
	{
		const uint64_t type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_CPU;
		struct evlist *evlist = two_events(big_endian, type, FLAG(ATTR_SAMPLE_ID_ALL));
		struct event *event = evlist->events.at[0];
		struct raw_record raw = words_record(&b, big_endian, RECORD_SAMPLE, 5, 2, 0x123456789a);
		ck_assert_uint_eq(event_time(event, &raw, big_endian), 0x123456789a);
		raw.size = 8 + 2 * 8;
		ck_assert_uint_eq(event_time(event, &raw, big_endian), 0);
		raw = words_record(&b, big_endian, RECORD_COMM, 9, 9 - 3, 0x123456789a);
		ck_assert_uint_eq(event_time(event, &raw, big_endian), 0x123456789a);
		raw = words_record(&b, big_endian, RECORD_COMM, 9, 9 - 3, UINT64_MAX);
		ck_assert_uint_eq(event_time(event, &raw, big_endian), 0);
		raw = words_record(&b, big_endian, RECORD_COMM, 2, -1, 0);
		ck_assert_uint_eq(event_time(event, &raw, big_endian), 0);
		evlist_free(evlist);
	}
}
END_TEST

CHECK_SUITE("evlist", hardware_and_software_names_are_made_up_by_number,
	    cache_names_are_put_together_from_three_bytes, other_names_are_made_up_from_their_numbers,
	    modifiers_follow_one_colon, a_recorded_name_wins_and_widens_the_column,
	    the_layout_follows_from_the_sample_type, a_sample_belongs_to_the_event_that_has_its_id,
	    other_records_have_the_id_in_their_trailer, a_lone_event_owns_everything,
	    ids_can_be_added_and_are_kept_once, the_time_is_found_without_decoding)
