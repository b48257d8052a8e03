#include "tests/mkperf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "util/cursor.h"
#include "util/xalloc.h"

#define DEFAULT_PIECE 32000
#define COMPRESSED_MMAP_LEN (132 * 4096)

struct made_event {
	struct attr attr;
	uint64_t ids[8];
	size_t nr_ids;
	char *name;
};

struct made_feature {
	bool present;
	struct mkbytes payload;
};

struct mkperf {
	struct mkperf_options options;
	VEC(struct made_event) events;
	struct made_feature features[FEATURE_BITS];
	struct mkbytes records;
	struct mkbytes pending; /* plain records that wait for being packed */
	bool compressing;
	ZSTD_CCtx *zstd;
	struct mkbytes out;
};

/* Growing bytes. */

void mkbytes_free(struct mkbytes *b)
{
	vec_free(&b->bytes);
}

void mkbytes_data(struct mkbytes *b, const void *data, size_t size)
{
	if (!size)
		return;
	vec_reserve(&b->bytes, b->bytes.count + size);
	memcpy(b->bytes.at + b->bytes.count, data, size);
	b->bytes.count += size;
}

void mkbytes_zeros(struct mkbytes *b, size_t size)
{
	while (size--)
		vec_push(&b->bytes, 0);
}

static void number(struct mkbytes *b, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++) {
		unsigned shift = 8 * (b->big_endian ? size - 1 - i : i);
		vec_push(&b->bytes, (uint8_t)(v >> shift));
	}
}

void mkbytes_u8(struct mkbytes *b, uint8_t v)
{
	number(b, v, 1);
}

void mkbytes_u16(struct mkbytes *b, uint16_t v)
{
	number(b, v, 2);
}

void mkbytes_u32(struct mkbytes *b, uint32_t v)
{
	number(b, v, 4);
}

void mkbytes_u64(struct mkbytes *b, uint64_t v)
{
	number(b, v, 8);
}

struct mkbytes mkbytes_record(uint32_t type, unsigned size, bool big_endian)
{
	struct mkbytes b = { .big_endian = big_endian };

	mkbytes_u32(&b, type);
	mkbytes_u16(&b, 0);
	mkbytes_u16(&b, (uint16_t)size);
	return b;
}

struct raw_record mkbytes_raw(const struct mkbytes *b, uint32_t type, uint16_t misc)
{
	return (struct raw_record){
		.data = b->bytes.at, .type = type, .misc = misc, .size = (uint16_t)b->bytes.count
	};
}

/* A string of a record: its NUL and zeros up to 8 bytes. */
static void record_string(struct mkbytes *b, const char *text)
{
	size_t size = strlen(text) + 1;

	mkbytes_data(b, text, size);
	mkbytes_zeros(b, -size % 8);
}

void mkbytes_feature_string(struct mkbytes *b, const char *text)
{
	size_t size = strlen(text) + 1, room = (size + 63) / 64 * 64;

	mkbytes_u32(b, (uint32_t)room);
	mkbytes_data(b, text, size);
	mkbytes_zeros(b, room - size);
}

static uint64_t reversed(uint64_t v)
{
	uint64_t r = 0;

	for (int i = 0; i < 64; i++)
		r |= (v >> i & 1) << (63 - i);
	return r;
}

/* Bit fields are given out from the top of the word on big-endian machines; precise_ip is two bits wide. */
static uint64_t attr_flags(const struct attr *attr, bool big_endian)
{
	if (!big_endian)
		return attr->flags;
	uint64_t precise = attr_precise_ip(attr);
	uint64_t others = attr->flags & ~(UINT64_C(3) << ATTR_PRECISE_IP);
	return reversed(others) | precise << (64 - ATTR_PRECISE_IP - 2);
}

void mkbytes_attr(struct mkbytes *b, const struct attr *attr)
{
	size_t size = attr->size ? attr->size : ATTR_MAX_SIZE, start = b->bytes.count;

	mkbytes_u32(b, attr->type);
	mkbytes_u32(b, (uint32_t)size);
	mkbytes_u64(b, attr->config);
	mkbytes_u64(b, attr->sample_period);
	mkbytes_u64(b, attr->sample_type);
	mkbytes_u64(b, attr->read_format);
	mkbytes_u64(b, attr_flags(attr, b->big_endian));
	mkbytes_u32(b, attr->wakeup_events);
	mkbytes_u32(b, attr->bp_type);
	mkbytes_u64(b, attr->bp_addr);
	mkbytes_u64(b, attr->bp_len);
	mkbytes_u64(b, attr->branch_sample_type);
	mkbytes_u64(b, attr->sample_regs_user);
	mkbytes_u32(b, attr->sample_stack_user);
	mkbytes_u32(b, (uint32_t)attr->clockid);
	mkbytes_u64(b, attr->sample_regs_intr);
	mkbytes_u32(b, attr->aux_watermark);
	mkbytes_u16(b, attr->sample_max_stack);
	mkbytes_u16(b, 0);
	mkbytes_u32(b, attr->aux_sample_size);
	mkbytes_u32(b, attr->aux_action);
	mkbytes_u64(b, attr->sig_data);
	mkbytes_u64(b, attr->config3);
	mkbytes_u64(b, attr->config4);
	if (size > ATTR_MAX_SIZE)
		mkbytes_zeros(b, size - ATTR_MAX_SIZE);
	b->bytes.count = start + size;
}

/* The recording. */

struct mkperf *mkperf_new(struct mkperf_options options)
{
	struct mkperf *m = xcalloc(1, sizeof(*m));

	m->options = options;
	if (!options.piece)
		m->options.piece = DEFAULT_PIECE;
	m->records.big_endian = m->pending.big_endian = m->out.big_endian = options.big_endian;
	m->compressing = options.compress != 0;
	return m;
}

void mkperf_free(struct mkperf *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->events.count; i++)
		free(m->events.at[i].name);
	vec_free(&m->events);
	for (size_t i = 0; i < FEATURE_BITS; i++)
		mkbytes_free(&m->features[i].payload);
	mkbytes_free(&m->records);
	mkbytes_free(&m->pending);
	mkbytes_free(&m->out);
	ZSTD_freeCCtx(m->zstd);
	free(m);
}

struct mkbytes mkperf_body(const struct mkperf *m)
{
	return (struct mkbytes){ .big_endian = m->options.big_endian };
}

static void record_header(struct mkbytes *b, uint32_t type, uint16_t misc, size_t body_size)
{
	if (body_size > RECORD_MAX_SIZE - RECORD_HEADER_SIZE)
		abort();
	mkbytes_u32(b, type);
	mkbytes_u16(b, misc);
	mkbytes_u16(b, (uint16_t)(RECORD_HEADER_SIZE + body_size));
}

/* Compression: one stream over all compressed records of the recording. */

static void pack_piece(struct mkperf *m, const uint8_t *data, size_t size)
{
	uint8_t packed[RECORD_MAX_SIZE];
	ZSTD_inBuffer in = { .src = data, .size = size };
	ZSTD_outBuffer out = { .dst = packed, .size = sizeof(packed) };

	if (!m->zstd)
		m->zstd = ZSTD_createCCtx();
	if (ZSTD_compressStream2(m->zstd, &out, &in, ZSTD_e_flush) != 0)
		abort(); /* an error, or it did not fit */
	if (m->options.compress == RECORD_COMPRESSED) {
		record_header(&m->records, RECORD_COMPRESSED, 0, out.pos);
		mkbytes_data(&m->records, packed, out.pos);
		return;
	}
	size_t padding = -out.pos % 8;
	record_header(&m->records, RECORD_COMPRESSED2, 0, 8 + out.pos + padding);
	mkbytes_u64(&m->records, out.pos);
	mkbytes_data(&m->records, packed, out.pos);
	mkbytes_zeros(&m->records, padding);
}

static void pack_pending(struct mkperf *m)
{
	size_t piece = m->options.piece, left = m->pending.bytes.count;

	for (const uint8_t *at = m->pending.bytes.at; left;) {
		size_t size = left < piece ? left : piece;
		pack_piece(m, at, size);
		at += size;
		left -= size;
	}
	vec_clear(&m->pending.bytes);
}

void mkperf_compress(struct mkperf *m, bool on)
{
	pack_pending(m);
	m->compressing = on;
}

/* Where the next record goes. */
static struct mkbytes *record_stream(struct mkperf *m)
{
	return m->compressing ? &m->pending : &m->records;
}

/* Events. */

unsigned mkperf_add_event(struct mkperf *m, const struct mkperf_event *event)
{
	struct made_event made = { .attr = event->attr };

	memcpy(made.ids, event->ids, sizeof(made.ids));
	while (made.nr_ids < 8 && made.ids[made.nr_ids])
		made.nr_ids++;
	if (!made.nr_ids && !event->no_ids)
		made.ids[made.nr_ids++] = m->events.count + 1;
	if (event->name)
		made.name = xstrdup(event->name);
	vec_push(&m->events, made);
	return (unsigned)m->events.count - 1;
}

static const struct made_event *event_at(const struct mkperf *m, unsigned index)
{
	if (index >= m->events.count)
		abort();
	return &m->events.at[index];
}

/* Features. */

void mkperf_feature(struct mkperf *m, unsigned feature, const void *payload, size_t size)
{
	struct made_feature *f = &m->features[feature];

	f->present = true;
	mkbytes_data(&f->payload, payload, size);
}

void mkperf_bytes_feature(struct mkperf *m, unsigned feature, struct mkbytes *payload)
{
	mkperf_feature(m, feature, payload->bytes.at, payload->bytes.count);
	mkbytes_free(payload);
}

void mkperf_string_feature(struct mkperf *m, unsigned feature, const char *text)
{
	struct mkbytes payload = mkperf_body(m);

	mkbytes_feature_string(&payload, text);
	mkperf_bytes_feature(m, feature, &payload);
}

void mkperf_nrcpus(struct mkperf *m, uint32_t avail, uint32_t online)
{
	struct mkbytes payload = mkperf_body(m);

	mkbytes_u32(&payload, avail);
	mkbytes_u32(&payload, online);
	mkperf_bytes_feature(m, FEATURE_NRCPUS, &payload);
}

void mkperf_build_id(struct mkperf *m, uint16_t misc, int32_t pid, const void *id, const char *filename)
{
	struct mkbytes body = mkperf_body(m);

	mkbytes_u32(&body, (uint32_t)pid);
	mkbytes_data(&body, id, 20);
	mkbytes_u8(&body, 20);
	mkbytes_zeros(&body, 3);
	record_string(&body, filename);
	misc |= MISC_BUILD_ID_SIZE;
	if (m->options.pipe) {
		mkperf_bytes_record(m, RECORD_HEADER_BUILD_ID, misc, &body, NULL);
		return;
	}
	struct mkbytes entry = mkperf_body(m);
	record_header(&entry, 0, misc,
		      body.bytes.count); /* type 0: that is how perf writes them into files */
	mkbytes_data(&entry, body.bytes.at, body.bytes.count);
	mkbytes_free(&body);
	mkperf_bytes_feature(m, FEATURE_BUILD_ID, &entry);
}

void mkperf_tracing_data(struct mkperf *m, const void *data, size_t size)
{
	if (!m->options.pipe) {
		mkperf_feature(m, FEATURE_TRACING_DATA, data, size);
		return;
	}
	bool compressing = m->compressing;
	mkperf_compress(m, false); /* perf never packs it */
	size_t padded = (size + 7) & ~(size_t)7;
	record_header(&m->records, RECORD_HEADER_TRACING_DATA, 0, 8);
	mkbytes_u32(&m->records, (uint32_t)padded);
	mkbytes_u32(&m->records, 0);
	mkbytes_data(&m->records, data, size);
	mkbytes_zeros(&m->records, padded - size);
	mkperf_compress(m, compressing);
}

/* What the events and the options need. */
static void add_own_features(struct mkperf *m)
{
	struct mkbytes desc = mkperf_body(m);
	bool named = false;

	mkbytes_u32(&desc, (uint32_t)m->events.count);
	mkbytes_u32(&desc, ATTR_MAX_SIZE);
	for (size_t i = 0; i < m->events.count; i++) {
		const struct made_event *event = &m->events.at[i];
		struct attr attr = event->attr;
		size_t start = desc.bytes.count;
		mkbytes_attr(&desc, &attr);
		mkbytes_zeros(&desc, start + ATTR_MAX_SIZE - desc.bytes.count);
		mkbytes_u32(&desc, (uint32_t)event->nr_ids);
		mkbytes_feature_string(&desc, event->name ? event->name : "");
		for (size_t id = 0; id < event->nr_ids; id++)
			mkbytes_u64(&desc, event->ids[id]);
		named |= event->name != NULL;
	}
	if (named && !m->features[FEATURE_EVENT_DESC].present)
		mkperf_feature(m, FEATURE_EVENT_DESC, desc.bytes.at, desc.bytes.count);
	mkbytes_free(&desc);
	if (!m->options.compress || m->features[FEATURE_COMPRESSED].present)
		return;
	struct mkbytes payload = mkperf_body(m);
	mkbytes_u32(&payload, 1); /* version */
	mkbytes_u32(&payload, 1); /* zstd */
	mkbytes_u32(&payload, 1); /* level */
	mkbytes_u32(&payload, 4); /* ratio */
	mkbytes_u32(&payload, COMPRESSED_MMAP_LEN);
	mkperf_bytes_feature(m, FEATURE_COMPRESSED, &payload);
}

/* Records. */

static void put_trailer(const struct mkperf *m, struct mkbytes *b, const struct mkperf_trailer *t)
{
	const struct made_event *event = event_at(m, t->event);
	uint64_t type = event->attr.sample_type, id = t->id ? t->id : event->ids[0];

	if (!attr_flag(&event->attr, ATTR_SAMPLE_ID_ALL))
		return;
	if (type & SAMPLE_TID) {
		mkbytes_u32(b, t->pid);
		mkbytes_u32(b, t->tid);
	}
	if (type & SAMPLE_TIME)
		mkbytes_u64(b, t->time);
	if (type & SAMPLE_ID)
		mkbytes_u64(b, id);
	if (type & SAMPLE_STREAM_ID)
		mkbytes_u64(b, t->stream_id);
	if (type & SAMPLE_CPU) {
		mkbytes_u32(b, t->cpu);
		mkbytes_u32(b, 0);
	}
	if (type & SAMPLE_IDENTIFIER)
		mkbytes_u64(b, id);
}

void mkperf_record(struct mkperf *m, uint32_t type, uint16_t misc, const void *body, size_t size,
		   const struct mkperf_trailer *trailer)
{
	struct mkbytes end = mkperf_body(m), *to = record_stream(m);

	if (trailer)
		put_trailer(m, &end, trailer);
	record_header(to, type, misc, size + end.bytes.count);
	mkbytes_data(to, body, size);
	mkbytes_data(to, end.bytes.at, end.bytes.count);
	mkbytes_free(&end);
}

void mkperf_bytes_record(struct mkperf *m, uint32_t type, uint16_t misc, struct mkbytes *body,
			 const struct mkperf_trailer *trailer)
{
	mkperf_record(m, type, misc, body->bytes.at, body->bytes.count, trailer);
	mkbytes_free(body);
}

static struct mkbytes simpleperf_record(struct mkperf *m, uint32_t type, const struct mkbytes *body)
{
	struct mkbytes whole = mkperf_body(m);
	size_t size = RECORD_HEADER_SIZE + body->bytes.count;

	mkbytes_u32(&whole, type);
	mkbytes_u16(&whole, (uint16_t)(size >> 16));
	mkbytes_u16(&whole, (uint16_t)size);
	mkbytes_data(&whole, body->bytes.at, body->bytes.count);
	return whole;
}

void mkperf_simpleperf_record(struct mkperf *m, uint32_t type, struct mkbytes *body)
{
	struct mkbytes whole = simpleperf_record(m, type, body);

	mkperf_raw(m, whole.bytes.at, whole.bytes.count);
	mkbytes_free(&whole);
	mkbytes_free(body);
}

void mkperf_split_record(struct mkperf *m, uint32_t type, struct mkbytes *body, size_t piece)
{
	struct mkbytes whole = simpleperf_record(m, type, body), none = mkperf_body(m);

	for (size_t at = 0; at < whole.bytes.count; at += piece) {
		size_t left = whole.bytes.count - at;
		mkperf_record(m, SIMPLEPERF_RECORD_SPLIT, 0, whole.bytes.at + at, left < piece ? left : piece,
			      NULL);
	}
	mkperf_simpleperf_record(m, SIMPLEPERF_RECORD_SPLIT_END, &none);
	mkbytes_free(&whole);
	mkbytes_free(body);
}

void mkperf_raw(struct mkperf *m, const void *data, size_t size)
{
	mkbytes_data(record_stream(m), data, size);
}

static void mmap_start(struct mkbytes *body, const struct mkperf_mmap *mmap)
{
	mkbytes_u32(body, mmap->pid);
	mkbytes_u32(body, mmap->tid);
	mkbytes_u64(body, mmap->start);
	mkbytes_u64(body, mmap->len);
	mkbytes_u64(body, mmap->pgoff);
}

static void mmap_end(struct mkperf *m, uint32_t type, uint16_t misc, struct mkbytes *body,
		     const struct mkperf_mmap *mmap)
{
	struct mkperf_trailer trailer = {
		.event = mmap->event,
		.time = mmap->time,
		.pid = mmap->pid,
		.tid = mmap->tid,
		.cpu = mmap->cpu,
	};

	record_string(body, mmap->filename ? mmap->filename : "");
	mkperf_bytes_record(m, type, misc, body, &trailer);
}

void mkperf_add_mmap(struct mkperf *m, const struct mkperf_mmap *mmap)
{
	struct mkbytes body = mkperf_body(m);

	mmap_start(&body, mmap);
	mmap_end(m, RECORD_MMAP, mmap->misc ? mmap->misc : CPUMODE_USER, &body, mmap);
}

void mkperf_add_mmap2(struct mkperf *m, const struct mkperf_mmap *mmap)
{
	struct mkbytes body = mkperf_body(m);
	uint16_t misc = mmap->misc ? mmap->misc : CPUMODE_USER;

	mmap_start(&body, mmap);
	if (mmap->build_id) {
		misc |= MISC_MMAP_BUILD_ID;
		mkbytes_u8(&body, 20);
		mkbytes_zeros(&body, 3);
		mkbytes_data(&body, mmap->build_id, 20);
	} else {
		mkbytes_u32(&body, mmap->maj);
		mkbytes_u32(&body, mmap->min);
		mkbytes_u64(&body, mmap->ino);
		mkbytes_u64(&body, mmap->ino_generation);
	}
	mkbytes_u32(&body, mmap->prot ? mmap->prot : PROT_FLAG_READ | PROT_FLAG_EXEC);
	mkbytes_u32(&body, mmap->flags);
	mmap_end(m, RECORD_MMAP2, misc, &body, mmap);
}

void mkperf_add_comm(struct mkperf *m, const struct mkperf_comm *comm)
{
	struct mkbytes body = mkperf_body(m);
	struct mkperf_trailer trailer = {
		.event = comm->event,
		.time = comm->time,
		.pid = comm->pid,
		.tid = comm->tid,
		.cpu = comm->cpu,
	};

	mkbytes_u32(&body, comm->pid);
	mkbytes_u32(&body, comm->tid);
	record_string(&body, comm->comm ? comm->comm : "");
	mkperf_bytes_record(m, RECORD_COMM, comm->misc, &body, &trailer);
}

void mkperf_add_task(struct mkperf *m, uint32_t type, const struct mkperf_task *task)
{
	struct mkbytes body = mkperf_body(m);
	/* The kernel writes the trailer from the task that runs: of a FORK the parent. */
	struct mkperf_trailer trailer = {
		.event = task->event,
		.time = task->time,
		.pid = type == RECORD_FORK ? task->ppid : task->pid,
		.tid = type == RECORD_FORK ? task->ptid : task->tid,
		.cpu = task->cpu,
	};

	mkbytes_u32(&body, task->pid);
	mkbytes_u32(&body, task->ppid);
	mkbytes_u32(&body, task->tid);
	mkbytes_u32(&body, task->ptid);
	mkbytes_u64(&body, task->time);
	mkperf_bytes_record(m, type, task->misc, &body, &trailer);
}

/* Samples: one function a group of fields, called in the order of the kernel's perf_output_sample(). */

static void put_read_value(struct mkbytes *b, uint64_t format, const struct mkperf_read *read)
{
	mkbytes_u64(b, read->value);
	if (format & READ_ID)
		mkbytes_u64(b, read->id);
	if (format & READ_LOST)
		mkbytes_u64(b, read->lost);
}

static void put_read_times(struct mkbytes *b, uint64_t format, const struct mkperf_sample *s)
{
	if (format & READ_TOTAL_TIME_ENABLED)
		mkbytes_u64(b, s->time_enabled);
	if (format & READ_TOTAL_TIME_RUNNING)
		mkbytes_u64(b, s->time_running);
}

static void put_read(struct mkbytes *b, uint64_t format, const struct mkperf_sample *s)
{
	if (format & READ_GROUP) {
		mkbytes_u64(b, s->nr_reads);
		put_read_times(b, format, s);
		for (uint64_t i = 0; i < s->nr_reads; i++)
			put_read_value(b, format, &s->reads[i]);
		return;
	}
	static const struct mkperf_read none = { 0 };
	const struct mkperf_read *read = s->reads ? s->reads : &none;
	mkbytes_u64(b, read->value);
	put_read_times(b, format, s);
	if (format & READ_ID)
		mkbytes_u64(b, read->id);
	if (format & READ_LOST)
		mkbytes_u64(b, read->lost);
}

/* The word of flags is a struct of bit fields: on a big-endian machine they are given out from the top. */
static uint64_t branch_flags(uint64_t flags, bool big_endian)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 1, 30 };
	uint64_t word = 0;
	unsigned at = 0;

	if (!big_endian)
		return flags;
	for (size_t i = 0; i < sizeof(widths); i++) {
		uint64_t field = flags >> at & ((UINT64_C(1) << widths[i]) - 1);
		word |= field << (64 - at - widths[i]);
		at += widths[i];
	}
	return word;
}

static void put_branches(struct mkbytes *b, const struct attr *attr, const struct mkperf_sample *s)
{
	mkbytes_u64(b, s->nr_branches);
	if (attr->branch_sample_type & BRANCH_HW_INDEX)
		mkbytes_u64(b, s->branch_hw_idx);
	for (uint64_t i = 0; i < s->nr_branches; i++) {
		mkbytes_u64(b, s->branches[i].from);
		mkbytes_u64(b, s->branches[i].to);
		mkbytes_u64(b, branch_flags(s->branches[i].flags, b->big_endian));
	}
	if (!(attr->branch_sample_type & BRANCH_COUNTERS))
		return;
	for (uint64_t i = 0; i < s->nr_branches; i++)
		mkbytes_u64(b, s->branch_counters ? s->branch_counters[i] : 0);
}

static void put_regs(struct mkbytes *b, const struct mkperf_regs *regs, uint64_t mask)
{
	mkbytes_u64(b, regs->abi);
	if (!regs->abi)
		return;
	for (int i = 0; i < __builtin_popcountll(mask); i++)
		mkbytes_u64(b, regs->values[i]);
}

static void put_raw(struct mkbytes *b, const struct mkperf_sample *s)
{
	size_t padding = -(4 + (size_t)s->raw_size) % 8;

	mkbytes_u32(b, (uint32_t)(s->raw_size + padding)); /* the kernel counts the padding */
	mkbytes_data(b, s->raw, s->raw_size);
	mkbytes_zeros(b, padding);
}

static void put_stack(struct mkbytes *b, const struct mkperf_sample *s)
{
	mkbytes_u64(b, s->stack_size);
	if (!s->stack_size)
		return;
	mkbytes_data(b, s->stack, s->stack_size);
	mkbytes_u64(b, s->stack_dyn_size ? s->stack_dyn_size : s->stack_size);
}

static void put_fixed(struct mkbytes *b, const struct made_event *event, const struct mkperf_sample *s)
{
	uint64_t type = event->attr.sample_type, id = s->id ? s->id : event->ids[0];

	if (type & SAMPLE_IDENTIFIER)
		mkbytes_u64(b, id);
	if (type & SAMPLE_IP)
		mkbytes_u64(b, s->ip);
	if (type & SAMPLE_TID) {
		mkbytes_u32(b, s->pid);
		mkbytes_u32(b, s->tid);
	}
	if (type & SAMPLE_TIME)
		mkbytes_u64(b, s->time);
	if (type & SAMPLE_ADDR)
		mkbytes_u64(b, s->addr);
	if (type & SAMPLE_ID)
		mkbytes_u64(b, id);
	if (type & SAMPLE_STREAM_ID)
		mkbytes_u64(b, s->stream_id);
	if (type & SAMPLE_CPU) {
		mkbytes_u32(b, s->cpu);
		mkbytes_u32(b, 0);
	}
	if (type & SAMPLE_PERIOD)
		mkbytes_u64(b, s->period);
}

static void put_variable(struct mkbytes *b, const struct attr *attr, const struct mkperf_sample *s)
{
	uint64_t type = attr->sample_type;

	if (type & SAMPLE_READ)
		put_read(b, attr->read_format, s);
	if (type & SAMPLE_CALLCHAIN) {
		mkbytes_u64(b, s->nr_chain);
		for (uint64_t i = 0; i < s->nr_chain; i++)
			mkbytes_u64(b, s->chain[i]);
	}
	if (type & SAMPLE_RAW)
		put_raw(b, s);
	if (type & SAMPLE_BRANCH_STACK)
		put_branches(b, attr, s);
	if (type & SAMPLE_REGS_USER)
		put_regs(b, &s->user_regs, attr->sample_regs_user);
	if (type & SAMPLE_STACK_USER)
		put_stack(b, s);
}

static void put_rest(struct mkbytes *b, const struct attr *attr, const struct mkperf_sample *s)
{
	uint64_t type = attr->sample_type;

	if (type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		mkbytes_u64(b, s->weight);
	if (type & SAMPLE_DATA_SRC)
		mkbytes_u64(b, s->data_src);
	if (type & SAMPLE_TRANSACTION)
		mkbytes_u64(b, s->transaction);
	if (type & SAMPLE_REGS_INTR)
		put_regs(b, &s->intr_regs, attr->sample_regs_intr);
	if (type & SAMPLE_PHYS_ADDR)
		mkbytes_u64(b, s->phys_addr);
	if (type & SAMPLE_CGROUP)
		mkbytes_u64(b, s->cgroup);
	if (type & SAMPLE_DATA_PAGE_SIZE)
		mkbytes_u64(b, s->data_page_size);
	if (type & SAMPLE_CODE_PAGE_SIZE)
		mkbytes_u64(b, s->code_page_size);
	if (type & SAMPLE_AUX) {
		mkbytes_u64(b, s->aux_size);
		mkbytes_data(b, s->aux, s->aux_size);
	}
}

void mkperf_add_sample(struct mkperf *m, const struct mkperf_sample *sample)
{
	const struct made_event *event = event_at(m, sample->event);
	struct mkbytes body = mkperf_body(m);

	put_fixed(&body, event, sample);
	put_variable(&body, &event->attr, sample);
	put_rest(&body, &event->attr, sample);
	mkperf_bytes_record(m, RECORD_SAMPLE, sample->misc ? sample->misc : CPUMODE_USER, &body, NULL);
}

void mkperf_round(struct mkperf *m)
{
	mkperf_record(m, RECORD_FINISHED_ROUND, 0, NULL, 0, NULL);
}

void mkperf_finished_init(struct mkperf *m)
{
	mkperf_record(m, RECORD_FINISHED_INIT, 0, NULL, 0, NULL);
}

void mkperf_update_text(struct mkperf *m, uint64_t id, uint64_t what, const char *text)
{
	struct mkbytes body = mkperf_body(m);

	mkbytes_u64(&body, what);
	mkbytes_u64(&body, id);
	record_string(&body, text);
	mkperf_bytes_record(m, RECORD_EVENT_UPDATE, 0, &body, NULL);
}

void mkperf_update_scale(struct mkperf *m, uint64_t id, double scale)
{
	struct mkbytes body = mkperf_body(m);
	uint64_t bits;

	memcpy(&bits, &scale, sizeof(bits));
	mkbytes_u64(&body, 1);
	mkbytes_u64(&body, id);
	mkbytes_u64(&body, bits);
	mkperf_bytes_record(m, RECORD_EVENT_UPDATE, 0, &body, NULL);
}

/* The whole. */

static void put_magic(struct mkperf *m)
{
	if (m->options.version1)
		mkbytes_data(&m->out, "PERFFILE", 8);
	else
		mkbytes_data(&m->out, m->options.big_endian ? "2ELIFREP" : "PERFILE2", 8);
}

static void put_pipe_header(struct mkperf *m)
{
	struct mkbytes *out = &m->out;

	put_magic(m);
	mkbytes_u64(out, 16);
	for (size_t i = 0; i < m->events.count; i++) {
		const struct made_event *event = &m->events.at[i];
		size_t attr_size = event->attr.size ? event->attr.size : ATTR_MAX_SIZE;
		record_header(out, RECORD_HEADER_ATTR, 0, attr_size + 8 * event->nr_ids);
		mkbytes_attr(out, &event->attr);
		for (size_t id = 0; id < event->nr_ids; id++)
			mkbytes_u64(out, event->ids[id]);
	}
	for (unsigned f = 0; f < FEATURE_BITS; f++) {
		const struct mkbytes *payload = &m->features[f].payload;
		if (!payload->bytes.count)
			continue; /* perf leaves out the empty ones: an empty one marks the end */
		record_header(out, RECORD_HEADER_FEATURE, 0, 8 + payload->bytes.count);
		mkbytes_u64(out, f);
		mkbytes_data(out, payload->bytes.at, payload->bytes.count);
	}
	record_header(out, RECORD_HEADER_FEATURE, 0, 8);
	mkbytes_u64(out, FEATURE_BITS);
}

struct layout {
	size_t header_size, attr_size, ids, attrs, data;
};

static struct layout file_layout(const struct mkperf *m)
{
	struct layout l = { .header_size = m->options.no_bitmap ? 72 : 104, .attr_size = ATTR_MAX_SIZE };
	size_t nr_ids = 0;

	for (size_t i = 0; i < m->events.count; i++)
		nr_ids += m->events.at[i].nr_ids;
	if (m->events.count && m->events.at[0].attr.size)
		l.attr_size = m->events.at[0].attr.size;
	l.ids = l.header_size;
	l.attrs = l.ids + 8 * nr_ids;
	l.data = l.attrs + m->events.count * (l.attr_size + 16);
	return l;
}

static bool has_features(const struct mkperf *m)
{
	return !m->options.no_bitmap && !m->options.unfinished;
}

static void put_bitmap(struct mkperf *m)
{
	for (unsigned word = 0; word < FEATURE_BITS / 32; word++) {
		/* Halves of 64-bit words come upper half first on a big-endian machine. */
		unsigned from = m->options.big_endian && !m->options.bitmap32 ? word ^ 1 : word;
		uint32_t bits = 0;
		for (unsigned bit = 0; bit < 32; bit++)
			bits |= (uint32_t)m->features[32 * from + bit].present << bit;
		mkbytes_u32(&m->out, bits);
	}
}

static void put_file_header(struct mkperf *m)
{
	struct layout l = file_layout(m);
	struct mkbytes *out = &m->out;

	put_magic(m);
	mkbytes_u64(out, l.header_size);
	mkbytes_u64(out, l.attr_size + 16);
	mkbytes_u64(out, l.attrs);
	mkbytes_u64(out, m->events.count * (l.attr_size + 16));
	mkbytes_u64(out, l.data);
	mkbytes_u64(out, m->options.unfinished ? 0 : m->records.bytes.count);
	mkbytes_zeros(out, 16);
	if (!m->options.no_bitmap)
		put_bitmap(m);
	for (size_t i = 0; i < m->events.count; i++) {
		for (size_t id = 0; id < m->events.at[i].nr_ids; id++)
			mkbytes_u64(out, m->events.at[i].ids[id]);
	}
	size_t ids = l.ids;
	for (size_t i = 0; i < m->events.count; i++) {
		size_t size = 8 * m->events.at[i].nr_ids;
		mkbytes_attr(out, &m->events.at[i].attr);
		mkbytes_u64(out, ids);
		mkbytes_u64(out, size);
		ids += size;
	}
}

static void put_file_features(struct mkperf *m)
{
	struct mkbytes *out = &m->out;
	size_t nr = 0;

	for (unsigned f = 0; f < FEATURE_BITS; f++)
		nr += m->features[f].present;
	size_t at = out->bytes.count + 16 * nr;
	for (unsigned f = 0; f < FEATURE_BITS; f++) {
		if (!m->features[f].present)
			continue;
		mkbytes_u64(out, at);
		mkbytes_u64(out, m->features[f].payload.bytes.count);
		at += m->features[f].payload.bytes.count;
	}
	for (unsigned f = 0; f < FEATURE_BITS; f++) {
		const struct mkbytes *payload = &m->features[f].payload;
		mkbytes_data(out, payload->bytes.at, payload->bytes.count);
	}
}

const uint8_t *mkperf_bytes(struct mkperf *m, size_t *size)
{
	pack_pending(m);
	add_own_features(m);
	vec_clear(&m->out.bytes);
	if (m->options.pipe)
		put_pipe_header(m);
	else
		put_file_header(m);
	mkbytes_data(&m->out, m->records.bytes.at, m->records.bytes.count);
	if (!m->options.pipe && has_features(m))
		put_file_features(m);
	*size = m->out.bytes.count;
	return m->out.bytes.at;
}

size_t mkperf_offset(struct mkperf *m)
{
	size_t size;

	if (!m->options.pipe)
		return file_layout(m).data + m->records.bytes.count;
	mkperf_bytes(m, &size);
	return size;
}

const uint8_t *mkperf_records(struct mkperf *m, size_t *size)
{
	pack_pending(m);
	*size = m->records.bytes.count;
	return m->records.bytes.at;
}

static void write_bytes(const char *path, const uint8_t *data, size_t size)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		abort();
}

void mkperf_write(struct mkperf *m, const char *path)
{
	size_t size;
	const uint8_t *data = mkperf_bytes(m, &size);

	write_bytes(path, data, size);
}

void mkperf_write_records(struct mkperf *m, const char *path)
{
	size_t size;
	const uint8_t *data = mkperf_records(m, &size);

	write_bytes(path, data, size);
}
