/*
 * Whole runs of the program on small recordings that other converters get wrong: what goes in, what must come
 * out. A test's name is the expectation, the comment behind it what users saw elsewhere.
 */
#include "symbolize/image.h"
#include "symbolize/load_elf.h"
#include "symbolize/symtab.h"
#include "tests/bytes.h"
#include "tests/check_run.h"
#include "tests/mkjitdump.h"
#include "tests/mkperf.h"
#include "tests/mkspin.h"
#include "tests/whole_run.h"
#include "util/xalloc.h"

#define B UINT64_C(0x555500000000)
#define MAPPED .start = B + 0x1000, .len = 0x1000, .pgoff = 0x1000
#define SAMPLE_FIELDS (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_PERIOD)
#define KERNEL UINT64_C(0xffff800008000000)
#define MODULE UINT64_C(0xffff80000a000000)

/* FOLDER/root/usr/bin/spin is the program. */
static void set_up(void)
{
	char path[128];

	whole_run_begin();
	snprintf(path, sizeof(path), "%s/root/usr/bin/spin", folder);
	mkspin_write(path, (struct mkspin){ 0 });
}

static void tear_down(void)
{
	mkelf_remove(folder);
}

static const char *folded(struct mkperf *m, const char *options)
{
	char all[4096];

	mkperf_write(m, file);
	mkperf_free(m);
	snprintf(all, sizeof(all), "--folded %s perf.data", options);
	return text(all);
}

#define ROOT "--sysroot root "
#define EXPECT(m, options, expected) ck_assert_str_eq(folded(m, options), expected)
#define EXPECT_SAID(part) ck_assert_msg(strstr(messages, part) != NULL, "said: %s", messages)
#define EXPECT_SILENCE() ck_assert_str_eq(messages, "")

/* Recordings */

static struct mkperf *begin_as(struct mkperf_options options, uint64_t fields)
{
	struct mkperf *m = mkperf_new(options);

	/* Files of version 1 tell their byte order by a size of then. */
	mkperf_event(m,
		     .attr = { .sample_type = fields,
			       .flags = MK_SAMPLE_ID_ALL,
			       .size = options.version1 ? 96 : 0 },
		     .name = "cycles");
	return m;
}

static struct mkperf *begin(void)
{
	return begin_as((struct mkperf_options){ 0 }, SAMPLE_FIELDS | SAMPLE_CALLCHAIN);
}

/* A process that ran before the recording: its records have no time. */
static void start_process(struct mkperf *m, uint32_t pid, const char *comm, const char *path)
{
	mkperf_comm(m, .pid = pid, .tid = pid, .comm = comm);
	mkperf_mmap2(m, .pid = pid, .tid = pid, MAPPED, .filename = path);
}

#define CHAIN                                                                                                \
	MK_CHAIN(CHAIN_USER, B + SPIN_LEAF + 4, B + SPIN_MID + 5, B + SPIN_MAIN + 5), .ip = B + SPIN_LEAF + 4
#define STACK(m, thread, when, weight)                                                                       \
	mkperf_sample(m, CHAIN, .pid = (thread), .tid = (thread), .time = (when), .period = (weight))

static struct mkperf *spin_called(const char *comm)
{
	struct mkperf *m = begin();

	start_process(m, 100, comm, "/usr/bin/spin");
	STACK(m, 100, 1000, 10);
	return m;
}

/* Where a function begins in a file that a compiler made. */
static uint64_t offset_of(const char *path, const char *name)
{
	const char *why;
	struct image *image = image_open(path, &why);
	ck_assert_msg(image != NULL, "%s: %s", path, why);
	struct symtab *symtab = symtab_new(NULL);
	uint64_t offset = 0;

	load_elf(&(struct load_elf){ .symbols = image, .runtime = image }, symtab);
	symtab_finish(symtab);
	for (size_t i = 0; i < symtab_count(symtab); i++) {
		if (!strcmp(symtab_at(symtab, i)->name, name))
			offset = symtab_at(symtab, i)->start;
	}
	symtab_free(symtab);
	image_free(image);
	ck_assert_msg(offset != 0, "%s: no %s", path, name);
	return offset;
}

/* False, with a message: it cannot be compiled here. */
static bool compiled(const char *recipe, const char *source, const char *command)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/source.cpp", folder);
	mkelf_text(path, source, strlen(source));
	snprintf(path, sizeof(path), "%s/source.c", folder);
	mkelf_text(path, source, strlen(source));
	if (mkelf_run("cd '%s' && %s", folder, command))
		return true;
	printf("SKIP: %s: cannot run here: %s\n", recipe, command);
	return false;
}

static const char spin_source[] =
	"__attribute__((noinline)) long leaf(long n)\n"
	"{\n\tlong s = 0;\n\tfor (volatile long i = 0; i < n; i++)\n\t\ts += i;\n\treturn s;\n}\n"
	"__attribute__((noinline)) long mid(long n)\n{\n\treturn leaf(n) + 1;\n}\n"
	"int main(void)\n{\n\treturn (int)mid(1000) + 1;\n}\n";

/* Names of threads */

START_TEST(
	a_name_of_one_letter) /* R1: taken together with the tid and the time, its sample invented or lost */
{
	set_up();
	struct mkperf *m = begin();
	start_process(m, 100, "t", "/usr/bin/spin");
	STACK(m, 100, 1000, 250000);
	EXPECT(m, ROOT, "t;main;mid;leaf 250000\n");
	EXPECT_SILENCE();
	tear_down();
}
END_TEST

START_TEST(a_digit_in_a_name_is_no_tid) /* R2: "worker" */
{
	set_up();
	struct mkperf *m = begin();
	start_process(m, 100, "main", "/usr/bin/spin");
	mkperf_fork(m, .pid = 100, .ppid = 100, .tid = 101, .ptid = 100, .time = 500);
	mkperf_comm(m, .pid = 100, .tid = 101, .comm = "worker 1", .time = 600);
	mkperf_sample(m, CHAIN, .pid = 100, .tid = 101, .time = 1000, .period = 10);
	EXPECT(m, ROOT, "worker_1;main;mid;leaf 10\n");
	ck_assert_str_eq(text("--folded=tid " ROOT "perf.data"), "worker_1-100/101;main;mid;leaf 10\n");
	tear_down();
}
END_TEST

START_TEST(any_bytes_are_a_name) /* R3: phantom frames, records and samples lost, a panic */
{
	static const struct {
		const char *comm, *root;
	} table[] = {
		{ "a;b", "a:b" },
		{ "x\ny", "x_y" },
		{ "#hash", "#hash" },
		{ " lead", "_lead" },
		{ "", ":100" },
		{ "\xff\xfe", "\xff\xfe" },
		{ "a b 12/34 [000] 1.0:", "a_b_12/34_[000]_1.0:" },
		{ "foo 2/3 [001] 5.0: 7 cycles:", "foo_2/3_[001]_5.0:_7_cycles:" },
		{ "\xc3\xbc\t\x7f", "\xc3\xbc__" },
	};
	char expected[200];

	set_up();
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		snprintf(expected, sizeof(expected), "%s;main;mid;leaf 10\n", table[i].root);
		EXPECT(spin_called(table[i].comm), ROOT, expected);
	}
	tear_down();
}
END_TEST

START_TEST(a_path_with_blanks) /* R4: every frame of the binary lost, or every sample */
{
	set_up();
	ck_assert(mkelf_run("cd '%s/root' && mkdir tmp && cp usr/bin/spin 'tmp/sp in'", folder));
	struct mkperf *m = begin();
	start_process(m, 100, "sp in", "/tmp/sp in");
	STACK(m, 100, 1000, 10);
	EXPECT(m, ROOT, "sp_in;main;mid;leaf 10\n");
	ck_assert_str_eq(text(ROOT "-F comm,tid,ip,sym,dso perf.data"),
			 "sp in     100 \n"
			 "\t    555500001104 leaf (/tmp/sp in)\n"
			 "\t    555500001145 mid (/tmp/sp in)\n"
			 "\t    555500001185 main (/tmp/sp in)\n\n");
	tear_down();
}
END_TEST

START_TEST(without_call_chains_a_stack_is_the_sample_itself) /* R5: empty output, status 0 */
{
	set_up();
	struct mkperf *m = begin_as((struct mkperf_options){ 0 }, SAMPLE_FIELDS);
	start_process(m, 100, "spin", "/usr/bin/spin");
	mkperf_sample(m, .ip = B + SPIN_LEAF + 4, .pid = 100, .tid = 100, .time = 1000, .period = 250000);
	mkperf_sample(m, .ip = B + SPIN_MID, .pid = 100, .tid = 100, .time = 1001, .period = 7);
	EXPECT(m, ROOT, "spin;leaf 250000\nspin;mid 7\n");
	tear_down();
}
END_TEST

/* Names of functions */

/* One sample a name, of a file whose functions are called so, must give these lines (sorted). */
static void expect_frames(struct mkspin spin, const char *expected)
{
	char path[128];
	struct mkperf *m;

	set_up();
	snprintf(path, sizeof(path), "%s/root/usr/bin/b", folder);
	mkspin_write(path, spin);
	m = begin();
	start_process(m, 100, "foo 2/3 [001] 5.0: 7 cycles:", "/usr/bin/b");
	for (size_t i = 0; spin.names[i]; i++)
		mkperf_sample(m, MK_CHAIN(CHAIN_USER, B + SPIN_AT(i) + 1), .ip = B + SPIN_AT(i) + 1,
			      .pid = 100, .tid = 100, .time = 1000 + i, .period = 1);
	mkperf_write(m, file);
	mkperf_free(m);
	run("--folded " ROOT "perf.data");
	ck_assert_int_eq(status, 0);
	ck_assert(
		mkelf_run("cd '%s' && sed 's/^foo_2.3_.001._5.0:_7_cycles:;//' out.txt >names.txt", folder));
	slurp("names.txt", out, sizeof(out));
	ck_assert_str_eq(out, expected);
	tear_down();
}

START_TEST(only_what_a_function_takes_is_cut) /* R7, T1: cut at the first '(' or "<(", split at "->" */
{
	expect_frames(
		(struct mkspin){ .names = { "foo<(some_enum)0>::bar",
					    "std::function<void ()>::operator()() const",
					    "Foo::operator()(int)", "(anonymous namespace)::f(int)",
					    "void exec<void (*)()>(void (*)())", "net/http.(*Client).Do",
					    "Foo::{lambda(int)#1}::operator()(int) const", "operator->",
					    "Foo::operator->() const", "operator<(A const&, B const&)",
					    "alloc::boxed::Box<dyn FnOnce() -> R>::call",
					    "core::ptr::drop_in_place<(u8,u16)>",
					    "_ZN3foo17h0123456789abcdefE", "_RNvC3foo3bar" } },
		"(anonymous namespace)::f 1\n"
		"Foo::operator() 1\n"
		"Foo::operator-> 1\n"
		"Foo::{lambda(int)#1}::operator() 1\n"
		"alloc::boxed::Box<dyn FnOnce() -> R>::call 1\n"
		"core::ptr::drop_in_place<(u8,u16)> 1\n"
		"foo 1\n"
		"foo::bar 1\n"
		"foo<(some_enum)0>::bar 1\n"
		"net/http.(*Client).Do 1\n"
		"operator-> 1\n"
		"operator< 1\n"
		"std::function<void ()>::operator() 1\n"
		"void exec<void (*)()> 1\n");
}
END_TEST

START_TEST(mangled_names_give_the_same_frames) /* R7 from the files of compilers; rows 22, 34 to 37 of users'
						  reports */
{
	expect_frames(
		(struct mkspin){ .names = { "_ZN3fooIL9some_enum0EE3barEv", "_ZNKSt8functionIFvvEEclEv",
					    "_ZN3FooclEi", "_ZN12_GLOBAL__N_11fEi", "_Z4execIPFvvEEvT_",
					    "_ZZN3Foo1gEvENKUliE_clEi", "_ZNK3FooptEv", "_ZltRK1AS1_",
					    "_ZN5alloc5boxed20Box$LT$dyn$u20$T$GT$4call17h0123456789abcdefE",
					    "_RNvMs0_NtCs1234_7mycrate3fooNtB5_3Bar3new", "_ZN3foo3barE",
					    "camlModule\xe2\x80\xa2"
					    "fun_12" } },
		"(anonymous namespace)::f 1\n"
		"<mycrate::foo::Bar>::new 1\n"
		"Foo::g()::{lambda(int)#1}::operator() 1\n"
		"Foo::operator() 1\n"
		"Foo::operator-> 1\n"
		"Module\xe2\x80\xa2"
		"fun_12 1\n"
		"alloc::boxed::Box<dyn T>::call 1\n"
		"foo::bar 1\n"
		"foo<(some_enum)0>::bar 1\n"
		"operator< 1\n"
		"std::function<void ()>::operator() 1\n"
		"void exec<void (*)()> 1\n");
}
END_TEST

START_TEST(unknown_functions_are_called_by_their_binary) /* T1: one [unknown] for all, _[k] on [vdso] and
							    [heap] */
{
	static const struct {
		const char *path, *frame;
	} table[] = {
		{ "/usr/lib/my dir/lib with (paren).so.1", "[lib with (paren).so.1]" },
		{ "/opt/libfoo.so (deleted)", "[libfoo.so]" },
		{ "[vdso]", "[[vdso]]" },
		{ "[heap]", "[[heap]]" },
		{ "[stack]", "[[stack]]" },
		{ "/ (deleted)", "[/]" },
		{ "/a;b", "[a:b]" },
	};
	char expected[200];

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		set_up();
		struct mkperf *m = begin();
		mkperf_comm(m, .pid = 100, .tid = 100, .comm = "spin");
		mkperf_mmap2(m, .pid = 100, .tid = 100, MAPPED, .filename = table[i].path, .prot = 1);
		mkperf_sample(m, MK_CHAIN(CHAIN_USER, B + 0x1100, 0x10), .ip = B + 0x1100, .pid = 100,
			      .tid = 100, .time = 1, .period = 1);
		mkperf_write(m, file);
		mkperf_free(m);
		snprintf(expected, sizeof(expected), "spin;[unknown];%s 1\n", table[i].frame);
		ck_assert_str_eq(text("--folded=all " ROOT "perf.data"), expected);
		tear_down();
	}
}
END_TEST

/* Events and weights */

START_TEST(the_first_event_is_folded_and_the_others_are_named) /* R8: the one that is dropped was named as
								  chosen */
{
	set_up();
	struct mkperf *m = begin();
	mkperf_event(m,
		     .attr = { .sample_type = SAMPLE_FIELDS | SAMPLE_CALLCHAIN,
			       .flags = MK_SAMPLE_ID_ALL,
			       .config = 1 },
		     .name = "instructions");
	start_process(m, 100, "spin", "/usr/bin/spin");
	mkperf_sample(m, MK_CHAIN(B + SPIN_LEAF + 4), .ip = B + SPIN_LEAF + 4, .pid = 100, .tid = 100,
		      .time = 1, .period = 10);
	mkperf_sample(m, MK_CHAIN(B + SPIN_MID + 4), .event = 1, .ip = B + SPIN_MID + 4, .pid = 100,
		      .tid = 100, .time = 2, .period = 99);
	EXPECT(m, ROOT, "spin;leaf 10\n");
	ck_assert_str_eq(
		messages,
		"perf2txt: folded 1 sample of event cycles\n"
		"perf2txt: the weights sum up to 10 cycles\n"
		"perf2txt: left out 1 sample of event instructions (--event-filter chooses events)\n");
	ck_assert_str_eq(text("--folded --event-filter instructions " ROOT "perf.data"), "spin;mid 99\n");
	ck_assert_str_eq(text("--folded --event-filter all --weight samples " ROOT "perf.data"),
			 "spin;leaf 1\nspin;mid 1\n");
	tear_down();
}
END_TEST

/* One sample of @attr's event, with @raw bytes; folded. */
static const char *fold_event(struct attr attr, const char *name, const char *raw)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ 0 });

	attr.flags = MK_SAMPLE_ID_ALL;
	attr.sample_type = SAMPLE_FIELDS | (raw ? SAMPLE_RAW : 0);
	mkperf_add_event(m, &(struct mkperf_event){ .attr = attr, .name = name });
	start_process(m, 100, "spin", "/usr/bin/spin");
	mkperf_sample(m, .ip = B + SPIN_LEAF, .pid = 100, .tid = 100, .time = 1000, .period = 7, .raw = raw,
		      .raw_size = raw ? 12 : 0);
	return folded(m, ROOT);
}

START_TEST(what_an_event_is_does_not_matter) /* rows 8 to 10: payloads taken for columns, cache events lost */
{
	set_up();
	ck_assert_str_eq(fold_event((struct attr){ .type = ATTR_TRACEPOINT, .config = 300 },
				    "sched:sched_switch", "a=1 ;b (c) 5"),
			 "spin;leaf 7\n");
	ck_assert_str_eq(fold_event((struct attr){ .type = ATTR_HW_CACHE }, "L1-dcache-load-misses", NULL),
			 "spin;leaf 7\n");
	ck_assert_str_eq(fold_event((struct attr){ .type = ATTR_BREAKPOINT }, "mem:0x1000:rw", NULL),
			 "spin;leaf 7\n");
	ck_assert_str_eq(fold_event((struct attr){ .type = ATTR_RAW, .config = 0x1cd }, "cpu/a b;c/pp", NULL),
			 "spin;leaf 7\n");
	tear_down();
}
END_TEST

START_TEST(the_unit_of_the_weights_is_told) /* rows 39, 44 and 45: "billions of samples" */
{
	set_up();
	fold_event((struct attr){ .type = ATTR_SOFTWARE, .config = 0 }, "cpu-clock", NULL);
	ck_assert_str_eq(text("--folded --stats " ROOT "perf.data"), "spin;leaf 7\n");
	EXPECT_SAID("the weights sum up to 7 ns\n");
	fold_event((struct attr){ .type = ATTR_SOFTWARE, .config = 2 }, "page-faults", NULL);
	text("--folded --stats " ROOT "perf.data");
	EXPECT_SAID("the weights sum up to 7 page-faults\n");
	text("--folded --stats --weight samples " ROOT "perf.data");
	EXPECT_SAID("the weights sum up to 1 samples\n");
	tear_down();
}
END_TEST

START_TEST(a_sample_that_outweighs_all_others_is_told_of) /* row 46: a broken counter */
{
	set_up();
	struct mkperf *m = begin();
	start_process(m, 100, "spin", "/usr/bin/spin");
	for (uint64_t i = 0; i < 99; i++)
		STACK(m, 100, 1000 + i, 1000);
	mkperf_sample(m, MK_CHAIN(CHAIN_USER, B + SPIN_MAIN), .ip = B + SPIN_MAIN, .pid = 100, .tid = 100,
		      .time = 2000, .period = 99001);
	EXPECT(m, ROOT, "spin;main 99001\nspin;main;mid;leaf 99000\n");
	ck_assert_str_eq(messages,
			 "perf2txt: 1 sample alone has more than half of all weight (99001 of 198001; "
			 "--weight samples counts each as one)\n");
	text("--folded --weight samples " ROOT "perf.data");
	EXPECT_SILENCE();
	tear_down();
}
END_TEST

START_TEST(the_halves_of_a_hybrid_processor_are_one_event) /* rows 42 and 43: most samples dropped */
{
	set_up();
	struct mkperf *m = mkperf_new((struct mkperf_options){ 0 });
	for (int i = 0; i < 3; i++)
		mkperf_event(
			m,
			.attr = { .type = ATTR_HARDWARE,
				  .sample_type = SAMPLE_FIELDS,
				  .flags = MK_SAMPLE_ID_ALL,
				  .config = (uint64_t[]){ UINT64_C(10) << 32, UINT64_C(4) << 32, 1 }[i] },
			.name = (const char *[]){ "cpu_atom/cycles/", "cpu_core/cycles/",
						  "instructions" }[i]);
	start_process(m, 100, "spin", "/usr/bin/spin");
	for (unsigned i = 0; i < 3; i++)
		mkperf_sample(m, .event = i, .ip = B + SPIN_LEAF, .pid = 100, .tid = 100, .time = 1000 + i,
			      .period = (uint64_t[]){ 1, 20, 300 }[i]);
	EXPECT(m, ROOT, "spin;leaf 21\n");
	EXPECT_SAID("left out 1 sample of event instructions");
	ck_assert_str_eq(text("--folded --event-filter cpu_core/cycles/ " ROOT "perf.data"),
			 "spin;leaf 21\n");
	tear_down();
}
END_TEST

static void add_counting_event(struct mkperf *m, const char *name, uint64_t read_format)
{
	mkperf_event(m,
		     .attr = { .sample_type = SAMPLE_FIELDS | SAMPLE_READ | SAMPLE_CALLCHAIN,
			       .flags = MK_SAMPLE_ID_ALL,
			       .read_format = read_format },
		     .name = name);
}

START_TEST(
	a_counter_that_was_read_is_the_weight) /* R10: its last word was taken for the length of the chain */
{
	set_up();
	struct mkperf *m = mkperf_new((struct mkperf_options){ 0 });
	add_counting_event(m, "cycles", READ_ID | READ_LOST);
	start_process(m, 100, "spin", "/usr/bin/spin");
	mkperf_sample(m, CHAIN, .pid = 100, .tid = 100, .time = 1000, .period = 10, .nr_reads = 1,
		      .reads = &(struct mkperf_read){ .value = 123456, .id = 1 });
	EXPECT(m, ROOT, "spin;main;mid;leaf 123456\n");

	m = mkperf_new((struct mkperf_options){ 0 });
	add_counting_event(m, "one", READ_GROUP | READ_ID | READ_LOST);
	add_counting_event(m, "two", READ_GROUP | READ_ID | READ_LOST);
	start_process(m, 100, "spin", "/usr/bin/spin");
	mkperf_sample(m, CHAIN, .pid = 100, .tid = 100, .time = 1000, .period = 10, .nr_reads = 2,
		      .reads =
			      (struct mkperf_read[]){ { .value = 111, .id = 1 }, { .value = 222, .id = 2 } });
	EXPECT(m, ROOT, "spin;main;mid;leaf 111\n");
	ck_assert_str_eq(text("--folded --event-filter two " ROOT "perf.data"), "spin;main;mid;leaf 222\n");
	tear_down();
}
END_TEST

/* Parts of call chains */

START_TEST(call_chains_end_where_they_are_told_to)
{
	set_up();
	struct mkperf *m = spin_called("spin");
	mkperf_write(m, file);
	mkperf_free(m);
	ck_assert_str_eq(text(ROOT "-F ip,sym --stop-bt nothing,mid perf.data"),
			 "\n"
			 "\t    555500001104 leaf\n"
			 "\t    555500001145 mid\n\n");
	ck_assert_str_eq(text(ROOT "-F ip,sym --max-stack 1 perf.data"), "\n\t    555500001104 leaf\n\n");
	tear_down();
}
END_TEST

START_TEST(folded_stacks_end_there_too)
{
	set_up();
	EXPECT(spin_called("spin"), ROOT "--stop-bt nothing,mid", "spin;mid;leaf 10\n");
	ck_assert_str_eq(text("--folded " ROOT "--stop-bt main perf.data"), "spin;main;mid;leaf 10\n");
	ck_assert_str_eq(text("--folded " ROOT "--stop-bt leaf perf.data"), "spin;leaf 10\n");
	tear_down();
}
END_TEST

START_TEST(only_call_chains_of_a_function) /* perf script asks for branches here: DIFFERENCES */
{
	set_up();
	struct mkperf *m = spin_called("spin");
	mkperf_sample(m, MK_CHAIN(CHAIN_USER, B + SPIN_MAIN), .ip = B + SPIN_MAIN, .pid = 100, .tid = 100,
		      .time = 1001, .period = 5);
	EXPECT(m, ROOT "--graph-function leaf,mid", "spin;main;mid;leaf 10\n");
	ck_assert_str_eq(text("--folded " ROOT "--graph-function main perf.data"),
			 "spin;main 5\nspin;main;mid;leaf 10\n");
	tear_down();
}
END_TEST

/* The format of the file */

static const struct mkperf_options forms[] = {
	{ 0 },
	{ .big_endian = true },
	{ .version1 = true },
	{ .no_bitmap = true },
	{ .pipe = true },
	{ .pipe = true, .big_endian = true },
	{ .compress = RECORD_COMPRESSED },
	{ .compress = RECORD_COMPRESSED2 },
	{ .compress = RECORD_COMPRESSED2, .big_endian = true },
	/* A piece that ends in the middle of a record. */
	{ .compress = RECORD_COMPRESSED, .piece = 21 },
	{ .compress = RECORD_COMPRESSED2, .piece = 21 },
	{ .compress = RECORD_COMPRESSED, .pipe = true },
	{ .compress = RECORD_COMPRESSED2, .pipe = true, .piece = 37 },
};

START_TEST(every_form_of_file_gives_the_same_text) /* R11, R12, R36: refused, or out of step */
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		set_up();
		struct mkperf *m = begin_as(forms[i], SAMPLE_FIELDS | SAMPLE_CALLCHAIN);
		start_process(m, 100, "t", "/usr/bin/spin");
		STACK(m, 100, 1000, 250000);
		mkperf_round(m);
		STACK(m, 100, 2000, 1);
		mkperf_round(m);
		ck_assert_msg(!strcmp(folded(m, ROOT), "t;main;mid;leaf 250001\n"), "form %zu: %s%s", i, out,
			      messages);
		EXPECT_SILENCE();
		ck_assert_str_eq(text("--folded " ROOT "- <perf.data"), "t;main;mid;leaf 250001\n");
		if (forms[i].pipe) {
			ck_assert(mkelf_run("cd '%s' && mkfifo pipe && { cat perf.data >pipe & }", folder));
			ck_assert_str_eq(text("--folded " ROOT "<pipe"), "t;main;mid;leaf 250001\n");
		}
		tear_down();
	}
}
END_TEST

START_TEST(a_folder_of_perf_record_threads_is_one_recording) /* R13 */
{
	char path[160];

	set_up();
	ck_assert(mkelf_run("mkdir '%s/dir.data'", folder));
	struct mkperf *m = begin();
	mkperf_feature(m, FEATURE_DIR_FORMAT, (uint64_t[]){ 1 }, 8);
	start_process(m, 100, "spin", "/usr/bin/spin");
	snprintf(path, sizeof(path), "%s/dir.data/data", folder);
	mkperf_write(m, path);
	mkperf_free(m);
	for (unsigned i = 0; i < 2; i++) {
		m = begin();
		for (uint64_t time = 1000 + i; time < 1006; time += 2)
			STACK(m, 100, time, time - 999);
		mkperf_round(m);
		snprintf(path, sizeof(path), "%s/dir.data/data.%u", folder, i);
		mkperf_write_records(m, path);
		mkperf_free(m);
	}
	ck_assert_str_eq(text("--folded " ROOT "dir.data"), "spin;main;mid;leaf 21\n");
	ck_assert_str_eq(text("-G -F period " ROOT "dir.data"),
			 "         1 \n         2 \n         3 \n         4 \n         5 \n         6 \n");
	EXPECT_SILENCE();
	ck_assert_str_eq(text("-G -F period " ROOT "dir.data/data"), "");
	EXPECT_SAID("folders of perf record --threads without their files data.N, which have the samples");
	tear_down();
}
END_TEST

START_TEST(a_killed_recorder_loses_nothing_that_was_written) /* R14: nothing printed */
{
	set_up();
	struct mkperf *m =
		begin_as((struct mkperf_options){ .unfinished = true }, SAMPLE_FIELDS | SAMPLE_CALLCHAIN);
	start_process(m, 100, "spin", "/usr/bin/spin");
	STACK(m, 100, 1000, 10);
	STACK(m, 100, 1001, 10);
	EXPECT(m, ROOT, "spin;main;mid;leaf 20\n");
	ck_assert_str_ne(messages, "");
	/* And when it was cut in the middle of a record, that one is dropped: nothing is invented. */
	ck_assert(mkelf_run("cd '%s' && truncate -s -8 perf.data", folder));
	ck_assert_str_eq(text("--folded " ROOT "perf.data"), "spin;main;mid;leaf 10\n");
	ck_assert_str_ne(messages, "");
	tear_down();
}
END_TEST

START_TEST(nothing_recorded_is_nothing_printed) /* row 24: panic; rows 29 and 54: other records in the way */
{
	set_up();
	EXPECT(begin(), ROOT, "");
	ck_assert_str_eq(text(ROOT "perf.data"), "");
	struct mkperf *m = begin();
	start_process(m, 100, "spin", "/usr/bin/spin");
	mkperf_round(m);
	/* TIME_CONV as a newer kernel writes it, AUXTRACE_INFO, THREAD_MAP: row 57. */
	mkperf_record(m, 79, 0, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", 64, NULL);
	mkperf_record(m, RECORD_THREAD_MAP, 0, "\0\0\0\0\0\0\0\0", 8, NULL);
	mkperf_record(m, RECORD_LOST, 0, "\1\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0", 16,
		      &(struct mkperf_trailer){ .time = 1000 });
	EXPECT(m, ROOT, "");
	ck_assert_str_eq(messages, "perf2txt: 5 events lost by the kernel while recording\n"
				   "perf2txt: 1 recording without a readable sample\n");
	/* Nothing else is expected of a recording whose other records are asked for. */
	ck_assert_str_ne(text("--show-mmap-events perf.data"), "");
	ck_assert_ptr_eq(strstr(messages, "readable"), NULL);
	tear_down();
}
END_TEST

START_TEST(nothing_asked_for_is_told) /* row 27: no output, and no hint why */
{
	static const char *const filters[] = { "--pid 7", "--time 1,2", "--comms nobody", "--symbols nothing",
					       "--folded --graph-function nothing" };

	set_up();
	struct mkperf *m = spin_called("spin");
	mkperf_write(m, file);
	mkperf_free(m);
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		char options[128];
		snprintf(options, sizeof(options), "%s " ROOT "perf.data", filters[i]);
		ck_assert_str_eq(text(options), "");
		ck_assert_str_eq(messages, "perf2txt: 1 samples, none of which is one that was asked for "
					   "(--time, --pid ...)\n");
	}
	ck_assert_str_ne(text("--pid 100 " ROOT "perf.data"), "");
	EXPECT_SILENCE();
	tear_down();
}
END_TEST

START_TEST(unknown_records_are_skipped) /* R16: the whole file refused */
{
	set_up();
	struct mkperf *m = begin();
	start_process(m, 100, "spin", "/usr/bin/spin");
	STACK(m, 100, 1000, 10);
	mkperf_record(m, 91, 0, "0123456789abcdef", 16, NULL);
	mkperf_record(m, 37, 0, "0123456789abcdef", 16, NULL);
	STACK(m, 100, 1001, 10);
	EXPECT(m, ROOT, "spin;main;mid;leaf 20\n");
	tear_down();
}
END_TEST

START_TEST(a_record_of_no_size_ends_the_recording_there) /* R17: refused, hang */
{
	char expected[200];

	set_up();
	struct mkperf *m = begin();
	start_process(m, 100, "spin", "/usr/bin/spin");
	STACK(m, 100, 1000, 10);
	snprintf(expected, sizeof(expected), "0x%zx", mkperf_offset(m));
	mkperf_raw(m, "\x09\0\0\0\0\0\0\0", 8);
	STACK(m, 100, 1001, 10);
	EXPECT(m, ROOT, "spin;main;mid;leaf 10\n");
	EXPECT_SAID(expected);
	tear_down();
}
END_TEST

/* Processes */

START_TEST(processes_from_before_the_recording_keep_their_maps) /* R18: unknown */
{
	set_up();
	struct mkperf *m = begin();
	mkperf_comm(m, .pid = 1, .tid = 1, .comm = "init");
	mkperf_mmap2(m, .pid = 1, .tid = 1, MAPPED, .filename = "/sbin/init");
	for (uint32_t pid = 200; pid <= 300; pid += 100) {
		mkperf_fork(m, .pid = pid, .ppid = 1, .tid = pid, .ptid = 1);
		start_process(m, pid, pid == 200 ? "spin" : "spin3", "/usr/bin/spin");
	}
	STACK(m, 200, 1000, 10);
	STACK(m, 300, 1001, 20);
	EXPECT(m, ROOT, "spin3;main;mid;leaf 20\nspin;main;mid;leaf 10\n");

	/* The same, with each kind of record in a block of its own. */
	m = begin();
	for (uint32_t pid = 200; pid <= 300; pid += 100)
		mkperf_mmap2(m, .pid = pid, .tid = pid, MAPPED, .filename = "/usr/bin/spin");
	mkperf_mmap2(m, .pid = 1, .tid = 1, MAPPED, .filename = "/sbin/init");
	for (uint32_t pid = 200; pid <= 300; pid += 100)
		mkperf_comm(m, .pid = pid, .tid = pid, .comm = pid == 200 ? "spin" : "spin3");
	for (uint32_t pid = 200; pid <= 300; pid += 100)
		mkperf_fork(m, .pid = pid, .ppid = 1, .tid = pid, .ptid = 1);
	STACK(m, 200, 1000, 10);
	STACK(m, 300, 1001, 20);
	EXPECT(m, ROOT, "spin3;main;mid;leaf 20\nspin;main;mid;leaf 10\n");
	tear_down();
}
END_TEST

START_TEST(a_used_again_pid_is_another_process) /* R20: the second had the first one's maps */
{
	set_up();
	struct mkperf *m = begin();
	start_process(m, 100, "one", "/usr/bin/spin");
	STACK(m, 100, 1000, 10);
	mkperf_exit(m, .pid = 100, .ppid = 1, .tid = 100, .ptid = 1, .time = 1100);
	mkperf_fork(m, .pid = 100, .ppid = 1, .tid = 100, .ptid = 1, .time = 1200);
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "two", .misc = MISC_COMM_EXEC, .time = 1300);
	mkperf_mmap2(m, .pid = 100, .tid = 100, MAPPED, .filename = "/nonexistent/two", .time = 1400);
	STACK(m, 100, 1500, 20);
	EXPECT(m, ROOT, "one;main;mid;leaf 10\ntwo;[two];[two];[two] 20\n");
	tear_down();
}
END_TEST

START_TEST(a_forked_process_has_its_parents_maps) /* R21 */
{
	set_up();
	struct mkperf *m = spin_called("spin");
	mkperf_fork(m, .pid = 101, .ppid = 100, .tid = 101, .ptid = 100, .time = 1500);
	STACK(m, 101, 2000, 10);
	EXPECT(m, ROOT "--pid 101", "spin;main;mid;leaf 10\n");
	tear_down();
}
END_TEST

START_TEST(a_name_is_that_of_the_time) /* rows 76 and 87: workers without names, or with their parent's */
{
	set_up();
	struct mkperf *m = spin_called("sh");
	mkperf_fork(m, .pid = 101, .ppid = 100, .tid = 101, .ptid = 100, .time = 2000);
	STACK(m, 101, 2001, 1);
	mkperf_comm(m, .pid = 101, .tid = 101, .comm = "worker", .time = 2002);
	STACK(m, 101, 2003, 2);
	/* The parent has another name later; the next child has that. */
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "bash", .time = 2004);
	mkperf_fork(m, .pid = 102, .ppid = 100, .tid = 102, .ptid = 100, .time = 2005);
	STACK(m, 102, 2006, 4);
	STACK(m, 101, 2007, 8);
	EXPECT(m, ROOT, "bash;main;mid;leaf 4\nsh;main;mid;leaf 11\nworker;main;mid;leaf 10\n");
	tear_down();
}
END_TEST

START_TEST(maps_of_each_thread_are_those_of_the_process) /* row 77: thousands of the same, endless loop */
{
	set_up();
	struct mkperf *m = begin();
	for (uint32_t tid = 100; tid < 600; tid++) {
		mkperf_comm(m, .pid = 100, .tid = tid, .comm = "spin");
		mkperf_mmap2(m, .pid = 100, .tid = tid, MAPPED, .filename = "/usr/bin/spin");
	}
	mkperf_sample(m, CHAIN, .pid = 100, .tid = 599, .time = 1000, .period = 10);
	EXPECT(m, ROOT "--stats", "spin;main;mid;leaf 10\n");
	EXPECT_SAID("binaries: 1\n");
	tear_down();
}
END_TEST

START_TEST(records_of_other_processors_come_later) /* rows 78 and 79: maps behind the samples, equal times */
{
	set_up();
	struct mkperf *m = begin();
	STACK(m, 100, 2000, 10);
	mkperf_round(m);
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "spin", .time = 1000);
	mkperf_mmap2(m, .pid = 100, .tid = 100, MAPPED, .filename = "/nonexistent", .time = 1500);
	mkperf_mmap2(m, .pid = 100, .tid = 100, MAPPED, .filename = "/usr/bin/spin", .time = 1500);
	mkperf_round(m);
	EXPECT(m, ROOT, "spin;main;mid;leaf 10\n");
	EXPECT_SILENCE();
	tear_down();
}
END_TEST

START_TEST(
	a_map_with_the_exec_does_not_vanish_by_it) /* row 84: the maps of the new program wiped by its comm */
{
	set_up();
	struct mkperf *m = begin();
	start_process(m, 100, "sh", "/nonexistent/sh");
	mkperf_mmap2(m, .pid = 100, .tid = 100, MAPPED, .filename = "/usr/bin/spin", .time = 999);
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "spin", .misc = MISC_COMM_EXEC, .time = 1000);
	STACK(m, 100, 1001, 10);
	EXPECT(m, ROOT, "spin;main;mid;leaf 10\n");
	tear_down();
}
END_TEST

START_TEST(two_thousand_short_processes_are_one_binary) /* R38: tens of minutes */
{
	set_up();
	struct mkperf *m = begin();
	uint64_t time = 1000;
	start_process(m, 10, "bash", "/nonexistent/bash");
	for (uint32_t pid = 1000; pid < 3000; pid++) {
		mkperf_fork(m, .pid = pid, .ppid = 10, .tid = pid, .ptid = 10, .time = time++);
		mkperf_comm(m, .pid = pid, .tid = pid, .comm = "spin", .misc = MISC_COMM_EXEC,
			    .time = time++);
		mkperf_mmap2(m, .pid = pid, .tid = pid, MAPPED, .filename = "/usr/bin/spin", .time = time++);
		STACK(m, pid, time++, 10);
		mkperf_exit(m, .pid = pid, .ppid = 10, .tid = pid, .ptid = 10, .time = time++);
		if (pid % 100 == 0)
			mkperf_round(m);
	}
	EXPECT(m, ROOT "--stats", "spin;main;mid;leaf 20000\n");
	EXPECT_SAID("binaries: 2\n");
	EXPECT_SAID("places told apart: 4\n");
	tear_down();
}
END_TEST

/* User stacks that were copied */

/* leaf, called by mid, called by main, whose caller's frame is above the @size bytes that were copied. */
static struct mkperf *stack_recording_at(uint64_t ip, const char *arch, uint32_t size)
{
	static struct bytes stack; /* zeros behind what is put there */
	const uint64_t regs[] = { 0x7000, 0x7000, ip }; /* bp, sp, ip */
	struct mkperf *m = mkperf_new((struct mkperf_options){ 0 });

	mkperf_event(m,
		     .attr = { .sample_type = SAMPLE_FIELDS | SAMPLE_CALLCHAIN | SAMPLE_REGS_USER |
					      SAMPLE_STACK_USER,
			       .flags = MK_SAMPLE_ID_ALL,
			       .sample_regs_user = 7 << 6,
			       .sample_stack_user = size },
		     .name = "cycles");
	if (arch)
		mkperf_string_feature(m, FEATURE_ARCH, arch);
	start_process(m, 100, "spin", "/usr/bin/spin");
	bytes_start(&stack, false);
	put_u64s(&stack, (const uint64_t[]){ 0x7010, B + SPIN_MID + 5, 0x7000 + size, B + SPIN_MAIN + 5 }, 4);
	for (uint64_t i = 0; i < 2; i++)
		mkperf_sample(m, .ip = ip, .pid = 100, .tid = 100, .time = 1000 + i,
			      .period = 10, .user_regs = { .abi = 2, .values = regs }, .stack = stack.at,
			      .stack_size = size);
	return m;
}

static struct mkperf *stack_recording(const char *arch, uint32_t size)
{
	return stack_recording_at(B + SPIN_LEAF + 4, arch, size);
}

START_TEST(
	stacks_that_are_longer_than_their_copies_are_told_of) /* R37, rows 125 to 127: like a short stack */
{
	set_up();
	EXPECT(stack_recording("x86_64", 1024), ROOT, "spin;main;mid;leaf 20\n");
	ck_assert_str_eq(messages, "perf2txt: 2 of 2 user stacks are longer than their copies of 1024 bytes "
				   "(perf record --call-graph dwarf,16384 copies more)\n");
	EXPECT(stack_recording("x86_64", 20000), ROOT, "spin;main;mid;leaf 20\n");
	EXPECT_SAID("dwarf,40000");
	EXPECT(stack_recording("x86_64", 40000), ROOT, "spin;main;mid;leaf 20\n");
	EXPECT_SAID("dwarf,65528");
	EXPECT(stack_recording("x86_64", 1024), "", "spin;[spin];[spin];[spin] 20\n");
	EXPECT(stack_recording("x86_64", 1024), ROOT "--max-stack 2", "spin;mid;leaf 20\n");
	EXPECT_SAID("2 of 2 user stacks have more frames than --max-stack lets through\n");
	tear_down();
}
END_TEST

START_TEST(user_stacks_of_an_unknown_processor_are_told_of) /* rows 65, 128: no ARCH of a killed recorder */
{
	set_up();
	EXPECT(stack_recording(NULL, 1024), ROOT, "spin;leaf 20\n");
	ck_assert_str_eq(messages, "perf2txt: 2 user stacks not unwound: the recording does not say which "
				   "processor their registers are of (--arch)\n");
	ck_assert_str_eq(text("-F ip,sym " ROOT "perf.data"),
			 "\n\t    555500001104 leaf\n\n\n\t    555500001104 leaf\n\n");
	ck_assert_str_eq(text("--folded --incomplete drop " ROOT "perf.data"), "");
	ck_assert_str_eq(text("--folded --arch x86_64 " ROOT "perf.data"), "spin;main;mid;leaf 20\n");
	tear_down();
}
END_TEST

START_TEST(at_address_0_no_stack_begins) /* as in perf: a jump to nowhere */
{
	set_up();
	EXPECT(stack_recording_at(0, "x86_64", 1024), ROOT, "spin 20\n");
	ck_assert_str_eq(text("-F ip,sym " ROOT "perf.data"), "\n\n\n\n");
	tear_down();
}
END_TEST

/* From an address to a function */

START_TEST(where_a_file_is_linked_does_not_matter) /* R23, rows 89 to 98: addresses 0x1000 too low */
{
	static const uint64_t biases[] = { 0, 0x1000, 0x400000, 0x10000, 0x7ffff0000000 };
	char path[128];

	for (size_t i = 0; i < sizeof(biases) / sizeof(biases[0]); i++) {
		set_up();
		snprintf(path, sizeof(path), "%s/root/usr/bin/spin", folder);
		mkspin_write(path, (struct mkspin){ .bias = biases[i] });
		struct mkperf *m = begin();
		mkperf_comm(m, .pid = 100, .tid = 100, .comm = "spin");
		/* The whole file as one map, of pages of 64 KiB; then a part of it, pages of 256 bytes. */
		mkperf_mmap2(m, .pid = 100, .tid = 100, .start = B, .len = 0x10000,
			     .filename = "/usr/bin/spin");
		STACK(m, 100, 1000, 10);
		mkperf_mmap2(m, .pid = 100, .tid = 100, .start = 0x10000, .len = 0x100, .pgoff = 0x1100,
			     .time = 1001, .filename = "/usr/bin/spin");
		mkperf_sample(m, MK_CHAIN(CHAIN_USER, 0x10000 + SPIN_MID - 0x1100 + 1), .ip = 0x10041,
			      .pid = 100, .tid = 100, .time = 1002, .period = 1);
		EXPECT(m, ROOT, "spin;main;mid;leaf 10\nspin;mid 1\n");
		tear_down();
	}
}
END_TEST

START_TEST(a_file_of_lld) /* R23 with the linker itself */
{
	char path[128];

	set_up();
	if (compiled("R23", spin_source,
		     "clang -O1 -g -fuse-ld=lld -nostdlib -static-pie -Wl,-e,main source.c -o "
		     "root/usr/bin/spin_lld")) {
		struct mkperf *m = begin();
		snprintf(path, sizeof(path), "%s/root/usr/bin/spin_lld", folder);
		uint64_t base = B + 0x1000;
		mkperf_comm(m, .pid = 100, .tid = 100, .comm = "spin_lld");
		mkperf_mmap2(m, .pid = 100, .tid = 100, .start = base, .len = 0x1000,
			     .filename = "/usr/bin/spin_lld");
		mkperf_sample(m,
			      MK_CHAIN(CHAIN_USER, base + offset_of(path, "leaf") + 4,
				       base + offset_of(path, "mid") + 5, base + offset_of(path, "main") + 5),
			      .pid = 100, .tid = 100, .time = 1000, .period = 10);
		EXPECT(m, ROOT, "spin_lld;main;mid;leaf 10\n");
	}
	tear_down();
}
END_TEST

/* Two pieces of code, each at its own distance from its place in the file, with data in between. */
static void write_two_codes(const char *path)
{
	static const uint8_t code[0x1000];
	static const char strings[] = "\0cold\0hot";
	const GElf_Sym symbols[] = {
		{ .st_name = 0 },
		{ 1, GELF_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0x401100, 0x40 },
		{ 6, GELF_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 2, 0x800100, 0x40 },
	};
	struct mkelf m = { .class = ELFCLASS64, .data = ELFDATA2LSB, .machine = EM_X86_64, .type = ET_EXEC };
	GElf_Shdr text = { .sh_type = SHT_PROGBITS,
			   .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			   .sh_addr = 0x401000,
			   .sh_offset = 0x1000,
			   .sh_size = sizeof(code) };
	GElf_Shdr table = { .sh_type = SHT_SYMTAB,
			    .sh_link = 4,
			    .sh_entsize = sizeof(symbols[0]),
			    .sh_addralign = 8 };
	GElf_Shdr names = { .sh_type = SHT_STRTAB, .sh_size = sizeof(strings) };
	size_t size;

	void *converted = mkelf_convert(&m, ELF_T_SYM, symbols, sizeof(symbols) / sizeof(symbols[0]), &size);
	table.sh_size = size;

	mkelf_section(&m, ".text.cold", text, code);
	text.sh_addr = 0x800000;
	text.sh_offset = 0x4000;
	mkelf_section(&m, ".text", text, code);
	mkelf_section(&m, ".symtab", table, converted);
	mkelf_section(&m, ".strtab", names, strings);
	mkelf_load(&m, 0x1000, 0x401000, 0x1000, PF_R | PF_X);
	mkelf_load(&m, 0x2000, 0x601000, 0x2000, PF_R | PF_W);
	mkelf_load(&m, 0x4000, 0x800000, 0x1000, PF_R | PF_X);
	mkelf_write(&m, path);
	free(converted);
}

START_TEST(each_segment_has_a_distance_of_its_own) /* rows 89 to 98: BOLT, mold, huge pages */
{
	char path[128];

	set_up();
	snprintf(path, sizeof(path), "%s/root/usr/bin/two", folder);
	write_two_codes(path);
	struct mkperf *m = begin();
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "two");
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = 0x401000, .len = 0x1000, .pgoff = 0x1000,
		     .filename = "/usr/bin/two");
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = 0x800000, .len = 0x1000, .pgoff = 0x4000,
		     .filename = "/usr/bin/two");
	mkperf_sample(m, MK_CHAIN(CHAIN_USER, 0x800104, 0x401105), .ip = 0x800104, .pid = 100, .tid = 100,
		      .time = 1000, .period = 10);
	EXPECT(m, ROOT, "two;cold;hot 10\n");
	ck_assert_str_eq(text(ROOT "-F ip,sym,symoff perf.data"), "\n\t          800104 hot+0x4\n"
								  "\t          401105 cold+0x5\n\n");
	tear_down();
}
END_TEST

START_TEST(a_return_address_behind_a_function_is_that_functions) /* R25: main */
{
	set_up();
	struct mkperf *m = begin();
	start_process(m, 100, "spin", "/usr/bin/spin");
	mkperf_sample(m, MK_CHAIN(CHAIN_USER, B + SPIN_LEAF + 4, B + SPIN_MAIN), .pid = 100, .tid = 100,
		      .time = 1000, .period = 10);
	/* Where the program was is no return address. */
	mkperf_sample(m, MK_CHAIN(CHAIN_USER, B + SPIN_MAIN), .pid = 100, .tid = 100, .time = 1001,
		      .period = 1);
	EXPECT(m, ROOT, "spin;main 1\nspin;mid;leaf 10\n");
	tear_down();
}
END_TEST

START_TEST(maps_cut_each_other) /* row 88: overlapping maps refused; row 97: a map without a name */
{
	set_up();
	struct mkperf *m = begin();
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "spin");
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = B, .len = 0x10000, .filename = "", .prot = 0);
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = B, .len = 0x10000, .filename = "/usr/bin/spin");
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = B + SPIN_MID, .len = SPIN_SIZE,
		     .filename = "/nonexistent/over");
	STACK(m, 100, 1000, 10);
	EXPECT(m, ROOT, "spin;main;[over];leaf 10\n");
	tear_down();
}
END_TEST

START_TEST(a_deleted_file_is_looked_for_by_its_name) /* row 17: odd frames for a replaced binary */
{
	set_up();
	struct mkperf *m = begin();
	start_process(m, 100, "spin", "/usr/bin/spin (deleted)");
	STACK(m, 100, 1000, 10);
	EXPECT(m, ROOT, "spin;main;mid;leaf 10\n");
	tear_down();
}
END_TEST

/* perf has the names of an NDK build for them, if $APP_ABI says so: DIFFERENCES */
START_TEST(libraries_of_an_android_app)
{
	set_up();
	ck_assert(mkelf_run("cd '%s' && mkdir -p build/libs/arm64-v8a build/libs/x86 && "
			    "cp root/usr/bin/spin build/libs/arm64-v8a/libspin.so",
			    folder));
	setenv("APP_ABI", "arm64-v8a", 1);
	struct mkperf *m = begin();
	start_process(m, 100, "spin", "/data/app-lib/com.example.spin-1/libspin.so");
	STACK(m, 100, 1000, 10);
	EXPECT(m, ROOT "--extra-dir build", "spin;main;mid;leaf 10\n");
	ck_assert_str_eq(text("-G -F dso,ip " ROOT "--extra-dir build perf.data"),
			 "     555500001104 (/data/app-lib/com.example.spin-1/libspin.so)\n");
	/* Two processors' files, and no build-id says which. */
	ck_assert(mkelf_run("cd '%s/build/libs' && cp arm64-v8a/libspin.so x86", folder));
	ck_assert_str_eq(text("--folded " ROOT "--extra-dir build perf.data"),
			 "spin;[libspin.so];[libspin.so];[libspin.so] 10\n");
	unsetenv("APP_ABI");
	tear_down();
}
END_TEST

START_TEST(labels_of_the_compiler_are_no_functions) /* row 118: $x in place of names, $ names of users lost */
{
	char path[128];

	set_up();
	snprintf(path, sizeof(path), "%s/root/usr/bin/spin64", folder);
	mkspin_write(path, (struct mkspin){ .machine = EM_AARCH64, .names = { "$x", "$mine", "main" } });
	const uint64_t base = UINT64_C(0xaaaaaaaa0000);
	struct mkperf *m = begin();
	mkperf_string_feature(m, FEATURE_ARCH, "aarch64");
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "spin");
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = base, .len = 0x20000, .filename = "/usr/bin/spin64");
	mkperf_sample(m,
		      MK_CHAIN(CHAIN_USER, base + SPIN_LEAF + 4, base + SPIN_MID + 4, base + SPIN_MAIN + 4),
		      .pid = 100, .tid = 100, .time = 1000, .period = 10);
	EXPECT(m, ROOT, "spin;main;$mine;[spin64] 10\n");
	tear_down();
}
END_TEST

START_TEST(maps_of_old_kernels_have_no_inode) /* row 74: only one kind of record was read */
{
	static const uint8_t id[20] = { 1, 2, 3 };

	set_up();
	struct mkperf *m = begin();
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "spin");
	mkperf_mmap(m, .pid = 100, .tid = 100, MAPPED, .filename = "/usr/bin/spin");
	STACK(m, 100, 1000, 10);
	EXPECT(m, ROOT, "spin;main;mid;leaf 10\n");

	/* One with a build-id wants the file of that id: row 107. */
	m = begin();
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "spin");
	mkperf_mmap2(m, .pid = 100, .tid = 100, MAPPED, .filename = "/usr/bin/spin", .build_id = id);
	STACK(m, 100, 1000, 10);
	EXPECT(m, ROOT, "spin;[spin];[spin];[spin] 10\n");
	EXPECT_SAID("build-id");
	tear_down();
}
END_TEST

/* Recordings of other machines */

static struct mkperf *aarch64_recording(const char *path)
{
	const uint64_t base = UINT64_C(0xaaaaaaaa0000);
	struct mkperf *m = begin();

	mkperf_string_feature(m, FEATURE_ARCH, "aarch64");
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "spin64");
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = base, .len = 0x20000, .filename = path);
	mkperf_sample(m,
		      MK_CHAIN(CHAIN_USER, base + SPIN_LEAF + 4, base + SPIN_MID + 4, base + SPIN_MAIN + 4),
		      .ip = base + SPIN_LEAF + 4, .pid = 100, .tid = 100, .time = 1000, .period = 10);
	return m;
}

START_TEST(a_recording_of_another_machine) /* R26: "target platform is not supported" */
{
	char path[128];

	set_up();
	snprintf(path, sizeof(path), "%s/root/usr/bin/spin64", folder);
	mkspin_write(path, (struct mkspin){ .machine = EM_AARCH64 });
	EXPECT(aarch64_recording("/usr/bin/spin64"), ROOT, "spin64;main;mid;leaf 10\n");
	EXPECT_SILENCE();
	EXPECT(aarch64_recording("/usr/bin/spin64"), "", "spin64;[spin64];[spin64];[spin64] 10\n");
	EXPECT_SAID("/usr/bin/spin64");
	ck_assert_ptr_eq(strchr(messages, '\n'), messages + strlen(messages) - 1);
	tear_down();
}
END_TEST

START_TEST(a_compiled_program_of_another_machine) /* R26 with a compiler */
{
	const uint64_t base = UINT64_C(0xaaaaaaaa0000);
	char path[128];

	set_up();
	if (compiled("R26", spin_source,
		     "F='-O1 -g -fno-omit-frame-pointer -nostdlib -Wl,-e,main source.c -o "
		     "root/usr/bin/spin64' && "
		     "{ aarch64-linux-gnu-gcc $F || clang --target=aarch64-linux-gnu -fuse-ld=lld $F; }")) {
		struct mkperf *m = begin();
		snprintf(path, sizeof(path), "%s/root/usr/bin/spin64", folder);
		mkperf_string_feature(m, FEATURE_ARCH, "aarch64");
		mkperf_comm(m, .pid = 100, .tid = 100, .comm = "spin64");
		mkperf_mmap2(m, .pid = 100, .tid = 100, .start = base, .len = 0x20000,
			     .filename = "/usr/bin/spin64");
		mkperf_sample(m,
			      MK_CHAIN(CHAIN_USER, base + offset_of(path, "leaf") + 4,
				       base + offset_of(path, "mid") + 4, base + offset_of(path, "main") + 4),
			      .pid = 100, .tid = 100, .time = 1000, .period = 10);
		EXPECT(m, ROOT, "spin64;main;mid;leaf 10\n");
		EXPECT_SILENCE();
	}
	tear_down();
}
END_TEST

START_TEST(this_machines_files_are_not_the_recorded_ones) /* R28, rows 99, 100, 122: x86 names, host's vdso */
{
	set_up();
	EXPECT(aarch64_recording("/bin/true"), "", "spin64;[true];[true];[true] 10\n");
	EXPECT_SAID("/bin/true");
	EXPECT(aarch64_recording("[vdso]"), "", "spin64;[[vdso]];[[vdso]];[[vdso]] 10\n");
	/* In a sysroot too a file of another machine is not used. */
	EXPECT(aarch64_recording("/usr/bin/spin"), ROOT, "spin64;[spin];[spin];[spin] 10\n");
	EXPECT_SAID("/usr/bin/spin");
	tear_down();
}
END_TEST

START_TEST(an_unknown_processor_has_names_too) /* rows 67 and 68: refused */
{
	char path[128];

	set_up();
	snprintf(path, sizeof(path), "%s/root/usr/bin/spin", folder);
	mkspin_write(path, (struct mkspin){ .machine = EM_VAX, .class = ELFCLASS32, .data = ELFDATA2MSB });
	struct mkperf *m =
		begin_as((struct mkperf_options){ .big_endian = true }, SAMPLE_FIELDS | SAMPLE_CALLCHAIN);
	mkperf_string_feature(m, FEATURE_ARCH, "vax");
	start_process(m, 100, "spin", "/usr/bin/spin");
	STACK(m, 100, 1000, 10);
	EXPECT(m, ROOT, "spin;main;mid;leaf 10\n");
	tear_down();
}
END_TEST

START_TEST(signed_return_addresses_are_cleaned) /* row 131: [unknown] */
{
	const uint64_t pac = UINT64_C(0x3b) << 48, base = UINT64_C(0xaaaaaaaa0000);
	char path[128];

	set_up();
	snprintf(path, sizeof(path), "%s/root/usr/bin/spin", folder);
	mkspin_write(path, (struct mkspin){ .machine = EM_AARCH64 });
	struct mkperf *m = begin();
	mkperf_string_feature(m, FEATURE_ARCH, "aarch64");
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "spin");
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = base, .len = 0x20000, .filename = "/usr/bin/spin");
	mkperf_sample(
		m,
		MK_CHAIN(CHAIN_USER, base + SPIN_LEAF + 4, pac | (base + SPIN_MID + 4), base + SPIN_MAIN + 4),
		.pid = 100, .tid = 100, .time = 1000, .period = 10);
	EXPECT(m, ROOT, "spin;main;mid;leaf 10\n");
	tear_down();
}
END_TEST

START_TEST(thumb_functions) /* row 121: off by one */
{
	char path[128];

	set_up();
	snprintf(path, sizeof(path), "%s/root/usr/bin/spin", folder);
	mkspin_write(path, (struct mkspin){ .machine = EM_ARM, .class = ELFCLASS32, .bias = 1 });
	struct mkperf *m = begin();
	mkperf_string_feature(m, FEATURE_ARCH, "armv7l");
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "spin");
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = 0x10000, .len = 0x10000,
		     .filename = "/usr/bin/spin");
	mkperf_sample(m, MK_CHAIN(CHAIN_USER, 0x10000 + SPIN_MID, 0x10000 + SPIN_MAIN + 5), .pid = 100,
		      .tid = 100, .time = 1000, .period = 10);
	EXPECT(m, ROOT, "spin;main;mid 10\n");
	tear_down();
}
END_TEST

/* The kernel */

static const char kallsyms[] = "ffff800008000000 T _text\n"
			       "ffff800008001000 T do_work\n"
			       "ffff800008001010 t $x\n"
			       "ffff800008002000 T _etext\n"
			       "ffff80000a000100 t modfn\t[mymod]\n"
			       "ffff80000a000110 t $x\t[mymod]\n";

static void put_kallsyms(const char *symbols)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/kallsyms", folder);
	mkelf_text(path, symbols, strlen(symbols));
}

/* leaf calls a module's function, which calls the kernel's do_work. */
static struct mkperf *kernel_recording(void)
{
	struct mkperf *m = begin();

	mkperf_mmap(m, .pid = (uint32_t)-1, .misc = CPUMODE_KERNEL, .start = KERNEL, .len = 0x1000000,
		    .pgoff = KERNEL, .filename = "[kernel.kallsyms]_text");
	mkperf_mmap(m, .pid = (uint32_t)-1, .misc = CPUMODE_KERNEL, .start = MODULE, .len = 0x1000,
		    .filename = "[mymod]");
	start_process(m, 100, "spin", "/usr/bin/spin");
	mkperf_sample(m,
		      MK_CHAIN(CHAIN_KERNEL, KERNEL + 0x1010, MODULE + 0x110, CHAIN_USER, B + SPIN_LEAF + 4,
			       B + SPIN_MID + 5, B + SPIN_MAIN + 5),
		      .misc = CPUMODE_KERNEL, .ip = KERNEL + 0x1010, .pid = 100, .tid = 100, .time = 1000,
		      .period = 10);
	return m;
}

START_TEST(kernel_and_module_functions) /* R29: $x */
{
	set_up();
	put_kallsyms(kallsyms);
	EXPECT(kernel_recording(), ROOT "--kallsyms kallsyms", "spin;main;mid;leaf;modfn;do_work 10\n");
	EXPECT_SILENCE();
	ck_assert_str_eq(text("--folded=kernel " ROOT "--kallsyms kallsyms perf.data"),
			 "spin;main;mid;leaf;modfn_[k];do_work_[k] 10\n");
	tear_down();
}
END_TEST

START_TEST(modules_may_be_packed) /* where they came from as recorded, and as they are here */
{
	static const struct {
		const char *ending, *packer;
	} packings[] = {
		{ "", "cat" },
		{ ".gz", "gzip -c" },
		{ ".xz", "xz -c --check=crc32" },
		{ ".zst", "zstd -qc" },
	};
	char path[128], command[256];

	set_up();
	snprintf(path, sizeof(path), "%s/mymod.ko", folder);
	for (size_t i = 0; i < 4; i++) {
		snprintf(command, sizeof(command),
			 "gcc -O1 -c source.c -o mymod.ko && rm -rf root/lib && "
			 "mkdir -p root/lib/modules/6.1/kernel && %s <mymod.ko "
			 ">root/lib/modules/6.1/kernel/mymod.ko%s",
			 packings[i].packer, packings[i].ending);
		if (!compiled("kernel modules", spin_source, command))
			continue;
		uint64_t mid = offset_of(path, "mid") - offset_of(path, "leaf");
		for (size_t recorded = 0; recorded < 4; recorded++) {
			struct mkperf *m = begin();
			snprintf(command, sizeof(command), "/lib/modules/6.1/kernel/mymod.ko%s",
				 packings[recorded].ending);
			mkperf_mmap(m, .pid = (uint32_t)-1, .misc = CPUMODE_KERNEL, .start = MODULE,
				    .len = 0x1000, .filename = command);
			start_process(m, 100, "spin", "/usr/bin/spin");
			mkperf_sample(m, MK_CHAIN(CHAIN_KERNEL, MODULE + 4, MODULE + mid + 5),
				      .misc = CPUMODE_KERNEL, .ip = MODULE + 4, .pid = 100, .tid = 100,
				      .time = 1000, .period = 10);
			EXPECT(m, ROOT, "spin;mid;leaf 10\n");
			ck_assert_str_eq(text("-G -F ip,sym,dso " ROOT "perf.data"),
					 " ffff80000a000004 leaf ([mymod])\n");
		}
	}
	tear_down();
}
END_TEST

START_TEST(the_kernel_was_loaded_elsewhere) /* rows 112, 115: names wrong under KASLR, kernel maps ignored */
{
	set_up();
	/* kallsyms of another boot: all is 2 MiB further down. */
	put_kallsyms("ffff800007e00000 T _text\nffff800007e01000 T do_work\nffff800007e02000 T _etext\n");
	EXPECT(kernel_recording(), ROOT "--kallsyms kallsyms", "spin;main;mid;leaf;[[mymod]];do_work 10\n");
	tear_down();
}
END_TEST

START_TEST(
	a_kallsyms_of_zeros_names_nothing) /* R30, rows 108 to 111: all of the kernel one random function */
{
	set_up();
	put_kallsyms(
		"0000000000000000 T _text\n0000000000000000 T do_work\n0000000000000000 t modfn\t[mymod]\n");
	EXPECT(kernel_recording(), ROOT "--kallsyms kallsyms",
	       "spin;main;mid;leaf;[[mymod]];[[kernel.kallsyms]] 10\n");
	EXPECT_SAID("kptr_restrict");
	put_kallsyms("          (null) T _text\n          (null) T do_work\n");
	EXPECT(kernel_recording(), ROOT "--kallsyms kallsyms",
	       "spin;main;mid;leaf;[[mymod]];[[kernel.kallsyms]] 10\n");
	/* And none at all: this machine's kernel is another one. */
	EXPECT(kernel_recording(), ROOT, "spin;main;mid;leaf;[[mymod]];[[kernel.kallsyms]] 10\n");
	EXPECT_SAID("[kernel.kallsyms]");
	EXPECT(kernel_recording(), "", "spin;[spin];[spin];[spin];[[mymod]];[[kernel.kallsyms]] 10\n");
	tear_down();
}
END_TEST

START_TEST(code_that_the_kernel_made) /* row 116: BPF programs stale or unnamed */
{
	set_up();
	put_kallsyms(kallsyms);
	struct mkperf *m = kernel_recording();
	for (int i = 0; i < 2; i++) {
		struct mkbytes body = mkperf_body(m);
		mkbytes_u64(&body, MODULE + 0x100000);
		mkbytes_u32(&body, 0x100);
		mkbytes_u16(&body, 1);
		mkbytes_u16(&body, 0);
		mkbytes_data(&body, i ? "bpf_prog_second\0" : "bpf_prog_first\0\0", 16);
		mkperf_bytes_record(m, RECORD_KSYMBOL, 0, &body,
				    &(struct mkperf_trailer){ .time = 2000 + 200 * (uint64_t)i });
		mkperf_sample(m, MK_CHAIN(CHAIN_KERNEL, MODULE + 0x100010), .misc = CPUMODE_KERNEL,
			      .ip = MODULE + 0x100010, .pid = 100, .tid = 100,
			      .time = 2100 + 200 * (uint64_t)i, .period = 1);
		body = mkperf_body(m);
		mkbytes_u64(&body, MODULE + 0x100000);
		mkbytes_u32(&body, 0x100);
		mkbytes_u16(&body, 1);
		mkbytes_u16(&body, 1);
		mkbytes_data(&body, i ? "bpf_prog_second\0" : "bpf_prog_first\0\0", 16);
		mkperf_bytes_record(m, RECORD_KSYMBOL, 0, &body,
				    &(struct mkperf_trailer){ .time = 2150 + 200 * (uint64_t)i });
	}
	EXPECT(m, ROOT "--kallsyms kallsyms",
	       "spin;bpf_prog_first 1\nspin;bpf_prog_second 1\nspin;main;mid;leaf;modfn;do_work 10\n");
	tear_down();
}
END_TEST

/* JIT code */

static const char perf_map[] = "1000 100 a name with blanks\n"
			       "1100 100 Lcom/foo/Bar;baz\n"
			       "0x1200 100 prefixed\n"
			       "1A00 80 upper case\n"
			       "1b00 0 no size\n"
			       "this line is garbage\n"
			       "1c00 100 old\n"
			       "1c00 40 new\n"
			       "2000 400 outer\n"
			       "2100 80 inner\n"
			       "3000 100 last";

START_TEST(names_of_jit_code) /* R32, rows 158 to 164: letters lost, offsets of 2^64, unknown */
{
	static const uint16_t at[] = { 0x1010, 0x1110, 0x1210, 0x1a10, 0x1b80, 0x1c10,
				       0x1c50, 0x2010, 0x2110, 0x2190, 0x3010 };
	static const char *const maps[] = { "//anon", "[anon:v8]", "/memfd:jit (deleted)" };
	char path[128];

	for (size_t n = 0; n < 3; n++) {
		set_up();
		ck_assert(mkelf_run("mkdir '%s/maps'", folder));
		snprintf(path, sizeof(path), "%s/maps/perf-4242.map", folder);
		mkelf_text(path, perf_map, strlen(perf_map));
		struct mkperf *m = begin();
		mkperf_comm(m, .pid = 4242, .tid = 4242, .comm = "node");
		mkperf_fork(m, .pid = 4242, .ppid = 4242, .tid = 4243, .ptid = 4242);
		mkperf_mmap2(m, .pid = 4242, .tid = 4243, .start = 0x1000, .len = 0x3000,
			     .filename = maps[n]);
		for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
			mkperf_sample(m, MK_CHAIN(CHAIN_USER, at[i]), .ip = at[i], .pid = 4242, .tid = 4243,
				      .time = 1000 + i, .period = 1);
		ck_assert_msg(!strcmp(folded(m, ROOT "--perf-map-dir maps"), "node;Lcom/foo/Bar:baz 1\n"
									     "node;a name with blanks 1\n"
									     "node;inner 1\n"
									     "node;last 1\n"
									     "node;new 1\n"
									     "node;no size 1\n"
									     "node;old 1\n"
									     "node;outer 2\n"
									     "node;prefixed 1\n"
									     "node;upper case 1\n"),
			      "%s: %s%s", maps[n], out, messages);
		tear_down();
	}
}
END_TEST

/* Two functions at one place, the second one from time 1500 on; the process is another number to itself. */
static const char *fold_jitdump(uint64_t flags, int32_t clockid)
{
	char path[128];
	struct mkbytes dump = { 0 };
	struct mkperf *m = mkperf_new((struct mkperf_options){ 0 });

	snprintf(path, sizeof(path), "%s/maps/4242/jit-7.dump", folder);
	mkjit_header(&dump, EM_X86_64, 0);
	mkjit_load(&dump, 900, 0x1000, 0x100, 1, "first");
	mkjit_load(&dump, 1500, 0x1000, 0x80, 2, "second");
	mkjit_write(path, &dump, dump.bytes.count);
	mkbytes_free(&dump);
	mkperf_event(m,
		     .attr = { .sample_type = SAMPLE_FIELDS | SAMPLE_CALLCHAIN,
			       .flags = MK_SAMPLE_ID_ALL | flags,
			       .clockid = clockid },
		     .name = "cycles");
	mkperf_comm(m, .pid = 4242, .tid = 4242, .comm = "node");
	mkperf_mmap2(m, .pid = 4242, .tid = 4242, .start = 0x8000, .len = 0x1000,
		     .filename = "/root/.debug/jit/node/jit-7.dump");
	mkperf_mmap2(m, .pid = 4242, .tid = 4242, .start = 0x1000, .len = 0x1000, .filename = "//anon");
	for (uint64_t time = 1000; time <= 2000; time += 500)
		mkperf_sample(m, MK_CHAIN(CHAIN_USER, 0x1010), .ip = 0x1010, .pid = 4242, .tid = 4242,
			      .time = time, .period = 1);
	return folded(m, ROOT "--perf-map-dir maps");
}

START_TEST(names_of_jit_code_by_its_time) /* rows 159 and 162: addresses used again, containers */
{
	set_up();
	ck_assert(mkelf_run("mkdir -p '%s/maps/4242'", folder));
	ck_assert_str_eq(fold_jitdump(UINT64_C(1) << ATTR_USE_CLOCKID, 1), "node;first 1\nnode;second 2\n");
	/* Another clock: the last one counts. */
	ck_assert_str_eq(fold_jitdump(UINT64_C(1) << ATTR_USE_CLOCKID, 4), "node;second 3\n");
	ck_assert_str_eq(fold_jitdump(0, 0), "node;second 3\n");
	tear_down();
}
END_TEST

START_TEST(inlined_calls_of_jit_compilers) /* rows 21 and 33: split in other code too, Python's names cut */
{
	static const char map[] = "1000 100 Lcom/Foo;::a->Lcom/Foo;::b->c\n1100 100 py::f:/path/x.py\n";
	char path[128];

	set_up();
	ck_assert(mkelf_run("mkdir '%s/maps'", folder));
	snprintf(path, sizeof(path), "%s/maps/perf-100.map", folder);
	mkelf_text(path, map, strlen(map));
	struct mkperf *m = begin();
	start_process(m, 100, "node", "/usr/bin/spin");
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = 0x1000, .len = 0x1000, .filename = "//anon");
	mkperf_sample(m, MK_CHAIN(CHAIN_USER, 0x1010, 0x1110), .ip = 0x1010, .pid = 100, .tid = 100,
		      .time = 1000, .period = 3);
	EXPECT(m, ROOT "--perf-map-dir maps",
	       "node;py::f:/path/x.py;Lcom/Foo:::a;Lcom/Foo:::b_[i];c_[i] 3\n");
	ck_assert_str_eq(text("--folded=jit --perf-map-dir maps " ROOT "perf.data"),
			 "node;py::f:/path/x.py_[j];Lcom/Foo:::a_[j];Lcom/Foo:::b_[i];c_[i] 3\n");
	tear_down();
}
END_TEST

/* Inlined calls */

START_TEST(inlined_calls_of_frame_pointer_recordings) /* R33, row 145: none */
{
	static const char source[] = "static inline __attribute__((always_inline)) void in2() { asm "
				     "volatile(\".rept 64\\n\\tnop\\n\\t.endr\"); }\n"
				     "static inline __attribute__((always_inline)) void in1() { in2(); }\n"
				     "extern \"C\" __attribute__((noinline)) void outer() { in1(); }\n"
				     "int main() { outer(); return 0; }\n";
	char path[128];

	set_up();
	if (compiled("R33", source, "g++ -O2 -g -fno-omit-frame-pointer source.cpp -o root/usr/bin/inl")) {
		struct mkperf *m = begin();
		snprintf(path, sizeof(path), "%s/root/usr/bin/inl", folder);
		uint64_t outer = offset_of(path, "outer"), start = offset_of(path, "main");
		mkperf_comm(m, .pid = 100, .tid = 100, .comm = "inl");
		mkperf_mmap2(m, .pid = 100, .tid = 100, .start = B, .len = 0x20000,
			     .filename = "/usr/bin/inl");
		mkperf_sample(m, MK_CHAIN(CHAIN_USER, B + outer + 40, B + start + 4), .ip = B + outer + 40,
			      .pid = 100, .tid = 100, .time = 1000, .period = 10);
		EXPECT(m, ROOT, "inl;main;outer;in1;in2 10\n");
		ck_assert_str_eq(text("--folded=inline " ROOT "perf.data"),
				 "inl;main;outer;in1_[i];in2_[i] 10\n");
		ck_assert_str_eq(text("--folded --no-inline " ROOT "perf.data"), "inl;main;outer 10\n");
	}
	tear_down();
}
END_TEST

CHECK_SUITE("recipes", a_name_of_one_letter, a_digit_in_a_name_is_no_tid, any_bytes_are_a_name,
	    a_path_with_blanks, without_call_chains_a_stack_is_the_sample_itself,
	    only_what_a_function_takes_is_cut, mangled_names_give_the_same_frames,
	    unknown_functions_are_called_by_their_binary, the_first_event_is_folded_and_the_others_are_named,
	    what_an_event_is_does_not_matter, the_unit_of_the_weights_is_told,
	    a_sample_that_outweighs_all_others_is_told_of, the_halves_of_a_hybrid_processor_are_one_event,
	    a_counter_that_was_read_is_the_weight, call_chains_end_where_they_are_told_to,
	    folded_stacks_end_there_too, only_call_chains_of_a_function,
	    every_form_of_file_gives_the_same_text, a_folder_of_perf_record_threads_is_one_recording,
	    a_killed_recorder_loses_nothing_that_was_written, nothing_recorded_is_nothing_printed,
	    nothing_asked_for_is_told, unknown_records_are_skipped,
	    a_record_of_no_size_ends_the_recording_there, processes_from_before_the_recording_keep_their_maps,
	    a_used_again_pid_is_another_process, a_forked_process_has_its_parents_maps,
	    a_name_is_that_of_the_time, maps_of_each_thread_are_those_of_the_process,
	    records_of_other_processors_come_later, a_map_with_the_exec_does_not_vanish_by_it,
	    two_thousand_short_processes_are_one_binary, stacks_that_are_longer_than_their_copies_are_told_of,
	    user_stacks_of_an_unknown_processor_are_told_of, at_address_0_no_stack_begins,
	    where_a_file_is_linked_does_not_matter,
	    a_file_of_lld, each_segment_has_a_distance_of_its_own,
	    a_return_address_behind_a_function_is_that_functions, maps_cut_each_other,
	    a_deleted_file_is_looked_for_by_its_name, libraries_of_an_android_app,
	    labels_of_the_compiler_are_no_functions, maps_of_old_kernels_have_no_inode,
	    a_recording_of_another_machine, a_compiled_program_of_another_machine,
	    this_machines_files_are_not_the_recorded_ones, an_unknown_processor_has_names_too,
	    signed_return_addresses_are_cleaned, thumb_functions, kernel_and_module_functions,
	    modules_may_be_packed, the_kernel_was_loaded_elsewhere, a_kallsyms_of_zeros_names_nothing,
	    code_that_the_kernel_made, names_of_jit_code, names_of_jit_code_by_its_time,
	    inlined_calls_of_jit_compilers, inlined_calls_of_frame_pointer_recordings)
