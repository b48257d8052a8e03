#include "symbolize/debug_lines.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/debug_entry.h"
#include "util/vec.h"
#include "util/xalloc.h"

struct source_file {
	const char *name;
	uint64_t folder;
	const char *path; /* NULL: not put together yet */
};

struct debug_lines {
	const struct debug_unit *unit;
	uint8_t version, offset_size, address_size;
	struct cursor program;
	bool programmed; /* rows are there */
	uint8_t min_length, max_ops, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *operands; /* of the standard opcodes from 1 on */
	VEC(const char *) folders;
	VEC(struct source_file) files;
	VEC(struct debug_row) rows;
	struct arena arena;
};

/* ---- the header ---- */

static uint64_t read_offset(struct cursor *c, const struct debug_lines *lines)
{
	return lines->offset_size == 8 ? cursor_u64(c) : cursor_u32(c);
}

/* DWARF 2 to 4: folders, then files, each list with an empty one at its end. Files count from 1. */
static bool read_names_4(struct cursor *c, struct debug_lines *lines, const char *comp_dir)
{
	const char *name;

	vec_push(&lines->folders, comp_dir);
	while ((name = cursor_string(c)) && *name)
		vec_push(&lines->folders, name);
	vec_push(&lines->files, ((struct source_file){ .name = NULL }));
	while ((name = cursor_string(c)) && *name) {
		struct source_file file = { .name = name, .folder = cursor_uleb128(c) };
		cursor_uleb128(c); /* when it was changed */
		cursor_uleb128(c); /* its size */
		vec_push(&lines->files, file);
	}
	return !cursor_bad(c);
}

/* What each entry of a list of DWARF 5 consists of. */
struct format {
	unsigned count;
	struct {
		uint64_t content;
		uint16_t form;
	} parts[255];
};

static void read_format(struct cursor *c, struct format *ret)
{
	ret->count = cursor_u8(c);
	for (unsigned i = 0; i < ret->count; i++) {
		ret->parts[i].content = cursor_uleb128(c);
		uint64_t form = cursor_uleb128(c);
		ret->parts[i].form = form <= UINT16_MAX ? (uint16_t)form : 0;
	}
}

static bool read_named(struct cursor *c, const struct debug_lines *lines, const struct format *format,
		       struct source_file *ret)
{
	struct debug_unit unit = *lines->unit;

	unit.offset_size = lines->offset_size;
	*ret = (struct source_file){ 0 };
	for (unsigned i = 0; i < format->count; i++) {
		struct debug_value value = { .form = format->parts[i].form };
		if (!debug_value_read(c, &unit, &value))
			return false;
		if (format->parts[i].content == DW_LNCT_path)
			ret->name = debug_form_string(&unit, &value);
		else if (format->parts[i].content == DW_LNCT_directory_index)
			ret->folder = value.number;
	}
	return ret->name != NULL;
}

static bool read_names_5(struct cursor *c, struct debug_lines *lines)
{
	struct format format;
	struct source_file named;

	read_format(c, &format);
	for (uint64_t count = cursor_uleb128(c); count; count--) {
		if (!format.count || !read_named(c, lines, &format, &named))
			return false;
		vec_push(&lines->folders, named.name);
	}
	read_format(c, &format);
	for (uint64_t count = cursor_uleb128(c); count; count--) {
		if (!format.count || !read_named(c, lines, &format, &named))
			return false;
		vec_push(&lines->files, named);
	}
	return !cursor_bad(c);
}

static bool read_header(struct cursor *c, struct debug_lines *lines, const char *comp_dir)
{
	uint64_t length = cursor_u32(c);

	lines->offset_size = length == UINT32_MAX ? 8 : 4;
	if (length == UINT32_MAX)
		length = cursor_u64(c);
	if (cursor_bad(c) || length > cursor_left(c))
		return false;
	c->end = c->at + length;
	uint16_t version = cursor_u16(c);
	if (version < 2 || version > 5)
		return false;
	lines->version = (uint8_t)version;
	lines->address_size = version == 5 ? cursor_u8(c) : lines->unit->address_size;
	cursor_skip(c, version == 5); /* the size of a segment's number */
	uint64_t header_length = read_offset(c, lines);
	if (cursor_bad(c) || header_length > cursor_left(c))
		return false;
	lines->program = *c;
	cursor_skip(&lines->program, (size_t)header_length);
	c->end = c->at + header_length;
	lines->min_length = cursor_u8(c);
	lines->max_ops = version >= 4 ? cursor_u8(c) : 1;
	cursor_skip(c, 1); /* is_stmt at the start */
	lines->line_base = (int8_t)cursor_u8(c);
	lines->line_range = cursor_u8(c);
	lines->opcode_base = cursor_u8(c);
	lines->operands = cursor_bytes(c, lines->opcode_base ? lines->opcode_base - 1u : 0);
	if (cursor_bad(c) || !lines->max_ops || !lines->line_range || !lines->opcode_base)
		return false;
	return version == 5 ? read_names_5(c, lines) : read_names_4(c, lines, comp_dir);
}

struct debug_lines *debug_lines_new(const struct debug_unit *unit, uint64_t offset, const char *comp_dir)
{
	struct debug_lines *lines = xcalloc(1, sizeof(*lines));
	struct cursor c = debug_unit_section(unit, DEBUG_LINE, offset);

	lines->unit = unit;
	c = debug_limit(unit->file, DEBUG_LINE, c);
	const uint8_t *start = c.at;
	bool good = read_header(&c, lines, comp_dir);
	debug_used(unit->file, DEBUG_LINE, (uint64_t)(c.at - start));
	if (good)
		return lines;
	debug_lines_free(lines);
	return NULL;
}

void debug_lines_free(struct debug_lines *lines)
{
	if (!lines)
		return;
	vec_free(&lines->folders);
	vec_free(&lines->files);
	vec_free(&lines->rows);
	arena_free(&lines->arena);
	free(lines);
}

const char *debug_lines_file(struct debug_lines *lines, uint64_t number)
{
	if (number >= lines->files.count)
		return NULL;
	struct source_file *file = &lines->files.at[number];
	if (file->path || !file->name)
		return file->path;
	const char *folder = file->folder < lines->folders.count ? lines->folders.at[file->folder] : NULL;
	if (file->name[0] == '/' || !folder) {
		file->path = file->name;
		return file->path;
	}
	size_t length = strlen(folder), name_length = strlen(file->name);
	char *path = arena_alloc(&lines->arena, length + 1 + name_length + 1);
	memcpy(path, folder, length);
	path[length] = '/';
	memcpy(path + length + 1, file->name, name_length + 1);
	file->path = path;
	return path;
}

/* ---- the program ---- */

struct state {
	struct debug_row row;
	uint64_t op_index;
};

static const struct state first_state = { .row = { .file = 1, .line = 1 } };

static void advance(const struct debug_lines *lines, struct state *state, uint64_t operations)
{
	if (lines->max_ops == 1) {
		state->row.address += operations * lines->min_length;
		return;
	}
	operations += state->op_index;
	state->row.address += operations / lines->max_ops * lines->min_length;
	state->op_index = operations % lines->max_ops;
}

static void emit(struct debug_lines *lines, const struct state *state)
{
	vec_push(&lines->rows, state->row);
}

static uint64_t read_address(struct cursor *c, size_t size)
{
	return size == 8 ? cursor_u64(c) : size == 4 ? cursor_u32(c) : 0;
}

static void add_file(struct cursor *c, struct debug_lines *lines)
{
	struct source_file file = { .name = cursor_string(c), .folder = cursor_uleb128(c) };

	if (file.name)
		vec_push(&lines->files, file);
}

/* False: damaged. */
static bool step_extended(struct cursor *c, struct debug_lines *lines, struct state *state)
{
	uint64_t size = cursor_uleb128(c);

	if (!size || size > cursor_left(c))
		return false;
	struct cursor inner = *c;
	cursor_skip(c, (size_t)size);
	inner.end = c->at;
	switch (cursor_u8(&inner)) {
	case DW_LNE_end_sequence:
		state->row.ends_sequence = true;
		emit(lines, state);
		*state = first_state;
		break;
	case DW_LNE_set_address:
		state->row.address = read_address(&inner, cursor_left(&inner));
		state->op_index = 0;
		break;
	case DW_LNE_define_file:
		add_file(&inner, lines);
		break;
	}
	return true;
}

static void skip_operands(struct cursor *c, const struct debug_lines *lines, uint8_t opcode)
{
	for (unsigned i = 0; i < lines->operands[opcode - 1]; i++)
		cursor_uleb128(c);
}

static bool step_standard(struct cursor *c, struct debug_lines *lines, struct state *state, uint8_t opcode)
{
	switch (opcode) {
	case 0:
		return step_extended(c, lines, state);
	case DW_LNS_copy:
		emit(lines, state);
		break;
	case DW_LNS_advance_pc:
		advance(lines, state, cursor_uleb128(c));
		break;
	case DW_LNS_advance_line:
		state->row.line += (uint32_t)cursor_sleb128(c);
		break;
	case DW_LNS_set_file: {
		uint64_t file = cursor_uleb128(c);
		state->row.file = file < UINT32_MAX ? (uint32_t)file : UINT32_MAX;
		break;
	}
	case DW_LNS_const_add_pc:
		advance(lines, state, (255u - lines->opcode_base) / lines->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		state->row.address += cursor_u16(c);
		state->op_index = 0;
		break;
	default: /* nothing else that counts here */
		skip_operands(c, lines, opcode);
	}
	return true;
}

static void run(struct debug_lines *lines)
{
	struct cursor c = debug_limit(lines->unit->file, DEBUG_LINE, lines->program);
	const uint8_t *start = c.at;
	struct state state = first_state;

	while (cursor_left(&c)) {
		uint8_t opcode = cursor_u8(&c);
		if (opcode >= lines->opcode_base) {
			unsigned special = opcode - lines->opcode_base;
			advance(lines, &state, special / lines->line_range);
			state.row.line += (uint32_t)(lines->line_base + (int)(special % lines->line_range));
			emit(lines, &state);
		} else if (!step_standard(&c, lines, &state, opcode)) {
			break;
		}
	}
	debug_used(lines->unit->file, DEBUG_LINE, (uint64_t)(c.at - start));
}

/* ---- look-up ---- */

struct placed {
	struct debug_row row;
	size_t place; /* in the program */
};

/* At one address the end of a sequence goes before the start of the next; else the program's order stays. */
static int compare_rows(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->row.address != y->row.address)
		return x->row.address < y->row.address ? -1 : 1;
	if (x->row.ends_sequence != y->row.ends_sequence)
		return x->row.ends_sequence ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static bool is_sorted(const struct debug_lines *lines)
{
	for (size_t i = 1; i < lines->rows.count; i++) {
		const struct debug_row *a = &lines->rows.at[i - 1], *b = &lines->rows.at[i];
		if (b->address < a->address || (b->address == a->address && b->ends_sequence))
			return false;
	}
	return true;
}

static void sort_rows(struct debug_lines *lines)
{
	size_t count = lines->rows.count;

	if (is_sorted(lines))
		return;
	AUTOFREE struct placed *placed = xcalloc(count, sizeof(*placed));
	for (size_t i = 0; i < count; i++)
		placed[i] = (struct placed){ lines->rows.at[i], i };
	qsort(placed, count, sizeof(*placed), compare_rows);
	for (size_t i = 0; i < count; i++)
		lines->rows.at[i] = placed[i].row;
}

const struct debug_row *debug_lines_find(struct debug_lines *lines, uint64_t address)
{
	if (!lines->programmed) {
		lines->programmed = true;
		run(lines);
		sort_rows(lines);
		/* Where the end is missing the last row must not go on for ever. */
		if (lines->rows.count)
			lines->rows.at[lines->rows.count - 1].ends_sequence = true;
	}
	size_t low = 0, high = lines->rows.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (lines->rows.at[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	const struct debug_row *row = low ? &lines->rows.at[low - 1] : NULL;
	return row && !row->ends_sequence ? row : NULL;
}
