#include "symbolize/machine.h"

#include <stdio.h>
#include <string.h>

#include "tests/check_run.h"

#define EXEC 5u /* PROT_READ | PROT_EXEC */
#define DATA 3u /* PROT_READ | PROT_WRITE */
#define HUGETLB 0x40000u
#define NOTHING "[unknown]"

static struct dsos *dsos;
static struct machine *m;

static void begin(void)
{
	dsos = dsos_new();
	m = machine_new(dsos);
}

static void end(void)
{
	machine_free(m);
	dsos_free(dsos);
}

static void lay(int32_t pid, uint64_t start, uint64_t len, uint32_t prot, const char *filename)
{
	struct machine_mmap mmap = { .pid = pid,
				     .tid = pid,
				     .start = start,
				     .len = len,
				     .pgoff = 0x100,
				     .prot = prot,
				     .filename = filename };

	machine_mmap(m, &mmap);
}

static void lay_kernel(uint64_t start, uint64_t len, uint64_t pgoff, const char *filename)
{
	struct machine_mmap mmap = { .pid = -1,
				     .tid = -1,
				     .start = start,
				     .len = len,
				     .pgoff = pgoff,
				     .prot = EXEC,
				     .filename = filename };

	machine_mmap_kernel(m, &mmap);
}

static const char *name_in(const struct maps *maps, uint64_t address)
{
	const struct map *map = maps_find(maps, address);

	return map ? map->dso->name : NOTHING;
}

/* The dso's name at an address of a process. */
static const char *at(int32_t pid, uint64_t address)
{
	return name_in(machine_thread(m, pid, pid)->maps, address);
}

static const char *kernel_at(uint64_t address)
{
	return name_in(machine_kernel_maps(m), address);
}

static struct dso *dso_at(int32_t pid, uint64_t address)
{
	return maps_find(machine_thread(m, pid, pid)->maps, address)->dso;
}

static const char *comm_of(int32_t tid)
{
	return machine_find_thread(m, tid)->comm;
}

/* Tasks */

START_TEST(tasks_are_named_by_number_until_their_comm_is_known)
{
	begin();
	struct thread *swapper = machine_find_thread(m, 0);
	ck_assert_str_eq(swapper->comm, "swapper");
	ck_assert(swapper->comm_known && swapper->pid == 0 && swapper->tid == 0);
	ck_assert_ptr_null(machine_find_thread(m, 7));
	struct thread *thread = machine_thread(m, 7, 7);
	ck_assert_str_eq(thread->comm, ":7");
	ck_assert(!thread->comm_known && maps_count(thread->maps) == 0);
	ck_assert_str_eq(machine_thread(m, -1, -1)->comm, ":-1");
	machine_comm(m, 7, 7, "seven", false);
	machine_comm(m, 8, 8, "seven", false);
	ck_assert_str_eq(comm_of(7), "seven");
	ck_assert(machine_find_thread(m, 7)->comm_known);
	ck_assert_uint_eq(machine_find_thread(m, 7)->comm_id, machine_find_thread(m, 8)->comm_id);
	ck_assert_uint_ne(machine_find_thread(m, 7)->comm_id, swapper->comm_id);
	machine_comm(m, 7, 7, "", false);
	ck_assert_str_eq(comm_of(7), "");
	end();
}
END_TEST

START_TEST(threads_of_a_process_share_its_maps)
{
	begin();
	lay(100, 0x1000, 0x1000, EXEC, "/bin/a");
	ck_assert_str_eq(name_in(machine_thread(m, 100, 101)->maps, 0x1000), "/bin/a");
	struct machine_mmap mmap = {
		.pid = 100, .tid = 102, .start = 0x5000, .len = 1, .prot = EXEC, .filename = "/lib/b"
	};
	struct maps *held = maps_ref(machine_thread(m, 100, 101)->maps);
	machine_mmap(m, &mmap);
	ck_assert_str_eq(at(100, 0x5000), "/lib/b");
	ck_assert_str_eq(name_in(machine_find_thread(m, 101)->maps, 0x5000), "/lib/b");
	ck_assert_str_eq(name_in(held, 0x5000), NOTHING); /* what waits sees the maps of its time */
	maps_unref(held);
	end();
}
END_TEST

START_TEST(a_real_fork_gives_the_child_a_copy)
{
	begin();
	machine_comm(m, 100, 100, "one", true);
	lay(100, 0x1000, 0x1000, EXEC, "/bin/a");
	machine_fork(m, 101, 100, 101, 100, false);
	ck_assert_str_eq(comm_of(101), "one");
	ck_assert_str_eq(at(101, 0x1000), "/bin/a");
	ck_assert_ptr_eq(machine_find_thread(m, 101)->maps, machine_find_thread(m, 100)->maps);
	lay(101, 0x1000, 0x1000, EXEC, "/bin/b");
	ck_assert_str_eq(at(100, 0x1000), "/bin/a");
	ck_assert_str_eq(at(101, 0x1000), "/bin/b");
	end();
}
END_TEST

START_TEST(a_new_thread_shares_and_inherits_the_comm)
{
	begin();
	machine_comm(m, 100, 100, "one", false);
	machine_fork(m, 100, 100, 101, 100, false);
	lay(100, 0x1000, 0x1000, EXEC, "/bin/a");
	ck_assert_str_eq(comm_of(101), "one");
	ck_assert_str_eq(name_in(machine_find_thread(m, 101)->maps, 0x1000), "/bin/a");
	machine_comm(m, 100, 101, "worker 1", false);
	ck_assert_str_eq(comm_of(100), "one");
	machine_fork(m, 100, 100, 102, 55, false); /* a parent that nobody knows */
	ck_assert_str_eq(comm_of(102), ":102");
	end();
}
END_TEST

/* The fault this project was born from: the child had its maps replaced by pid 1's. */
START_TEST(a_synthesized_fork_neither_brings_nor_takes_maps)
{
	begin();
	machine_comm(m, 1, 1, "init", false);
	lay(1, 0x1000, 0x1000, EXEC, "/sbin/init");
	machine_fork(m, 200, 1, 200, 1, true);
	ck_assert_str_eq(at(200, 0x1000), NOTHING);
	ck_assert_str_eq(comm_of(200), "init");
	machine_comm(m, 200, 200, "spin", false);
	lay(200, 0x1000, 0x1000, EXEC, "/bin/spin");

	lay(300, 0x1000, 0x1000, EXEC, "/bin/spin3"); /* the map came first */
	machine_comm(m, 300, 300, "spin3", false);
	machine_fork(m, 300, 1, 300, 1, true);
	machine_fork(m, 200, 1, 200, 1, true); /* and once more */
	ck_assert_str_eq(at(200, 0x1000), "/bin/spin");
	ck_assert_str_eq(at(300, 0x1000), "/bin/spin3");
	ck_assert_str_eq(comm_of(200), "spin");
	ck_assert_str_eq(comm_of(300), "spin3");
	end();
}
END_TEST

START_TEST(what_a_child_mapped_before_its_fork_was_seen_stays_on_top)
{
	begin();
	lay(100, 0x1000, 0x1000, EXEC, "/bin/a");
	lay(100, 0x5000, 0x1000, EXEC, "/lib/c");
	lay(101, 0x1800, 0x1000, EXEC, "/lib/early");
	machine_fork(m, 101, 100, 101, 100, false);
	ck_assert_str_eq(at(101, 0x1000), "/bin/a");
	ck_assert_str_eq(at(101, 0x1800), "/lib/early");
	ck_assert_str_eq(at(101, 0x5000), "/lib/c");
	ck_assert_str_eq(at(100, 0x1800), "/bin/a");
	end();
}
END_TEST

START_TEST(a_fork_that_is_told_after_the_exec_brings_nothing)
{
	begin();
	machine_comm(m, 100, 100, "shell", false);
	lay(100, 0x1000, 0x1000, EXEC, "/bin/sh");
	machine_comm(m, 101, 101, "ls", true);
	lay(101, 0x9000, 0x1000, EXEC, "/bin/ls");
	machine_fork(m, 101, 100, 101, 100, false);
	ck_assert_str_eq(comm_of(101), "ls");
	ck_assert_str_eq(at(101, 0x1000), NOTHING);
	ck_assert_str_eq(at(101, 0x9000), "/bin/ls");
	end();
}
END_TEST

START_TEST(an_exit_forgets_nothing)
{
	begin();
	machine_comm(m, 100, 100, "one", false);
	lay(100, 0x1000, 0x1000, EXEC, "/bin/a");
	machine_exit(m, 100, 100);
	machine_exit(m, 999, 999); /* nobody */
	ck_assert(machine_find_thread(m, 100)->exited);
	ck_assert_str_eq(machine_thread(m, 100, 100)->comm, "one");
	ck_assert_str_eq(machine_thread(m, -1, 100)->comm, "one");
	ck_assert_str_eq(at(100, 0x1000), "/bin/a");
	ck_assert_ptr_null(machine_find_thread(m, 999));
	end();
}
END_TEST

/* pid 100 ends, the number is used again by a child of 1 that maps elsewhere. */
START_TEST(a_real_fork_starts_a_used_pid_afresh)
{
	for (int exit_seen = 0; exit_seen < 2; exit_seen++) {
		begin();
		machine_comm(m, 1, 1, "init", false);
		lay(1, 0x9000, 0x1000, EXEC, "/sbin/init");
		if (!exit_seen)
			machine_fork(m, 100, 1, 100, 1, false);
		machine_comm(m, 100, 100, "one", true);
		lay(100, 0x1000, 0x1000, EXEC, "/bin/one");
		if (exit_seen)
			machine_exit(m, 100, 100);
		machine_fork(m, 100, 1, 100, 1, false);
		ck_assert(!machine_find_thread(m, 100)->exited);
		ck_assert_str_eq(comm_of(100), "init");
		ck_assert_str_eq(at(100, 0x1000), NOTHING);
		ck_assert_str_eq(at(100, 0x9000), "/sbin/init");
		machine_comm(m, 100, 100, "two", true);
		lay(100, 0x1000, 0x1000, EXEC, "/bin/two");
		ck_assert_str_eq(comm_of(100), "two");
		ck_assert_str_eq(at(100, 0x9000), NOTHING);
		end();
	}
}
END_TEST

START_TEST(a_synthesized_fork_of_an_ended_task_starts_it_afresh)
{
	begin();
	machine_comm(m, 100, 100, "one", false);
	lay(100, 0x1000, 0x1000, EXEC, "/bin/one");
	machine_exit(m, 100, 100);
	machine_fork(m, 100, 1, 100, 1, true);
	ck_assert_str_eq(comm_of(100), ":100");
	ck_assert_str_eq(at(100, 0x1000), NOTHING);
	end();
}
END_TEST

START_TEST(a_tid_becomes_another_processs_thread)
{
	begin();
	machine_comm(m, 100, 100, "old", false);
	lay(100, 0x1000, 0x1000, EXEC, "/bin/old");
	machine_exit(m, 100, 100);
	machine_comm(m, 50, 50, "server", false);
	lay(50, 0x1000, 0x1000, EXEC, "/bin/server");
	machine_fork(m, 50, 50, 100, 50, false);
	struct thread *thread = machine_thread(m, 50, 100);
	ck_assert_int_eq(thread->pid, 50);
	ck_assert_str_eq(thread->comm, "server");
	ck_assert_str_eq(name_in(thread->maps, 0x1000), "/bin/server");
	end();
}
END_TEST

START_TEST(a_thread_of_another_pid_is_a_new_one)
{
	begin();
	machine_comm(m, 100, 105, "old", false);
	lay(200, 0x1000, 0x1000, EXEC, "/bin/new");
	struct thread *thread = machine_thread(m, 200, 105);
	ck_assert_int_eq(thread->pid, 200);
	ck_assert_str_eq(thread->comm, ":105");
	ck_assert_str_eq(name_in(thread->maps, 0x1000), "/bin/new");
	machine_exit(m, 100, 105); /* told late: the old one's */
	ck_assert(!machine_find_thread(m, 105)->exited);
	end();
}
END_TEST

START_TEST(the_idle_task_stays_what_it_is)
{
	begin();
	lay(100, 0x1000, 0x1000, EXEC, "/bin/a");
	struct thread *thread = machine_thread(m, 100, 0); /* kernels before 4.10: an exiting thread of 100 */
	ck_assert_int_eq(thread->pid, 0);
	ck_assert_str_eq(thread->comm, "swapper");
	machine_fork(m, 0, 100, 0, 100, false);
	ck_assert_str_eq(at(0, 0x1000), NOTHING);
	machine_fork(m, 1, 0, 1, 0, true);
	ck_assert_str_eq(comm_of(1), "swapper");
	end();
}
END_TEST

START_TEST(a_pid_that_becomes_known_gives_the_thread_its_maps)
{
	begin();
	ck_assert_str_eq(name_in(machine_thread(m, -1, 101)->maps, 0x1000), NOTHING);
	machine_comm(m, -1, 101, "early", false);
	lay(100, 0x1000, 0x1000, EXEC, "/bin/a");
	struct thread *thread = machine_thread(m, 100, 101);
	ck_assert_str_eq(thread->comm, "early");
	ck_assert_int_eq(thread->pid, 100);
	ck_assert_str_eq(name_in(thread->maps, 0x1000), "/bin/a");
	end();
}
END_TEST

START_TEST(a_task_is_not_its_own_parent)
{
	begin();
	machine_comm(m, 100, 100, "one", false);
	lay(100, 0x1000, 0x1000, EXEC, "/bin/a");
	machine_fork(m, 100, 100, 100, 100, false);
	ck_assert_str_eq(comm_of(100), "one");
	ck_assert_str_eq(at(100, 0x1000), "/bin/a");
	end();
}
END_TEST

START_TEST(an_exec_gives_the_process_a_new_address_space)
{
	begin();
	lay(100, 0x1000, 0x1000, EXEC, "/bin/a");
	machine_comm(m, 100, 100, "renamed", false);
	ck_assert_str_eq(at(100, 0x1000), "/bin/a");
	machine_fork(m, 100, 100, 101, 100, false);
	machine_fork(m, 200, 100, 200, 100, false);
	machine_exit(m, 100, 100);
	machine_comm(m, 100, 100, "b", true);
	ck_assert(!machine_find_thread(m, 100)->exited);
	/* Still in execve(): the user part of a stack is the old program's. */
	ck_assert_str_eq(at(100, 0x1000), "/bin/a");
	lay(100, 0x5000, 0x1000, EXEC, "/bin/b");
	ck_assert_str_eq(at(100, 0x1000), NOTHING);
	ck_assert_str_eq(at(100, 0x5000), "/bin/b");
	ck_assert_str_eq(name_in(machine_find_thread(m, 101)->maps, 0x1000), NOTHING);
	ck_assert_str_eq(at(200, 0x1000), "/bin/a");
	end();
}
END_TEST

static const char *before_exec(int32_t pid, uint64_t address)
{
	struct maps *maps = machine_find_thread(m, pid)->before_exec;

	return maps ? name_in(maps, address) : "gone";
}

static void exec_of_b(void)
{
	lay(100, 0x1000, 0x1000, EXEC, "/bin/a");
	machine_comm(m, 100, 100, "b", true);
	ck_assert_str_eq(before_exec(100, 0x1000), "gone");
	lay(100, 0x5000, 0x1000, EXEC, "/bin/b");
	lay(100, 0x8000, 0x1000, EXEC, "/lib/ld.so");
	ck_assert_str_eq(before_exec(100, 0x1000), "/bin/a");
}

START_TEST(an_exec_sets_the_old_maps_aside_until_it_is_over)
{
	begin();
	exec_of_b();
	machine_end_exec(m, machine_find_thread(m, 100));
	ck_assert_str_eq(before_exec(100, 0x1000), "gone");
	ck_assert_str_eq(at(100, 0x5000), "/bin/b");
	exec_of_b();
	machine_fork(m, 200, 100, 200, 100, false);
	ck_assert_str_eq(before_exec(100, 0x1000), "gone");
	ck_assert_str_eq(before_exec(200, 0x1000), "gone");
	exec_of_b();
	machine_exit(m, 100, 100);
	ck_assert_str_eq(before_exec(100, 0x1000), "gone");
	end();
}
END_TEST

START_TEST(thousands_of_short_processes_share_their_dsos)
{
	begin();
	machine_comm(m, 1, 1, "sh", false);
	lay(1, 0x1000, 0x1000, EXEC, "/bin/sh");
	for (int32_t pid = 2; pid < 20000; pid++) {
		machine_fork(m, pid, 1, pid, 1, false);
		machine_comm(m, pid, pid, "spin", true);
		lay(pid, 0x4000, 0x1000, EXEC, "/bin/spin");
		lay(pid, 0x8000, 0x1000, EXEC, "/lib/libc.so.6");
		machine_exit(m, pid, pid);
	}
	ck_assert_uint_eq(dsos_count(dsos), 3);
	ck_assert_str_eq(at(19999, 0x4000), "/bin/spin");
	end();
}
END_TEST

/* Maps of processes */

START_TEST(maps_are_classed_by_their_name)
{
	static const struct {
		const char *filename;
		uint32_t prot, flags;
		const char *name;
		enum dso_kind kind;
	} cases[] = {
		{ "/usr/bin/true", EXEC, 0, "/usr/bin/true", DSO_FILE },
		{ "/usr/bin/true (deleted)", EXEC, 0, "/usr/bin/true (deleted)", DSO_FILE },
		{ "/usr/bin/true", DATA, 0, "/usr/bin/true", DSO_FILE },
		{ "anon_inode:[io_uring]", EXEC, 0, "anon_inode:[io_uring]", DSO_FILE },
		{ "[vsyscall]", EXEC, 0, "[vsyscall]", DSO_FILE },
		{ "[uprobes]", EXEC, 0, "[uprobes]", DSO_FILE },
		{ "[vdso]", EXEC, 0, "[vdso]", DSO_VDSO },
		{ "//anon", EXEC, 0, "/tmp/perf-100.map", DSO_JIT },
		{ "", EXEC, 0, "/tmp/perf-100.map", DSO_JIT },
		{ "/dev/zero (deleted)", EXEC, 0, "/tmp/perf-100.map", DSO_JIT },
		{ "/anon_hugepage (deleted)", EXEC, 0, "/tmp/perf-100.map", DSO_JIT },
		{ "/usr/bin/true", EXEC, HUGETLB, "/tmp/perf-100.map", DSO_JIT },
		{ "[heap]", EXEC, 0, "/tmp/perf-100.map", DSO_JIT },
		{ "[stack]", EXEC, 0, "/tmp/perf-100.map", DSO_JIT },
		{ "[stack:123]", EXEC, 0, "/tmp/perf-100.map", DSO_JIT },
		{ "/SYSV00000000 (deleted)", EXEC, 0, "/tmp/perf-100.map", DSO_JIT },
		{ "[anon:v8]", EXEC, 0, "[anon:v8]", DSO_JIT },
		{ "/memfd:jit (deleted)", EXEC, 0, "/memfd:jit (deleted)", DSO_JIT },
		{ "/tmp/perf-100.map", EXEC, 0, "/tmp/perf-100.map", DSO_JIT },
		{ "/tmp/perf-0.map", EXEC, 0, "/tmp/perf-0.map", DSO_FILE },
		{ "/tmp/perf-99999999999.map", EXEC, 0, "/tmp/perf-99999999999.map", DSO_FILE },
		{ "/tmp/perf-101.mapped", EXEC, 0, "/tmp/perf-101.mapped", DSO_FILE },
		{ "/tmp/perf-101.map", DATA, 0, "/tmp/perf-101.map", DSO_FILE },
		{ "//anon", DATA, 0, "//anon", DSO_ANON },
		{ "", DATA, 0, "//anon", DSO_ANON },
		{ "[heap]", DATA, 0, "[heap]", DSO_ANON },
		{ "[stack]", DATA, 0, "[stack]", DSO_ANON },
		{ "/SYSV00000000 (deleted)", DATA, 0, "/SYSV00000000 (deleted)", DSO_ANON },
		{ "[heap]x", DATA, 0, "[heap]x", DSO_FILE },
		{ "[anon:v8]", DATA, 0, "[anon:v8]", DSO_FILE },
		{ "/memfd:jit (deleted)", DATA, 0, "/memfd:jit (deleted)", DSO_FILE },
	};

	begin();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct machine_mmap mmap = {
			.pid = 100,
			.tid = 100,
			.start = 0x1000,
			.len = 0x1000,
			.pgoff = 0x200,
			.prot = cases[i].prot,
			.flags = cases[i].flags,
			.filename = cases[i].filename,
		};
		machine_mmap(m, &mmap);
		const struct map *map = maps_find(machine_find_thread(m, 100)->maps, 0x1000);
		bool identity = cases[i].kind == DSO_JIT || cases[i].kind == DSO_ANON;
		ck_assert_str_eq(map->dso->name, cases[i].name);
		ck_assert_int_eq(map->dso->kind, cases[i].kind);
		ck_assert_int_eq(map->dso->identity, identity);
		ck_assert_uint_eq(map->dso->jit_pid, cases[i].kind == DSO_JIT ? 100 : 0);
		ck_assert_uint_eq(map->pgoff, cases[i].kind == DSO_VDSO ? 0 : 0x200);
		ck_assert_uint_eq(map->prot, cases[i].prot);
		ck_assert_uint_eq(map->flags, cases[i].flags);
	}
	end();
}
END_TEST

START_TEST(jit_maps_are_named_by_the_process)
{
	begin();
	struct machine_mmap mmap = {
		.pid = 100, .tid = 105, .start = 0x1000, .len = 1, .prot = EXEC, .filename = "//anon"
	};
	machine_mmap(m, &mmap);
	ck_assert_str_eq(at(100, 0x1000), "/tmp/perf-100.map");
	lay(200, 0x1000, 1, EXEC, "[anon:v8]");
	lay(201, 0x1000, 1, EXEC, "[anon:v8]");
	ck_assert_ptr_ne(dso_at(200, 0x1000), dso_at(201, 0x1000));
	machine_fork(m, 300, 200, 300, 200,
		     false); /* the code is the parent's, and so is the file of names */
	ck_assert_uint_eq(dso_at(300, 0x1000)->jit_pid, 200);
	lay(400, 0x1000, 1, EXEC, "/tmp/perf-7.map"); /* its number in a container */
	ck_assert_uint_eq(dso_at(400, 0x1000)->jit_pid, 7);
	lay(0, 0x1000, 1, EXEC, "//anon"); /* the kernel has none */
	ck_assert_str_eq(at(0, 0x1000), "//anon");
	lay(-1, 0x1000, 1, EXEC, "//anon");
	ck_assert_str_eq(at(-1, 0x1000), "/tmp/perf--1.map");
	end();
}
END_TEST

START_TEST(text_moved_to_huge_pages_stays_the_files)
{
	begin();
	lay(100, 0x555500001000, 0x1000000, EXEC, "/usr/bin/node");
	lay(100, 0x555500200000, 0xc00000, EXEC, "//anon");
	lay(100, 0x555500200000, 0xc00000, EXEC, "/anon_hugepage (deleted)");
	ck_assert_str_eq(at(100, 0x555500300000), "/usr/bin/node");
	lay(100, 0x555500400000, 0x10000, EXEC, "//anon"); /* no whole huge page */
	ck_assert_str_eq(at(100, 0x555500400000), "/tmp/perf-100.map");
	lay(100, 0x7f0000000000, 0x400000, EXEC, "/lib/gone.so");
	lay(100, 0x7f0000000000, 0x400000, EXEC, "//anon"); /* in the place of an unmapped library */
	ck_assert_str_eq(at(100, 0x7f0000000000), "/tmp/perf-100.map");
	lay(100, 0x7e0000001000, 0x1000000, DATA, "/data/file");
	lay(100, 0x7e0000200000, 0x200000, EXEC, "//anon"); /* not over text */
	ck_assert_str_eq(at(100, 0x7e0000200000), "/tmp/perf-100.map");
	end();
}
END_TEST

START_TEST(lengths_that_leave_the_address_space_are_clamped)
{
	begin();
	lay(100, 0x1000, 0, EXEC, "/bin/empty");
	ck_assert_str_eq(at(100, 0x1000), NOTHING);
	lay(100, 0xfffffffffffff000, 0x2000, EXEC, "/bin/a");
	ck_assert_str_eq(at(100, 0xfffffffffffffffe), "/bin/a");
	ck_assert_str_eq(at(100, 0), NOTHING);
	end();
}
END_TEST

static struct build_id id_of(uint8_t byte)
{
	uint8_t bytes[20] = { byte, 1 };

	return build_id_make(bytes, sizeof(bytes));
}

START_TEST(maps_inherit_the_build_id_of_the_table)
{
	struct build_id x = id_of(1), y = id_of(2), v = id_of(3);
	struct dso_inode old = { .known = true, .ino = 1 }, updated = { .known = true, .ino = 2 };
	struct machine_mmap mmap = { .pid = 100,
				     .tid = 100,
				     .start = 0x1000,
				     .len = 1,
				     .prot = EXEC,
				     .filename = "/bin/a",
				     .inode = &old };

	begin();
	machine_build_id(m, false, "/bin/a", &x);
	machine_build_id(m, false, "/bin/a", &y);
	machine_build_id(m, false, "[vdso]", &v);
	machine_build_id(m, false, "/bin/none", &(struct build_id){ 0 });
	ck_assert_uint_eq(dsos_count(dsos), 3);
	machine_mmap(m, &mmap);
	ck_assert_uint_eq(dso_at(100, 0x1000)->index, 0);
	ck_assert(build_id_equal(&dso_at(100, 0x1000)->build_id, &x));
	mmap.inode = &updated;
	machine_mmap(m, &mmap);
	ck_assert_uint_eq(dso_at(100, 0x1000)->index, 3);
	ck_assert(build_id_equal(&dso_at(100, 0x1000)->build_id, &x));
	mmap.inode = NULL;
	mmap.build_id = &y;
	machine_mmap(m, &mmap);
	ck_assert_uint_eq(dso_at(100, 0x1000)->index, 1);
	lay(100, 0x5000, 1, EXEC, "[vdso]");
	ck_assert(build_id_equal(&dso_at(100, 0x5000)->build_id, &v));
	end();
}
END_TEST

START_TEST(memory_with_a_build_id_is_a_program)
{
	static const char *const names[] = { "/memfd:runc_cloned:/proc/self/exe (deleted)",
					     "/memfd:jit (deleted)" };
	struct build_id id = id_of(1);

	begin();
	machine_build_id(m, false, names[0], &id);
	for (size_t i = 0; i < 2; i++)
		lay(100, 0x1000 * (i + 1), 0x1000, EXEC, names[i]);
	ck_assert_int_eq(dso_at(100, 0x1000)->kind, DSO_FILE);
	ck_assert(build_id_equal(&dso_at(100, 0x1000)->build_id, &id));
	ck_assert(!dso_at(100, 0x1000)->identity);
	ck_assert_int_eq(dso_at(100, 0x2000)->kind, DSO_JIT);
	machine_mmap(m, &(struct machine_mmap){ .pid = 100,
						.tid = 100,
						.start = 0x3000,
						.len = 0x1000,
						.prot = EXEC,
						.filename = names[1],
						.build_id = &id });
	ck_assert_int_eq(dso_at(100, 0x3000)->kind, DSO_FILE);
	end();
}
END_TEST

/* The kernel */

#define TEXT 0xffffffff81000000u

START_TEST(the_kernels_map_tells_its_reference_symbol)
{
	begin();
	ck_assert(!machine_kernel(m)->known);
	ck_assert_str_eq(kernel_at(TEXT), NOTHING);
	lay_kernel(TEXT, 0x1000000, TEXT + 0x200, "[kernel.kallsyms]_text");
	const struct machine_kernel *kernel = machine_kernel(m);
	ck_assert(kernel->known);
	ck_assert_uint_eq(kernel->start, TEXT);
	ck_assert_uint_eq(kernel->end, TEXT + 0x1000000);
	ck_assert_str_eq(kernel->ref_name, "_text");
	ck_assert_uint_eq(kernel->ref_addr, TEXT + 0x200);
	ck_assert_str_eq(kernel->dso->name, "[kernel.kallsyms]");
	ck_assert_int_eq(kernel->dso->kind, DSO_KERNEL);
	ck_assert_str_eq(kernel_at(TEXT + 5), "[kernel.kallsyms]");
	const struct map *map = maps_find(machine_kernel_maps(m), TEXT + 5);
	ck_assert_uint_eq(TEXT + 5 - map->start + map->pgoff, TEXT + 5); /* addressed as recorded */
	ck_assert_str_eq(kernel_at(TEXT + 0x1000000), NOTHING);
	lay_kernel(TEXT, 0x1000000, 0, "[kernel.kallsyms]_text");
	ck_assert_ptr_null(machine_kernel(m)->ref_name);
	end();
}
END_TEST

START_TEST(a_kernel_range_of_nothing_or_too_much_ends_with_memory)
{
	begin();
	lay_kernel(0, 0, 0, "[kernel.kallsyms]");
	ck_assert_uint_eq(machine_kernel(m)->end, UINT64_MAX);
	ck_assert_str_eq(kernel_at(0), "[kernel.kallsyms]");
	end();
	begin(); /* arm, perf 4.x */
	lay_kernel(0xc0008000, 0xffffffffffffffff - 0x1000, 0xc0008000, "[kernel.kallsyms]_text");
	ck_assert_str_eq(kernel_at(0xc0008000), "[kernel.kallsyms]");
	ck_assert_str_eq(kernel_at(0xfffffffffffffffe), "[kernel.kallsyms]");
	ck_assert_str_eq(kernel_at(0xbf000000), NOTHING);
	end();
}
END_TEST

START_TEST(a_second_kernel_record_replaces_the_range_below_the_modules)
{
	begin();
	lay_kernel(TEXT, 0x1000000, TEXT, "[kernel.kallsyms]_text");
	lay_kernel(0xffffffffc0000000, 0x4000, 0, "[foo]");
	lay_kernel(0xffffffff00000000, 0, 0, "[kernel.kallsyms]"); /* empty */
	ck_assert_str_eq(kernel_at(TEXT), NOTHING);
	lay_kernel(0, 0, 0, "[kernel.kallsyms]");
	ck_assert_str_eq(kernel_at(TEXT), "[kernel.kallsyms]");
	ck_assert_str_eq(kernel_at(0xffffffffc0000000), "[foo]");
	ck_assert_str_eq(kernel_at(0xffffffffc0004000), "[kernel.kallsyms]");
	end();
}
END_TEST

START_TEST(loaded_symbols_set_the_kernels_range)
{
	begin();
	machine_set_kernel_range(m, 0x1000, 0x2000); /* no kernel yet */
	ck_assert_str_eq(kernel_at(0x1000), NOTHING);
	lay_kernel(0, 0, 0, "[kernel.kallsyms]");
	lay_kernel(0xffffffffc0000000, 0x4000, 0, "[foo]");
	lay_kernel(0xfffffe0000006000, 0x1000, TEXT + 0x800, "__entry_SYSCALL_64_trampoline");
	machine_ksymbol(m, TEXT + 0x100, 0x10, "bpf_prog_1", false);
	uint64_t generation = maps_generation(machine_kernel_maps(m));
	machine_set_kernel_range(m, TEXT, TEXT + 0x1000);
	ck_assert_uint_ne(maps_generation(machine_kernel_maps(m)), generation);
	ck_assert_str_eq(kernel_at(TEXT - 1), NOTHING);
	ck_assert_str_eq(kernel_at(TEXT), "[kernel.kallsyms]");
	ck_assert_str_eq(kernel_at(TEXT + 0x100), "bpf_prog_1");
	ck_assert_str_eq(kernel_at(TEXT + 0x110), "[kernel.kallsyms]");
	ck_assert_str_eq(kernel_at(TEXT + 0x1000), NOTHING);
	ck_assert_str_eq(kernel_at(0xffffffffc0000000), "[foo]");
	ck_assert_str_eq(kernel_at(0xfffffe0000006000), "[kernel.kallsyms]");
	ck_assert_uint_eq(machine_kernel(m)->end, UINT64_MAX); /* as recorded */
	machine_set_kernel_range(m, 5, 5);
	ck_assert_str_eq(kernel_at(TEXT), "[kernel.kallsyms]");
	end();
}
END_TEST

START_TEST(a_trampoline_shows_the_kernels_code)
{
	begin();
	lay_kernel(0xfffffe0000006000, 0x1000, TEXT + 0x800, "__entry_SYSCALL_64_trampoline");
	lay_kernel(TEXT, 0x1000000, TEXT, "[kernel.kallsyms]_text");
	const struct map *map = maps_find(machine_kernel_maps(m), 0xfffffe0000006010);
	ck_assert_ptr_eq(map->dso, machine_kernel(m)->dso);
	ck_assert_uint_eq(0xfffffe0000006010 - map->start + map->pgoff, TEXT + 0x810);
	end();
}
END_TEST

START_TEST(modules_are_named_by_the_kernels_rule)
{
	begin();
	lay_kernel(0, 0, 0, "[kernel.kallsyms]");
	lay_kernel(0xffffffffc0000000, 0x4000, 0x77, "/lib/modules/6.1/foo-bar.ko.zst");
	lay_kernel(0xffffffffc0010000, 0x4000, 0, "[baz]");
	lay_kernel(0xffffffffc0020000, 0x4000, 0, "[guest.kernel.kallsyms]");
	lay_kernel(0xffffffffc0030000, 0x4000, 0, "stray");
	const struct map *map = maps_find(machine_kernel_maps(m), 0xffffffffc0000010);
	ck_assert_str_eq(map->dso->name, "[foo_bar]");
	ck_assert_str_eq(map->dso->long_name, "/lib/modules/6.1/foo-bar.ko.zst");
	ck_assert_int_eq(map->dso->kind, DSO_MODULE);
	ck_assert_uint_eq(map->pgoff, 0);
	ck_assert_str_eq(kernel_at(0xffffffffc0010000), "[baz]");
	ck_assert_str_eq(kernel_at(0xffffffffc0020000), "[kernel.kallsyms]");
	ck_assert_str_eq(kernel_at(0xffffffffc0030000), "[kernel.kallsyms]");
	end();
}
END_TEST

START_TEST(the_build_id_table_names_the_kernels_dsos)
{
	struct build_id k = id_of(1), f = id_of(2), g = id_of(3);

	begin();
	machine_build_id(m, true, "[guest.kernel.kallsyms]", &g);
	machine_build_id(m, true, "/lib/modules/6.1/foo-bar.ko", &f);
	machine_build_id(m, true, "/usr/lib/debug/boot/vmlinux-6.1", &k);
	ck_assert(!machine_kernel(m)->known);
	lay_kernel(TEXT, 0x1000000, TEXT, "[kernel.kallsyms]_text");
	lay_kernel(0xffffffffc0000000, 0x4000, 0, "/lib/modules/6.1/kernel/foo-bar.ko.xz");
	ck_assert_str_eq(kernel_at(TEXT), "/usr/lib/debug/boot/vmlinux-6.1");
	ck_assert(build_id_equal(&machine_kernel(m)->dso->build_id, &k));
	const struct map *map = maps_find(machine_kernel_maps(m), 0xffffffffc0000000);
	ck_assert_str_eq(map->dso->name, "/lib/modules/6.1/foo-bar.ko");
	ck_assert_str_eq(map->dso->long_name, "/lib/modules/6.1/kernel/foo-bar.ko.xz");
	ck_assert(build_id_equal(&map->dso->build_id, &f));
	end();
}
END_TEST

static const char *guest_kernel_at(struct machine *guest, const char *filename)
{
	struct machine_mmap mmap = { .start = TEXT, .len = 0x1000000, .pgoff = TEXT, .filename = filename };

	machine_mmap_kernel(guest, &mmap);
	const struct map *map = maps_find(machine_kernel_maps(guest), TEXT);
	return map ? map->dso->name : "";
}

START_TEST(a_guest_has_a_kernel_of_its_own)
{
	begin();
	struct dsos *of_guest = dsos_new_guest(dsos), *of_other = dsos_new_guest(dsos);
	struct machine *guest = machine_new_guest(of_guest, 500), *other = machine_new_guest(of_other, 0);
	struct build_id id = id_of(1);

	ck_assert_uint_eq(machine_number(m), 0);
	ck_assert_uint_eq(machine_number(other), 2);
	ck_assert_str_eq(guest_kernel_at(m, "[guest.kernel.kallsyms]_stext"), "");
	/* What it recorded itself is called so. */
	ck_assert_str_eq(guest_kernel_at(guest, "[kernel.kallsyms]_stext"), "[guest.kernel.kallsyms.500]");
	ck_assert_str_eq(machine_kernel(guest)->ref_name, "_stext");
	ck_assert_str_eq(guest_kernel_at(other, "[guest.kernel.kallsyms]_text"), "[guest.kernel.kallsyms]");
	ck_assert_str_eq(machine_kernel(other)->ref_name, "_text");
	machine_build_id(other, true, "[guest.kernel.kallsyms]", &id);
	ck_assert(build_id_equal(&machine_kernel(other)->dso->build_id, &id));
	ck_assert(!machine_kernel(guest)->dso->build_id.size);
	machine_free(guest);
	machine_free(other);
	dsos_free(of_guest);
	dsos_free(of_other);
	end();
}
END_TEST

START_TEST(a_guest_is_called_by_its_process)
{
	begin();
	struct dsos *of_guest = dsos_new_guest(dsos), *of_other = dsos_new_guest(dsos);
	struct machine *guest = machine_new_guest(of_guest, 500), *other = machine_new_guest(of_other, 0);

	ck_assert_str_eq(machine_thread(guest, 0, 0)->comm, "swapper");
	ck_assert_str_eq(machine_thread(guest, 500, 500)->comm, "[guest/500]");
	ck_assert_str_eq(machine_thread(guest, 500, 501)->comm, ":501");
	ck_assert_str_eq(machine_thread(other, 0, 0)->comm, "[guest/0]");
	machine_comm(guest, 500, 501, "cat", false);
	ck_assert_str_eq(machine_thread(guest, 500, 501)->comm, "cat");
	ck_assert_str_eq(machine_thread(m, 500, 501)->comm, ":501");
	/* A process of its own that happens to have the number. */
	machine_fork(guest, 500, 1, 500, 1, true);
	ck_assert_str_eq(machine_thread(guest, 500, 500)->comm, ":500");
	machine_free(guest);
	machine_free(other);
	dsos_free(of_guest);
	dsos_free(of_other);
	end();
}
END_TEST

START_TEST(build_ids_of_the_kernel_may_come_late)
{
	struct build_id k = id_of(1), f = id_of(2), other = id_of(3);

	begin();
	lay_kernel(TEXT, 0x1000000, TEXT, "[kernel.kallsyms]_text");
	lay_kernel(0xffffffffc0000000, 0x4000, 0, "[foo]");
	machine_build_id(m, true, "[kernel.kallsyms]", &k);
	machine_build_id(m, true, "[foo]", &f);
	ck_assert(build_id_equal(&machine_kernel(m)->dso->build_id, &k));
	struct dso *foo = maps_find(machine_kernel_maps(m), 0xffffffffc0000000)->dso;
	ck_assert(build_id_equal(&foo->build_id, &f));
	struct machine_mmap mmap = {
		.start = 0xffffffffc0000000, .len = 0x4000, .filename = "[foo]", .build_id = &other
	};
	machine_mmap_kernel(m, &mmap);
	ck_assert(build_id_equal(&foo->build_id, &other)); /* what the map says is nearer */
	end();
}
END_TEST

START_TEST(ksymbols_lie_on_top_and_go_away)
{
	const uint64_t prog = 0xffffffffc0100000, inside = TEXT + 0x1000, in_module = 0xffffffffc0000100;

	begin();
	lay_kernel(TEXT, 0x1000000, TEXT, "[kernel.kallsyms]_text");
	lay_kernel(0xffffffffc0000000, 0x4000, 0, "[foo]");
	machine_ksymbol(m, prog, 0x80, "bpf_prog_a", false);
	machine_ksymbol(m, inside, 0x80, "bpf_prog_b", false);
	machine_ksymbol(m, in_module, 0x80, "bpf_prog_c", false);
	const struct map *map = maps_find(machine_kernel_maps(m), prog + 5);
	ck_assert_str_eq(map->dso->name, "bpf_prog_a");
	ck_assert_int_eq(map->dso->kind, DSO_KSYMBOL);
	ck_assert_uint_eq(map->pgoff, 0);
	ck_assert_str_eq(kernel_at(prog + 0x80), NOTHING);
	ck_assert_str_eq(kernel_at(inside + 0x7f), "bpf_prog_b");
	ck_assert_str_eq(kernel_at(in_module), "bpf_prog_c");
	ck_assert_str_eq(kernel_at(0xffffffffc0000000), "[foo]");

	machine_ksymbol(m, prog, 0x80, "bpf_prog_a", true);
	machine_ksymbol(m, inside, 0x80, "bpf_prog_b", true);
	machine_ksymbol(m, in_module, 0x80, "bpf_prog_c", true);
	ck_assert_str_eq(kernel_at(prog), NOTHING);
	ck_assert_str_eq(kernel_at(inside), "[kernel.kallsyms]");
	ck_assert_str_eq(kernel_at(in_module), "[foo]");
	map = maps_find(machine_kernel_maps(m), in_module);
	ck_assert_uint_eq(in_module - map->start + map->pgoff, 0x100);
	end();
}
END_TEST

START_TEST(unregistering_takes_nothing_else)
{
	begin();
	lay_kernel(TEXT, 0x1000000, TEXT, "[kernel.kallsyms]_text");
	lay_kernel(0xffffffffc0000000, 0x4000, 0, "[foo]");
	machine_ksymbol(m, 0xffffffffc0100000, 0x80, "bpf_prog_a", false);
	machine_ksymbol(m, TEXT, 0x80, "x", true);
	machine_ksymbol(m, 0xffffffffc0000000, 0x80, "x", true);
	machine_ksymbol(m, 0xffffffffc0100010, 0x80, "x", true);
	machine_ksymbol(m, 5, 0x80, "x", true);
	ck_assert_str_eq(kernel_at(TEXT), "[kernel.kallsyms]");
	ck_assert_str_eq(kernel_at(0xffffffffc0000000), "[foo]");
	ck_assert_str_eq(kernel_at(0xffffffffc0100010), "bpf_prog_a");
	end();
}
END_TEST

START_TEST(labels_and_empty_ksymbols_are_ignored)
{
	static const char *const labels[] = { "$x", "$d.12", ".Ltmp1", "L0\001" };

	begin();
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		machine_ksymbol(m, 0x1000, 0x80, labels[i], false);
	machine_ksymbol(m, 0x1000, 0, "bpf_prog_a", false);
	ck_assert_uint_eq(maps_count(machine_kernel_maps(m)), 0);
	machine_ksymbol(m, UINT64_MAX - 4, 0xffffffff, "bpf_prog_a", false);
	ck_assert_str_eq(kernel_at(UINT64_MAX - 1), "bpf_prog_a");
	machine_free(NULL);
	end();
}
END_TEST

CHECK_SUITE("machine", tasks_are_named_by_number_until_their_comm_is_known,
	    threads_of_a_process_share_its_maps, a_real_fork_gives_the_child_a_copy,
	    a_new_thread_shares_and_inherits_the_comm, a_synthesized_fork_neither_brings_nor_takes_maps,
	    what_a_child_mapped_before_its_fork_was_seen_stays_on_top,
	    a_fork_that_is_told_after_the_exec_brings_nothing, an_exit_forgets_nothing,
	    a_real_fork_starts_a_used_pid_afresh, a_synthesized_fork_of_an_ended_task_starts_it_afresh,
	    a_tid_becomes_another_processs_thread, a_thread_of_another_pid_is_a_new_one,
	    the_idle_task_stays_what_it_is, a_pid_that_becomes_known_gives_the_thread_its_maps,
	    a_task_is_not_its_own_parent, an_exec_gives_the_process_a_new_address_space,
	    an_exec_sets_the_old_maps_aside_until_it_is_over, thousands_of_short_processes_share_their_dsos,
	    maps_are_classed_by_their_name, jit_maps_are_named_by_the_process,
	    text_moved_to_huge_pages_stays_the_files, lengths_that_leave_the_address_space_are_clamped,
	    maps_inherit_the_build_id_of_the_table, memory_with_a_build_id_is_a_program,
	    the_kernels_map_tells_its_reference_symbol,
	    a_kernel_range_of_nothing_or_too_much_ends_with_memory,
	    a_second_kernel_record_replaces_the_range_below_the_modules, loaded_symbols_set_the_kernels_range,
	    a_trampoline_shows_the_kernels_code, modules_are_named_by_the_kernels_rule,
	    the_build_id_table_names_the_kernels_dsos, build_ids_of_the_kernel_may_come_late,
	    a_guest_has_a_kernel_of_its_own, a_guest_is_called_by_its_process,
	    ksymbols_lie_on_top_and_go_away, unregistering_takes_nothing_else,
	    labels_and_empty_ksymbols_are_ignored)
