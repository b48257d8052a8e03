#include "symbolize/load_kallsyms.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/read_text.h"
#include "symbolize/symtab.h"
#include "util/strtab.h"
#include "util/xalloc.h"

/* Number of the strtab entry that stands for "in no module". */
#define KERNEL 0

struct kallsyms {
	char *text; /* the file; lines end in NUL once they were read */
	size_t size;
	struct symtab *all;    /* names are in the text and still end in "\t[module]" */
	struct strtab modules; /* "", "[ext4]" ... */
	uint32_t *by_module;   /* indexes of all, those of module m at first[m] to first[m + 1] */
	size_t *first;
};

struct line {
	uint64_t address;
	char type;
	const char *name; /* with "\t[module]" */
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "ffffffff81000000 T _text": one blank each, as perf reads it. */
static bool parse_line(const char *text, struct line *ret)
{
	const char *at = text;
	uint64_t address = 0;

	for (int digit; (digit = hex_digit(*at)) >= 0; at++)
		address = address << 4 | (uint64_t)digit;
	if (at == text || at - text > 16 || at[0] != ' ' || !at[1] || at[2] != ' ' || !at[3])
		return false;
	*ret = (struct line){ .address = address, .type = at[1], .name = at + 3 };
	return true;
}

static bool is_function(char type)
{
	return strchr("tTwW", type) != NULL;
}

static bool is_kept(const struct line *line)
{
	return strchr("tTwWdDbB", line->type) && !kallsyms_is_mark(line->name);
}

bool kallsyms_is_mark(const char *name)
{
	return name[0] == '$' || !strncmp(name, ".L", 2) || !strncmp(name, "L0", 2);
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

static struct census read_lines(struct kallsyms *k)
{
	struct census census = { 0 };
	char *at = k->text;

	for (char *text; (text = read_text_line(&at, k->text + k->size));) {
		struct line line;
		if (!parse_line(text, &line)) {
			census.hidden += is_hidden(text);
			continue;
		}
		if (!is_kept(&line))
			continue;
		census.kept++;
		census.nonzero += line.address != 0;
		symtab_add_lent(k->all, line.address, line.address, line.name,
				is_function(line.type) ? SYMBOL_FUNC : SYMBOL_OBJECT, binding_of(line.type));
	}
	return census;
}

static uint32_t module_number(struct kallsyms *k, const char *name)
{
	const char *tab = strchr(name, '\t');

	return tab ? strtab_number(&k->modules, tab + 1, strlen(tab + 1)) : KERNEL;
}

/* Counting sort: symbols stay in address order within their module. */
static void group_by_module(struct kallsyms *k)
{
	size_t count = symtab_count(k->all);
	AUTOFREE uint32_t *module = xreallocarray(NULL, count, sizeof(*module));

	strtab_number(&k->modules, "", 0);
	for (size_t i = 0; i < count; i++)
		module[i] = module_number(k, symtab_at(k->all, i)->raw_name);
	k->first = xcalloc(k->modules.entries.count + 2, sizeof(*k->first));
	k->by_module = xreallocarray(NULL, count, sizeof(*k->by_module));
	/* first[m + 2] counts m, then first[m + 1] is where m's next one goes, and ends as where m + 1
	 * begins. */
	for (size_t i = 0; i < count; i++)
		k->first[module[i] + 2]++;
	for (size_t m = 2; m < k->modules.entries.count + 2; m++)
		k->first[m] += k->first[m - 1];
	for (size_t i = 0; i < count; i++)
		k->by_module[k->first[module[i] + 1]++] = (uint32_t)i;
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

struct err *kallsyms_open(const char *path, struct kallsyms **ret)
{
	size_t size;
	char *text = read_text(path, false, &size);

	if (!text)
		return err_sys(path, "read");
	struct kallsyms *k = xcalloc(1, sizeof(*k));
	k->text = text;
	k->size = size;
	k->all = symtab_new(NULL);
	struct census census = read_lines(k);
	struct err *err = check(path, &census);
	if (err) {
		kallsyms_free(k);
		return err;
	}
	symtab_fix_kallsyms(k->all);
	group_by_module(k);
	*ret = k;
	return NULL;
}

void kallsyms_free(struct kallsyms *k)
{
	if (!k)
		return;
	symtab_free(k->all);
	strtab_free(&k->modules);
	free(k->by_module);
	free(k->first);
	free(k->text);
	free(k);
}

/* In the text: among symbols of one address, _text and _stext are mostly those that were not chosen. */
bool kallsyms_address(const struct kallsyms *k, const char *name, uint64_t *ret)
{
	for (const char *at = k->text, *end = at + k->size; at < end; at += strlen(at) + 1) {
		struct line line;
		if (!parse_line(at, &line) || !is_function(line.type) || strcmp(line.name, name))
			continue;
		*ret = line.address;
		return true;
	}
	return false;
}

/*
 * Nothing tells where a module's last function ends, and what follows it may be the module's PLT (arm, arm64)
 * or its data: it is mostly an exit function or a cold part, and no name is better than its one for those.
 */
#define LAST_OF_MODULE_MAX 256

static uint64_t end_in_group(const struct kallsyms *k, uint32_t module, size_t i)
{
	const struct symbol *symbol = symtab_at(k->all, k->by_module[i]);

	if (module == KERNEL || i + 1 < k->first[module + 1] ||
	    symbol->end - symbol->start < LAST_OF_MODULE_MAX)
		return symbol->end;
	return symbol->start + LAST_OF_MODULE_MAX;
}

static size_t load_group(const struct kallsyms *k, uint32_t module, struct symtab *symtab, uint64_t base)
{
	for (size_t i = k->first[module]; i < k->first[module + 1]; i++) {
		const struct symbol *symbol = symtab_at(k->all, k->by_module[i]);
		const char *name = symbol->raw_name;
		AUTOFREE char *bare = module == KERNEL ? NULL : xstrndup(name, strcspn(name, "\t"));
		symtab_add(symtab, symbol->start - base, end_in_group(k, module, i) - base,
			   bare ? bare : name, symbol->type, symbol->binding);
	}
	return k->first[module + 1] - k->first[module];
}

size_t kallsyms_load_kernel(const struct kallsyms *k, struct symtab *symtab, uint64_t delta)
{
	return load_group(k, KERNEL, symtab, delta);
}

size_t kallsyms_load_module(const struct kallsyms *k, const char *module, struct symtab *symtab,
			    uint64_t base)
{
	for (uint32_t m = KERNEL + 1; m < k->modules.entries.count; m++)
		if (!strcmp(strtab_text(&k->modules, m), module))
			return load_group(k, m, symtab, base);
	return 0;
}
