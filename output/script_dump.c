#include "output/script_dump.h"

#include <inttypes.h>
#include <string.h>

#include "events/perf_abi.h"
#include "output/branch_text.h"
#include "output/script_record.h"
#include "symbolize/dso.h"
#include "util/digits.h"

#define PER_LINE 16

static void put_bytes_line(struct writer *w, const uint8_t *data, size_t size, size_t from)
{
	size_t end = from + PER_LINE;

	writer_printf(w, ".  %04zx: ", from);
	char *at = writer_reserve(w);
	for (size_t i = from; i < end; i++) {
		*at++ = ' ';
		at = i < size ? digits_hex2(at, data[i]) : digits_pad(at, 2);
	}
	at = digits_pad(at, 2);
	for (size_t i = from; i < end; i++)
		*at++ = i >= size ? ' ' : data[i] >= 0x20 && data[i] < 0x7f ? (char)data[i] : '.';
	*at++ = '\n';
	writer_advance(w, at);
}

static void put_stamp(struct writer *w, const struct script_dump_stamp *stamp)
{
	if (stamp->unknown) {
		writer_text(w, "-1 -1 ");
		return;
	}
	if (stamp->with_cpu)
		writer_printf(w, "%" PRIu32 " ", stamp->cpu);
	if (stamp->with_time)
		writer_printf(w, "%" PRIu64 " ", stamp->time);
}

void script_dump_raw(struct writer *w, const char *file, uint64_t offset, const struct raw_record *raw,
		     const struct script_dump_stamp *stamp)
{
	writer_printf(w, "\n%#" PRIx64 "@%s [%#x]: event: %" PRIu32 "\n.\n. ... raw event: size %u bytes\n",
		      offset, file, raw->size, raw->type, raw->size);
	for (size_t from = 0; from < raw->size; from += PER_LINE)
		put_bytes_line(w, raw->data, raw->size, from);
	writer_char(w, '\n');
	put_stamp(w, stamp);
	writer_printf(w, "%#" PRIx64 " [%#x]: ", offset, raw->size);
}

/* ---- records of the kernel ---- */

static void put_aux(struct writer *w, const struct record *record)
{
	uint64_t flags = record->aux.flags;

	writer_printf(w, " offset: %#" PRIx64 " size: %#" PRIx64 " flags: %#" PRIx64 " [%s%s%s%s]\n",
		      record->aux.offset, record->aux.size, flags, flags & 1 ? "T" : "", flags & 2 ? "O" : "",
		      flags & 4 ? "P" : "", flags & 8 ? "C" : "");
}

static void put_read(struct writer *w, const struct event *event, const struct record_read *read)
{
	uint64_t format = event ? event->attr.read_format : 0;

	writer_printf(w, ": %" PRId32 " %" PRId32 " %s %" PRIu64 "\n", (int32_t)read->pid, (int32_t)read->tid,
		      event ? event->name : "", read->value);
	if (format & READ_TOTAL_TIME_ENABLED)
		writer_printf(w, "... time enabled : %" PRIu64 "\n", read->time_enabled);
	if (format & READ_TOTAL_TIME_RUNNING)
		writer_printf(w, "... time running : %" PRIu64 "\n", read->time_running);
	if (format & READ_ID)
		writer_printf(w, "... id           : %" PRIu64 "\n", read->id);
	if (format & READ_LOST)
		writer_printf(w, "... lost         : %" PRIu64 "\n", read->lost);
	writer_text(w, ": unhandled!\n");
}

void script_dump_record(struct writer *w, const struct event *event, const struct record *record,
			const struct spot *poked)
{
	if (script_record_shown_by(record->type) != SHOW_NONE && record->type != RECORD_LOST) {
		script_record_text(w, record, poked);
		if (record->type == RECORD_BPF_METADATA)
			writer_text(w, ": unhandled!\n");
		return;
	}
	writer_printf(w, "PERF_RECORD_%s", record_type_name(record->type));
	switch (record->type) {
	case RECORD_LOST:
		writer_printf(w, ": id:%" PRIu64 ": lost:%" PRIu64 "\n", record->lost.id, record->lost.lost);
		break;
	case RECORD_LOST_SAMPLES:
		writer_printf(w, ": id:%" PRIu64 ": lost samples :%" PRIu64 "%s\n", record->sid.id,
			      record->lost.lost, record->misc & MISC_LOST_SAMPLES_BPF ? " (BPF)" : "");
		break;
	case RECORD_READ:
		put_read(w, event, &record->read);
		break;
	case RECORD_AUX:
		put_aux(w, record);
		break;
	case RECORD_AUX_OUTPUT_HW_ID:
		writer_printf(w, " hw_id: %#" PRIx64 "\n", record->hw_id);
		break;
	case RECORD_ITRACE_START:
		writer_printf(w, " pid: %" PRIu32 " tid: %" PRIu32 "\n", record->itrace.pid,
			      record->itrace.tid);
		break;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		break; /* the next record begins with a line end */
	default:
		writer_char(w, '\n');
	}
}

/* ---- samples ---- */

static const char *mark_name(uint64_t ip)
{
	switch (ip) {
	case CHAIN_HV:
		return " (PERF_CONTEXT_HV)";
	case CHAIN_KERNEL:
		return " (PERF_CONTEXT_KERNEL)";
	case CHAIN_USER:
		return " (PERF_CONTEXT_USER)";
	case CHAIN_USER_DEFERRED:
		return " (PERF_CONTEXT_USER_DEFERRED)";
	case (uint64_t)-2048:
		return " (PERF_CONTEXT_GUEST)";
	case (uint64_t)-2176:
		return " (PERF_CONTEXT_GUEST_KERNEL)";
	case (uint64_t)-2560:
		return " (PERF_CONTEXT_GUEST_USER)";
	default:
		return "";
	}
}

static void put_address(struct writer *w, uint64_t index, uint64_t ip, const char *mark)
{
	writer_printf(w, "..... %2" PRIu64 ": %016" PRIx64 "%s\n", index, ip, mark);
}

static void put_chain(struct writer *w, const uint64_t *ips, uint64_t nr)
{
	writer_printf(w, "... FP chain: nr:%" PRIu64 "\n", nr);
	for (uint64_t i = 0; i < nr; i++)
		put_address(w, i, ips[i], mark_name(ips[i]));
	if (nr >= 2 && ips[nr - 2] == CHAIN_USER_DEFERRED)
		writer_text(w, "...... (deferred)\n");
}

/* Where the newest branch went, and then where all came from. */
static void put_branch_callers(struct writer *w, const struct sample *sample, uint64_t index)
{
	if (!sample->nr_branches)
		return;
	put_address(w, index++, sample->branches[0].to, "");
	for (uint64_t i = 0; i < sample->nr_branches; i++)
		put_address(w, index++, sample->branches[i].from, "");
}

/* What takes the place of the chain's user part. */
static void put_lbr_chain(struct writer *w, const struct sample *sample)
{
	uint64_t nr_kernel = 0;

	while (nr_kernel < sample->nr_chain && sample->chain[nr_kernel] != CHAIN_USER)
		nr_kernel++;
	if (nr_kernel == sample->nr_chain || !sample->nr_branches)
		return;
	nr_kernel++;
	writer_printf(w, "... LBR call chain: nr:%" PRIu64 "\n", nr_kernel + 1 + sample->nr_branches);
	for (uint64_t i = 0; i < nr_kernel; i++)
		put_address(w, i, sample->chain[i], "");
	put_branch_callers(w, sample, nr_kernel);
}

static void put_branch(struct writer *w, uint64_t index, const struct branch_entry *branch)
{
	uint64_t flags = branch->flags;
	const char *spec = branch_spec_text(flags);

	writer_printf(w,
		      "..... %2" PRIu64 ": %016" PRIx64 " -> %016" PRIx64 " %u cycles %c%c%c%c %" PRIx64
		      " %s %s\n",
		      index, branch->from, branch->to, (unsigned)(flags >> 4 & 0xffff), flags & 1 ? 'M' : ' ',
		      flags & 2 ? 'P' : ' ', flags & 8 ? 'A' : ' ', flags & 4 ? 'T' : ' ', flags >> 34,
		      branch_type_text(flags), spec);
}

static void put_branches(struct writer *w, const struct sample *sample, bool call_stack)
{
	uint64_t nr = sample->nr_branches;

	if (call_stack) {
		writer_printf(w, "... branch callstack: nr:%" PRIu64 "\n", nr + 1);
		put_branch_callers(w, sample, 0);
		return;
	}
	writer_printf(w, "... branch stack: nr:%" PRIu64 "\n", nr);
	for (uint64_t i = 0; i < nr; i++)
		put_branch(w, i, &sample->branches[i]);
}

static void put_regs(struct writer *w, const char *which, const struct sample_regs *regs,
		     const struct arch *arch)
{
	uint64_t index = 0;

	if (!regs->abi || !regs->values)
		return;
	writer_printf(w, "... %s regs: mask 0x%" PRIx64 " ABI %s\n", which, regs->mask,
		      regs->abi == 1 ? "32-bit" : "64-bit");
	for (unsigned number = 0; number < 64; number++) {
		if (!(regs->mask >> number & 1))
			continue;
		const char *name = number < arch->nr_regs ? arch->regs[number].name : NULL;
		writer_printf(w, ".... %-5s 0x%016" PRIx64 "\n", name ? name : "unknown",
			      regs->values[index++]);
	}
}

static void put_page_size(struct writer *w, const char *what, uint64_t size)
{
	writer_printf(w, " .. %s page size:", what);
	script_put_page_size(w, size);
	writer_char(w, '\n');
}

static void put_access(struct writer *w, uint64_t type, const struct sample *sample)
{
	if (type & SAMPLE_WEIGHT_STRUCT)
		writer_printf(w, "... weight: %" PRIu64 ",0x%x,0x%x\n", sample->weight, sample->ins_lat,
			      sample->retire_lat);
	else if (type & SAMPLE_WEIGHT)
		writer_printf(w, "... weight: %" PRIu64 "\n", sample->weight);
	if (type & SAMPLE_DATA_SRC)
		writer_printf(w, " . data_src: 0x%" PRIx64 "\n", sample->data_src);
	if (type & SAMPLE_PHYS_ADDR)
		writer_printf(w, " .. phys_addr: 0x%" PRIx64 "\n", sample->phys_addr);
	if (type & SAMPLE_DATA_PAGE_SIZE)
		put_page_size(w, "data", sample->data_page_size);
	if (type & SAMPLE_CODE_PAGE_SIZE)
		put_page_size(w, "code", sample->code_page_size);
	if (type & SAMPLE_TRANSACTION)
		writer_printf(w, "... transaction: %" PRIx64 "\n", sample->transaction);
}

static void put_counts(struct writer *w, const struct event *event, const struct sample *sample)
{
	uint64_t format = event->attr.read_format;

	writer_text(w, "... sample_read:\n");
	if (format & READ_TOTAL_TIME_ENABLED)
		writer_printf(w, "...... time enabled %016" PRIx64 "\n", sample->time_enabled);
	if (format & READ_TOTAL_TIME_RUNNING)
		writer_printf(w, "...... time running %016" PRIx64 "\n", sample->time_running);
	if (format & READ_GROUP)
		writer_printf(w, ".... group nr %" PRIu64 "\n", sample->nr_read);
	for (uint64_t i = 0; i < sample->nr_read; i++) {
		struct read_value read = sample_read_value(sample, event, i);
		writer_printf(w, "..... id %016" PRIx64 ", value %016" PRIx64, read.id, read.value);
		if (format & READ_LOST)
			writer_printf(w, ", lost %" PRIu64, read.lost);
		writer_char(w, '\n');
	}
}

static void put_chains(struct writer *w, const struct event *event, const struct sample *sample)
{
	bool call_stack = event->attr.branch_sample_type & BRANCH_CALL_STACK;

	if (sample->chain && call_stack)
		put_lbr_chain(w, sample);
	if (sample->chain)
		put_chain(w, sample->chain, sample->nr_chain);
	if (event->attr.sample_type & SAMPLE_BRANCH_STACK)
		put_branches(w, sample, call_stack);
}

void script_dump_sample(struct writer *w, const struct event *event, const struct sample *sample,
			const struct raw_record *raw, const struct arch *arch)
{
	writer_printf(w,
		      "PERF_RECORD_SAMPLE(IP, 0x%x): %" PRId32 "/%" PRId32 ": %#" PRIx64 " period: %" PRIu64
		      " addr: %#" PRIx64 "\n",
		      sample->misc, sample->pid, sample->tid, sample->ip, sample->period, sample->addr);
	put_chains(w, event, sample);
	put_regs(w, "user", &sample->user_regs, arch);
	put_regs(w, "intr", &sample->intr_regs, arch);
	if (sample->stack)
		/* where the size in front of the copy is */
		writer_printf(w, "... ustack: size %" PRIu64 ", offset 0x%zx\n", sample->stack_size,
			      (size_t)(sample->stack - raw->data) - 8);
	put_access(w, event->attr.sample_type, sample);
	if (event->attr.sample_type & SAMPLE_READ)
		put_counts(w, event, sample);
}

void script_dump_late_chain(struct writer *w, const struct event *event, const struct record *record,
			    bool big_endian)
{
	const struct record_deferred *late = &record->deferred;

	writer_printf(w, "PERF_RECORD_CALLCHAIN_DEFERRED(IP, 0x%x): %" PRId32 "/%" PRId32 ": %#" PRIx64 "\n",
		      record->misc, record->sid.pid, record->sid.tid, late->cookie);
	if (!event || !(event->attr.sample_type & SAMPLE_CALLCHAIN))
		return;
	writer_printf(w, "... FP chain: nr:%" PRIu64 "\n", late->nr);
	for (uint64_t i = 0; i < late->nr; i++) {
		uint64_t ip = record_deferred_ip(record, i, big_endian);
		put_address(w, i, ip, mark_name(ip));
	}
}

void script_dump_task(struct writer *w, const struct view *view)
{
	const struct dso *dso = view->ip.location ? view->ip.location->dso : NULL;
	unsigned mode = view->sample->cpumode;
	const char *name = mode == CPUMODE_KERNEL || mode == CPUMODE_USER ? "<not found>" : "[hypervisor]";

	if (dso)
		name = dso->kind == DSO_KERNEL || !dso->long_name ? dso->name : dso->long_name;
	writer_printf(w, " ... thread: %s:%" PRId32 "\n ...... dso: %s\n", view->comm, view->tid, name);
}
