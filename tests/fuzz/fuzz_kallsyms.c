/* The text of a kallsyms file -> symbols of the kernel and of a module. */
#include "symbolize/load_kallsyms.h"
#include "symbolize/symtab.h"
#include "tests/fuzz/fuzz.h"

static void use_symtab(struct symtab *symtab)
{
	symtab_finish(symtab);
	for (size_t i = 0; i < symtab_count(symtab); i++) {
		const struct symbol *symbol = symtab_at(symtab, i);
		fuzz_use_text(symbol->name);
		fuzz_use(!!symtab_find(symtab, symbol->start));
	}
	symtab_free(symtab);
}

int fuzz_one(const uint8_t *data, size_t size)
{
	struct kallsyms *kallsyms = NULL;
	struct err *err = kallsyms_open(fuzz_file(data, size), &kallsyms);
	uint64_t address;

	err_free(err);
	if (!kallsyms)
		return 0;
	fuzz_use(kallsyms_address(kallsyms, "_stext", &address));
	struct symtab *kernel = symtab_new(NULL), *module = symtab_new(NULL);
	kallsyms_take_kernel(kallsyms, kernel, 0x1000);
	kallsyms_load_module(kallsyms, "[m]", module, 0x2000);
	use_symtab(kernel);
	use_symtab(module);
	kallsyms_free(kallsyms);
	return 0;
}
