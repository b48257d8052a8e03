#include "symbolize/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>

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
	Dwarf_Die die;
	uint32_t parent; /* the call that it is in, NO_NODE: the function itself */
};

/* From start to the next one's start the innermost call is `node`. */
struct piece {
	uint64_t start;
	uint32_t node; /* NO_NODE: none */
};

struct function {
	Dwarf_Die die;
	bool loaded; /* what follows is there */
	VEC(struct node) nodes;
	VEC(struct piece) pieces;
};

struct unit {
	Dwarf_Die die;	  /* has the ranges and the line table */
	Dwarf_Die scopes; /* has the functions: the same, or that of the .dwo file */
	bool lines_loaded, files_loaded, functions_loaded, nested_loaded;
	Dwarf_Lines *lines;
	size_t nr_lines;
	Dwarf_Files *files;
	size_t nr_files;
	struct spans spans; /* of functions */
	VEC(struct function) functions;
};

struct dwarf_info {
	struct image *image;
	struct image *alt_image; /* owned */
	Dwarf *dwarf, *alt;	 /* owned */
	uint64_t bias;		 /* addresses of the debug information minus those of the binary */
	bool has_lines;
	bool loaded;
	VEC(struct unit) units;
	struct spans spans; /* of units */
	struct hash names;  /* by the DIE's place */
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

static bool has_section(const struct image *image, const char *name)
{
	char packed[32] = ".z";

	strncat(packed, name + 1, sizeof(packed) - 3);
	return image && (image_section(image, name, NULL) || image_section(image, packed, NULL));
}

static struct image *choose_image(struct image *binary, struct image *debug)
{
	if (has_section(debug, ".debug_info"))
		return debug;
	if (has_section(binary, ".debug_info"))
		return binary;
	if (has_section(debug, ".debug_line"))
		return debug;
	return has_section(binary, ".debug_line") ? binary : NULL;
}

/* The supplementary file of that name, when its build-id is the wanted one. */
static struct image *open_alt(const char *path, const struct build_id *id)
{
	const char *why;
	struct image *image = image_open(path, &why);

	if (image && build_id_equal(&image->build_id, id))
		return image;
	image_free(image);
	return NULL;
}

/*
 * dwz writes where the file is on its own machine: "/usr/lib/debug/.dwz/...", or a name relative to the file
 * itself. In a sysroot the former is below whatever the debug file's own path has before "/usr/lib/debug/".
 */
static struct image *find_alt(const struct image *image, const char *name, const struct build_id *id)
{
	static const char folder[] = "/usr/lib/debug/";
	const char *slash = strrchr(image->path, '/'), *debug = strstr(image->path, folder);
	int root = debug ? (int)(debug - image->path) : 0;
	char hex[BUILD_ID_HEX];
	struct image *found = NULL;

	build_id_hex(id, hex);
	AUTOFREE char *relative =
		xasprintf("%.*s%s", slash ? (int)(slash + 1 - image->path) : 0, image->path, name);
	AUTOFREE char *absolute = xasprintf("%.*s%s", root, image->path, name);
	AUTOFREE char *by_id =
		xasprintf("%.*s%s.build-id/%.2s/%s.debug", root, image->path, folder, hex, hex + 2);
	found = open_alt(name[0] == '/' ? absolute : relative, id);
	return found ? found : open_alt(by_id, id);
}

static void open_supplement(struct dwarf_info *info)
{
	const char *name = NULL;
	const void *id = NULL;
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(info->dwarf, &name, &id);

	if (size <= 0 || size > BUILD_ID_MAX || !name)
		return;
	struct build_id wanted = build_id_make(id, (size_t)size);
	if (!wanted.size)
		return;
	info->alt_image = find_alt(info->image, name, &wanted);
	if (info->alt_image)
		info->alt = dwarf_begin_elf(info->alt_image->elf, DWARF_C_READ, NULL);
	if (info->alt)
		dwarf_setalt(info->dwarf, info->alt);
}

struct dwarf_info *dwarf_info_new(struct image *binary, struct image *debug)
{
	struct image *image = choose_image(binary, debug);
	Dwarf *dwarf = image ? dwarf_begin_elf(image->elf, DWARF_C_READ, NULL) : NULL;

	if (!dwarf)
		return NULL;
	struct dwarf_info *info = xcalloc(1, sizeof(*info));
	info->image = image;
	info->dwarf = dwarf;
	info->has_lines = has_section(image, ".debug_line");
	/* prelink moves a binary, but not the file with its debug information. */
	if (binary && image != binary && image->segments.count && binary->segments.count)
		info->bias = image->segments.at[0].vaddr - binary->segments.at[0].vaddr;
	open_supplement(info);
	return info;
}

bool dwarf_info_has_lines(const struct dwarf_info *info)
{
	return info->has_lines;
}

static void free_unit(struct unit *unit)
{
	for (size_t i = 0; i < unit->functions.count; i++) {
		vec_free(&unit->functions.at[i].nodes);
		vec_free(&unit->functions.at[i].pieces);
	}
	vec_free(&unit->functions);
	vec_free(&unit->spans.list);
}

void dwarf_info_free(struct dwarf_info *info)
{
	if (!info)
		return;
	for (size_t i = 0; i < info->units.count; i++)
		free_unit(&info->units.at[i]);
	vec_free(&info->units);
	vec_free(&info->spans.list);
	hash_free(&info->names);
	arena_free(&info->arena);
	dwarf_end(info->dwarf);
	dwarf_end(info->alt);
	image_free(info->alt_image);
	free(info);
}

/* ---- the functions of a unit ---- */

/* False when the DIE has no code. */
static bool add_ranges(struct spans *spans, Dwarf_Die *die, uint32_t index)
{
	Dwarf_Addr base, start, end;
	size_t before = spans->list.count;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		spans_add(spans, start, end, index);
	return spans->list.count > before;
}

/* A damaged DW_AT_sibling may point back; DIEs only ever follow each other. */
static bool next_sibling(Dwarf_Die *die)
{
	const void *before = die->addr;

	return dwarf_siblingof(die, die) == 0 && (const char *)die->addr > (const char *)before;
}

static void add_function(struct unit *unit, Dwarf_Die *die)
{
	if (add_ranges(&unit->spans, die, (uint32_t)unit->functions.count))
		vec_push(&unit->functions, ((struct function){ .die = *die }));
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
static void add_functions(struct unit *unit, const Dwarf_Die *scope, bool nested, unsigned depth)
{
	Dwarf_Die parent = *scope, die;

	if (depth > MAX_DEPTH || dwarf_child(&parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		if (tag == DW_TAG_subprogram)
			add_function(unit, &die);
		if (is_scope(tag, nested))
			add_functions(unit, &die, nested, depth + 1);
	} while (next_sibling(&die));
}

static void load_functions(struct unit *unit, bool nested)
{
	if (nested ? unit->nested_loaded : unit->functions_loaded)
		return;
	unit->functions_loaded = true;
	unit->nested_loaded |= nested;
	for (size_t i = 0; i < unit->functions.count; i++) {
		vec_free(&unit->functions.at[i].nodes);
		vec_free(&unit->functions.at[i].pieces);
	}
	vec_clear(&unit->functions);
	vec_clear(&unit->spans.list);
	add_functions(unit, &unit->scopes, nested, 0);
	spans_finish(&unit->spans);
}

static struct function *find_function(struct unit *unit, uint64_t address)
{
	for (int nested = 0; nested <= 1; nested++) {
		load_functions(unit, nested);
		size_t position = spans_begin(&unit->spans, address);
		const struct span *span = spans_next(&unit->spans, address, &position);
		if (span)
			return &unit->functions.at[span->index];
	}
	return NULL;
}

/* ---- the units ---- */

static void add_unit(struct dwarf_info *info, const Dwarf_Die *die, const Dwarf_Die *split, bool has_split)
{
	struct unit unit = { .die = *die, .scopes = has_split ? *split : *die };

	vec_push(&info->units, unit);
}

static void list_units(struct dwarf_info *info)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	while (dwarf_get_units(info->dwarf, cu, &cu, NULL, &type, &die, &split) == 0) {
		int tag = dwarf_tag(&die);
		if (tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit)
			add_unit(info, &die, &split, type == DW_UT_skeleton && dwarf_tag(&split) > 0);
	}
}

/* Compilers may leave ranges out of .debug_aranges, and out of the unit's own list: both are taken. */
static void add_aranges(struct dwarf_info *info, bool *has_spans)
{
	struct hash by_offset = { 0 };
	Dwarf_Aranges *aranges;
	size_t nr;

	if (dwarf_getaranges(info->dwarf, &aranges, &nr) != 0)
		return;
	for (size_t i = 0; i < info->units.count; i++)
		hash_put(&by_offset, dwarf_dieoffset(&info->units.at[i].die), 0, i);
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Arange *arange = dwarf_onearange(aranges, i);
		Dwarf_Addr start;
		Dwarf_Word length;
		Dwarf_Off offset;
		if (!arange || dwarf_getarangeinfo(arange, &start, &length, &offset) != 0)
			continue;
		uint64_t index = hash_get(&by_offset, offset, 0);
		if (index == HASH_NONE || start + length < start)
			continue;
		spans_add(&info->spans, start, start + length, (uint32_t)index);
		has_spans[index] = true;
	}
	hash_free(&by_offset);
}

/* A unit that says nowhere what code it has: its functions do. */
static void add_function_ranges(struct dwarf_info *info, uint32_t index)
{
	struct unit *unit = &info->units.at[index];

	load_functions(unit, false);
	for (size_t i = 0; i < unit->spans.list.count; i++)
		spans_add(&info->spans, unit->spans.list.at[i].start, unit->spans.list.at[i].end, index);
}

static void load_units(struct dwarf_info *info)
{
	info->loaded = true;
	list_units(info);
	if (!info->units.count)
		return;
	AUTOFREE bool *has_spans = xcalloc(info->units.count, sizeof(*has_spans));
	for (size_t i = 0; i < info->units.count; i++)
		has_spans[i] = add_ranges(&info->spans, &info->units.at[i].die, (uint32_t)i);
	add_aranges(info, has_spans);
	for (size_t i = 0; i < info->units.count; i++)
		if (!has_spans[i])
			add_function_ranges(info, (uint32_t)i);
	spans_finish(&info->spans);
}

/* ---- the inlined calls of a function ---- */

struct nest {
	struct function *function;
	struct spans spans; /* of nodes */
};

static void add_calls(struct nest *nest, const Dwarf_Die *scope, uint32_t parent, unsigned depth)
{
	Dwarf_Die outer = *scope, die;

	if (depth > MAX_DEPTH || dwarf_child(&outer, &die) != 0)
		return;
	do {
		uint32_t node = (uint32_t)nest->function->nodes.count;
		switch (dwarf_tag(&die)) {
		case DW_TAG_inlined_subroutine:
			if (!add_ranges(&nest->spans, &die, node))
				break;
			vec_push(&nest->function->nodes, ((struct node){ die, parent }));
			add_calls(nest, &die, node, depth + 1);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			add_calls(nest, &die, parent, depth + 1);
			break;
		}
	} while (next_sibling(&die));
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

static void load_calls(struct function *function)
{
	struct nest nest = { .function = function };

	function->loaded = true;
	add_calls(&nest, &function->die, NO_NODE, 0);
	spans_finish(&nest.spans);
	flatten(&nest);
	vec_free(&nest.spans.list);
}

static uint32_t find_call(struct function *function, uint64_t address)
{
	if (!function->loaded)
		load_calls(function);
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

/* The string of an attribute, wherever DW_AT_abstract_origin or DW_AT_specification lead (libdw: 16 steps).
 */
static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute memory;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &memory));
}

static const char *make_name(struct dwarf_info *info, Dwarf_Die *die)
{
	const char *linkage = string_of(die, DW_AT_linkage_name);

	if (!linkage)
		linkage = string_of(die, DW_AT_MIPS_linkage_name);
	if (linkage) {
		AUTOFREE char *demangled = demangle_symbol(linkage);
		return demangled ? arena_strndup(&info->arena, demangled, strlen(demangled)) : linkage;
	}
	const char *name = string_of(die, DW_AT_name);
	return name ? name : "??";
}

/* All calls of a function have the same name: kept by what they are copies of. */
static const char *name_of(struct dwarf_info *info, Dwarf_Die *die)
{
	Dwarf_Attribute memory;
	Dwarf_Die origin;
	Dwarf_Attribute *attr = dwarf_attr(die, DW_AT_abstract_origin, &memory);
	const void *key = attr && dwarf_formref_die(attr, &origin) ? origin.addr : die->addr;
	const char *name = hash_get_ptr(&info->names, (uintptr_t)key, 0);

	if (name)
		return name;
	name = make_name(info, die);
	hash_put_ptr(&info->names, (uintptr_t)key, 0, (void *)(uintptr_t)name);
	return name;
}

struct place {
	const char *file;
	uint32_t line;
};

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute memory;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr(die, name, &memory), &value) == 0 ? value : UINT64_MAX;
}

/* Where an inlined call was written. */
static struct place call_place(struct unit *unit, Dwarf_Die *die)
{
	struct place place = { 0 };
	uint64_t file = number_of(die, DW_AT_call_file), line = number_of(die, DW_AT_call_line);

	if (!unit->files_loaded) {
		unit->files_loaded = true;
		if (dwarf_getsrcfiles(&unit->scopes, &unit->files, &unit->nr_files) != 0)
			unit->nr_files = 0;
	}
	if (file < unit->nr_files)
		place.file = dwarf_filesrc(unit->files, file, NULL, NULL);
	/* What libdw calls the file number 0 that DWARF 2 to 4 do not have. */
	if (place.file && !strcmp(place.file, "???"))
		place.file = NULL;
	place.line = line <= UINT32_MAX ? (uint32_t)line : 0;
	return place;
}

static uint64_t line_address(struct unit *unit, size_t index)
{
	Dwarf_Addr address = 0;

	dwarf_lineaddr(dwarf_onesrcline(unit->lines, index), &address);
	return address;
}

/* The last row at or below the address, unless that ends its sequence. libdw keeps rows by address. */
static bool find_row(struct unit *unit, uint64_t address, struct place *ret)
{
	size_t low = 0;
	bool ends = true;
	int line = 0;

	if (!unit->lines_loaded) {
		unit->lines_loaded = true;
		if (dwarf_getsrclines(&unit->die, &unit->lines, &unit->nr_lines) != 0)
			unit->nr_lines = 0;
	}
	size_t high = unit->nr_lines;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (line_address(unit, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	Dwarf_Line *row = low ? dwarf_onesrcline(unit->lines, low - 1) : NULL;
	if (!row || dwarf_lineendsequence(row, &ends) != 0 || ends)
		return false;
	ret->file = dwarf_linesrc(row, NULL, NULL);
	ret->line = dwarf_lineno(row, &line) == 0 && line > 0 ? (uint32_t)line : 0;
	return ret->file != NULL;
}

static void answer_calls(struct dwarf_info *info, struct unit *unit, struct function *function,
			 uint64_t address, struct dwarf_answer *ret)
{
	uint32_t first = find_call(function, address), nr = 0;
	struct place place = { ret->file, ret->line };

	for (uint32_t n = first; n != NO_NODE; n = function->nodes.at[n].parent)
		nr++;
	struct inline_call *calls = nr ? arena_alloc(&info->arena, nr * sizeof(*calls)) : NULL;
	ret->inlines = calls;
	ret->nr_inlines = nr;
	for (uint32_t n = first; n != NO_NODE; n = function->nodes.at[n].parent) {
		struct node *node = &function->nodes.at[n];
		*calls++ = (struct inline_call){ name_of(info, &node->die), place.file, place.line };
		place = call_place(unit, &node->die);
	}
	ret->function = name_of(info, &function->die);
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
	if (!info->loaded)
		load_units(info);
	size_t position = spans_begin(&info->spans, address);
	while ((span = spans_next(&info->spans, address, &position))) {
		struct unit *unit = &info->units.at[span->index];
		struct place found;
		struct function *function = find_function(unit, address);
		if ((function || !with_row) && find_row(unit, address, &found)) {
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
