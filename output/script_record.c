#include "output/script_record.h"

#include <string.h>

#include "util/digits.h"

unsigned script_record_shown_by(uint32_t record_type)
{
	switch (record_type) {
	case RECORD_COMM:
	case RECORD_FORK:
	case RECORD_EXIT:
		return SHOW_TASK;
	case RECORD_MMAP:
	case RECORD_MMAP2:
		return SHOW_MMAP;
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		return SHOW_SWITCH;
	case RECORD_NAMESPACES:
		return SHOW_NAMESPACE;
	case RECORD_LOST:
		return SHOW_LOST;
	case RECORD_CGROUP:
		return SHOW_CGROUP;
	case RECORD_KSYMBOL:
		return SHOW_BPF | SHOW_TEXT_POKE;
	case RECORD_BPF_EVENT:
	case RECORD_BPF_METADATA:
		return SHOW_BPF;
	case RECORD_TEXT_POKE:
		return SHOW_TEXT_POKE;
	case RECORD_FINISHED_ROUND:
		return SHOW_ROUND;
	default:
		return SHOW_NONE;
	}
}

static void put_id(struct writer *w, uint32_t id)
{
	writer_sdec(w, (int32_t)id, 0); /* -1 is the kernel's */
}

static void put_ids(struct writer *w, uint32_t pid, char between, uint32_t tid)
{
	put_id(w, pid);
	writer_char(w, between);
	put_id(w, tid);
}

/* printf's %#llx: zero has no prefix. */
static void put_hex(struct writer *w, uint64_t value)
{
	if (value)
		writer_bytes(w, "0x", 2);
	writer_hex(w, value, 0);
}

static void put_hex2(struct writer *w, uint32_t value)
{
	if (value < 16)
		writer_char(w, '0');
	writer_hex(w, value, 0);
}

static void put_comm(struct writer *w, const struct record *record)
{
	const struct record_comm *comm = &record->comm;

	writer_text(w, comm->exec ? "PERF_RECORD_COMM exec: " : "PERF_RECORD_COMM: ");
	writer_text(w, comm->comm);
	writer_char(w, ':');
	put_ids(w, comm->pid, '/', comm->tid);
	writer_char(w, '\n');
}

static void put_task(struct writer *w, const struct record *record)
{
	writer_text(w, record->type == RECORD_FORK ? "PERF_RECORD_FORK" : "PERF_RECORD_EXIT");
	script_record_task(w, record);
}

void script_record_task(struct writer *w, const struct record *record)
{
	writer_char(w, '(');
	put_ids(w, record->task.pid, ':', record->task.tid);
	writer_text(w, "):(");
	put_ids(w, record->task.ppid, ':', record->task.ptid);
	writer_text(w, ")\n");
}

/* What only MMAP2 has: " MAJ:MIN INO GEN" or the build-id. */
static void put_mmap_identity(struct writer *w, const struct record_mmap *mmap)
{
	char hex[BUILD_ID_HEX];

	writer_char(w, ' ');
	if (mmap->has_build_id) {
		writer_char(w, '<');
		writer_text(w, build_id_hex(&mmap->build_id, hex));
		writer_char(w, '>');
		return;
	}
	put_hex2(w, mmap->maj);
	writer_char(w, ':');
	put_hex2(w, mmap->min);
	writer_char(w, ' ');
	writer_dec(w, mmap->ino, 0);
	writer_char(w, ' ');
	writer_dec(w, mmap->ino_generation, 0);
}

static void put_mmap(struct writer *w, const struct record *record)
{
	const struct record_mmap *mmap = &record->mmap;
	bool mmap2 = record->type == RECORD_MMAP2;

	writer_text(w, mmap2 ? "PERF_RECORD_MMAP2 " : "PERF_RECORD_MMAP ");
	put_ids(w, mmap->pid, '/', mmap->tid);
	writer_text(w, ": [");
	put_hex(w, mmap->start);
	writer_char(w, '(');
	put_hex(w, mmap->len);
	writer_text(w, ") @ ");
	put_hex(w, mmap->pgoff);
	if (mmap2)
		put_mmap_identity(w, mmap);
	writer_text(w, "]: ");
	if (mmap2) {
		writer_char(w, mmap->prot & PROT_FLAG_READ ? 'r' : '-');
		writer_char(w, mmap->prot & PROT_FLAG_WRITE ? 'w' : '-');
		writer_char(w, mmap->prot & PROT_FLAG_EXEC ? 'x' : '-');
		writer_char(w, mmap->flags & MAP_FLAG_SHARED ? 's' : 'p');
	} else {
		writer_char(w, record->misc & MISC_MMAP_DATA ? 'r' : 'x');
	}
	writer_char(w, ' ');
	writer_text(w, mmap->filename);
	writer_char(w, '\n');
}

static void put_switch(struct writer *w, const struct record *record)
{
	const struct record_switch *sw = &record->sw;

	writer_text(w, sw->wide ? "PERF_RECORD_SWITCH_CPU_WIDE " : "PERF_RECORD_SWITCH ");
	writer_text_left(w, !sw->out ? "IN" : sw->preempt ? "OUT preempt" : "OUT", 11);
	if (sw->wide) {
		writer_text(w, sw->out ? "  next pid/tid: " : "  prev pid/tid: ");
		writer_sdec(w, (int32_t)sw->next_prev_pid, 5);
		char digits[DIGITS_MAX];
		*digits_sdec(digits, (int32_t)sw->next_prev_tid, 0) = '\0';
		writer_char(w, '/');
		writer_text_left(w, digits, 5);
	}
	writer_char(w, '\n');
}

#define NR_NAMESPACES 7

static void put_namespaces(struct writer *w, const struct record *record)
{
	static const char *const names[NR_NAMESPACES] = {
		"net", "uts", "ipc", "pid", "user", "mnt", "cgroup"
	};
	const struct record_namespaces *ns = &record->namespaces;
	uint64_t nr = ns->nr < NR_NAMESPACES ? ns->nr : NR_NAMESPACES;

	writer_text(w, "PERF_RECORD_NAMESPACES ");
	put_ids(w, ns->pid, '/', ns->tid);
	writer_text(w, " - nr_namespaces: ");
	writer_dec(w, ns->nr, 0);
	writer_text(w, "\n\t\t[");
	for (uint64_t i = 0; i < nr; i++) {
		if (i == 4)
			writer_text(w, "\n\t\t ");
		writer_dec(w, i, 0);
		writer_char(w, '/');
		writer_text(w, names[i]);
		writer_bytes(w, ": ", 2);
		writer_dec(w, ns->at[i].dev, 0);
		writer_char(w, '/');
		put_hex(w, ns->at[i].ino);
		writer_text(w, i + 1 < nr ? ", " : "]\n");
	}
	if (!nr)
		writer_text(w, "]\n");
}

static void put_lost(struct writer *w, const struct record *record)
{
	writer_text(w, "PERF_RECORD_LOST lost ");
	writer_dec(w, record->lost.lost, 0);
	writer_char(w, '\n');
}

static void put_cgroup(struct writer *w, const struct record *record)
{
	writer_text(w, "PERF_RECORD_CGROUP cgroup: ");
	writer_dec(w, record->cgroup.id, 0);
	writer_char(w, ' ');
	writer_text(w, record->cgroup.path);
	writer_char(w, '\n');
}

static void put_ksymbol(struct writer *w, const struct record *record)
{
	const struct record_ksymbol *ksymbol = &record->ksymbol;

	writer_text(w, "PERF_RECORD_KSYMBOL addr ");
	writer_hex(w, ksymbol->addr, 0);
	writer_text(w, " len ");
	writer_dec(w, ksymbol->len, 0);
	writer_text(w, " type ");
	writer_dec(w, ksymbol->ksym_type, 0);
	writer_text(w, " flags 0x");
	writer_hex(w, ksymbol->flags, 0);
	writer_text(w, " name ");
	writer_text(w, ksymbol->name);
	writer_char(w, '\n');
}

static void put_bpf(struct writer *w, const struct record *record)
{
	writer_text(w, "PERF_RECORD_BPF_EVENT type ");
	writer_dec(w, record->bpf.bpf_type, 0);
	writer_text(w, ", flags ");
	writer_dec(w, record->bpf.flags, 0);
	writer_text(w, ", id ");
	writer_dec(w, record->bpf.id, 0);
	writer_char(w, '\n');
}

/* Key and value are not terminated when they fill their place. */
static void put_bpf_metadata(struct writer *w, const struct record *record)
{
	writer_text(w, "PERF_RECORD_BPF_METADATA prog ");
	writer_text(w, record->bpf_metadata.prog);
	writer_char(w, '\n');
	for (uint64_t i = 0; i < record->bpf_metadata.nr; i++) {
		const char *key, *value;
		record_bpf_metadata_entry(record, i, &key, &value);
		writer_printf(w, "  entry %d: %20.64s = %.256s\n", (int)i, key, value);
	}
}

static void put_poke_bytes(struct writer *w, const char *label, const uint8_t *bytes, uint16_t size)
{
	for (unsigned from = 0; from < size; from += 16) {
		writer_text(w, label);
		for (unsigned i = from; i < size && i < from + 16; i++) {
			writer_char(w, ' ');
			put_hex2(w, bytes[i]);
		}
		writer_char(w, '\n');
	}
}

static void put_text_poke(struct writer *w, const struct record *record, const struct spot *poked)
{
	const struct record_text_poke *poke = &record->text_poke;

	writer_text(w, "PERF_RECORD_TEXT_POKE ");
	writer_hex(w, poke->addr, 0);
	writer_char(w, ' ');
	if (poked->location && poked->location->name) {
		writer_text(w, poked->location->name);
		writer_text(w, "+0x");
		writer_hex(w, spot_symoff(poked), 0);
	}
	writer_text(w, " old len ");
	writer_dec(w, poke->old_len, 0);
	writer_text(w, " new len ");
	writer_dec(w, poke->new_len, 0);
	writer_char(w, '\n');
	put_poke_bytes(w, "            Old bytes:", poke->old_bytes, poke->old_len);
	put_poke_bytes(w, "            New bytes:", poke->new_bytes, poke->new_len);
}

/*
 * Without a trailer (kernels before sample_id_all, 2.6.38) perf fills in what the record itself says, and
 * zeros.
 */
static void ids_of_body(const struct record *record, struct script_prefix *prefix)
{
	uint32_t pid = 0, tid = 0;

	prefix->cpu = 0;
	prefix->time = 0;
	switch (record->type) {
	case RECORD_COMM:
		pid = record->comm.pid;
		tid = record->comm.tid;
		break;
	case RECORD_MMAP:
	case RECORD_MMAP2:
		pid = record->mmap.pid;
		tid = record->mmap.tid;
		break;
	case RECORD_FORK:
	case RECORD_EXIT:
		pid = record->task.pid;
		tid = record->task.tid;
		prefix->time = record->task.time;
		break;
	case RECORD_NAMESPACES:
		pid = record->namespaces.pid;
		tid = record->namespaces.tid;
		break;
	default:
		return;
	}
	prefix->pid = (int32_t)pid;
	prefix->tid = (int32_t)tid;
}

static void put_prefix(struct script *s, const struct view_record *view)
{
	const struct record *record = view->record;
	struct script_prefix prefix = { view->comm ? view->comm : "",
					record->sid.pid,
					record->sid.tid,
					record->sid.cpu,
					record->misc,
					record->type,
					record->sid.time,
					view->guest };

	if (!view->event || record->type == RECORD_BPF_METADATA)
		return;
	if (!attr_flag(&view->event->attr, ATTR_SAMPLE_ID_ALL))
		ids_of_body(record, &prefix);
	script_put_prefix(s, view->event, &prefix);
}

void script_record_text(struct writer *w, const struct record *record, const struct spot *poked)
{
	static void (*const put[])(struct writer *, const struct record *) = {
		[RECORD_MMAP] = put_mmap,
		[RECORD_LOST] = put_lost,
		[RECORD_COMM] = put_comm,
		[RECORD_EXIT] = put_task,
		[RECORD_FORK] = put_task,
		[RECORD_MMAP2] = put_mmap,
		[RECORD_SWITCH] = put_switch,
		[RECORD_SWITCH_CPU_WIDE] = put_switch,
		[RECORD_NAMESPACES] = put_namespaces,
		[RECORD_KSYMBOL] = put_ksymbol,
		[RECORD_BPF_EVENT] = put_bpf,
		[RECORD_CGROUP] = put_cgroup,
		[RECORD_BPF_METADATA] = put_bpf_metadata,
	};

	if (record->type == RECORD_TEXT_POKE)
		put_text_poke(w, record, poked);
	else if (record->type < sizeof(put) / sizeof(put[0]) && put[record->type])
		put[record->type](w, record);
}

void script_record(struct script *s, const struct view_record *view)
{
	if (script_record_shown_by(view->record->type) == SHOW_NONE)
		return;
	put_prefix(s, view);
	script_record_text(script_writer(s), view->record, &view->addr);
}

void script_round(struct script *s)
{
	writer_text(script_writer(s), "PERF_RECORD_FINISHED_ROUND\n");
}

void script_auxtrace_error(struct script *s, const struct record *record)
{
	const struct record_auxtrace_error *error = &record->auxtrace_error;
	struct writer *w = script_writer(s);

	writer_printf(w, " %s error type %u time ",
		      error->error_type == 1 ? "instruction trace" : "unknown AUX", error->error_type);
	if (error->time)
		writer_printf(w, "%lu.%09lu", (unsigned long)(error->time / 1000000000),
			      (unsigned long)(error->time % 1000000000));
	else
		writer_char(w, '0');
	if (error->fmt >= 2 && error->machine_pid)
		writer_printf(w, " machine_pid %d vcpu %d", (int)error->machine_pid, (int)error->vcpu);
	writer_printf(w, " cpu %d pid %d tid %d ip ", (int)error->cpu, (int)error->pid, (int)error->tid);
	put_hex(w, error->ip);
	writer_printf(w, " code %u: %s\n", error->code, error->msg);
}
