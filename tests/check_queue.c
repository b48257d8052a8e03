#include "tests/check_run.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "events/queue.h"
#include "util/xalloc.h"

/*
 * Records are named by a letter and a number ("s5"); each test says which come out, in one line. The bytes of
 * a record are its name, in memory that is overwritten after the push: only stable ones may be lent.
 */
static char name_buffer[16];

static bool push(struct queue *q, uint64_t time, enum queue_kind kind, uint32_t pid, const char *name)
{
	snprintf(name_buffer, sizeof(name_buffer), "%s", name);
	*queue_room(q) = (struct raw_record){
		.data = (const uint8_t *)name_buffer,
		.type = 9,
		.misc = 2,
		.size = sizeof(name_buffer),
		.offset = time,
	};
	bool may_leave = queue_push(q, time, kind, pid);
	memset(name_buffer, '?', sizeof(name_buffer));
	return may_leave;
}

static bool push_raw(struct queue *q, uint64_t time, enum queue_kind kind, uint32_t pid,
		     const struct raw_record *raw)
{
	*queue_room(q) = *raw;
	return queue_push(q, time, kind, pid);
}

/* Samples named by their times. */
static void push_times(struct queue *q, const char *times)
{
	int n;

	for (unsigned long time; sscanf(times, "%lu%n", &time, &n) == 1; times += n) {
		char name[16];
		snprintf(name, sizeof(name), "%lu", time);
		push(q, time, QUEUE_OTHER, 0, name);
	}
}

/* All that may leave now, separated by blanks. */
static const char *pops(struct queue *q)
{
	static char text[8192];
	size_t at = 0;
	const struct raw_record *raw;

	text[0] = '\0';
	while ((raw = queue_pop(q)))
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", at ? " " : "",
				       (const char *)raw->data);
	return text;
}

START_TEST(a_round_frees_only_the_round_before) /* the example in perf's own comment */
{
	struct queue *q = queue_new(0);

	push_times(q, "1 2 3 2 4");
	ck_assert_str_eq(pops(q), ""); /* round 1 is still open */
	queue_round(q);
	ck_assert_str_eq(pops(q), "");
	push_times(q, "3 5 6 7 4 5");
	ck_assert_str_eq(pops(q), "");
	queue_round(q);
	ck_assert_str_eq(pops(q), "1 2 2 3 3 4 4");
	queue_end(q);
	ck_assert_str_eq(pops(q), "5 5 6 7");
	ck_assert_uint_eq(queue_late(q), 0);
	queue_free(q);
}
END_TEST

START_TEST(a_round_that_brought_nothing_does_not_count)
{
	struct queue *q = queue_new(0);

	queue_round(q);
	push_times(q, "5 7");
	queue_round(q);
	queue_round(q);
	ck_assert_str_eq(pops(q), "5 7");
	queue_round(q);
	push_times(q, "8");
	queue_round(q);
	ck_assert_str_eq(pops(q), "");
	queue_round(q);
	ck_assert_str_eq(pops(q), "8");
	queue_free(q);
}
END_TEST

START_TEST(equal_times_leave_in_arrival_order)
{
	struct queue *q = queue_new(0);

	push(q, 5, QUEUE_OTHER, 0, "a");
	push(q, 9, QUEUE_OTHER, 0, "z");
	push(q, 5, QUEUE_TASK, 1, "b");
	push(q, 7, QUEUE_OTHER, 0, "y");
	push(q, 5, QUEUE_OTHER, 0, "c");
	push(q, 4, QUEUE_OTHER, 0, "x");
	push(q, 5, QUEUE_COMM, 1, "d");
	push(q, 7, QUEUE_OTHER, 0, "y2");
	push(q, 5, QUEUE_OTHER, 0, "e");
	queue_end(q);
	ck_assert_str_eq(pops(q), "x a b c d e y y2 z");
	queue_free(q);
}
END_TEST

START_TEST(at_one_time_the_fork_goes_before_the_records_of_its_pid)
{
	struct queue *q = queue_new(0);

	push(q, 5, QUEUE_OTHER, 0, "sample");
	push(q, 5, QUEUE_TASK, 1, "map1"); /* of the parent: the child inherits it */
	push(q, 5, QUEUE_COMM, 2, "comm2");
	push(q, 5, QUEUE_TASK, 2, "map2");
	push(q, 4, QUEUE_TASK, 2, "old2");
	push(q, 5, QUEUE_FORK, 2, "fork2");
	push(q, 5, QUEUE_FORK, 3, "fork3");
	push(q, 5, QUEUE_TASK, 3, "map3");
	push(q, 6, QUEUE_FORK, 2, "fork2b");
	queue_end(q);
	ck_assert_str_eq(pops(q), "old2 sample map1 fork2 comm2 map2 fork3 map3 fork2b");
	queue_free(q);
}
END_TEST

START_TEST(late_records_come_with_the_next_round_and_are_counted)
{
	struct queue *q = queue_new(0);

	push_times(q, "10 20");
	queue_round(q);
	push_times(q, "30");
	queue_round(q);
	ck_assert_str_eq(pops(q), "10 20");
	push_times(q, "15 25 12");
	ck_assert_str_eq(pops(q), "");
	ck_assert_uint_eq(queue_late(q), 2);
	queue_round(q);
	ck_assert_str_eq(pops(q), "12 15 25 30");
	queue_free(q);
}
END_TEST

START_TEST(records_without_a_time_leave_before_all_that_wait)
{
	struct queue *q = queue_new(0);

	push_times(q, "10");
	push(q, 0, QUEUE_OTHER, 0, "now");
	ck_assert_str_eq(pops(q), "now");
	queue_end(q);
	ck_assert_str_eq(pops(q), "10");
	queue_free(q);
}
END_TEST

/* Pushes records without a time: "f7" is a FORK of pid 7, "c7" a COMM, "m7" a map, "o" no task's. */
static void push_block(struct queue *q, const char *names)
{
	char name[16];
	int n;

	for (; sscanf(names, "%15s%n", name, &n) == 1; names += n) {
		enum queue_kind kind = name[0] == 'f'	? QUEUE_FORK
				       : name[0] == 'c' ? QUEUE_COMM
				       : name[0] == 'm' ? QUEUE_TASK
							: QUEUE_OTHER;
		push(q, 0, kind, (uint32_t)strtoul(name + 1, NULL, 10), name);
	}
}

START_TEST(an_orderly_block_keeps_its_order)
{
	struct queue *q = queue_new(0);
	/* As perf record -a writes it; threads of 2 have FORKs behind its maps, pid 4 has none. */
	const char *block = "f1 c1 m1 m1.2 f2 c2 m2 f2.21 c2.21 f2.22 c2.22 f3 c3 m3 c4 m4";

	push_block(q, block);
	ck_assert_str_eq(pops(q), "");
	queue_init_end(q);
	ck_assert_str_eq(pops(q), block);
	queue_free(q);
}
END_TEST

START_TEST(maps_before_all_forks_get_put_right)
{
	struct queue *q = queue_new(0);

	push_block(q, "m2 m2.2 m1 m3 c1 c2 c3 f1 f2 f3");
	queue_end(q);
	ck_assert_str_eq(pops(q), "f2 c2 m2 m2.2 f1 c1 m1 f3 c3 m3");
	queue_free(q);
}
END_TEST

START_TEST(pids_that_are_in_order_keep_theirs_beside_others_that_are_not)
{
	struct queue *q = queue_new(0);

	push_block(q, "f1 m1 c1 m2 f3 f2 m3 f1.11");
	queue_end(q);
	ck_assert_str_eq(pops(q), "f1 m1 c1 f1.11 f2 m2 f3 m3");
	queue_free(q);
}
END_TEST

START_TEST(a_block_ends_at_a_record_of_no_task)
{
	struct queue *q = queue_new(0);

	push_block(q, "m1 o f1");
	ck_assert_str_eq(pops(q), "m1 o");
	queue_end(q);
	ck_assert_str_eq(pops(q), "f1");
	queue_free(q);
}
END_TEST

START_TEST(a_block_ends_at_finished_init_at_a_round_and_at_a_record_with_a_time)
{
	struct queue *q = queue_new(0);

	push_block(q, "m1 f1");
	queue_init_end(q);
	ck_assert_str_eq(pops(q), "f1 m1");
	push_block(q, "m2 f2");
	queue_round(q);
	ck_assert_str_eq(pops(q), "f2 m2");
	push_block(q, "m3");
	push(q, 7, QUEUE_FORK, 3, "late");
	ck_assert_str_eq(pops(q), "m3");
	push_block(q, "f3");
	queue_end(q);
	ck_assert_str_eq(pops(q), "f3 late");
	queue_free(q);
}
END_TEST

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

START_TEST(a_block_of_many_pids_takes_linear_time)
{
	enum { PIDS = 100000 };
	struct queue *q = queue_new(0);
	struct raw_record raw = { .data = (const uint8_t *)"01234567", .size = 8, .stable = true };
	double start = seconds();
	uint64_t n = 0;

	for (uint32_t pid = 0; pid < PIDS; pid++)
		push_raw(q, 0, QUEUE_TASK, pid, &raw);
	for (uint32_t pid = 0; pid < PIDS; pid++)
		push_raw(q, 0, QUEUE_FORK, pid, &raw);
	queue_end(q);
	while (queue_pop(q))
		n++;
	ck_assert_uint_eq(n, 2 * PIDS);
	ck_assert(seconds() - start < 5); /* quadratic: minutes */
	queue_free(q);
}
END_TEST

START_TEST(many_forks_and_maps_at_one_time_take_linear_time)
{
	enum { PIDS = 100000 };
	struct queue *q = queue_new(0);
	struct raw_record raw = { .data = (const uint8_t *)"01234567", .size = 8, .stable = true };
	double start = seconds();
	uint64_t n = 0;

	for (uint32_t pid = 0; pid < PIDS; pid++)
		push_raw(q, 5, QUEUE_TASK, pid, &raw);
	for (uint32_t pid = 0; pid < PIDS; pid++)
		push_raw(q, 5, QUEUE_FORK, pid, &raw);
	queue_end(q);
	while (queue_pop(q))
		n++;
	ck_assert_uint_eq(n, 2 * PIDS);
	ck_assert(seconds() - start < 5);
	queue_free(q);
}
END_TEST

START_TEST(stable_records_are_lent_and_others_are_copied)
{
	struct queue *q = queue_new(0);
	uint8_t bytes[] = "12345678";
	struct raw_record raw = {
		.data = bytes, .type = 77, .misc = 5, .size = 8, .stable = true, .offset = 99
	};
	const struct raw_record *lent;

	push_raw(q, 1, QUEUE_OTHER, 0, &raw);
	raw.stable = false;
	push_raw(q, 2, QUEUE_OTHER, 0, &raw);
	queue_end(q);
	bytes[0] = 'X';
	lent = queue_pop(q);
	ck_assert_ptr_nonnull(lent);
	ck_assert_ptr_eq(lent->data, bytes);
	ck_assert(lent->stable);
	ck_assert_uint_eq(lent->type, 77);
	ck_assert_uint_eq(lent->misc, 5);
	ck_assert_uint_eq(lent->size, 8);
	ck_assert_uint_eq(lent->offset, 99);
	lent = queue_pop(q);
	ck_assert_ptr_nonnull(lent);
	ck_assert(!lent->stable);
	ck_assert_mem_eq(lent->data, "12345678", 8);
	ck_assert_ptr_null(queue_pop(q));
	queue_free(q);
}
END_TEST

START_TEST(past_the_limit_the_older_half_leaves_early)
{
	/* A record of 1000 bytes and what the queue needs for it; ten fit, not eleven. */
	struct queue *q = queue_new(11000);
	static uint8_t bytes[1000];
	struct raw_record raw = { .data = bytes, .size = sizeof(bytes) };
	int left = 0;

	for (int i = 1; i <= 10; i++) {
		push_raw(q, (uint64_t)i, QUEUE_OTHER, 0, &raw);
		ck_assert_ptr_null(queue_pop(q));
	}
	push_raw(q, 11, QUEUE_OTHER, 0, &raw);
	while (queue_pop(q))
		left++;
	ck_assert_int_eq(left, 6); /* five are at most half of the limit */
	push_raw(q, 3, QUEUE_OTHER, 0, &raw);
	ck_assert_uint_eq(queue_late(q), 1);
	ck_assert_ptr_null(queue_pop(q));
	queue_end(q);
	for (left = 0; queue_pop(q);)
		left++;
	ck_assert_int_eq(left, 6);
	queue_free(q);
}
END_TEST

START_TEST(a_block_past_the_limit_ends)
{
	struct queue *q = queue_new(5000);
	static uint8_t bytes[1000];
	struct raw_record raw = { .data = bytes, .size = sizeof(bytes) };
	int left = 0;

	for (int i = 0; i < 10; i++) {
		push_raw(q, 0, QUEUE_TASK, 1, &raw);
		while (queue_pop(q))
			left++;
	}
	ck_assert_int_eq(left, 10);
	queue_free(q);
}
END_TEST

/* A small generator: the same numbers on every machine. */
static uint64_t seed;
static uint64_t random_below(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

START_TEST(any_input_leaves_sorted_and_stable)
{
	struct queue *q = queue_new(0);
	struct raw_record raw;
	uint64_t numbers[2], last[2] = { 0, 0 };

	seed = 7;
	for (uint64_t i = 0; i < 20000; i++) {
		numbers[0] = 1 + random_below(3000);
		numbers[1] = i;
		raw = (struct raw_record){ .data = (const uint8_t *)numbers, .size = sizeof(numbers) };
		push_raw(q, numbers[0], QUEUE_OTHER, 0, &raw);
	}
	queue_end(q);
	for (uint64_t i = 0; i < 20000; i++) {
		const struct raw_record *lent = queue_pop(q);
		ck_assert_ptr_nonnull(lent);
		memcpy(numbers, lent->data, sizeof(numbers));
		ck_assert(numbers[0] > last[0] || (numbers[0] == last[0] && (!i || numbers[1] > last[1])));
		memcpy(last, numbers, sizeof(numbers));
	}
	ck_assert_ptr_null(queue_pop(q));
	queue_free(q);
}
END_TEST

/* Rounds of several CPUs, each sorted by itself, with records of all sizes: the copies stay what they were.
 */
START_TEST(rounds_of_many_cpus_leave_sorted_with_their_bytes)
{
	enum { CPUS = 13, ROUNDS = 60, A_ROUND = 40 };
	static uint8_t bytes[3000];
	struct queue *q = queue_new(0);
	struct raw_record raw;
	uint64_t time[CPUS] = { 0 }, last = 0, n = 0;

	seed = 3;
	for (int round = 0; round <= ROUNDS; round++) {
		for (int i = 0; i < CPUS * A_ROUND && round < ROUNDS; i++) {
			uint64_t *at = &time[i / A_ROUND];
			if (i % A_ROUND == 0)
				*at = 1000 * ((uint64_t)round + 1);
			*at += random_below(25);
			size_t size = 16 + random_below(sizeof(bytes) - 16);
			memcpy(bytes, at, 8);
			bytes[8] = bytes[size - 1] = (uint8_t)*at;
			raw = (struct raw_record){ .data = bytes, .size = (uint16_t)size };
			push_raw(q, *at, QUEUE_OTHER, 0, &raw);
		}
		if (round < ROUNDS)
			queue_round(q);
		else
			queue_end(q);
		for (const struct raw_record *lent; (lent = queue_pop(q)); n++) {
			uint64_t now;
			memcpy(&now, lent->data, 8);
			ck_assert(now >= last);
			ck_assert_uint_eq(lent->data[8], (uint8_t)now);
			ck_assert_uint_eq(lent->data[lent->size - 1], (uint8_t)now);
			last = now;
		}
	}
	ck_assert_uint_eq(n, CPUS * ROUNDS * A_ROUND);
	ck_assert_uint_eq(queue_late(q), 0);
	queue_free(q);
}
END_TEST

/* Two queues get the same records; one is asked after each, the other when queue_push() says so. */
START_TEST(push_says_when_records_may_leave)
{
	static uint8_t bytes[100];
	struct raw_record raw = { .data = bytes, .size = sizeof(bytes) };
	struct queue *asked = queue_new(20000), *told = queue_new(20000);
	char want[8192] = "";
	unsigned said = 0;

	seed = 11;
	for (int i = 0; i < 20000; i++) {
		uint64_t kind = random_below(4), pid = random_below(5);
		uint64_t time = random_below(8) ? 1000 + (uint64_t)i - random_below(500) : 0;
		snprintf((char *)bytes, sizeof(bytes), "%d", i);
		push_raw(asked, time, (enum queue_kind)kind, (uint32_t)pid, &raw);
		strcpy(want, pops(asked));
		bool may_leave = push_raw(told, time, (enum queue_kind)kind, (uint32_t)pid, &raw);
		said += may_leave;
		ck_assert_str_eq(may_leave ? pops(told) : "", want);
		if (random_below(60))
			continue;
		queue_round(asked);
		queue_round(told);
		strcpy(want, pops(asked));
		ck_assert_str_eq(pops(told), want);
	}
	ck_assert_uint_gt(said, 1000);
	ck_assert_uint_eq(queue_late(told), queue_late(asked));
	queue_free(asked);
	queue_free(told);
}
END_TEST

START_TEST(freeing_a_queue_that_holds_records_frees_them)
{
	struct queue *q = queue_new(0);

	push_block(q, "m1 f1");
	push_times(q, "1 2 3 2");
	push_block(q, "m1 f1");
	ck_assert_ptr_nonnull(queue_pop(q));
	queue_free(q);
	queue_free(NULL);
}
END_TEST

CHECK_SUITE("queue", a_round_frees_only_the_round_before, a_round_that_brought_nothing_does_not_count,
	    equal_times_leave_in_arrival_order, at_one_time_the_fork_goes_before_the_records_of_its_pid,
	    late_records_come_with_the_next_round_and_are_counted,
	    records_without_a_time_leave_before_all_that_wait, an_orderly_block_keeps_its_order,
	    maps_before_all_forks_get_put_right,
	    pids_that_are_in_order_keep_theirs_beside_others_that_are_not,
	    a_block_ends_at_a_record_of_no_task,
	    a_block_ends_at_finished_init_at_a_round_and_at_a_record_with_a_time,
	    a_block_of_many_pids_takes_linear_time, many_forks_and_maps_at_one_time_take_linear_time,
	    stable_records_are_lent_and_others_are_copied, past_the_limit_the_older_half_leaves_early,
	    a_block_past_the_limit_ends, any_input_leaves_sorted_and_stable,
	    rounds_of_many_cpus_leave_sorted_with_their_bytes, push_says_when_records_may_leave,
	    freeing_a_queue_that_holds_records_frees_them)
