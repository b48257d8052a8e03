/* Whole runs on small recordings, as a file and as a stream. The texts wanted are perf script 7.2.13's. */
#include "session.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/check_run.h"
#include "tests/mkperf.h"
#include "util/cursor.h"
#include "util/xalloc.h"

#define USUAL (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD | SAMPLE_IDENTIFIER)
#define KERNEL_IP UINT64_C(0xffffffff81000010)
#define MS UINT64_C(1000000)

static char folder[] = "/tmp/check_session.XXXXXX";

static char *in_folder(const char *name)
{
	static bool made;

	if (!made)
		ck_assert_ptr_nonnull(mkdtemp(folder));
	made = true;
	return xasprintf("%s/%s", folder, name);
}

static void remove_folder(void)
{
	static const char *const names[] = { "out", "file", "stream", "recording" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		AUTOFREE char *path = in_folder(names[i]);
		unlink(path);
	}
	rmdir(folder);
}

static void write_recording(struct mkperf *m, const char *name)
{
	AUTOFREE char *path = in_folder(name);

	mkperf_write(m, path);
	mkperf_free(m);
}

#define TEXT_MAX 8192
static void read_text_file(const char *path, char *text)
{
	FILE *file = fopen(path, "r");
	size_t size = file ? fread(text, 1, TEXT_MAX - 1, file) : 0;

	text[size] = '\0';
	if (file)
		fclose(file);
}

/* The text of a run is left in @text; *@status is its exit status. @arguments are separated by blanks. */
static void run(const char *recording, const char *arguments, char *text, enum exit_status *status)
{
	AUTOFREE char *input = in_folder(recording), *output = in_folder("out");
	AUTOFREE char *line = xasprintf("perf2txt -q -i %s -o %s %s", input, output, arguments);
	char *argv[32], *rest;
	struct options options;
	int argc = 0;

	for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	argv[argc] = NULL;
	unlink(output);
	ck_assert_ptr_null(options_parse(argc, argv, &options));
	*status = session_run(&options);
	options_deinit(&options);
	read_text_file(output, text);
}

static void expect(const char *recording, const char *arguments, const char *expected)
{
	enum exit_status status;
	char text[TEXT_MAX];

	run(recording, arguments, text, &status);
	ck_assert_msg(!strcmp(text, expected), "%s of %s:\n%s", arguments, recording, text);
	ck_assert_int_eq(status, STATUS_OK);
}

static void expect_status(const char *recording, const char *arguments, enum exit_status expected)
{
	enum exit_status status;
	char text[TEXT_MAX];

	fflush(stderr);
	run(recording, arguments, text, &status);
	ck_assert_int_eq(status, expected);
	ck_assert_str_eq(text, "");
}

static void begin_prog(struct mkperf *m)
{
	mkperf_string_feature(m, FEATURE_ARCH, "x86_64");
	mkperf_nrcpus(m, 4, 4);
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "prog", .time = 1);
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = 0x400000, .len = 0x1000, .filename = "/none/prog",
		     .time = 2);
}

/* Two samples that wait for their user chain, its record, and one that waits in vain. */
static void make_deferred(bool pipe, const char *name)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ .pipe = pipe });
	const struct mkperf_trailer trailer = { .time = 1200 * MS, .pid = 100, .tid = 100, .cpu = 1 };
	struct mkbytes late = mkperf_body(m);

	mkperf_event(m,
		     .attr = { .sample_type = USUAL | SAMPLE_CALLCHAIN,
			       .flags = MK_SAMPLE_ID_ALL | UINT64_C(1) << ATTR_DEFER_CALLCHAIN },
		     .name = "cycles");
	begin_prog(m);
	mkperf_sample(m, MK_CHAIN(CHAIN_KERNEL, KERNEL_IP, CHAIN_USER_DEFERRED, 5), .misc = CPUMODE_KERNEL,
		      .pid = 100, .tid = 100, .ip = KERNEL_IP, .time = 1000 * MS, .cpu = 1, .period = 7);
	mkbytes_u64(&late, 5);
	mkbytes_u64(&late, 3);
	mkbytes_u64(&late, CHAIN_USER);
	mkbytes_u64(&late, 0x400123);
	mkbytes_u64(&late, 0x400456);
	mkperf_bytes_record(m, RECORD_CALLCHAIN_DEFERRED, CPUMODE_USER, &late, &trailer);
	mkperf_sample(m, MK_CHAIN(CHAIN_KERNEL, KERNEL_IP, CHAIN_USER_DEFERRED, 6), .misc = CPUMODE_KERNEL,
		      .pid = 100, .tid = 100, .ip = KERNEL_IP, .time = 1300 * MS, .cpu = 1, .period = 7);
	mkperf_round(m);
	write_recording(m, name);
}

static void expect_deferred(const char *name)
{
	expect(name, "",
	       "prog     100 [001]     1.000000:          7 cycles: \n"
	       "\tffffffff81000010 [unknown] ([unknown])\n"
	       "\t          400123 [unknown] (/none/prog)\n"
	       "\t          400456 [unknown] (/none/prog)\n\n"
	       "prog     100 [001]     1.300000:          7 cycles: \n"
	       "\tffffffff81000010 [unknown] ([unknown])\n"
	       "\t               6 (cookie) ([unknown])\n\n");
	expect(name, "--no-merge-callchains",
	       "prog     100 [001]     1.000000:          7 cycles: \n"
	       "\tffffffff81000010 [unknown] ([unknown])\n"
	       "\t               5 (cookie) ([unknown])\n\n"
	       "prog     100 [001]     1.200000: DEFERRED CALLCHAIN [cookie: 5]\n"
	       "\t          400123 [unknown] (/none/prog)\n"
	       "\t          400456 [unknown] (/none/prog)\n\n"
	       "prog     100 [001]     1.300000:          7 cycles: \n"
	       "\tffffffff81000010 [unknown] ([unknown])\n"
	       "\t               6 (cookie) ([unknown])\n\n");
	expect(name, "--no-merge-callchains -G --time 1.1,",
	       "            prog     100 [001]     1.200000: DEFERRED CALLCHAIN [cookie: 5]"
	       "                0 [unknown] ([unknown])\n"
	       "            prog     100 [001]     1.300000:          7 cycles:  ffffffff81000010 "
	       "[unknown] ([unknown])\n");
	expect(name, "--no-merge-callchains --tid 5", "");
}

START_TEST(late_call_chains_can_stay_apart)
{
	make_deferred(false, "file");
	expect_deferred("file");
	make_deferred(true, "stream");
	expect_deferred("stream");
	remove_folder();
}
END_TEST

START_TEST(a_tasks_last_lines_have_its_name)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ 0 });

	mkperf_event(m, .attr = { .sample_type = USUAL, .flags = MK_SAMPLE_ID_ALL }, .name = "cycles");
	begin_prog(m);
	mkperf_exit(m, .pid = 100, .tid = 100, .ppid = 100, .ptid = 100, .time = 1000 * MS);
	mkperf_sample(m, .pid = 100, .tid = 100, .misc = CPUMODE_KERNEL, .ip = KERNEL_IP, .time = 1001 * MS);
	write_recording(m, "file");
	expect("file", "-F comm,tid,time --show-task-events",
	       "            prog     100     0.000000: PERF_RECORD_COMM: prog:100/100\n"
	       /* perf: ":100" from here on */
	       "            prog     100     1.000000: PERF_RECORD_EXIT(100:100):(100:100)\n"
	       "            prog     100     1.001000: \n");
	remove_folder();
}
END_TEST

/* Samples of two events in turn; the other task runs on a processor that the machine does not have. */
static void make_two_events(bool pipe, const char *name)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ .pipe = pipe });
	static const unsigned order[] = { 0, 1, 0, 1, 1, 0 };

	mkperf_event(m, .attr = { .sample_type = USUAL, .flags = MK_SAMPLE_ID_ALL }, .name = "cycles");
	mkperf_event(m, .attr = { .type = ATTR_SOFTWARE, .sample_type = USUAL, .flags = MK_SAMPLE_ID_ALL },
		     .name = "cpu-clock");
	begin_prog(m);
	mkperf_fork(m, .pid = 101, .tid = 101, .ppid = 100, .ptid = 100, .time = 500 * MS, .cpu = 7);
	for (unsigned i = 0; i < 6; i++)
		mkperf_sample(m, .event = order[i], .pid = 100 + i % 2, .tid = 100 + i % 2, .ip = 0x400120,
			      .time = (1000 + i) * MS, .cpu = i ? 1 : 7, .period = i + 1);
	mkperf_round(m);
	write_recording(m, name);
}

static void expect_switched(const char *name)
{
	expect(name, "-F period,event --switch-on cpu-clock",
	       "         3    cycles: \n         4 cpu-clock: \n         5 cpu-clock: \n         6    "
	       "cycles: \n");
	expect(name, "-F period --switch-on cpu-clock --show-on-off-events",
	       "         2 \n         3 \n         4 \n         5 \n         6 \n");
	expect(name, "-F period --switch-on cpu-clock --switch-off cycles", "         5 \n");
	expect(name, "-F period --switch-on cpu-clock --switch-off cycles --show-on-off-events",
	       "         2 \n         3 \n         4 \n         5 \n         6 \n");
	/* without --switch-on only the first one of --switch-off is hidden, as perf does */
	expect(name, "-F period --switch-off cycles",
	       "         2 \n         3 \n         4 \n         5 \n         6 \n");
}

START_TEST(events_switch_the_output_on_and_off)
{
	make_two_events(false, "file");
	expect_switched("file");
	expect_status("file", "--switch-on nothing", STATUS_USAGE);
	expect_status("file", "--switch-off nothing", STATUS_USAGE);
	make_two_events(true, "stream");
	expect_switched("stream");
	expect_status("stream", "--switch-on nothing", STATUS_FAILED); /* known at its end only */
	remove_folder();
}
END_TEST

/* As a file, as a stream that has a name, and from standard input. */
static void expect_same_text(const char *arguments)
{
	AUTOFREE char *path = in_folder("stream"), *from_stdin = xasprintf("%s -i -", arguments);
	char file[TEXT_MAX], stream[TEXT_MAX], input[TEXT_MAX];
	enum exit_status status;

	run("file", arguments, file, &status);
	ck_assert_int_eq(status, STATUS_OK);
	ck_assert_str_ne(file, "");
	run("stream", arguments, stream, &status);
	ck_assert_int_eq(status, STATUS_OK);
	ck_assert_str_eq(stream, file);
	int fd = open(path, O_RDONLY);
	ck_assert_int_eq(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	close(fd);
	run("stream", from_stdin, input, &status);
	ck_assert_int_eq(status, STATUS_OK);
	ck_assert_str_eq(input, file);
}

START_TEST(a_recording_is_the_same_text_wherever_it_comes_from)
{
	static const char *const lists[] = {
		"",
		"-G",
		"--ns",
		"--reltime",
		"--deltatime",
		"-L",
		"--max-stack 1",
		"--tid 101",
		"-C 1",
		"-c prog",
		"--time 1.001,1.003",
		"-F comm,misc,time",
		"-F +flags,-period",
		"-F sw:ip -F hw:tid,period",
		"-S 0x400120",
		"--dsos prog",
		"--show-task-events --show-mmap-events",
		"--show-round-events",
		"--switch-on cpu-clock",
		"-F hw:",
	};

	make_two_events(false, "file");
	make_two_events(true, "stream");
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		expect_same_text(lists[i]);
	remove_folder();
}
END_TEST

START_TEST(a_processor_that_is_not_there_is_the_first_one)
{
	for (int pipe = 0; pipe < 2; pipe++) {
		make_two_events(pipe, "recording");
		expect("recording", "-F comm,cpu,time --show-task-events --time ,1",
		       "            prog [000]     0.000000: PERF_RECORD_COMM: prog:100/100\n"
		       "            prog [000]     0.500000: PERF_RECORD_FORK(101:101):(100:100)\n"
		       "            prog [000]     1.000000: \n");
	}
	remove_folder();
}
END_TEST

/* perf prints nothing, too, but has a status of its own; it has no -C at all for a stream. */
START_TEST(processors_have_to_be_recorded_for_their_filter)
{
	for (int pipe = 0; pipe < 2; pipe++) {
		struct mkperf *m = mkperf_new((struct mkperf_options){ .pipe = pipe });
		struct attr attr = { .sample_type = USUAL, .flags = MK_SAMPLE_ID_ALL };
		mkperf_event(m, .attr = attr, .name = "cycles");
		attr.type = ATTR_SOFTWARE;
		attr.sample_type &= ~SAMPLE_CPU;
		mkperf_event(m, .attr = attr, .name = "cpu-clock");
		begin_prog(m);
		mkperf_sample(m, .pid = 100, .tid = 100, .time = 1000 * MS, .cpu = 1);
		write_recording(m, "recording");
		expect_status("recording", "-C 0", pipe ? STATUS_FAILED : STATUS_USAGE);
		expect_status("recording", "--folded -C 0", pipe ? STATUS_FAILED : STATUS_USAGE);
	}
	remove_folder();
}
END_TEST

START_TEST(options_that_exclude_each_other_are_refused)
{
	make_two_events(false, "file");
	expect_status("file", "--reltime --deltatime", STATUS_USAGE);
	expect_status("file", "-F +metric", STATUS_FIELDS);
	remove_folder();
}
END_TEST

START_TEST(branch_counters_are_explained_before_each_sample)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ 0 });
	const struct attr attr = { .sample_type = USUAL | SAMPLE_BRANCH_STACK,
				   .branch_sample_type = BRANCH_ANY | BRANCH_COUNTERS,
				   .flags = MK_SAMPLE_ID_ALL };
	const struct mkperf_branch branch = { 0x400010, 0x400100, 2 };
	const uint64_t counters = 5;

	mkperf_event(m, .attr = attr, .name = "cycles");
	mkperf_event(m, .attr = attr, .name = "instructions");
	begin_prog(m);
	for (unsigned i = 0; i < 2; i++)
		mkperf_sample(m, .event = i, .pid = 100, .tid = 100, .ip = 0x400020, .time = (1000 + i) * MS,
			      .branches = &branch, .nr_branches = 1, .branch_counters = &counters);
	write_recording(m, "file");
	expect("file", "-F comm,brcntr",
	       "# Branch counter abbr list:\n# cycles = A\n# instructions = B\n# '-' No event occurs\n"
	       "# '+' Event occurrences may be lost due to branch counter saturated\n            prog \n"
	       "# Branch counter abbr list:\n# cycles = A\n# instructions = B\n# '-' No event occurs\n"
	       "# '+' Event occurrences may be lost due to branch counter saturated\n            prog \n");
	remove_folder();
}
END_TEST

/* A processor that keeps 4 branches, and calls one deeper than the other; call n comes from 0x400n00. */
static void make_call_stacks(bool pipe, const char *name)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ .pipe = pipe });
	struct mkbytes caps = { 0 };

	mkperf_event(m,
		     .attr = { .sample_type = USUAL | SAMPLE_CALLCHAIN | SAMPLE_BRANCH_STACK,
			       .branch_sample_type = BRANCH_CALL_STACK | BRANCH_HW_INDEX,
			       .flags = MK_SAMPLE_ID_ALL },
		     .name = "cycles");
	begin_prog(m);
	mkbytes_u32(&caps, 1);
	mkbytes_feature_string(&caps, "branches");
	mkbytes_feature_string(&caps, "4");
	mkperf_bytes_feature(m, FEATURE_CPU_PMU_CAPS, &caps);
	for (uint64_t depth = 4; depth <= 6; depth += 2) {
		struct mkperf_branch branches[4];
		for (uint64_t i = 0; i < 4; i++)
			branches[i] = (struct mkperf_branch){ 0x400000 + (depth - i) * 0x100, 0x400800, 0 };
		mkperf_sample(m, .ip = 0x400f00, .pid = 100, .tid = 100, .time = depth,
			      MK_CHAIN(CHAIN_USER, 0x400f00, 0x400e00), .branches = branches,
			      .nr_branches = 4, .branch_hw_idx = depth % 4);
	}
	write_recording(m, name);
}

#define FRAME(n) "\t          400" n "00 [unknown]\n"
#define BEFORE "\n" FRAME("f") FRAME("4") FRAME("3") FRAME("2") FRAME("1") "\n"
#define CUT "\n" FRAME("f") FRAME("6") FRAME("5") FRAME("4") FRAME("3")

START_TEST(cut_call_stacks_can_be_stitched)
{
	for (int pipe = 0; pipe < 2; pipe++) {
		make_call_stacks(pipe, "recording");
		expect("recording", "-F ip,sym", BEFORE CUT "\n");
		expect("recording", "-F ip,sym --stitch-lbr", BEFORE CUT FRAME("2") FRAME("1") "\n");
	}
	make_two_events(false, "recording"); /* where there is nothing to stitch */
	expect("recording", "-F ip --stitch-lbr --time 1.005,", "           400120\n");
	remove_folder();
}
END_TEST

static void expect_file(const char *name, const char *expected)
{
	AUTOFREE char *path = in_folder(name);
	char text[TEXT_MAX];

	read_text_file(path, text);
	ck_assert_str_eq(text, expected);
	unlink(path);
}

static void expect_dumps(const char *name)
{
	AUTOFREE char *path = in_folder(name);
	AUTOFREE char *lines =
		xasprintf("            prog     0.000000: PERF_RECORD_COMM: prog:100/100\n"
			  "            prog     0.500000: PERF_RECORD_FORK(101:101):(100:100)\n"
			  "[ perf script: Wrote 0.000 MB %s.cycles.dump (2 samples) ]\n"
			  "[ perf script: Wrote 0.000 MB %s.cpu-clock.dump (3 samples) ]\n",
			  path, path);
	AUTOFREE char *cycles = xasprintf("%s.cycles.dump", name);
	AUTOFREE char *clock = xasprintf("%s.cpu-clock.dump", name);

	expect(name, "--per-event-dump -F comm,time --show-task-events --time ,1.004", lines);
	expect_file(cycles, "            prog     1.000000: \n            prog     1.002000: \n");
	expect_file(clock, "            prog     1.001000: \n            prog     1.003000: \n"
			   "            prog     1.004000: \n");
}

START_TEST(each_event_can_have_its_own_file)
{
	make_two_events(false, "file");
	expect_dumps("file");
	make_two_events(true, "stream");
	expect_dumps("stream");
	AUTOFREE char *taken = in_folder("file.cycles.dump"), *clock = in_folder("file.cpu-clock.dump");
	ck_assert_int_eq(mkdir(taken, 0700), 0);
	expect_status("file", "--per-event-dump", STATUS_FAILED);
	rmdir(taken);
	unlink(clock);
	remove_folder();
}
END_TEST

START_TEST(a_slash_in_the_name_of_an_event_makes_no_folder)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ 0 });

	mkperf_event(m, .attr = { .sample_type = USUAL, .flags = MK_SAMPLE_ID_ALL }, .name = "../a/b");
	mkperf_event(m, .attr = { .sample_type = USUAL, .flags = MK_SAMPLE_ID_ALL }, .name = ".._a_b");
	begin_prog(m);
	for (unsigned i = 0; i < 2; i++)
		mkperf_sample(m, .event = i, .pid = 100, .tid = 100, .ip = 0x400020, .time = (1000 + i) * MS);
	write_recording(m, "file");
	AUTOFREE char *path = in_folder("file");
	AUTOFREE char *line = xasprintf("[ perf script: Wrote 0.000 MB %s..._a_b.dump (2 samples) ]\n", path);
	expect("file", "--per-event-dump -F time,event", line);
	expect_file("file..._a_b.dump", "    1.000000: ../a/b: \n    1.001000: .._a_b: \n");
	remove_folder();
}
END_TEST

START_TEST(an_event_counts_behind_the_dump_of_its_record)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ .pipe = true });

	mkperf_event(m, .attr = { .sample_type = USUAL & ~SAMPLE_CPU, .flags = MK_SAMPLE_ID_ALL },
		     .name = "cycles");
	mkperf_event(m, .attr = { .sample_type = USUAL, .flags = MK_SAMPLE_ID_ALL }, .name = "faults");
	mkperf_round(m);
	write_recording(m, "stream");
	enum exit_status status;
	char text[TEXT_MAX];
	run("stream", "-D", text, &status);
	ck_assert_int_eq(status, STATUS_OK);
	ck_assert_ptr_nonnull(strstr(text, "\n\n0 0xa0 [0xa0]: PERF_RECORD_ATTR"));
	const char *round = strstr(text, "[0x8]: PERF_RECORD_FINISHED_ROUND\n");
	ck_assert_ptr_nonnull(round);
	while (round[-1] != '\n')
		round--;
	ck_assert_int_eq(strncmp(round, "0 0 0x", 6), 0);
	remove_folder();
}
END_TEST

START_TEST(records_can_be_dumped)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ .pipe = true });

	mkperf_event(m, .attr = { .sample_type = USUAL, .flags = MK_SAMPLE_ID_ALL }, .name = "cycles");
	mkperf_fork(m, .pid = 101, .tid = 101, .ppid = 100, .ptid = 100, .time = 500 * MS, .cpu = 1);
	mkperf_sample(m, .pid = 101, .tid = 101, .ip = 0x400120, .time = 1000 * MS, .cpu = 2, .period = 7);
	mkperf_round(m);
	write_recording(m, "stream");
	enum exit_status status;
	char text[TEXT_MAX];
	run("stream", "-D -F comm,time", text, &status);
	ck_assert_int_eq(status, STATUS_OK);
	ck_assert_ptr_nonnull(
		strstr(text, "\n\n-1 -1 0 [0xa0]: PERF_RECORD_ATTR, type = 0 (PERF_TYPE_HARDWARE), size"));
	ck_assert_ptr_nonnull(strstr(text, " [0x10]: PERF_RECORD_FEATURE\n"));
	const char *fork = strstr(text, "1 500000000 ");
	ck_assert_ptr_nonnull(fork);
	ck_assert_ptr_nonnull(strstr(fork, "[0x40]: PERF_RECORD_FORK(101:101):(100:100)\n\n0x"));
	const char *sample = strstr(fork, "2 1000000000 ");
	ck_assert_ptr_nonnull(sample);
	ck_assert_str_eq(strchr(sample, 'P'),
			 "PERF_RECORD_SAMPLE(IP, 0x2): 101/101: 0x400120 period: 7 addr: 0\n"
			 " ... thread: :101:101\n ...... dso: <not found>\n"
			 "            :101     1.000000: \n");
	ck_assert_ptr_nonnull(strstr(text, " [0x8]: PERF_RECORD_FINISHED_ROUND\n"));
	run("stream", "-D -F comm,time --show-round-events", text, &status);
	ck_assert_ptr_nonnull(
		strstr(text, " [0x8]: PERF_RECORD_FINISHED_ROUND\nPERF_RECORD_FINISHED_ROUND\n"));
	run("stream", "--dump-unsorted-raw-trace -F comm,time", text, &status);
	ck_assert_int_eq(status, STATUS_OK);
	const char *round = strstr(text, " [0x8]: PERF_RECORD_FINISHED_ROUND: unhandled!\n");
	ck_assert_ptr_nonnull(round);
	ck_assert(strstr(text, "            :101     1.000000: \n") < round);
	remove_folder();
}
END_TEST

/* As perf does. */
START_TEST(the_dump_of_an_exit_ends_behind_what_is_shown)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ 0 });
	enum exit_status status;
	char text[TEXT_MAX];

	mkperf_event(m, .attr = { .sample_type = USUAL, .flags = MK_SAMPLE_ID_ALL }, .name = "cycles");
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "prog", .time = 1);
	mkperf_exit(m, .pid = 100, .tid = 100, .ppid = 99, .ptid = 99, .time = 1000 * MS);
	write_recording(m, "file");
	run("file", "-D -F comm", text, &status);
	ck_assert_ptr_nonnull(strstr(text, "]: PERF_RECORD_EXIT(100:100):(99:99)\n"));
	run("file", "-D -F comm --show-task-events", text, &status);
	ck_assert_ptr_nonnull(strstr(text, "]: PERF_RECORD_EXIT            prog "
					   "PERF_RECORD_EXIT(100:100):(99:99)\n(100:100):(99:99)\n"));
	remove_folder();
}
END_TEST

/* Records without a time are not held back until those of their kind have ended. */
START_TEST(records_are_dumped_as_they_come)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ 0 });
	enum exit_status status;
	char text[TEXT_MAX];

	mkperf_event(m, .attr = { .sample_type = USUAL, .flags = MK_SAMPLE_ID_ALL }, .name = "cycles");
	mkperf_mmap(m, .misc = CPUMODE_KERNEL, .pid = UINT32_MAX, .start = KERNEL_IP, .len = 0x1000,
		    .filename = "[kernel.kallsyms]_text");
	mkperf_record(m, RECORD_TIME_CONV, 0, (uint64_t[4]){ 0 }, 32, NULL);
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "prog");
	write_recording(m, "file");
	run("file", "-D", text, &status);
	ck_assert_int_eq(status, STATUS_OK);
	const char *map = strstr(text, "PERF_RECORD_MMAP -1/0");
	const char *clock = strstr(text, "PERF_RECORD_TIME_CONV");
	const char *comm = strstr(text, "PERF_RECORD_COMM: prog");
	ck_assert(map && clock && comm && map < clock && clock < comm);
	remove_folder();
}
END_TEST

/* perf record --threads */
START_TEST(a_record_is_dumped_with_the_file_that_it_is_in)
{
	AUTOFREE char *folder_path = in_folder("recording");
	struct mkperf *m = mkperf_new((struct mkperf_options){ 0 });
	struct mkperf *thread = mkperf_new((struct mkperf_options){ 0 });
	enum exit_status status;
	char text[TEXT_MAX];

	ck_assert_int_eq(mkdir(folder_path, 0700), 0);
	mkperf_event(m, .attr = { .sample_type = USUAL, .flags = MK_SAMPLE_ID_ALL }, .name = "cycles");
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "prog", .time = 1);
	write_recording(m, "recording/data");
	mkperf_event(thread, .attr = { .sample_type = USUAL, .flags = MK_SAMPLE_ID_ALL });
	mkperf_sample(thread, .pid = 100, .tid = 100, .ip = 0x400120, .time = 1000 * MS);
	AUTOFREE char *data = in_folder("recording/data"), *stream = in_folder("recording/data.7");
	mkperf_write_records(thread, stream);
	mkperf_free(thread);
	run("recording", "-D", text, &status);
	ck_assert_int_eq(status, STATUS_OK);
	AUTOFREE char *of_data = xasprintf("@%s [0x38]: event: 3\n", data),
			*of_stream = xasprintf("0@%s [0x38]: event: 9\n", stream);
	ck_assert_msg(strstr(text, of_data) && strstr(text, of_stream), "%s", text);
	unlink(data);
	unlink(stream);
	rmdir(folder_path);
	remove_folder();
}
END_TEST

static void expect_dumped(const char *arguments, const char *expected)
{
	enum exit_status status;
	char text[TEXT_MAX];

	run("stream", arguments, text, &status);
	ck_assert_int_eq(status, STATUS_OK);
	const char *line = strstr(text, "]: PERF_RECORD_BPF");
	ck_assert_ptr_nonnull(line);
	ck_assert_str_eq(line, expected);
}

START_TEST(records_that_are_shown_anyway_are_dumped_once)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ .pipe = true });

	mkperf_event(m, .attr = { .sample_type = USUAL, .flags = MK_SAMPLE_ID_ALL }, .name = "cycles");
	struct mkbytes b = mkperf_body(m);
	mkbytes_data(&b, "prog", 4);
	mkbytes_zeros(&b, 512 - 4 + 8);
	mkperf_bytes_record(m, RECORD_BPF_METADATA, 0, &b, NULL);
	write_recording(m, "stream");
	expect_dumped("-D", "]: PERF_RECORD_BPF_METADATA prog prog\n: unhandled!\n");
	expect_dumped("-D --show-bpf-events",
		      "]: PERF_RECORD_BPF_METADATAPERF_RECORD_BPF_METADATA prog prog\n");
	remove_folder();
}
END_TEST

/* The offset of the first record of @type whose first 8 bytes behind the header are @number. */
static size_t find_record(const uint8_t *bytes, size_t size, uint32_t type, uint64_t number)
{
	for (size_t at = 16; at + 16 <= size; at += load_u16(bytes + at + 6, false))
		if (load_u32(bytes + at, false) == type && load_u64(bytes + at + 8, false) == number)
			return at;
	ck_abort_msg("no record %u", type);
	return 0;
}

/* Streams of Chromium OS tell of the features first. */
START_TEST(names_may_come_before_their_events)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ .pipe = true });
	AUTOFREE char *path = in_folder("stream");
	size_t size;

	mkperf_event(m, .attr = { .sample_type = USUAL, .flags = MK_SAMPLE_ID_ALL }, .name = "some-name");
	begin_prog(m);
	mkperf_sample(m, .pid = 100, .tid = 100, .ip = 0x400020, .time = 1000 * MS);
	const uint8_t *bytes = mkperf_bytes(m, &size);
	size_t at = find_record(bytes, size, RECORD_HEADER_FEATURE, FEATURE_EVENT_DESC);
	uint16_t moved_size = load_u16(bytes + at + 6, false);
	FILE *file = fopen(path, "w");
	ck_assert_uint_eq(fwrite(bytes, 1, 16, file), 16);
	ck_assert_uint_eq(fwrite(bytes + at, 1, moved_size, file), moved_size);
	ck_assert_uint_eq(fwrite(bytes + 16, 1, at - 16, file), at - 16);
	size_t behind = at + moved_size;
	ck_assert_uint_eq(fwrite(bytes + behind, 1, size - behind, file), size - behind);
	fclose(file);
	mkperf_free(m);
	expect("stream", "-F event", "some-name: \n");
	remove_folder();
}
END_TEST

/* A program of two functions, at BPF and BPF + 0x100: struct bpf_prog_info of 192 bytes and its data. */
#define BPF UINT64_C(0xffffffffc0001000)
static void put_bpf_program(struct mkperf *m)
{
	static const uint8_t code[] = { 0x55, 0xc3, 0x89, 0xc1, 0xc3 };
	struct mkbytes b = mkperf_body(m);

	mkbytes_u32(&b, 1);
	mkbytes_u32(&b, 192);
	mkbytes_u32(&b, 48);
	mkbytes_u64(&b, 1 | 1 << 3 | 1 << 4 | 1 << 8); /* jited_prog_insns, _ksyms, _func_lens, prog_tags */
	mkbytes_u32(&b, 1);
	mkbytes_u32(&b, 7); /* id */
	mkbytes_zeros(&b, 8);
	mkbytes_u32(&b, sizeof(code));
	mkbytes_u32(&b, 0);
	mkbytes_u64(&b, 40); /* where the code is in the data */
	mkbytes_zeros(&b, 32);
	mkbytes_data(&b, "two\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	mkbytes_zeros(&b, 24);
	mkbytes_u32(&b, 2);
	mkbytes_u32(&b, 2);
	mkbytes_u64(&b, 0);
	mkbytes_u64(&b, 16);
	mkbytes_zeros(&b, 52);
	mkbytes_u32(&b, 2);
	mkbytes_u64(&b, 24);
	mkbytes_u64(&b, BPF);
	mkbytes_u64(&b, BPF + 0x100);
	mkbytes_u32(&b, 2);
	mkbytes_u32(&b, 3);
	mkbytes_data(&b, "\1\1\1\1\1\1\1\1\2\2\2\2\2\2\2\2", 16);
	mkbytes_data(&b, code, sizeof(code));
	mkbytes_zeros(&b, 3);
	mkperf_bytes_feature(m, FEATURE_BPF_PROG_INFO, &b);
}

static void add_bpf_function(struct mkperf *m, uint64_t addr, uint32_t size, const char *name)
{
	struct mkbytes b = mkperf_body(m);

	mkbytes_u64(&b, addr);
	mkbytes_u32(&b, size);
	mkbytes_u16(&b, 1);
	mkbytes_u16(&b, 0);
	mkbytes_data(&b, name, 32);
	mkperf_bytes_record(m, RECORD_KSYMBOL, 0, &b, &(struct mkperf_trailer){ .time = 3 });
}

START_TEST(a_bpf_program_has_the_code_that_was_recorded)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ 0 });
	struct mkbytes load = mkperf_body(m);

	mkperf_event(m, .attr = { .sample_type = USUAL, .flags = MK_SAMPLE_ID_ALL }, .name = "cycles");
	put_bpf_program(m);
	begin_prog(m);
	add_bpf_function(m, BPF, 2, "bpf_prog_0101010101010101_two\0\0\0");
	add_bpf_function(m, BPF + 0x100, 3, "bpf_prog_0202020202020202_sub\0\0\0");
	mkbytes_u16(&load, 1);
	mkbytes_u16(&load, 0);
	mkbytes_u32(&load, 7);
	mkbytes_data(&load, "\1\1\1\1\1\1\1\1", 8);
	mkperf_bytes_record(m, RECORD_BPF_EVENT, 0, &load, &(struct mkperf_trailer){ .time = 4 });
	for (uint64_t i = 0; i < 2; i++)
		mkperf_sample(m, .pid = 100, .tid = 100, .misc = CPUMODE_KERNEL, .ip = BPF + 0x102 * i,
			      .time = 5 + i, .period = 1);
	write_recording(m, "file");
	expect("file", "-F ip,sym,insn,insnlen",
	       " ffffffffc0001000 bpf_prog_0101010101010101_two ilen: 1 insn: 55\n"
	       /* perf: not the second function's code */
	       " ffffffffc0001102 bpf_prog_0202020202020202_sub ilen: 1 insn: c3\n");
	remove_folder();
}
END_TEST

static void add_cgroup(struct mkperf *m, uint64_t id, const char *path)
{
	struct mkbytes b = mkperf_body(m);

	mkbytes_u64(&b, id);
	mkbytes_data(&b, path, strlen(path) + 1);
	mkbytes_zeros(&b, -b.bytes.count % 8);
	mkperf_bytes_record(m, RECORD_CGROUP, 0, &b, &(struct mkperf_trailer){ .time = 3 });
}

START_TEST(control_groups_have_their_paths)
{
	static const uint64_t ids[] = { 5, 1, 7, 0 };

	for (int pipe = 0; pipe < 2; pipe++) {
		struct mkperf *m = mkperf_new((struct mkperf_options){ .pipe = pipe });
		mkperf_event(m,
			     .attr = { .sample_type = USUAL | SAMPLE_CGROUP, .flags = MK_SAMPLE_ID_ALL },
			     .name = "cycles");
		begin_prog(m);
		add_cgroup(m, 1, "/");
		add_cgroup(m, 5, "/system.slice/cron");
		add_cgroup(m, 5, "/again");
		for (unsigned i = 0; i < 4; i++)
			mkperf_sample(m, .pid = 100, .tid = 100, .time = 10 + i, .cgroup = ids[i]);
		write_recording(m, "recording");
		expect("recording", "-F tid,cgroup",
		       "    100  /system.slice/cron\n    100  /\n    100  unknown\n    100  unknown\n");
	}
	remove_folder();
}
END_TEST

/* The clock comes as a feature: before all samples, also in a stream. */
START_TEST(times_of_day_are_known_where_the_clock_is)
{
	for (int pipe = 0; pipe < 2; pipe++) {
		struct mkperf *m = mkperf_new((struct mkperf_options){ .pipe = pipe });
		struct mkbytes clock = mkperf_body(m);
		mkperf_event(m, .attr = { .sample_type = USUAL, .flags = MK_SAMPLE_ID_ALL },
			     .name = "cycles");
		mkbytes_u32(&clock, 1);
		mkbytes_u32(&clock, 1);
		mkbytes_u64(&clock, 1600000000000 * MS);
		mkbytes_u64(&clock, 1000 * MS);
		mkperf_bytes_feature(m, FEATURE_CLOCK_DATA, &clock);
		begin_prog(m);
		mkperf_sample(m, .pid = 100, .tid = 100, .ip = 0x400120, .time = 2500 * MS);
		write_recording(m, "recording");
		setenv("TZ", "UTC", 1);
		expect("recording", "-F tid,tod", "    100 2020-09-13 12:26:41.500000 \n");
	}
	make_two_events(false, "file");
	expect_status("file", "-F tid,tod", STATUS_FAILED);
	make_two_events(true, "stream");
	expect("stream", "-F tid,tod --time 1.005,", "    101 disabled \n");
	remove_folder();
}
END_TEST

START_TEST(the_header_alone_asks_nothing_of_samples)
{
	static const char *const lists[] = {
		"--header-only -F symoff",	    "--header-only -F addr",
		"--header-only --time x",	    "--header-only --tid x",
		"--header-only --switch-on nothing", "--header-only -C 5",
	};
	enum exit_status status;
	char header[TEXT_MAX];

	make_two_events(false, "file");
	run("file", "--header-only", header, &status);
	ck_assert_int_eq(status, STATUS_OK);
	ck_assert_ptr_nonnull(strstr(header, "# arch : x86_64\n"));
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		expect("file", lists[i], header);
	expect("file", "--folded --header-only", header);
	remove_folder();
}
END_TEST

#define NR_IN_TURN 60

/* Samples of two events, of which one has call chains; the task gets another name in between. */
static void make_in_turn(bool pipe, uint64_t flags, const char *name)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ .pipe = pipe });

	mkperf_event(m, .attr = { .sample_type = USUAL, .flags = flags }, .name = "cycles");
	mkperf_event(m, .attr = { .sample_type = USUAL | SAMPLE_CALLCHAIN, .flags = flags },
		     .name = "cycles");
	begin_prog(m);
	for (unsigned i = 0; i < NR_IN_TURN; i++) {
		if (i == 40)
			mkperf_comm(m, .pid = 100, .tid = 100, .comm = "other", .time = (1000 + i) * MS);
		mkperf_sample(m, MK_CHAIN(CHAIN_USER, 0x400000 + i), .event = i == 19 || i == 50, .pid = 100,
			      .tid = 100, .misc = CPUMODE_USER, .ip = 0x400000 + i, .time = (1000 + i) * MS,
			      .period = i + 1);
	}
	mkperf_round(m);
	write_recording(m, name);
}

static void expect_in_turn(const char *name)
{
	char expected[TEXT_MAX] = "            prog PERF_RECORD_COMM: prog:100/100\n";

	for (unsigned i = 0; i < NR_IN_TURN; i++) {
		char *at = expected + strlen(expected);
		if (i == 40)
			at += sprintf(at, "           other PERF_RECORD_COMM: other:100/100\n");
		sprintf(at, "%16s %10u  %16x (/none/prog)\n", i < 40 ? "prog" : "other", i + 1,
			0x400000 + i);
	}
	expect(name, "-G -F comm,period,ip,dso --show-task-events", expected);
}

START_TEST(samples_are_printed_in_their_turn)
{
	make_in_turn(false, MK_SAMPLE_ID_ALL, "file");
	expect_in_turn("file");
	make_in_turn(true, MK_SAMPLE_ID_ALL, "stream");
	expect_in_turn("stream");
	make_in_turn(false, 0, "file");
	expect_in_turn("file");
	remove_folder();
}
END_TEST

CHECK_SUITE("session", times_of_day_are_known_where_the_clock_is, the_header_alone_asks_nothing_of_samples,
	    the_dump_of_an_exit_ends_behind_what_is_shown, samples_are_printed_in_their_turn,
	    records_are_dumped_as_they_come, a_record_is_dumped_with_the_file_that_it_is_in,
	    a_recording_is_the_same_text_wherever_it_comes_from,
	    an_event_counts_behind_the_dump_of_its_record, records_can_be_dumped,
	    records_that_are_shown_anyway_are_dumped_once, cut_call_stacks_can_be_stitched,
	    names_may_come_before_their_events, each_event_can_have_its_own_file,
	    a_slash_in_the_name_of_an_event_makes_no_folder, late_call_chains_can_stay_apart,
	    a_tasks_last_lines_have_its_name, events_switch_the_output_on_and_off,
	    a_processor_that_is_not_there_is_the_first_one, options_that_exclude_each_other_are_refused,
	    branch_counters_are_explained_before_each_sample, a_bpf_program_has_the_code_that_was_recorded,
	    control_groups_have_their_paths, processors_have_to_be_recorded_for_their_filter)
