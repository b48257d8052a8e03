#include "events/header.h"

#include <inttypes.h>
#include <string.h>

#include "util/cursor.h"

#define PIPE_HEADER_SIZE 16
#define BARE_HEADER_SIZE 72 /* without the feature bitmap */
#define FULL_HEADER_SIZE 104
#define BITMAP_WORDS (FEATURE_BITS / 64)

enum magic { MAGIC_NONE, MAGIC_V1, MAGIC_V2_LITTLE, MAGIC_V2_BIG };

static enum magic magic_of(const uint8_t *data)
{
	if (!memcmp(data, "PERFILE2", 8))
		return MAGIC_V2_LITTLE;
	if (!memcmp(data, "2ELIFREP", 8))
		return MAGIC_V2_BIG;
	/* Version 1 wrote its magic as text: the same bytes on every machine. */
	return memcmp(data, "PERFFILE", 8) ? MAGIC_NONE : MAGIC_V1;
}

static bool is_text(const uint8_t *data)
{
	for (size_t i = 0; i < PIPE_HEADER_SIZE; i++) {
		if ((data[i] < ' ' && !memchr("\t\n\r", data[i], 3)) || data[i] == 0x7f)
			return false;
	}
	return true;
}

/* Recordings get packed to be sent around: say so instead of "unknown". */
static struct err *foreign_file(struct input *in, const uint8_t *data)
{
	static const struct {
		const char *magic, *name;
	} packed[] = {
		{ "\x1f\x8b", "gzip" }, { "\x28\xb5\x2f\xfd", "zstd" }, { "\xfd\x37zXZ", "xz" },
		{ "BZh", "bzip2" },	{ "PK\x03\x04", "zip" },
	};
	const char *name = input_name(in);

	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++) {
		if (!memcmp(data, packed[i].magic, strlen(packed[i].magic)))
			return err_file(name, "not a perf.data file but one packed by %s: unpack it first",
					packed[i].name);
	}
	if (is_text(data))
		return err_file(name, "not a perf.data file but a text: perf2txt takes the recording itself, "
				      "not what perf script made of it");
	return err_file(name, "not a perf.data file (it does not begin with PERFILE2)");
}

static struct err *too_short(struct input *in)
{
	size_t left = input_left(in);

	if (!left)
		return err_file(input_name(in), "empty, not a perf.data file");
	return err_file(input_name(in),
			"not a perf.data file, or cut off in its header: it has only %zu bytes", left);
}

/* The sizes that struct perf_event_attr had while files of version 1 were written, and the id section. */
static bool is_v1_attr_size(uint64_t size)
{
	return size == 64 + 16 || size == 72 + 16 || size == 80 + 16 || size == 96 + 16 || size == 104 + 16;
}

/* Version 1 does not say its byte order: it is the one in which its numbers make sense. */
static bool v1_order(const uint8_t *start, const uint8_t *attr_size, bool *big_endian)
{
	for (int big = 0; big <= 1; big++) {
		*big_endian = big;
		if (load_u64(start + 8, big) == PIPE_HEADER_SIZE)
			return true;
		if (attr_size && is_v1_attr_size(load_u64(attr_size, big)))
			return true;
	}
	return false;
}

static bool only_known(const uint64_t *bitmap)
{
	uint64_t known = (UINT64_C(1) << FEATURE_KNOWN_END) - 1;

	return (bitmap[0] & known) && !(bitmap[0] & ~known) && !bitmap[1] && !bitmap[2] && !bitmap[3];
}

static bool has_hostname(const uint64_t *bitmap)
{
	return bitmap[0] >> FEATURE_HOSTNAME & 1;
}

/*
 * The bitmap is an array of the recording machine's unsigned long: on a big-endian machine the place of a
 * bit depends on the size of that. perf tells the two by the hostname, which it always records, and takes a
 * map that has none in either reading for the oldest format, which had build-ids only (as in perf 7.2).
 * A map that makes sense without a hostname is taken as it is.
 */
static void read_bitmap(const uint8_t *at, bool big_endian, uint64_t *ret)
{
	uint64_t as_u64[BITMAP_WORDS], as_u32[BITMAP_WORDS];
	uint64_t any = 0;

	for (size_t i = 0; i < BITMAP_WORDS; i++) {
		as_u64[i] = load_u64(at + 8 * i, big_endian);
		as_u32[i] = load_u32(at + 8 * i, big_endian) | (uint64_t)load_u32(at + 8 * i + 4, big_endian)
								       << 32;
		any |= as_u64[i];
	}
	if (!big_endian || !any || has_hostname(as_u64)) {
		memcpy(ret, as_u64, sizeof(as_u64));
	} else if (has_hostname(as_u32)) {
		memcpy(ret, as_u32, sizeof(as_u32));
	} else if (only_known(as_u64)) {
		memcpy(ret, as_u64, sizeof(as_u64));
	} else if (only_known(as_u32)) {
		memcpy(ret, as_u32, sizeof(as_u32));
	} else {
		memset(ret, 0, sizeof(as_u64));
		ret[0] = UINT64_C(1) << FEATURE_BUILD_ID;
	}
}

static struct section read_section(struct cursor *c)
{
	struct section s;

	s.offset = cursor_u64(c);
	s.size = cursor_u64(c);
	return s;
}

/* How many bytes of the section lie behind the end of the file; the section then ends there. */
static uint64_t cut_to_file(struct section *s, uint64_t file_size)
{
	uint64_t there = s->offset < file_size ? file_size - s->offset : 0;

	if (s->size <= there)
		return 0;
	uint64_t cut = s->size - there;
	s->size = there;
	return cut;
}

static struct err *settle_sections(struct input *in, struct header *h)
{
	uint64_t file_size = input_size(in);

	if (h->attrs.size && h->attrs.offset >= file_size)
		return err_file(input_name(in),
				"damaged or cut off: its list of events should be at offset 0x%" PRIx64
				", but the file ends at 0x%" PRIx64,
				h->attrs.offset, file_size);
	cut_to_file(&h->attrs, file_size);

	for (size_t i = 0; i < BITMAP_WORDS; i++)
		h->table_size += 16 * (uint64_t)__builtin_popcountll(h->features[i]);
	h->unfinished = h->data.size == 0;
	if (h->unfinished)
		h->data.size = UINT64_MAX;
	/* No table can be there when the sum overflows: then the reader finds it outside the file. */
	if (__builtin_add_overflow(h->data.offset, h->data.size, &h->feature_offset))
		h->feature_offset = UINT64_MAX;
	uint64_t cut = cut_to_file(&h->data, file_size);
	if (h->unfinished)
		memset(h->features, 0, sizeof(h->features));
	else
		h->cut = cut;
	return NULL;
}

static struct err *read_file_header(struct input *in, struct header *h)
{
	const uint8_t *data;
	size_t want = h->size < FULL_HEADER_SIZE ? BARE_HEADER_SIZE : FULL_HEADER_SIZE;
	struct err *err = input_peek(in, want, &data);

	if (err)
		return err;
	if (!data)
		return too_short(in);
	if (h->size < BARE_HEADER_SIZE || h->size > input_size(in))
		return err_file(input_name(in),
				"not a perf.data file that can be read: its header says it is %" PRIu64
				" bytes long",
				h->size);
	struct cursor c = cursor_make(data + 16, want - 16, h->big_endian);
	h->attr_size = cursor_u64(&c);
	h->attrs = read_section(&c);
	h->data = read_section(&c);
	if (want == FULL_HEADER_SIZE)
		read_bitmap(data + BARE_HEADER_SIZE, h->big_endian, h->features);
	input_seek(in, h->size);
	return settle_sections(in, h);
}

static struct err *find_order(struct input *in, const uint8_t *start, struct header *h)
{
	enum magic magic = magic_of(start);
	const uint8_t *more;

	if (magic == MAGIC_NONE)
		return foreign_file(in, start);
	h->version = magic == MAGIC_V1 ? 1 : 2;
	h->big_endian = magic == MAGIC_V2_BIG;
	if (magic != MAGIC_V1)
		return NULL;
	struct err *err = input_peek(in, 24, &more);
	if (err)
		return err;
	/* That look may have moved the first bytes. */
	err = input_peek(in, PIPE_HEADER_SIZE, &start);
	if (err)
		return err;
	if (!v1_order(start, more ? start + 16 : NULL, &h->big_endian))
		return err_file(input_name(in),
				"not a perf.data file that can be read: its byte order cannot be told");
	return NULL;
}

struct err *header_read(struct input *in, struct header *ret)
{
	struct header h = { 0 };
	const uint8_t *start;
	struct err *err = input_peek(in, PIPE_HEADER_SIZE, &start);

	if (err)
		return err;
	if (!start)
		return too_short(in);
	err = find_order(in, start, &h);
	if (!err)
		err = input_peek(in, PIPE_HEADER_SIZE, &start);
	if (err)
		return err;
	h.size = load_u64(start + 8, h.big_endian);
	h.pipe = h.size == PIPE_HEADER_SIZE;
	if (h.pipe)
		err = input_read(in, PIPE_HEADER_SIZE, &start);
	else if (!input_stable(in))
		err = err_file(
			input_name(in),
			"a perf.data file of the kind that cannot be read through a pipe: give the file "
			"itself, or record with \"perf record -o -\"");
	else
		err = read_file_header(in, &h);
	if (!err)
		*ret = h;
	return err;
}
