#include "symbolize/debug_file.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/debug_abbrev.h"
#include "util/xalloc.h"

/* Lists of ranges are read twice when functions in functions are looked for; some compilers share them. */
#define MOST_READINGS 16

static const char *const names[NR_DEBUG_SECTIONS] = {
	[DEBUG_INFO] = "info",	     [DEBUG_ABBREV] = "abbrev",	    [DEBUG_LINE] = "line",
	[DEBUG_STR] = "str",	     [DEBUG_LINE_STR] = "line_str", [DEBUG_STR_OFFSETS] = "str_offsets",
	[DEBUG_ADDR] = "addr",	     [DEBUG_RANGES] = "ranges",	    [DEBUG_RNGLISTS] = "rnglists",
	[DEBUG_ARANGES] = "aranges", [DEBUG_CU_INDEX] = "cu_index",
};

struct debug_file *debug_file_new(struct image *image, bool split)
{
	struct debug_file *file = xcalloc(1, sizeof(*file));

	file->image = image;
	file->split = split;
	return file;
}

void debug_file_free(struct debug_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->all_abbrevs.count; i++)
		debug_abbrevs_free(file->all_abbrevs.at[i]);
	vec_free(&file->all_abbrevs);
	vec_free(&file->units);
	hash_free(&file->abbrevs);
	arena_free(&file->arena);
	free(file);
}

/* ---- sections ---- */

bool debug_file_has(const struct image *image, const char *name)
{
	AUTOFREE char *packed = xasprintf(".z%s", name + 1);

	return image && (image_section(image, name, NULL) || image_section(image, packed, NULL));
}

static void read_section(struct debug_file *file, enum debug_section section)
{
	/* The index of a package is the only one whose name does not end in .dwo there. */
	const char *ending = file->split && section != DEBUG_CU_INDEX ? ".dwo" : "";
	AUTOFREE char *name = xasprintf(".debug_%s%s", names[section], ending);

	file->read[section] = true;
	file->data[section] = image_debug_data(file->image, name, &file->sizes[section]);
	if (!file->data[section])
		file->sizes[section] = 0;
	file->left[section] = MOST_READINGS * (uint64_t)file->sizes[section];
}

struct cursor debug_section(struct debug_file *file, enum debug_section section, uint64_t offset)
{
	if (!file->read[section])
		read_section(file, section);
	size_t size = file->sizes[section];
	if (offset >= size)
		return cursor_make("", 0, file->image->big_endian);
	return cursor_make(file->data[section] + offset, size - (size_t)offset, file->image->big_endian);
}

struct cursor debug_limit(struct debug_file *file, enum debug_section section, struct cursor c)
{
	if (cursor_left(&c) > file->left[section])
		c.end = c.at + file->left[section];
	return c;
}

void debug_used(struct debug_file *file, enum debug_section section, uint64_t bytes)
{
	file->left[section] -= bytes < file->left[section] ? bytes : file->left[section];
}

struct cursor debug_unit_section(const struct debug_unit *unit, enum debug_section section, uint64_t offset)
{
	const struct debug_parts *parts = unit->parts;

	if (!parts || !parts->given[section])
		return debug_section(unit->file, section, offset);
	struct cursor c = debug_section(unit->file, section, parts->offset[section]);
	size_t size = parts->size[section] < cursor_left(&c) ? parts->size[section] : cursor_left(&c);
	if (offset >= size)
		return cursor_make("", 0, c.big_endian);
	return cursor_make(c.at + offset, size - (size_t)offset, c.big_endian);
}

const char *debug_text(struct debug_file *file, enum debug_section section, uint64_t offset)
{
	struct cursor c = debug_section(file, section, offset);

	return cursor_string(&c);
}

/* ---- units ---- */

static bool is_size(uint8_t size)
{
	return size == 4 || size == 8;
}

/* What follows the version. */
static void read_header_5(struct cursor *c, struct debug_unit *unit)
{
	unit->type = cursor_u8(c);
	unit->address_size = cursor_u8(c);
	unit->abbrev_offset = unit->offset_size == 8 ? cursor_u64(c) : cursor_u32(c);
	if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile)
		unit->dwo_id = cursor_u64(c);
	else if (unit->type == DW_UT_type || unit->type == DW_UT_split_type)
		cursor_skip(c, 8u + unit->offset_size);
}

static void read_header_4(struct cursor *c, struct debug_unit *unit)
{
	unit->type = DW_UT_compile;
	unit->abbrev_offset = unit->offset_size == 8 ? cursor_u64(c) : cursor_u32(c);
	unit->address_size = cursor_u8(c);
}

/*
 * The header at @offset. False: where the unit ends is not known either. A unit that cannot be read for
 * another reason is marked damaged.
 */
static bool read_header(struct debug_file *file, uint64_t offset, struct debug_unit *unit)
{
	struct cursor c = debug_section(file, DEBUG_INFO, offset);
	const uint8_t *start = c.at;
	uint64_t length = cursor_u32(&c);

	*unit = (struct debug_unit){ .file = file, .offset = offset, .offset_size = 4 };
	if (length == UINT32_MAX) {
		unit->offset_size = 8;
		length = cursor_u64(&c);
	}
	if (cursor_bad(&c) || length > cursor_left(&c))
		return false;
	c.end = c.at + length;
	unit->end = offset + (uint64_t)(c.end - start);
	unit->version = (uint8_t)cursor_u16(&c);
	if (unit->version == 5)
		read_header_5(&c, unit);
	else
		read_header_4(&c, unit);
	unit->first = offset + (uint64_t)(c.at - start);
	unit->damaged =
		cursor_bad(&c) || unit->version < 2 || unit->version > 5 || !is_size(unit->address_size);
	return true;
}

static struct debug_unit *keep_unit(struct debug_file *file, const struct debug_unit *unit)
{
	struct debug_unit *copy = arena_alloc(&file->arena, sizeof(*copy));

	*copy = *unit;
	return copy;
}

void debug_file_list(struct debug_file *file)
{
	struct cursor index = debug_section(file, DEBUG_CU_INDEX, 0);
	struct debug_unit unit;
	uint64_t at = 0;

	if (file->listed)
		return;
	file->listed = true;
	if (file->split && cursor_left(&index))
		return;
	for (; read_header(file, at, &unit); at = unit.end) {
		if (!unit.damaged)
			vec_push(&file->units, keep_unit(file, &unit));
	}
}

struct debug_unit *debug_file_unit(struct debug_file *file, uint64_t offset)
{
	debug_file_list(file);
	size_t low = 0, high = file->units.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (file->units.at[middle]->offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	struct debug_unit *unit = low ? file->units.at[low - 1] : NULL;
	return unit && offset < unit->end ? unit : NULL;
}

struct debug_abbrevs *debug_file_abbrevs(const struct debug_unit *unit)
{
	struct debug_file *file = unit->file;
	uint64_t key = unit->abbrev_offset + (unit->parts ? unit->parts->offset[DEBUG_ABBREV] : 0);
	uint64_t sizes = unit->address_size | unit->offset_size << 8 | unit->version << 16;
	struct debug_abbrevs *abbrevs = hash_get_ptr(&file->abbrevs, key, sizes);

	if (abbrevs)
		return abbrevs;
	struct debug_abbrev_sizes form_sizes = { unit->address_size, unit->offset_size, unit->version };
	struct cursor table = debug_unit_section(unit, DEBUG_ABBREV, unit->abbrev_offset);
	abbrevs = debug_abbrevs_new(table, &form_sizes, &file->left[DEBUG_ABBREV]);
	hash_put_ptr(&file->abbrevs, key, sizes, abbrevs);
	vec_push(&file->all_abbrevs, abbrevs);
	return abbrevs;
}

/* ---- packages of split units ---- */

/* The column numbers of an index: DW_SECT_* of DWARF 5, and of the GNU form before it where they differ. */
static int section_of_column(uint32_t column, unsigned version)
{
	switch (column) {
	case 1:
		return DEBUG_INFO;
	case 3:
		return DEBUG_ABBREV;
	case 4:
		return DEBUG_LINE;
	case 6:
		return DEBUG_STR_OFFSETS;
	case 8:
		return version == 5 ? DEBUG_RNGLISTS : -1;
	default:
		return -1;
	}
}

struct index {
	unsigned version;
	uint32_t nr_columns, nr_units, nr_slots;
	struct cursor ids, rows, columns, offsets, sizes;
};

/* The next @count numbers of @size bytes. */
static struct cursor take(struct cursor *c, uint64_t count, size_t size)
{
	struct cursor part = *c;

	if (c->bad || count > cursor_left(c) / size) {
		c->bad = true;
		return cursor_make("", 0, c->big_endian);
	}
	cursor_skip(c, (size_t)count * size);
	part.end = c->at;
	return part;
}

static bool read_index(struct debug_file *file, struct index *ret)
{
	struct cursor c = debug_section(file, DEBUG_CU_INDEX, 0);
	uint32_t version = cursor_u32(&c);

	/* DWARF 5: 16 bits and two zero bytes. */
	ret->version = version == 5 << 16 ? 5 : version;
	ret->nr_columns = cursor_u32(&c);
	ret->nr_units = cursor_u32(&c);
	ret->nr_slots = cursor_u32(&c);
	if (cursor_bad(&c) || (ret->version != 2 && ret->version != 5) || !ret->nr_slots ||
	    ret->nr_slots & (ret->nr_slots - 1))
		return false;
	ret->ids = take(&c, ret->nr_slots, 8);
	ret->rows = take(&c, ret->nr_slots, 4);
	ret->columns = take(&c, ret->nr_columns, 4);
	ret->offsets = take(&c, (uint64_t)ret->nr_units * ret->nr_columns, 4);
	ret->sizes = take(&c, (uint64_t)ret->nr_units * ret->nr_columns, 4);
	return !cursor_bad(&c);
}

static uint32_t number_at(const struct cursor *numbers, uint64_t index)
{
	return load_u32(numbers->at + index * 4, numbers->big_endian);
}

/* The row of an id, counted from 1; 0: there is none. */
static uint32_t find_row(const struct index *index, uint64_t id)
{
	uint32_t mask = index->nr_slots - 1;
	uint32_t slot = (uint32_t)id & mask, step = ((uint32_t)(id >> 32) & mask) | 1;

	for (uint32_t i = 0; i < index->nr_slots; i++) {
		uint32_t row = number_at(&index->rows, slot);
		if (!row || row > index->nr_units)
			return 0;
		if (load_u64(index->ids.at + (size_t)slot * 8, index->ids.big_endian) == id)
			return row;
		slot = (slot + step) & mask;
	}
	return 0;
}

struct debug_unit *debug_file_packed_unit(struct debug_file *file, uint64_t dwo_id)
{
	struct debug_parts parts = { 0 };
	struct debug_unit unit;
	struct index index;

	uint32_t row = read_index(file, &index) ? find_row(&index, dwo_id) : 0;
	for (uint32_t i = 0; row && i < index.nr_columns; i++) {
		int section = section_of_column(number_at(&index.columns, i), index.version);
		uint64_t cell = (uint64_t)(row - 1) * index.nr_columns + i;
		if (section < 0)
			continue;
		parts.given[section] = true;
		parts.offset[section] = number_at(&index.offsets, cell);
		parts.size[section] = number_at(&index.sizes, cell);
	}
	if (!parts.given[DEBUG_INFO] || !read_header(file, parts.offset[DEBUG_INFO], &unit) || unit.damaged)
		return NULL;
	unit.parts = arena_alloc(&file->arena, sizeof(parts));
	*unit.parts = parts;
	return keep_unit(file, &unit);
}
