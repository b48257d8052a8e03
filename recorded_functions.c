#include "recorded_functions.h"

#include <string.h>

#include "util/xalloc.h"

/* "name [module]": the length of the name, and *module is the rest; a name without a module is all. */
static size_t without_module(const struct simpleperf_symbol *symbol, char **module)
{
	const char *blank = memrchr(symbol->name, ' ', symbol->name_size);
	size_t length = blank ? (size_t)(blank - symbol->name) : symbol->name_size;
	size_t rest = symbol->name_size - length;

	*module = rest > 2 && blank[1] == '[' ? xstrndup(blank + 1, rest - 1) : NULL;
	return *module ? length : symbol->name_size;
}

static void add_kernel(struct recorded *recorded, const struct simpleperf_file *file)
{
	struct simpleperf_symbols symbols = file->symbols;
	struct simpleperf_symbol symbol;

	while (simpleperf_next_symbol(&symbols, &symbol)) {
		AUTOFREE char *module = NULL;
		size_t length = without_module(&symbol, &module);
		recorded_add(recorded, module ? module : "[kernel.kallsyms]", symbol.vaddr, symbol.size,
			     symbol.name, length);
	}
}

/*
 * What the addresses of a file's symbols are to be lowered by. Those of an ELF file without the offset are
 * then relative to its executable code. Of code that a JIT compiler made both are 0.
 */
static uint64_t file_delta(const struct simpleperf_file *file)
{
	return file->type == SIMPLEPERF_ELF ? file->min_vaddr - file->min_vaddr_offset : 0;
}

static void add_file(struct recorded *recorded, const struct simpleperf_file *file)
{
	struct simpleperf_symbols symbols = file->symbols;
	struct simpleperf_symbol symbol;
	uint64_t delta = file_delta(file);

	while (simpleperf_next_symbol(&symbols, &symbol))
		recorded_add(recorded, file->path, symbol.vaddr - delta, symbol.size, symbol.name,
			     symbol.name_size);
	if (file->type == SIMPLEPERF_ELF && !file->has_offset)
		recorded_await_map(recorded, file->path);
}

/* Of modules there is only where symbols are in their files; the kernel's tell where they were in memory. */
struct recorded *recorded_functions(const struct simpleperf *sp)
{
	struct recorded *recorded = recorded_new();

	for (size_t i = 0; i < sp->files.count; i++) {
		const struct simpleperf_file *file = &sp->files.at[i];
		if (file->type == SIMPLEPERF_KERNEL)
			add_kernel(recorded, file);
		else if (file->type != SIMPLEPERF_MODULE)
			add_file(recorded, file);
	}
	return recorded;
}
