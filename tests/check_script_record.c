#include "output/script_record.h"

#include "tests/output_text.h"

#define USUAL (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD)

struct fixture {
	struct test_events events;
	struct fields fields;
	struct script_options options;
	struct record record;
	struct view_record view;
};

static void setup(struct fixture *f, uint32_t record_type)
{
	memset(f, 0, sizeof(*f));
	f->view.event = test_event(&f->events, ATTR_HARDWARE, 0, "cycles", USUAL);
	f->view.record = &f->record;
	f->view.comm = "prog";
	f->record.type = record_type;
	f->record.sid = (struct sample_id){ .pid = 100, .tid = 101, .cpu = 2, .time = 1500000000 };
	fields_init(&f->fields, false);
}

static void run(struct fixture *f, const char *fields, const char *expected)
{
	static const struct fields_recording plain;

	if (fields)
		ck_assert_ptr_null(fields_parse(&f->fields, fields));
	ck_assert_ptr_null(fields_check_file(&f->fields, &f->events.list, &plain));
	struct output out = output_open();
	struct script *script = script_new(out.w, &f->fields, &f->options, &f->events.list);
	script_record(script, &f->view);
	script_free(script);
	fields_deinit(&f->fields);
	output_expect(&out, expected);
}

#define PREFIX "            prog     101 [002]     1.500000: "

START_TEST(comm_task_and_lost)
{
	struct fixture f;

	setup(&f, RECORD_COMM);
	f.record.comm = (struct record_comm){ 7, 8, "new name", false };
	run(&f, NULL, PREFIX "PERF_RECORD_COMM: new name:7/8\n");
	setup(&f, RECORD_COMM);
	f.record.comm = (struct record_comm){ 7, 8, "x", true };
	run(&f, NULL, PREFIX "PERF_RECORD_COMM exec: x:7/8\n");
	setup(&f, RECORD_FORK);
	f.record.task = (struct record_task){ 10, 1, 11, 2, 5 };
	run(&f, NULL, PREFIX "PERF_RECORD_FORK(10:11):(1:2)\n");
	setup(&f, RECORD_EXIT);
	f.record.task = (struct record_task){ 10, UINT32_MAX, 11, UINT32_MAX, 5 };
	run(&f, NULL, PREFIX "PERF_RECORD_EXIT(10:11):(-1:-1)\n");
	setup(&f, RECORD_LOST);
	f.record.lost = (struct record_lost){ 3, 42 };
	run(&f, NULL, PREFIX "PERF_RECORD_LOST lost 42\n");
	setup(&f, RECORD_CGROUP);
	f.record.cgroup = (struct record_cgroup){ 1, "/" };
	run(&f, NULL, PREFIX "PERF_RECORD_CGROUP cgroup: 1 /\n");
}
END_TEST

START_TEST(maps)
{
	struct fixture f;

	setup(&f, RECORD_MMAP);
	f.record.mmap = (struct record_mmap){ .pid = UINT32_MAX,
					      .tid = 0,
					      .start = 0x15600000,
					      .len = 0xffffffffaa9fffff,
					      .pgoff = 0,
					      .filename = "[kernel.kallsyms]_stext" };
	run(&f, NULL,
	    PREFIX "PERF_RECORD_MMAP -1/0: [0x15600000(0xffffffffaa9fffff) @ 0]: x "
		   "[kernel.kallsyms]_stext\n");
	setup(&f, RECORD_MMAP);
	f.record.misc = MISC_MMAP_DATA;
	f.record.mmap = (struct record_mmap){
		.pid = 1, .tid = 1, .start = 0, .len = 0x10, .pgoff = 0x20, .filename = "/a b"
	};
	run(&f, NULL, PREFIX "PERF_RECORD_MMAP 1/1: [0(0x10) @ 0x20]: r /a b\n");
	setup(&f, RECORD_MMAP2);
	f.record.mmap = (struct record_mmap){ .pid = 1,
					      .tid = 1,
					      .start = 0x55d9e4f4d000,
					      .len = 0x5000,
					      .pgoff = 0x2000,
					      .has_inode = true,
					      .maj = 0xfd,
					      .min = 1,
					      .ino = 23347190,
					      .ino_generation = 2456581984,
					      .prot = 5,
					      .flags = 2,
					      .filename = "/usr/bin/echo" };
	run(&f, NULL,
	    PREFIX "PERF_RECORD_MMAP2 1/1: [0x55d9e4f4d000(0x5000) @ 0x2000 fd:01 23347190 2456581984]: "
		   "r-xp /usr/bin/echo\n");
	setup(&f, RECORD_MMAP2);
	f.record.mmap = (struct record_mmap){ .pid = 1,
					      .tid = 1,
					      .start = 0x1000,
					      .len = 0x1000,
					      .has_build_id = true,
					      .build_id = build_id_make("\x01\xab\xff", 3),
					      .prot = 7,
					      .flags = 1,
					      .filename = "x" };
	run(&f, NULL, PREFIX "PERF_RECORD_MMAP2 1/1: [0x1000(0x1000) @ 0 <01abff>]: rwxs x\n");
}
END_TEST

START_TEST(switches)
{
	static const struct {
		struct record_switch sw;
		const char *text;
	} table[] = {
		{ { false, false, false, 0, 0 }, PREFIX "PERF_RECORD_SWITCH IN         \n" },
		{ { false, true, false, 0, 0 }, PREFIX "PERF_RECORD_SWITCH OUT        \n" },
		{ { false, true, true, 0, 0 }, PREFIX "PERF_RECORD_SWITCH OUT preempt\n" },
		{ { true, false, false, 0, 0 },
		  PREFIX "PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:     0/0    \n" },
		{ { true, true, false, 1760, 1760 },
		  PREFIX "PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid:  1760/1760 \n" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct fixture f;
		setup(&f, table[i].sw.wide ? RECORD_SWITCH_CPU_WIDE : RECORD_SWITCH);
		f.record.sw = table[i].sw;
		run(&f, NULL, table[i].text);
	}
}
END_TEST

START_TEST(namespaces)
{
	struct fixture f;

	setup(&f, RECORD_NAMESPACES);
	f.record.namespaces.pid = f.record.namespaces.tid = 1259;
	f.record.namespaces.nr = 7;
	for (size_t i = 0; i < 7; i++) {
		f.record.namespaces.at[i].dev = 3;
		f.record.namespaces.at[i].ino = 0xf0000000 + i;
	}
	run(&f, NULL,
	    PREFIX "PERF_RECORD_NAMESPACES 1259/1259 - nr_namespaces: 7\n"
		   "\t\t[0/net: 3/0xf0000000, 1/uts: 3/0xf0000001, 2/ipc: 3/0xf0000002, "
		   "3/pid: 3/0xf0000003, \n"
		   "\t\t 4/user: 3/0xf0000004, 5/mnt: 3/0xf0000005, 6/cgroup: 3/0xf0000006]\n");
	setup(&f, RECORD_NAMESPACES);
	f.record.namespaces.nr = UINT64_MAX; /* only seven are kept */
	struct output out = output_open();
	struct script *script = script_new(out.w, &f.fields, &f.options, &f.events.list);
	script_record(script, &f.view);
	script_free(script);
	char *text = output_close(&out);
	ck_assert_ptr_nonnull(strstr(text, "nr_namespaces: 18446744073709551615\n"));
	ck_assert_ptr_nonnull(strstr(text, "6/cgroup: 0/0]\n"));
	free(text);
}
END_TEST

START_TEST(kernel_symbols_programs_and_patches)
{
	static const uint8_t bytes[18] = { 0xe9, 1, 2, 3, 4 };
	static const struct location location = { .id = 1,
						  .name = "do_idle",
						  .symbol_start = 0xffffffff81000000 };
	struct fixture f;

	setup(&f, RECORD_KSYMBOL);
	f.record.ksymbol = (struct record_ksymbol){ 0xffff8000800dd570, 200, 1, 0, "bpf_prog_x" };
	run(&f, NULL,
	    PREFIX "PERF_RECORD_KSYMBOL addr ffff8000800dd570 len 200 type 1 flags 0x0 name bpf_prog_x\n");
	setup(&f, RECORD_BPF_EVENT);
	f.record.bpf = (struct record_bpf){ 1, 0, 28, { 0 } };
	run(&f, NULL, PREFIX "PERF_RECORD_BPF_EVENT type 1, flags 0, id 28\n");
	setup(&f, RECORD_TEXT_POKE);
	f.record.text_poke = (struct record_text_poke){ 0xffffffff81000010, 5, 18, bytes, bytes };
	f.view.addr = (struct spot){ &location, 0xffffffff81000010 };
	run(&f, NULL,
	    PREFIX "PERF_RECORD_TEXT_POKE ffffffff81000010 do_idle+0x10 old len 5 new len 18\n"
		   "            Old bytes: e9 01 02 03 04\n"
		   "            New bytes: e9 01 02 03 04 00 00 00 00 00 00 00 00 00 00 00\n"
		   "            New bytes: 00 00\n");
	ck_assert_uint_eq(script_record_shown_by(RECORD_KSYMBOL), SHOW_BPF | SHOW_TEXT_POKE);
	ck_assert_uint_eq(script_record_shown_by(RECORD_LOST_SAMPLES), SHOW_NONE);
}
END_TEST

START_TEST(the_columns_are_those_of_the_event)
{
	struct fixture f;

	setup(&f, RECORD_COMM);
	f.record.misc = MISC_COMM_EXEC | CPUMODE_USER;
	f.record.comm = (struct record_comm){ 7, 8, "x", true };
	run(&f, "pid,misc,event,period", "    100 UE    PERF_RECORD_COMM exec: x:7/8\n");
	setup(&f, RECORD_SWITCH);
	f.record.misc = MISC_SWITCH_OUT | MISC_SWITCH_OUT_PREEMPT;
	f.record.sw = (struct record_switch){ .out = true, .preempt = true };
	run(&f, "misc", "Sp    PERF_RECORD_SWITCH OUT preempt\n");
	setup(&f, RECORD_LOST);
	f.view.event = NULL;
	run(&f, NULL, "PERF_RECORD_LOST lost 0\n");
	setup(&f, RECORD_THROTTLE);
	run(&f, NULL, "");
	/* The comm is not padded where samples have chains. */
	setup(&f, RECORD_LOST);
	f.events.events[0].attr.sample_type |= SAMPLE_CALLCHAIN;
	run(&f, NULL, "prog     101 [002]     1.500000: PERF_RECORD_LOST lost 0\n");
}
END_TEST

START_TEST(records_without_a_trailer_name_their_own_task)
{
	struct fixture f;

	setup(&f, RECORD_FORK);
	f.events.events[0].attr.flags = 0;
	f.record.sid = (struct sample_id){ -1, -1, -1, UINT64_MAX, UINT64_MAX, UINT64_MAX };
	f.record.task = (struct record_task){ 10, 1, 11, 2, 3000000 };
	run(&f, "pid,tid,cpu,time", "     10/11      [000]     0.003000: PERF_RECORD_FORK(10:11):(1:2)\n");
	setup(&f, RECORD_COMM);
	f.events.events[0].attr.flags = 0;
	f.record.comm = (struct record_comm){ 7, 8, "x", false };
	run(&f, NULL, "            prog       8 [000]     0.000000: PERF_RECORD_COMM: x:7/8\n");
}
END_TEST

START_TEST(lines_without_columns)
{
	struct fixture f;

	setup(&f, RECORD_AUXTRACE_ERROR);
	f.record.auxtrace_error = (struct record_auxtrace_error){ .error_type = 1,
								  .code = 5,
								  .cpu = 3,
								  .pid = 3174,
								  .tid = 3174,
								  .fmt = 1,
								  .ip = 0xffffffffb960d302,
								  .time = 641256845844,
								  .msg = "Failed to get instruction" };
	struct output out = output_open();
	struct script *script = script_new(out.w, &f.fields, &f.options, &f.events.list);
	script_auxtrace_error(script, &f.record);
	f.record.auxtrace_error = (struct record_auxtrace_error){
		.error_type = 9, .fmt = 2, .machine_pid = 7, .vcpu = 8, .tid = UINT32_MAX
	};
	script_auxtrace_error(script, &f.record);
	script_round(script);
	script_free(script);
	output_expect(&out, " instruction trace error type 1 time 641.256845844 cpu 3 pid 3174 tid 3174 "
			    "ip 0xffffffffb960d302 code 5: Failed to get instruction\n"
			    " unknown AUX error type 9 time 0 machine_pid 7 vcpu 8 cpu 0 pid 0 tid -1 ip 0 "
			    "code 0: \n"
			    "PERF_RECORD_FINISHED_ROUND\n");
}
END_TEST

START_TEST(bpf_metadata_is_a_list)
{
	static char entries[2 * (64 + 256)];
	struct fixture f;

	strcpy(entries, "version");
	strcpy(entries + 64, "1.2");
	memset(entries + 320, 'k', 64);
	memset(entries + 384, 'v', 256);
	setup(&f, RECORD_BPF_METADATA);
	f.record.bpf_metadata = (struct record_bpf_metadata){ "my_prog", 2, (const uint8_t *)entries };
	char expected[600];
	snprintf(expected, sizeof(expected),
		 "PERF_RECORD_BPF_METADATA prog my_prog\n"
		 "  entry 0:              version = 1.2\n"
		 "  entry 1: %.64s = %.256s\n",
		 entries + 320, entries + 384);
	run(&f, NULL, expected);
}
END_TEST

CHECK_SUITE("script_record", comm_task_and_lost, maps, switches, namespaces,
	    kernel_symbols_programs_and_patches, the_columns_are_those_of_the_event,
	    records_without_a_trailer_name_their_own_task, lines_without_columns, bpf_metadata_is_a_list)
