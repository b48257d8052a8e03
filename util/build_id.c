#include "util/build_id.h"

#include <string.h>

#include "util/cursor.h"

#define NOTE_HEAD 12
#define NOTE_BUILD_ID 3 /* NT_GNU_BUILD_ID of <elf.h>: of notes called "GNU" */

struct build_id build_id_make(const void *bytes, size_t size)
{
	struct build_id id = { .size = (uint8_t)(size < BUILD_ID_MAX ? size : BUILD_ID_MAX) };
	uint8_t any = 0;

	memcpy(id.bytes, bytes, id.size);
	for (size_t i = 0; i < id.size; i++)
		any |= id.bytes[i];
	if (!any)
		id.size = 0;
	return id;
}

/* The padded size of a part of a note; 64 bits hold the sum of any two 32-bit sizes. */
static uint64_t padded(uint64_t size, uint64_t align)
{
	return (size + align - 1) & ~(align - 1);
}

static const uint8_t *take(struct cursor *c, uint64_t size)
{
	return cursor_bytes(c, size < SIZE_MAX ? (size_t)size : SIZE_MAX);
}

/* A note: three words (name size, contents size, type), name, contents; both padded to the alignment. */
static bool next_note(struct cursor *c, uint64_t align, struct build_id *ret)
{
	uint64_t name_size = cursor_u32(c), size = cursor_u32(c);
	uint32_t type = cursor_u32(c);
	const uint8_t *name = take(c, padded(NOTE_HEAD + name_size, align) - NOTE_HEAD);
	const uint8_t *contents = take(c, size);

	if (cursor_bad(c))
		return false;
	uint64_t padding = padded(size, align) - size;
	cursor_skip(c, padding < cursor_left(c) ? (size_t)padding : cursor_left(c));
	*ret = (struct build_id){ 0 };
	if (type == NOTE_BUILD_ID && name_size == sizeof("GNU") && !memcmp(name, "GNU", sizeof("GNU")))
		*ret = build_id_make(contents, (size_t)size);
	return true;
}

bool build_id_of_notes(const void *notes, size_t size, uint64_t align, bool big_endian, struct build_id *ret)
{
	struct cursor c = cursor_make(notes, size, big_endian);
	struct build_id id;

	while (next_note(&c, align == 8 ? 8 : 4, &id)) {
		if (!id.size)
			continue;
		*ret = id;
		return true;
	}
	return false;
}

/* Bytes behind size are zero in every struct build_id, so whole arrays compare. */
bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->size && b->size && !memcmp(a->bytes, b->bytes, BUILD_ID_MAX);
}

bool build_id_differs(const struct build_id *a, const struct build_id *b)
{
	return a->size && b->size && memcmp(a->bytes, b->bytes, BUILD_ID_MAX) != 0;
}

char *build_id_hex(const struct build_id *id, char *ret)
{
	static const char digits[] = "0123456789abcdef";
	char *at = ret;

	for (size_t i = 0; i < id->size; i++) {
		*at++ = digits[id->bytes[i] >> 4];
		*at++ = digits[id->bytes[i] & 15];
	}
	*at = '\0';
	return ret;
}
