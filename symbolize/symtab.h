/*
 * symtab - the symbols of one dso: chosen among duplicates, sorted, found by one binary search.
 *
 * Loaders add symbols in passes; after each pass ends are fixed and duplicates removed by the rules of
 * perf 7.2 for ELF files or for kallsyms. symtab_finish() lays nested and overlapping symbols out flat,
 * innermost on top, so that an address has one symbol (perf's answer depends on the shape of its tree there;
 * see DIFFERENCES). Names are demangled when they are first asked for. Knows no file format.
 */
#ifndef PERF2TXT_SYMTAB_H
#define PERF2TXT_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum symbol_type { SYMBOL_NOTYPE, SYMBOL_FUNC, SYMBOL_OBJECT, SYMBOL_IFUNC };
enum symbol_binding { SYMBOL_LOCAL, SYMBOL_GLOBAL, SYMBOL_WEAK };

struct symbol {
	uint64_t start, end; /* [start, end); in the dso's own address space */
	const char *name;    /* as in the file; the printed one once symtab_name() was asked */
	uint32_t group;
	uint8_t type, binding;
	bool ifunc_alias;
	bool named; /* symtab_name() was asked */
};

struct symtab;

/** How a raw name becomes the printed one; returns an own malloc()ed string, or NULL for "as it is". */
typedef char *(*symtab_demangle)(const char *raw_name);

/** @demangle NULL: names are printed as they are. */
struct symtab *symtab_new(symtab_demangle demangle);
void symtab_free(struct symtab *s); /* NULL is fine */

/** @count symbols are to be expected: a hint for a table that has none yet. */
void symtab_reserve(struct symtab *s, size_t count);

/** @name is copied. @end may equal @start: the size is not known (nor is it when @end < @start). */
void symtab_add(struct symtab *s, uint64_t start, uint64_t end, const char *name, enum symbol_type type,
		enum symbol_binding binding);

/** The same without a copy: @name is lent until symtab_free(). */
void symtab_add_lent(struct symtab *s, uint64_t start, uint64_t end, const char *name, enum symbol_type type,
		     enum symbol_binding binding);

/** Symbols added from now on are of that group (0 at first): see symtab_fix_kallsyms(). */
void symtab_set_group(struct symtab *s, uint32_t group);

/** Room for the characters of a name to be lent, until symtab_free(). */
char *symtab_name_room(struct symtab *s, size_t size);

/** End a pass of ELF symbols / of kallsyms lines, where a symbol never reaches to one of another group. */
void symtab_fix_elf(struct symtab *s);
void symtab_fix_kallsyms(struct symtab *s);

/** Only give symbols without a size one: they reach to the next start. Duplicates stay, the last added on
 * top. */
void symtab_fix_sizes(struct symtab *s);

/** Symbols that begin before @address end there at the latest. */
void symtab_cut(struct symtab *s, uint64_t address);

/** Leave out symbols that begin below @lowest and lower the addresses of the others by @delta. */
void symtab_shift(struct symtab *s, uint64_t lowest, uint64_t delta);

/** @s, which has none, gets the symbols of @from, which is freed, but keeps its own way to demangle. */
void symtab_take(struct symtab *s, struct symtab *from);

/** Move the symbols of all groups but @group behind those of @others; both stay in order. */
void symtab_split(struct symtab *s, uint32_t group, struct symtab *others);

/**
 * No symbol may be added after this. Of symbols that overlap, the one that begins last holds an address: the
 * innermost of nested ones. Of equal starts it is the one added last, as far as it reaches.
 */
void symtab_finish(struct symtab *s);

size_t symtab_count(const struct symtab *s);
/** By start, once a pass was ended; lent until the next symtab_add() or end of a pass. */
const struct symbol *symtab_at(const struct symtab *s, size_t index);

/* A stretch of addresses, up to the next one's start, that one symbol holds: the innermost; or none does. */
struct symtab_run {
	uint64_t start;
	uint32_t symbol; /* its number, or SYMTAB_NO_SYMBOL */
	uint32_t note;	 /* the caller's own; 0 at first */
};
#define SYMTAB_NO_SYMBOL UINT32_MAX

/** The run that @address is in; NULL: it lies before all symbols. Lent until symtab_free(). After
 * symtab_finish() only. */
struct symtab_run *symtab_run(const struct symtab *s, uint64_t address);

/**
 * @address will be asked for soon: fetch what is needed for it, in two steps, as the first leads to the
 * second. For many addresses take one step for all, then the other.
 */
void symtab_fetch_block(const struct symtab *s, uint64_t address);
void symtab_fetch_run(const struct symtab *s, uint64_t address);

/** The symbol of a run or address; NULL: none. Lent until symtab_free(). After symtab_finish() only. */
struct symbol *symtab_run_symbol(const struct symtab *s, const struct symtab_run *run);
struct symbol *symtab_find(const struct symtab *s, uint64_t address);

/** The symbol with exactly that name, as in the file; NULL. Linear: for a few look-ups a file. */
const struct symbol *symtab_by_name(const struct symtab *s, const char *name);

/** The name to print. */
const char *symtab_name(struct symtab *s, struct symbol *symbol);

#endif
