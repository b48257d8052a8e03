#include "symbolize/debug_entry.h"

#include <dwarf.h>
#include <string.h>

/* Where an entry begins, inside of the section. */
static struct cursor entry_cursor(const struct debug_unit *unit, uint64_t offset)
{
	struct cursor c = debug_section(unit->file, DEBUG_INFO, offset);
	uint64_t left = unit->end - offset;

	if (left < cursor_left(&c))
		c.end = c.at + left;
	return c;
}

static const uint8_t *section_start(const struct debug_unit *unit)
{
	return unit->file->data[DEBUG_INFO];
}

/* ---- values ---- */

static uint64_t read_sized(struct cursor *c, int size)
{
	uint8_t wide[8] = { 0 };
	const uint8_t *bytes;

	switch (size) {
	case 0:
		return 0;
	case 1:
		return cursor_u8(c);
	case 2:
		return cursor_u16(c);
	case 4:
		return cursor_u32(c);
	case 8:
		return cursor_u64(c);
	case 3:
		bytes = cursor_bytes(c, 3);
		if (bytes)
			memcpy(c->big_endian ? wide + 1 : wide, bytes, 3);
		return load_u32(wide, c->big_endian);
	default: /* DW_FORM_data16: a checksum */
		cursor_skip(c, (size_t)size);
		return 0;
	}
}

static bool skip_block(struct cursor *c, uint64_t size)
{
	if (size > cursor_left(c))
		return false;
	cursor_skip(c, (size_t)size);
	return true;
}

/* Forms whose length depends on the value. */
static bool read_varying(struct cursor *c, struct debug_value *value)
{
	const uint8_t *start = c->at;

	switch (value->form) {
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		value->number = cursor_uleb128(c);
		return true;
	case DW_FORM_sdata:
		value->number = (uint64_t)cursor_sleb128(c);
		return true;
	case DW_FORM_string:
		value->number = (uintptr_t)start;
		return cursor_string(c) != NULL;
	case DW_FORM_block1:
		return skip_block(c, cursor_u8(c));
	case DW_FORM_block2:
		return skip_block(c, cursor_u16(c));
	case DW_FORM_block4:
		return skip_block(c, cursor_u32(c));
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return skip_block(c, cursor_uleb128(c));
	default:
		return false;
	}
}

bool debug_value_read(struct cursor *c, const struct debug_unit *unit, struct debug_value *value)
{
	struct debug_abbrev_sizes sizes = { unit->address_size, unit->offset_size, unit->version };

	if (value->form == DW_FORM_indirect) {
		uint64_t form = cursor_uleb128(c);
		/* Indirect again, or with a constant that only an abbreviation can have, makes no sense. */
		if (form > UINT16_MAX || form == DW_FORM_indirect || form == DW_FORM_implicit_const)
			return false;
		value->form = (uint16_t)form;
	}
	int size = debug_form_size(value->form, &sizes);
	if (size < 0)
		return read_varying(c, value) && !cursor_bad(c);
	value->number = read_sized(c, size);
	return !cursor_bad(c);
}

/* ---- entries ---- */

static bool read_attributes(struct cursor *c, const struct debug_abbrev *abbrev,
			    const struct debug_spec *specs, struct debug_entry *ret)
{
	for (uint32_t i = 0; i < abbrev->count; i++) {
		struct debug_value value = { .form = specs[i].form };
		if (!debug_value_read(c, ret->unit, &value))
			return false;
		if (specs[i].attr == NR_ATTRS)
			continue;
		if (value.form == DW_FORM_implicit_const)
			value.number = (uint64_t)specs[i].constant;
		ret->has |= UINT32_C(1) << specs[i].attr;
		ret->values[specs[i].attr] = value;
	}
	return true;
}

bool debug_entry_read(struct debug_unit *unit, uint64_t offset, struct debug_entry *ret)
{
	if (unit->damaged || offset < unit->first || offset >= unit->end)
		return false;
	struct cursor c = entry_cursor(unit, offset);
	uint64_t code = cursor_uleb128(&c);

	ret->unit = unit;
	ret->offset = offset;
	ret->tag = 0;
	ret->has = 0;
	ret->has_children = false;
	if (code) {
		const struct debug_abbrev *abbrev = debug_abbrevs_find(unit->abbrevs, code);
		/* Number 0 would be taken for the end of a list. */
		if (!abbrev || !abbrev->tag)
			return false;
		ret->tag = abbrev->tag;
		ret->has_children = abbrev->has_children;
		if (abbrev->skip >= 0)
			cursor_skip(&c, (size_t)abbrev->skip);
		else if (!read_attributes(&c, abbrev, debug_abbrevs_specs(unit->abbrevs, abbrev), ret))
			return false;
	}
	ret->next = (uint64_t)(c.at - section_start(unit));
	return !cursor_bad(&c);
}

struct debug_walk debug_walk_below(const struct debug_entry *top)
{
	return (struct debug_walk){ top->unit, top->next, top->has_children };
}

/* Read the next entry, or the end of a list. False: it is damaged. */
static bool step(struct debug_walk *walk, struct debug_entry *ret)
{
	if (!debug_entry_read(walk->unit, walk->at, ret)) {
		walk->depth = 0;
		return false;
	}
	walk->at = ret->next;
	ret->depth = walk->depth;
	if (!ret->tag)
		walk->depth--;
	else
		walk->depth += ret->has_children;
	return true;
}

bool debug_walk_next(struct debug_walk *walk, struct debug_entry *ret)
{
	while (walk->depth && step(walk, ret)) {
		if (ret->tag)
			return true;
	}
	return false;
}

void debug_walk_over(struct debug_walk *walk, const struct debug_entry *entry)
{
	const struct debug_value *sibling = &entry->values[ATTR_SIBLING];
	struct debug_entry below;

	if (!entry->has_children)
		return;
	/* Within the unit, and only forward: walks must end. */
	if (debug_has(entry, ATTR_SIBLING) && sibling->number < entry->unit->end - entry->unit->offset &&
	    entry->unit->offset + sibling->number > entry->next) {
		walk->at = entry->unit->offset + sibling->number;
		walk->depth = entry->depth;
		return;
	}
	while (walk->depth > entry->depth && step(walk, &below))
		;
}

/* ---- units ---- */

/* A base that the unit does not give is behind the table's header in DWARF 5, and 0 before it. */
static uint64_t base_of(const struct debug_entry *first, enum debug_attr attr, unsigned header)
{
	const struct debug_unit *unit = first->unit;

	if (debug_has(first, attr))
		return first->values[attr].number;
	if (unit->version < 5)
		return 0;
	return header + (unit->offset_size == 8 ? 8 : 0);
}

static uint64_t address_of(const struct debug_unit *unit, const struct debug_value *value);

bool debug_unit_open(struct debug_unit *unit, struct debug_entry *ret)
{
	if (!unit->opened) {
		unit->opened = true;
		unit->abbrevs = debug_file_abbrevs(unit);
	}
	if (!debug_entry_read(unit, unit->first, ret) || !ret->tag) {
		unit->damaged = true;
		return false;
	}
	unit->str_offsets_base = base_of(ret, ATTR_STR_OFFSETS_BASE, 8);
	unit->addr_base = base_of(ret, ATTR_ADDR_BASE, 8);
	unit->rnglists_base = base_of(ret, ATTR_RNGLISTS_BASE, 12);
	unit->ranges_base =
		debug_has(ret, ATTR_GNU_RANGES_BASE) ? ret->values[ATTR_GNU_RANGES_BASE].number : 0;
	if (debug_has(ret, ATTR_LOW_PC))
		unit->low_pc = address_of(unit, &ret->values[ATTR_LOW_PC]);
	return true;
}

/* ---- what values mean ---- */

/* Number @index of a table of numbers of @size bytes; 0 beyond its end. */
static uint64_t table_entry(struct cursor c, uint64_t index, unsigned size)
{
	if (index >= cursor_left(&c) / size)
		return 0;
	cursor_skip(&c, (size_t)index * size);
	return size == 8 ? cursor_u64(&c) : cursor_u32(&c);
}

/* Addresses are all in the file that was linked. */
static uint64_t indexed_address(const struct debug_unit *unit, uint64_t index)
{
	const struct debug_unit *linked = unit->skeleton ? unit->skeleton : unit;

	return table_entry(debug_section(linked->file, DEBUG_ADDR, linked->addr_base), index,
			   linked->address_size);
}

static bool is_address(unsigned form)
{
	switch (form) {
	case DW_FORM_addr:
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return true;
	default:
		return false;
	}
}

/* 0 for what is no address: no code is there. */
static uint64_t address_of(const struct debug_unit *unit, const struct debug_value *value)
{
	if (value->form == DW_FORM_addr)
		return value->number;
	return is_address(value->form) ? indexed_address(unit, value->number) : 0;
}

const char *debug_form_string(const struct debug_unit *unit, const struct debug_value *value)
{
	struct debug_file *file = unit->file;

	switch (value->form) {
	case DW_FORM_string:
		return (const char *)(uintptr_t)value->number;
	case DW_FORM_strp:
		return debug_text(file, DEBUG_STR, value->number);
	case DW_FORM_line_strp:
		return debug_text(file, DEBUG_LINE_STR, value->number);
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_strp_sup:
		return file->alt ? debug_text(file->alt, DEBUG_STR, value->number) : NULL;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		break;
	default:
		return NULL;
	}
	struct cursor table = debug_unit_section(unit, DEBUG_STR_OFFSETS, unit->str_offsets_base);
	if (value->number >= cursor_left(&table) / unit->offset_size)
		return NULL;
	return debug_text(file, DEBUG_STR, table_entry(table, value->number, unit->offset_size));
}

const char *debug_string(const struct debug_entry *entry, enum debug_attr attr)
{
	return debug_has(entry, attr) ? debug_form_string(entry->unit, &entry->values[attr]) : NULL;
}

uint64_t debug_number(const struct debug_entry *entry, enum debug_attr attr)
{
	return debug_has(entry, attr) ? entry->values[attr].number : UINT64_MAX;
}

static bool read_in(struct debug_file *file, uint64_t offset, struct debug_entry *ret)
{
	struct debug_unit *unit = file ? debug_file_unit(file, offset) : NULL;

	if (!unit || (!unit->opened && !debug_unit_open(unit, ret)))
		return false;
	return debug_entry_read(unit, offset, ret) && ret->tag;
}

bool debug_referred(const struct debug_entry *entry, enum debug_attr attr, struct debug_entry *ret)
{
	struct debug_unit *unit = entry->unit;
	uint64_t number = debug_number(entry, attr);

	if (!debug_has(entry, attr))
		return false;
	switch (entry->values[attr].form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		return number < unit->end - unit->offset &&
		       debug_entry_read(unit, unit->offset + number, ret) && ret->tag;
	case DW_FORM_ref_addr:
		return read_in(unit->file, number, ret);
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		return read_in(unit->file->alt, number, ret);
	default: /* functions are in no type unit (DW_FORM_ref_sig8) */
		return false;
	}
}

bool debug_origin(const struct debug_entry *entry, struct debug_entry *ret)
{
	enum debug_attr attr = debug_has(entry, ATTR_ORIGIN) ? ATTR_ORIGIN : ATTR_SPECIFICATION;

	return debug_referred(entry, attr, ret);
}

/* ---- ranges ---- */

/* DWARF 2 to 4; the list of a split unit is in the file that was linked. */
static void open_pairs(struct debug_ranges *ranges, uint64_t offset)
{
	const struct debug_unit *skeleton = ranges->unit->skeleton;

	ranges->file = skeleton ? skeleton->file : ranges->unit->file;
	ranges->section = DEBUG_RANGES;
	ranges->list =
		debug_section(ranges->file, DEBUG_RANGES, offset + (skeleton ? skeleton->ranges_base : 0));
}

/* DWARF 5 */
static void open_list(struct debug_ranges *ranges, const struct debug_value *value)
{
	const struct debug_unit *unit = ranges->unit;
	uint64_t offset = value->number;

	if (value->form == DW_FORM_rnglistx) {
		struct cursor table = debug_unit_section(unit, DEBUG_RNGLISTS, unit->rnglists_base);
		offset = unit->rnglists_base + table_entry(table, offset, unit->offset_size);
	}
	ranges->file = unit->file;
	ranges->section = DEBUG_RNGLISTS;
	ranges->list = debug_unit_section(unit, DEBUG_RNGLISTS, offset);
}

struct debug_ranges debug_ranges_of(const struct debug_entry *entry)
{
	const struct debug_unit *unit = entry->unit;
	struct debug_ranges ranges = { .unit = unit, .kind = RANGES_END };

	if (debug_has(entry, ATTR_LOW_PC) && debug_has(entry, ATTR_HIGH_PC)) {
		const struct debug_value *high = &entry->values[ATTR_HIGH_PC];
		ranges.kind = RANGES_ONE;
		ranges.start = address_of(unit, &entry->values[ATTR_LOW_PC]);
		ranges.end = is_address(high->form) ? address_of(unit, high) : ranges.start + high->number;
	} else if (debug_has(entry, ATTR_RANGES)) {
		const struct debug_value *value = &entry->values[ATTR_RANGES];
		ranges.kind = unit->version < 5 ? RANGES_PAIRS : RANGES_LIST;
		ranges.base = unit->skeleton ? unit->skeleton->low_pc : unit->low_pc;
		if (unit->version < 5)
			open_pairs(&ranges, value->number);
		else
			open_list(&ranges, value);
		ranges.list = debug_limit(ranges.file, ranges.section, ranges.list);
	}
	return ranges;
}

static uint64_t read_address(struct debug_ranges *ranges)
{
	return ranges->unit->address_size == 8 ? cursor_u64(&ranges->list) : cursor_u32(&ranges->list);
}

static bool next_pair(struct debug_ranges *ranges, uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t all_bits = ranges->unit->address_size == 8 ? UINT64_MAX : UINT32_MAX;

	for (;;) {
		uint64_t start = read_address(ranges), end = read_address(ranges);
		if (cursor_bad(&ranges->list) || (!start && !end))
			return false;
		if (start == all_bits) {
			ranges->base = end;
			continue;
		}
		*ret_start = ranges->base + start;
		*ret_end = ranges->base + end;
		return true;
	}
}

static uint64_t read_indexed(struct debug_ranges *ranges)
{
	return indexed_address(ranges->unit, cursor_uleb128(&ranges->list));
}

static bool next_in_list(struct debug_ranges *ranges, uint64_t *ret_start, uint64_t *ret_end)
{
	struct cursor *c = &ranges->list;

	for (;;) {
		switch (cursor_u8(c)) {
		case DW_RLE_base_addressx:
			ranges->base = read_indexed(ranges);
			continue;
		case DW_RLE_base_address:
			ranges->base = read_address(ranges);
			continue;
		case DW_RLE_startx_endx:
			*ret_start = read_indexed(ranges);
			*ret_end = read_indexed(ranges);
			break;
		case DW_RLE_startx_length:
			*ret_start = read_indexed(ranges);
			*ret_end = *ret_start + cursor_uleb128(c);
			break;
		case DW_RLE_offset_pair:
			*ret_start = ranges->base + cursor_uleb128(c);
			*ret_end = ranges->base + cursor_uleb128(c);
			break;
		case DW_RLE_start_end:
			*ret_start = read_address(ranges);
			*ret_end = read_address(ranges);
			break;
		case DW_RLE_start_length:
			*ret_start = read_address(ranges);
			*ret_end = *ret_start + cursor_uleb128(c);
			break;
		default: /* DW_RLE_end_of_list, or unknown; the end of the bytes reads as the former */
			return false;
		}
		return !cursor_bad(c);
	}
}

bool debug_ranges_next(struct debug_ranges *ranges, uint64_t *ret_start, uint64_t *ret_end)
{
	const uint8_t *before = ranges->list.at;
	bool found;

	switch (ranges->kind) {
	case RANGES_ONE:
		ranges->kind = RANGES_END;
		*ret_start = ranges->start;
		*ret_end = ranges->end;
		return true;
	case RANGES_PAIRS:
		found = next_pair(ranges, ret_start, ret_end);
		break;
	case RANGES_LIST:
		found = next_in_list(ranges, ret_start, ret_end);
		break;
	default:
		return false;
	}
	debug_used(ranges->file, ranges->section, (uint64_t)(ranges->list.at - before));
	if (!found)
		ranges->kind = RANGES_END;
	return found;
}
