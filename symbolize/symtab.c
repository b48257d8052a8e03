#include "symbolize/symtab.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "util/arena.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define PAGE UINT64_C(4096)

/*
 * Where to look for an address: the addresses that most runs are in, cut into blocks of equal size, a few
 * times as many as runs. at[block] is the number of the first run that may hold an address of the block; the
 * one behind its last is at[block + 1] + 1.
 */
struct blocks {
	uint64_t base;
	unsigned shift; /* size of a block: 1 << shift */
	size_t count;
	uint32_t *at; /* count + 1 */
};

struct symtab {
	symtab_demangle demangle;
	struct arena names;
	VEC(struct symbol) symbols;
	uint32_t group; /* of those to be added */
	size_t nr_sorted; /* of symbols, from the first on: known to be in order */

	/* Made by symtab_finish(): */
	VEC(struct symtab_run) runs;
	struct blocks blocks;
};

struct symtab *symtab_new(symtab_demangle demangle)
{
	struct symtab *s = xcalloc(1, sizeof(*s));

	s->demangle = demangle;
	return s;
}

void symtab_free(struct symtab *s)
{
	if (!s)
		return;
	arena_free(&s->names);
	vec_free(&s->symbols);
	vec_free(&s->runs);
	free(s->blocks.at);
	free(s);
}

void symtab_reserve(struct symtab *s, size_t count)
{
	if (s->symbols.count || count <= s->symbols.room || count > SYMTAB_NO_SYMBOL)
		return;
	free(s->symbols.at);
	s->symbols.at = xmalloc(count * sizeof(*s->symbols.at));
	s->symbols.room = count;
}

void symtab_set_group(struct symtab *s, uint32_t group)
{
	s->group = group;
}

char *symtab_name_room(struct symtab *s, size_t size)
{
	return arena_alloc(&s->names, size);
}

void symtab_add_lent(struct symtab *s, uint64_t start, uint64_t end, const char *name, enum symbol_type type,
		     enum symbol_binding binding)
{
	if (s->symbols.count == SYMTAB_NO_SYMBOL)
		return;
	vec_reserve(&s->symbols, s->symbols.count + 1);
	s->symbols.at[s->symbols.count++] = (struct symbol){
		.start = start,
		.end = end < start ? start : end,
		.name = name,
		.group = s->group,
		.type = (uint8_t)type,
		.binding = (uint8_t)binding,
	};
}

void symtab_add(struct symtab *s, uint64_t start, uint64_t end, const char *name, enum symbol_type type,
		enum symbol_binding binding)
{
	symtab_add_lent(s, start, end, arena_strndup(&s->names, name, strlen(name)), type, binding);
}

/* Lent names may be long and many when their file is damaged; those that become text are bounded. */
#define MAX_DEMANGLED ((size_t)256 << 20)

const char *symtab_name(struct symtab *s, struct symbol *symbol)
{
	if (!s->demangle || symbol->named)
		return symbol->name;
	char *demangled = s->names.total < MAX_DEMANGLED ? s->demangle(symbol->name) : NULL;
	if (demangled)
		symbol->name = arena_strndup(&s->names, demangled, strlen(demangled));
	free(demangled);
	symbol->named = true;
	return symbol->name;
}

/* A symbol's place while they are sorted: 16 bytes to move instead of a whole symbol. */
struct sort_key {
	uint64_t start;
	uint32_t index;
};

/* How many symbols, from the first on, are in order: the last pass's at least. */
static size_t count_sorted(const struct symtab *s)
{
	size_t count = s->nr_sorted ? s->nr_sorted : 1;

	while (count < s->symbols.count && s->symbols.at[count - 1].start <= s->symbols.at[count].start)
		count++;
	return count;
}

/* Stable: keys that are equal in this byte keep their order. */
static void scatter_by_byte(const struct sort_key *from, struct sort_key *to, size_t count, unsigned shift)
{
	size_t places[256] = { 0 }, sum = 0;

	for (size_t i = 0; i < count; i++)
		places[from[i].start >> shift & 0xff]++;
	for (size_t byte = 0; byte < 256; byte++) {
		size_t here = places[byte];
		places[byte] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[places[from[i].start >> shift & 0xff]++] = from[i];
}

/* Radix sort, lowest byte first; a byte that all starts share (the upper ones mostly) costs no pass. */
static struct sort_key *sort_keys(struct sort_key *keys, struct sort_key *spare, size_t count)
{
	uint64_t different = 0;

	for (size_t i = 1; i < count; i++)
		different |= keys[i].start ^ keys[0].start;
	for (unsigned shift = 0; shift < 64; shift += 8) {
		if (!(different >> shift & 0xff))
			continue;
		scatter_by_byte(keys, spare, count, shift);
		struct sort_key *sorted = spare;
		spare = keys;
		keys = sorted;
	}
	return keys;
}

/* Bring symbols[i] = symbols[keys[i].index] about, along each ring of places that exchange theirs. */
static void move_to_places(struct symbol *symbols, struct sort_key *keys, size_t count)
{
	for (size_t first = 0; first < count; first++) {
		struct symbol held = symbols[first];
		size_t to = first;
		for (size_t from; (from = keys[to].index) != first; to = from) {
			symbols[to] = symbols[from];
			keys[to].index = (uint32_t)to;
		}
		symbols[to] = held;
		keys[to].index = (uint32_t)to;
	}
}

static void sort_some(struct symbol *symbols, size_t count)
{
	struct sort_key *keys = xreallocarray(NULL, count, 2 * sizeof(*keys));

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct sort_key){ .start = symbols[i].start, .index = (uint32_t)i };
	move_to_places(symbols, sort_keys(keys, keys + count, count), count);
	free(keys);
}

/* Of @count symbols in order, those that begin at @start or before. */
static size_t count_at_or_before(const struct symbol *symbols, size_t count, uint64_t start)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;
		if (symbols[middle].start <= start)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/* Two lists in order, the second behind the first; of equal starts those of the first stay before. */
static void merge(struct symbol *symbols, size_t count, size_t nr_more)
{
	struct symbol *more = xmemdup(symbols + count, nr_more * sizeof(*more));

	for (size_t i = nr_more; i-- > 0;) {
		size_t at = count_at_or_before(symbols, count, more[i].start);
		memmove(&symbols[at + i + 1], &symbols[at], (count - at) * sizeof(*symbols));
		symbols[at + i] = more[i];
		count = at;
	}
	free(more);
}

/* By start; those with one start stay in the order in which they were added, which the rules below rely on.
 */
static void sort_symbols(struct symtab *s)
{
	size_t nr_sorted = s->symbols.count ? count_sorted(s) : 0, nr_more = s->symbols.count - nr_sorted;

	s->nr_sorted = s->symbols.count;
	if (!nr_more)
		return;
	if (nr_more > nr_sorted)
		nr_sorted = 0, nr_more = s->symbols.count;
	sort_some(s->symbols.at + nr_sorted, nr_more);
	if (nr_sorted)
		merge(s->symbols.at, nr_sorted, nr_more);
}

/* Where a symbol of unknown size ends when no neighbour says so: perf gives it the rest of its page and one
 * more. */
static uint64_t behind_next_page(uint64_t address)
{
	return address > UINT64_MAX - 2 * PAGE ? UINT64_MAX : (address + PAGE - 1) / PAGE * PAGE + PAGE;
}

static void fix_ends(struct symtab *s, bool kallsyms)
{
	for (size_t i = 0; i < s->symbols.count; i++) {
		struct symbol *symbol = &s->symbols.at[i];
		const struct symbol *next = i + 1 < s->symbols.count ? symbol + 1 : NULL;
		if (symbol->end != symbol->start)
			continue;
		if (!next || (kallsyms && symbol->group != next->group))
			symbol->end = behind_next_page(symbol->start);
		else
			symbol->end = next->start;
	}
}

static size_t leading_underscores(const char *name)
{
	return strspn(name, "_");
}

static bool is_syscall_wrapper(const char *name)
{
	return !strncmp(name, "SyS", 3) || !strncmp(name, "compat_SyS", 10);
}

/* Names decide only where nothing else does, so that few need to be demangled for it. */
static bool name_is_better(const char *first, const char *second)
{
	size_t underscores_first = leading_underscores(first),
	       underscores_second = leading_underscores(second);
	size_t length_first = strlen(first), length_second = strlen(second);

	if (underscores_first != underscores_second)
		return underscores_first < underscores_second;
	if (length_first != length_second)
		return length_first > length_second;
	return !is_syscall_wrapper(first);
}

/*
 * The kinds of a constructor or destructor (C1, C2, D0 ...), mostly one function, have one name when
 * demangled. Of duplicates in C++ libraries nearly all are such.
 */
static bool differ_in_kind_only(const char *first, const char *second)
{
	size_t i = 0;

	while (first[i] && first[i] == second[i])
		i++;
	return i && strchr("CD", first[i - 1]) && isdigit((unsigned char)first[i]) &&
	       isdigit((unsigned char)second[i]) && !strcmp(first + i + 1, second + i + 1);
}

/* Which of two symbols with one start stays; @first was added before @second. */
static bool first_is_better(struct symtab *s, struct symbol *first, struct symbol *second)
{
	bool size_first = first->end != first->start, size_second = second->end != second->start;

	if (size_first != size_second)
		return size_first;
	if (first->type != second->type && (first->type == SYMBOL_NOTYPE || second->type == SYMBOL_NOTYPE))
		return second->type == SYMBOL_NOTYPE;
	if (first->binding != second->binding) {
		if (first->binding == SYMBOL_WEAK || second->binding == SYMBOL_WEAK)
			return second->binding == SYMBOL_WEAK;
		return first->binding == SYMBOL_GLOBAL;
	}
	bool as_in_file = s->demangle && !first->named && !second->named;
	if (as_in_file && differ_in_kind_only(first->name, second->name))
		return !is_syscall_wrapper(first->name);
	return name_is_better(symtab_name(s, first), symtab_name(s, second));
}

static void remove_duplicates(struct symtab *s)
{
	size_t last = 0;

	if (!s->symbols.count)
		return;
	for (size_t i = 1; i < s->symbols.count; i++) {
		struct symbol *kept = &s->symbols.at[last], *next = &s->symbols.at[i];
		if (kept->start != next->start) {
			s->symbols.at[++last] = *next;
			continue;
		}
		bool keep = first_is_better(s, kept, next);
		uint8_t removed_type = keep ? next->type : kept->type;
		if (!keep)
			*kept = *next;
		if (removed_type == SYMBOL_IFUNC)
			kept->ifunc_alias = true;
	}
	s->symbols.count = s->nr_sorted = last + 1;
}

/* Ends first: perf gives a duplicate without a size the end "next start", which is its own start. */
void symtab_fix_elf(struct symtab *s)
{
	sort_symbols(s);
	fix_ends(s, false);
	remove_duplicates(s);
}

void symtab_fix_kallsyms(struct symtab *s)
{
	sort_symbols(s);
	fix_ends(s, true);
	remove_duplicates(s);
}

void symtab_fix_sizes(struct symtab *s)
{
	sort_symbols(s);
	for (size_t i = s->symbols.count, next = i; i-- > 0;) {
		struct symbol *symbol = &s->symbols.at[i];
		if (i + 1 < s->symbols.count && symbol[1].start != symbol->start)
			next = i + 1;
		if (symbol->end != symbol->start)
			continue;
		symbol->end =
			next < s->symbols.count ? s->symbols.at[next].start : behind_next_page(symbol->start);
	}
}

void symtab_cut(struct symtab *s, uint64_t address)
{
	for (size_t i = 0; i < s->symbols.count; i++)
		if (s->symbols.at[i].start < address && s->symbols.at[i].end > address)
			s->symbols.at[i].end = address;
}

void symtab_shift(struct symtab *s, uint64_t lowest, uint64_t delta)
{
	size_t count = 0;

	for (size_t i = 0; i < s->symbols.count; i++) {
		struct symbol symbol = s->symbols.at[i];
		if (symbol.start < lowest)
			continue;
		symbol.start -= delta;
		symbol.end = symbol.end - delta < symbol.start ? symbol.start : symbol.end - delta;
		s->symbols.at[count++] = symbol;
	}
	s->symbols.count = count;
	s->nr_sorted = 0;
}

void symtab_take(struct symtab *s, struct symtab *from)
{
	struct symtab empty = *s;

	*s = *from;
	s->demangle = empty.demangle;
	*from = empty;
	symtab_free(from);
}

void symtab_split(struct symtab *s, uint32_t group, struct symtab *others)
{
	size_t count = 0;

	for (size_t i = 0; i < s->symbols.count; i++) {
		if (s->symbols.at[i].group == group)
			s->symbols.at[count++] = s->symbols.at[i];
		else
			vec_push(&others->symbols, s->symbols.at[i]);
	}
	s->symbols.count = s->nr_sorted = count;
}

/* There is room: a symbol begins two runs at most. Returns how many there are then. */
static inline size_t begin_run(struct symtab_run *runs, size_t count, uint64_t start, uint32_t symbol)
{
	if (count && runs[count - 1].start == start)
		count--;
	runs[count] = (struct symtab_run){ .start = start, .symbol = symbol };
	return count + 1;
}

/* A symbol that holds the sweep's address. */
struct open_symbol {
	uint64_t end;
	uint32_t number;
};

/* A symbol without a size holds its own start. */
static uint64_t covered_end(const struct symbol *symbol)
{
	return symbol->end > symbol->start || symbol->start == UINT64_MAX ? symbol->end : symbol->start + 1;
}

/*
 * One sweep over the addresses. Open are the symbols that hold the sweep's, the one that began last on top;
 * below it may be some that ended. At each end the next one below that still goes on comes to light.
 */
static size_t lay_out(const struct symbol *symbols, size_t count, struct open_symbol *open,
		      struct symtab_run *runs)
{
	size_t nr_open = 0, nr_runs = 0;

	for (size_t i = 0; i <= count; i++) {
		uint64_t start = i < count ? symbols[i].start : UINT64_MAX;
		while (nr_open && open[nr_open - 1].end <= start) {
			uint64_t end = open[nr_open - 1].end;
			while (nr_open && open[nr_open - 1].end <= end)
				nr_open--;
			nr_runs = begin_run(runs, nr_runs, end,
					    nr_open ? open[nr_open - 1].number : SYMTAB_NO_SYMBOL);
		}
		if (i == count)
			break;
		nr_runs = begin_run(runs, nr_runs, start, (uint32_t)i);
		open[nr_open++] = (struct open_symbol){ covered_end(&symbols[i]), (uint32_t)i };
	}
	return nr_runs;
}

/* Most blocks have no more runs in them. */
#define FEW_RUNS 4

/* What stands behind the last run: FEW_RUNS that begin behind every address. */
static void add_guards(struct symtab *s)
{
	for (size_t i = 0; i < FEW_RUNS; i++)
		s->runs.at[s->runs.count + i].start = UINT64_MAX;
}

/*
 * The number of runs that begin at @address or before: @from, and how many of those up to @to. Where in a
 * block an address lies cannot be foreseen, so the few runs of one are compared all, without a branch; what
 * is behind @to begins later.
 */
static size_t count_until(const struct symtab *s, uint64_t address, size_t from, size_t to)
{
	if (to - from <= FEW_RUNS) {
		const struct symtab_run *runs = s->runs.at + from;
		for (size_t i = 0; i < FEW_RUNS; i++)
			from += runs[i].start <= address;
		return from < to ? from : to;
	}
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (s->runs.at[middle].start <= address)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Lone symbols far below or above (per-cpu ones of a kernel are at 0) would make all blocks too large. */
#define OUTLIERS 32 /* one in so many, at either end */
#define FEWEST_RUNS 64

static void make_blocks(struct symtab *s)
{
	struct blocks *blocks = &s->blocks;
	size_t count = s->runs.count, outliers = count / OUTLIERS;

	if (count < FEWEST_RUNS || count > UINT32_MAX)
		return;
	blocks->base = s->runs.at[outliers].start;
	uint64_t size = s->runs.at[count - 1 - outliers].start - blocks->base;
	while (size >> blocks->shift > count)
		blocks->shift++;
	blocks->count = size >> blocks->shift;
	blocks->at = xreallocarray(NULL, blocks->count + 1, sizeof(*blocks->at));
	size_t run = outliers;
	for (size_t i = 0; i <= blocks->count; i++) {
		uint64_t start = blocks->base + ((uint64_t)i << blocks->shift);
		while (run + 1 < count && s->runs.at[run + 1].start <= start)
			run++;
		blocks->at[i] = (uint32_t)run;
	}
}

void symtab_finish(struct symtab *s)
{
	sort_symbols(s);
	s->runs.room = 2 * s->symbols.count + 1 + FEW_RUNS;
	s->runs.at = xmalloc(s->runs.room * sizeof(*s->runs.at));
	struct open_symbol *open = xreallocarray(NULL, s->symbols.count, sizeof(*open));
	s->runs.count = lay_out(s->symbols.at, s->symbols.count, open, s->runs.at);
	free(open);
	add_guards(s);
	make_blocks(s);
}

size_t symtab_count(const struct symtab *s)
{
	return s->symbols.count;
}

const struct symbol *symtab_at(const struct symtab *s, size_t index)
{
	return &s->symbols.at[index];
}

/* s->blocks.count or more: in none. */
static inline uint64_t block_of(const struct symtab *s, uint64_t address)
{
	return (address - s->blocks.base) >> s->blocks.shift;
}

void symtab_fetch_block(const struct symtab *s, uint64_t address)
{
	uint64_t block = block_of(s, address);

	if (block < s->blocks.count)
		__builtin_prefetch(&s->blocks.at[block]);
}

void symtab_fetch_run(const struct symtab *s, uint64_t address)
{
	uint64_t block = block_of(s, address);

	if (block >= s->blocks.count)
		return;
	const struct symtab_run *first = &s->runs.at[s->blocks.at[block] + 1];
	__builtin_prefetch(first);
	__builtin_prefetch(first + FEW_RUNS - 1);
}

struct symtab_run *symtab_run(const struct symtab *s, uint64_t address)
{
	uint64_t block = block_of(s, address);
	size_t from = 0, to = s->runs.count;

	if (block < s->blocks.count) {
		from = (size_t)s->blocks.at[block] + 1; /* that one begins before the block */
		to = (size_t)s->blocks.at[block + 1] + 1;
	}
	size_t behind = count_until(s, address, from, to);
	return behind ? &s->runs.at[behind - 1] : NULL;
}

struct symbol *symtab_run_symbol(const struct symtab *s, const struct symtab_run *run)
{
	return run && run->symbol != SYMTAB_NO_SYMBOL ? &s->symbols.at[run->symbol] : NULL;
}

struct symbol *symtab_find(const struct symtab *s, uint64_t address)
{
	return symtab_run_symbol(s, symtab_run(s, address));
}

const struct symbol *symtab_by_name(const struct symtab *s, const char *name)
{
	for (size_t i = 0; i < s->symbols.count; i++)
		if (!strcmp(s->symbols.at[i].name, name))
			return &s->symbols.at[i];
	return NULL;
}
