#include "events/simpleperf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events/perf_abi.h"
#include "util/xalloc.h"

/* The largest kallsyms are some 20 MB, and nothing else comes in pieces but formats of tracepoints. */
#define MAX_JOINED ((size_t)256 << 20)

static const char cut[] = "it is cut short";

struct simpleperf *simpleperf_new(bool big_endian)
{
	struct simpleperf *sp = xcalloc(1, sizeof(*sp));

	sp->big_endian = big_endian;
	return sp;
}

void simpleperf_free(struct simpleperf *sp)
{
	if (!sp)
		return;
	hash_free(&sp->event_type_at);
	vec_free(&sp->pieces);
	free(sp);
}

/* Records */

struct cursor simpleperf_body(const struct simpleperf *sp, const struct raw_record *raw)
{
	struct cursor c = cursor_make(raw->data, (size_t)raw->size + raw->payload_size, sp->big_endian);

	cursor_skip(&c, RECORD_HEADER_SIZE);
	return c;
}

const uint8_t *simpleperf_contents(const struct simpleperf *sp, const struct raw_record *raw,
				   size_t *ret_size)
{
	struct cursor c = simpleperf_body(sp, raw);

	*ret_size = cursor_u32(&c);
	return cursor_bytes(&c, *ret_size);
}

const char *simpleperf_add_piece(struct simpleperf *sp, const struct raw_record *raw)
{
	struct cursor c = simpleperf_body(sp, raw);
	size_t size = cursor_left(&c), before = sp->pieces.count;

	if (size > MAX_JOINED - before)
		return "the pieces before it make a record that is too long";
	if (!size)
		return NULL;
	vec_reserve(&sp->pieces, before + size);
	memcpy(sp->pieces.at + before, c.at, size);
	sp->pieces.count += size;
	return NULL;
}

const char *simpleperf_join(struct simpleperf *sp, struct raw_record *raw)
{
	struct cursor c = cursor_make(sp->pieces.at, sp->pieces.count, sp->big_endian);
	uint32_t type = cursor_u32(&c), upper = cursor_u16(&c), size = cursor_u16(&c) | upper << 16;

	sp->pieces.count = 0;
	if (cursor_bad(&c) || size != cursor_left(&c) + RECORD_HEADER_SIZE || type < SIMPLEPERF_RECORD_FIRST)
		return "the pieces before it make no record";
	raw->data = sp->pieces.at;
	raw->type = type;
	raw->size = size < RECORD_MAX_SIZE ? (uint16_t)size : RECORD_MAX_SIZE;
	raw->payload_size = size - raw->size;
	raw->stable = false;
	return NULL;
}

/* META_INFO */

/* ",4,17": type and config of a line, in front of which is the name. */
static bool parse_type(const char *at, uint64_t ret[2])
{
	for (int i = 0; i < 2; i++) {
		char *end;
		if (at[0] != ',' || at[1] < '0' || at[1] > '9')
			return false;
		errno = 0;
		ret[i] = strtoull(at + 1, &end, 10);
		if (errno)
			return false;
		at = end;
	}
	return *at == '\n' || !*at;
}

/* A line that makes no sense names nothing. */
static void add_event_types(struct simpleperf *sp, const char *text)
{
	uint64_t key[2];

	sp->event_types = text;
	hash_clear(&sp->event_type_at);
	for (const char *line = text; *line; line += line[0] == '\n') {
		size_t length = strcspn(line, ",\n");
		if (length && parse_type(line + length, key) &&
		    hash_get(&sp->event_type_at, key[0], key[1]) == HASH_NONE)
			hash_put(&sp->event_type_at, key[0], key[1], (uint64_t)(line - text));
		line += strcspn(line, "\n");
	}
}

bool simpleperf_event_name(const struct simpleperf *sp, uint32_t type, uint64_t config, const char **ret,
			   size_t *ret_length)
{
	uint64_t at = hash_get(&sp->event_type_at, type, config);

	if (at == HASH_NONE)
		return false;
	*ret = sp->event_types + at;
	*ret_length = strcspn(*ret, ",");
	return true;
}

static const char *add_meta_info(struct simpleperf *sp, struct cursor *c)
{
	while (cursor_left(c)) {
		const char *key = cursor_string(c), *value = cursor_string(c);
		if (!value)
			return cut;
		if (!strcmp(key, "event_type_info"))
			add_event_types(sp, value);
	}
	return NULL;
}

const char *simpleperf_add_feature(struct simpleperf *sp, unsigned feature, const void *payload,
				   uint64_t size)
{
	struct cursor c = cursor_make(payload, (size_t)size, sp->big_endian);

	return feature == SIMPLEPERF_FEATURE_META_INFO ? add_meta_info(sp, &c) : NULL;
}
