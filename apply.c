#include "apply.h"

#include "util/cursor.h"

/*
 * perf synthesizes for a process FORK, NAMESPACES, COMM, maps, and the same for each of its threads but the
 * maps. Only the process's own FORK must come first; keeping all else as it came leaves an orderly block as
 * it is.
 */
enum queue_kind apply_queue_kind(const struct raw_record *raw, bool big_endian, uint32_t *pid)
{
	struct cursor c = cursor_make(raw->data, raw->size, big_endian);

	cursor_skip(&c, RECORD_HEADER_SIZE);
	*pid = cursor_u32(&c);
	switch (raw->type) {
	case RECORD_FORK: {
		cursor_skip(&c, 4);
		uint32_t tid = cursor_u32(&c);
		return tid == *pid ? QUEUE_FORK : QUEUE_TASK;
	}
	case RECORD_COMM:
	case RECORD_MMAP:
	case RECORD_MMAP2:
	case RECORD_EXIT:
	case RECORD_NAMESPACES:
		return QUEUE_TASK;
	default:
		return QUEUE_OTHER;
	}
}

static void apply_mmap(struct machine *machine, const struct record *record)
{
	const struct record_mmap *r = &record->mmap;
	struct dso_inode inode = { r->has_inode, r->maj, r->min, r->ino, r->ino_generation };
	struct machine_mmap mmap = {
		.pid = (int32_t)r->pid,
		.tid = (int32_t)r->tid,
		.start = r->start,
		.len = r->len,
		.pgoff = r->pgoff,
		.prot = r->prot,
		.flags = r->flags,
		.filename = r->filename,
		.build_id = r->has_build_id ? &r->build_id : NULL,
		.inode = r->has_inode ? &inode : NULL,
	};

	switch (record->misc & MISC_CPUMODE_MASK) {
	case CPUMODE_KERNEL:
	case CPUMODE_GUEST_KERNEL:
		machine_mmap_kernel(machine, &mmap);
		break;
	default:
		machine_mmap(machine, &mmap);
	}
}

static void apply_fork(struct machine *machine, const struct record *record)
{
	const struct record_task *r = &record->task;
	bool synthesized = record->misc & MISC_FORK_EXEC || record->sid.time == 0 || r->time == 0;

	machine_fork(machine, (int32_t)r->pid, (int32_t)r->ppid, (int32_t)r->tid, (int32_t)r->ptid,
		     synthesized);
}

/*
 * perf inject -B (7.2) says of maps of the host that only call chains lead to that they are a guest's. What
 * is really a guest's and has a build-id has been injected too, with ids that say of which guest.
 */
static bool is_of_guest(const struct record *record)
{
	unsigned cpumode = record->misc & MISC_CPUMODE_MASK;

	if (cpumode == CPUMODE_GUEST_USER)
		return record->type != RECORD_MMAP2 || !record->mmap.has_build_id;
	return cpumode == CPUMODE_GUEST_KERNEL;
}

void apply_record(struct machine *machine, const struct record *record)
{
	if (is_of_guest(record) && !machine_number(machine))
		return;
	switch (record->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		apply_mmap(machine, record);
		break;
	case RECORD_COMM:
		machine_comm(machine, (int32_t)record->comm.pid, (int32_t)record->comm.tid, record->comm.comm,
			     record->comm.exec);
		break;
	case RECORD_FORK:
		apply_fork(machine, record);
		break;
	case RECORD_EXIT:
		machine_exit(machine, (int32_t)record->task.pid, (int32_t)record->task.tid);
		break;
	case RECORD_NAMESPACES:
		machine_thread(machine, (int32_t)record->namespaces.pid, (int32_t)record->namespaces.tid);
		break;
	case RECORD_KSYMBOL:
		machine_ksymbol(machine, record->ksymbol.addr, record->ksymbol.len, record->ksymbol.name,
				record->ksymbol.flags & 1);
		break;
	default:
		break;
	}
}
