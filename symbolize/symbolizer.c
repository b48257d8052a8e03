#include "symbolize/symbolizer.h"

#include <stdlib.h>
#include <string.h>

#include "symbolize/dso_load.h"
#include "symbolize/dwarf.h"
#include "symbolize/image.h"
#include "symbolize/symtab.h"
#include "util/arena.h"
#include "util/hash.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* A process that runs uses a few maps at a time: its program, libc, another library, the vdso. */
#define RECENT_MAPS 4
#define RECENT_SPACES 256

struct entry {
	struct location location; /* first: a struct location * is its entry */
	struct dso *dso;
};

/* A map that was asked for just now, with what takes an address in it to the dso. */
struct recent_map {
	uint64_t start, size; /* size 0: the place is free */
	uint64_t delta;       /* offset in the dso = address + delta */
	struct dso *dso;
};

struct recent_space {
	uint64_t generation; /* of the maps */
	unsigned next;       /* place to be used next */
	struct recent_map maps[RECENT_MAPS];
};

/* A bit of the pointer says what would else be another line of memory: that the entry has no name. */
#define UNKNOWN_BIT ((uintptr_t)1)

struct offset_slot {
	uint64_t offset;
	uintptr_t entry; /* with UNKNOWN_BIT; 0: the slot is free */
};

/* The known offsets of a dso: open addressing, at most half full. */
struct offset_table {
	struct offset_slot *slots;
	size_t size, count;
};

/* What is asked for: code at the address; a call before it; the byte before it as a function's last one. */
enum asked { ASKED_EXACT, ASKED_RETURN, ASKED_BEFORE, NR_ASKED };

struct dso_offsets {
	struct offset_table tables[NR_ASKED];
};

struct symbolizer {
	struct machine *machine;
	struct dso_find *find;
	struct kernel *kernel;
	struct symbolizer_options options;
	struct arena arena; /* entries */
	VEC(struct dso_offsets) offsets; /* by dso->index */
	struct recent_space *spaces;     /* by generation */
	struct entry *nowhere;
	uint32_t nr_locations;
	uint64_t sample_number;
	uint64_t lookups, hits;
};

static struct entry *new_entry(struct symbolizer *s, struct dso *dso, uint64_t offset)
{
	struct entry *entry = arena_alloc(&s->arena, sizeof(*entry));

	*entry = (struct entry){ .dso = dso };
	entry->location.id = s->nr_locations++;
	entry->location.dso = dso;
	entry->location.offset = offset;
	entry->location.vaddr = offset;
	return entry;
}

struct symbolizer *symbolizer_new(struct machine *machine, struct dso_find *find, struct kernel *kernel,
				  const struct symbolizer_options *options)
{
	struct symbolizer *s = xcalloc(1, sizeof(*s));

	s->machine = machine;
	s->find = find;
	s->kernel = kernel;
	s->options = *options;
	s->spaces = xcalloc(RECENT_SPACES, sizeof(*s->spaces));
	s->nowhere = new_entry(s, NULL, 0);
	return s;
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->offsets.count; i++) {
		for (unsigned asked = 0; asked < NR_ASKED; asked++)
			free(s->offsets.at[i].tables[asked].slots);
	}
	vec_free(&s->offsets);
	arena_free(&s->arena);
	free(s->spaces);
	free(s);
}

void symbolizer_next_sample(struct symbolizer *s)
{
	s->sample_number++;
}

const struct location *symbolizer_nowhere(const struct symbolizer *s)
{
	return &s->nowhere->location;
}

const struct maps *symbolizer_kernel_maps(struct symbolizer *s)
{
	const struct machine_kernel *kernel = machine_kernel(s->machine);
	uint64_t start, end;

	if (kernel->known && !kernel->dso->loaded) {
		kernel->dso->loaded = true;
		kernel->dso->missing = kernel_load(s->kernel, kernel, &start, &end);
		if (!kernel->dso->missing)
			machine_set_kernel_range(s->machine, start, end);
	}
	return machine_kernel_maps(s->machine);
}

/* kallsyms knows where a module's functions really are; its .ko only says how they lie to each other. */
static void load_module(struct symbolizer *s, struct dso *dso, uint64_t map_start)
{
	if (s->options.file_offsets)
		dso_load(s->find, dso);
	if (!kernel_load_module(s->kernel, dso, map_start))
		dso_load(s->find, dso);
}

void symbolizer_load(struct symbolizer *s, struct dso *dso)
{
	if (!dso->loaded && dso->kind != DSO_KERNEL && dso->kind != DSO_MODULE)
		dso_load(s->find, dso);
}

const struct map *symbolizer_map(struct symbolizer *s, const struct maps *maps, uint64_t address)
{
	const struct map *map = maps ? maps_find(maps, address) : NULL;

	if (!map || map->dso->loaded)
		return map;
	if (map->dso->kind == DSO_MODULE)
		load_module(s, map->dso, map->start);
	else if (map->dso->kind != DSO_KERNEL)
		dso_load(s->find, map->dso);
	return map;
}

/* Inlined calls and source lines of an address. */
static void fill_source(struct symbolizer *s, struct location *location, struct dso *dso, uint64_t vaddr)
{
	struct dwarf_answer answer = { 0 };

	if (!s->options.inlines && !s->options.lines)
		return;
	if (!dso->dwarf_tried) {
		dso->dwarf_tried = true;
		dso->dwarf = dso->binary ? dwarf_info_new(dso->binary, dso->debug) : NULL;
	}
	if (!dso->dwarf || !dwarf_lookup(dso->dwarf, vaddr, &answer))
		return;
	location->file = answer.file;
	location->line = answer.line;
	if (!s->options.inlines || !location->name || !answer.nr_inlines)
		return;
	location->file = answer.function_file;
	location->line = answer.function_line;
	location->inlines = answer.inlines;
	location->nr_inlines = answer.nr_inlines;
}

/* Look @probe up on behalf of @entry, whose offset it is or the byte before it. */
static void fill(struct symbolizer *s, struct entry *entry, uint64_t probe)
{
	struct dso *dso = entry->dso;
	struct symbol *symbol = dso->symtab ? symtab_find(dso->symtab, probe) : NULL;
	uint64_t vaddr = probe;

	if (symbol) {
		entry->location.name = symtab_name(dso->symtab, symbol);
		entry->location.symoff = entry->location.offset - symbol->start;
	}
	if (dso->identity)
		return;
	if (dso->binary && image_vaddr_of(dso->binary, probe, &vaddr))
		entry->location.vaddr = vaddr + (entry->location.offset - probe);
	fill_source(s, &entry->location, dso, vaddr);
}

/* Tables of offsets */

static struct offset_slot *offset_slot(const struct offset_table *table, uint64_t offset)
{
	size_t mask = table->size - 1;
	size_t i = hash_mix(offset, 0) & mask;

	while (table->slots[i].entry && table->slots[i].offset != offset)
		i = (i + 1) & mask;
	return &table->slots[i];
}

static void grow_table(struct offset_table *table)
{
	struct offset_table old = *table;
	size_t bytes = (old.size ? 2 * old.size : 64) * sizeof(*table->slots);

	table->size = bytes / sizeof(*table->slots);
	table->slots = xmalloc_huge(bytes);
	memset(table->slots, 0, bytes);
	for (size_t i = 0; i < old.size; i++) {
		if (old.slots[i].entry)
			*offset_slot(table, old.slots[i].offset) = old.slots[i];
	}
	free(old.slots);
}

static struct offset_table *table_of(struct symbolizer *s, const struct dso *dso, enum asked asked)
{
	while (dso->index >= s->offsets.count) {
		struct dso_offsets none = { 0 };
		vec_push(&s->offsets, none);
	}
	return &s->offsets.at[dso->index].tables[asked];
}

static uintptr_t tagged(const struct entry *entry)
{
	return (uintptr_t)entry | (entry->location.name ? 0 : UNKNOWN_BIT);
}

static struct entry *untagged(uintptr_t entry)
{
	return (struct entry *)(entry & ~UNKNOWN_BIT);
}

static uintptr_t find_offset(struct symbolizer *s, struct dso *dso, uint64_t offset, enum asked asked);

static struct entry *make_entry(struct symbolizer *s, struct dso *dso, uint64_t offset, enum asked asked)
{
	if (asked != ASKED_RETURN) {
		struct entry *entry = new_entry(s, dso, offset);
		fill(s, entry, asked == ASKED_BEFORE ? offset - 1 : offset);
		return entry;
	}
	/* The call before a return address may be the last instruction of another function. */
	struct entry *exact = untagged(find_offset(s, dso, offset, ASKED_EXACT));
	if ((exact->location.name && exact->location.symoff) || !offset)
		return exact;
	struct entry *before = untagged(find_offset(s, dso, offset, ASKED_BEFORE));
	return before->location.name ? before : exact;
}

static uintptr_t find_offset(struct symbolizer *s, struct dso *dso, uint64_t offset, enum asked asked)
{
	struct offset_table *table = table_of(s, dso, asked);

	if (2 * (table->count + 1) > table->size)
		grow_table(table);
	struct offset_slot *slot = offset_slot(table, offset);
	if (slot->entry) {
		s->hits++;
		return slot->entry;
	}
	uintptr_t entry = tagged(make_entry(s, dso, offset, asked));
	/* Making it may have asked for others of the dso. */
	table = table_of(s, dso, asked);
	*offset_slot(table, offset) = (struct offset_slot){ offset, entry };
	table->count++;
	return entry;
}

/* Recent maps */

static struct recent_space *recent_space(struct symbolizer *s, uint64_t generation)
{
	struct recent_space *space = &s->spaces[generation % RECENT_SPACES];

	if (space->generation != generation)
		*space = (struct recent_space){ .generation = generation };
	return space;
}

static const struct recent_map *add_recent(struct symbolizer *s, struct recent_space *space,
					   const struct maps *maps, uint64_t address)
{
	const struct map *map = symbolizer_map(s, maps, address);

	if (!map)
		return NULL;
	struct recent_map *recent = &space->maps[space->next++ % RECENT_MAPS];
	*recent = (struct recent_map){ map->start, map->end - map->start, 0, map->dso };
	if (!map->dso->identity)
		recent->delta = map->pgoff - map->start + dso_load_text_offset(map->dso);
	return recent;
}

static const struct recent_map *find_recent(struct symbolizer *s, const struct maps *maps, uint64_t address)
{
	struct recent_space *space = recent_space(s, maps_generation(maps));

	for (unsigned i = 0; i < RECENT_MAPS; i++) {
		if (address - space->maps[i].start < space->maps[i].size)
			return &space->maps[i];
	}
	return add_recent(s, space, maps, address);
}

/* The look-up */

static void count_unknown(struct symbolizer *s, struct dso *dso)
{
	if (!dso || dso->last_unknown == s->sample_number)
		return;
	dso->last_unknown = s->sample_number;
	dso->nr_unknown++;
}

void symbolizer_count_unknown(struct symbolizer *s, const struct location *location)
{
	if (!location->name)
		count_unknown(s, ((const struct entry *)location)->dso);
}

struct symbolizer_place symbolizer_place(struct symbolizer *s, const struct maps *maps, uint64_t address,
					 bool is_return)
{
	const struct recent_map *map = maps ? find_recent(s, maps, address) : NULL;

	if (!map)
		return (struct symbolizer_place){ 0 };
	uint64_t offset = address + map->delta;
	const struct offset_table *table = table_of(s, map->dso, is_return ? ASKED_RETURN : ASKED_EXACT);
	if (table->size)
		__builtin_prefetch(&table->slots[hash_mix(offset, 0) & (table->size - 1)]);
	return (struct symbolizer_place){ map->dso, offset, is_return, false };
}

const struct location *symbolizer_take(struct symbolizer *s, struct symbolizer_place *place)
{
	s->lookups++;
	if (!place->dso)
		return &s->nowhere->location;
	uintptr_t entry =
		find_offset(s, place->dso, place->offset, place->is_return ? ASKED_RETURN : ASKED_EXACT);
	place->unknown = entry & UNKNOWN_BIT;
	if (place->unknown)
		count_unknown(s, place->dso);
	return &untagged(entry)->location;
}

const struct location *symbolizer_at(struct symbolizer *s, const struct maps *maps, uint64_t address,
				     bool is_return)
{
	struct symbolizer_place place = symbolizer_place(s, maps, address, is_return);

	return symbolizer_take(s, &place);
}

struct symbolizer_stats symbolizer_stats(const struct symbolizer *s)
{
	return (struct symbolizer_stats){ s->lookups, s->hits, s->nr_locations };
}
