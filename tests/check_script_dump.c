/* The texts wanted are those of perf script -D 7.2.13 for the same bytes. */
#include "output/script_dump.h"

#include <inttypes.h>

#include "symbolize/dso.h"
#include "tests/mkperf.h"
#include "tests/output_text.h"

START_TEST(bytes_stand_before_the_name)
{
	struct mkbytes b = mkbytes_record(RECORD_FINISHED_ROUND, 26, false);
	const struct script_dump_stamp known = {
		.with_cpu = true, .with_time = true, .cpu = UINT32_MAX, .time = 7
	};
	const struct script_dump_stamp none = { .unknown = true, .with_cpu = true };
	const struct script_dump_stamp timed = { .with_time = true, .cpu = 3, .time = 9 };
	struct output out = output_open();

	mkbytes_data(&b, "Az ~\x7f\x1f\0end of it...", 18);
	struct raw_record raw = mkbytes_raw(&b, RECORD_FINISHED_ROUND, 0);
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

static void expect_record(const struct record *record, const char *expected)
{
	struct output out = output_open();

	script_dump_record(out.w, NULL, record, NULL);
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
	expect_record(&(struct record){ .type = RECORD_LOST_SAMPLES,
					.misc = MISC_LOST_SAMPLES_BPF,
					.sid = { .id = 1 },
					.lost = { 0, 3 } },
		      "PERF_RECORD_LOST_SAMPLES: id:1: lost samples :3 (BPF)\n");
	expect_record(&(struct record){ .type = RECORD_AUX_OUTPUT_HW_ID, .hw_id = 0x77 },
		      "PERF_RECORD_AUX_OUTPUT_HW_ID hw_id: 0x77\n");
	expect_record(&(struct record){ .type = RECORD_BPF_METADATA, .bpf_metadata = { "prog", 0, NULL } },
		      "PERF_RECORD_BPF_METADATA prog prog\n: unhandled!\n");
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

START_TEST(counts_are_told_as_far_as_they_were_asked_for)
{
	struct test_events events = { 0 };
	struct event *event = test_event(&events, ATTR_HARDWARE, 0, "cycles", SAMPLE_TID);
	const struct record record = { .type = RECORD_READ, .read = { 100, 101, 11, 12, 13, 2, 15 } };
	struct output out = output_open();

	script_dump_record(out.w, event, &record, NULL);
	event->attr.read_format = READ_TOTAL_TIME_ENABLED | READ_LOST;
	script_dump_record(out.w, event, &record, NULL);
	event->attr.read_format |= READ_TOTAL_TIME_RUNNING | READ_ID;
	script_dump_record(out.w, event, &record, NULL);
	output_expect(&out, "PERF_RECORD_READ: 100 101 cycles 11\n: unhandled!\n"
			    "PERF_RECORD_READ: 100 101 cycles 11\n... time enabled : 12\n"
			    "... lost         : 15\n: unhandled!\n"
			    "PERF_RECORD_READ: 100 101 cycles 11\n... time enabled : 12\n"
			    "... time running : 13\n... id           : 2\n... lost         : 15\n"
			    ": unhandled!\n");
}
END_TEST

START_TEST(a_late_chain_is_told_where_there_are_chains)
{
	struct test_events events = { 0 };
	struct event *event = test_event(&events, ATTR_HARDWARE, 0, "cycles", SAMPLE_TID);
	static const uint8_t ip[] = { 0x20, 1, 0x40, 0, 0, 0, 0, 0 };
	const struct record record = { .type = RECORD_CALLCHAIN_DEFERRED,
				       .misc = 2,
				       .sid = { .pid = 100, .tid = 101 },
				       .deferred = { 0x77, 1, ip } };
	struct output out = output_open();

	script_dump_late_chain(out.w, event, &record, false);
	event->attr.sample_type |= SAMPLE_CALLCHAIN;
	script_dump_late_chain(out.w, event, &record, false);
	output_expect(&out, "PERF_RECORD_CALLCHAIN_DEFERRED(IP, 0x2): 100/101: 0x77\n"
			    "PERF_RECORD_CALLCHAIN_DEFERRED(IP, 0x2): 100/101: 0x77\n"
			    "... FP chain: nr:1\n.....  0: 0000000000400120\n");
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
	struct view view = { .sample = &sample, .comm = "prog", .tid = 7, .ip = { &at, 0 } };
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

CHECK_SUITE("script_dump", bytes_stand_before_the_name, records_of_the_kernel_are_told,
	    counts_are_told_as_far_as_they_were_asked_for, a_late_chain_is_told_where_there_are_chains,
	    a_sample_is_told_from_chain_to_counts, a_call_stack_of_branches_is_told_twice,
	    a_task_has_a_name_and_a_place)
