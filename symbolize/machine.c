#include "symbolize/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/arena.h"
#include "util/hash.h"
#include "util/strtab.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* Linux ABI, the same on all machines: PROT_EXEC and MAP_HUGETLB (MMAP2 records the kernel's own bits). */
#define MAP_PROT_EXEC 4u
#define MAP_IS_HUGETLB 0x40000u

/*
 * Android's simpleperf writes what it reads from a Java process's JIT compiler to a file of its own, and maps
 * of that, which have no other protection than this bit: symbols there are addresses in memory.
 */
#define MAP_PROT_SIMPLEPERF_JIT 0x4000u

#define HUGE_PAGE UINT64_C(0x200000)

#define RECENT_TASKS 256

/* A recording has one record of the kernel's own map, joined ones a few. Each that differs rebuilds all. */
#define MAX_KERNEL_RANGES 256

/* The threads of a process share one of these, so that all see a change of its maps. */
struct process {
	int32_t pid;
	struct maps *maps; /* owned reference */
	bool stale;	   /* they are those of the program before the last exec */
	struct maps *before_exec; /* set aside by it; owned reference or NULL */
};

struct task {
	struct thread thread; /* first: a struct thread * is its task */
	struct process *process;
	bool settled; /* its FORK or EXIT was seen: another FORK of the tid makes a new task */
	bool execed;
};

struct machine {
	struct dsos *dsos;
	int32_t guest_pid;     /* of a guest: 0 when it is not known */
	struct arena arena;    /* tasks and processes; they stay to the end */
	struct hash tasks;     /* tid -> task */
	struct task *recent_tasks[RECENT_TASKS]; /* by tid; NULL: none */
	uint32_t nr_lives;     /* of tasks */
	struct hash processes; /* pid -> process */
	struct strtab comms;
	struct strtab names;   /* of files in the build-id table, of the reference symbol */
	struct hash build_ids; /* number in names -> index in table */
	VEC(struct build_id) table;
	struct machine_kernel kernel;
	uint64_t kernel_start, kernel_end; /* of the kernel's map now */
	unsigned nr_kernel_ranges;
	struct maps *modules;	  /* modules and trampolines: what comes to light when a ksymbol goes */
	struct maps *kernel_maps; /* all: ksymbols over modules over the kernel */
};

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Tasks */

static uint64_t key_of(int32_t id)
{
	return (uint32_t)id;
}

static struct process *get_process(struct machine *m, int32_t pid)
{
	struct process *process = hash_get_ptr(&m->processes, key_of(pid), 0);

	if (process)
		return process;
	process = arena_alloc(&m->arena, sizeof(*process));
	*process = (struct process){ .pid = pid, .maps = maps_new() };
	hash_put_ptr(&m->processes, key_of(pid), 0, process);
	return process;
}

static void end_exec(struct process *process)
{
	maps_unref(process->before_exec);
	process->before_exec = NULL;
}

/* Takes over the reference @maps. */
static void set_maps(struct process *process, struct maps *maps)
{
	end_exec(process);
	maps_unref(process->maps);
	process->maps = maps;
	process->stale = false;
}

static void set_comm(struct machine *m, struct task *task, const char *comm, bool known)
{
	task->thread.comm_id = strtab_number(&m->comms, comm, strlen(comm));
	task->thread.comm = strtab_text(&m->comms, task->thread.comm_id);
	task->thread.comm_known = known;
}

static void set_process(struct task *task, struct process *process)
{
	task->process = process;
	task->thread.pid = process->pid;
}

static void call_by_number(struct machine *m, struct task *task)
{
	char *comm AUTOFREE = xasprintf(":%d", task->thread.tid);

	set_comm(m, task, comm, false);
}

/* Make @task one of which only the numbers are known. */
static void restart_task(struct machine *m, struct task *task, int32_t pid, int32_t tid)
{
	*task = (struct task){ .thread = { .tid = tid, .life = ++m->nr_lives } };
	set_process(task, get_process(m, pid));
	call_by_number(m, task);
}

static struct task **recent_task(struct machine *m, int32_t tid)
{
	return &m->recent_tasks[key_of(tid) % RECENT_TASKS];
}

static struct task *find_task(struct machine *m, int32_t tid)
{
	struct task **recent = recent_task(m, tid);

	if (!*recent || (*recent)->thread.tid != tid)
		*recent = hash_get_ptr(&m->tasks, key_of(tid), 0);
	return *recent;
}

static struct task *add_task(struct machine *m, int32_t pid, int32_t tid)
{
	struct task *task = arena_alloc(&m->arena, sizeof(*task));

	restart_task(m, task, pid, tid);
	hash_put_ptr(&m->tasks, key_of(tid), 0, task);
	return task;
}

/*
 * Is it another task than the known one of that tid? A pid of -1 says nothing (the task is exiting). Before
 * Linux 4.10 an exiting thread was recorded with its pid and tid 0: that is not the idle task's new pid.
 */
static bool is_other_task(const struct task *task, int32_t pid)
{
	return pid != -1 && task->thread.pid != -1 && task->thread.pid != pid && task->thread.tid != 0;
}

static struct task *get_task(struct machine *m, int32_t pid, int32_t tid)
{
	struct task *task = find_task(m, tid);

	if (!task)
		return add_task(m, pid, tid);
	if (is_other_task(task, pid))
		restart_task(m, task, pid, tid);
	else if (task->thread.pid == -1 && pid != -1)
		set_process(task, get_process(m, pid));
	return task;
}

static struct thread *lend(struct task *task)
{
	task->thread.maps = task->process->maps;
	task->thread.before_exec = task->process->before_exec;
	return &task->thread;
}

struct thread *machine_thread(struct machine *m, int32_t pid, int32_t tid)
{
	struct task *task = *recent_task(m, tid);

	if (task && task->thread.tid == tid && task->thread.pid == pid)
		return lend(task);
	return lend(get_task(m, pid, tid));
}

struct thread *machine_find_thread(struct machine *m, int32_t tid)
{
	struct task *task = find_task(m, tid);

	return task ? lend(task) : NULL;
}

struct machine *machine_new(struct dsos *dsos)
{
	struct machine *m = xcalloc(1, sizeof(*m));

	m->dsos = dsos;
	m->modules = maps_new();
	m->kernel_maps = maps_new();
	set_comm(m, add_task(m, 0, 0), "swapper", true);
	return m;
}

struct machine *machine_new_guest(struct dsos *dsos, int32_t pid)
{
	struct machine *m = machine_new(dsos);
	char *comm AUTOFREE = xasprintf("[guest/%d]", pid);

	m->guest_pid = pid;
	set_comm(m, get_task(m, pid, pid), comm, false);
	return m;
}

uint32_t machine_number(const struct machine *m)
{
	return dsos_machine(m->dsos);
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->processes.size; i++) {
		const struct hash_slot *slot = &m->processes.slots[i];
		if (slot->value == HASH_NONE)
			continue;
		struct process *process = (struct process *)(uintptr_t)slot->value;
		end_exec(process);
		maps_unref(process->maps);
	}
	maps_unref(m->modules);
	maps_unref(m->kernel_maps);
	hash_free(&m->tasks);
	hash_free(&m->processes);
	hash_free(&m->build_ids);
	vec_free(&m->table);
	strtab_free(&m->comms);
	strtab_free(&m->names);
	arena_free(&m->arena);
	free(m);
}

/*
 * An exec gives the process a new address space before it maps the new program; the kernel writes the COMM in
 * between (begin_new_exec()). The other threads of the process end there. Until the new program begins, a
 * sample's user part is still the execve() call of the old one: its maps are set aside with the first new
 * one, and are gone when the new program has begun.
 */
void machine_comm(struct machine *m, int32_t pid, int32_t tid, const char *comm, bool exec)
{
	struct task *task = get_task(m, pid, tid);

	set_comm(m, task, comm, true);
	if (!exec)
		return;
	task->thread.exited = false;
	task->execed = true;
	task->process->stale = true;
}

void machine_end_exec(struct machine *m, const struct thread *thread)
{
	end_exec(get_process(m, thread->pid));
}

static void replace_program(struct process *process)
{
	struct maps *before = maps_ref(process->maps);

	set_maps(process, maps_new());
	process->before_exec = before;
}

/* Does a FORK of @child make a new task of a number that was used before? */
static bool is_reused(const struct task *child, int32_t pid, bool synthesized)
{
	if (child->thread.exited || is_other_task(child, pid))
		return true;
	return child->settled && !synthesized;
}

/*
 * What a child of a real fork that was not known by a fork before has mapped already came with an earlier or
 * equal time, so it was mapped on top of what it got from its parent. When it ran an exec too, nothing of the
 * parent is left.
 */
static void inherit_maps(struct task *child, const struct task *parent, bool reused)
{
	if (!reused && child->execed)
		return;
	struct maps *maps = maps_ref(parent->process->maps);
	if (!reused)
		maps_overlay(&maps, child->process->maps);
	set_maps(child->process, maps);
}

void machine_fork(struct machine *m, int32_t pid, int32_t ppid, int32_t tid, int32_t ptid, bool synthesized)
{
	struct task *parent = get_task(m, ppid, ptid);
	struct task *child = find_task(m, tid);

	if (tid == 0 || child == parent)
		return;
	end_exec(parent->process);
	bool reused = child && is_reused(child, pid, synthesized);
	if (reused)
		restart_task(m, child, pid, tid);
	else
		child = get_task(m, pid, tid);
	if (!child->thread.comm_known && parent->thread.comm_known)
		set_comm(m, child, parent->thread.comm, true);
	else if (!child->thread.comm_known && tid == m->guest_pid)
		call_by_number(m, child);
	child->settled = true;
	if (pid == ppid)
		return;
	if (!synthesized)
		inherit_maps(child, parent, reused);
	else if (reused)
		set_maps(child->process, maps_new());
}

void machine_exit(struct machine *m, int32_t pid, int32_t tid)
{
	struct task *task = find_task(m, tid);

	if (!task || is_other_task(task, pid))
		return;
	task->thread.exited = true;
	task->settled = true;
	end_exec(task->process);
}

/* The build-id table */

static const struct build_id *table_build_id(struct machine *m, const char *filename)
{
	if (!m->table.count)
		return NULL;
	uint32_t number = strtab_number(&m->names, filename, strlen(filename));
	uint64_t index = hash_get(&m->build_ids, number, 0);
	return index == HASH_NONE ? NULL : &m->table.at[index];
}

/* perf 7.2 takes the first entry of a name too. */
static void add_to_table(struct machine *m, const char *filename, const struct build_id *id)
{
	uint32_t number = strtab_number(&m->names, filename, strlen(filename));

	if (hash_get(&m->build_ids, number, 0) != HASH_NONE)
		return;
	hash_put(&m->build_ids, number, 0, m->table.count);
	vec_push(&m->table, *id);
}

static void set_build_id(struct dso *dso, const struct build_id *id)
{
	if (id && id->size)
		dso->build_id = *id;
}

static void kernel_build_id(struct machine *m, const char *filename, const struct build_id *id)
{
	if (!m->kernel.dso)
		m->kernel.dso = dsos_get(m->dsos, DSO_KERNEL, filename, id, NULL);
	else if (!m->kernel.dso->build_id.size)
		set_build_id(m->kernel.dso, id);
}

static void module_build_id(struct machine *m, const char *filename, const struct build_id *id)
{
	struct dso *dso = dsos_find_kernel(m->dsos, dsos_module_name(m->dsos, filename));

	if (!dso)
		dsos_get(m->dsos, DSO_MODULE, filename, id, NULL);
	else if (!dso->build_id.size)
		set_build_id(dso, id);
}

void machine_build_id(struct machine *m, bool kernel, const char *filename, const struct build_id *id)
{
	bool vdso = starts_with(filename, "[vdso");

	if ((starts_with(filename, "[guest.") && !machine_number(m)) || !id || !id->size)
		return;
	if (kernel && !vdso) {
		if (dso_is_module_name(filename))
			module_build_id(m, filename, id);
		else
			kernel_build_id(m, filename, id);
		return;
	}
	add_to_table(m, filename, id);
	dsos_get(m->dsos, vdso ? DSO_VDSO : DSO_FILE, filename, id, NULL);
}

/* Maps of processes */

/* Some records (of ARM's kernel map, by older perfs) have a length that leads past the end of memory. */
static uint64_t end_of(uint64_t start, uint64_t len)
{
	return len > UINT64_MAX - start ? UINT64_MAX : start + len;
}

/* A map without a name is one of no file; recorders other than perf write it. */
static bool is_anonymous(const struct machine_mmap *mmap)
{
	const char *name = mmap->filename;

	return !name[0] || !strcmp(name, "//anon") || starts_with(name, "/dev/zero") ||
	       starts_with(name, "/anon_hugepage") || (mmap->flags & MAP_IS_HUGETLB);
}

static bool is_without_file(const char *name)
{
	return starts_with(name, "[stack") || starts_with(name, "/SYSV") || !strcmp(name, "[heap]");
}

/*
 * Memory that a JIT compiler gave a name; perf 7.2 takes it for a file of that name and finds nothing. With a
 * build-id it is a program that was copied (runc does that with itself).
 */
static bool is_named_memory(const char *name)
{
	return starts_with(name, "[anon:") || starts_with(name, "/memfd:");
}

/*
 * Programs that put their text on huge pages (iodlr, node --use-largepages) copy whole huge pages in the
 * middle of their text to anonymous memory at the same address: the code is still the file's. Strictly
 * inside: where a library was unmapped, of which no record tells, JIT code may take just its place.
 */
static bool is_text_on_huge_pages(const struct maps *maps, const struct machine_mmap *mmap,
				  const struct map *map)
{
	if (!is_anonymous(mmap) || !(map->prot & MAP_PROT_EXEC) || (map->start | map->end) % HUGE_PAGE)
		return false;
	const struct map *text = maps_find(maps, map->start);
	return text && text->dso->kind == DSO_FILE && (text->prot & MAP_PROT_EXEC) &&
	       text->start < map->start && map->end < text->end;
}

/* The printed name is /tmp/perf-PID.map wherever the map file is looked for (as in perf 7.2). */
struct dso *machine_jit_dso(struct machine *m, int32_t pid)
{
	char name[64];

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", pid);
	return dsos_get_jit(m->dsos, name, (uint32_t)pid);
}

/* perf inject --mmap2-buildids records the name that perf gives to memory with code. 0: it is none. */
static int32_t jit_pid_of(const char *name)
{
	static const char prefix[] = "/tmp/perf-";
	char *end;

	if (!starts_with(name, prefix))
		return 0;
	long pid = strtol(name + sizeof(prefix) - 1, &end, 10);
	return pid > 0 && pid <= INT32_MAX && !strcmp(end, ".map") ? (int32_t)pid : 0;
}

/* Memory that has a name keeps it, with the names of its functions from the same sources. */
static struct dso *jit_dso(struct machine *m, int32_t pid, const char *recorded_name)
{
	struct dso *anonymous = machine_jit_dso(m, pid);

	if (!recorded_name)
		return anonymous;
	struct dso *dso = dsos_get_jit(m->dsos, recorded_name, (uint32_t)pid);
	if (!dso->jit)
		dso->jit = anonymous->jit;
	return dso;
}

static const struct build_id *build_id_of(struct machine *m, const struct machine_mmap *mmap)
{
	return mmap->build_id && mmap->build_id->size ? mmap->build_id : table_build_id(m, mmap->filename);
}

static struct dso *file_dso(struct machine *m, const struct machine_mmap *mmap)
{
	bool vdso = !strcmp(mmap->filename, "[vdso]");

	return dsos_get(m->dsos, vdso ? DSO_VDSO : DSO_FILE, mmap->filename, build_id_of(m, mmap),
			vdso ? NULL : mmap->inode);
}

static struct dso *user_dso(struct machine *m, int32_t pid, const struct machine_mmap *mmap)
{
	bool code = (mmap->prot & MAP_PROT_EXEC) && pid != 0;
	const char *name = mmap->filename;

	if (is_anonymous(mmap) || is_without_file(name)) {
		if (code)
			return jit_dso(m, pid, NULL);
		return dsos_get(m->dsos, DSO_ANON, name[0] ? name : "//anon", NULL, NULL);
	}
	if (mmap->prot & MAP_PROT_SIMPLEPERF_JIT || (code && is_named_memory(name) && !build_id_of(m, mmap)))
		return jit_dso(m, pid, name);
	int32_t jit_pid = code ? jit_pid_of(name) : 0;
	return jit_pid ? machine_jit_dso(m, jit_pid) : file_dso(m, mmap);
}

/*
 * mprotect() of memory makes a record too, and many compilers change from writable to executable and back for
 * each function: the code of a jitdump stays.
 */
static bool is_known_code(const struct maps *maps, const struct map *map)
{
	if (map->dso->kind != DSO_JIT || !map->dso->jit || map->end <= map->start)
		return false;
	const struct map *first = maps_find(maps, map->start), *last = maps_find(maps, map->end - 1);
	return first && first->dso->jit && last && last->dso->jit;
}

void machine_mmap(struct machine *m, const struct machine_mmap *mmap)
{
	struct process *process = get_task(m, mmap->pid, mmap->tid)->process;
	struct map map = {
		.start = mmap->start,
		.end = end_of(mmap->start, mmap->len),
		.pgoff = mmap->pgoff,
		.prot = mmap->prot,
		.flags = mmap->flags,
	};

	if (process->stale)
		replace_program(process);
	if (is_text_on_huge_pages(process->maps, mmap, &map))
		return;
	map.dso = user_dso(m, process->pid, mmap);
	if (map.dso->kind == DSO_VDSO)
		map.pgoff = 0;
	if (is_known_code(process->maps, &map))
		return;
	maps_insert(&process->maps, &map);
}

/* Code in a file that has no name any more: the memory of a JIT compiler that maps it twice. */
static bool is_library(const struct map *map)
{
	return (map->dso->kind == DSO_FILE && !strstr(map->dso->name, " (deleted)")) ||
	       map->dso->kind == DSO_VDSO;
}

void machine_map_code(struct machine *m, int32_t pid, uint64_t start, uint64_t end, struct dso *dso)
{
	struct process *process = hash_get_ptr(&m->processes, key_of(pid), 0);
	struct map map = { .start = start, .end = end, .pgoff = start, .dso = dso, .prot = MAP_PROT_EXEC };

	if (!process || process->stale || end <= start)
		return;
	const struct map *first = maps_find(process->maps, start), *last = maps_find(process->maps, end - 1);
	if (first && first == last && first->dso->jit == dso->jit)
		return;
	if ((first && is_library(first)) || (last && is_library(last)))
		return;
	maps_insert(&process->maps, &map);
}

/* Maps of the kernel */

struct maps *machine_kernel_maps(const struct machine *m)
{
	return m->kernel_maps;
}

const struct machine_kernel *machine_kernel(const struct machine *m)
{
	return &m->kernel;
}

static char *kernel_name(const struct machine *m)
{
	if (!machine_number(m))
		return xstrdup("[kernel.kallsyms]");
	return m->guest_pid ? xasprintf("[guest.kernel.kallsyms.%d]", m->guest_pid)
			    : xstrdup("[guest.kernel.kallsyms]");
}

/* The build-id table of a guest that recorded itself calls its kernel [kernel.kallsyms]. */
static struct dso *kernel_dso(struct machine *m)
{
	char *name AUTOFREE = kernel_name(m);

	if (!m->kernel.dso)
		m->kernel.dso = dsos_get(m->dsos, DSO_KERNEL, name, NULL, NULL);
	if (machine_number(m) && !m->kernel.known)
		dso_set_long_name(m->dsos, m->kernel.dso, name);
	return m->kernel.dso;
}

static struct map kernel_piece(const struct machine *m, uint64_t start, uint64_t end)
{
	return (struct map){
		.start = start, .end = end, .pgoff = start, .dso = m->kernel.dso, .prot = MAP_PROT_EXEC
	};
}

/* Trampolines are of the kernel's dso too, but lie elsewhere than the code that they show. */
static bool is_kernel_piece(const struct machine *m, const struct map *map)
{
	return map->dso == m->kernel.dso && map->pgoff == map->start;
}

/* Put the kernel's map anew under all others. */
static void replace_kernel_range(struct machine *m, uint64_t start, uint64_t end)
{
	struct map kernel = kernel_piece(m, start, end);
	struct maps *below = maps_new(), *others = maps_new();

	for (size_t i = 0; i < maps_count(m->kernel_maps); i++) {
		const struct map *map = maps_at(m->kernel_maps, i);
		if (!is_kernel_piece(m, map))
			maps_insert(&others, map);
	}
	maps_insert(&below, &kernel);
	maps_overlay(&below, others);
	maps_unref(others);
	maps_unref(m->kernel_maps);
	m->kernel_maps = below;
	m->kernel_start = start;
	m->kernel_end = end;
}

void machine_set_kernel_range(struct machine *m, uint64_t start, uint64_t end)
{
	if (m->kernel.known && start < end && (start != m->kernel_start || end != m->kernel_end))
		replace_kernel_range(m, start, end);
}

/* "[kernel.kallsyms]_text" with the symbol's address as pgoff; 0: addresses were restricted. */
static void set_reference(struct machine *m, const struct machine_mmap *mmap)
{
	const char *bracket = strchr(mmap->filename, ']');
	bool any = bracket && bracket[1] && mmap->pgoff;

	m->kernel.ref_name = any ? strtab_intern(&m->names, bracket + 1) : NULL;
	m->kernel.ref_addr = any ? mmap->pgoff : 0;
}

static void map_kernel(struct machine *m, const struct machine_mmap *mmap)
{
	struct machine_kernel *kernel = &m->kernel;
	uint64_t end = mmap->start || mmap->len ? end_of(mmap->start, mmap->len) : UINT64_MAX;
	bool same_range = kernel->known && kernel->start == mmap->start && kernel->end == end;

	set_build_id(kernel_dso(m), mmap->build_id);
	if (!same_range && ++m->nr_kernel_ranges > MAX_KERNEL_RANGES)
		return;
	set_reference(m, mmap);
	kernel->known = true;
	kernel->start = mmap->start;
	kernel->end = end;
	if (!same_range)
		replace_kernel_range(m, mmap->start, end);
}

static struct dso *module_dso(struct machine *m, const struct machine_mmap *mmap)
{
	const char *name = dsos_module_name(m->dsos, mmap->filename);
	struct dso *dso = dsos_find_kernel(m->dsos, name);

	if (!dso || dso->kind != DSO_MODULE)
		dso = dsos_get(m->dsos, DSO_MODULE, name, NULL, NULL);
	if (mmap->filename[0] == '/')
		dso_set_long_name(m->dsos, dso, mmap->filename);
	set_build_id(dso, mmap->build_id);
	return dso;
}

static void map_module(struct machine *m, const struct machine_mmap *mmap, struct dso *dso, uint64_t pgoff)
{
	struct map map = {
		.start = mmap->start,
		.end = end_of(mmap->start, mmap->len),
		.pgoff = pgoff,
		.dso = dso,
		.prot = MAP_PROT_EXEC,
	};

	maps_insert(&m->modules, &map);
	maps_insert(&m->kernel_maps, &map);
}

void machine_mmap_kernel(struct machine *m, const struct machine_mmap *mmap)
{
	const char *name = mmap->filename;

	if (!machine_number(m) && starts_with(name, "[guest."))
		return;
	/* A guest that recorded itself calls its kernel [kernel.kallsyms]. */
	if (starts_with(name, "[kernel.kallsyms") || starts_with(name, "[guest.kernel.kallsyms"))
		map_kernel(m, mmap);
	else if (name[0] == '/' || name[0] == '[')
		map_module(m, mmap, module_dso(m, mmap), 0);
	else if (!strcmp(name, "__entry_SYSCALL_64_trampoline"))
		map_module(m, mmap, kernel_dso(m), mmap->pgoff);
}

/* What lies at @start below the ksymbols, up to @end at most. False: nothing. */
static bool piece_below(const struct machine *m, uint64_t start, uint64_t end, struct map *ret)
{
	const struct map *module = maps_find(m->modules, start);

	if (module) {
		*ret = *module;
		ret->pgoff += start - module->start;
	} else if (m->kernel.known && start >= m->kernel_start && start < m->kernel_end) {
		*ret = kernel_piece(m, start, m->kernel_end);
	} else {
		return false;
	}
	ret->start = start;
	ret->end = ret->end < end ? ret->end : end;
	return true;
}

static void remove_ksymbol(struct machine *m, uint64_t addr)
{
	const struct map *found = maps_find(m->kernel_maps, addr);
	struct map below;

	if (!found || found->start != addr || found->dso->kind != DSO_KSYMBOL)
		return;
	bool anything = piece_below(m, addr, found->end, &below);
	maps_remove(&m->kernel_maps, addr);
	if (anything)
		maps_insert(&m->kernel_maps, &below);
}

/* Labels of the kernel's assembler code, no functions (as in perf 7.2). */
static bool is_label(const char *name)
{
	return name[0] == '$' || starts_with(name, ".L") || starts_with(name, "L0");
}

void machine_ksymbol(struct machine *m, uint64_t addr, uint32_t len, const char *name, bool unregister)
{
	if (unregister) {
		remove_ksymbol(m, addr);
		return;
	}
	if (!len || is_label(name))
		return;
	struct map map = {
		.start = addr,
		.end = end_of(addr, len),
		.dso = dsos_get(m->dsos, DSO_KSYMBOL, name, NULL, NULL),
		.prot = MAP_PROT_EXEC,
	};
	maps_insert(&m->kernel_maps, &map);
}
