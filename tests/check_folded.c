#include "output/folded.h"

#include "symbolize/dso.h"
#include "tests/output_text.h"

/* Names as perf prints them (without the +0xOFF) and as frames: what people's scripts rely on. */
START_TEST(only_the_parameter_list_of_the_whole_name_is_cut)
{
	static const struct {
		const char *name, *frame;
	} table[] = {
		{ "main", "main" },
		{ "", "" },
		{ "foo<(some_enum)0>::bar", "foo<(some_enum)0>::bar" },
		{ "std::function<void ()>::operator()() const", "std::function<void ()>::operator()" },
		{ "Foo::operator()(int)", "Foo::operator()" },
		{ "Foo::operator()", "Foo::operator()" },
		{ "(anonymous namespace)::f(int)", "(anonymous namespace)::f" },
		{ "(anonymous namespace)::x", "(anonymous namespace)::x" },
		{ "(anonymous namespace)", "(anonymous namespace)" },
		{ "ns::(anonymous class)", "ns::(anonymous class)" },
		{ "void exec<void (*)()>(void (*)())", "void exec<void (*)()>" },
		{ "net/http.(*Client).Do", "net/http.(*Client).Do" },
		{ "main.(*T)", "main.(*T)" },
		{ "Foo::{lambda(int)#1}::operator()(int) const", "Foo::{lambda(int)#1}::operator()" },
		{ "run(int)::{lambda(int)#1}::operator()(int) const",
		  "run(int)::{lambda(int)#1}::operator()" },
		{ "operator->", "operator->" },
		{ "Foo::operator->() const", "Foo::operator->" },
		{ "Foo::operator->*(int)", "Foo::operator->*" },
		{ "operator<(A const&, B const&)", "operator<" },
		{ "bool operator< <int>(A<int> const&)", "bool operator< <int>" },
		{ "operator<<(std::ostream&, X)", "operator<<" },
		{ "operator<=>(A, B)", "operator<=>" },
		{ "operator>>(A, B)", "operator>>" },
		{ "operator new(unsigned long)", "operator new" },
		{ "A::operator bool() const", "A::operator bool" },
		{ "operators<int>(int)", "operators<int>" },
		{ "alloc::boxed::Box<dyn FnOnce() -> R>::call",
		  "alloc::boxed::Box<dyn FnOnce() -> R>::call" },
		{ "core::ptr::drop_in_place<(u8,u16)>", "core::ptr::drop_in_place<(u8,u16)>" },
		{ "core::ops::function::FnOnce::call_once{{vtable.shim}}",
		  "core::ops::function::FnOnce::call_once{{vtable.shim}}" },
		{ "foo::bar(int) [clone .part.0]", "foo::bar" },
		{ "foo::bar(int) const [clone .isra.0] [clone .cold]", "foo::bar" },
		{ "foo(int) volatile &&", "foo" },
		{ "foo(int)@plt", "foo@plt" },
		{ "puts@plt", "puts@plt" },
		{ "f<(a<b)>(int)", "f<(a<b)>" },
		{ "broken<name(int)", "broken<name(int)" },
		{ "closed)early(int)", "closed)early" },
		{ "JS:~ (anonymous) /app/x.js:1", "JS:~ (anonymous) /app/x.js:1" },
		{ "Lcom/foo/Bar;::baz", "Lcom/foo/Bar:::baz" },
		{ "a\nb;c\x7f", "a_b:c_" },
		{ "\xff\xfe(int)", "\xff\xfe" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char frame[100];
		ck_assert_ptr_eq(folded_name(table[i].name, frame), frame);
		ck_assert_str_eq(frame, table[i].frame);
	}
}
END_TEST

START_TEST(any_name_is_survived)
{
	char *name = malloc(100001), *frame = malloc(100001);

	memset(name, '(', 100000);
	name[100000] = '\0';
	ck_assert_str_eq(folded_name(name, frame), name);
	memset(name, '<', 50000);
	memset(name + 50000, ')', 50000);
	ck_assert_str_eq(folded_name(name, frame), name);
	uint32_t seed = 1;
	for (int round = 0; round < 20000; round++) {
		static const char alphabet[] = "()<>{}[]-&@ aoperator:;.";
		size_t size = round % 40;
		for (size_t i = 0; i < size; i++) {
			seed = seed * 1664525 + 1013904223;
			name[i] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
		}
		name[size] = '\0';
		folded_name(name, frame);
		ck_assert_uint_le(strlen(frame), size);
		ck_assert_ptr_null(strchr(frame, ';'));
	}
	free(name);
	free(frame);
}
END_TEST

static struct dso spin = { .kind = DSO_FILE, .name = "/home/me/spin" };
static struct dso odd = { .kind = DSO_FILE, .name = "/usr/lib/my dir/lib with (paren).so.1 (deleted)" };
static struct dso vdso = { .kind = DSO_VDSO, .name = "[vdso]" };
static struct dso kernel = { .kind = DSO_KERNEL, .name = "[kernel.kallsyms]" };
static struct dso jit = { .kind = DSO_JIT, .name = "/tmp/perf-12.map" };
static struct dso root_dir = { .kind = DSO_FILE, .name = "/ (deleted)" };

enum {
	NOWHERE,
	LEAF,
	LEAF_LATER,
	MID,
	MAIN,
	ODD,
	VDSO,
	KERNEL,
	KERNEL_UNKNOWN,
	JIT,
	JAVA,
	INLINED,
	ROOT_DIR,
	NR_PLACES
};
static const struct inline_call calls[] = { { "in2(int)", "a/in.h", 3 }, { "in1", NULL, 0 } };
static struct location places[NR_PLACES] = {
	[NOWHERE] = { .id = NOWHERE },
	[LEAF] = { .id = LEAF, .dso = &spin, .name = "leaf", .file = "/src/spin.c", .line = 9 },
	[LEAF_LATER] = { .id = LEAF_LATER, .dso = &spin, .name = "leaf" },
	[MID] = { .id = MID, .dso = &spin, .name = "mid" },
	[MAIN] = { .id = MAIN, .dso = &spin, .name = "main" },
	[ODD] = { .id = ODD, .dso = &odd },
	[VDSO] = { .id = VDSO, .dso = &vdso },
	[KERNEL] = { .id = KERNEL, .dso = &kernel, .name = "do_work" },
	[KERNEL_UNKNOWN] = { .id = KERNEL_UNKNOWN, .dso = &kernel },
	[JIT] = { .id = JIT, .dso = &jit, .name = "A->B->operator" },
	[JAVA] = { .id = JAVA, .dso = &jit, .name = "Lcom/foo/Bar;::baz" },
	[INLINED] = { .id = INLINED,
		      .dso = &spin,
		      .name = "outer(char)",
		      .inlines = calls,
		      .nr_inlines = 2,
		      .file = "outer.c",
		      .line = 12 },
	[ROOT_DIR] = { .id = ROOT_DIR, .dso = &root_dir },
};

struct fixture {
	struct test_events events;
	struct folded_options options;
	struct folded *folded;
	struct sample sample;
	struct view view;
	struct view_frame frames[8];
};

static void setup(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->view.event = test_event(&f->events, ATTR_HARDWARE, 0, "cycles", SAMPLE_IP);
	f->view.sample = &f->sample;
	f->view.comm = "spin";
	f->view.pid = 100;
	f->view.tid = 101;
	f->sample.ip = 0x7f10;
	f->sample.period = 10;
}

static void start(struct fixture *f)
{
	f->folded = folded_new(&f->options);
}

/* Places of a chain, leaf first, up to -1. */
static void chain(struct fixture *f, ...)
{
	va_list args;

	f->view.has_chain = true;
	f->view.nr_frames = 0;
	f->view.frames = f->frames;
	va_start(args, f);
	for (int place; (place = va_arg(args, int)) >= 0;) {
		f->frames[f->view.nr_frames] =
			(struct view_frame){ 0x1000 + f->view.nr_frames, { &places[place], 0 }, false };
		f->view.nr_frames++;
	}
	va_end(args);
	folded_sample(f->folded, &f->view);
}

static void finish(struct fixture *f, const char *expected)
{
	struct output out = output_open();

	folded_write(f->folded, out.w);
	folded_free(f->folded);
	output_expect(&out, expected);
}

START_TEST(equal_stacks_are_counted_and_sorted_by_bytes)
{
	struct fixture f;

	setup(&f);
	start(&f);
	f.sample.period = 250000;
	chain(&f, LEAF, MID, MAIN, -1);
	chain(&f, LEAF_LATER, MID, MAIN, -1); /* another address of the same function */
	f.sample.period = 1;
	chain(&f, MID, MAIN, -1);
	f.view.comm = "spin b"; /* '_' sorts behind ';' */
	chain(&f, MAIN, -1);
	f.view.comm = "spin!"; /* '!' before it */
	chain(&f, MAIN, -1);
	f.view.comm = "a";
	chain(&f, MAIN, -1);
	ck_assert_uint_eq(folded_weight(f.folded), 500004);
	finish(&f, "a;main 1\nspin!;main 1\nspin;main;mid 1\nspin;main;mid;leaf 500000\nspin_b;main 1\n");
}
END_TEST

START_TEST(nothing_seen_prints_nothing)
{
	struct fixture f;

	setup(&f);
	start(&f);
	finish(&f, "");
	folded_free(NULL);
}
END_TEST

START_TEST(samples_without_a_chain_have_their_ip_as_leaf)
{
	struct fixture f;

	setup(&f);
	start(&f);
	f.view.ip = (struct spot){ &places[LEAF], 0 };
	folded_sample(f.folded, &f.view);
	f.view.ip = (struct spot){ 0 };
	folded_sample(f.folded, &f.view);
	chain(&f, -1);
	finish(&f, "spin 20\nspin;leaf 10\n");
}
END_TEST

START_TEST(a_chain_that_never_came_is_no_frame)
{
	struct fixture f;

	setup(&f);
	start(&f);
	f.frames[0] = (struct view_frame){ 1, { &places[LEAF], 0 }, false };
	f.frames[1] = (struct view_frame){ 77, { &places[NOWHERE], 0 }, true };
	f.view.frames = f.frames;
	f.view.nr_frames = 2;
	f.view.has_chain = true;
	folded_sample(f.folded, &f.view);
	finish(&f, "spin;leaf 10\n");
}
END_TEST

START_TEST(any_comm_is_one_root_frame)
{
	static const struct {
		const char *comm, *line;
	} table[] = {
		{ "t", "t;main 10\n" },
		{ "worker 1", "worker_1;main 10\n" },
		{ "a;b", "a:b;main 10\n" },
		{ "x\ny", "x_y;main 10\n" },
		{ "#hash", "#hash;main 10\n" },
		{ " lead", "_lead;main 10\n" },
		{ "", ":101;main 10\n" },
		{ "\xff\xfe", "\xff\xfe;main 10\n" },
		{ "a b 12/34 [000] 1.0:", "a_b_12/34_[000]_1.0:;main 10\n" },
		{ "foo 2/3 [001] 5.0: 7 cycles:", "foo_2/3_[001]_5.0:_7_cycles:;main 10\n" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct fixture f;
		setup(&f);
		start(&f);
		f.view.comm = table[i].comm;
		chain(&f, MAIN, -1);
		finish(&f, table[i].line);
	}
}
END_TEST

START_TEST(pid_and_tid_split_the_root)
{
	struct fixture f;

	setup(&f);
	f.options.pid = true;
	start(&f);
	chain(&f, MAIN, -1);
	f.view.tid = 102;
	chain(&f, MAIN, -1);
	f.view.pid = 7;
	chain(&f, MAIN, -1);
	finish(&f, "spin-100;main 20\nspin-7;main 10\n");
	setup(&f);
	f.options.tid = true;
	start(&f);
	chain(&f, MAIN, -1);
	f.view.tid = 102;
	chain(&f, MAIN, -1);
	finish(&f, "spin-100/101;main 10\nspin-100/102;main 10\n");
}
END_TEST

START_TEST(unknown_functions_are_named_by_their_binary)
{
	struct fixture f;

	setup(&f);
	start(&f);
	chain(&f, ODD, VDSO, NOWHERE, KERNEL_UNKNOWN, ROOT_DIR, -1);
	finish(&f, "spin;[/];[[kernel.kallsyms]];[unknown];[[vdso]];[lib with (paren).so.1] 10\n");
	setup(&f);
	f.options.addrs = true;
	start(&f);
	chain(&f, ODD, NOWHERE, MAIN, -1);
	chain(&f, ODD, NOWHERE, MAIN, -1);
	finish(&f, "spin;main;[unknown <1001>];[lib with (paren).so.1 <1000>] 20\n");
}
END_TEST

START_TEST(kernel_and_jit_code_is_marked_when_asked_for)
{
	struct fixture f;

	setup(&f);
	f.options.kernel = f.options.jit = true;
	start(&f);
	chain(&f, KERNEL, KERNEL_UNKNOWN, VDSO, JAVA, MAIN, -1);
	finish(&f, "spin;main;Lcom/foo/Bar:::baz_[j];[[vdso]];[[kernel.kallsyms]]_[k];do_work_[k] 10\n");
}
END_TEST

START_TEST(inlined_calls_are_frames_outer_first)
{
	struct fixture f;

	setup(&f);
	start(&f);
	chain(&f, INLINED, MAIN, -1);
	finish(&f, "spin;main;outer;in1;in2 10\n");
	setup(&f);
	f.options.inlines = true;
	start(&f);
	chain(&f, INLINED, MAIN, -1);
	finish(&f, "spin;main;outer;in1_[i];in2_[i] 10\n");
}
END_TEST

START_TEST(source_lines_are_part_of_the_frame_when_asked_for)
{
	struct fixture f;

	setup(&f);
	f.options.srcline = true;
	start(&f);
	chain(&f, LEAF, INLINED, MAIN, -1);
	finish(&f, "spin;main;outer:outer.c:12;in1;in2:in.h:3;leaf:spin.c:9 10\n");
	setup(&f);
	f.options.srcline = f.options.full_source_path = true;
	start(&f);
	chain(&f, LEAF, -1);
	finish(&f, "spin;leaf:/src/spin.c:9 10\n");
}
END_TEST

START_TEST(names_of_jit_maps_are_unfolded)
{
	struct fixture f;

	setup(&f);
	f.options.jit = true;
	start(&f);
	chain(&f, JIT, MAIN, -1);
	finish(&f, "spin;main;A_[j];B_[i];operator_[i] 10\n");
	setup(&f);
	start(&f);
	f.view.comm = "java";
	chain(&f, JAVA, -1);
	f.view.comm = "other";
	chain(&f, JAVA, -1);
	finish(&f, "java;com/foo/Bar:::baz 10\nother;Lcom/foo/Bar:::baz 10\n");
}
END_TEST

START_TEST(incomplete_stacks_are_kept_marked_or_dropped)
{
	static const char *const expected[] = {
		[FOLDED_KEEP] = "spin;main 11\n",
		[FOLDED_MARK] = "spin;[truncated];main 1\nspin;main 10\n",
		[FOLDED_DROP] = "spin;main 10\n",
	};
	struct fixture f;

	for (unsigned i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		setup(&f);
		f.options.incomplete = (enum folded_incomplete)i;
		start(&f);
		chain(&f, MAIN, -1);
		f.view.incomplete = true;
		f.sample.period = 1;
		chain(&f, MAIN, -1);
		finish(&f, expected[i]);
	}
}
END_TEST

START_TEST(the_weight_is_the_period_or_one)
{
	struct fixture f;

	setup(&f);
	f.options.by_samples = true;
	start(&f);
	chain(&f, MAIN, -1);
	chain(&f, MAIN, -1);
	finish(&f, "spin;main 2\n");
	setup(&f);
	start(&f);
	f.sample.period = UINT64_MAX - 1;
	chain(&f, MAIN, -1);
	f.sample.period = 5;
	chain(&f, MAIN, -1);
	finish(&f, "spin;main 18446744073709551615\n");
}
END_TEST

START_TEST(the_first_event_is_counted_and_the_others_are_named)
{
	struct fixture f;

	setup(&f);
	struct event *second = test_event(&f.events, ATTR_HARDWARE, 1, "instructions", SAMPLE_IP);
	struct event *first = f.events.pointers[0];
	f.view.event = second;
	start(&f);
	chain(&f, MAIN, -1);
	f.view.event = first;
	chain(&f, LEAF, -1);
	chain(&f, LEAF, -1);
	ck_assert_str_eq(folded_event(f.folded, 0)->name, "cycles");
	ck_assert_uint_eq(folded_event(f.folded, 0)->samples, 2);
	ck_assert(!folded_event(f.folded, 0)->counted);
	ck_assert_uint_eq(folded_event(f.folded, 1)->samples, 1);
	ck_assert(folded_event(f.folded, 1)->counted);
	ck_assert_ptr_null(folded_event(f.folded, 2));
	finish(&f, "spin;main 10\n");
}
END_TEST

START_TEST(filters_choose_events)
{
	const char *const names[] = { "instructions" };
	struct fixture f;

	setup(&f);
	struct event *second = test_event(&f.events, ATTR_HARDWARE, 1, "instructions:u", SAMPLE_IP);
	f.options.events = names;
	f.options.nr_events = 1;
	start(&f);
	chain(&f, LEAF, -1);
	f.view.event = second;
	chain(&f, MID, -1);
	finish(&f, "spin;mid 10\n");
	setup(&f);
	second = test_event(&f.events, ATTR_HARDWARE, 1, "instructions:u", SAMPLE_IP);
	f.options.all_events = true;
	start(&f);
	chain(&f, LEAF, -1);
	f.view.event = second;
	chain(&f, MID, -1);
	finish(&f, "spin;leaf 10\nspin;mid 10\n");
}
END_TEST

START_TEST(both_halves_of_a_hybrid_processor_are_one_event)
{
	struct fixture f;

	setup(&f);
	f.events.events[0].name = (char *)"cpu_core/cycles:ppp/";
	struct event *atom = test_event(&f.events, 10, 0, "cpu_atom/cycles:ppp/", SAMPLE_IP);
	struct event *other = test_event(&f.events, 10, 1, "cpu_atom/instructions/", SAMPLE_IP);
	start(&f);
	chain(&f, LEAF, -1);
	f.view.event = atom;
	chain(&f, LEAF, -1);
	f.view.event = other;
	chain(&f, LEAF, -1);
	finish(&f, "spin;leaf 20\n");
}
END_TEST

START_TEST(all_clusters_of_a_processor_are_one_event)
{
	static const char *const names[] = { "armv8_cortex_a53/cycles/", "armv8_cortex_a72/cycles/",
					     "armv8_cortex_a53/cycles/u", "arm_dsu_0/cycles/" };
	struct fixture f;

	setup(&f);
	f.events.events[0].name = (char *)names[0];
	start(&f);
	chain(&f, LEAF, -1);
	for (unsigned i = 1; i < 4; i++) {
		f.view.event = test_event(&f.events, 10, i, names[i], SAMPLE_IP);
		chain(&f, LEAF, -1);
	}
	finish(&f, "spin;leaf 20\n");
}
END_TEST

START_TEST(event_names_match_with_and_without_modifiers)
{
	ck_assert(folded_event_matches("cycles", "cycles"));
	ck_assert(folded_event_matches("cycles", "cycles:ppp"));
	ck_assert(folded_event_matches("cycles:ppp", "cycles:ppp"));
	ck_assert(!folded_event_matches("cycles:u", "cycles:k"));
	ck_assert(!folded_event_matches("cycles:u", "cycles"));
	ck_assert(!folded_event_matches("cyc", "cycles"));
	ck_assert(folded_event_matches("sched:sched_switch", "sched:sched_switch"));
	ck_assert(!folded_event_matches("sched", "sched:sched_switch"));
	ck_assert(!folded_event_matches("sched:sched_wakeup", "sched:sched_switch"));
	ck_assert(folded_event_matches("cycles", "cpu_atom/cycles/"));
	ck_assert(folded_event_matches("cycles", "cpu_core/cycles:ppp/"));
	ck_assert(folded_event_matches("cpu_core/cycles/", "cpu_core/cycles/"));
	ck_assert(folded_event_matches("cpu_core/cycles/", "cpu_atom/cycles/P"));
	ck_assert(folded_event_matches("cpu_core/cycles/P", "cpu_atom/cycles/P"));
	ck_assert(!folded_event_matches("cpu_core/cycles/u", "cpu_atom/cycles/k"));
	ck_assert(folded_event_matches("cycles", "armv8_cortex_a72/cycles/u"));
	ck_assert(!folded_event_matches("cycles", "arm_dsu_0/cycles/"));
	ck_assert(!folded_event_matches("cycles", "cpu/cycles/"));
}
END_TEST

START_TEST(many_stacks_stay_apart)
{
	struct fixture f;
	enum { NR = 3000 };
	struct location *many = calloc(NR, sizeof(*many));
	char(*names)[16] = calloc(NR, sizeof(*names));

	setup(&f);
	start(&f);
	f.view.has_chain = true;
	f.view.frames = f.frames;
	f.view.nr_frames = 2;
	f.sample.period = 1;
	for (int i = 0; i < NR; i++) {
		snprintf(names[i], sizeof(names[i]), "f%04d", i);
		many[i] = (struct location){ .id = (uint32_t)i, .dso = &spin, .name = names[i] };
	}
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < NR; i++) {
			f.frames[0] = (struct view_frame){ 1, { &many[i], 0 }, false };
			f.frames[1] = (struct view_frame){ 1, { &many[i / 2], 0 }, false };
			folded_sample(f.folded, &f.view);
		}
	}
	struct output out = output_open();
	folded_write(f.folded, out.w);
	folded_free(f.folded);
	char *text = output_close(&out), *at = text;
	for (int i = 0; i < NR; i++) {
		char line[40];
		int size = snprintf(line, sizeof(line), "spin;f%04d;f%04d 2\n", i / 2, i);
		ck_assert(!strncmp(at, line, (size_t)size));
		at += size;
	}
	ck_assert_str_eq(at, "");
	free(text);
	free(many);
	free(names);
}
END_TEST

CHECK_SUITE("folded", only_the_parameter_list_of_the_whole_name_is_cut, any_name_is_survived,
	    equal_stacks_are_counted_and_sorted_by_bytes, nothing_seen_prints_nothing,
	    samples_without_a_chain_have_their_ip_as_leaf, a_chain_that_never_came_is_no_frame,
	    any_comm_is_one_root_frame, pid_and_tid_split_the_root,
	    unknown_functions_are_named_by_their_binary, kernel_and_jit_code_is_marked_when_asked_for,
	    inlined_calls_are_frames_outer_first, source_lines_are_part_of_the_frame_when_asked_for,
	    names_of_jit_maps_are_unfolded, incomplete_stacks_are_kept_marked_or_dropped,
	    the_weight_is_the_period_or_one, the_first_event_is_counted_and_the_others_are_named,
	    filters_choose_events, both_halves_of_a_hybrid_processor_are_one_event,
	    all_clusters_of_a_processor_are_one_event, event_names_match_with_and_without_modifiers,
	    many_stacks_stay_apart)
