#include "symbolize/load_kallsyms.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/read_text.h"
#include "symbolize/symtab.h"
#include "util/strtab.h"
#include "util/xalloc.h"

#define USUAL_LINE 32 /* bytes: most are longer */

/* The group of symbols in no module; those of a module have its number + 1. */
#define KERNEL 0

struct kallsyms {
	char *text; /* the file; lines end in NUL once they were read */
	size_t size;
	struct symtab *kernel; /* the symbols in no module; NULL: taken */
	struct symtab *others; /* names are in the text and still end in "\t[module]" */
	struct strtab modules; /* "[ext4]" ... */
	/* Made when the first module is asked for: indexes of others, those of a group at first[group] to
	 * first[group + 1]. */
	uint32_t *by_group;
	size_t *first;
};

struct line {
	const char *digits; /* of its address, when they are 16; else NULL */
	uint64_t address;
	char type;
	const char *name; /* with "\t[module]" */
};

/* 0: no digit; else its value + 1. */
static const uint8_t hex_digits[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,	['6'] = 7,  ['7'] = 8,
	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/*
 * "ffffffff81000000 T _text": one blank each, as perf reads it. *line is the one before, and becomes this
 * one: mostly they share half of their digits.
 */
static bool parse_line(const char *text, const char *end, struct line *line)
{
	const char *at = text;
	uint64_t address = 0;

	if (line->digits && end - text >= 8 && !memcmp(text, line->digits, 8)) {
		address = line->address >> 32;
		at += 8;
	}
	for (unsigned digit; (digit = hex_digits[(uint8_t)*at]); at++)
		address = address << 4 | (digit - 1);
	line->digits = NULL;
	if (at == text || at - text > 16 || at[0] != ' ' || !at[1] || at[2] != ' ' || !at[3])
		return false;
	*line = (struct line){ at - text == 16 ? text : NULL, address, at[1], at + 3 };
	return true;
}

static char lower(char type)
{
	return type | ('a' - 'A');
}

static bool is_function(char type)
{
	return lower(type) == 't' || lower(type) == 'w';
}

static bool is_kept(const struct line *line)
{
	return (is_function(line->type) || lower(line->type) == 'd' || lower(line->type) == 'b') &&
	       !kallsyms_is_mark(line->name);
}

bool kallsyms_is_mark(const char *name)
{
	return name[0] == '$' || (name[0] == '.' && name[1] == 'L') || (name[0] == 'L' && name[1] == '0');
}

static enum symbol_binding binding_of(char type)
{
	if (type == 'w' || type == 'W')
		return SYMBOL_WEAK;
	return isupper((unsigned char)type) ? SYMBOL_GLOBAL : SYMBOL_LOCAL;
}

/* What the file's addresses look like. */
struct census {
	size_t kept, nonzero, hidden;
};

/* Kernels before 4.15 wrote "(null)" for hidden addresses. */
static bool is_hidden(const char *text)
{
	return !strncmp(text + strspn(text, " "), "(null)", 6);
}

static uint32_t group_of(struct kallsyms *k, const char *name)
{
	const char *tab = strchr(name, '\t');

	return tab ? strtab_number(&k->modules, tab + 1, strlen(tab + 1)) + 1 : KERNEL;
}

static struct census read_lines(struct kallsyms *k)
{
	struct census census = { 0 };
	struct line line = { 0 };
	char *at = k->text, *end = at + k->size;

	for (char *text; (text = read_text_line(&at, end));) {
		if (!parse_line(text, end, &line)) {
			census.hidden += is_hidden(text);
			continue;
		}
		if (!is_kept(&line))
			continue;
		census.kept++;
		census.nonzero += line.address != 0;
		symtab_set_group(k->kernel, group_of(k, line.name));
		symtab_add_lent(k->kernel, line.address, line.address, line.name,
				is_function(line.type) ? SYMBOL_FUNC : SYMBOL_OBJECT, binding_of(line.type));
	}
	return census;
}

/* Counting sort: symbols stay in address order within their group. */
static void sort_by_group(struct kallsyms *k)
{
	size_t count = symtab_count(k->others), nr_groups = k->modules.entries.count + 1;

	if (k->by_group)
		return;
	k->first = xcalloc(nr_groups + 2, sizeof(*k->first));
	k->by_group = xreallocarray(NULL, count, sizeof(*k->by_group));
	/* first[g + 2] counts g, then first[g + 1] is where g's next one goes, and ends as where g + 1
	 * begins. */
	for (size_t i = 0; i < count; i++)
		k->first[symtab_at(k->others, i)->group + 2]++;
	for (size_t g = 2; g < nr_groups + 2; g++)
		k->first[g] += k->first[g - 1];
	for (size_t i = 0; i < count; i++)
		k->by_group[k->first[symtab_at(k->others, i)->group + 1]++] = (uint32_t)i;
}

static struct err *check(const char *path, const struct census *census)
{
	if (!census->nonzero && (census->kept || census->hidden))
		return err_file(path, "holds no addresses: the kernel hid them (kernel.kptr_restrict); "
				      "copy /proc/kallsyms as root");
	if (!census->kept)
		return err_file(path, "holds no kernel symbols");
	return NULL;
}

/* @text becomes the kallsyms', or is freed. */
static struct err *open_text(const char *name, char *text, size_t size, struct kallsyms **ret)
{
	struct kallsyms *k = xcalloc(1, sizeof(*k));

	k->text = text;
	k->size = size;
	k->kernel = symtab_new(NULL);
	k->others = symtab_new(NULL);
	symtab_reserve(k->kernel, size / USUAL_LINE);
	struct census census = read_lines(k);
	struct err *err = check(name, &census);
	if (err) {
		kallsyms_free(k);
		return err;
	}
	symtab_fix_kallsyms(k->kernel);
	symtab_split(k->kernel, KERNEL, k->others);
	*ret = k;
	return NULL;
}

struct err *kallsyms_open(const char *path, struct kallsyms **ret)
{
	size_t size;
	char *text = read_text(path, false, &size);

	return text ? open_text(path, text, size, ret) : err_sys(path, "read");
}

struct err *kallsyms_open_memory(const char *name, const void *text, size_t size, struct kallsyms **ret)
{
	return open_text(name, xstrndup(text, size), strnlen(text, size), ret);
}

void kallsyms_free(struct kallsyms *k)
{
	if (!k)
		return;
	symtab_free(k->kernel);
	symtab_free(k->others);
	strtab_free(&k->modules);
	free(k->by_group);
	free(k->first);
	free(k->text);
	free(k);
}

/*
 * The next line of that name, from *at on, which is then behind it. In the text: among symbols of one
 * address, _text and _stext are mostly those that were not chosen.
 */
static bool next_named(const struct kallsyms *k, const char *name, const char **at, struct line *line)
{
	const char *end = k->text + k->size;

	while (*at < end) {
		bool found = parse_line(*at, end, line) && !strcmp(line->name, name);
		*at += strlen(*at) + 1;
		if (found)
			return true;
	}
	return false;
}

bool kallsyms_address(const struct kallsyms *k, const char *name, uint64_t *ret)
{
	struct line line = { 0 };

	for (const char *at = k->text; next_named(k, name, &at, &line);) {
		if (!is_function(line.type))
			continue;
		*ret = line.address;
		return true;
	}
	return false;
}

bool kallsyms_is_at(const struct kallsyms *k, const char *name, uint64_t address)
{
	struct line line = { 0 };

	for (const char *at = k->text; next_named(k, name, &at, &line);) {
		if (line.address == address)
			return true;
	}
	return false;
}

/*
 * Nothing tells where a module's last function ends, and what follows it may be the module's PLT (arm, arm64)
 * or its data: it is mostly an exit function or a cold part, and no name is better than its one for those.
 */
#define LAST_OF_MODULE_MAX 256

static uint64_t end_of_last(const struct symbol *symbol)
{
	bool far = symbol->end - symbol->start > LAST_OF_MODULE_MAX;

	return far ? symbol->start + LAST_OF_MODULE_MAX : symbol->end;
}

/* Without the module's. */
static const char *bare_name(const char *name, struct symtab *symtab)
{
	size_t length = strcspn(name, "\t");
	char *bare = symtab_name_room(symtab, length + 1);

	memcpy(bare, name, length);
	bare[length] = '\0';
	return bare;
}

size_t kallsyms_take_kernel(struct kallsyms *k, struct symtab *symtab, uint64_t delta)
{
	if (!k->kernel)
		return 0;
	symtab_take(symtab, k->kernel);
	k->kernel = NULL;
	if (delta)
		symtab_shift(symtab, 0, delta);
	return symtab_count(symtab);
}

static size_t load_group(const struct kallsyms *k, uint32_t group, struct symtab *symtab, uint64_t base)
{
	size_t first = k->first[group], behind = k->first[group + 1];

	for (size_t i = first; i < behind; i++) {
		const struct symbol *symbol = symtab_at(k->others, k->by_group[i]);
		uint64_t end = i + 1 < behind ? symbol->end : end_of_last(symbol);
		symtab_add_lent(symtab, symbol->start - base, end - base, bare_name(symbol->name, symtab),
				symbol->type, symbol->binding);
	}
	return behind - first;
}

size_t kallsyms_load_module(struct kallsyms *k, const char *module, struct symtab *symtab, uint64_t base)
{
	sort_by_group(k);
	for (uint32_t m = 0; m < k->modules.entries.count; m++)
		if (!strcmp(strtab_text(&k->modules, m), module))
			return load_group(k, m + 1, symtab, base);
	return 0;
}
