#include "events/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events/perf_abi.h"
#include "events/simpleperf.h"
#include "events/zstd.h"
#include "util/cursor.h"
#include "util/xalloc.h"

/* Room for decoded bytes: the rest of a record that is not whole yet, and a good piece behind it. */
#define PLAIN_ROOM ((size_t)4 * (RECORD_MAX_SIZE + 1))

struct source {
	struct input *in;
	uint16_t number;
	struct diag *diag;
	bool big_endian;
	bool ended;
	const uint8_t *base; /* of a stable input: its first byte; NULL for a stream */
	uint64_t at, end;    /* of a stable input: offsets of the next record and of the end */
	uint64_t skip;	     /* of a stream: bytes of a payload that come before the next record */
	uint64_t table_size; /* 0: no table to watch for */
	uint64_t mapped_end; /* of what next_mapped() takes; 0: nothing */
	bool simpleperf;     /* records of its types are to be expected */

	/* What compressed records hold. */
	struct zstd *zstd; /* made at the first one */
	uint8_t *plain;
	size_t plain_at, plain_end;
	uint64_t plain_skip;
	uint64_t packed_offset; /* of the record that is being unpacked */
	bool unpacking;		/* more may come out of it */
};

struct source *source_new(struct input *in, uint16_t number, uint64_t end, bool big_endian, struct diag *diag)
{
	struct source *s = xcalloc(1, sizeof(*s));

	s->in = in;
	s->number = number;
	s->diag = diag;
	s->big_endian = big_endian;
	if (!input_stable(in))
		return s;
	uint64_t size = input_size(in);
	s->base = input_at(in, 0, size);
	s->at = input_offset(in);
	s->end = end < size ? end : size;
	if (s->at > s->end)
		s->at = s->end;
	s->mapped_end = s->end;
	return s;
}

void source_free(struct source *s)
{
	if (!s)
		return;
	zstd_free(s->zstd);
	free(s->plain);
	free(s);
}

void source_watch_table(struct source *s, uint64_t table_size)
{
	s->table_size = table_size;
	s->mapped_end = 0;
}

void source_expect_simpleperf(struct source *s)
{
	s->simpleperf = true;
}

uint64_t source_position(const struct source *s)
{
	return s->base ? s->at : input_offset(s->in);
}

/* Bytes of the input. */

static uint64_t bytes_left(const struct source *s)
{
	return s->base ? s->end - s->at : input_left(s->in);
}

/* The next @size bytes; NULL when there are fewer. */
static struct err *look(struct source *s, uint64_t size, const uint8_t **ret)
{
	if (s->base) {
		*ret = s->end - s->at >= size ? s->base + s->at : NULL;
		return NULL;
	}
	if (size > SIZE_MAX) {
		*ret = NULL;
		return NULL;
	}
	return input_peek(s->in, (size_t)size, ret);
}

static struct err *move_on(struct source *s, uint64_t size, bool *there)
{
	if (!s->base)
		return input_skip(s->in, size, there);
	*there = s->end - s->at >= size;
	s->at = *there ? s->at + size : s->end;
	return NULL;
}

/* Damage. */

static void end_cut(struct source *s, uint64_t offset, uint64_t there, uint64_t wanted)
{
	s->ended = true;
	diag_note(s->diag, "records cut off at the end of the recording", 1,
		  "%s: offset 0x%" PRIx64 ": only %" PRIu64 " of %" PRIu64 " bytes are there",
		  input_name(s->in), offset, there, wanted);
}

static void end_damaged(struct source *s, uint64_t offset, unsigned size)
{
	s->ended = true;
	s->unpacking = false;
	s->plain_at = s->plain_end = 0;
	diag_note(s->diag, "damaged records behind which nothing could be read", 1,
		  "%s: offset 0x%" PRIx64 ": a record says that it is %u bytes long", input_name(s->in),
		  offset, size);
}

/* Records. */

static bool is_simpleperf(const struct source *s, uint32_t type)
{
	return s->simpleperf && type >= SIMPLEPERF_RECORD_FIRST;
}

/*
 * What the header at @data says, in its lower half alone when that is all that @left bytes can hold:
 * simpleperf cuts up what is longer (SPLIT) for the sake of perf, so that a record of 64 KiB is rare and may
 * be damage.
 */
static uint32_t whole_size(const struct source *s, const uint8_t *data, uint64_t left)
{
	uint32_t size = load_u16(data + 6, s->big_endian);

	if (!is_simpleperf(s, load_u32(data, s->big_endian)))
		return size;
	uint32_t with_upper = simpleperf_record_size(data, s->big_endian);
	return with_upper <= left ? with_upper : size;
}

static void set_record(const struct source *s, const uint8_t *data, uint64_t offset, bool stable,
		       struct raw_record *ret)
{
	*ret = (struct raw_record){
		.data = data,
		.type = load_u32(data, s->big_endian),
		.misc = load_u16(data + 4, s->big_endian),
		.size = load_u16(data + 6, s->big_endian),
		.input = s->number,
		.stable = stable,
		.offset = offset,
	};
}

/* How many bytes follow the record without being counted in its size? */
static uint64_t payload_size(const struct raw_record *raw, bool big_endian)
{
	if (raw->type == RECORD_HEADER_TRACING_DATA && raw->size >= 12)
		return load_u32(raw->data + 8, big_endian);
	if (raw->type == RECORD_AUXTRACE && raw->size >= 16)
		return load_u64(raw->data + 8, big_endian);
	return 0;
}

static bool is_packed(const struct raw_record *raw)
{
	return raw->type == RECORD_COMPRESSED || raw->type == RECORD_COMPRESSED2;
}

static bool at_table(const struct source *s)
{
	if (!s->table_size || !s->base || s->end - s->at < s->table_size)
		return false;
	return load_u64(s->base + s->at, s->big_endian) == s->at + s->table_size;
}

static struct err *skip_payload(struct source *s, uint64_t size)
{
	uint64_t offset = source_position(s);
	bool there;

	struct err *err = move_on(s, size, &there);
	if (!err && !there)
		end_cut(s, offset, source_position(s) - offset, size);
	else if (!err)
		diag_count(s->diag, "bytes of processor traces (Intel PT, ARM SPE ...) that are not decoded",
			   size);
	return err;
}

/* Move behind a whole record of which @data was looked at; its bytes stay. */
static struct err *accept(struct source *s, struct raw_record *ret, bool *more)
{
	bool is_long = ret->payload_size != 0;
	uint64_t payload = is_long ? ret->payload_size : payload_size(ret, s->big_endian);
	bool with_record = is_long || ret->type == RECORD_HEADER_TRACING_DATA;
	uint64_t whole = ret->size + (with_record ? payload : 0);

	struct err *err = look(s, whole, &ret->data);
	if (err)
		return err;
	if (!ret->data) {
		end_cut(s, ret->offset, bytes_left(s), whole);
		return NULL;
	}
	err = move_on(s, whole, more);
	if (with_record)
		ret->payload_size = (uint32_t)payload;
	else if (!s->base)
		s->skip = payload;
	else if (payload)
		err = skip_payload(s, payload);
	return err;
}

/* The next record of the input itself. */
static struct err *next_outer(struct source *s, struct raw_record *ret, bool *more)
{
	const uint8_t *data;
	struct err *err = s->skip ? skip_payload(s, s->skip) : NULL;

	s->skip = 0;
	*more = false;
	if (err || s->ended)
		return err;
	uint64_t offset = source_position(s);
	err = look(s, RECORD_HEADER_SIZE, &data);
	if (err)
		return err;
	if (!data || at_table(s)) {
		s->ended = true;
		if (!data && bytes_left(s))
			end_cut(s, offset, bytes_left(s), RECORD_HEADER_SIZE);
		return NULL;
	}
	uint32_t size = whole_size(s, data, bytes_left(s));
	if (size < RECORD_HEADER_SIZE) {
		end_damaged(s, offset, size);
		return NULL;
	}
	err = look(s, size, &data);
	if (err)
		return err;
	if (!data) {
		end_cut(s, offset, bytes_left(s), size);
		return NULL;
	}
	set_record(s, data, offset, s->base != NULL, ret);
	if (is_simpleperf(s, ret->type))
		simpleperf_set_size(ret, size);
	return accept(s, ret, more);
}

/*
 * Most records: of the kernel, whole, in a stable input in which nothing was packed so far and that has no
 * table to watch for. False: next_outer() sees what there is.
 */
static bool next_mapped(struct source *s, struct raw_record *ret)
{
	if (s->at + RECORD_HEADER_SIZE > s->mapped_end)
		return false;
	set_record(s, s->base + s->at, s->at, true, ret);
	if (ret->type >= RECORD_USER_FIRST || ret->size < RECORD_HEADER_SIZE ||
	    ret->size > s->mapped_end - s->at)
		return false;
	s->at += ret->size;
	return true;
}

/* Compressed records. */

static void unpack_failed(struct source *s, const char *reason)
{
	s->unpacking = false;
	s->plain_at = s->plain_end = 0;
	s->plain_skip = 0;
	diag_note(s->diag, "compressed records that could not be unpacked", 1, "%s: offset 0x%" PRIx64 ": %s",
		  input_name(s->in), s->packed_offset, reason);
}

static void start_unpacking(struct source *s, const struct raw_record *raw)
{
	uint64_t head = RECORD_HEADER_SIZE, size = raw->size - head;

	if (!s->zstd) {
		s->zstd = zstd_new();
		s->plain = xmalloc(PLAIN_ROOM);
		s->mapped_end = 0;
	}
	s->packed_offset = raw->offset;
	if (raw->type == RECORD_COMPRESSED2) {
		/* Padded to 8 bytes, so it says how many of them count. */
		head += 8;
		if (raw->size < head || load_u64(raw->data + 8, s->big_endian) > raw->size - head) {
			unpack_failed(s, "it says that it holds more than its own size");
			return;
		}
		size = load_u64(raw->data + 8, s->big_endian);
	}
	zstd_feed(s->zstd, raw->data + head, (size_t)size);
	s->unpacking = true;
}

/* Decode some more behind the bytes that were not used yet. False: there is nothing more for now. */
static bool unpack_more(struct source *s)
{
	size_t left = s->plain_end - s->plain_at, n = 0;

	if (!s->unpacking)
		return false;
	if (s->plain_at && left)
		memmove(s->plain, s->plain + s->plain_at, left);
	s->plain_at = 0;
	s->plain_end = left;
	/* What is left is less than one record, so there is room. */
	const char *reason = zstd_pull(s->zstd, s->plain + left, PLAIN_ROOM - left, &n);
	if (reason) {
		unpack_failed(s, reason);
		return false;
	}
	s->plain_end += n;
	s->unpacking = n != 0;
	return n != 0;
}

static void drop_plain_payload(struct source *s)
{
	size_t there = s->plain_end - s->plain_at;
	size_t n = s->plain_skip < there ? (size_t)s->plain_skip : there;

	s->plain_at += n;
	s->plain_skip -= n;
}

/* A whole record among the decoded bytes, if there is one. */
static bool plain_record(struct source *s, struct raw_record *ret)
{
	drop_plain_payload(s);
	size_t there = s->plain_end - s->plain_at;
	const uint8_t *data = s->plain + s->plain_at;
	if (there < RECORD_HEADER_SIZE)
		return false;
	uint32_t size = whole_size(s, data, RECORD_MAX_SIZE); /* in here nobody knows of longer ones */
	if (size < RECORD_HEADER_SIZE) {
		end_damaged(s, s->packed_offset, size);
		return false;
	}
	if (there < size)
		return false;
	set_record(s, data, s->packed_offset, false, ret);
	if (is_simpleperf(s, ret->type))
		simpleperf_set_size(ret, size);
	s->plain_at += size;
	s->plain_skip = payload_size(ret, s->big_endian);
	return true;
}

static bool next_plain(struct source *s, struct raw_record *ret)
{
	if (!s->plain)
		return false;
	do {
		while (plain_record(s, ret)) {
			if (!is_packed(ret))
				return true;
			/* perf never does that; unpacking it would need a stack of decoders. */
			diag_count(s->diag, "compressed records inside compressed ones skipped", 1);
		}
	} while (unpack_more(s));
	return false;
}

static void end_of_plain(struct source *s)
{
	size_t left = s->plain_end - s->plain_at;

	if (left || s->plain_skip)
		diag_note(s->diag, "records cut off at the end of the recording", 1,
			  "%s: offset 0x%" PRIx64 ": the compressed data ends inside a record",
			  input_name(s->in), s->packed_offset);
	s->plain_at = s->plain_end = 0;
	s->plain_skip = 0;
}

struct err *source_next(struct source *s, struct raw_record *ret, bool *more)
{
	if (next_mapped(s, ret)) {
		*more = true;
		return NULL;
	}
	*more = next_plain(s, ret);
	while (!*more && !s->ended) {
		struct err *err = next_outer(s, ret, more);
		if (err) {
			s->ended = true;
			*more = false;
			return err;
		}
		if (!*more || !is_packed(ret))
			break;
		start_unpacking(s, ret);
		*more = next_plain(s, ret);
	}
	if (!*more)
		end_of_plain(s);
	return NULL;
}
