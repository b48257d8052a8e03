/*
 * machine - the processes and the kernel of the recorded machine, or of one of its guests, at the time that
 * was last told.
 *
 * The session tells it of tasks and maps in the order of the queue; it keeps threads by tid, their comm and
 * their address space, the kernel's map, modules and named kernel symbols. Rules: those of perf 7.2,
 * except that all processes keep their names: a synthesized fork brings no maps, a real one gives the child
 * the parent's maps with what the child already mapped on top, a real fork starts a pid afresh, an exec sets
 * the old program's maps aside when the new one is mapped, and an EXIT alone forgets nothing.
 *
 * Addresses in dsos: the kernel's maps have pgoff == start, so that the kernel's dso is addressed by the
 * recorded addresses; modules' and ksymbols' maps begin at 0.
 *
 * Plain arguments in: knows no records and no ELF.
 */
#ifndef PERF2TXT_MACHINE_H
#define PERF2TXT_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/dso.h"
#include "symbolize/maps.h"

struct thread {
	int32_t pid, tid;
	uint32_t life;     /* another one for each thread that has this tid */
	const char *comm;  /* never NULL: ":TID" until it is known; lent by the machine */
	uint32_t comm_id;  /* the comm's number: equal comms, equal numbers */
	bool comm_known;
	bool exited;
	struct maps *maps; /* shared by the threads of a process */
	struct maps *before_exec; /* see machine_end_exec(); mostly NULL */
};

struct machine;

/** @dsos must outlive the machine. */
struct machine *machine_new(struct dsos *dsos);

/**
 * A guest, whose process on the host is @pid; 0: one of which that is not known. As long as it has told of
 * no process @pid of its own, samples of that one are of the guest as a whole, called [guest/PID] (as in
 * perf 7.2).
 */
struct machine *machine_new_guest(struct dsos *dsos, int32_t pid);

/** As dsos_machine(): 0 is the host. */
uint32_t machine_number(const struct machine *m);
void machine_free(struct machine *m); /* NULL is fine */

/**
 * The thread, made when it is new; lent until the machine is told of the next task or map. One of another pid
 * than the known one of that tid is a new one whose fork was lost.
 */
struct thread *machine_thread(struct machine *m, int32_t pid, int32_t tid);

/** The thread of that tid, or NULL; lent like machine_thread()'s. */
struct thread *machine_find_thread(struct machine *m, int32_t tid);

void machine_comm(struct machine *m, int32_t pid, int32_t tid, const char *comm, bool exec);

/**
 * Code of the program that @thread's process has become was seen, or must have run. From the first map of
 * that program until then the kernel is still in execve(), and thread->before_exec are the maps of the
 * program that called it.
 */
void machine_end_exec(struct machine *m, const struct thread *thread);

/** @synthesized: perf made the record for a process that ran already (time 0 or MISC_FORK_EXEC). */
void machine_fork(struct machine *m, int32_t pid, int32_t ppid, int32_t tid, int32_t ptid, bool synthesized);
void machine_exit(struct machine *m, int32_t pid, int32_t tid);

struct machine_mmap {
	int32_t pid, tid;
	uint64_t start, len, pgoff;
	uint32_t prot, flags;
	const char *filename;
	const struct build_id *build_id; /* NULL: not recorded */
	const struct dso_inode *inode;	 /* NULL: not recorded */
};

/** A map of a user process. */
void machine_mmap(struct machine *m, const struct machine_mmap *mmap);

/** The dso of that process's code in memory without a name. */
struct dso *machine_jit_dso(struct machine *m, int32_t pid);

/**
 * Code of a process that no record tells of, in a jitdump's dso: mapped where that is not mapped yet, but not
 * over files.
 */
void machine_map_code(struct machine *m, int32_t pid, uint64_t start, uint64_t end, struct dso *dso);

/** A map of the kernel: its own, a module's, a trampoline (as in perf 7.2). pid and tid do not matter. */
void machine_mmap_kernel(struct machine *m, const struct machine_mmap *mmap);

/** An entry of the recording's build-id table: names a dso before it is mapped. */
void machine_build_id(struct machine *m, bool kernel, const char *filename, const struct build_id *id);

/** Code that the kernel made and named, or that is gone again. It lies on top of whatever is there. */
void machine_ksymbol(struct machine *m, uint64_t addr, uint32_t len, const char *name, bool unregister);

/** Maps of the kernel and its modules now. Lent until the next kernel map or ksymbol. */
struct maps *machine_kernel_maps(const struct machine *m);

/* The kernel's own map record: what kallsyms is shifted by. */
struct machine_kernel {
	bool known;	      /* there was a record */
	struct dso *dso;      /* NULL: neither map nor build-id of it; may be set before it is known */
	uint64_t start, end;  /* as recorded; what says 0..0 or overflows ends at UINT64_MAX */
	const char *ref_name; /* "_text", "_stext"; NULL: none recorded */
	uint64_t ref_addr;    /* its address when it was recorded */
};
const struct machine_kernel *machine_kernel(const struct machine *m);

/** Kernel symbols are loaded: the kernel's map is what they cover. */
void machine_set_kernel_range(struct machine *m, uint64_t start, uint64_t end);

#endif
