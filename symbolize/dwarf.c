#include "symbolize/dwarf.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/debug_entry.h"
#include "symbolize/debug_file.h"
#include "symbolize/debug_lines.h"
#include "symbolize/debug_others.h"
#include "symbolize/demangle.h"
#include "symbolize/image.h"
#include "util/arena.h"
#include "util/hash.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* Deeper nesting is damage: of inlined calls, 60 is a lot; of namespaces, 20. */
#define MAX_DEPTH 256

/* So many spans that hold an address are looked at. More than two are identical functions made one. */
#define MAX_CANDIDATES 32

/* DW_AT_abstract_origin and DW_AT_specification that are followed to a name: three are common. */
#define MAX_ORIGINS 16

#define NO_NODE UINT32_MAX

/* [start, end) belongs to number `index`. In order of start; `reach` is the highest end up to here. */
struct span {
	uint64_t start, end, reach;
	uint32_t index;
};

struct spans {
	VEC(struct span) list;
};

/* One inlined call in a function. */
struct node {
	uint64_t offset;    /* of its entry */
	uint64_t call_file; /* UINT64_MAX: not said */
	uint32_t call_line; /* 0: not said */
	uint32_t parent;    /* the call that it is in, NO_NODE: the function itself */
	const char *name;   /* NULL: not asked for yet */
};

/* From start to the next one's start the innermost call is `node`. */
struct piece {
	uint64_t start;
	uint32_t node; /* NO_NODE: none */
};

struct function {
	uint64_t offset;  /* of its entry */
	const char *name; /* NULL: not asked for yet */
	bool loaded;	  /* what follows is there */
	VEC(struct node) nodes;
	VEC(struct piece) pieces;
};

struct unit {
	struct debug_unit *unit; /* has the ranges and the line table */
	struct debug_unit
		*scopes; /* has the functions: the same, or the split unit; NULL: not looked for yet */
	bool in_aranges;
	bool lines_loaded, files_loaded, functions_loaded, nested_loaded;
	struct debug_lines *lines; /* not owned */
	struct debug_lines *files; /* with the numbers of the scopes' files; not owned */
	struct spans spans;	   /* of functions */
	VEC(struct function) functions;
};

struct dwarf_info {
	struct image *image;
	struct debug_file *file;
	struct debug_others *others;
	uint64_t bias; /* addresses of the debug information minus those of the binary */
	bool has_lines, leaves_out_lines;
	bool loaded, all_ranges_loaded;
	VEC(struct unit) units;
	struct spans spans; /* of units */
	struct hash units_by_offset;
	struct hash names;  /* by the entry's place */
	struct hash tables; /* {file, offset} -> debug_lines */
	VEC(struct debug_lines *) all_tables;
	struct arena arena;
};

/* ---- spans ---- */

static void spans_add(struct spans *spans, uint64_t start, uint64_t end, uint32_t index)
{
	/* Linkers leave the code that they dropped at 0 (or at -1 and -2, where nothing fits). */
	if (start == 0 || start >= end)
		return;
	vec_push(&spans->list, ((struct span){ start, end, 0, index }));
}

static int compare_spans(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static void spans_finish(struct spans *spans)
{
	size_t kept = 0;
	uint64_t reach = 0;

	if (!spans->list.count)
		return;
	qsort(spans->list.at, spans->list.count, sizeof(*spans->list.at), compare_spans);
	for (size_t i = 0; i < spans->list.count; i++) {
		struct span span = spans->list.at[i];
		if (kept && !compare_spans(&span, &spans->list.at[kept - 1]))
			continue;
		reach = span.end > reach ? span.end : reach;
		span.reach = reach;
		spans->list.at[kept++] = span;
	}
	spans->list.count = kept;
}

/* Where in the list to begin to look for @address: at spans_next(spans, address, position). */
static size_t spans_begin(const struct spans *spans, uint64_t address)
{
	size_t low = 0, high = spans->list.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (spans->list.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The next span that holds @address, those that start last first; NULL when there is none left. */
static const struct span *spans_next(const struct spans *spans, uint64_t address, size_t *position)
{
	for (unsigned i = 0; *position > 0 && i < MAX_CANDIDATES; i++) {
		const struct span *span = &spans->list.at[--*position];
		if (span->reach <= address)
			break;
		if (span->end > address)
			return span;
	}
	*position = 0;
	return NULL;
}

/* ---- opening ---- */

static struct image *choose_image(struct image *binary, struct image *debug)
{
	if (debug_file_has(debug, ".debug_info"))
		return debug;
	if (debug_file_has(binary, ".debug_info"))
		return binary;
	if (debug_file_has(debug, ".debug_line"))
		return debug;
	return debug_file_has(binary, ".debug_line") ? binary : NULL;
}

struct dwarf_info *dwarf_info_new(struct dso_find *find, struct image *binary, struct image *debug)
{
	struct image *image = choose_image(binary, debug);

	if (!image)
		return NULL;
	struct dwarf_info *info = xcalloc(1, sizeof(*info));
	info->image = image;
	info->file = debug_file_new(image, false);
	info->others = debug_others_new(find, image, binary);
	info->file->alt = debug_others_supplement(info->others);
	info->has_lines = debug_file_has(image, ".debug_line");
	/* prelink moves a binary, but not the file with its debug information. */
	if (binary && image != binary && image->segments.count && binary->segments.count)
		info->bias = image->segments.at[0].vaddr - binary->segments.at[0].vaddr;
	return info;
}

void dwarf_info_leave_out_lines(struct dwarf_info *info)
{
	info->leaves_out_lines = true;
}

bool dwarf_info_has_lines(const struct dwarf_info *info)
{
	return info->has_lines;
}

static void forget_functions(struct unit *unit)
{
	for (size_t i = 0; i < unit->functions.count; i++) {
		vec_free(&unit->functions.at[i].nodes);
		vec_free(&unit->functions.at[i].pieces);
	}
	vec_clear(&unit->functions);
	vec_clear(&unit->spans.list);
}

void dwarf_info_free(struct dwarf_info *info)
{
	if (!info)
		return;
	for (size_t i = 0; i < info->units.count; i++) {
		forget_functions(&info->units.at[i]);
		vec_free(&info->units.at[i].functions);
		vec_free(&info->units.at[i].spans.list);
	}
	for (size_t i = 0; i < info->all_tables.count; i++)
		debug_lines_free(info->all_tables.at[i]);
	vec_free(&info->all_tables);
	hash_free(&info->tables);
	vec_free(&info->units);
	vec_free(&info->spans.list);
	hash_free(&info->units_by_offset);
	hash_free(&info->names);
	arena_free(&info->arena);
	debug_others_free(info->others);
	debug_file_free(info->file);
	free(info);
}

/* ---- the functions of a unit ---- */

/* False when the entry has no code. */
static bool add_ranges(struct spans *spans, const struct debug_entry *entry, uint32_t index)
{
	struct debug_ranges ranges = debug_ranges_of(entry);
	size_t before = spans->list.count;
	uint64_t start, end;

	while (debug_ranges_next(&ranges, &start, &end))
		spans_add(spans, start, end, index);
	return spans->list.count > before;
}

static bool is_scope(int tag, bool nested)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
		return true;
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return nested;
	default:
		return false;
	}
}

/* @nested: also functions within functions and types, which takes reading everything. */
static void add_functions(struct unit *unit, const struct debug_entry *top, bool nested)
{
	struct debug_walk walk = debug_walk_below(top);
	struct debug_entry entry;

	while (debug_walk_next(&walk, &entry)) {
		uint32_t index = (uint32_t)unit->functions.count;
		if (entry.tag == DW_TAG_subprogram && add_ranges(&unit->spans, &entry, index))
			vec_push(&unit->functions, ((struct function){ .offset = entry.offset }));
		if (!is_scope(entry.tag, nested) || entry.depth > MAX_DEPTH)
			debug_walk_over(&walk, &entry);
	}
}

static struct debug_unit *scopes_of(struct dwarf_info *info, struct unit *unit)
{
	struct debug_entry first;

	if (unit->scopes)
		return unit->scopes;
	if (debug_unit_open(unit->unit, &first))
		unit->scopes = debug_others_split(info->others, unit->unit, &first);
	if (!unit->scopes)
		unit->scopes = unit->unit;
	return unit->scopes;
}

static void load_functions(struct dwarf_info *info, struct unit *unit, bool nested)
{
	struct debug_entry top;

	if (nested ? unit->nested_loaded : unit->functions_loaded)
		return;
	unit->functions_loaded = true;
	unit->nested_loaded |= nested;
	forget_functions(unit);
	if (debug_unit_open(scopes_of(info, unit), &top))
		add_functions(unit, &top, nested);
	spans_finish(&unit->spans);
}

static struct function *find_function(struct dwarf_info *info, struct unit *unit, uint64_t address)
{
	for (int nested = 0; nested <= 1; nested++) {
		load_functions(info, unit, nested);
		size_t position = spans_begin(&unit->spans, address);
		const struct span *span = spans_next(&unit->spans, address, &position);
		if (span)
			return &unit->functions.at[span->index];
	}
	return NULL;
}

/* ---- the units ---- */

static void list_units(struct dwarf_info *info)
{
	debug_file_list(info->file);
	for (size_t i = 0; i < info->file->units.count; i++)
		vec_push(&info->units, ((struct unit){ .unit = info->file->units.at[i] }));
}

/* One table of .debug_aranges: the ranges of one unit. */
static void add_arange_table(struct dwarf_info *info, struct cursor *c, bool wide)
{
	const uint8_t *start = c->at - (wide ? 12 : 4);
	uint16_t version = cursor_u16(c);
	uint64_t offset = wide ? cursor_u64(c) : cursor_u32(c);
	uint8_t address_size = cursor_u8(c), segment_size = cursor_u8(c);
	uint64_t index = hash_get(&info->units_by_offset, offset, 0);

	if (version != 2 || (address_size != 4 && address_size != 8) || segment_size || index == HASH_NONE)
		return;
	/* Pairs are aligned to their size, from the table's start. */
	size_t beyond = (size_t)(c->at - start) % (2 * address_size);
	cursor_skip(c, beyond ? 2 * address_size - beyond : 0);
	while (cursor_left(c) >= 2 * address_size) {
		uint64_t low = address_size == 8 ? cursor_u64(c) : cursor_u32(c);
		uint64_t length = address_size == 8 ? cursor_u64(c) : cursor_u32(c);
		if (!low && !length)
			break;
		if (low + length < low)
			continue;
		spans_add(&info->spans, low, low + length, (uint32_t)index);
		info->units.at[index].in_aranges = true;
	}
}

static void add_aranges(struct dwarf_info *info)
{
	struct cursor c = debug_section(info->file, DEBUG_ARANGES, 0);

	for (size_t i = 0; i < info->units.count; i++)
		hash_put(&info->units_by_offset, info->units.at[i].unit->offset, 0, i);
	while (cursor_left(&c)) {
		uint64_t length = cursor_u32(&c);
		bool wide = length == UINT32_MAX;
		if (wide)
			length = cursor_u64(&c);
		if (cursor_bad(&c) || length > cursor_left(&c))
			return;
		struct cursor table = c;
		cursor_skip(&c, (size_t)length);
		table.end = c.at;
		add_arange_table(info, &table, wide);
	}
}

/* A unit that says nowhere what code it has: its functions do. */
static void add_function_ranges(struct dwarf_info *info, uint32_t index)
{
	struct unit *unit = &info->units.at[index];

	load_functions(info, unit, false);
	for (size_t i = 0; i < unit->spans.list.count; i++)
		spans_add(&info->spans, unit->spans.list.at[i].start, unit->spans.list.at[i].end, index);
}

static bool has_code(const struct debug_entry *first)
{
	return first->tag == DW_TAG_compile_unit || first->tag == DW_TAG_skeleton_unit;
}

static void add_unit_ranges(struct dwarf_info *info, uint32_t index)
{
	struct debug_entry first;

	if (!debug_unit_open(info->units.at[index].unit, &first) || !has_code(&first))
		return;
	if (!add_ranges(&info->spans, &first, index) && !info->units.at[index].in_aranges)
		add_function_ranges(info, index);
}

/*
 * The ranges of units, as .debug_aranges says; those units that are not in it are asked themselves. Compilers
 * may leave ranges out of it, so all are asked when an address is nowhere: that reads much of .debug_abbrev.
 */
static void load_units(struct dwarf_info *info)
{
	info->loaded = true;
	list_units(info);
	add_aranges(info);
	for (size_t i = 0; i < info->units.count; i++) {
		if (!info->units.at[i].in_aranges)
			add_unit_ranges(info, (uint32_t)i);
	}
	spans_finish(&info->spans);
}

static void load_all_ranges(struct dwarf_info *info)
{
	info->all_ranges_loaded = true;
	for (size_t i = 0; i < info->units.count; i++) {
		if (info->units.at[i].in_aranges)
			add_unit_ranges(info, (uint32_t)i);
	}
	spans_finish(&info->spans);
}

/* Where to begin in the spans of units to look for @address. */
static size_t find_units(struct dwarf_info *info, uint64_t address)
{
	if (!info->loaded)
		load_units(info);
	size_t begin = spans_begin(&info->spans, address), position = begin;
	if (info->all_ranges_loaded || spans_next(&info->spans, address, &position))
		return begin;
	load_all_ranges(info);
	return spans_begin(&info->spans, address);
}

/* ---- the inlined calls of a function ---- */

struct nest {
	struct function *function;
	struct spans spans; /* of nodes */
};

static void add_call(struct nest *nest, const struct debug_entry *entry, uint32_t parent)
{
	uint64_t line = debug_number(entry, ATTR_CALL_LINE);
	struct node node = { .offset = entry->offset, .parent = parent };

	node.call_file = debug_number(entry, ATTR_CALL_FILE);
	node.call_line = line <= UINT32_MAX ? (uint32_t)line : 0;
	vec_push(&nest->function->nodes, node);
}

/* Calls are in each other or in blocks; `parents` has the innermost one at each depth. */
static void add_calls(struct nest *nest, const struct debug_entry *top)
{
	struct debug_walk walk = debug_walk_below(top);
	uint32_t parents[MAX_DEPTH + 2];
	struct debug_entry entry;

	parents[1] = NO_NODE;
	while (debug_walk_next(&walk, &entry)) {
		uint32_t node = (uint32_t)nest->function->nodes.count, parent = parents[entry.depth];
		bool into = entry.depth <= MAX_DEPTH;
		switch (entry.tag) {
		case DW_TAG_inlined_subroutine:
			into = into && add_ranges(&nest->spans, &entry, node);
			if (!into)
				break;
			add_call(nest, &entry, parent);
			parent = node;
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			break;
		default:
			into = false;
		}
		if (into)
			parents[entry.depth + 1] = parent;
		else
			debug_walk_over(&walk, &entry);
	}
}

static void add_piece(struct function *function, uint64_t start, uint32_t node)
{
	size_t nr = function->pieces.count;

	if (nr && function->pieces.at[nr - 1].start == start)
		function->pieces.at[nr - 1].node = node;
	else
		vec_push(&function->pieces, ((struct piece){ start, node }));
}

/*
 * Spans that lie in each other (sorted by start, the outer one first) become pieces side by side. One that
 * sticks out of the span around it is cut there: calls are looked for from the outside in.
 */
static void flatten(struct nest *nest)
{
	VEC(struct span) open = { 0 };

	for (size_t i = 0; i <= nest->spans.list.count; i++) {
		bool last = i == nest->spans.list.count;
		struct span span = last ? (struct span){ .start = UINT64_MAX } : nest->spans.list.at[i];
		while (open.count && open.at[open.count - 1].end <= span.start) {
			uint64_t end = open.at[--open.count].end;
			add_piece(nest->function, end, open.count ? open.at[open.count - 1].index : NO_NODE);
		}
		if (last)
			break;
		if (open.count && span.end > open.at[open.count - 1].end)
			span.end = open.at[open.count - 1].end;
		add_piece(nest->function, span.start, span.index);
		vec_push(&open, span);
	}
	vec_free(&open);
}

static void load_calls(struct unit *unit, struct function *function)
{
	struct nest nest = { .function = function };
	struct debug_entry top;

	function->loaded = true;
	if (debug_entry_read(unit->scopes, function->offset, &top))
		add_calls(&nest, &top);
	spans_finish(&nest.spans);
	flatten(&nest);
	vec_free(&nest.spans.list);
}

static uint32_t find_call(struct unit *unit, struct function *function, uint64_t address)
{
	if (!function->loaded)
		load_calls(unit, function);
	size_t low = 0, high = function->pieces.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (function->pieces.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? function->pieces.at[low - 1].node : NO_NODE;
}

/* ---- answers ---- */

/* A function's names are at whatever it is a copy or the body of. */
static const char *make_name(struct dwarf_info *info, const struct debug_entry *function)
{
	static const enum debug_attr attrs[] = { ATTR_LINKAGE_NAME, ATTR_MIPS_LINKAGE_NAME, ATTR_NAME };
	const char *names[3] = { NULL, NULL, NULL };
	struct debug_entry entry = *function, origin;

	for (unsigned step = 0; step <= MAX_ORIGINS; step++) {
		for (unsigned i = 0; i < 3; i++) {
			if (!names[i])
				names[i] = debug_string(&entry, attrs[i]);
		}
		if (names[0] || !debug_origin(&entry, &origin))
			break;
		entry = origin;
	}
	const char *linkage = names[0] ? names[0] : names[1];
	if (linkage) {
		AUTOFREE char *demangled = demangle_symbol(linkage);
		return demangled ? arena_strndup(&info->arena, demangled, strlen(demangled)) : linkage;
	}
	return names[2] ? names[2] : "??";
}

/* All calls of a function have the same name: kept by what they are copies of. */
static const char *name_of(struct dwarf_info *info, struct debug_unit *unit, uint64_t offset)
{
	struct debug_entry entry, origin;

	if (!debug_entry_read(unit, offset, &entry))
		return "??";
	const struct debug_entry *named =
		debug_has(&entry, ATTR_ORIGIN) && debug_origin(&entry, &origin) ? &origin : &entry;
	uintptr_t file = (uintptr_t)named->unit->file;
	const char *name = hash_get_ptr(&info->names, file, named->offset);
	if (name)
		return name;
	name = make_name(info, &entry);
	hash_put_ptr(&info->names, file, named->offset, (void *)(uintptr_t)name);
	return name;
}

struct place {
	const char *file;
	uint32_t line;
};

/* Units may share a table. */
static struct debug_lines *table_at(struct dwarf_info *info, struct debug_unit *unit, uint64_t offset,
				    const char *comp_dir)
{
	uint64_t part = unit->parts ? unit->parts->offset[DEBUG_LINE] : 0;
	struct debug_lines *lines = hash_get_ptr(&info->tables, (uintptr_t)unit->file, part + offset);

	if (lines)
		return lines;
	lines = debug_lines_new(unit, offset, comp_dir);
	if (!lines)
		return NULL;
	hash_put_ptr(&info->tables, (uintptr_t)unit->file, part + offset, lines);
	vec_push(&info->all_tables, lines);
	return lines;
}

static struct debug_lines *table_of(struct dwarf_info *info, struct debug_unit *unit)
{
	struct debug_entry first;

	if (!debug_unit_open(unit, &first) || !debug_has(&first, ATTR_STMT_LIST))
		return NULL;
	return table_at(info, unit, debug_number(&first, ATTR_STMT_LIST),
			debug_string(&first, ATTR_COMP_DIR));
}

static struct debug_lines *lines_of(struct dwarf_info *info, struct unit *unit)
{
	if (!unit->lines_loaded) {
		unit->lines_loaded = true;
		unit->lines = table_of(info, unit->unit);
	}
	return unit->lines;
}

/* A split unit may have a table of files of its own, without rows. */
static struct debug_lines *files_of(struct dwarf_info *info, struct unit *unit)
{
	struct debug_unit *scopes = scopes_of(info, unit);
	struct debug_entry first;

	if (unit->files_loaded)
		return unit->files;
	unit->files_loaded = true;
	struct cursor own = debug_unit_section(scopes, DEBUG_LINE, 0);
	if (scopes != unit->unit && cursor_left(&own) && debug_unit_open(scopes, &first)) {
		uint64_t offset =
			debug_has(&first, ATTR_STMT_LIST) ? debug_number(&first, ATTR_STMT_LIST) : 0;
		unit->files = table_at(info, scopes, offset, debug_string(&first, ATTR_COMP_DIR));
	} else {
		unit->files = lines_of(info, unit);
	}
	return unit->files;
}

/* Where an inlined call was written. */
static struct place call_place(struct dwarf_info *info, struct unit *unit, const struct node *node)
{
	if (info->leaves_out_lines)
		return (struct place){ 0 };
	struct debug_lines *files = files_of(info, unit);
	return (struct place){ files ? debug_lines_file(files, node->call_file) : NULL, node->call_line };
}

static bool find_row(struct dwarf_info *info, struct unit *unit, uint64_t address, struct place *ret)
{
	struct debug_lines *lines = info->leaves_out_lines ? NULL : lines_of(info, unit);
	const struct debug_row *row = lines ? debug_lines_find(lines, address) : NULL;

	if (!row)
		return false;
	ret->file = debug_lines_file(lines, row->file);
	ret->line = row->line;
	return ret->file != NULL;
}

static void answer_calls(struct dwarf_info *info, struct unit *unit, struct function *function,
			 uint64_t address, struct dwarf_answer *ret)
{
	uint32_t first = find_call(unit, function, address), nr = 0;
	struct place place = { ret->file, ret->line };

	for (uint32_t n = first; n != NO_NODE; n = function->nodes.at[n].parent)
		nr++;
	struct inline_call *calls = nr ? arena_alloc(&info->arena, nr * sizeof(*calls)) : NULL;
	ret->inlines = calls;
	ret->nr_inlines = nr;
	for (uint32_t n = first; n != NO_NODE; n = function->nodes.at[n].parent) {
		struct node *node = &function->nodes.at[n];
		if (!node->name)
			node->name = name_of(info, unit->scopes, node->offset);
		*calls++ = (struct inline_call){ node->name, place.file, place.line };
		place = call_place(info, unit, node);
	}
	if (!function->name)
		function->name = name_of(info, unit->scopes, function->offset);
	ret->function = function->name;
	ret->function_file = place.file;
	ret->function_line = place.line;
}

bool dwarf_lookup(struct dwarf_info *info, uint64_t vaddr, struct dwarf_answer *ret)
{
	uint64_t address = vaddr + info->bias;
	struct unit *with_row = NULL;
	struct place row = { 0 };
	const struct span *span;

	memset(ret, 0, sizeof(*ret));
	size_t position = find_units(info, address);
	while ((span = spans_next(&info->spans, address, &position))) {
		struct unit *unit = &info->units.at[span->index];
		struct place found;
		struct function *function = find_function(info, unit, address);
		if ((function || !with_row) && find_row(info, unit, address, &found)) {
			row = found;
			with_row = unit;
		}
		if (!function)
			continue;
		if (with_row == unit) {
			ret->file = row.file;
			ret->line = row.line;
		}
		answer_calls(info, unit, function, address, ret);
		return true;
	}
	ret->file = ret->function_file = row.file;
	ret->line = ret->function_line = row.line;
	return with_row != NULL;
}
