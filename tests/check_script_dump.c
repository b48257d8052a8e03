/* The texts wanted are those of perf script -D 7.2.13 for the same bytes. */
#include "output/script_dump.h"

#include <inttypes.h>

#include "symbolize/dso.h"
#include "tests/mkperf.h"
#include "tests/output_text.h"

static struct raw_record raw_of(struct mkbytes *b, uint32_t type, uint16_t misc)
{
	return (struct raw_record){
		.data = b->bytes.at, .type = type, .misc = misc, .size = (uint16_t)b->bytes.count
	};
}

static struct mkbytes begin(uint32_t type, unsigned size, bool big)
{
	struct mkbytes b = { .big_endian = big };

	mkbytes_u32(&b, type);
	mkbytes_u16(&b, 0);
	mkbytes_u16(&b, (uint16_t)size);
	return b;
}

START_TEST(bytes_stand_before_the_name)
{
	struct mkbytes b = begin(RECORD_FINISHED_ROUND, 26, false);
	const struct script_dump_stamp known = {
		.with_cpu = true, .with_time = true, .cpu = UINT32_MAX, .time = 7
	};
	const struct script_dump_stamp none = { .unknown = true, .with_cpu = true };
	const struct script_dump_stamp timed = { .with_time = true, .cpu = 3, .time = 9 };
	struct output out = output_open();

	mkbytes_data(&b, "Az ~\x7f\x1f\0end of it...", 18);
	struct raw_record raw = raw_of(&b, RECORD_FINISHED_ROUND, 0);
	script_dump_raw(out.w, "a.data", 0x1a8, &raw, &known);
	script_dump_raw(out.w, "pipe", 0, &raw, &none);
	script_dump_raw(out.w, "pipe", 8, &raw, &timed);
	mkbytes_free(&b);
#define BYTES                                                                                                \
	" [0x1a]: event: 68\n.\n. ... raw event: size 26 bytes\n"                                            \
	".  0000:  44 00 00 00 00 00 1a 00 41 7a 20 7e 7f 1f 00 65  D.......Az ~...e\n"                      \
	".  0010:  6e 64 20 6f 66 20 69 74 2e 2e                    nd of it..      \n\n"
	output_expect(&out, "\n0x1a8@a.data" BYTES "4294967295 7 0x1a8 [0x1a]: "
			    "\n0@pipe" BYTES "-1 -1 0 [0x1a]: "
			    "\n0x8@pipe" BYTES "9 0x8 [0x1a]: ");
}
END_TEST

static void expect_tool(struct mkbytes *b, uint32_t type, const char *expected)
{
	struct raw_record raw = raw_of(b, type, 0);
	struct output out = output_open();

	script_dump_tool_record(out.w, &raw, b->big_endian);
	mkbytes_free(b);
	output_expect(&out, expected);
}

START_TEST(records_of_perf_are_told)
{
	for (int big = 0; big < 2; big++) {
		struct mkbytes b = begin(RECORD_ID_INDEX, 0, big);
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
		b = begin(RECORD_THREAD_MAP, 0, big);
		mkbytes_u64(&b, 2);
		for (uint64_t i = 0; i < 2; i++) {
			mkbytes_u64(&b, 10085 + i);
			mkbytes_zeros(&b, 16);
		}
		expect_tool(&b, RECORD_THREAD_MAP, "PERF_RECORD_THREAD_MAP nr: 2 threads: 10085, 10086\n");
		b = begin(RECORD_TIME_CONV, 0, big);
		mkbytes_u64(&b, 31);
		mkbytes_u64(&b, 1789569706);
		mkbytes_u64(&b, 5);
		expect_tool(&b, RECORD_TIME_CONV,
			    "PERF_RECORD_TIME_CONV\n... Time Shift      31\n... Time Multiplier 1789569706\n"
			    "... Time Zero       5\n: unhandled!\n");
		b = begin(RECORD_FINISHED_INIT, 8, big);
		expect_tool(&b, RECORD_FINISHED_INIT, "PERF_RECORD_FINISHED_INIT: unhandled!\n");
		b = begin(RECORD_FINISHED_ROUND, 8, big);
		expect_tool(&b, RECORD_FINISHED_ROUND, "PERF_RECORD_FINISHED_ROUND\n");
	}
}
END_TEST

START_TEST(processors_are_lists_of_ranges)
{
	struct mkbytes b = begin(RECORD_CPU_MAP, 0, false);

	mkbytes_u16(&b, 2); /* a range */
	mkbytes_u16(&b, 0);
	mkbytes_u16(&b, 0);
	mkbytes_u16(&b, 1);
	expect_tool(&b, RECORD_CPU_MAP, "PERF_RECORD_CPU_MAP: 0-1\n");
	b = begin(RECORD_CPU_MAP, 0, false);
	mkbytes_u16(&b, 0); /* one by one */
	mkbytes_u16(&b, 5);
	static const uint16_t some[] = { 0, 1, 2, 5, 7 };
	for (size_t i = 0; i < 5; i++)
		mkbytes_u16(&b, some[i]);
	expect_tool(&b, RECORD_CPU_MAP, "PERF_RECORD_CPU_MAP: 0-2,5,7\n");
	b = begin(RECORD_CPU_MAP, 0, true);
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
	struct mkperf *m = mkperf_new((struct mkperf_options){ .pipe = true });
	struct mkbytes b = begin(RECORD_EVENT_UPDATE, 0, false);

	mkbytes_u64(&b, 0);
	mkbytes_u64(&b, 232);
	mkbytes_data(&b, "msec\0\0\0", 8);
	expect_tool(&b, RECORD_EVENT_UPDATE, "PERF_RECORD_EVENT_UPDATE\n... id:    232\n... unit:  msec\n");
	b = begin(RECORD_EVENT_UPDATE, 0, false);
	mkbytes_u64(&b, 1);
	mkbytes_u64(&b, 232);
	mkbytes_u64(&b, 0x3eb0c6f7a0b5ed8d);
	expect_tool(&b, RECORD_EVENT_UPDATE,
		    "PERF_RECORD_EVENT_UPDATE\n... id:    232\n... scale: 0.000001\n");
	b = begin(RECORD_EVENT_UPDATE, 0, false);
	mkbytes_u64(&b, 3);
	mkbytes_u64(&b, 232);
	mkbytes_u16(&b, 2);
	mkbytes_u16(&b, 0);
	mkbytes_u16(&b, 0);
	mkbytes_u16(&b, 3);
	expect_tool(&b, RECORD_EVENT_UPDATE, "PERF_RECORD_EVENT_UPDATE\n... id:    232\n... 0-3\n");
	b = begin(RECORD_EVENT_UPDATE, 0, false); /* cut */
	mkbytes_u64(&b, 2);
	expect_tool(&b, RECORD_EVENT_UPDATE, "PERF_RECORD_EVENT_UPDATE\n... id:    0\n... name:  \n");
	mkperf_free(m);
}
END_TEST

static void expect_record(const struct record *record, const char *expected)
{
	struct output out = output_open();

	script_dump_record(out.w, record, NULL);
	output_expect(&out, expected);
}

START_TEST(records_of_the_kernel_are_told)
{
	expect_record(&(struct record){ .type = RECORD_LOST, .lost = { 1, 77 } },
		      "PERF_RECORD_LOST: id:1: lost:77\n");
	expect_record(&(struct record){ .type = RECORD_LOST_SAMPLES,
					.sid = { .id = UINT64_MAX },
					.lost = { 0, 77 } },
		      "PERF_RECORD_LOST_SAMPLES: id:18446744073709551615: lost samples :77\n");
	expect_record(&(struct record){ .type = RECORD_AUX, .aux = { 0x10, 0x20, 3 } },
		      "PERF_RECORD_AUX offset: 0x10 size: 0x20 flags: 0x3 [TO]\n");
	expect_record(&(struct record){ .type = RECORD_ITRACE_START, .itrace = { 100, 101 } },
		      "PERF_RECORD_ITRACE_START pid: 100 tid: 101\n");
	expect_record(&(struct record){ .type = RECORD_THROTTLE }, "PERF_RECORD_THROTTLE");
	expect_record(&(struct record){ .type = RECORD_COMM, .comm = { 100, 100, "prog", false } },
		      "PERF_RECORD_COMM: prog:100/100\n");
	expect_record(&(struct record){ .type = RECORD_SWITCH, .sw = { .out = true } },
		      "PERF_RECORD_SWITCH OUT        \n");
	expect_record(&(struct record){ .type = 31 }, "PERF_RECORD_UNKNOWN\n");
}
END_TEST

static const struct arch_reg some_regs[] = { { .name = "AX" }, { .name = "BX" } };
static const struct arch some_arch = { .regs = some_regs, .nr_regs = 2 };

START_TEST(a_sample_is_told_from_chain_to_counts)
{
	struct test_events events = { 0 };
	struct event *event =
		test_event(&events, ATTR_HARDWARE, 0, "cycles",
			   SAMPLE_IP | SAMPLE_TID | SAMPLE_CALLCHAIN | SAMPLE_BRANCH_STACK |
				   SAMPLE_WEIGHT_STRUCT | SAMPLE_DATA_SRC | SAMPLE_PHYS_ADDR |
				   SAMPLE_DATA_PAGE_SIZE | SAMPLE_CODE_PAGE_SIZE | SAMPLE_TRANSACTION);
	static const uint64_t chain[] = { CHAIN_USER, 0x400020, CHAIN_USER_DEFERRED, 5 }, regs[] = { 1, 2 };
	static const struct branch_entry branches[] = {
		{ 0x400010, 0x400100, 2 | 4 << 4 },
		{ 0x400110, 0x400010, 1 | 4 | 8 | 5 << 20 | 1 << 24 },
	};
	static const uint8_t bytes[64];
	const struct raw_record raw = { .data = bytes, .size = 64 };
	const struct sample sample = {
		.misc = 2,
		.pid = 100,
		.tid = 101,
		.ip = 0x400020,
		.period = 7,
		.addr = 0x1234,
		.chain = chain,
		.nr_chain = 4,
		.branches = branches,
		.nr_branches = 2,
		.user_regs = { 2, 3, regs },
		.intr_regs = { 1, 5, regs },
		.stack = bytes + 0x20,
		.stack_size = 48,
		.weight = 1,
		.ins_lat = 2,
		.retire_lat = 3,
		.data_src = 0x68100142,
		.phys_addr = 0x77000,
		.data_page_size = 4096,
		.transaction = 0x19,
	};
	struct output out = output_open();

	script_dump_sample(out.w, event, &sample, &raw, &some_arch);
	output_expect(
		&out,
		"PERF_RECORD_SAMPLE(IP, 0x2): 100/101: 0x400020 period: 7 addr: 0x1234\n"
		"... FP chain: nr:4\n"
		".....  0: fffffffffffffe00 (PERF_CONTEXT_USER)\n"
		".....  1: 0000000000400020\n"
		".....  2: fffffffffffffd80 (PERF_CONTEXT_USER_DEFERRED)\n"
		".....  3: 0000000000000005\n"
		"...... (deferred)\n"
		"... branch stack: nr:2\n"
		".....  0: 0000000000400010 -> 0000000000400100 4 cycles  P   0  \n"
		".....  1: 0000000000400110 -> 0000000000400010 0 cycles M AT 0 IND_CALL SPEC_WRONG_PATH\n"
		"... user regs: mask 0x3 ABI 64-bit\n"
		".... AX    0x0000000000000001\n"
		".... BX    0x0000000000000002\n"
		"... intr regs: mask 0x5 ABI 32-bit\n"
		".... AX    0x0000000000000001\n"
		".... unknown 0x0000000000000002\n"
		"... ustack: size 48, offset 0x18\n"
		"... weight: 1,0x2,0x3\n"
		" . data_src: 0x68100142\n"
		" .. phys_addr: 0x77000\n"
		" .. data page size: 4K\n"
		" .. code page size: N/A\n"
		"... transaction: 19\n");
}
END_TEST

START_TEST(a_call_stack_of_branches_is_told_twice)
{
	struct test_events events = { 0 };
	struct event *event = test_event(&events, ATTR_HARDWARE, 0, "cycles",
					 SAMPLE_IP | SAMPLE_TID | SAMPLE_CALLCHAIN | SAMPLE_BRANCH_STACK);
	static const uint64_t chain[] = { CHAIN_KERNEL, 0xffffffff81000030, CHAIN_USER, 0x400120 };
	static const struct branch_entry branch = { 0x400010, 0x400100, 2 };
	const struct raw_record raw = { .size = 8 };
	struct sample sample = {
		.misc = 2, .chain = chain, .nr_chain = 4, .branches = &branch, .nr_branches = 1
	};
	struct output out = output_open();

	event->attr.branch_sample_type = BRANCH_CALL_STACK;
	script_dump_sample(out.w, event, &sample, &raw, &some_arch);
	output_expect(&out, "PERF_RECORD_SAMPLE(IP, 0x2): 0/0: 0 period: 0 addr: 0\n"
			    "... LBR call chain: nr:5\n"
			    ".....  0: ffffffffffffff80\n"
			    ".....  1: ffffffff81000030\n"
			    ".....  2: fffffffffffffe00\n"
			    ".....  3: 0000000000400100\n"
			    ".....  4: 0000000000400010\n"
			    "... FP chain: nr:4\n"
			    ".....  0: ffffffffffffff80 (PERF_CONTEXT_KERNEL)\n"
			    ".....  1: ffffffff81000030\n"
			    ".....  2: fffffffffffffe00 (PERF_CONTEXT_USER)\n"
			    ".....  3: 0000000000400120\n"
			    "... branch callstack: nr:2\n"
			    ".....  0: 0000000000400100\n"
			    ".....  1: 0000000000400010\n");
}
END_TEST

START_TEST(a_task_has_a_name_and_a_place)
{
	const struct dso libc = { .kind = DSO_FILE, .name = "libc", .long_name = "/lib/libc.so.6" };
	const struct dso kernel = { .kind = DSO_KERNEL,
				    .name = "[kernel.kallsyms]",
				    .long_name = "/boot/vmlinux" };
	struct location at = { .dso = &libc };
	struct sample sample = { .cpumode = CPUMODE_USER };
	struct view view = { .sample = &sample, .comm = "prog", .tid = 7, .ip = &at };
	struct output out = output_open();

	script_dump_task(out.w, &view);
	at.dso = &kernel;
	script_dump_task(out.w, &view);
	at.dso = NULL;
	script_dump_task(out.w, &view);
	sample.cpumode = CPUMODE_GUEST_USER;
	script_dump_task(out.w, &view);
	output_expect(&out, " ... thread: prog:7\n ...... dso: /lib/libc.so.6\n"
			    " ... thread: prog:7\n ...... dso: [kernel.kallsyms]\n"
			    " ... thread: prog:7\n ...... dso: <not found>\n"
			    " ... thread: prog:7\n ...... dso: [hypervisor]\n");
}
END_TEST

CHECK_SUITE("script_dump", bytes_stand_before_the_name, records_of_perf_are_told,
	    processors_are_lists_of_ranges, updates_of_events_say_what_changes,
	    records_of_the_kernel_are_told, a_sample_is_told_from_chain_to_counts,
	    a_call_stack_of_branches_is_told_twice, a_task_has_a_name_and_a_place)
