#include "output/script_dump_tool.h"

#include <inttypes.h>
#include <string.h>

#include "events/id_index.h"
#include "events/perf_abi.h"
#include "util/cursor.h"

#define FEATURE_RECORD_HEAD (RECORD_HEADER_SIZE + 8) /* and its number */

/* Of a recording with guests, a second list behind the first tells whose the events are. */
static void put_id_index(struct writer *w, struct cursor *c)
{
	uint64_t nr = cursor_u64(c), left = cursor_left(c);
	bool guests = nr && nr <= left / (ID_INDEX_ENTRY + ID_INDEX_GUEST);
	struct cursor guest = *c;

	if (guests)
		cursor_skip(&guest, (size_t)nr * ID_INDEX_ENTRY);
	writer_printf(w, " nr: %" PRIu64 "\n", nr);
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t id = cursor_u64(c), idx = cursor_u64(c), cpu = cursor_u64(c), tid = cursor_u64(c);
		if (cursor_bad(c))
			return;
		writer_printf(w, " ... id: %" PRIu64 "  idx: %" PRIu64 "  cpu: %" PRId64 "  tid: %" PRId64,
			      id, idx, (int64_t)cpu, (int64_t)tid);
		if (guests) {
			uint64_t pid = cursor_u64(&guest), vcpu = cursor_u64(&guest);
			writer_printf(w, "  machine_pid: %" PRId64 "  vcpu: %" PRId64, (int64_t)pid,
				      (int64_t)vcpu);
		}
		writer_char(w, '\n');
	}
}

static void put_thread_map(struct writer *w, struct cursor *c)
{
	uint64_t nr = cursor_u64(c);

	writer_printf(w, " nr: %" PRIu64 " thread%s", nr, nr > 1 ? "s: " : ": ");
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t pid = cursor_u64(c);
		cursor_skip(c, 16); /* the comm, which perf leaves empty */
		if (cursor_bad(c))
			break;
		writer_printf(w, "%s%" PRId64, i ? ", " : "", (int64_t)pid);
	}
	writer_char(w, '\n');
}

/* Processors one by one become "0-3,5"; -1 is any processor. All zeros: none yet. */
struct cpu_list {
	struct writer *w;
	bool any;
	int first, last;
};

static void end_range(struct cpu_list *list)
{
	if (list->last > list->first)
		writer_printf(list->w, "-%d", list->last);
}

static void add_cpu(struct cpu_list *list, int cpu)
{
	if (list->any && cpu == list->last + 1) {
		list->last = cpu;
		return;
	}
	end_range(list);
	writer_printf(list->w, "%s%d", list->any ? "," : "", cpu);
	list->any = true;
	list->first = list->last = cpu;
}

enum { CPUS_LIST, CPUS_MASK, CPUS_RANGE };

static void put_cpu_list(struct cpu_list *list, struct cursor *c)
{
	for (unsigned nr = cursor_u16(c), i = 0; i < nr; i++) {
		int16_t cpu = (int16_t)cursor_u16(c);
		if (cursor_bad(c))
			return;
		add_cpu(list, cpu);
	}
}

static void put_cpu_mask(struct cpu_list *list, struct cursor *c)
{
	unsigned nr = cursor_u16(c), word = cursor_u16(c);

	if (word == 8)
		cursor_skip(c, 4); /* the masks are aligned */
	for (unsigned i = 0; i < nr; i++) {
		uint64_t mask = word == 8 ? cursor_u64(c) : cursor_u32(c);
		for (unsigned bit = 0; bit < 8 * word && bit < 64 && !cursor_bad(c); bit++) {
			if (mask >> bit & 1)
				add_cpu(list, (int)(i * 8 * word + bit));
		}
	}
}

static void put_cpu_range(struct cpu_list *list, struct cursor *c)
{
	bool any = cursor_u8(c);

	cursor_skip(c, 1);
	unsigned first = cursor_u16(c), last = cursor_u16(c);
	if (cursor_bad(c) || last < first)
		return;
	if (any)
		add_cpu(list, -1);
	add_cpu(list, (int)first);
	list->last = (int)last;
}

/* @failed: printed when there is no processor. */
static void put_cpus(struct writer *w, struct cursor *c, const char *failed)
{
	struct cpu_list list = { .w = w };
	unsigned kind = cursor_u16(c);

	if (kind == CPUS_LIST)
		put_cpu_list(&list, c);
	else if (kind == CPUS_MASK)
		put_cpu_mask(&list, c);
	else if (kind == CPUS_RANGE)
		put_cpu_range(&list, c);
	end_range(&list);
	writer_text(w, list.any ? "\n" : failed);
}

enum { UPDATE_UNIT, UPDATE_SCALE, UPDATE_NAME, UPDATE_CPUS };

static void put_event_update(struct writer *w, struct cursor *c)
{
	uint64_t kind = cursor_u64(c), id = cursor_u64(c);
	double scale;

	writer_printf(w, "\n... id:    %" PRIu64 "\n", id);
	if (kind == UPDATE_SCALE) {
		uint64_t bits = cursor_u64(c);
		memcpy(&scale, &bits, sizeof(scale));
		writer_printf(w, "... scale: %f\n", scale);
	} else if (kind == UPDATE_CPUS) {
		writer_text(w, "... ");
		put_cpus(w, c, "failed to get cpus\n");
	} else if (kind == UPDATE_UNIT || kind == UPDATE_NAME) {
		const char *text = cursor_string(c);
		writer_printf(w, "... %s  %s\n", kind == UPDATE_UNIT ? "unit:" : "name:", text ? text : "");
	} else {
		writer_text(w, "... unknown type\n");
	}
}

#define TIME_CONV_LONG 56 /* since Linux 5.10 */

static void put_time_conv(struct writer *w, struct cursor *c, size_t size)
{
	uint64_t shift = cursor_u64(c), multiplier = cursor_u64(c), zero = cursor_u64(c);

	writer_printf(w, "\n... Time Shift      %" PRIu64 "\n... Time Multiplier %" PRIu64 "\n", shift,
		      multiplier);
	writer_printf(w, "... Time Zero       %" PRIu64 "\n", zero);
	if (size >= TIME_CONV_LONG) {
		uint64_t cycles = cursor_u64(c), mask = cursor_u64(c);
		unsigned has_zero = cursor_u8(c), is_short = cursor_u8(c);
		writer_printf(w, "... Time Cycles     %" PRIu64 "\n... Time Mask       %#" PRIx64 "\n",
			      cycles, mask);
		writer_printf(w, "... Cap Time Zero   %u\n... Cap Time Short  %u\n", has_zero, is_short);
	}
	writer_text(w, ": unhandled!\n");
}

/* What is known of a trace, by its kind. */
struct trace_field {
	const char *label;
	bool hex;
};

static const struct trace_field intel_pt_fields[] = {
	{ "PMU Type            ", false }, { "Time Shift          ", false },
	{ "Time Multiplier     ", false }, { "Time Zero           ", false },
	{ "Cap Time Zero       ", false }, { "TSC bit             ", true },
	{ "NoRETComp bit       ", true },  { "Have sched_switch   ", false },
	{ "Snapshot mode       ", false }, { "Per-cpu maps        ", false },
	{ "MTC bit             ", true },  { "MTC freq bits       ", true },
	{ "TSC:CTC numerator   ", false }, { "TSC:CTC denominator ", false },
	{ "CYC bit             ", true },  { "Max non-turbo ratio ", false },
};

static const struct trace_field intel_bts_fields[] = {
	{ "PMU Type           ", false }, { "Time Shift         ", false }, { "Time Multiplier    ", false },
	{ "Time Zero          ", false }, { "Cap Time Zero      ", false }, { "Snapshot mode      ", false },
};

static const struct trace_field pmu_fields[] = { { "PMU Type           ", false } };

static const struct trace_field arm_spe_fields[] = {
	{ "PMU Type           :", false },
	{ "Per CPU mmaps      :", false },
};

static void put_trace_field(struct writer *w, const char *label, bool hex, uint64_t value)
{
	writer_printf(w, hex ? "  %s%#" PRIx64 "\n" : "  %s%" PRIu64 "\n", label, value);
}

static void put_trace_fields(struct writer *w, struct cursor *c, const struct trace_field *fields, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t value = cursor_u64(c);
		if (cursor_bad(c))
			return;
		put_trace_field(w, fields[i].label, fields[i].hex, value);
	}
}

/* Behind the numbers of Intel PT, since perf 4.9: a string in whole words of 8 bytes; since 6.0 a number. */
static void put_intel_pt_filter(struct writer *w, struct cursor *c)
{
	uint64_t size = cursor_u64(c);

	if (cursor_bad(c))
		return;
	put_trace_field(w, "Filter string len.  ", false, size);
	if (size > cursor_left(c))
		return;
	const char *text = size ? (const char *)cursor_bytes(c, (size_t)size) : "";
	writer_printf(w, "  Filter string       %.*s\n", (int)size, text);
	cursor_skip(c, (size_t)(-size % 8));
	bool event_trace = cursor_u64(c);
	if (!cursor_bad(c))
		put_trace_field(w, "Cap Event Trace     ", false, event_trace);
}

#define PUT_TRACE_FIELDS(w, c, fields) put_trace_fields(w, c, fields, sizeof(fields) / sizeof((fields)[0]))

/* Where the recorder of a trace describes each processor (ARM CoreSight, newer SPE), only the kind is told.
 */
static void put_auxtrace_info(struct writer *w, struct cursor *c)
{
	enum { INTEL_PT = 1, INTEL_BTS = 2, ARM_SPE = 4, HISI_PTT = 6, POWER_VPA_DTL = 7 };
	uint32_t kind = cursor_u32(c);

	cursor_skip(c, 4);
	writer_printf(w, " type: %" PRIu32 "\n", kind);
	if (kind == INTEL_PT) {
		PUT_TRACE_FIELDS(w, c, intel_pt_fields);
		put_intel_pt_filter(w, c);
	} else if (kind == INTEL_BTS) {
		PUT_TRACE_FIELDS(w, c, intel_bts_fields);
	} else if (kind == ARM_SPE &&
		   cursor_left(c) == 8 * sizeof(arm_spe_fields) / sizeof(arm_spe_fields[0])) {
		PUT_TRACE_FIELDS(w, c, arm_spe_fields);
	} else if (kind == HISI_PTT || kind == POWER_VPA_DTL) {
		PUT_TRACE_FIELDS(w, c, pmu_fields);
	}
}

static void put_auxtrace(struct writer *w, struct cursor *c)
{
	uint64_t size = cursor_u64(c), offset = cursor_u64(c), reference = cursor_u64(c);
	uint32_t idx = cursor_u32(c), tid = cursor_u32(c), cpu = cursor_u32(c);

	writer_printf(w, " size: %#" PRIx64 "  offset: %#" PRIx64 "  ref: %#" PRIx64, size, offset,
		      reference);
	writer_printf(w, "  idx: %" PRIu32 "  tid: %" PRId32 "  cpu: %" PRId32 "\n", idx, (int32_t)tid,
		      (int32_t)cpu);
}

static void put_schedstat_numbers(struct writer *w, struct cursor *c, unsigned nr32, unsigned nr64)
{
	for (unsigned i = 0; i < nr32 + nr64; i++) {
		uint64_t number = i < nr32 ? cursor_u32(c) : cursor_u64(c);
		if (cursor_bad(c))
			return;
		writer_printf(w, "%" PRIu64 " ", number);
	}
}

/* As in /proc/schedstat: numbers of 32 and of 64 bits, by the version of that file. */
static void put_schedstat(struct writer *w, struct cursor *c, bool domain)
{
	cursor_skip(c, 8); /* the time */
	unsigned cpu = cursor_u32(c), version = cursor_u16(c), number = cursor_u16(c);
	unsigned nr32 = !domain ? 6 : version == 17 ? 45 : 36, nr64 = domain ? 0 : 3;

	writer_printf(w, "\n%s%u ", domain ? "domain" : "cpu", domain ? number : cpu);
	if (version < 15 || version > 17)
		writer_printf(w, "Unsupported /proc/schedstat version %u.\n", version);
	else
		put_schedstat_numbers(w, c, nr32, nr64);
	writer_text(w, ": unhandled!\n");
}

void script_dump_tool_record(struct writer *w, const struct raw_record *raw, bool big_endian)
{
	struct cursor c = cursor_make(raw->data, raw->size, big_endian);

	cursor_skip(&c, RECORD_HEADER_SIZE);
	writer_printf(w, "PERF_RECORD_%s", record_type_name(raw->type));
	switch (raw->type) {
	case RECORD_ID_INDEX:
		put_id_index(w, &c);
		break;
	case RECORD_THREAD_MAP:
		put_thread_map(w, &c);
		break;
	case RECORD_CPU_MAP:
		writer_text(w, ": ");
		put_cpus(w, &c, "failed to get cpumap from event\n");
		break;
	case RECORD_EVENT_UPDATE:
		put_event_update(w, &c);
		break;
	case RECORD_TIME_CONV:
		put_time_conv(w, &c, raw->size);
		break;
	case RECORD_AUXTRACE_INFO:
		put_auxtrace_info(w, &c);
		break;
	case RECORD_AUXTRACE:
		put_auxtrace(w, &c);
		break;
	case RECORD_SCHEDSTAT_CPU:
	case RECORD_SCHEDSTAT_DOMAIN:
		put_schedstat(w, &c, raw->type == RECORD_SCHEDSTAT_DOMAIN);
		break;
	case RECORD_FINISHED_INIT:
		writer_text(w, ": unhandled!\n");
		break;
	case RECORD_HEADER_ATTR:
		break;		    /* its fields follow */
	case RECORD_HEADER_FEATURE: /* its lines follow; the last one only says that all have come */
		writer_text(w, raw->size > FEATURE_RECORD_HEAD ? ", " : "");
		break;
	case RECORD_HEADER_BUILD_ID:
	case RECORD_HEADER_EVENT_TYPE:
	case RECORD_HEADER_TRACING_DATA:
	case RECORD_STAT_CONFIG:
	case RECORD_STAT:
	case RECORD_AUXTRACE_ERROR: /* its text follows */
		break;		    /* the next record begins with a line end */
	default:
		writer_char(w, '\n');
	}
}

void script_dump_round(struct writer *w, bool used)
{
	writer_text(w, used ? "PERF_RECORD_FINISHED_ROUND\n" : "PERF_RECORD_FINISHED_ROUND: unhandled!\n");
}
