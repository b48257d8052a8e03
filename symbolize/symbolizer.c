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

/* 32768 slots of 32 bytes: half a huge page, and most of a busy system's hot addresses. */
#define CACHE_BITS 15
#define CACHE_SIZE ((size_t)1 << CACHE_BITS)

struct entry {
	struct location location; /* first: a struct location * is its entry */
	struct entry *as_return;  /* the same address as a return address; NULL: not asked yet */
	struct dso *dso;
};

struct cache_slot {
	uint64_t space; /* generation of the maps, and in bit 0 whether the address is a return address */
	uint64_t address;
	struct entry *entry; /* NULL: the slot is free */
	bool unknown;        /* the entry has no name */
} __attribute__((aligned(32)));

struct symbolizer {
	struct machine *machine;
	struct dso_find *find;
	struct kernel *kernel;
	struct symbolizer_options options;
	struct arena arena;      /* entries and their inlines */
	struct hash by_offset;   /* {dso index, offset} -> entry */
	struct hash by_offset_1; /* the same for addresses looked up at address - 1 */
	struct entry *nowhere;
	struct cache_slot *cache; /* in cache_memory */
	void *cache_memory;
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

/* No slot lies across two lines of the processor's cache. */
static struct cache_slot *align_slots(void *memory)
{
	_Static_assert(sizeof(struct cache_slot) == 32, "two slots fill a line");
	return (struct cache_slot *)(((uintptr_t)memory + sizeof(struct cache_slot) - 1) &
				     ~(uintptr_t)(sizeof(struct cache_slot) - 1));
}

struct symbolizer *symbolizer_new(struct machine *machine, struct dso_find *find, struct kernel *kernel,
				  const struct symbolizer_options *options)
{
	struct symbolizer *s = xcalloc(1, sizeof(*s));

	s->machine = machine;
	s->find = find;
	s->kernel = kernel;
	s->options = *options;
	s->cache_memory = xmalloc_huge((CACHE_SIZE + 1) * sizeof(*s->cache));
	s->cache = align_slots(s->cache_memory);
	memset(s->cache, 0, CACHE_SIZE * sizeof(*s->cache));
	s->nowhere = new_entry(s, NULL, 0);
	s->nowhere->as_return = s->nowhere;
	return s;
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	hash_free(&s->by_offset);
	hash_free(&s->by_offset_1);
	arena_free(&s->arena);
	free(s->cache_memory);
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

static struct entry *entry_of(struct symbolizer *s, struct hash *table, struct dso *dso, uint64_t offset,
			      uint64_t probe)
{
	struct entry *entry = hash_get_ptr(table, dso->index, offset);

	if (entry)
		return entry;
	entry = new_entry(s, dso, offset);
	fill(s, entry, probe);
	hash_put_ptr(table, dso->index, offset, entry);
	return entry;
}

/* The call before a return address may be the last instruction of another function. */
static struct entry *return_entry(struct symbolizer *s, struct entry *entry)
{
	const struct location *exact = &entry->location;

	if (entry->as_return)
		return entry->as_return;
	entry->as_return = entry;
	if ((!exact->name || exact->symoff == 0) && exact->offset) {
		struct entry *before = entry_of(s, &s->by_offset_1, entry->dso, exact->offset, exact->offset - 1);
		if (before->location.name)
			entry->as_return = before;
	}
	return entry->as_return;
}

static struct entry *look_up(struct symbolizer *s, const struct maps *maps, uint64_t address)
{
	const struct map *map = symbolizer_map(s, maps, address);

	if (!map)
		return s->nowhere;
	uint64_t offset = address;
	if (!map->dso->identity)
		offset += map->pgoff - map->start + dso_load_text_offset(map->dso);
	return entry_of(s, &s->by_offset, map->dso, offset, offset);
}

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

/* Not in the cache: the whole way. */
static struct entry *find_entry(struct symbolizer *s, const struct maps *maps, uint64_t address, bool is_return)
{
	struct entry *entry = look_up(s, maps, address);

	return is_return ? return_entry(s, entry) : entry;
}

static struct cache_slot *cache_slot(const struct symbolizer *s, uint64_t space, uint64_t address)
{
	return &s->cache[hash_mix(space, address) >> (64 - CACHE_BITS)];
}

void symbolizer_prefetch(const struct symbolizer *s, const struct maps *maps, uint64_t address, bool is_return)
{
	if (maps)
		__builtin_prefetch(cache_slot(s, maps_generation(maps) << 1 | is_return, address));
}

/* A hit touches the slot alone: the entry is another line of memory. */
const struct location *symbolizer_at(struct symbolizer *s, const struct maps *maps, uint64_t address,
				     bool is_return)
{
	if (!maps)
		return &s->nowhere->location;
	uint64_t space = maps_generation(maps) << 1 | is_return;
	struct cache_slot *slot = cache_slot(s, space, address);
	s->lookups++;
	if (slot->entry && slot->address == address && slot->space == space) {
		s->hits++;
	} else {
		struct entry *entry = find_entry(s, maps, address, is_return);
		*slot = (struct cache_slot){ space, address, entry, !entry->location.name };
	}
	if (slot->unknown)
		count_unknown(s, slot->entry->dso);
	return &slot->entry->location;
}

struct symbolizer_stats symbolizer_stats(const struct symbolizer *s)
{
	return (struct symbolizer_stats){ s->lookups, s->hits, s->nr_locations };
}
