#include "symbolize/recorded.h"

#include <stdlib.h>
#include <string.h>

#include "symbolize/symtab.h"
#include "util/strtab.h"
#include "util/xalloc.h"

#define NONE SIZE_MAX

struct recorded_symbol {
	uint64_t start, end;
	const char *name;
	size_t before; /* of the same file; NONE */
};

struct recorded_file {
	size_t last; /* of its symbols */
	bool awaits_map;
	uint64_t base; /* what its symbols' addresses are relative to */
};

struct recorded {
	struct strtab names_of_files;
	VEC(struct recorded_file) files; /* by number */
	size_t nr_awaiting;
	VEC(struct recorded_symbol) symbols;
	struct arena names;
};

struct recorded *recorded_new(void)
{
	return xcalloc(1, sizeof(struct recorded));
}

void recorded_free(struct recorded *r)
{
	if (!r)
		return;
	strtab_free(&r->names_of_files);
	vec_free(&r->files);
	vec_free(&r->symbols);
	arena_free(&r->names);
	free(r);
}

static struct recorded_file *file_of(struct recorded *r, const char *name)
{
	uint32_t number = strtab_number(&r->names_of_files, name, strlen(name));

	while (r->files.count <= number)
		vec_push(&r->files, ((struct recorded_file){ .last = NONE }));
	return &r->files.at[number];
}

void recorded_add(struct recorded *r, const char *file, uint64_t start, uint64_t size, const char *name,
		  size_t length)
{
	size_t *last = &file_of(r, file)->last;
	struct recorded_symbol symbol = { .start = start, .before = *last };

	if (!length || __builtin_add_overflow(start, size, &symbol.end))
		return;
	symbol.name = arena_strndup(&r->names, name, length);
	*last = r->symbols.count;
	vec_push(&r->symbols, symbol);
}

void recorded_await_map(struct recorded *r, const char *file)
{
	file_of(r, file)->awaits_map = true;
	r->nr_awaiting++;
}

void recorded_map(struct recorded *r, const char *file, uint64_t pgoff)
{
	if (!r->nr_awaiting)
		return;
	struct recorded_file *known = file_of(r, file);
	if (known->awaits_map)
		known->base = pgoff;
	known->awaits_map = false;
}

bool recorded_load(struct recorded *r, const char *name, struct symtab *symtab)
{
	const struct recorded_file *file = r ? file_of(r, name) : NULL;

	if (!file || file->last == NONE)
		return false;
	for (size_t i = file->last; i != NONE; i = r->symbols.at[i].before) {
		const struct recorded_symbol *symbol = &r->symbols.at[i];
		symtab_add_lent(symtab, symbol->start + file->base, symbol->end + file->base, symbol->name,
				SYMBOL_FUNC, SYMBOL_GLOBAL);
	}
	symtab_fix_sizes(symtab);
	return true;
}
