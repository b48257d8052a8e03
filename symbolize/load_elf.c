#include "symbolize/load_elf.h"

#include <gelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "symbolize/image.h"
#include "symbolize/load_kallsyms.h"
#include "symbolize/load_plt.h"
#include "symbolize/symtab.h"
#include "util/cursor.h"
#include "util/xalloc.h"

/* No compiler makes longer names; a damaged table may point into one long string a million times. */
#define MAX_NAME ((size_t)1 << 16)

/* What the rules ask about a section; index 0 and what cannot be read have !known. */
struct section {
	uint64_t addr, offset;
	bool known;
	bool alloc;
	bool text_or_data; /* by its name */
};

/* One table of one file being read. */
struct table {
	const struct load_elf *files;
	const struct image *image; /* of the table */
	const struct arch *arch;
	Elf_Data *symbols, *extended; /* extended: section numbers beyond 16 bits, or NULL */
	const char *strings;
	size_t strings_size; /* up to and with the last NUL */
	struct section *sections;
	size_t nr_sections;
	const uint8_t *opd; /* ppc64's function descriptors, or NULL */
	size_t opd_size;
	uint64_t opd_addr;
};

static Elf_Scn *find_table(const struct image *image, uint32_t type, GElf_Shdr *ret)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(image->elf, scn))) {
		if (gelf_getshdr(scn, ret) && ret->sh_type == type)
			return scn;
	}
	return NULL;
}

size_t load_elf_table_size(const struct image *image, unsigned type)
{
	GElf_Shdr header;
	Elf_Scn *scn = find_table(image, type, &header);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	size_t entry = gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);

	return data && data->d_buf && entry ? data->d_size / entry : 0;
}

/* Sections */

static const char *section_name(const struct image *image, const GElf_Shdr *header)
{
	size_t names;

	return elf_getshdrstrndx(image->elf, &names) ? NULL : elf_strptr(image->elf, names, header->sh_name);
}

/* A debug file has sections without contents in place of the runtime's: that one knows where they are. */
static void read_section(struct table *t, size_t index)
{
	const struct image *image = t->image;
	struct section *section = &t->sections[index];
	GElf_Shdr header, real;

	if (!gelf_getshdr(elf_getscn(image->elf, index), &header))
		return;
	if (header.sh_type == SHT_NOBITS && t->files->runtime != image &&
	    gelf_getshdr(elf_getscn(t->files->runtime->elf, index), &real)) {
		image = t->files->runtime;
		header = real;
	}
	const char *name = section_name(image, &header);
	section->known = true;
	section->addr = header.sh_addr;
	section->offset = header.sh_offset;
	section->alloc = header.sh_flags & SHF_ALLOC;
	section->text_or_data = name && (strstr(name, "text") || strstr(name, "data"));
}

static void read_sections(struct table *t)
{
	size_t count;

	if (elf_getshdrnum(t->image->elf, &count) || !count)
		return;
	t->sections = xcalloc(count, sizeof(*t->sections));
	t->nr_sections = count;
	for (size_t i = 1; i < count; i++)
		read_section(t, i);
}

/* ELFv1 ABI of 64-bit PowerPC: a function's symbol is that of its descriptor, whose first word is its
 * address. */
static void read_opd(struct table *t)
{
	GElf_Shdr header;
	const struct image *runtime = t->files->runtime;

	if (runtime->word_size != 8 || !image_section(runtime, ".opd", &header))
		return;
	t->opd = image_section_data(runtime, ".opd", &t->opd_size);
	t->opd_addr = header.sh_addr;
}

/* Tables */

static bool read_strings(struct table *t, uint32_t index)
{
	Elf_Scn *scn = elf_getscn(t->image->elf, index);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;

	if (!data || !data->d_buf || !data->d_size)
		return false;
	const char *last = memrchr(data->d_buf, '\0', data->d_size);
	if (!last)
		return false;
	t->strings = data->d_buf;
	t->strings_size = (size_t)(last - t->strings) + 1;
	return true;
}

static Elf_Data *extended_indexes(const struct image *image, size_t symtab_index)
{
	GElf_Shdr header;
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(image->elf, scn))) {
		if (gelf_getshdr(scn, &header) && header.sh_type == SHT_SYMTAB_SHNDX &&
		    header.sh_link == symtab_index)
			return elf_getdata(scn, NULL);
	}
	return NULL;
}

static bool open_table(struct table *t, uint32_t type)
{
	GElf_Shdr header;
	Elf_Scn *scn = find_table(t->image, type, &header);

	if (!scn || !load_elf_table_size(t->image, type) || !read_strings(t, header.sh_link))
		return false;
	t->symbols = elf_getdata(scn, NULL);
	t->extended = extended_indexes(t->image, elf_ndxscn(scn));
	t->arch = arch_by_elf(t->image->machine, t->image->word_size);
	read_sections(t);
	read_opd(t);
	return true;
}

/* NULL: no name, or none that can be right. */
static const char *symbol_name(const struct table *t, const GElf_Sym *sym)
{
	if (!sym->st_name || sym->st_name >= t->strings_size)
		return NULL;
	const char *name = t->strings + sym->st_name;
	size_t room = t->strings_size - sym->st_name;
	if (!*name || (room > MAX_NAME && !memchr(name, '\0', MAX_NAME)))
		return NULL;
	return name;
}

/* NULL: the symbol is in none that counts. */
static const struct section *symbol_section(const struct table *t, const GElf_Sym *sym, uint32_t extended)
{
	uint32_t index = sym->st_shndx == SHN_XINDEX ? extended : sym->st_shndx;

	if (index == SHN_UNDEF || (sym->st_shndx >= SHN_LORESERVE && sym->st_shndx != SHN_XINDEX) ||
	    index >= t->nr_sections)
		return NULL;
	const struct section *section = &t->sections[index];
	return section->known && section->alloc ? section : NULL;
}

static bool is_label(const GElf_Sym *sym, const struct section *section)
{
	unsigned visibility = GELF_ST_VISIBILITY(sym->st_other);

	return visibility != STV_HIDDEN && visibility != STV_INTERNAL && section->text_or_data;
}

static bool keep_type(const GElf_Sym *sym, const struct section *section, enum symbol_type *ret)
{
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
		*ret = SYMBOL_FUNC;
		return true;
	case STT_GNU_IFUNC:
		*ret = SYMBOL_IFUNC;
		return true;
	case STT_OBJECT:
		*ret = SYMBOL_OBJECT;
		return true;
	case STT_NOTYPE:
		*ret = SYMBOL_NOTYPE;
		return is_label(sym, section);
	default:
		return false;
	}
}

static bool is_mark(const struct table *t, const char *name)
{
	if (t->files->kernel && kallsyms_is_mark(name))
		return true;
	return t->arch->is_mapping_symbol && t->arch->is_mapping_symbol(name);
}

/* perf counts what is neither weak nor global (STB_GNU_UNIQUE) as local when it chooses among duplicates. */
static enum symbol_binding binding_of(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_GLOBAL:
		return SYMBOL_GLOBAL;
	case STB_WEAK:
		return SYMBOL_WEAK;
	default:
		return SYMBOL_LOCAL;
	}
}

/* The address that a descriptor in .opd holds; false when @value is in none. */
static bool follow_descriptor(const struct table *t, uint64_t value, uint64_t *ret)
{
	uint64_t at = value - t->opd_addr;

	if (!t->opd || value < t->opd_addr || at > t->opd_size || t->opd_size - at < 8)
		return false;
	*ret = load_u64(t->opd + at, t->files->runtime->big_endian);
	return true;
}

static uint64_t file_offset(const struct table *t, uint64_t value, const struct section *section)
{
	uint64_t offset;

	if (image_offset_of(t->files->runtime, value, &offset))
		return offset;
	return value - section->addr + section->offset;
}

static void add_symbol(struct table *t, const GElf_Sym *sym, uint32_t extended, struct symtab *symtab)
{
	const struct section *section = symbol_section(t, sym, extended);
	const char *name = section ? symbol_name(t, sym) : NULL;
	uint64_t value = sym->st_value, code;
	enum symbol_type type;

	if (!name || !keep_type(sym, section, &type) || is_mark(t, name))
		return;
	if (follow_descriptor(t, value, &code)) {
		uint64_t ignored;
		if (!image_offset_of(t->files->runtime, code, &ignored))
			return; /* a descriptor of nowhere */
		value = code;
	}
	if (t->arch->symbol_bit0_is_mode && (type == SYMBOL_FUNC || type == SYMBOL_IFUNC))
		value &= ~UINT64_C(1);
	uint64_t start = file_offset(t, value, section);
	uint64_t end = sym->st_size > UINT64_MAX - start ? UINT64_MAX : start + sym->st_size;
	symtab_add_lent(symtab, start, end, name, type, binding_of(sym));
}

static void load_table(const struct load_elf *files, const struct image *image, uint32_t type,
		       struct symtab *symtab)
{
	struct table t = { .files = files, .image = image };

	if (open_table(&t, type)) {
		int count = (int)load_elf_table_size(image, type);
		for (int i = 1; i < count; i++) {
			GElf_Sym sym;
			Elf32_Word extended = 0;
			if (gelf_getsymshndx(t.symbols, t.extended, i, &sym, &extended))
				add_symbol(&t, &sym, extended, symtab);
		}
		symtab_fix_elf(symtab);
	}
	free(t.sections);
}

const char *load_elf(const struct load_elf *files, struct symtab *symtab)
{
	/* The PLT's entries have names of .dynsym. */
	symtab_reserve(symtab, load_elf_table_size(files->symbols, SHT_SYMTAB) +
				       load_elf_table_size(files->symbols, SHT_DYNSYM) +
				       load_elf_table_size(files->runtime, SHT_DYNSYM));
	load_table(files, files->symbols, SHT_SYMTAB, symtab);
	load_table(files, files->symbols, SHT_DYNSYM, symtab);
	if (files->add_runtime_dynsym && files->runtime != files->symbols)
		load_table(files, files->runtime, SHT_DYNSYM, symtab);
	const char *reason = symtab_count(symtab) ? NULL : "no symbols";
	load_plt(files->runtime, symtab);
	return reason;
}
