#include "apply.h"

#include <stdio.h>
#include <string.h>

#include "tests/check_run.h"
#include "tests/mkperf.h"
#include "util/cursor.h"

/* The kind and the pid of a recording's first record. */
static enum queue_kind kind_of(struct mkperf *m, bool big_endian, uint32_t *pid)
{
	size_t size;
	const uint8_t *bytes = mkperf_records(m, &size);
	struct cursor c = cursor_make(bytes, size, big_endian);
	struct raw_record raw = { .data = bytes };

	raw.type = cursor_u32(&c);
	raw.misc = cursor_u16(&c);
	raw.size = cursor_u16(&c);
	enum queue_kind kind = apply_queue_kind(&raw, big_endian, pid);
	mkperf_free(m);
	return kind;
}

static struct mkperf *begin_recording(bool big_endian)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ .big_endian = big_endian });

	mkperf_event(m, .attr = { .sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME,
				  .flags = MK_SAMPLE_ID_ALL });
	return m;
}

#define KIND_IS(expected, make)                                                                              \
	do {                                                                                                 \
		struct mkperf *m = begin_recording(big);                                                     \
		make;                                                                                        \
		uint32_t pid;                                                                                \
		ck_assert_int_eq(kind_of(m, big, &pid), expected);                                           \
		if (expected != QUEUE_OTHER)                                                                 \
			ck_assert_uint_eq(pid, 0x01020304);                                                  \
	} while (0)

START_TEST(whose_a_record_is)
{
	const uint32_t p = 0x01020304;

	for (int big = 0; big <= 1; big++) {
		KIND_IS(QUEUE_FORK, mkperf_fork(m, .pid = p, .ppid = 1, .tid = p, .ptid = 1));
		/* A thread does not begin the process. */
		KIND_IS(QUEUE_TASK, mkperf_fork(m, .pid = p, .ppid = p, .tid = p + 1, .ptid = p));
		KIND_IS(QUEUE_TASK, mkperf_comm(m, .pid = p, .tid = p, .comm = "a"));
		KIND_IS(QUEUE_TASK, mkperf_mmap(m, .pid = p, .tid = p, .len = 1, .filename = "/a"));
		KIND_IS(QUEUE_TASK, mkperf_mmap2(m, .pid = p, .tid = p, .len = 1, .filename = "/a"));
		KIND_IS(QUEUE_TASK, mkperf_exit(m, .pid = p, .ppid = 1, .tid = p, .ptid = 1));
		KIND_IS(QUEUE_OTHER, mkperf_sample(m, .pid = p, .tid = p));
		KIND_IS(QUEUE_OTHER, mkperf_round(m));
	}
}
END_TEST

START_TEST(a_record_that_is_cut_is_not_read_behind_its_end)
{
	static const uint8_t header[8];
	uint32_t pid;

	for (uint32_t type = 0; type < 100; type++) {
		uint8_t *exact = malloc(sizeof(header));
		memcpy(exact, header, sizeof(header));
		struct raw_record raw = { .data = exact, .type = type, .size = sizeof(header) };
		apply_queue_kind(&raw, false, &pid);
		ck_assert_uint_eq(pid, 0);
		free(exact);
	}
}
END_TEST

/* What the machine knows then */

static struct dsos *dsos;
static struct machine *machine;

static void set_up(void)
{
	dsos = dsos_new();
	machine = machine_new(dsos);
}

static void tear_down(void)
{
	machine_free(machine);
	dsos_free(dsos);
}

#define APPLY(...) apply_record(machine, &(struct record){ .sid = { .time = 1000 }, __VA_ARGS__ })
#define MMAP(mode, first, path)                                                                              \
	APPLY(.type = RECORD_MMAP2, .misc = (mode),                                                          \
	      .mmap = { .pid = 100,                                                                          \
			.tid = 100,                                                                          \
			.start = (first),                                                                    \
			.len = 0x1000,                                                                       \
			.prot = 5,                                                                           \
			.filename = (path) })
#define FORK(child, when, bits)                                                                              \
	apply_record(machine, &(struct record){ .type = RECORD_FORK,                                         \
						.misc = (bits),                                              \
						.sid = { .time = (when) },                                   \
						.task = { .pid = (child),                                    \
							  .ppid = 100,                                       \
							  .tid = (child),                                    \
							  .ptid = 100,                                       \
							  .time = (when) } })

static const char *name_at(const struct maps *maps, uint64_t address)
{
	const struct map *map = maps ? maps_find(maps, address) : NULL;

	return map ? map->dso->name : "";
}

static const char *user_at(int32_t pid, uint64_t address)
{
	return name_at(machine_thread(machine, pid, pid)->maps, address);
}

static const char *kernel_at(uint64_t address)
{
	return name_at(machine_kernel_maps(machine), address);
}

START_TEST(a_map_is_of_a_process_or_of_the_kernel)
{
	set_up();
	MMAP(CPUMODE_USER, 0x1000, "/user");
	/* perf leaves the mode out sometimes. */
	MMAP(CPUMODE_UNKNOWN, 0x2000, "/unknown");
	MMAP(CPUMODE_KERNEL, 0xf000, "[kernel.kallsyms]_text");
	MMAP(CPUMODE_KERNEL, 0xf8000, "[module]");
	MMAP(CPUMODE_GUEST_KERNEL, 0xfa000, "[guest.kernel.kallsyms]");
	ck_assert_str_eq(user_at(100, 0x1000), "/user");
	ck_assert_str_eq(user_at(100, 0x2000), "/unknown");
	ck_assert_str_eq(user_at(100, 0xf000), "");
	ck_assert_str_eq(kernel_at(0xf000), "[kernel.kallsyms]");
	ck_assert_str_eq(kernel_at(0xf8000), "[module]");
	ck_assert_str_eq(kernel_at(0xfa000), "");
	ck_assert_str_eq(user_at(100, 0xfa000), "");
	tear_down();
}
END_TEST

START_TEST(what_a_guest_does_changes_nothing_of_the_host)
{
	set_up();
	MMAP(CPUMODE_USER, 0x1000, "/user");
	MMAP(CPUMODE_GUEST_USER, 0x1000, "/guest");
	MMAP(CPUMODE_GUEST_KERNEL, 0xf000, "[kernel.kallsyms]_text");
	APPLY(.type = RECORD_COMM, .misc = CPUMODE_GUEST_KERNEL,
	      .comm = { .pid = 100, .tid = 100, .comm = "guest" });
	ck_assert_str_eq(user_at(100, 0x1000), "/user");
	ck_assert_str_eq(kernel_at(0xf000), "");
	ck_assert_str_eq(machine_thread(machine, 100, 100)->comm, ":100");
	tear_down();
}
END_TEST

START_TEST(a_map_that_perf_inject_took_for_a_guests_is_the_hosts)
{
	set_up();
	APPLY(.type = RECORD_MMAP2, .misc = CPUMODE_GUEST_USER,
	      .mmap = { .pid = 100,
			.tid = 100,
			.start = 0x1000,
			.len = 0x1000,
			.prot = 5,
			.filename = "/called",
			.has_build_id = true });
	ck_assert_str_eq(user_at(100, 0x1000), "/called");
	tear_down();
}
END_TEST

START_TEST(what_a_map_says_of_its_file_is_kept)
{
	struct build_id id = { .size = 2, .bytes = { 1, 2 } };

	set_up();
	APPLY(.type = RECORD_MMAP2, .misc = CPUMODE_USER,
	      .mmap = { .pid = 1,
			.tid = 1,
			.start = 0x1000,
			.len = 0x1000,
			.pgoff = 0x3000,
			.prot = 5,
			.flags = 2,
			.has_inode = true,
			.maj = 8,
			.min = 1,
			.ino = 77,
			.ino_generation = 5,
			.filename = "/a" });
	APPLY(.type = RECORD_MMAP2, .misc = CPUMODE_USER,
	      .mmap = { .pid = 1,
			.tid = 1,
			.start = 0x2000,
			.len = 0x1000,
			.has_build_id = true,
			.build_id = id,
			.filename = "/b" });
	const struct map *a = maps_find(machine_thread(machine, 1, 1)->maps, 0x1fff);
	const struct map *b = maps_find(machine_thread(machine, 1, 1)->maps, 0x2000);
	ck_assert_uint_eq(a->pgoff, 0x3000);
	ck_assert_uint_eq(a->prot, 5);
	ck_assert_uint_eq(a->flags, 2);
	ck_assert(a->dso->inode.known && a->dso->inode.ino == 77 && a->dso->inode.maj == 8 &&
		  a->dso->inode.min == 1 && a->dso->inode.generation == 5);
	ck_assert(build_id_equal(&b->dso->build_id, &id));
	ck_assert(!b->dso->inode.known);
	tear_down();
}
END_TEST

START_TEST(a_comm_names_a_thread_and_an_exec_is_told)
{
	set_up();
	APPLY(.type = RECORD_COMM, .comm = { .pid = 100, .tid = 101, .comm = "worker" });
	ck_assert_str_eq(machine_find_thread(machine, 101)->comm, "worker");
	MMAP(CPUMODE_USER, 0x1000, "/old");
	APPLY(.type = RECORD_COMM, .comm = { .pid = 100, .tid = 100, .comm = "new", .exec = true });
	MMAP(CPUMODE_USER, 0x5000, "/new");
	ck_assert_str_eq(user_at(100, 0x1000), "");
	ck_assert_str_eq(user_at(100, 0x5000), "/new");
	tear_down();
}
END_TEST

START_TEST(only_a_real_fork_hands_maps_down)
{
	set_up();
	MMAP(CPUMODE_USER, 0x1000, "/parent");
	FORK(200, 2000, 0);
	ck_assert_str_eq(user_at(200, 0x1000), "/parent");
	/* perf made these: without a time (old ones), or marked. */
	FORK(201, 0, 0);
	ck_assert_str_eq(user_at(201, 0x1000), "");
	FORK(202, 2000, MISC_FORK_EXEC);
	ck_assert_str_eq(user_at(202, 0x1000), "");
	/* Without a trailer the time is the record's own. */
	apply_record(machine, &(struct record){ .type = RECORD_FORK,
						.sid = { .time = UINT64_MAX },
						.task = { 204, 100, 204, 100, 2000 } });
	ck_assert_str_eq(user_at(204, 0x1000), "/parent");
	apply_record(machine, &(struct record){ .type = RECORD_FORK,
						.sid = { .time = UINT64_MAX },
						.task = { 205, 100, 205, 100, 0 } });
	ck_assert_str_eq(user_at(205, 0x1000), "");
	tear_down();
}
END_TEST

START_TEST(an_exit_forgets_nothing)
{
	set_up();
	APPLY(.type = RECORD_COMM, .comm = { .pid = 100, .tid = 100, .comm = "one" });
	MMAP(CPUMODE_USER, 0x1000, "/one");
	APPLY(.type = RECORD_EXIT, .task = { 100, 1, 100, 1, 3000 });
	ck_assert_str_eq(user_at(100, 0x1000), "/one");
	ck_assert_str_eq(machine_find_thread(machine, 100)->comm, "one");
	ck_assert(machine_find_thread(machine, 100)->exited);
	tear_down();
}
END_TEST

START_TEST(the_kernels_own_code_comes_and_goes)
{
	set_up();
	APPLY(.type = RECORD_KSYMBOL,
	      .ksymbol = { .addr = 0xf0000, .len = 0x100, .ksym_type = 1, .name = "bpf_prog_x" });
	ck_assert_str_eq(kernel_at(0xf00ff), "bpf_prog_x");
	ck_assert_str_eq(kernel_at(0xf0100), "");
	APPLY(.type = RECORD_KSYMBOL,
	      .ksymbol = { .addr = 0xf0000, .len = 0x100, .ksym_type = 1, .flags = 1, .name = "bpf_prog_x" });
	ck_assert_str_eq(kernel_at(0xf00ff), "");
	tear_down();
}
END_TEST

START_TEST(other_records_change_nothing)
{
	set_up();
	APPLY(.type = RECORD_NAMESPACES, .namespaces = { .pid = 7, .tid = 8 });
	ck_assert_ptr_nonnull(machine_find_thread(machine, 8));
	ck_assert_int_eq(machine_find_thread(machine, 8)->pid, 7);
	for (uint32_t type = 0; type < 100; type++) {
		switch (type) {
		case RECORD_MMAP:
		case RECORD_MMAP2:
		case RECORD_COMM:
		case RECORD_FORK:
		case RECORD_EXIT:
		case RECORD_NAMESPACES:
		case RECORD_KSYMBOL:
			break;
		default:
			APPLY(.type = type, .task = { 55, 55, 55, 55, 55 });
		}
	}
	ck_assert_ptr_null(machine_find_thread(machine, 55));
	ck_assert_uint_eq(dsos_count(dsos), 0);
	tear_down();
}
END_TEST

CHECK_SUITE("apply", whose_a_record_is, a_record_that_is_cut_is_not_read_behind_its_end,
	    a_map_is_of_a_process_or_of_the_kernel, what_a_guest_does_changes_nothing_of_the_host,
	    a_map_that_perf_inject_took_for_a_guests_is_the_hosts,
	    what_a_map_says_of_its_file_is_kept, a_comm_names_a_thread_and_an_exec_is_told,
	    only_a_real_fork_hands_maps_down, an_exit_forgets_nothing, the_kernels_own_code_comes_and_goes,
	    other_records_change_nothing)
