#include "symbolize/insn_set.h"

#include <stdlib.h>

#include "arch/arch.h"
#include "symbolize/image.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* From here on, up to the next mark; beyond end that is a guess. */
struct mark {
	uint64_t vaddr, end;
	uint32_t order; /* of two marks at one address the later one counts */
	bool alternate;
};

struct insn_sets {
	VEC(struct mark) marks; /* sorted */
	bool first;		/* of what is before all marks */
};

static Elf_Data *symbol_table(const struct image *image, const char *name, GElf_Shdr *header)
{
	Elf_Scn *scn = image_section(image, name, header);

	return scn && header->sh_type != SHT_NOBITS ? elf_getdata(scn, NULL) : NULL;
}

static void add_mark(struct insn_sets *sets, uint64_t vaddr, uint64_t end, bool alternate)
{
	struct mark mark = { vaddr, end, (uint32_t)sets->marks.count, alternate };

	vec_push(&sets->marks, mark);
}

static void add_mapping_symbols(struct insn_sets *sets, const struct arch *arch, const struct image *image)
{
	GElf_Shdr header;
	Elf_Data *table = symbol_table(image, ".symtab", &header);
	GElf_Sym sym;

	for (int i = 1; gelf_getsym(table, i, &sym); i++) {
		const char *name = elf_strptr(image->elf, header.sh_link, sym.st_name);
		enum arch_insn_set set = name ? arch->mapping_insn_set(name) : ARCH_INSN_UNKNOWN;
		if (set != ARCH_INSN_UNKNOWN)
			add_mark(sets, sym.st_value, UINT64_MAX, set == ARCH_INSN_ALTERNATE);
	}
}

static void add_functions(struct insn_sets *sets, const struct image *image, const char *section)
{
	GElf_Shdr header;
	Elf_Data *table = symbol_table(image, section, &header);
	GElf_Sym sym;

	for (int i = 1; gelf_getsym(table, i, &sym); i++) {
		int type = GELF_ST_TYPE(sym.st_info);
		uint64_t start = sym.st_value & ~UINT64_C(1);
		if (sym.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC))
			add_mark(sets, start, start + sym.st_size, sym.st_value & 1);
	}
}

static int by_vaddr(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	if (a->vaddr != b->vaddr)
		return a->vaddr < b->vaddr ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

struct insn_sets *insn_sets_new(const struct arch *arch, const struct image *binary,
				const struct image *debug)
{
	struct insn_sets *sets = xcalloc(1, sizeof(*sets));
	GElf_Ehdr header;

	sets->first = gelf_getehdr(binary->elf, &header) && header.e_entry & 1;
	add_mapping_symbols(sets, arch, binary);
	if (!sets->marks.count && debug)
		add_mapping_symbols(sets, arch, debug);
	if (!sets->marks.count) {
		add_functions(sets, binary, ".dynsym");
		add_functions(sets, binary, ".symtab");
	}
	if (sets->marks.count)
		qsort(sets->marks.at, sets->marks.count, sizeof(*sets->marks.at), by_vaddr);
	return sets;
}

void insn_sets_free(struct insn_sets *sets)
{
	if (!sets)
		return;
	vec_free(&sets->marks);
	free(sets);
}

/* The last one that begins at or before an address; NULL. */
static const struct mark *mark_of(const struct insn_sets *sets, uint64_t vaddr)
{
	size_t low = 0, high = sets->marks.count;

	while (low < high) { /* the marks below low begin at or before vaddr, those from high on behind it */
		size_t middle = low + (high - low) / 2;
		if (sets->marks.at[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &sets->marks.at[low - 1] : NULL;
}

bool insn_sets_alternate(const struct insn_sets *sets, uint64_t vaddr, bool *ret_sure)
{
	const struct mark *mark = mark_of(sets, vaddr);

	*ret_sure = mark && vaddr < mark->end;
	return mark ? mark->alternate : sets->first;
}

bool insn_sets_function(const struct insn_sets *sets, uint64_t vaddr, uint64_t *ret_start, uint64_t *ret_end)
{
	const struct mark *mark = mark_of(sets, vaddr);

	if (!mark || vaddr >= mark->end || mark->end == UINT64_MAX)
		return false;
	*ret_start = mark->vaddr;
	*ret_end = mark->end;
	return true;
}
