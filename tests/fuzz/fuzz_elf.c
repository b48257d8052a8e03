/* An ELF file, packed or not -> its symbols, those of its PLT among them, and what else is asked of a file.
 */
#include "symbolize/demangle.h"
#include "symbolize/image.h"
#include "symbolize/load_elf.h"
#include "symbolize/load_plt.h"
#include "symbolize/symtab.h"
#include "tests/fuzz/fuzz.h"

static void use_symbols(const struct image *image, bool kernel)
{
	struct symtab *symtab = symtab_new(demangle_symbol);
	struct load_elf files = { .symbols = image, .runtime = image, .kernel = kernel };

	fuzz_use_text(load_elf(&files, symtab));
	load_plt(image, symtab);
	symtab_finish(symtab);
	for (size_t i = 0; i < symtab_count(symtab); i++) {
		struct symbol *symbol = symtab_find(symtab, symtab_at(symtab, i)->start);
		if (symbol)
			fuzz_use_text(symtab_name(symtab, symbol));
	}
	symtab_free(symtab);
}

static void use_image(const struct image *image)
{
	static const char *const names[] = { ".text", ".gnu_debugdata", ".eh_frame", ".note.gnu.build-id" };
	uint32_t crc;
	uint64_t vaddr, offset;
	size_t size;

	fuzz_use_text(image_debuglink(image, &crc));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const uint8_t *bytes = image_section_data(image, names[i], &size);
		for (size_t k = 0; bytes && k < size; k++)
			fuzz_use(bytes[k]);
	}
	for (size_t i = 0; i < image->segments.count; i++) {
		fuzz_use(image_vaddr_of(image, image->segments.at[i].offset, &vaddr));
		fuzz_use(image_offset_of(image, image->segments.at[i].vaddr, &offset));
		const uint8_t *bytes = image_bytes(image, image->segments.at[i].offset, 64, &size);
		for (size_t k = 0; bytes && k < size; k++)
			fuzz_use(bytes[k]);
	}
}

int fuzz_one(const uint8_t *data, size_t size)
{
	const char *why;
	struct image *image = image_open(fuzz_file(data, size), &why);

	if (image) {
		use_image(image);
		use_symbols(image, false);
		use_symbols(image, true);
	}
	image_free(image);
	return 0;
}
