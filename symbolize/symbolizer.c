#include "symbolize/symbolizer.h"

#include <stdlib.h>
#include <string.h>

#include "symbolize/dso_load.h"
#include "symbolize/dwarf.h"
#include "symbolize/image.h"
#include "symbolize/symtab.h"
#include "util/hash.h"
#include "util/noinline.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* A process that runs uses a few maps at a time: its program, libc, another library, the vdso. */
#define RECENT_MAPS 4
#define RECENT_SPACES 256

/* A map that was asked for just now, with what takes an address in it to the dso. */
struct recent_map {
	uint64_t start, size; /* size 0: the place is free */
	uint64_t delta;	      /* offset in the dso = address + delta */
	struct dso *dso;
};

struct recent_space {
	uint64_t generation; /* of the maps */
	unsigned next;	     /* place to be used next */
	struct recent_map maps[RECENT_MAPS];
};

/* The known answers for addresses that need one each: open addressing, at most half full. */
struct offset_slot {
	uint64_t offset;
	struct location *location; /* NULL: the slot is free */
};

struct offset_table {
	struct offset_slot *slots;
	size_t size, count;
};

/* The locations of a dso besides those of the runs of its symbol table. */
struct dso_locations {
	struct location *unnamed; /* NULL: not made yet */
	/* By offset, when it has debug information: of the code at an address; of the call before it. */
	struct offset_table exact, returns;
};

#define LOCATIONS_PER_BLOCK 512

/* A machine, and where the names in its dsos come from. */
struct names {
	struct machine *machine;
	struct dso_find *find;
	struct kernel *kernel;
};

struct symbolizer {
	VEC(struct names) names; /* by machine_number(), which is dso->machine */
	struct symbolizer_options options;
	VEC(struct location *) blocks; /* of LOCATIONS_PER_BLOCK, by location->id */
	uint32_t nr_locations;
	VEC(struct dso_locations) by_dso; /* by dso->index */
	struct recent_space *spaces;	  /* by generation */
	uint64_t sample_number;
	uint64_t lookups;
};

static struct location *location_by_id(const struct symbolizer *s, uint32_t id)
{
	return &s->blocks.at[id / LOCATIONS_PER_BLOCK][id % LOCATIONS_PER_BLOCK];
}

static struct location *new_location(struct symbolizer *s, struct dso *dso, struct symbol *symbol)
{
	uint32_t id = s->nr_locations++;

	if (id % LOCATIONS_PER_BLOCK == 0)
		vec_push(&s->blocks, xmalloc(LOCATIONS_PER_BLOCK * sizeof(struct location)));
	struct location *location = location_by_id(s, id);
	*location = (struct location){ .id = id, .dso = dso };
	if (symbol) {
		location->name = symtab_name(dso->symtab, symbol);
		location->symbol_start = symbol->start;
	}
	return location;
}

struct symbolizer *symbolizer_new(struct machine *machine, struct dso_find *find, struct kernel *kernel,
				  const struct symbolizer_options *options)
{
	struct symbolizer *s = xcalloc(1, sizeof(*s));

	symbolizer_add_machine(s, machine, find, kernel);
	s->options = *options;
	s->spaces = xcalloc(RECENT_SPACES, sizeof(*s->spaces));
	new_location(s, NULL, NULL);
	return s;
}

void symbolizer_add_machine(struct symbolizer *s, struct machine *machine, struct dso_find *find,
			    struct kernel *kernel)
{
	struct names names = { machine, find, kernel };

	vec_push(&s->names, names);
}

const struct kernel *symbolizer_kernel(const struct symbolizer *s, uint32_t machine)
{
	return s->names.at[machine].kernel;
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	vec_free(&s->names);
	for (size_t i = 0; i < s->by_dso.count; i++) {
		free(s->by_dso.at[i].exact.slots);
		free(s->by_dso.at[i].returns.slots);
	}
	vec_free(&s->by_dso);
	for (size_t i = 0; i < s->blocks.count; i++)
		free(s->blocks.at[i]);
	vec_free(&s->blocks);
	free(s->spaces);
	free(s);
}

void symbolizer_next_sample(struct symbolizer *s)
{
	s->sample_number++;
}

const struct maps *symbolizer_kernel_maps(struct symbolizer *s, struct machine *machine)
{
	const struct machine_kernel *kernel = machine_kernel(machine);
	uint64_t start = 0, end = 0;

	if (kernel->known && !kernel->dso->loaded) {
		kernel->dso->loaded = true;
		kernel->dso->missing =
			kernel_load(s->names.at[machine_number(machine)].kernel, kernel, &start, &end);
		if (!kernel->dso->missing)
			machine_set_kernel_range(machine, start, end);
	}
	return machine_kernel_maps(machine);
}

/* kallsyms knows where a module's functions really are; its .ko only says how they lie to each other. */
static void load_module(struct symbolizer *s, struct dso *dso, uint64_t map_start)
{
	const struct names *names = &s->names.at[dso->machine];

	if (s->options.file_offsets)
		dso_load(names->find, dso);
	if (!kernel_load_module(names->kernel, dso, map_start))
		dso_load(names->find, dso);
}

void symbolizer_load(struct symbolizer *s, struct dso *dso)
{
	if (!dso->loaded && dso->kind != DSO_KERNEL && dso->kind != DSO_MODULE)
		dso_load(s->names.at[dso->machine].find, dso);
}

const struct map *symbolizer_map(struct symbolizer *s, const struct maps *maps, uint64_t address)
{
	const struct map *map = maps ? maps_find(maps, address) : NULL;

	if (!map || map->dso->loaded)
		return map;
	if (map->dso->kind == DSO_MODULE)
		load_module(s, map->dso, map->start);
	else if (map->dso->kind != DSO_KERNEL)
		dso_load(s->names.at[map->dso->machine].find, map->dso);
	return map;
}

static struct dso_locations *locations_of(struct symbolizer *s, const struct dso *dso)
{
	while (dso->index >= s->by_dso.count) {
		struct dso_locations none = { 0 };
		vec_push(&s->by_dso, none);
	}
	return &s->by_dso.at[dso->index];
}

/* Locations of symbols */

static struct location *unnamed_location(struct symbolizer *s, struct dso *dso)
{
	struct dso_locations *locations = locations_of(s, dso);

	if (!locations->unnamed)
		locations->unnamed = new_location(s, dso, NULL);
	return locations->unnamed;
}

static struct location *run_location(struct symbolizer *s, struct dso *dso, const struct symtab_run *run)
{
	struct symbol *symbol = symtab_run_symbol(dso->symtab, run);

	return symbol ? new_location(s, dso, symbol) : unnamed_location(s, dso);
}

/* The run's note is the location's id, which is never 0 in a dso. */
static inline struct location *symbol_location(struct symbolizer *s, struct dso *dso, uint64_t offset)
{
	struct symtab_run *run = dso->symtab ? symtab_run(dso->symtab, offset) : NULL;

	if (!run)
		return unnamed_location(s, dso);
	if (!run->note)
		run->note = run_location(s, dso, run)->id;
	return location_by_id(s, run->note);
}

/*
 * The call before a return address may be the last instruction of another function. JIT compilers put
 * something behind each call, so that what begins a function of theirs was put on the stack for it to return
 * to: so each process of Erlang ends in normal_exit/0.
 */
static bool is_behind_function(struct symbolizer *s, struct dso *dso, uint64_t offset,
			       const struct location *exact)
{
	bool begins = exact->symbol_start == offset && dso->kind != DSO_JIT;

	return (!exact->name || begins) && offset && symbol_location(s, dso, offset - 1)->name;
}

/* Locations of one address */

static const struct dwarf_info *dwarf_of(const struct symbolizer *s, struct dso *dso)
{
	if (!dso->dwarf_tried && !dso->identity) {
		dso->dwarf_tried = true;
		if (dso->binary)
			dso->dwarf = dwarf_info_new(s->names.at[dso->machine].find, dso->binary, dso->debug);
		if (dso->dwarf && !s->options.lines)
			dwarf_info_leave_out_lines(dso->dwarf);
	}
	return dso->dwarf;
}

/* Debug information tells addresses apart; and a source line has the address in it where there is none. */
static bool tells_addresses_apart(const struct symbolizer *s, struct dso *dso)
{
	return s->options.lines || (s->options.inlines && dwarf_of(s, dso));
}

static void set_source(const struct symbolizer *s, struct location *location,
		       const struct dwarf_answer *answer)
{
	location->file = answer->file;
	location->line = answer->line;
	if (!s->options.inlines || !location->name || !answer->nr_inlines)
		return;
	location->file = answer->function_file;
	location->line = answer->function_line;
	location->inlines = answer->inlines;
	location->nr_inlines = answer->nr_inlines;
}

/* @probe: the address that is looked up for @offset; itself, or the byte before. */
static struct location *source_location(struct symbolizer *s, struct dso *dso, uint64_t offset,
					uint64_t probe)
{
	struct location *of_symbol = symbol_location(s, dso, probe);
	struct dwarf_answer answer = { 0 };
	uint64_t vaddr = probe;

	if (dso->binary && !dso->identity)
		image_vaddr_of(dso->binary, probe, &vaddr);
	bool found = dwarf_of(s, dso) && dwarf_lookup(dso->dwarf, vaddr, &answer);
	if (!s->options.lines && !(found && answer.nr_inlines && of_symbol->name))
		return of_symbol;
	struct location *location = new_location(s, dso, NULL);
	location->name = of_symbol->name;
	location->symbol_start = of_symbol->symbol_start;
	location->one_address = true;
	location->vaddr = vaddr + (offset - probe);
	if (found)
		set_source(s, location, &answer);
	return location;
}

static struct offset_slot *offset_slot(const struct offset_table *table, uint64_t offset)
{
	size_t mask = table->size - 1;
	size_t i = hash_mix(offset, 0) & mask;

	while (table->slots[i].location && table->slots[i].offset != offset)
		i = (i + 1) & mask;
	return &table->slots[i];
}

static void grow_table(struct offset_table *table)
{
	struct offset_table old = *table;
	size_t bytes = (old.size ? 2 * old.size : 64) * sizeof(*table->slots);

	table->size = bytes / sizeof(*table->slots);
	table->slots = xmalloc(bytes);
	memset(table->slots, 0, bytes);
	for (size_t i = 0; i < old.size; i++) {
		if (old.slots[i].location)
			*offset_slot(table, old.slots[i].offset) = old.slots[i];
	}
	free(old.slots);
}

/* The slot of an offset that has room to be filled. */
static struct offset_slot *slot_for(struct offset_table *table, uint64_t offset)
{
	if (2 * (table->count + 1) > table->size)
		grow_table(table);
	return offset_slot(table, offset);
}

static struct location *exact_location(struct symbolizer *s, struct dso *dso, uint64_t offset)
{
	struct offset_table *table = &locations_of(s, dso)->exact;
	struct offset_slot *slot = slot_for(table, offset);

	if (!slot->location) {
		*slot = (struct offset_slot){ offset, source_location(s, dso, offset, offset) };
		table->count++;
	}
	return slot->location;
}

static struct location *return_location(struct symbolizer *s, struct dso *dso, uint64_t offset)
{
	struct offset_table *table = &locations_of(s, dso)->returns;
	struct offset_slot *slot = slot_for(table, offset);

	if (slot->location)
		return slot->location;
	struct location *location = exact_location(s, dso, offset);
	if (is_behind_function(s, dso, offset, location))
		location = source_location(s, dso, offset, offset - 1);
	*slot = (struct offset_slot){ offset, location };
	table->count++;
	return location;
}

static inline struct location *find_location(struct symbolizer *s, struct symbolizer_query query)
{
	struct dso *dso = query.dso;

	if (tells_addresses_apart(s, dso))
		return query.is_return ? return_location(s, dso, query.offset)
				       : exact_location(s, dso, query.offset);
	struct location *location = symbol_location(s, dso, query.offset);
	if (query.is_return && is_behind_function(s, dso, query.offset, location))
		return symbol_location(s, dso, query.offset - 1);
	return location;
}

/* Recent maps */

static struct recent_space *recent_space(struct symbolizer *s, uint64_t generation)
{
	struct recent_space *space = &s->spaces[generation % RECENT_SPACES];

	if (space->generation != generation)
		*space = (struct recent_space){ .generation = generation };
	return space;
}

static NOINLINE const struct recent_map *add_recent(struct symbolizer *s, struct recent_space *space,
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

void symbolizer_count_unknown(struct symbolizer *s, const struct location *location)
{
	struct dso *dso = (struct dso *)location->dso; /* const for formatters only */

	if (location->name || !dso || dso->last_unknown == s->sample_number)
		return;
	dso->last_unknown = s->sample_number;
	dso->nr_unknown++;
}

static void fetch(struct symbolizer *s, const struct symbolizer_query *query)
{
	const struct dso_locations *locations;
	const struct offset_table *table;

	if (query->dso->symtab)
		symtab_fetch_block(query->dso->symtab, query->offset);
	if (!query->dso->dwarf)
		return;
	locations = locations_of(s, query->dso);
	table = query->is_return ? &locations->returns : &locations->exact;
	if (table->size)
		__builtin_prefetch(&table->slots[hash_mix(query->offset, 0) & (table->size - 1)]);
}

static inline struct symbolizer_query ask(struct symbolizer *s, const struct maps *maps, uint64_t address,
					  bool is_return)
{
	const struct recent_map *map = maps ? find_recent(s, maps, address) : NULL;

	if (!map)
		return (struct symbolizer_query){ 0 };
	return (struct symbolizer_query){ map->dso, address + map->delta, is_return };
}

static inline struct spot answer(struct symbolizer *s, struct symbolizer_query query)
{
	s->lookups++;
	if (!query.dso)
		return (struct spot){ location_by_id(s, 0), 0 };
	return (struct spot){ find_location(s, query), query.offset };
}

struct symbolizer_query symbolizer_ask(struct symbolizer *s, const struct maps *maps, uint64_t address,
				       bool is_return)
{
	struct symbolizer_query query = ask(s, maps, address, is_return);

	if (query.dso)
		fetch(s, &query);
	return query;
}

void symbolizer_fetch(const struct symbolizer_query *query)
{
	if (query->dso && query->dso->symtab)
		symtab_fetch_run(query->dso->symtab, query->offset);
}

struct spot symbolizer_answer(struct symbolizer *s, const struct symbolizer_query *query)
{
	return answer(s, *query);
}

/* What ask() finds needs no fetching ahead here. */
struct spot symbolizer_at(struct symbolizer *s, const struct maps *maps, uint64_t address, bool is_return)
{
	struct spot spot = answer(s, ask(s, maps, address, is_return));

	symbolizer_count_unknown(s, spot.location);
	return spot;
}

struct symbolizer_stats symbolizer_stats(const struct symbolizer *s)
{
	return (struct symbolizer_stats){ s->lookups, s->nr_locations };
}
