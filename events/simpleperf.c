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
	arena_free(&sp->paths);
	vec_free(&sp->files);
	free(sp->kallsyms);
	hash_free(&sp->event_type_at);
	vec_free(&sp->pieces);
	free(sp);
}

/* Records */

uint32_t simpleperf_record_size(const uint8_t *header, bool big_endian)
{
	return load_u16(header + 6, big_endian) | (uint32_t)load_u16(header + 4, big_endian) << 16;
}

void simpleperf_set_size(struct raw_record *raw, uint32_t size)
{
	raw->misc = 0;
	raw->size = size < RECORD_MAX_SIZE ? (uint16_t)size : RECORD_MAX_SIZE;
	raw->payload_size = size - raw->size;
}

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

const char *simpleperf_add_kallsyms(struct simpleperf *sp, const struct raw_record *raw)
{
	size_t size;
	const uint8_t *text = simpleperf_contents(sp, raw, &size);

	if (!text)
		return cut;
	if (!size || sp->kallsyms)
		return NULL;
	sp->kallsyms = xmemdup(text, size);
	sp->kallsyms_size = size;
	return NULL;
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
	const uint8_t *data = sp->pieces.at;
	size_t count = sp->pieces.count;

	sp->pieces.count = 0;
	if (count < RECORD_HEADER_SIZE || simpleperf_record_size(data, sp->big_endian) != count ||
	    load_u32(data, sp->big_endian) < SIMPLEPERF_RECORD_FIRST)
		return "the pieces before it make no record";
	raw->data = data;
	raw->type = load_u32(data, sp->big_endian);
	raw->stable = false;
	simpleperf_set_size(raw, (uint32_t)count);
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

/* FILE */

static bool next_plain_symbol(struct simpleperf_symbols *symbols, struct simpleperf_symbol *ret)
{
	struct cursor *c = &symbols->c;

	if (!symbols->left)
		return false;
	symbols->left--;
	ret->vaddr = cursor_u64(c);
	ret->size = cursor_u32(c);
	ret->name = cursor_string(c);
	if (!ret->name)
		return false;
	ret->name_size = strlen(ret->name);
	return true;
}

static const char *read_plain_file(struct simpleperf_file *file, struct cursor *c)
{
	struct simpleperf_symbol symbol;

	file->path = cursor_string(c);
	file->type = cursor_u32(c);
	file->min_vaddr = cursor_u64(c);
	uint32_t left = cursor_u32(c);
	if (cursor_bad(c))
		return cut;
	file->symbols = (struct simpleperf_symbols){ .c = *c, .left = left };
	struct simpleperf_symbols behind = file->symbols;
	while (next_plain_symbol(&behind, &symbol))
		;
	if (cursor_bad(&behind.c))
		return cut;
	if (file->type == SIMPLEPERF_ELF && cursor_left(&behind.c) >= 8) {
		file->min_vaddr_offset = cursor_u64(&behind.c);
		file->has_offset = true;
	}
	return NULL;
}

/* FILE2: messages of protobuf */

struct field {
	uint64_t number, value;
	struct cursor bytes; /* of a field that is a text or a message */
};

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

/* False: there are no more, or the cursor is bad. Fields of forms that no message here has are skipped. */
static bool next_field(struct cursor *c, struct field *ret)
{
	if (!cursor_left(c))
		return false;
	uint64_t key = cursor_uleb128(c), size = 0;
	*ret = (struct field){ .number = key >> 3, .bytes = cursor_make("", 0, c->big_endian) };
	switch (key & 7) {
	case WIRE_VARINT:
		ret->value = cursor_uleb128(c);
		break;
	case WIRE_64:
		cursor_skip(c, 8);
		break;
	case WIRE_32:
		cursor_skip(c, 4);
		break;
	case WIRE_BYTES:
		size = cursor_uleb128(c);
		ret->bytes = cursor_make(c->at, size < cursor_left(c) ? (size_t)size : cursor_left(c),
					 c->big_endian);
		cursor_skip(c, size < SIZE_MAX ? (size_t)size : SIZE_MAX);
		break;
	default:
		c->bad = true;
	}
	return !cursor_bad(c);
}

static uint64_t first_varint(struct cursor message)
{
	struct field field;

	while (next_field(&message, &field)) {
		if (field.number == 1)
			return field.value;
	}
	return 0; /* protobuf writes no zeros */
}

enum file_field { FILE_PATH = 1, FILE_TYPE = 2, FILE_MIN_VADDR = 3, FILE_SYMBOL = 4, FILE_ELF = 6 };
enum symbol_field { SYMBOL_VADDR = 1, SYMBOL_SIZE = 2, SYMBOL_NAME = 3 };

static void read_message_symbol(struct cursor message, struct simpleperf_symbol *ret)
{
	struct field field;

	*ret = (struct simpleperf_symbol){ .name = "" };
	while (next_field(&message, &field)) {
		if (field.number == SYMBOL_VADDR)
			ret->vaddr = field.value;
		else if (field.number == SYMBOL_SIZE)
			ret->size = field.value;
		else if (field.number == SYMBOL_NAME) {
			ret->name = (const char *)field.bytes.at;
			ret->name_size = cursor_left(&field.bytes);
		}
	}
}

static bool next_message_symbol(struct simpleperf_symbols *symbols, struct simpleperf_symbol *ret)
{
	struct field field;

	while (next_field(&symbols->c, &field)) {
		if (field.number != FILE_SYMBOL)
			continue;
		read_message_symbol(field.bytes, ret);
		return true;
	}
	return false;
}

bool simpleperf_next_symbol(struct simpleperf_symbols *symbols, struct simpleperf_symbol *ret)
{
	return symbols->is_message ? next_message_symbol(symbols, ret) : next_plain_symbol(symbols, ret);
}

static const char *read_message_file(struct simpleperf *sp, struct simpleperf_file *file, struct cursor *c)
{
	struct field field;

	file->symbols = (struct simpleperf_symbols){ .c = *c, .is_message = true };
	while (next_field(c, &field)) {
		if (field.number == FILE_PATH)
			file->path = arena_strndup(&sp->paths, (const char *)field.bytes.at,
						   cursor_left(&field.bytes));
		else if (field.number == FILE_TYPE)
			file->type = (uint32_t)field.value;
		else if (field.number == FILE_MIN_VADDR)
			file->min_vaddr = field.value;
		else if (field.number == FILE_ELF) {
			file->has_offset = true;
			file->min_vaddr_offset = first_varint(field.bytes);
		}
	}
	return cursor_bad(c) ? cut : NULL;
}

static const char *add_files(struct simpleperf *sp, struct cursor *c, bool messages)
{
	while (cursor_left(c)) {
		uint32_t size = cursor_u32(c);
		const uint8_t *at = cursor_bytes(c, size);
		struct simpleperf_file file = { 0 };
		if (!at)
			return cut;
		struct cursor whole = cursor_make(at, size, c->big_endian);
		const char *reason =
			messages ? read_message_file(sp, &file, &whole) : read_plain_file(&file, &whole);
		if (reason)
			return reason;
		if (file.path)
			vec_push(&sp->files, file);
	}
	return NULL;
}

const char *simpleperf_add_feature(struct simpleperf *sp, unsigned feature, const void *payload,
				   uint64_t size)
{
	struct cursor c = cursor_make(payload, (size_t)size, sp->big_endian);

	switch (feature) {
	case SIMPLEPERF_FEATURE_META_INFO:
		return add_meta_info(sp, &c);
	case SIMPLEPERF_FEATURE_FILE:
		return add_files(sp, &c, false);
	case SIMPLEPERF_FEATURE_FILE2:
		return add_files(sp, &c, true);
	default:
		return NULL;
	}
}
