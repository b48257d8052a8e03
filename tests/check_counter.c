#include "events/counter.h"

#include <stdio.h>

#include "events/perf_abi.h"
#include "tests/bytes.h"
#include "tests/check_run.h"

#define GROUP_FORMAT (READ_GROUP | READ_ID | READ_LOST)

static struct evlist *evlist;
static struct counter *counter;
static struct sample_decoder decoder;
static struct sample decoded;

/* Events 0 and 1 with the ids 10 and 20. */
static void open_counter(uint64_t read_format, uint64_t flags)
{
	struct attr attr = {
		.size = 144,
		.sample_type = SAMPLE_TID | SAMPLE_READ,
		.read_format = read_format,
		.flags = flags,
	};

	evlist = evlist_new(false);
	evlist_add(evlist, &attr, (uint64_t[]){ 10 }, 1, NULL);
	evlist_add(evlist, &attr, (uint64_t[]){ 20 }, 1, NULL);
	evlist_finish(evlist);
	counter = counter_new(evlist);
}

static void close_counter(void)
{
	counter_free(counter);
	evlist_free(evlist);
}

/* A sample of thread @tid with @nr words of READ; up to two deliveries "EVENT:PERIOD" are expected. */
static void expect(const char *expected, uint32_t tid, size_t nr, const uint64_t *words)
{
	static struct bytes b;
	struct event *event = evlist->events.at[0];
	struct counter_delivery delivery;
	uint64_t index = 0;
	char text[200] = "";

	bytes_start(&b, false);
	put_header(&b, RECORD_SAMPLE, 0);
	put_u32(&b, 1);
	put_u32(&b, tid);
	for (size_t i = 0; i < nr; i++)
		put_u64(&b, words[i]);
	struct raw_record raw = raw_of(&b, RECORD_SAMPLE, 0);
	ck_assert_ptr_null(sample_decode(&decoder, event, &raw, false, &decoded));
	while (counter_next(counter, event, &decoded, &index, &delivery))
		sprintf(text + strlen(text), "%u:%llu ", delivery.event->index,
			(unsigned long long)delivery.period);
	ck_assert_str_eq(text, expected);
}
#define EXPECT(expected, tid, ...)                                                                           \
	expect(expected, tid, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, (uint64_t[]){ __VA_ARGS__ })

START_TEST(a_lone_count_delivers_its_difference)
{
	open_counter(READ_ID | READ_TOTAL_TIME_ENABLED | READ_TOTAL_TIME_RUNNING, 0);
	ck_assert(counter_applies(evlist->events.at[0]));
	EXPECT("0:123456 ", 1, 123456, 900, 800, 10);
	EXPECT("0:44 ", 2, 123500, 900, 800, 10);
	EXPECT("1:5 ", 1, 5, 900, 800, 20);
	EXPECT("", 1, 5, 900, 800, 20);
	close_counter();
}
END_TEST

START_TEST(a_group_delivers_one_sample_a_member_that_moved)
{
	open_counter(GROUP_FORMAT, 0);
	EXPECT("0:111 1:222 ", 1, 2, 111, 10, 0, 222, 20, 0);
	EXPECT("1:1 ", 1, 2, 111, 10, 0, 223, 20, 0);
	EXPECT("0:9 ", 1, 2, 120, 10, 0, 223, 20, 0);
	EXPECT("", 1, 0);
	ck_assert_uint_eq(counter_unknown(counter), 0);
	close_counter();
}
END_TEST

START_TEST(counts_of_unknown_ids_are_counted)
{
	open_counter(GROUP_FORMAT, 0);
	EXPECT("1:7 ", 1, 3, 1, 99, 0, 7, 20, 0, 2, 98, 0);
	ck_assert_uint_eq(counter_unknown(counter), 2);
	close_counter();
}
END_TEST

START_TEST(inherited_counts_are_kept_per_thread)
{
	open_counter(READ_ID, (uint64_t)1 << ATTR_INHERIT);
	EXPECT("0:100 ", 1, 100, 10);
	EXPECT("0:30 ", 2, 30, 10);
	EXPECT("0:5 ", 1, 105, 10);
	EXPECT("0:1 ", 2, 31, 10);
	EXPECT("0:8 ", (uint32_t)-1, 8, 10);
	close_counter();
}
END_TEST

START_TEST(any_count_may_occur)
{
	open_counter(READ_ID, 0);
	EXPECT("0:18446744073709551615 ", 1, UINT64_MAX, 10);
	EXPECT("", 1, UINT64_MAX, 10);
	EXPECT("0:2 ", 1, 1, 10);
	close_counter();
}
END_TEST

START_TEST(a_lone_count_without_id_is_its_events)
{
	open_counter(0, 0);
	EXPECT("0:10 ", 1, 10);
	EXPECT("0:1 ", 1, 11);
	close_counter();
	open_counter(READ_GROUP, 0);
	EXPECT("", 1, 2, 10, 11);
	ck_assert_uint_eq(counter_unknown(counter), 2);
	close_counter();
	counter_free(NULL);
}
END_TEST

CHECK_SUITE("counter", a_lone_count_delivers_its_difference, a_group_delivers_one_sample_a_member_that_moved,
	    counts_of_unknown_ids_are_counted, inherited_counts_are_kept_per_thread, any_count_may_occur,
	    a_lone_count_without_id_is_its_events)
