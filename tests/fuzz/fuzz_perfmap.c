/* The text of a perf-PID.map file -> symbols. */
#include "symbolize/load_perfmap.h"
#include "symbolize/symtab.h"
#include "tests/fuzz/fuzz.h"

int fuzz_one(const uint8_t *data, size_t size)
{
	struct symtab *symtab = symtab_new(NULL);

	fuzz_use_text(load_perfmap(fuzz_file(data, size), symtab));
	symtab_finish(symtab);
	for (size_t i = 0; i < symtab_count(symtab); i++) {
		const struct symbol *symbol = symtab_at(symtab, i);
		fuzz_use_text(symbol->name);
		fuzz_use(!!symtab_find(symtab, symbol->end - 1));
	}
	symtab_free(symtab);
	return 0;
}
