#include "resolve.h"

#include "tests/bytes.h"
#include "tests/check_run.h"
#include "tests/naming.h"

#define BASE UINT64_C(0x555500001000)
#define AT(function) (BASE - 0x1000 + SPIN_AT(function))
#define KERNEL UINT64_C(0xffffffff81000000)

static const char kallsyms[] =
	"ffffffff81000000 T _text\nffffffff81001000 T entry\nffffffff81001100 T do_work\n"
	"ffffffff81002000 T _etext\n";
static struct naming n;
static struct resolve *r;
static struct event event;
static struct view view;

/* Process 100 runs /spin: leaf, mid, main; the kernel has entry and do_work, one behind the other. */
static void begin_as(const char *arch, unsigned max_stack)
{
	naming_begin(&n, kallsyms);
	naming_file(&n, "/spin", (struct mkspin){ 0 });
	naming_map(&n, 100, BASE, 0x1000, 0x1000, "/spin");
	naming_map_kernel(&n, KERNEL, 0x1000000, KERNEL, "[kernel.kallsyms]_text");
	machine_comm(n.machine, 100, 100, "spin", false);
	event = (struct event){ .attr = { .sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_CALLCHAIN } };
	r = resolve_new(n.machine, n.symbolizer,
			&(struct resolve_options){ .arch = arch_by_name(arch), .max_stack = max_stack });
}

static void begin(void)
{
	begin_as("x86_64", 127);
}

static void end(void)
{
	resolve_free(r);
	naming_end(&n);
}

static const char *name_of(struct spot spot)
{
	const struct location *location = spot.location;

	return !location	? "not asked"
	       : location->name ? location->name
	       : location->dso	? "unknown"
				: "nowhere";
}

/* The names of a view's chain, callee first. */
static const char *names(const struct view *v)
{
	static char text[4096];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < v->nr_frames; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
					 v->frames[i].is_cookie ? "cookie" : name_of(v->frames[i].spot));
	return text;
}

#define SAMPLE(...)                                                                                          \
	(struct sample)                                                                                      \
	{                                                                                                    \
		.cpumode = CPUMODE_USER, .pid = 100, .tid = 100, .time = 1000, __VA_ARGS__                   \
	}
#define CHAIN_OF(...)                                                                                        \
	.chain = (const uint64_t[]){ __VA_ARGS__ },                                                          \
	.nr_chain = sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)
#define CHAIN_IS(expected, ...)                                                                              \
	do {                                                                                                 \
		struct sample sample = SAMPLE(__VA_ARGS__);                                                  \
		ck_assert(resolve_begin(r, n.machine, &event, &sample, &view));                              \
		resolve_chain(r, &view);                                                                     \
		ck_assert(view.has_chain);                                                                   \
		ck_assert_str_eq(names(&view), expected);                                                    \
	} while (0)

START_TEST(a_view_begins_with_the_thread)
{
	struct sample sample = SAMPLE(.ip = AT(0));

	begin();
	machine_fork(n.machine, 100, 100, 101, 100, false);
	machine_comm(n.machine, 100, 101, "worker", false);
	sample.tid = 101;
	ck_assert(resolve_begin(r, n.machine, &event, &sample, &view));
	ck_assert_str_eq(view.comm, "worker");
	ck_assert_int_eq(view.pid, 100);
	ck_assert_int_eq(view.tid, 101);
	ck_assert_uint_eq(view.time, 1000);
	ck_assert(!view.ip.location && !view.addr.location && !view.has_chain && !view.branches);
	resolve_ip(r, &view);
	ck_assert_str_eq(name_of(view.ip), "leaf");
	sample.pid = sample.tid = 77;
	ck_assert(resolve_begin(r, n.machine, &event, &sample, &view));
	ck_assert_str_eq(view.comm, ":77");
	resolve_ip(r, &view);
	ck_assert_str_eq(name_of(view.ip), "nowhere");
	end();
}
END_TEST

START_TEST(a_sample_of_a_guest_is_not_shown)
{
	begin();
	for (unsigned mode = 0; mode < 8; mode++) {
		struct sample sample = SAMPLE(.ip = AT(0));
		sample.pid = sample.tid = 55;
		sample.cpumode = (uint8_t)mode;
		ck_assert_int_eq(resolve_begin(r, n.machine, &event, &sample, &view),
				 mode != CPUMODE_GUEST_KERNEL && mode != CPUMODE_GUEST_USER);
	}
	/* But its thread is there, as with perf script. */
	ck_assert_ptr_nonnull(machine_find_thread(n.machine, 55));
	end();
}
END_TEST

START_TEST(a_sample_of_a_guest_is_at_addresses_of_the_guest)
{
	begin();
	struct dsos *dsos = dsos_new_guest(n.dsos);
	struct machine *guest = machine_new_guest(dsos, 500), *host = n.machine;
	struct sample sample = SAMPLE(.ip = AT(0));

	sample.cpumode = CPUMODE_GUEST_USER;
	ck_assert(resolve_begin(r, guest, &event, &sample, &view));
	ck_assert_ptr_eq(resolve_maps(r, CPUMODE_GUEST_USER), machine_thread(guest, 100, 100)->maps);
	ck_assert_ptr_eq(resolve_maps(r, CPUMODE_USER), machine_thread(guest, 100, 100)->maps);
	ck_assert_ptr_eq(resolve_maps(r, CPUMODE_GUEST_KERNEL), machine_kernel_maps(guest));
	ck_assert(!resolve_begin(r, host, &event, &sample, &view));
	ck_assert_ptr_null(resolve_maps(r, CPUMODE_GUEST_USER));
	ck_assert_ptr_null(resolve_maps(r, CPUMODE_GUEST_KERNEL));
	resolve_free(r);
	r = resolve_new(host, n.symbolizer,
			&(struct resolve_options){ .arch = arch_by_name("aarch64"), .guest_code = true });
	sample.pid = 100;
	sample.tid = 101;
	resolve_begin(r, guest, &event, &sample, &view);
	ck_assert_ptr_eq(resolve_maps(r, CPUMODE_GUEST_USER), machine_thread(host, 100, 100)->maps);
	ck_assert_str_eq(view.comm, ":100");
	ck_assert_int_eq(view.tid, 101);
	machine_free(guest);
	dsos_free(dsos);
	end();
}
END_TEST

START_TEST(the_mode_says_where_the_own_address_is)
{
	static const struct {
		unsigned mode;
		uint64_t ip;
		const char *name;
	} table[] = {
		{ CPUMODE_USER, AT(1), "mid" },
		{ CPUMODE_USER, KERNEL + 0x1110, "nowhere" },
		{ CPUMODE_KERNEL, KERNEL + 0x1110, "do_work" },
		{ CPUMODE_KERNEL, KERNEL + 0x1100, "do_work" },
		{ CPUMODE_KERNEL, AT(1), "nowhere" },
		{ CPUMODE_HYPERVISOR, KERNEL + 0x1110, "nowhere" },
		{ CPUMODE_UNKNOWN, AT(1), "nowhere" },
	};

	begin();
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct sample sample = SAMPLE(.ip = table[i].ip);
		sample.cpumode = (uint8_t)table[i].mode;
		resolve_begin(r, n.machine, &event, &sample, &view);
		resolve_ip(r, &view);
		ck_assert_str_eq(name_of(view.ip), table[i].name);
	}
	end();
}
END_TEST

START_TEST(markers_switch_between_kernel_and_user)
{
	begin();
	CHAIN_IS("leaf mid main", CHAIN_OF(CHAIN_USER, AT(0) + 4, AT(1) + 4, AT(2) + 4));
	CHAIN_IS("leaf mid", CHAIN_OF(AT(0) + 4, AT(1) + 4));
	CHAIN_IS("do_work entry leaf mid",
		 CHAIN_OF(CHAIN_KERNEL, KERNEL + 0x1110, KERNEL + 0x1004, CHAIN_USER, AT(0) + 4, AT(1) + 4));
	CHAIN_IS("nowhere leaf", CHAIN_OF(CHAIN_HV, KERNEL + 0x1110, CHAIN_USER, AT(0)));
	CHAIN_IS("nowhere", CHAIN_OF(CHAIN_KERNEL, AT(0)));
	CHAIN_IS("", CHAIN_OF(CHAIN_USER));
	CHAIN_IS("", .nr_chain = 0);
	/* A marker that nobody knows makes all of it doubtful. */
	CHAIN_IS("", CHAIN_OF(CHAIN_USER, AT(0), (uint64_t)-2048, AT(1)));
	end();
}
END_TEST

START_TEST(only_user_return_addresses_are_looked_up_before_themselves)
{
	begin();
	CHAIN_IS("leaf mid", CHAIN_OF(CHAIN_USER, AT(0) + 4, AT(2)));
	/* Where code ran. */
	CHAIN_IS("main", CHAIN_OF(CHAIN_USER, AT(2)));
	/* The kernel's labels begin where its calls return to. */
	CHAIN_IS("do_work do_work leaf leaf",
		 CHAIN_OF(CHAIN_KERNEL, KERNEL + 0x1110, KERNEL + 0x1100, CHAIN_USER, AT(0), AT(1)));
	/* The address that is printed is the recorded one. */
	ck_assert_uint_eq(view.frames[3].ip, AT(1));
	ck_assert_uint_eq(spot_symoff(&view.frames[3].spot), SPIN_SIZE);
	end();
}
END_TEST

START_TEST(long_chains_are_cut)
{
	begin_as("x86_64", 2);
	CHAIN_IS("leaf mid", CHAIN_OF(CHAIN_USER, AT(0) + 4, AT(1) + 4, AT(2) + 4));
	CHAIN_IS("do_work leaf", CHAIN_OF(CHAIN_KERNEL, KERNEL + 0x1110, CHAIN_USER, AT(0) + 4, AT(1) + 4));
	end();
}
END_TEST

#define NEW_BASE UINT64_C(0x7f0000001000)
#define IN_NEW (NEW_BASE - 0x1000 + SPIN_AT(0))

/* Process 100 becomes another program, of which no code has run yet. */
static void begin_exec(void)
{
	begin();
	machine_comm(n.machine, 100, 100, "new", true);
	naming_map(&n, 100, NEW_BASE, 0x1000, 0x1000, "/spin");
}

static void kernel_chain_is(const char *expected, uint64_t user, uint64_t caller)
{
	const uint64_t chain[] = { CHAIN_KERNEL, KERNEL + 0x1110, CHAIN_USER, user, caller };
	struct sample sample = SAMPLE(.chain = chain, .nr_chain = caller ? 5 : user ? 4 : 2);

	sample.cpumode = CPUMODE_KERNEL;
	ck_assert(resolve_begin(r, n.machine, &event, &sample, &view));
	resolve_chain(r, &view);
	ck_assert_str_eq(names(&view), expected);
}

START_TEST(the_caller_of_execve_is_of_the_old_program)
{
	begin_exec();
	kernel_chain_is("do_work", 0, 0);
	kernel_chain_is("do_work mid", AT(1) + 4, 0);
	kernel_chain_is("do_work mid", AT(1) + 4, 0);
	kernel_chain_is("do_work leaf", IN_NEW, 0);
	kernel_chain_is("do_work nowhere", AT(1) + 4, 0);
	end();
}
END_TEST

START_TEST(what_is_not_the_caller_of_execve_is_not_of_the_old_program)
{
	begin_exec();
	CHAIN_IS("nowhere", CHAIN_OF(CHAIN_USER, AT(1) + 4));
	kernel_chain_is("do_work nowhere", AT(1) + 4, 0);
	end();
	begin_exec();
	kernel_chain_is("do_work nowhere nowhere", AT(1) + 4, AT(2) + 4);
	kernel_chain_is("do_work nowhere", AT(1) + 4, 0);
	end();
}
END_TEST

START_TEST(an_event_without_chains_has_none)
{
	struct sample sample = SAMPLE(.ip = AT(0));

	begin();
	event.attr.sample_type &= ~(uint64_t)SAMPLE_CALLCHAIN;
	resolve_begin(r, n.machine, &event, &sample, &view);
	resolve_chain(r, &view);
	ck_assert(!view.has_chain && !view.nr_frames);
	end();
}
END_TEST

/* Of cookie 7, little-endian; until the next call. */
static struct record late_chain(uint64_t nr, const uint64_t *ips)
{
	static struct bytes b;

	bytes_start(&b, false);
	put_u64s(&b, ips, nr);
	return (struct record){ .type = RECORD_CALLCHAIN_DEFERRED,
				.deferred = { .cookie = 7, .nr = nr, ._ips = b.at } };
}

START_TEST(branches_are_the_user_part_of_a_chain)
{
	const struct branch_entry lbr[] = { { AT(1) + 8, AT(0), 0 }, { AT(2), AT(1), 0 } };
	struct record late = late_chain(2, (const uint64_t[]){ CHAIN_USER, AT(2) });

	begin();
	event.attr.branch_sample_type = BRANCH_CALL_STACK;
	/* A branch comes from the call itself: the first byte of main is main. */
	CHAIN_IS("leaf mid main", .ip = AT(0) + 4, .branches = lbr, .nr_branches = 2,
		 CHAIN_OF(CHAIN_USER, AT(2) + 9));
	CHAIN_IS("do_work mid mid main", .ip = AT(1), .branches = lbr, .nr_branches = 2,
		 CHAIN_OF(CHAIN_KERNEL, KERNEL + 0x1110, CHAIN_USER, AT(2) + 9));
	CHAIN_IS("do_work", .ip = AT(1), .branches = lbr, .nr_branches = 2,
		 CHAIN_OF(CHAIN_KERNEL, KERNEL + 0x1110));
	CHAIN_IS("leaf", .ip = AT(0) + 4, CHAIN_OF(CHAIN_USER, AT(2) + 9));
	resolve_set_late_chain(r, &late, false);
	CHAIN_IS("do_work leaf mid main", .ip = AT(0) + 4, .branches = lbr, .nr_branches = 2,
		 CHAIN_OF(CHAIN_KERNEL, KERNEL + 0x1110, CHAIN_USER_DEFERRED, 7));
	resolve_set_late_chain(r, NULL, false);
	event.attr.branch_sample_type = 0;
	CHAIN_IS("main", .ip = AT(0) + 4, .branches = lbr, .nr_branches = 2, CHAIN_OF(CHAIN_USER, AT(2) + 9));
	end();
}
END_TEST

START_TEST(a_deferred_chain_gets_its_user_part)
{
	struct record late = late_chain(3, (const uint64_t[]){ CHAIN_USER, AT(0) + 4, AT(2) });

	begin();
	CHAIN_IS("do_work cookie", CHAIN_OF(CHAIN_KERNEL, KERNEL + 0x1110, CHAIN_USER_DEFERRED, 7));
	ck_assert_uint_eq(view.frames[1].ip, 7);
	resolve_set_late_chain(r, &late, false);
	CHAIN_IS("do_work leaf mid", CHAIN_OF(CHAIN_KERNEL, KERNEL + 0x1110, CHAIN_USER_DEFERRED, 7));
	CHAIN_IS("do_work cookie", CHAIN_OF(CHAIN_KERNEL, KERNEL + 0x1110, CHAIN_USER_DEFERRED, 8));
	CHAIN_IS("do_work main", CHAIN_OF(CHAIN_KERNEL, KERNEL + 0x1110, CHAIN_USER, AT(2)));
	resolve_set_late_chain(r, NULL, false);
	CHAIN_IS("do_work cookie", CHAIN_OF(CHAIN_KERNEL, KERNEL + 0x1110, CHAIN_USER_DEFERRED, 7));
	end();
}
END_TEST

START_TEST(signatures_in_addresses_are_taken_off)
{
	const uint64_t signature = UINT64_C(0x2a) << 48;

	begin_as("aarch64", 127);
	CHAIN_IS("leaf mid main", CHAIN_OF(CHAIN_USER, AT(0) + 4, signature | (AT(1) + 4), AT(2) + 4));
	ck_assert_uint_eq(view.frames[1].ip, signature | (AT(1) + 4));
	CHAIN_IS("leaf mid", CHAIN_OF(CHAIN_USER, AT(0) + 4, signature | AT(2)));
	end();
	/* Nobody else signs. */
	begin();
	CHAIN_IS("leaf nowhere", CHAIN_OF(CHAIN_USER, AT(0) + 4, signature | (AT(1) + 4)));
	end();
}
END_TEST

static const char *addr_name(uint64_t address, unsigned mode)
{
	struct sample sample = SAMPLE(.addr = address);

	sample.cpumode = (uint8_t)mode;
	resolve_begin(r, n.machine, &event, &sample, &view);
	resolve_addr(r, &view);
	return name_of(view.addr);
}

START_TEST(a_data_address_may_be_of_the_other_mode)
{
	begin();
	ck_assert_str_eq(addr_name(AT(1), CPUMODE_USER), "mid");
	ck_assert_str_eq(addr_name(KERNEL + 0x1110, CPUMODE_KERNEL), "do_work");
	ck_assert_str_eq(addr_name(AT(1), CPUMODE_KERNEL), "mid");
	ck_assert_str_eq(addr_name(KERNEL + 0x1110, CPUMODE_USER), "do_work");
	ck_assert_str_eq(addr_name(KERNEL + 0x1110, CPUMODE_HYPERVISOR), "do_work");
	ck_assert_str_eq(addr_name(0x10, CPUMODE_KERNEL), "nowhere");
	end();
	/* Where kernel and programs have an address space each, an address is of one. */
	begin_as("s390x", 127);
	ck_assert_str_eq(addr_name(AT(1), CPUMODE_KERNEL), "nowhere");
	ck_assert_str_eq(addr_name(AT(1), CPUMODE_USER), "mid");
	end();
}
END_TEST

START_TEST(branches_have_both_ends_named)
{
	const struct branch_entry entries[] = { { AT(1), KERNEL + 0x1000, 0 }, { 0x10, AT(2), 0 } };
	struct sample sample = SAMPLE(.branches = entries, .nr_branches = 2);

	begin();
	resolve_begin(r, n.machine, &event, &sample, &view);
	resolve_branches(r, &view);
	ck_assert_str_eq(name_of(view.branches[0]), "mid");
	ck_assert_str_eq(name_of(view.branches[1]), "entry");
	ck_assert_str_eq(name_of(view.branches[2]), "nowhere");
	ck_assert_str_eq(name_of(view.branches[3]), "main");
	end();
}
END_TEST

/*
 * What was found out for one sample may be used for the next. It must never show: each chain is compared with
 * that of a resolve that has seen nothing yet, while processes map, fork and execute.
 */
static void change_something(unsigned what, int32_t pid)
{
	switch (what % 5) {
	case 0:
		naming_map(&n, pid, BASE, 0x1000, 0x1000, "/spin");
		break;
	case 1:
		naming_map(&n, pid, BASE, 0x1000, 0x1000, "/other");
		break;
	case 2:
		naming_map(&n, pid, AT(1), SPIN_SIZE, SPIN_MAIN, "/spin");
		break;
	case 3:
		machine_fork(n.machine, pid, 100 + pid % 3, pid, 100 + pid % 3, false);
		break;
	case 4:
		machine_ksymbol(n.machine, KERNEL + 0x2000000, 0x100, "bpf_prog", pid & 1);
		break;
	}
}

START_TEST(no_chain_shows_what_was_before_it)
{
	uint64_t seed = 3, chain[12];

	begin();
	naming_file(&n, "/other", (struct mkspin){ .names = { "uno", "due", "tre" } });
	for (unsigned round = 0; round < 20000; round++) {
		struct sample sample = SAMPLE(.chain = chain);
		struct view fresh_view;
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		uint64_t random = seed >> 16;
		sample.pid = sample.tid = 100 + (int32_t)(random % 5);
		if (random >> 8 & 1)
			change_something((unsigned)(random >> 9) % 64, sample.pid);
		chain[sample.nr_chain++] = random >> 16 & 1 ? CHAIN_KERNEL : CHAIN_USER;
		for (unsigned i = 0; i < (random >> 17 & 7); i++) {
			uint64_t bits = random >> (20 + 3 * i);
			chain[sample.nr_chain++] =
				bits & 4 ? KERNEL + 0x1000 + 0x80 * (bits & 3) : AT(bits & 3);
		}
		chain[sample.nr_chain++] = CHAIN_USER;
		for (unsigned i = 0; i < 3; i++)
			chain[sample.nr_chain++] = AT(i) + (round & 1);
		struct resolve *fresh = resolve_new(
			n.machine, n.symbolizer,
			&(struct resolve_options){ .arch = arch_by_name("x86_64"), .max_stack = 127 });
		resolve_begin(r, n.machine, &event, &sample, &view);
		resolve_chain(r, &view);
		resolve_begin(fresh, n.machine, &event, &sample, &fresh_view);
		resolve_chain(fresh, &fresh_view);
		ck_assert_uint_eq(view.nr_frames, fresh_view.nr_frames);
		for (size_t i = 0; i < view.nr_frames; i++) {
			ck_assert_uint_eq(view.frames[i].ip, fresh_view.frames[i].ip);
			ck_assert_ptr_eq(view.frames[i].spot.location, fresh_view.frames[i].spot.location);
			ck_assert_uint_eq(view.frames[i].spot.offset, fresh_view.frames[i].spot.offset);
		}
		resolve_free(fresh);
	}
	end();
}
END_TEST

START_TEST(what_is_unknown_counts_in_each_sample_once)
{
	begin();
	naming_map(&n, 100, 0x10000, 0x1000, 0, "/gone");
	for (int i = 0; i < 5; i++)
		CHAIN_IS("unknown unknown leaf unknown",
			 CHAIN_OF(CHAIN_USER, 0x10010, 0x10020, AT(0) + 4, 0x10010));
	ck_assert_uint_eq(view.frames[0].spot.location->dso->nr_unknown, 5);
	end();
}
END_TEST

static void record_is_of(const struct record *record, const char *comm)
{
	struct view_record v;

	resolve_record(r, n.machine, &event, record, &v);
	ck_assert_str_eq(v.comm, comm);
	ck_assert_ptr_eq(v.record, record);
	ck_assert_ptr_eq(v.event, &event);
}

START_TEST(a_record_is_of_the_task_that_it_is_about)
{
	const struct sample_id sid = { .pid = 1, .tid = 1 };

	begin();
	machine_comm(n.machine, 1, 1, "init", false);
	machine_comm(n.machine, 2, 2, "two", false);
	record_is_of(&(struct record){ .type = RECORD_COMM,
				       .sid = sid,
				       .comm = { .pid = 2, .tid = 2, .comm = "x" } },
		     "two");
	record_is_of(&(struct record){ .type = RECORD_MMAP, .sid = sid, .mmap = { .pid = 2, .tid = 2 } },
		     "two");
	record_is_of(&(struct record){ .type = RECORD_MMAP2, .sid = sid, .mmap = { .pid = 2, .tid = 2 } },
		     "two");
	record_is_of(&(struct record){ .type = RECORD_FORK, .sid = sid, .task = { .pid = 2, .tid = 2 } },
		     "two");
	record_is_of(&(struct record){ .type = RECORD_EXIT, .sid = sid, .task = { .pid = 2, .tid = 2 } },
		     "two");
	record_is_of(&(struct record){ .type = RECORD_NAMESPACES,
				       .sid = sid,
				       .namespaces = { .pid = 2, .tid = 2 } },
		     "two");
	record_is_of(&(struct record){ .type = RECORD_SWITCH, .sid = sid }, "init");
	record_is_of(&(struct record){ .type = RECORD_LOST, .sid = sid }, "init");
	record_is_of(&(struct record){ .type = RECORD_COMM, .comm = { .pid = 9, .tid = 9, .comm = "x" } },
		     ":9");
	end();
}
END_TEST

START_TEST(changed_kernel_code_has_a_name)
{
	const struct record poke = { .type = RECORD_TEXT_POKE, .text_poke = { .addr = KERNEL + 0x1110 } };
	struct view_record v;

	begin();
	resolve_record(r, n.machine, &event, &poke, &v);
	ck_assert_str_eq(name_of(v.addr), "do_work");
	end();
}
END_TEST

CHECK_SUITE("resolve", a_view_begins_with_the_thread, a_sample_of_a_guest_is_not_shown,
	    a_sample_of_a_guest_is_at_addresses_of_the_guest, the_mode_says_where_the_own_address_is,
	    markers_switch_between_kernel_and_user,
	    only_user_return_addresses_are_looked_up_before_themselves, long_chains_are_cut,
	    the_caller_of_execve_is_of_the_old_program,
	    what_is_not_the_caller_of_execve_is_not_of_the_old_program, an_event_without_chains_has_none,
	    branches_are_the_user_part_of_a_chain,
	    a_deferred_chain_gets_its_user_part, signatures_in_addresses_are_taken_off,
	    a_data_address_may_be_of_the_other_mode, branches_have_both_ends_named,
	    no_chain_shows_what_was_before_it, what_is_unknown_counts_in_each_sample_once,
	    a_record_is_of_the_task_that_it_is_about, changed_kernel_code_has_a_name)
