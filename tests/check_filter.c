/* What is let through and refused was compared with perf script 7.2, unless the test says otherwise. */
#include "filter.h"

#include "events/perf_abi.h"
#include "symbolize/dso.h"
#include "tests/check_run.h"

#define FIRST UINT64_C(10000000000)
#define LAST UINT64_C(20000000003) /* 5 % of the time between is 500000000.15 ns */

static const struct features with_times = {
	.present = { UINT64_C(1) << FEATURE_SAMPLE_TIME },
	.first_sample_time = FIRST,
	.last_sample_time = LAST,
};
static const struct features without_times;
static const struct evlist no_events;

static struct filter *filter_of(const struct options *o)
{
	struct filter *f;
	struct err *err = filter_new(o, &with_times, &no_events, &f);

	ck_assert_msg(!err, "%s", err ? err_text(err) : "");
	return f;
}

static void is_refused(const struct options *o, const struct features *features, const char *expected)
{
	struct filter *f;
	struct err *err = filter_new(o, features, &no_events, &f);

	ck_assert_msg(err != NULL, "accepted");
	ck_assert_str_eq(err_text(err), expected);
	err_free(err);
}

START_TEST(nothing_asked_for_lets_everything_pass)
{
	struct filter *f = filter_of(&(struct options){ 0 });

	ck_assert(!filter_any(f));
	ck_assert(filter_time(f, 1) && filter_time(f, UINT64_MAX));
	ck_assert(filter_cpu(f, 5) && filter_cpu(f, -1));
	ck_assert(filter_thread(f, "", -1, -1));
	ck_assert(!filter_wants_location(f));
	ck_assert(filter_location(f, NULL, 0));
	ck_assert(filter_chain(f, NULL, 0));
	filter_free(f);
	filter_free(NULL);
}
END_TEST

START_TEST(whatever_is_asked_for_makes_a_filter)
{
	const struct options asked[] = {
		{ .time = "1," },     { .cpus = "0" },	{ .comms = "sh" },     { .pids = "1" },
		{ .tids = "1" },      { .dsos = "sh" }, { .symbols = "main" }, { .graph_function = "main" },
		{ .symbols = "0x1" },
	};

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		struct filter *f = filter_of(&asked[i]);
		ck_assert(filter_any(f));
		filter_free(f);
	}
}
END_TEST

struct passes {
	const char *time;
	bool reltime;
	uint64_t in[4], out[4]; /* up to the first 0 */
};

static void check_times(const struct passes *p)
{
	struct filter *f = filter_of(&(struct options){ .time = p->time, .reltime = p->reltime });

	for (size_t i = 0; i < 4 && p->in[i]; i++)
		ck_assert_msg(filter_time(f, p->in[i]), "%s keeps %lu out", p->time, (long)p->in[i]);
	for (size_t i = 0; i < 4 && p->out[i]; i++)
		ck_assert_msg(!filter_time(f, p->out[i]), "%s lets %lu in", p->time, (long)p->out[i]);
	ck_assert_msg(filter_time(f, 0), "%s keeps a sample without time out", p->time);
	filter_free(f);
}

#define S UINT64_C(1000000000)

START_TEST(times_in_seconds)
{
	static const struct passes table[] = {
		{ "1,2", false, { S, 2 * S }, { S - 1, 2 * S + 1 } },
		{ "1,", false, { S, UINT64_MAX }, { S - 1 } },
		{ ",2", false, { 1, 2 * S }, { 2 * S + 1 } },
		{ ",", false, { 1, UINT64_MAX }, { 0 } },
		{ "0,0", false, { 1, UINT64_MAX }, { 0 } },
		{ "1.5,1.500000001", false, { 3 * S / 2, 3 * S / 2 + 1 }, { 3 * S / 2 - 1, 3 * S / 2 + 2 } },
		{ "1.123456789,2", false, { 1123456789 }, { 1123456788 } },
		{ "1.,2", false, { S }, { S - 1 } },
		{ ".5,1", false, { S / 2, S }, { S / 2 - 1 } },
		{ "1, 2", false, { S, 2 * S }, { S - 1, 2 * S + 1 } },
		{ "1, 2,3", false, { S, 2 * S, 4 * S }, { S - 1 } },
		{ "1,2 3,4", false, { S, 2 * S, 3 * S, 4 * S }, { S - 1, 2 * S + 1, 3 * S - 1, 4 * S + 1 } },
		{ "3,4 1,2", false, { S, 2 * S, 3 * S, 4 * S }, { S - 1, 2 * S + 1, 3 * S - 1, 4 * S + 1 } },
		{ "1,3 2,4", false, { S, 2 * S, 3 * S, 4 * S }, { S - 1, 4 * S + 1 } },
		{ "  1,2   3,4 ", false, { S, 2 * S, 3 * S, 4 * S }, { S - 1, 2 * S + 1 } },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		check_times(&table[i]);
}
END_TEST

START_TEST(times_since_the_first_sample)
{
	static const struct passes table[] = {
		{ "1,2", true, { FIRST + S, FIRST + 2 * S }, { FIRST + S - 1, FIRST + 2 * S + 1, S } },
		{ ",2", true, { FIRST, FIRST + 2 * S }, { FIRST + 2 * S + 1 } },
		{ "1,2 3,4", true, { FIRST + S, FIRST + 3 * S }, { FIRST + 2 * S + 1 } },
		/* perf adds the first time to an open end and to percentages too; see DIFFERENCES. */
		{ "1,", true, { FIRST + S, LAST }, { FIRST + S - 1 } },
		{ "10%/1", true, { FIRST, FIRST + S - 1 }, { FIRST + S } },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		check_times(&table[i]);
}
END_TEST

START_TEST(slices_of_the_time)
{
	static const struct passes table[] = {
		{ "10%", false, { FIRST, FIRST + S - 1 }, { FIRST - 1, FIRST + S } },
		{ "10%/1", false, { FIRST, FIRST + S - 1 }, { FIRST - 1, FIRST + S } },
		{ "10%/2", false, { FIRST + S, FIRST + 2 * S }, { FIRST + S - 1, FIRST + 2 * S + 1 } },
		{ "10%/10", false, { FIRST + 9 * S + 3, LAST }, { FIRST + 9 * S + 2, LAST + 1 } },
		{ "10%-20%", false, { FIRST + S, FIRST + 2 * S }, { FIRST + S - 1, FIRST + 2 * S + 1 } },
		{ "0%-100%", false, { FIRST, LAST }, { FIRST - 1, LAST + 1 } },
		{ "10.5%-20.25%", false, { FIRST + 1050000000 }, { FIRST + 1049999999 } },
		{ "10%/1,10%/3", false, { FIRST, FIRST + 2 * S + 1 }, { FIRST + S, FIRST + 3 * S + 1 } },
		{ "10%/1, 10%/3", false, { FIRST, FIRST + 2 * S + 1 }, { FIRST + S } },
		{ "10%/3,10%/1", false, { FIRST, FIRST + 2 * S + 1 }, { FIRST + S } },
		{ "10%-20%,40%-60%", false, { FIRST + S, FIRST + 5 * S }, { FIRST + 3 * S } },
		{ "10% - 20%", false, { FIRST + S }, { FIRST + S - 1 } },
		{ "10%/ 2", false, { FIRST + S }, { FIRST + S - 1 } },
		{ "100%", false, { FIRST, LAST }, { FIRST - 1, LAST + 1 } },
		/* One moment, and nothing at all. */
		{ "20%-20%", false, { FIRST + 2 * S + 1 }, { FIRST + 2 * S, FIRST + 2 * S + 2 } },
		{ "100%-100%", false, { LAST }, { LAST - 1 } },
		{ "20%-10%", false, { 0 }, { FIRST + S, FIRST + S + S / 2, FIRST + 2 * S + 1 } },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		check_times(&table[i]);
}
END_TEST

START_TEST(times_that_mean_nothing)
{
	static const char *const table[] = {
		"10",	    "",		"12,10",   "1,2,3,4",	  "1,2 3",  "1.0123456789,2",
		"1x,2",	    "-1,2",	"%",	   "10%-",	  "10-20%", "10%x",
		"10%/0",    "10%/11",	"10%/1.5", "10%/-1",	  "10%-20", "0%",
		"10%-120%", "-10%-20%", "10%/2x",  "10%/1 10%/3", "1,2 x",
		"10%x-20%", "%-20%",  "99999999999999999999,",
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		is_refused(&(struct options){ .time = table[i] }, &with_times, "Invalid time string");
}
END_TEST

START_TEST(slices_need_to_know_the_whole)
{
	static const char hint[] = "HINT: no first/last sample time found in perf data.\n"
				   "Please use latest perf binary to execute 'perf record'\n"
				   "(if '--buildid-all' is enabled, please set '--timestamp-boundary').";

	is_refused(&(struct options){ .time = "10%" }, &without_times, hint);
	is_refused(&(struct options){ .time = "1,2", .reltime = true }, &without_times, hint);
	/* Not as perf (DIFFERENCES). */
	struct features without_start = with_times;
	without_start.first_sample_time = UINT64_MAX;
	is_refused(&(struct options){ .time = "10%" }, &without_start, hint);
}
END_TEST

START_TEST(processors)
{
	struct filter *f = filter_of(&(struct options){ .cpus = "0,2-3,64" });

	ck_assert(filter_cpu(f, 0) && filter_cpu(f, 2) && filter_cpu(f, 3) && filter_cpu(f, 64));
	ck_assert(!filter_cpu(f, 1) && !filter_cpu(f, 4) && !filter_cpu(f, 63));
	ck_assert(filter_cpu(f, -1));
	filter_free(f);
	f = filter_of(&(struct options){ .cpus = "0x2-0xA,010," });
	ck_assert(filter_cpu(f, 2) && filter_cpu(f, 8) && filter_cpu(f, 10) && !filter_cpu(f, 11));
	filter_free(f);
	is_refused(&(struct options){ .cpus = "" }, &with_times, "--cpu: '' is not a list of processors");
	is_refused(&(struct options){ .cpus = "08" }, &with_times,
		   "--cpu: '08' is not a list of processors");
	is_refused(&(struct options){ .cpus = "x" }, &with_times, "--cpu: 'x' is not a list of processors");
	is_refused(&(struct options){ .cpus = "1-" }, &with_times, "--cpu: '1-' is not a list of processors");
	is_refused(&(struct options){ .cpus = "2-1" }, &with_times,
		   "--cpu: '2-1' is not a list of processors");
	is_refused(&(struct options){ .cpus = "0,2-3,64" }, &(struct features){ .nr_cpus_avail = 64 },
		   "--cpu: the recorded machine has no processor 64, only 64 of them");
	is_refused(&(struct options){ .cpus = "1;2" }, &with_times,
		   "--cpu: '1;2' is not a list of processors");
}
END_TEST

START_TEST(threads)
{
	struct filter *f = filter_of(&(struct options){ .comms = "sh,worker 1" });

	ck_assert(filter_thread(f, "sh", 1, 1) && filter_thread(f, "worker 1", 1, 1));
	ck_assert(!filter_thread(f, "worker", 1, 1) && !filter_thread(f, "s", 1, 1) &&
		  !filter_thread(f, "shell", 1, 1) && !filter_thread(f, "", 1, 1));
	filter_free(f);

	is_refused(&(struct options){ .comms = "file:///nowhere/names" }, &with_times,
		   "/nowhere/names: cannot read: No such file or directory");

	f = filter_of(&(struct options){ .pids = "100,200,100" });
	ck_assert(filter_thread(f, "x", 100, 1) && filter_thread(f, "x", 200, 1));
	ck_assert(!filter_thread(f, "x", 101, 100) && !filter_thread(f, "x", -1, -1));
	filter_free(f);

	f = filter_of(&(struct options){ .tids = "7", .pids = "5", .comms = "x" });
	ck_assert(filter_thread(f, "x", 5, 7));
	ck_assert(!filter_thread(f, "x", 5, 5) && !filter_thread(f, "x", 7, 7) &&
		  !filter_thread(f, "y", 5, 7));
	filter_free(f);
	f = filter_of(&(struct options){ .pids = "" });
	ck_assert(filter_any(f) && !filter_thread(f, "x", 0, 0) && !filter_thread(f, "x", 5, 5));
	filter_free(f);
	is_refused(&(struct options){ .pids = ",1" }, &with_times, "--pid: ',1' is not a list of numbers");
	is_refused(&(struct options){ .pids = "0x1" }, &with_times, "--pid: '0x1' is not a list of numbers");
	is_refused(&(struct options){ .pids = "x" }, &with_times, "--pid: 'x' is not a list of numbers");
	is_refused(&(struct options){ .tids = "1,y" }, &with_times, "--tid: '1,y' is not a list of numbers");
}
END_TEST

static const struct dso dso = { .name = "/usr/bin/spin", .long_name = "/usr/bin/spin", .short_name = "spin" };
static const struct location leaf = { .dso = &dso, .name = "leaf" };
static const struct location unnamed = { .dso = &dso };
static const struct location nowhere;

START_TEST(binaries)
{
	struct filter *f = filter_of(&(struct options){ .dsos = "foo,spin" });

	ck_assert(filter_wants_location(f));
	ck_assert(filter_location(f, &leaf, 1) && filter_location(f, &unnamed, 1));
	ck_assert(!filter_location(f, &nowhere, 1));
	filter_free(f);

	f = filter_of(&(struct options){ .dsos = "/usr/bin/spin" });
	ck_assert(filter_location(f, &leaf, 1));
	filter_free(f);

	f = filter_of(&(struct options){ .dsos = "bin/spin,spi" });
	ck_assert(!filter_location(f, &leaf, 1));
	filter_free(f);

	f = filter_of(&(struct options){ .dsos = "spin", .symbols = "leaf" });
	ck_assert(filter_location(f, &leaf, 1) && !filter_location(f, &unnamed, 1));
	filter_free(f);
}
END_TEST

START_TEST(functions_by_name_and_by_address)
{
	struct filter *f = filter_of(&(struct options){ .symbols = "main,leaf" });
	ck_assert(filter_wants_location(f));
	ck_assert(filter_location(f, &leaf, 0x1110) && !filter_location(f, &unnamed, 0x1110));
	filter_free(f);

	f = filter_of(&(struct options){ .symbols = "lea,leafs" });
	ck_assert(!filter_location(f, &leaf, 0x1110));
	filter_free(f);

	/* An address is itself: not the function that begins there. */
	f = filter_of(&(struct options){ .symbols = "0x1110,main,1100" });
	ck_assert(filter_location(f, &leaf, 0x1110) && filter_location(f, &leaf, 0x1100));
	ck_assert(!filter_location(f, &leaf, 0x1111) && !filter_location(f, &leaf, 0x1101));
	ck_assert(filter_location(f, &unnamed, 0x1110) && !filter_location(f, &nowhere, 0x1110));
	filter_free(f);

	f = filter_of(&(struct options){ .symbols = "0x1110zz" });
	ck_assert(!filter_location(f, &leaf, 0x1110));
	filter_free(f);

	f = filter_of(&(struct options){ .symbols = "0X1000,leaf", .addr_range = "32" });
	ck_assert(filter_location(f, &unnamed, 0x1000) && filter_location(f, &unnamed, 0x101f));
	ck_assert(!filter_location(f, &unnamed, 0xfff) && !filter_location(f, &unnamed, 0x1020));
	ck_assert(filter_location(f, &leaf, 0x5000));
	filter_free(f);
	/* A range ends at the last address; perf takes 32 bits of a larger number, and those of -1. */
	f = filter_of(&(struct options){ .symbols = "0x1000 ", .addr_range = "0xffffffffffffffff" });
	ck_assert(filter_location(f, &unnamed, 0x1000) && filter_location(f, &unnamed, UINT64_MAX));
	ck_assert(!filter_location(f, &unnamed, 0xfff));
	filter_free(f);
	is_refused(&(struct options){ .symbols = "0x1", .addr_range = "-1" }, &with_times,
		   "--addr-range: '-1' is not a number");
	is_refused(&(struct options){ .symbols = "0x1", .addr_range = "much" }, &with_times,
		   "--addr-range: 'much' is not a number");
}
END_TEST

START_TEST(functions_of_the_call_chain)
{
	const struct location mid = { .dso = &dso, .name = "mid" };
	const struct view_frame frames[] = { { 1, { &leaf, 0 }, false },
					     { 2, { &unnamed, 0 }, false },
					     { 3, { &mid, 0 }, false } };
	struct filter *f = filter_of(&(struct options){ .graph_function = "main,mid" });

	ck_assert(filter_chain(f, frames, 3));
	ck_assert(!filter_chain(f, frames, 2) && !filter_chain(f, NULL, 0));
	filter_free(f);
}
END_TEST

CHECK_SUITE("filter", nothing_asked_for_lets_everything_pass, whatever_is_asked_for_makes_a_filter,
	    times_in_seconds, times_since_the_first_sample, slices_of_the_time, times_that_mean_nothing,
	    slices_need_to_know_the_whole, processors, threads, binaries, functions_by_name_and_by_address,
	    functions_of_the_call_chain)
