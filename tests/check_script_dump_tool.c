/* The texts wanted are those of perf script -D 7.2.13 for the same bytes. */
#include "output/script_dump_tool.h"

#include "events/perf_abi.h"
#include "tests/mkperf.h"
#include "tests/output_text.h"
#include "util/cursor.h"

static void expect_tool(struct mkbytes *b, uint32_t type, const char *expected)
{
	struct raw_record raw = mkbytes_raw(b, type, 0);
	struct output out = output_open();

	script_dump_tool_record(out.w, &raw, b->big_endian);
	mkbytes_free(b);
	output_expect(&out, expected);
}

START_TEST(records_of_perf_are_told)
{
	for (int big = 0; big < 2; big++) {
		struct mkbytes b = mkbytes_record(RECORD_ID_INDEX, 0, big);
		mkbytes_u64(&b, 2);
		for (uint64_t i = 0; i < 2; i++) {
			mkbytes_u64(&b, 232 + i);
			mkbytes_u64(&b, i);
			mkbytes_u64(&b, i);
			mkbytes_u64(&b, i ? UINT64_MAX : 11040);
		}
		expect_tool(&b, RECORD_ID_INDEX,
			    "PERF_RECORD_ID_INDEX nr: 2\n ... id: 232  idx: 0  cpu: 0  tid: 11040\n"
			    " ... id: 233  idx: 1  cpu: 1  tid: -1\n");
		b = mkbytes_record(RECORD_THREAD_MAP, 0, big);
		mkbytes_u64(&b, 2);
		for (uint64_t i = 0; i < 2; i++) {
			mkbytes_u64(&b, 10085 + i);
			mkbytes_zeros(&b, 16);
		}
		expect_tool(&b, RECORD_THREAD_MAP, "PERF_RECORD_THREAD_MAP nr: 2 threads: 10085, 10086\n");
		b = mkbytes_record(RECORD_TIME_CONV, 0, big);
		mkbytes_u64(&b, 31);
		mkbytes_u64(&b, 1789569706);
		mkbytes_u64(&b, 5);
		expect_tool(&b, RECORD_TIME_CONV,
			    "PERF_RECORD_TIME_CONV\n... Time Shift      31\n... Time Multiplier 1789569706\n"
			    "... Time Zero       5\n: unhandled!\n");
		b = mkbytes_record(RECORD_HEADER_TRACING_DATA, 0, big);
		mkbytes_u32(&b, 2832);
		expect_tool(&b, RECORD_HEADER_TRACING_DATA, "PERF_RECORD_TRACING_DATA");
		b = mkbytes_record(RECORD_FINISHED_INIT, 8, big);
		expect_tool(&b, RECORD_FINISHED_INIT, "PERF_RECORD_FINISHED_INIT: unhandled!\n");
		b = mkbytes_record(RECORD_FINISHED_ROUND, 8, big);
		expect_tool(&b, RECORD_FINISHED_ROUND, "PERF_RECORD_FINISHED_ROUND\n");
	}
}
END_TEST

START_TEST(processors_are_lists_of_ranges)
{
	struct mkbytes b = mkbytes_record(RECORD_CPU_MAP, 0, false);

	mkbytes_u16(&b, 2); /* a range */
	mkbytes_u16(&b, 0);
	mkbytes_u16(&b, 0);
	mkbytes_u16(&b, 1);
	expect_tool(&b, RECORD_CPU_MAP, "PERF_RECORD_CPU_MAP: 0-1\n");
	b = mkbytes_record(RECORD_CPU_MAP, 0, false);
	mkbytes_u16(&b, 0); /* one by one */
	mkbytes_u16(&b, 5);
	static const uint16_t some[] = { 0, 1, 2, 5, 7 };
	for (size_t i = 0; i < 5; i++)
		mkbytes_u16(&b, some[i]);
	expect_tool(&b, RECORD_CPU_MAP, "PERF_RECORD_CPU_MAP: 0-2,5,7\n");
	b = mkbytes_record(RECORD_CPU_MAP, 0, false);
	mkbytes_u16(&b, 0);
	mkbytes_u16(&b, 2);
	mkbytes_u16(&b, UINT16_MAX); /* any */
	mkbytes_u16(&b, 1);
	expect_tool(&b, RECORD_CPU_MAP, "PERF_RECORD_CPU_MAP: -1,1\n");
	b = mkbytes_record(RECORD_CPU_MAP, 0, false);
	mkbytes_u16(&b, 2);
	mkbytes_u8(&b, 1); /* any, too */
	mkbytes_u8(&b, 0);
	mkbytes_u16(&b, 1);
	mkbytes_u16(&b, 3);
	expect_tool(&b, RECORD_CPU_MAP, "PERF_RECORD_CPU_MAP: -1,1-3\n");
	b = mkbytes_record(RECORD_CPU_MAP, 0, false);
	mkbytes_u16(&b, 2);
	mkbytes_u16(&b, 0);
	mkbytes_u16(&b, 3);
	mkbytes_u16(&b, 1);
	expect_tool(&b, RECORD_CPU_MAP, "PERF_RECORD_CPU_MAP: failed to get cpumap from event\n");
	b = mkbytes_record(RECORD_CPU_MAP, 0, true);
	mkbytes_u16(&b, 1); /* bits */
	mkbytes_u16(&b, 2);
	mkbytes_u16(&b, 8);
	mkbytes_zeros(&b, 4);
	mkbytes_u64(&b, 0xb);
	mkbytes_u64(&b, 3);
	expect_tool(&b, RECORD_CPU_MAP, "PERF_RECORD_CPU_MAP: 0-1,3,64-65\n");
}
END_TEST

START_TEST(updates_of_events_say_what_changes)
{
	struct mkbytes b = mkbytes_record(RECORD_EVENT_UPDATE, 0, false);

	mkbytes_u64(&b, 0);
	mkbytes_u64(&b, 232);
	mkbytes_data(&b, "msec\0\0\0", 8);
	expect_tool(&b, RECORD_EVENT_UPDATE, "PERF_RECORD_EVENT_UPDATE\n... id:    232\n... unit:  msec\n");
	b = mkbytes_record(RECORD_EVENT_UPDATE, 0, false);
	mkbytes_u64(&b, 1);
	mkbytes_u64(&b, 232);
	mkbytes_u64(&b, 0x3eb0c6f7a0b5ed8d);
	expect_tool(&b, RECORD_EVENT_UPDATE,
		    "PERF_RECORD_EVENT_UPDATE\n... id:    232\n... scale: 0.000001\n");
	b = mkbytes_record(RECORD_EVENT_UPDATE, 0, false);
	mkbytes_u64(&b, 3);
	mkbytes_u64(&b, 232);
	mkbytes_u16(&b, 2);
	mkbytes_u16(&b, 0);
	mkbytes_u16(&b, 0);
	mkbytes_u16(&b, 3);
	expect_tool(&b, RECORD_EVENT_UPDATE, "PERF_RECORD_EVENT_UPDATE\n... id:    232\n... 0-3\n");
	b = mkbytes_record(RECORD_EVENT_UPDATE, 0, false);
	mkbytes_u64(&b, 3);
	mkbytes_u64(&b, 232);
	mkbytes_u64(&b, 7); /* no kind of list */
	expect_tool(&b, RECORD_EVENT_UPDATE,
		    "PERF_RECORD_EVENT_UPDATE\n... id:    232\n... failed to get cpus\n");
	b = mkbytes_record(RECORD_EVENT_UPDATE, 0, false);
	mkbytes_u64(&b, 9);
	mkbytes_u64(&b, 232);
	expect_tool(&b, RECORD_EVENT_UPDATE, "PERF_RECORD_EVENT_UPDATE\n... id:    232\n... unknown type\n");
	b = mkbytes_record(RECORD_EVENT_UPDATE, 0, false); /* cut */
	mkbytes_u64(&b, 2);
	expect_tool(&b, RECORD_EVENT_UPDATE, "PERF_RECORD_EVENT_UPDATE\n... id:    0\n... name:  \n");
}
END_TEST

static struct mkbytes numbers(uint32_t type, size_t nr, const uint64_t *at)
{
	struct mkbytes b = mkbytes_record(type, 0, false);

	for (size_t i = 0; i < nr; i++)
		mkbytes_u64(&b, at[i]);
	return b;
}

START_TEST(an_index_may_tell_of_guests)
{
	static const uint64_t ids[] = { 2, 1, 0, 3, 5, 2, 0, 3, UINT64_MAX, 77, 0, 78, 1 };
	struct mkbytes b = numbers(RECORD_ID_INDEX, 13, ids);

	expect_tool(&b, RECORD_ID_INDEX,
		    "PERF_RECORD_ID_INDEX nr: 2\n"
		    " ... id: 1  idx: 0  cpu: 3  tid: 5  machine_pid: 77  vcpu: 0\n"
		    " ... id: 2  idx: 0  cpu: 3  tid: -1  machine_pid: 78  vcpu: 1\n");
	static const uint64_t too_many[] = { UINT64_MAX / 32 + 2, 1, 0, 3, 5 };
	b = numbers(RECORD_ID_INDEX, 5, too_many);
	expect_tool(&b, RECORD_ID_INDEX,
		    "PERF_RECORD_ID_INDEX nr: 576460752303423489\n ... id: 1  idx: 0  cpu: 3  tid: 5\n");
}
END_TEST

START_TEST(newer_clocks_have_a_mask)
{
	static const uint64_t clock[] = { 31, 2, 3, 4, 0xff, 0x0101 };
	struct mkbytes b = numbers(RECORD_TIME_CONV, 6, clock);

	expect_tool(&b, RECORD_TIME_CONV,
		    "PERF_RECORD_TIME_CONV\n... Time Shift      31\n... Time Multiplier 2\n"
		    "... Time Zero       3\n... Time Cycles     4\n... Time Mask       0xff\n"
		    "... Cap Time Zero   1\n... Cap Time Short  1\n: unhandled!\n");
}
END_TEST

#define PT_NUMBERS                                                                                           \
	"  PMU Type            1\n  Time Shift          2\n  Time Multiplier     3\n"                        \
	"  Time Zero           4\n  Cap Time Zero       5\n  TSC bit             0x6\n"                      \
	"  NoRETComp bit       0x7\n  Have sched_switch   8\n  Snapshot mode       9\n"                      \
	"  Per-cpu maps        10\n  MTC bit             0xb\n  MTC freq bits       0xc\n"                   \
	"  TSC:CTC numerator   13\n  TSC:CTC denominator 14\n  CYC bit             0xf\n"                    \
	"  Max non-turbo ratio 16\n"

START_TEST(traces_are_described_by_their_kind)
{
	uint64_t pt[] = { 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0, 5, 0 };
	struct mkbytes b = numbers(RECORD_AUXTRACE_INFO, 19, pt);

	expect_tool(&b, RECORD_AUXTRACE_INFO,
		    "PERF_RECORD_AUXTRACE_INFO type: 1\n" PT_NUMBERS
		    "  Filter string len.  0\n  Filter string       \n  Cap Event Trace     1\n");
	pt[17] = 8;
	pt[18] = load_u64("filter\0", false);
	b = numbers(RECORD_AUXTRACE_INFO, 20, pt);
	expect_tool(&b, RECORD_AUXTRACE_INFO,
		    "PERF_RECORD_AUXTRACE_INFO type: 1\n" PT_NUMBERS
		    "  Filter string len.  8\n  Filter string       filter\n  Cap Event Trace     0\n");
	b = numbers(RECORD_AUXTRACE_INFO, 11, pt); /* of an older perf */
	expect_tool(&b, RECORD_AUXTRACE_INFO,
		    "PERF_RECORD_AUXTRACE_INFO type: 1\n"
		    "  PMU Type            1\n  Time Shift          2\n  Time Multiplier     3\n"
		    "  Time Zero           4\n  Cap Time Zero       5\n  TSC bit             0x6\n"
		    "  NoRETComp bit       0x7\n  Have sched_switch   8\n  Snapshot mode       9\n"
		    "  Per-cpu maps        10\n");
	static const uint64_t bts[] = { 2, 1, 2, 3, 4, 5, 6 }, spe[] = { 4, 1, 2 }, ptt[] = { 6, 1 };
	b = numbers(RECORD_AUXTRACE_INFO, 7, bts);
	expect_tool(&b, RECORD_AUXTRACE_INFO,
		    "PERF_RECORD_AUXTRACE_INFO type: 2\n  PMU Type           1\n  Time Shift         2\n"
		    "  Time Multiplier    3\n  Time Zero          4\n  Cap Time Zero      5\n"
		    "  Snapshot mode      6\n");
	b = numbers(RECORD_AUXTRACE_INFO, 3, spe);
	expect_tool(&b, RECORD_AUXTRACE_INFO,
		    "PERF_RECORD_AUXTRACE_INFO type: 4\n  PMU Type           :1\n  Per CPU mmaps      :2\n");
	b = numbers(RECORD_AUXTRACE_INFO, 2, ptt);
	expect_tool(&b, RECORD_AUXTRACE_INFO, "PERF_RECORD_AUXTRACE_INFO type: 6\n  PMU Type           1\n");
	static const uint64_t data[] = { 16, 0x20, 0x30, UINT64_C(100) << 32 | 1, 2 };
	b = numbers(RECORD_AUXTRACE, 5, data);
	expect_tool(&b, RECORD_AUXTRACE,
		    "PERF_RECORD_AUXTRACE size: 0x10  offset: 0x20  ref: 0x30  idx: 1  tid: 100  cpu: 2\n");
}
END_TEST

static struct mkbytes schedstat(uint32_t type, uint16_t version, uint32_t nr, bool big)
{
	struct mkbytes b = mkbytes_record(type, 0, big);

	mkbytes_u64(&b, 777);
	mkbytes_u32(&b, 2);
	mkbytes_u16(&b, version);
	mkbytes_u16(&b, 1);
	for (uint32_t i = 0; i < nr; i++)
		mkbytes_u32(&b, i);
	return b;
}

#define UP_TO_35                                                                                             \
	"0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 "

START_TEST(statistics_of_the_scheduler_are_told_by_their_version)
{
	struct mkbytes b = schedstat(RECORD_SCHEDSTAT_CPU, 15, 12, false);

	expect_tool(&b, RECORD_SCHEDSTAT_CPU,
		    "PERF_RECORD_SCHEDSTAT_CPU\ncpu2 0 1 2 3 4 5 30064771078 38654705672 47244640266 : "
		    "unhandled!\n");
	b = schedstat(RECORD_SCHEDSTAT_CPU, 18, 12, false);
	expect_tool(
		&b, RECORD_SCHEDSTAT_CPU,
		"PERF_RECORD_SCHEDSTAT_CPU\ncpu2 Unsupported /proc/schedstat version 18.\n: unhandled!\n");
	b = schedstat(RECORD_SCHEDSTAT_DOMAIN, 16, 60, true);
	expect_tool(&b, RECORD_SCHEDSTAT_DOMAIN,
		    "PERF_RECORD_SCHEDSTAT_DOMAIN\ndomain1 " UP_TO_35 ": unhandled!\n");
	b = schedstat(RECORD_SCHEDSTAT_DOMAIN, 17, 60, false);
	expect_tool(&b, RECORD_SCHEDSTAT_DOMAIN,
		    "PERF_RECORD_SCHEDSTAT_DOMAIN\ndomain1 " UP_TO_35
		    "36 37 38 39 40 41 42 43 44 : unhandled!\n");
	b = schedstat(RECORD_SCHEDSTAT_DOMAIN, 17, 2, false); /* cut */
	expect_tool(&b, RECORD_SCHEDSTAT_DOMAIN, "PERF_RECORD_SCHEDSTAT_DOMAIN\ndomain1 0 1 : unhandled!\n");
}
END_TEST

START_TEST(some_end_without_a_line_end)
{
	static const uint32_t types[] = { RECORD_HEADER_BUILD_ID, RECORD_HEADER_EVENT_TYPE,
					  RECORD_STAT_CONFIG, RECORD_STAT, RECORD_AUXTRACE_ERROR };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		char expected[64];
		struct mkbytes b = mkbytes_record(types[i], 0, false);
		snprintf(expected, sizeof(expected), "PERF_RECORD_%s", record_type_name(types[i]));
		expect_tool(&b, types[i], expected);
	}
}
END_TEST

CHECK_SUITE("script_dump_tool", records_of_perf_are_told, processors_are_lists_of_ranges,
	    updates_of_events_say_what_changes, an_index_may_tell_of_guests, newer_clocks_have_a_mask,
	    traces_are_described_by_their_kind, statistics_of_the_scheduler_are_told_by_their_version,
	    some_end_without_a_line_end)
