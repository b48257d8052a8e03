#include "output/script.h"

#include "output/data_src.h"
#include "symbolize/dso.h"
#include "tests/output_text.h"

static struct dso libc = {
	.kind = DSO_FILE, .name = "/lib/libc.so.6", .long_name = "/lib/libc.so.6", .short_name = "libc.so.6"
};
static struct dso kernel = { .kind = DSO_KERNEL,
			     .name = "[kernel.kallsyms]",
			     .long_name = "/boot/vmlinux",
			     .short_name = "[kernel.kallsyms]",
			     .identity = true };
static struct dso heap = {
	.kind = DSO_ANON, .name = "[heap]", .long_name = "[heap]", .short_name = "[heap]"
};

static struct location unmapped = { .id = 0 };
static struct location ioctl_at = { .id = 1,
				    .dso = &libc,
				    .vaddr = 0xe3c10,
				    .name = "ioctl",
				    .symbol_start = 0xe3c00,
				    .file = "/src/libc/ioctl.c",
				    .line = 7 };
static struct location libc_unknown = { .id = 2, .dso = &libc, .vaddr = 0x37744 };
static struct location in_kernel = {
	.id = 3, .dso = &kernel, .name = "do_idle", .symbol_start = 0xffffffff81000010
};
static const struct inline_call calls[] = { { "inner(int)", "a/in.h", 3 }, { "outer", NULL, 0 } };
static struct location inlined = { .id = 5,
				   .dso = &libc,
				   .one_address = true,
				   .vaddr = 0x1130,
				   .name = "leaf",
				   .symbol_start = 0x1129,
				   .inlines = calls,
				   .nr_inlines = 2,
				   .file = "leaf.c",
				   .line = 12 };
static struct location in_heap = { .id = 4, .dso = &heap, .vaddr = 0x5000 };

/* A module with the names of kallsyms, whose file has 0x40 bytes in front of the text. */
static struct dso module = { .kind = DSO_MODULE,
			     .name = "[ext4]",
			     .long_name = "/lib/ext4.ko",
			     .short_name = "[ext4]",
			     .identity = true,
			     .text_start = 0xffffffffc0000000,
			     .file_start = 0xffffffffc0000000 - 0x40 };
static struct location in_module = { .id = 6, .dso = &module, .vaddr = 0xffffffffc0000123 };
static struct dso jit = { .kind = DSO_JIT, .name = "/tmp/perf-7.map", .identity = true };
static struct location in_jit = { .id = 7, .dso = &jit, .vaddr = 0x7000 };

/* clang-format off */
/* An address in each. */
#define IOCTL_AT { &ioctl_at, 0xe3c10 }
#define LIBC_UNKNOWN { &libc_unknown, 0x27744 }
#define IN_KERNEL { &in_kernel, 0xffffffff81000010 }
#define INLINED { &inlined, 0x1130 }
#define IN_HEAP { &in_heap, 0x5000 }
#define IN_MODULE { &in_module, 0xffffffffc0000123 }
#define IN_JIT { &in_jit, 0x7000 }
#define UNMAPPED { &unmapped, 0 }
/* clang-format on */

/* One event, one sample, its fields: the defaults of a test. */
struct fixture {
	struct test_events events;
	struct fields fields;
	struct script_options options;
	struct sample sample;
	struct view view;
	struct output out;
	struct script *script;
};

static void setup(struct fixture *f, uint32_t type, uint64_t config, const char *name, uint64_t sample_type)
{
	memset(f, 0, sizeof(*f));
	f->view.event = test_event(&f->events, type, config, name, sample_type);
	f->view.sample = &f->sample;
	f->view.comm = "prog";
	f->view.time = 2000000123;
	f->view.ip = (struct spot)IOCTL_AT;
	f->sample = (struct sample){ .misc = 2,
				     .pid = 100,
				     .tid = 101,
				     .cpu = 1,
				     .ip = 0xffffa9f03c10,
				     .time = 2000000123,
				     .period = 250000 };
	fields_init(&f->fields, false);
}

#define USUAL (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD)

static void start(struct fixture *f, const char *fields)
{
	static const struct fields_recording with_clock = { .has_clock_data = true };

	if (fields)
		ck_assert_ptr_null(fields_parse(&f->fields, fields));
	ck_assert_ptr_null(fields_check_file(&f->fields, &f->events.list, &with_clock));
	f->out = output_open();
	f->script = script_new(f->out.w, &f->fields, &f->options, &f->events.list);
}

static void finish(struct fixture *f, const char *expected)
{
	script_free(f->script);
	fields_deinit(&f->fields);
	output_expect(&f->out, expected);
}

/* The one sample of @f with these fields. */
static void expect(struct fixture *f, const char *fields, const char *expected)
{
	start(f, fields);
	script_sample(f->script, &f->view);
	finish(f, expected);
}

START_TEST(a_sample_without_chain_is_one_line)
{
	struct fixture f;

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	test_event(&f.events, ATTR_SOFTWARE, SW_DUMMY, "long-dummy:u", USUAL);
	expect(&f, NULL,
	       "            prog     101 [001]     2.000000:     250000       cycles:      ffffa9f03c10 "
	       "ioctl+0x10 (/lib/libc.so.6)\n");
}
END_TEST

START_TEST(a_chain_is_a_line_a_frame_and_a_blank_line)
{
	struct fixture f;
	const struct view_frame frames[] = { { 0xffffffff81000010, IN_KERNEL, false },
					     { 0xffffa9f03c10, IOCTL_AT, false },
					     { 0x27744, LIBC_UNKNOWN, false },
					     { 0x5, UNMAPPED, false },
					     { 0x99, UNMAPPED, true } };

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL | SAMPLE_CALLCHAIN);
	f.view.has_chain = true;
	f.view.frames = frames;
	f.view.nr_frames = 5;
	start(&f, NULL);
	script_sample(f.script, &f.view);
	f.view.nr_frames = 0;
	script_sample(f.script, &f.view);
	f.view.has_chain = false;
	script_sample(f.script, &f.view);
	finish(&f, "prog     101 [001]     2.000000:     250000 cycles: \n"
		   "\tffffffff81000010 do_idle+0x0 ([kernel.kallsyms])\n"
		   "\t    ffffa9f03c10 ioctl+0x10 (/lib/libc.so.6)\n"
		   "\t           27744 [unknown] (/lib/libc.so.6)\n"
		   "\t               5 [unknown] ([unknown])\n"
		   "\t              99 (cookie) ([unknown])\n"
		   "\n"
		   "prog     101 [001]     2.000000:     250000 cycles: \n"
		   "\n"
		   "prog     101 [001]     2.000000:     250000 cycles:      ffffa9f03c10 ioctl+0x10 "
		   "(/lib/libc.so.6)\n");
}
END_TEST

START_TEST(hidden_chains_print_the_ip)
{
	struct fixture f;
	const struct view_frame frame = { 0x5, UNMAPPED, false };

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL | SAMPLE_CALLCHAIN);
	f.fields.use_callchain = false;
	f.view.has_chain = true;
	f.view.frames = &frame;
	f.view.nr_frames = 1;
	expect(&f, "comm,ip,sym", "            prog      ffffa9f03c10 ioctl\n");
}
END_TEST

START_TEST(inlined_calls_are_lines_with_the_same_address)
{
	struct fixture f;
	const struct view_frame frames[] = { { 0x401130, INLINED, false } };

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL | SAMPLE_CALLCHAIN);
	f.view.has_chain = true;
	f.view.frames = frames;
	f.view.nr_frames = 1;
	start(&f, "ip,sym,symoff,dso,srcline");
	script_sample(f.script, &f.view);
	f.view.has_chain = false;
	f.view.ip = (struct spot)INLINED;
	script_sample(f.script, &f.view);
	finish(&f, "\n"
		   "\t          401130 inner(int)+0x7\n  in.h:3 (inlined)\n"
		   "\t          401130 outer+0x7\n  libc.so.6[1130] (inlined)\n"
		   "\t          401130 leaf+0x7 (/lib/libc.so.6)\n  leaf.c:12\n"
		   "\n"
		   "     ffffa9f03c10 leaf+0x7 (/lib/libc.so.6)\n  in.h:3\n");
}
END_TEST

START_TEST(a_function_inlined_in_itself_is_an_inlined_call)
{
	struct fixture f;
	static const struct inline_call call = { "leaf", "leaf.c", 9 };
	struct location recursion = inlined;
	const struct view_frame frames[] = { { 0x401130, { &recursion, 0x1130 }, false } };

	recursion.inlines = &call;
	recursion.nr_inlines = 1;
	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL | SAMPLE_CALLCHAIN);
	f.view.has_chain = true;
	f.view.frames = frames;
	f.view.nr_frames = 1;
	expect(&f, "ip,sym,symoff,dso",
	       "\n\t          401130 leaf+0x7 (inlined)\n"
	       "\t          401130 leaf+0x7 (/lib/libc.so.6)\n\n");
}
END_TEST

START_TEST(stop_bt_ends_a_chain_behind_the_named_frame)
{
	struct fixture f;
	const char *const names[] = { "outer", "ioctl" };
	const struct view_frame frames[] = { { 0x5, UNMAPPED, false },
					     { 0x401130, INLINED, false },
					     { 0x6, UNMAPPED, false } };

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL | SAMPLE_CALLCHAIN);
	f.options.frames.stop_at = names;
	f.options.frames.nr_stop_at = 2;
	f.view.has_chain = true;
	f.view.frames = frames;
	f.view.nr_frames = 3;
	expect(&f, "ip,sym",
	       "\n\t               5 [unknown]\n\t          401130 inner(int) (inlined)\n"
	       "\t          401130 outer (inlined)\n\n");
}
END_TEST

START_TEST(srcline_falls_back_to_the_place_in_the_file)
{
	struct fixture f;

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	start(&f, "ip,srcline");
	script_sample(f.script, &f.view);
	f.view.ip = (struct spot)LIBC_UNKNOWN;
	script_sample(f.script, &f.view);
	f.view.ip = (struct spot)IN_MODULE;
	script_sample(f.script, &f.view);
	f.view.ip = (struct spot)UNMAPPED;
	script_sample(f.script, &f.view);
	finish(&f, "     ffffa9f03c10\n  ioctl.c:7\n     ffffa9f03c10\n  libc.so.6[37744]\n"
		   "     ffffa9f03c10\n  [ext4][123]\n     ffffa9f03c10\n");
	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	f.options.frames.full_source_path = true;
	expect(&f, "ip,srcline", "     ffffa9f03c10\n  /src/libc/ioctl.c:7\n");
}
END_TEST

START_TEST(source_text_follows_the_sample)
{
	struct fixture f;

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	f.view.source = (struct view_text){ "\t\ts += i;NEXT", 9 };
	f.view.source_line = 8;
	start(&f, "ip,srccode");
	script_sample(f.script, &f.view);
	f.view.source.text = NULL; /* the same line as before, or there is no such file */
	script_sample(f.script, &f.view);
	finish(&f, "     ffffa9f03c10\n|8        \t\ts += i;\n     ffffa9f03c10\n");
}
END_TEST

START_TEST(dsoff_prints_the_offset_of_object_files)
{
	struct fixture f;

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	start(&f, "ip,dsoff");
	script_sample(f.script, &f.view);
	f.view.ip = (struct spot)IN_HEAP;
	script_sample(f.script, &f.view);
	f.view.ip = (struct spot)IN_KERNEL; /* no symbols were loaded: perf prints an offset then */
	script_sample(f.script, &f.view);
	f.view.ip = (struct spot)IN_MODULE;
	script_sample(f.script, &f.view);
	finish(&f, "     ffffa9f03c10 (/lib/libc.so.6+0xe3c10)\n     ffffa9f03c10 ([heap]+0x5000)\n"
		   "     ffffa9f03c10 (/boot/vmlinux+0xffffffff81000010)\n"
		   "     ffffa9f03c10 (/lib/ext4.ko+0x163)\n");
	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	f.view.ip = (struct spot)IN_KERNEL;
	f.options.frames.show_kernel_path = true;
	expect(&f, "ip,dso", "     ffffa9f03c10 (/boot/vmlinux)\n");
}
END_TEST

/* C++ has names of many kilobytes; their text is put together piece by piece. */
START_TEST(names_may_be_long)
{
	struct fixture f;
	static char name[WRITER_ROOM + 2000], expected[WRITER_ROOM + 2100];
	struct location location = { .id = 9, .dso = &libc, .name = name, .symbol_start = 0x1000 };

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (size_t cut = 0; cut <= WRITER_ROOM + 1600; cut += cut ? 8 : WRITER_ROOM) {
		setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
		f.view.ip = (struct spot){ &location, 0x1fed };
		snprintf(expected, sizeof(expected), "     ffffa9f03c10 %s+0xfed (/lib/libc.so.6+0x1fed)\n",
			 name + cut);
		location.name = name + cut;
		location.note = (struct location_note){ 0 };
		expect(&f, "ip,sym,symoff,dsoff", expected);
	}
}
END_TEST

START_TEST(dsoff_prints_no_offset_where_a_perf_map_names_the_code)
{
	struct fixture f;
	struct dso *writable = &jit;

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	f.view.ip = (struct spot)IN_JIT;
	expect(&f, "ip,dsoff", "     ffffa9f03c10 (/tmp/perf-7.map+0x7000)\n");
	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	f.view.ip = (struct spot)IN_JIT;
	writable->symtab = (struct symtab *)writable; /* only whether there is one is asked */
	expect(&f, "ip,dsoff", "     ffffa9f03c10 (/tmp/perf-7.map)\n");
	writable->symtab = NULL;
}
END_TEST

START_TEST(the_columns_in_front_have_their_widths)
{
	struct fixture f;

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	expect(&f, "comm,pid,tid,cpu,time", "            prog     100/101     [001]     2.000000: \n");
	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	f.view.comm = "a comm that is longer than sixteen";
	f.sample.pid = f.sample.tid = f.sample.cpu = -1;
	f.view.time = UINT64_MAX;
	expect(&f, "comm,pid,tid,cpu,time",
	       "a comm that is longer than sixteen      -1/-1      [-01] 18446744073.709551: \n");
	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	f.sample.pid = f.sample.tid = 12345678;
	f.sample.cpu = 1234;
	f.view.time = 1234567890123456789;
	f.options.ns = true;
	expect(&f, "pid,cpu,time", "12345678 [1234] 1234567890.123456789: \n");
	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	f.options.latency = true;
	f.view.comm = "longer than 8";
	expect(&f, "comm,cpu", "longer t   1 \n");
	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	char comm[1000] = { 0 };
	memset(comm, 'x', 999);
	f.view.comm = comm;
	char expected[1010];
	snprintf(expected, sizeof(expected), "%s     101 \n", comm);
	expect(&f, "comm,tid", expected);
}
END_TEST

START_TEST(misc_letters_follow_the_bits)
{
	static const struct {
		uint16_t misc;
		const char *text;
	} table[] = { { 0, "      \n" }, { 1, "K     \n" }, { 2, "U     \n" },
		      { 3, "KUH   \n" }, { 5, "KGg   \n" }, { 7, "KUHGg \n" } };

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct fixture f;
		setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
		f.sample.misc = table[i].misc;
		expect(&f, "misc", table[i].text);
	}
}
END_TEST

START_TEST(relative_times_count_from_printed_lines)
{
	struct fixture f;

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	f.options.reltime = true;
	start(&f, "time");
	script_sample(f.script, &f.view);
	f.view.time += 1500;
	script_sample(f.script, &f.view);
	/* back to the first one, from what is before it: records in the order of the file */
	f.view.time -= 500000000;
	script_sample(f.script, &f.view);
	f.view.time += 500000000;
	script_sample(f.script, &f.view);
	finish(&f, "    0.000000: \n    0.000001: \n18446744073.209553: \n    0.000001: \n");
	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	f.options.deltatime = true;
	start(&f, "time");
	script_sample(f.script, &f.view);
	f.view.time += 1500;
	script_sample(f.script, &f.view);
	f.view.time += 2500;
	script_sample(f.script, &f.view);
	finish(&f, "    0.000000: \n    0.000001: \n    0.000002: \n");
}
END_TEST

START_TEST(tod_is_local_time)
{
	struct fixture f;

	setenv("TZ", "UTC", 1);
	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	struct features features = { .clock_data = { .clock_ns = 1000000000,
						     .wall_ns = 1600000000000000000 } };
	f.options.features = &features;
	start(&f, "tod");
	/* a stream whose clock is not told yet */
	script_sample(f.script, &f.view);
	features.present[0] |= UINT64_C(1) << FEATURE_CLOCK_DATA;
	script_sample(f.script, &f.view);
	f.view.time = 500000000;
	script_sample(f.script, &f.view);
	finish(&f, "disabled \n2020-09-13 12:26:41.000000 \n2020-09-13 12:26:39.500000 \n");
}
END_TEST

START_TEST(the_event_column_is_as_wide_as_the_longest_name)
{
	struct fixture f;

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	test_event(&f.events, ATTR_HARDWARE, 1, "instructions", USUAL);
	start(&f, "event");
	script_sample(f.script, &f.view);
	f.view.event = &f.events.events[1];
	script_sample(f.script, &f.view);
	test_event(&f.events, ATTR_HARDWARE, 2, "a-much-longer-name", USUAL);
	script_changed(f.script);
	f.view.event = &f.events.events[0];
	script_sample(f.script, &f.view);
	finish(&f, "      cycles: \ninstructions: \n      cycles: \n");
}
END_TEST

START_TEST(flags_are_a_column_of_blanks)
{
	struct fixture f;

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	expect(&f, "comm,flags,ip",
	       "            prog "
	       "                        "
	       "     ffffa9f03c10\n");
}
END_TEST

START_TEST(trace_text_stands_behind_the_event)
{
	struct fixture f;

	setup(&f, ATTR_TRACEPOINT, 5, "sched:x", USUAL | SAMPLE_RAW);
	f.view.trace = (struct view_text){ "a=1 b=2", 7 };
	expect(&f, NULL, "            prog     101 [001]     2.000000: sched:x: a=1 b=2\n");
}
END_TEST

START_TEST(memory_columns_come_in_perfs_order)
{
	struct fixture f;

	setup(&f, ATTR_RAW, 0x1cd, "mem-loads",
	      USUAL | SAMPLE_ADDR | SAMPLE_DATA_SRC | SAMPLE_WEIGHT_STRUCT | SAMPLE_PHYS_ADDR |
		      SAMPLE_DATA_PAGE_SIZE | SAMPLE_CODE_PAGE_SIZE);
	f.sample.addr = 0x7fff1234;
	f.sample.data_src = 0x68100142;
	f.sample.weight = 273;
	f.sample.ins_lat = 2;
	f.sample.retire_lat = 3;
	f.sample.phys_addr = 0x12345000;
	f.sample.data_page_size = 4096;
	f.sample.code_page_size = 2097152;
	f.sample.period = 1;
	f.sample.ip = 0x400100;
	f.view.ip = (struct spot)LIBC_UNKNOWN;
	expect(&f, NULL,
	       "            prog     101 [001]     2.000000:          1 mem-loads:         7fff1234        "
	       "68100142 "
	       "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A             273               2"
	       "               3           400100 [unknown] (/lib/libc.so.6)        12345000 4K 2M\n");
}
END_TEST

static void expect_data_src(uint64_t value, const char *expected)
{
	char text[DATA_SRC_MAX];
	size_t size = data_src_text(value, text);

	ck_assert_uint_eq(size, strlen(expected));
	ck_assert(!memcmp(text, expected, size));
}

START_TEST(data_src_is_decoded)
{
	expect_data_src(0, "               0 |OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  N/A");
	/* N/A stands among others of the TLB, and alone for what blocked. */
	expect_data_src(0x420288086902440, " 420288086902440 |OP No|LVL L2 or Remote RAM (1 hop) hit|"
					   "SNP None or HitM or Peer|TLB N/A or Walker");
	expect_data_src(0x4440030289095429, "4440030289095429 |OP N/A|LVL L1 |SNP N/A|TLB Walker hit|LCK N/A|"
					    "BLK  N/A");
	/* of more hops than have a name perf prints "(null)" */
	expect_data_src(0x65fff14605d4a8fe, "65fff14605d4a8fe |OP LOAD|LVL L3 hit|"
					    "SNP None or Miss or HitM or Fwd|TLB N/A|LCK N/A|BLK  N/A");
	expect_data_src(0x1e05080021, "      1e05080021 |OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A");
	/* store, remote L3 two hops away, hit modified, locked, blocked by data */
	expect_data_src(
		4 | 1 << 6 | 1 << 23 | 1 << 25 | UINT64_C(3) << 33 | UINT64_C(1) << 37 | UINT64_C(2) << 43 |
			UINT64_C(2) << 40,
		"    122602800044 |OP STORE|LVL Remote node, same socket L3 hit|SNP HitM|TLB N/A|LCK Yes|"
		"BLK  Data");
	expect_data_src(UINT64_C(7) << 33 | 1 << 7,
			"       e00000080 |OP No|LVL Unknown level 7 miss|SNP N/A|TLB N/A|"
			"LCK No|BLK  N/A");
	/* what would be longer than 99 bytes is cut */
	expect_data_src(UINT64_C(0xffffffff), "        ffffffff |OP N/A|LVL L1 or LFB/MAB or L2 or L3 or Lo"
					      "cal RAM or Remote RAM (1 hop) or Remote");
}
END_TEST

START_TEST(data_src_is_padded_to_the_longest_so_far)
{
	struct fixture f;

	setup(&f, ATTR_RAW, 1, "m", USUAL | SAMPLE_DATA_SRC);
	start(&f, "data_src,period");
	f.sample.period = 1;
	script_sample(f.script, &f.view);
	f.sample.data_src = 0x1e05080021;
	script_sample(f.script, &f.view);
	f.sample.data_src = 0;
	script_sample(f.script, &f.view);
	finish(&f, "         1                0 |OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  N/A\n"
		   "         1       1e05080021 |OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A\n"
		   "         1                0 |OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  N/A  \n");
}
END_TEST

START_TEST(page_sizes_have_units)
{
	static const struct {
		uint64_t size;
		const char *text;
	} table[] = { { 0, " N/A\n" },
		      { 512, " 512B\n" },
		      { 1024, " 1024B\n" },
		      { 4096, " 4K\n" },
		      { 65536, " 64K\n" },
		      { 2097152, " 2M\n" },
		      { 1 << 30, " 1024M\n" },
		      { UINT64_C(1) << 34, " 16G\n" },
		      { UINT64_C(1) << 44, " 16384G\n" } };

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct fixture f;
		setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL | SAMPLE_DATA_PAGE_SIZE);
		f.sample.data_page_size = table[i].size;
		expect(&f, "data_page_size", table[i].text);
	}
}
END_TEST

START_TEST(addr_has_a_symbol_where_it_is_one_of_code_or_a_fault)
{
	struct fixture f;

	setup(&f, ATTR_SOFTWARE, SW_PAGE_FAULTS, "page-faults", USUAL | SAMPLE_ADDR);
	f.sample.addr = 0x1234;
	f.view.addr = (struct spot)IN_KERNEL;
	expect(&f, "addr,ip,sym,symoff,dso",
	       "            1234 do_idle+0x0 ([kernel.kallsyms])     ffffa9f03c10 ioctl+0x10 "
	       "(/lib/libc.so.6)\n");
	setup(&f, ATTR_SOFTWARE, SW_PAGE_FAULTS, "page-faults", USUAL | SAMPLE_ADDR);
	f.sample.addr = 0x1234;
	f.view.addr = (struct spot)IOCTL_AT;
	expect(&f, "addr,dsoff", "            1234 (/lib/libc.so.6+0xe3c10)\n");
	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL | SAMPLE_ADDR);
	f.sample.addr = 0x1234;
	expect(&f, "addr,ip,sym", "            1234     ffffa9f03c10 ioctl\n");
}
END_TEST

START_TEST(branch_traces_print_from_and_to)
{
	struct fixture f;

	setup(&f, ATTR_HARDWARE, 4, "branches", USUAL | SAMPLE_ADDR);
	f.events.events[0].attr.sample_period = 1;
	f.sample.addr = 0xffffffff81000010;
	f.sample.period = 1;
	f.view.addr = (struct spot)IN_KERNEL;
	expect(&f, NULL,
	       "            prog     101 [001]     2.000000:          1 branches:      ffffa9f03c10 "
	       "ioctl+0x10 "
	       "(/lib/libc.so.6) => ffffffff81000010 do_idle+0x0 ([kernel.kallsyms])\n");
	setup(&f, ATTR_HARDWARE, 5, "branch-misses", USUAL | SAMPLE_ADDR);
	f.events.events[0].attr.sample_period = 1;
	expect(&f, "ip,sym,srcline", "     ffffa9f03c10 ioctl\n  ioctl.c:7\n");
	setup(&f, ATTR_HARDWARE, 4, "branches", USUAL | SAMPLE_ADDR);
	expect(&f, "ip", "     ffffa9f03c10\n");
}
END_TEST

START_TEST(registers_are_named_by_the_architecture)
{
	static const struct arch_reg regs[] = { { "r0", 0 }, { NULL, 0 }, { "r10", 10 } };
	static const struct arch arch = { .name = "test", .regs = regs, .nr_regs = 3 };
	static const uint64_t values[] = { 0xbea481c8, 0x1, 0, 0x7 };
	struct fixture f;

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL | SAMPLE_REGS_USER | SAMPLE_REGS_INTR);
	f.view.arch = &arch;
	f.sample.user_regs = (struct sample_regs){ 1, 0xf, values };
	start(&f, "comm,uregs,iregs");
	script_sample(f.script, &f.view);
	f.sample.intr_regs = (struct sample_regs){ 2, 0x4, values };
	f.sample.user_regs.abi = 0;
	script_sample(f.script, &f.view);
	finish(&f, "            prog  ABI:1    r0:0xbea481c8 unknown:0x1   r10:0x0 unknown:0x7 \n"
		   "            prog  ABI:2   r10:0xbea481c8 \n");
}
END_TEST

static const struct branch_entry branches[] = {
	{ 0x1000, 0x2000, 1 << 1 | 25 << 4 | 6 << 20 },	      /* predicted, 25 cycles, RET */
	{ 0, 0x10, 1 | 4 | 8 | 3 << 24 | UINT64_C(1) << 33 }, /* mispredicted, not taken, in a transaction */
	{ 0x30, 0x40, 0xf << 20 | 2 << 26 },		      /* FAULT_INST */
};
static const struct spot branch_places[] = { IOCTL_AT, LIBC_UNKNOWN, UNMAPPED, IN_KERNEL, INLINED, IN_HEAP };

static void set_branches(struct fixture *f)
{
	setup(f, ATTR_HARDWARE, 0, "cycles", USUAL | SAMPLE_BRANCH_STACK);
	f->sample.branches = branches;
	f->sample.nr_branches = 3;
	f->view.branches = branch_places;
}

START_TEST(branch_stacks_have_three_forms)
{
	struct fixture f;

	set_branches(&f);
	expect(&f, "comm,brstack",
	       "            prog  0x1000/0x2000/P/-/-/25/RET/-  0x0/0x10/MN/X/A/0//SPEC_CORRECT_PATH "
	       " 0x30/0x40/-/-/-/0/FAULT_INST/- \n");
	set_branches(&f);
	expect(&f, "comm,dso,brstacksym",
	       "            prog ioctl+0x10 (/lib/libc.so.6)/[unknown] (/lib/libc.so.6)/P/-/-/25/RET/- "
	       "[unknown] ([unknown])/do_idle+0x0 ([kernel.kallsyms])/MN/X/A/0//SPEC_CORRECT_PATH "
	       "leaf+0x7 (/lib/libc.so.6)/[unknown] ([heap])/-/-/-/0/FAULT_INST/- \n");
	set_branches(&f);
	expect(&f, "brstackoff",
	       " 0xe3c10/0x27744/P/-/-/25/RET/-  0x0/0xffffffff81000010/MN/X/A/0//"
	       "SPEC_CORRECT_PATH  0x1130/0x5000/-/-/-/0/FAULT_INST/- \n");
	set_branches(&f);
	f.sample.nr_branches = 1;
	expect(&f, "dsoff,brstackoff",
	       " 0xe3c10 (/lib/libc.so.6+0xe3c10)/0x27744 (/lib/libc.so.6+0x27744)/P/-/-/25/RET/- \n");
	/* of a type without a name: perf prints "(null)" */
	const struct branch_entry unnamed = { 0x1, 0x2, 0xf << 20 | UINT64_C(15) << 26 };
	set_branches(&f);
	f.sample.branches = &unnamed;
	f.sample.nr_branches = 1;
	expect(&f, "brstack", " 0x1/0x2/-/-/-/0//- \n");
	set_branches(&f);
	f.view.branches = NULL;
	f.sample.nr_branches = 1;
	expect(&f, "brstacksym,brstack", " 0x1000/0x2000/P/-/-/25/RET/- \n");
}
END_TEST

START_TEST(bpf_output_is_dumped)
{
	struct fixture f;

	setup(&f, ATTR_SOFTWARE, SW_BPF_OUTPUT, "bpf", USUAL | SAMPLE_RAW);
	f.sample.raw = (const uint8_t *)"Hello world\0";
	f.sample.raw_size = 12;
	start(&f, "+misc,-ip,-sym,-symoff,-dso,-comm,-tid,-cpu,-time,-misc,-period");
	script_sample(f.script, &f.view);
	f.sample.raw = (const uint8_t *)"\x01\xff";
	f.sample.raw_size = 2;
	script_sample(f.script, &f.view);
	finish(&f, "bpf: \n"
		   "      BPF output: 0000: 48 65 6c 6c 6f 20 77 6f  Hello wo\n"
		   "                  0008: 72 6c 64 00              rld.    \n"
		   "      BPF string: \"Hello world\"\n"
		   "\n"
		   "bpf: \n"
		   "      BPF output: 0000: 01 ff                    ..      \n"
		   "\n");
}
END_TEST

static const struct view_insn load = {
	.bytes = { 0x8b, 0x0a, 0xff }, .size = 2, .length = 2, .mnemonic = "movl", .operands = "(%rdx), %ecx"
};
static const struct view_insn call = { .bytes = { 0xe8, 1, 2, 3, 4, 0xff },
				       .size = 5,
				       .length = 5,
				       .has_target = true,
				       .target = 0xffffa9f03c10,
				       .mnemonic = "callq",
				       .operands = "0xffffa9f03c10" };
static const struct view_insn ret = {
	.bytes = { 0xc3 }, .size = 1, .length = 1, .mnemonic = "retq", .operands = ""
};
static const struct view_insn textless = { .bytes = { 0x70, 0x47, 0, 0xbf }, .size = 4, .length = 2 };
static const struct view_insn none = { .bytes = { 0x06 } };

START_TEST(instructions_come_as_bytes_and_as_text)
{
	const struct view_insn *insns[] = { &load, &call, &call, &ret, &textless, &none, NULL };
	const struct spot targets[] = { { 0 }, IOCTL_AT, { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
	struct fixture f;

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	start(&f, "ip,insn,insnlen");
	f.fields.types[OUTPUT_HARDWARE].on |= FIELD_DISASM; /* refused by name without a disassembler */
	for (size_t i = 0; i < sizeof(insns) / sizeof(insns[0]); i++) {
		f.view.insn = insns[i];
		f.view.insn_target = targets[i];
		script_sample(f.script, &f.view);
	}
	finish(&f, "     ffffa9f03c10 ilen: 2 insn: 8b 0a\t\tmovl (%rdx), %ecx\n"
		   "     ffffa9f03c10 ilen: 5 insn: e8 01 02 03 04\t\tcallq ioctl+0x10\n"
		   "     ffffa9f03c10 ilen: 5 insn: e8 01 02 03 04\t\tcallq 0xffffa9f03c10\n"
		   "     ffffa9f03c10 ilen: 1 insn: c3\t\tretq \n"
		   "     ffffa9f03c10 ilen: 4 insn: 70 47 00 bf\t\t70 47 00 bf\n"
		   "     ffffa9f03c10 ilen: 0\n"
		   "     ffffa9f03c10 ilen: 0\n");
}
END_TEST

static const struct view_code_line code_lines[] = {
	{ .kind = VIEW_CODE_SYMBOL, .ip = 0x1000, .spot = IOCTL_AT },
	{ .kind = VIEW_CODE_BRANCH, .branch = 0, .ip = 0x1000, .spot = IOCTL_AT, .insn = &load },
	{ .kind = VIEW_CODE_SYMBOL, .ip = 0x2000, .spot = IN_KERNEL },
	{ .kind = VIEW_CODE_INSN, .ip = 0x2000, .spot = IN_KERNEL, .insn = &load },
	{ .kind = VIEW_CODE_BRANCH,
	  .branch = 0,
	  .nr_insns = 2,
	  .ip = 0x2002,
	  .spot = IN_KERNEL,
	  .insn = &call,
	  .target = IOCTL_AT },
	{ .kind = VIEW_CODE_BRANCH, .branch = 1, .nr_insns = 2, .ip = 0x2007, .spot = IN_KERNEL },
	{ .kind = VIEW_CODE_INSN, .ip = UINT64_MAX, .spot = IN_KERNEL },
	{ .kind = VIEW_CODE_MISMATCH },
	{ .kind = VIEW_CODE_INSN, .ip = 0x3000, .spot = IN_KERNEL, .insn = &textless },
	{ .kind = VIEW_CODE_NOT_REACHED },
};

static void set_code(struct fixture *f)
{
	set_branches(f);
	f->events.list.events.at[0]->attr.branch_sample_type = BRANCH_ANY;
	f->view.has_code = true;
	f->view.code = code_lines;
	f->view.nr_code = sizeof(code_lines) / sizeof(code_lines[0]);
}

START_TEST(the_code_between_branches_is_a_block)
{
	struct fixture f;

	set_code(&f);
	expect(&f, "ip,brstackinsn",
	       "     ffffa9f03c10\n"
	       "\tioctl+16:\n"
	       "\t0000000000001000\tinsn: 8b 0a                   \t# PRED 25 cycles [25]\n"
	       "\tdo_idle:\n"
	       "\t0000000000002000\tinsn: 8b 0a \n"
	       "\t0000000000002002\tinsn: e8 01 02 03 04          \t# PRED 25 cycles [50] 0.08 IPC\n"
	       "\t0000000000002007\t<bad>                         \t# MISPRED INTX ABORT\n"
	       "\tffffffffffffffff\t<bad>\n"
	       "\tmismatch of LBR data and executable\n"
	       "\t0000000000003000\tinsn: 70 47 \n"
	       "\t... not reaching sample ...\n"
	       "\n");
	set_code(&f);
	f.view.nr_code = 5;
	expect(&f, "ip,sym,srcline,brstackinsnlen,brstackdisasm",
	       "     ffffa9f03c10 ioctl\n  ioctl.c:7\n"
	       "\tioctl+16:\tioctl.c:7\n"
	       "\t0000000000001000\tmovl (%rdx), %ecx             \tilen: 2\t srcline: ioctl.c:7\t"
	       "# PRED 25 cycles [25]\n"
	       "\tdo_idle:\t[kernel.kallsyms][0]\n"
	       "\t0000000000002000\tmovl (%rdx), %ecx\tilen: 2\n"
	       "\t0000000000002002\tcallq ioctl+0x10 [0xffffa9f03c10]\tilen: 5\t srcline: "
	       "[kernel.kallsyms][0]\t# PRED 25 cycles [50] 0.08 IPC\n"
	       "\n");
	set_code(&f);
	f.view.has_code = false;
	expect(&f, "ip,brstackinsn", "     ffffa9f03c10\n");
}
END_TEST

START_TEST(cgroups_are_paths)
{
	struct fixture f;

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL | SAMPLE_CGROUP);
	start(&f, "comm,cgroup");
	f.view.cgroup = "/user.slice";
	script_sample(f.script, &f.view);
	f.view.cgroup = NULL;
	script_sample(f.script, &f.view);
	finish(&f, "            prog  /user.slice\n            prog  unknown\n");
}
END_TEST

START_TEST(no_fields_print_nothing)
{
	struct fixture f;

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	expect(&f, "hw:", "");
}
END_TEST

/* In a stream perf never decides what an ip of a PMU's event prints (facts: perf 7.2). */
START_TEST(pmu_events_of_streams_have_an_empty_ip_part)
{
	static const struct fields_recording recording;
	const struct view_frame frames[] = { { 1, IOCTL_AT, false }, { 2, INLINED, false } };
	struct fixture f;

	setup(&f, 8, 0, "pmu", USUAL | SAMPLE_CALLCHAIN);
	ck_assert_ptr_null(fields_check_pipe(&f.fields, &f.events.list, f.view.event, &recording));
	f.out = output_open();
	f.script = script_new(f.out.w, &f.fields, &f.options, &f.events.list);
	script_sample(f.script, &f.view);
	f.view.has_chain = true;
	f.view.frames = frames;
	f.view.nr_frames = 2;
	script_sample(f.script, &f.view);
	finish(&f, "prog     101 [001]     2.000000:     250000 pmu:  \n"
		   "prog     101 [001]     2.000000:     250000 pmu: \n"
		   "\n (inlined)\n (inlined)\n\n\n");
}
END_TEST

START_TEST(the_writer_can_be_changed)
{
	struct fixture f;

	setup(&f, ATTR_HARDWARE, 0, "cycles", USUAL);
	start(&f, "comm");
	struct output other = output_open();
	script_set_writer(f.script, other.w);
	script_sample(f.script, &f.view);
	output_expect(&other, "            prog \n");
	finish(&f, "");
}
END_TEST

CHECK_SUITE("script", a_sample_without_chain_is_one_line, a_chain_is_a_line_a_frame_and_a_blank_line,
	    hidden_chains_print_the_ip, inlined_calls_are_lines_with_the_same_address,
	    a_function_inlined_in_itself_is_an_inlined_call,
	    stop_bt_ends_a_chain_behind_the_named_frame, srcline_falls_back_to_the_place_in_the_file,
	    source_text_follows_the_sample, dsoff_prints_the_offset_of_object_files, names_may_be_long,
	    dsoff_prints_no_offset_where_a_perf_map_names_the_code, the_columns_in_front_have_their_widths,
	    misc_letters_follow_the_bits, relative_times_count_from_printed_lines, tod_is_local_time,
	    the_event_column_is_as_wide_as_the_longest_name, flags_are_a_column_of_blanks,
	    trace_text_stands_behind_the_event, memory_columns_come_in_perfs_order, data_src_is_decoded,
	    data_src_is_padded_to_the_longest_so_far, page_sizes_have_units,
	    addr_has_a_symbol_where_it_is_one_of_code_or_a_fault, branch_traces_print_from_and_to,
	    registers_are_named_by_the_architecture, branch_stacks_have_three_forms, bpf_output_is_dumped,
	    instructions_come_as_bytes_and_as_text, the_code_between_branches_is_a_block, cgroups_are_paths,
	    no_fields_print_nothing, pmu_events_of_streams_have_an_empty_ip_part, the_writer_can_be_changed)
