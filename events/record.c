#include "events/record.h"

#include "util/cursor.h"

#define MAX_NAMESPACES                                                                                       \
	(sizeof(((struct record_namespaces *)0)->at) / sizeof(((struct record_namespaces *)0)->at[0]))
#define BPF_PROG_NAME 512
#define BPF_METADATA_KEY 64
#define BPF_METADATA_VALUE 256
#define BPF_METADATA_ENTRY (BPF_METADATA_KEY + BPF_METADATA_VALUE)
#define FILE_ID_SIZE 24 /* what MMAP2 says of the file: an inode or a build-id */
#define BUILD_ID_AT 4

static void decode_mmap(struct cursor *c, uint16_t misc, struct record_mmap *ret)
{
	ret->pid = cursor_u32(c);
	ret->tid = cursor_u32(c);
	ret->start = cursor_u64(c);
	ret->len = cursor_u64(c);
	ret->pgoff = cursor_u64(c);
	ret->prot = misc & MISC_MMAP_DATA ? 0 : PROT_FLAG_EXEC;
	ret->filename = cursor_string(c);
}

/*
 * Device and inode, or a build-id: a size, 3 zeros, the id and zeros behind it. A kernel (6.18) on which
 * several recorders run at once says "build-id" also of records that it then writes for one that asked for
 * none: it sets the bit for the first and never takes it back.
 */
static bool is_build_id(const uint8_t field[FILE_ID_SIZE])
{
	uint8_t size = field[0], rest = field[1] | field[2] | field[3];

	for (size_t i = BUILD_ID_AT + size; i < FILE_ID_SIZE; i++)
		rest |= field[i];
	return size <= FILE_ID_SIZE - BUILD_ID_AT && !rest;
}

static void decode_file_id(struct cursor *c, uint16_t misc, struct record_mmap *ret)
{
	struct cursor inode = *c;
	const uint8_t *field = cursor_bytes(c, FILE_ID_SIZE);

	if (!field)
		return;
	if (misc & MISC_MMAP_BUILD_ID && is_build_id(field)) {
		ret->has_build_id = true;
		ret->build_id = build_id_make(field + BUILD_ID_AT, field[0]);
		return;
	}
	ret->has_inode = true;
	ret->maj = cursor_u32(&inode);
	ret->min = cursor_u32(&inode);
	ret->ino = cursor_u64(&inode);
	ret->ino_generation = cursor_u64(&inode);
}

static void decode_mmap2(struct cursor *c, uint16_t misc, struct record_mmap *ret)
{
	ret->pid = cursor_u32(c);
	ret->tid = cursor_u32(c);
	ret->start = cursor_u64(c);
	ret->len = cursor_u64(c);
	ret->pgoff = cursor_u64(c);
	decode_file_id(c, misc, ret);
	ret->prot = cursor_u32(c);
	ret->flags = cursor_u32(c);
	ret->filename = cursor_string(c);
}

static void decode_comm(struct cursor *c, uint16_t misc, struct record_comm *ret)
{
	ret->pid = cursor_u32(c);
	ret->tid = cursor_u32(c);
	ret->comm = cursor_string(c);
	ret->exec = misc & MISC_COMM_EXEC;
}

static void decode_task(struct cursor *c, struct record_task *ret)
{
	ret->pid = cursor_u32(c);
	ret->ppid = cursor_u32(c);
	ret->tid = cursor_u32(c);
	ret->ptid = cursor_u32(c);
	ret->time = cursor_u64(c);
}

/* Counts of a group (READ_GROUP) begin like those of one event; the rest of them nobody asks for. */
static void decode_read(struct cursor *c, uint64_t format, struct record_read *ret)
{
	ret->pid = cursor_u32(c);
	ret->tid = cursor_u32(c);
	ret->value = cursor_u64(c);
	if (format & READ_TOTAL_TIME_ENABLED)
		ret->time_enabled = cursor_u64(c);
	if (format & READ_TOTAL_TIME_RUNNING)
		ret->time_running = cursor_u64(c);
	if (format & READ_ID)
		ret->id = cursor_u64(c);
	if (format & READ_LOST)
		ret->lost = cursor_u64(c);
}

static void decode_throttle(struct cursor *c, struct record_throttle *ret)
{
	ret->time = cursor_u64(c);
	ret->id = cursor_u64(c);
	ret->stream_id = cursor_u64(c);
}

static void decode_aux(struct cursor *c, struct record_aux *ret)
{
	ret->offset = cursor_u64(c);
	ret->size = cursor_u64(c);
	ret->flags = cursor_u64(c);
}

static void decode_switch(struct cursor *c, uint16_t misc, bool wide, struct record_switch *ret)
{
	ret->wide = wide;
	ret->out = misc & MISC_SWITCH_OUT;
	ret->preempt = misc & MISC_SWITCH_OUT_PREEMPT;
	if (!wide)
		return;
	ret->next_prev_pid = cursor_u32(c);
	ret->next_prev_tid = cursor_u32(c);
}

static void decode_namespaces(struct cursor *c, struct record_namespaces *ret)
{
	ret->pid = cursor_u32(c);
	ret->tid = cursor_u32(c);
	ret->nr = cursor_u64(c);
	if (ret->nr > cursor_left(c) / 16) {
		c->bad = true;
		return;
	}
	for (size_t i = 0; i < ret->nr && i < MAX_NAMESPACES; i++) {
		ret->at[i].dev = cursor_u64(c);
		ret->at[i].ino = cursor_u64(c);
	}
	if (ret->nr > MAX_NAMESPACES)
		cursor_skip(c, (size_t)(ret->nr - MAX_NAMESPACES) * 16);
}

static void decode_ksymbol(struct cursor *c, struct record_ksymbol *ret)
{
	ret->addr = cursor_u64(c);
	ret->len = cursor_u32(c);
	ret->ksym_type = cursor_u16(c);
	ret->flags = cursor_u16(c);
	ret->name = cursor_string(c);
}

static void decode_bpf(struct cursor *c, struct record_bpf *ret)
{
	ret->bpf_type = cursor_u16(c);
	ret->flags = cursor_u16(c);
	ret->id = cursor_u32(c);
	const uint8_t *tag = cursor_bytes(c, sizeof(ret->tag));
	if (tag)
		memcpy(ret->tag, tag, sizeof(ret->tag));
}

static void decode_text_poke(struct cursor *c, struct record_text_poke *ret)
{
	ret->addr = cursor_u64(c);
	ret->old_len = cursor_u16(c);
	ret->new_len = cursor_u16(c);
	ret->old_bytes = cursor_bytes(c, ret->old_len);
	ret->new_bytes = cursor_bytes(c, ret->new_len);
}

static void decode_deferred(struct cursor *c, struct record_deferred *ret)
{
	ret->cookie = cursor_u64(c);
	ret->nr = cursor_u64(c);
	if (ret->nr > cursor_left(c) / 8)
		c->bad = true;
	else
		ret->_ips = cursor_bytes(c, (size_t)ret->nr * 8);
}

/* Format 0 had no time, format 2 added the guest; the message may be cut behind its end. */
static void decode_auxtrace_error(struct cursor *c, struct record_auxtrace_error *ret)
{
	ret->error_type = cursor_u32(c);
	ret->code = cursor_u32(c);
	ret->cpu = cursor_u32(c);
	ret->pid = cursor_u32(c);
	ret->tid = cursor_u32(c);
	ret->fmt = cursor_u32(c);
	ret->ip = cursor_u64(c);
	if (ret->fmt >= 1)
		ret->time = cursor_u64(c);
	const size_t room = sizeof(ret->msg) - 1;
	size_t size = cursor_left(c) < room && ret->fmt < 2 ? cursor_left(c) : room;
	const uint8_t *msg = cursor_bytes(c, size);
	if (!msg || !size) {
		c->bad = true;
		return;
	}
	memcpy(ret->msg, msg, size);
	if (ret->fmt < 2)
		return;
	ret->machine_pid = cursor_u32(c);
	ret->vcpu = cursor_u32(c);
}

static void decode_bpf_metadata(struct cursor *c, struct record_bpf_metadata *ret)
{
	const uint8_t *prog = cursor_bytes(c, BPF_PROG_NAME);

	ret->nr = cursor_u64(c);
	if (!prog || !memchr(prog, 0, BPF_PROG_NAME) || ret->nr > cursor_left(c) / BPF_METADATA_ENTRY) {
		c->bad = true;
		return;
	}
	ret->prog = (const char *)prog;
	ret->_entries = cursor_bytes(c, (size_t)ret->nr * BPF_METADATA_ENTRY);
}

static void decode_body(struct cursor *c, const struct event *event, struct record *r)
{
	switch (r->type) {
	case RECORD_MMAP:
		decode_mmap(c, r->misc, &r->mmap);
		break;
	case RECORD_MMAP2:
		decode_mmap2(c, r->misc, &r->mmap);
		break;
	case RECORD_COMM:
		decode_comm(c, r->misc, &r->comm);
		break;
	case RECORD_FORK:
	case RECORD_EXIT:
		decode_task(c, &r->task);
		break;
	case RECORD_LOST:
		r->lost.id = cursor_u64(c);
		r->lost.lost = cursor_u64(c);
		break;
	case RECORD_LOST_SAMPLES:
		r->lost.lost = cursor_u64(c);
		break;
	case RECORD_READ:
		decode_read(c, event ? event->attr.read_format : 0, &r->read);
		break;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		decode_throttle(c, &r->throttle);
		break;
	case RECORD_AUX:
		decode_aux(c, &r->aux);
		break;
	case RECORD_ITRACE_START:
		r->itrace.pid = cursor_u32(c);
		r->itrace.tid = cursor_u32(c);
		break;
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		decode_switch(c, r->misc, r->type == RECORD_SWITCH_CPU_WIDE, &r->sw);
		break;
	case RECORD_NAMESPACES:
		decode_namespaces(c, &r->namespaces);
		break;
	case RECORD_KSYMBOL:
		decode_ksymbol(c, &r->ksymbol);
		break;
	case RECORD_BPF_EVENT:
		decode_bpf(c, &r->bpf);
		break;
	case RECORD_CGROUP:
		r->cgroup.id = cursor_u64(c);
		r->cgroup.path = cursor_string(c);
		break;
	case RECORD_TEXT_POKE:
		decode_text_poke(c, &r->text_poke);
		break;
	case RECORD_AUX_OUTPUT_HW_ID:
		r->hw_id = cursor_u64(c);
		break;
	case RECORD_CALLCHAIN_DEFERRED:
		decode_deferred(c, &r->deferred);
		break;
	case RECORD_AUXTRACE_ERROR:
		decode_auxtrace_error(c, &r->auxtrace_error);
		break;
	case RECORD_BPF_METADATA:
		decode_bpf_metadata(c, &r->bpf_metadata);
		break;
	default:
		break;
	}
}

static void decode_trailer(struct cursor *c, uint64_t sample_type, struct sample_id *ret)
{
	if (sample_type & SAMPLE_TID) {
		ret->pid = (int32_t)cursor_u32(c);
		ret->tid = (int32_t)cursor_u32(c);
	}
	if (sample_type & SAMPLE_TIME)
		ret->time = cursor_u64(c);
	if (sample_type & SAMPLE_ID)
		ret->id = cursor_u64(c);
	if (sample_type & SAMPLE_STREAM_ID)
		ret->stream_id = cursor_u64(c);
	if (sample_type & SAMPLE_CPU) {
		ret->cpu = (int32_t)cursor_u32(c);
		cursor_skip(c, 4);
	}
	if (sample_type & SAMPLE_IDENTIFIER)
		ret->id = cursor_u64(c);
}

const char *record_decode(const struct raw_record *raw, const struct event *event, bool big_endian,
			  struct record *ret)
{
	struct record r = {
		.type = raw->type,
		.misc = raw->misc,
		.sid = { -1, -1, -1, UINT64_MAX, UINT64_MAX, UINT64_MAX },
	};
	struct cursor c = cursor_make(raw->data, raw->size, big_endian);

	cursor_skip(&c, RECORD_HEADER_SIZE);
	decode_body(&c, event, &r);
	if (cursor_bad(&c))
		return "the record is too short for its fields";
	size_t used = (size_t)(c.at - raw->data + 7) / 8 * 8;
	/* A record without room for both has no trailer: only its body is needed to make sense of it. */
	if (raw->type < RECORD_USER_FIRST && event && used + event->trailer_size <= raw->size) {
		c.at = c.end - event->trailer_size;
		decode_trailer(&c, event->trailer_size ? event->attr.sample_type : 0, &r.sid);
	}
	*ret = r;
	return NULL;
}

uint64_t record_deferred_ip(const struct record *record, uint64_t index, bool big_endian)
{
	return load_u64(record->deferred._ips + 8 * index, big_endian);
}

void record_bpf_metadata_entry(const struct record *record, uint64_t index, const char **key,
			       const char **value)
{
	*key = (const char *)record->bpf_metadata._entries + index * BPF_METADATA_ENTRY;
	*value = *key + BPF_METADATA_KEY;
}

const char *record_type_name(uint32_t type)
{
	/* perf leaves out HEADER_ in what it prints. */
	static const char *const names[RECORD_TYPE_END] = {
		[RECORD_MMAP] = "MMAP",
		[RECORD_LOST] = "LOST",
		[RECORD_COMM] = "COMM",
		[RECORD_EXIT] = "EXIT",
		[RECORD_THROTTLE] = "THROTTLE",
		[RECORD_UNTHROTTLE] = "UNTHROTTLE",
		[RECORD_FORK] = "FORK",
		[RECORD_READ] = "READ",
		[RECORD_SAMPLE] = "SAMPLE",
		[RECORD_MMAP2] = "MMAP2",
		[RECORD_AUX] = "AUX",
		[RECORD_ITRACE_START] = "ITRACE_START",
		[RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
		[RECORD_SWITCH] = "SWITCH",
		[RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
		[RECORD_NAMESPACES] = "NAMESPACES",
		[RECORD_KSYMBOL] = "KSYMBOL",
		[RECORD_BPF_EVENT] = "BPF_EVENT",
		[RECORD_CGROUP] = "CGROUP",
		[RECORD_TEXT_POKE] = "TEXT_POKE",
		[RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
		[RECORD_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
		[RECORD_HEADER_ATTR] = "ATTR",
		[RECORD_HEADER_EVENT_TYPE] = "EVENT_TYPE",
		[RECORD_HEADER_TRACING_DATA] = "TRACING_DATA",
		[RECORD_HEADER_BUILD_ID] = "BUILD_ID",
		[RECORD_FINISHED_ROUND] = "FINISHED_ROUND",
		[RECORD_ID_INDEX] = "ID_INDEX",
		[RECORD_AUXTRACE_INFO] = "AUXTRACE_INFO",
		[RECORD_AUXTRACE] = "AUXTRACE",
		[RECORD_AUXTRACE_ERROR] = "AUXTRACE_ERROR",
		[RECORD_THREAD_MAP] = "THREAD_MAP",
		[RECORD_CPU_MAP] = "CPU_MAP",
		[RECORD_STAT_CONFIG] = "STAT_CONFIG",
		[RECORD_STAT] = "STAT",
		[RECORD_STAT_ROUND] = "STAT_ROUND",
		[RECORD_EVENT_UPDATE] = "EVENT_UPDATE",
		[RECORD_TIME_CONV] = "TIME_CONV",
		[RECORD_HEADER_FEATURE] = "FEATURE",
		[RECORD_COMPRESSED] = "COMPRESSED",
		[RECORD_FINISHED_INIT] = "FINISHED_INIT",
		[RECORD_COMPRESSED2] = "COMPRESSED2",
		[RECORD_BPF_METADATA] = "BPF_METADATA",
		[RECORD_SCHEDSTAT_CPU] = "SCHEDSTAT_CPU",
		[RECORD_SCHEDSTAT_DOMAIN] = "SCHEDSTAT_DOMAIN",
	};

	return type < RECORD_TYPE_END && names[type] ? names[type] : "UNKNOWN";
}
