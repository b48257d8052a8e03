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

struct recorded {
	struct strtab files;
	VEC(size_t) last; /* of a file's symbols, by its number */
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
	strtab_free(&r->files);
	vec_free(&r->last);
	vec_free(&r->symbols);
	arena_free(&r->names);
	free(r);
}

/* Where the number of the file's last symbol is. */
static size_t *last_of(struct recorded *r, const char *file)
{
	uint32_t number = strtab_number(&r->files, file, strlen(file));

	while (r->last.count <= number)
		vec_push(&r->last, NONE);
	return &r->last.at[number];
}

void recorded_add(struct recorded *r, const char *file, uint64_t start, uint64_t size, const char *name,
		  size_t length)
{
	size_t *last = last_of(r, file);
	struct recorded_symbol symbol = { .start = start, .before = *last };

	if (!length || __builtin_add_overflow(start, size, &symbol.end))
		return;
	symbol.name = arena_strndup(&r->names, name, length);
	*last = r->symbols.count;
	vec_push(&r->symbols, symbol);
}

bool recorded_load(struct recorded *r, const char *file, struct symtab *symtab)
{
	size_t i = r ? *last_of(r, file) : NONE;

	if (i == NONE)
		return false;
	for (; i != NONE; i = r->symbols.at[i].before) {
		const struct recorded_symbol *symbol = &r->symbols.at[i];
		symtab_add_lent(symtab, symbol->start, symbol->end, symbol->name, SYMBOL_FUNC, SYMBOL_GLOBAL);
	}
	symtab_fix_sizes(symtab);
	return true;
}
