#include "symbolize/load_plt.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "symbolize/image.h"
#include "symbolize/symtab.h"
#include "util/cursor.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define MAX_ENTRY 128 /* bytes: SPARC's header, the largest known */
#define MAX_NAME 65536

/*
 * What the linkers of one ELF machine do that others do not. Keyed by the machine number of the file, as the
 * relocation numbers are.
 */
struct plt_rules {
	uint16_t machine;
	uint32_t irelative;	/* relocation whose addend is an indirect function; 0: not followed */
	bool jumps_through_got; /* "jmp *disp(%rip)" can be decoded */
};

static const struct plt_rules x86_rules[] = {
	{ EM_386, 0, false },
	{ EM_X86_64, R_X86_64_IRELATIVE, true },
};

struct reloc {
	uint64_t offset, addend;
	uint32_t symbol, type;
	uint32_t number; /* in the file's order */
};

/* Relocations and the symbols that they name. */
struct relocs {
	VEC(struct reloc) list;
	Elf_Data *symbols;
	const char *strings;
	size_t strings_size; /* up to and with the last NUL */
};

struct plt {
	const struct image *image;
	const struct plt_rules *x86; /* NULL: another machine */
	struct symtab *symtab;
	size_t nr_symbols;   /* of symtab, before those of the PLT */
	uint64_t names_left; /* bytes of names still to be made: a damaged table repeats a long one */
};

/* Relocations */

static bool read_symbol_table(const struct image *image, size_t index, struct relocs *ret)
{
	GElf_Shdr header;
	Elf_Scn *scn = elf_getscn(image->elf, index);

	if (!scn || !gelf_getshdr(scn, &header) ||
	    (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB))
		return false;
	ret->symbols = elf_getdata(scn, NULL);
	Elf_Scn *strings = elf_getscn(image->elf, header.sh_link);
	Elf_Data *data = strings ? elf_rawdata(strings, NULL) : NULL;
	const char *last = data && data->d_buf ? memrchr(data->d_buf, '\0', data->d_size) : NULL;
	if (!ret->symbols || !last)
		return false;
	ret->strings = data->d_buf;
	ret->strings_size = (size_t)(last - ret->strings) + 1;
	return true;
}

static bool get_reloc(Elf_Data *data, uint32_t type, int index, struct reloc *ret)
{
	GElf_Rela rela;
	GElf_Rel rel;

	if (type == SHT_RELA && gelf_getrela(data, index, &rela)) {
		*ret = (struct reloc){ rela.r_offset, (uint64_t)rela.r_addend,
				       (uint32_t)GELF_R_SYM(rela.r_info), (uint32_t)GELF_R_TYPE(rela.r_info),
				       (uint32_t)index };
		return true;
	}
	if (type == SHT_REL && gelf_getrel(data, index, &rel)) {
		*ret = (struct reloc){ rel.r_offset, 0, (uint32_t)GELF_R_SYM(rel.r_info),
				       (uint32_t)GELF_R_TYPE(rel.r_info), (uint32_t)index };
		return true;
	}
	return false;
}

/* The first word of all kinds, in this machine's byte order by now. */
static uint64_t reloc_offset(const char *entry, uint8_t word_size)
{
	uint64_t wide;
	uint32_t narrow;

	if (word_size == 8) {
		memcpy(&wide, entry, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, entry, sizeof(narrow));
	return narrow;
}

/* Which relocations count: those of addresses from @low to @high. */
struct wanted {
	uint64_t low, high;
	bool named; /* and of a symbol */
};
static const struct wanted all_relocs = { .high = UINT64_MAX };

/* False: there are none whose symbols can be read. */
static bool read_relocs(const struct image *image, const char *name, struct wanted wanted, size_t *ret_link,
			struct relocs *ret)
{
	GElf_Shdr header;
	Elf_Scn *scn = image_section(image, name, &header);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	if (!data || !data->d_buf || !read_symbol_table(image, header.sh_link, ret))
		return false;
	if (header.sh_type != SHT_RELA && header.sh_type != SHT_REL)
		return false;
	size_t entry =
		gelf_fsize(image->elf, header.sh_type == SHT_RELA ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	size_t count = entry ? data->d_size / entry : 0;
	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		struct reloc reloc;
		uint64_t offset = reloc_offset((const char *)data->d_buf + i * entry, image->word_size);
		if (offset < wanted.low || offset > wanted.high)
			continue;
		if (!get_reloc(data, header.sh_type, (int)i, &reloc))
			break;
		if (reloc.symbol || !wanted.named)
			vec_push(&ret->list, reloc);
	}
	*ret_link = header.sh_link;
	return true;
}

static int by_offset(const void *a, const void *b)
{
	const struct reloc *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Linkers mostly have done it. */
static void sort_relocs(struct relocs *relocs)
{
	struct reloc *list = relocs->list.at;
	size_t count = relocs->list.count, nr_sorted = 1;

	while (nr_sorted < count && by_offset(&list[nr_sorted - 1], &list[nr_sorted]) < 0)
		nr_sorted++;
	if (nr_sorted < count)
		qsort(list, count, sizeof(*list), by_offset);
}

/* NULL: the relocation has no symbol, or one without a name. */
static const char *reloc_name(const struct relocs *relocs, const struct reloc *reloc)
{
	GElf_Sym sym;

	if (!reloc->symbol || reloc->symbol > INT32_MAX ||
	    !gelf_getsym(relocs->symbols, (int)reloc->symbol, &sym))
		return NULL;
	if (!sym.st_name || sym.st_name >= relocs->strings_size)
		return NULL;
	const char *name = relocs->strings + sym.st_name;
	return *name && strnlen(name, MAX_NAME) < MAX_NAME ? name : NULL;
}

/* @relocs sorted. */
static const struct reloc *reloc_at(const struct relocs *relocs, uint64_t offset)
{
	size_t low = 0, high = relocs->list.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (relocs->list.at[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < relocs->list.count && relocs->list.at[low].offset == offset ? &relocs->list.at[low]
										 : NULL;
}

/* Symbols */

/* @name is lent until the symtab is freed. */
static void add(struct plt *p, uint64_t start, uint64_t size, const char *name)
{
	uint64_t end = size > UINT64_MAX - start ? UINT64_MAX : start + size;

	symtab_add_lent(p->symtab, start, end, name, SYMBOL_FUNC, SYMBOL_GLOBAL);
}

/* @name NULL: it has none. */
static const char *plt_name(struct plt *p, const char *name, uint64_t start)
{
	static const char ending[] = "@plt";
	char offset[32];
	size_t length = name ? strlen(name) : 0;

	if (!name || length > p->names_left) {
		length = (size_t)snprintf(offset, sizeof(offset), "offset_%#" PRIx64, start);
		name = offset;
	} else {
		p->names_left -= length;
	}
	char *text = symtab_name_room(p->symtab, length + sizeof(ending));
	memcpy(text, name, length);
	memcpy(text + length, ending, sizeof(ending));
	return text;
}

/* An indirect function that starts exactly at a link-time address. */
static const struct symbol *ifunc_at(const struct plt *p, uint64_t vaddr)
{
	uint64_t start;
	size_t low = 0, high = p->nr_symbols;

	if (!image_offset_of(p->image, vaddr, &start))
		return NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (symtab_at(p->symtab, middle)->start < start)
			low = middle + 1;
		else
			high = middle;
	}
	const struct symbol *symbol = low < p->nr_symbols ? symtab_at(p->symtab, low) : NULL;
	if (!symbol || symbol->start != start || (symbol->type != SYMBOL_IFUNC && !symbol->ifunc_alias))
		return NULL;
	return symbol;
}

/* NULL: it has none. */
static const char *target_name(const struct plt *p, const struct relocs *relocs, const struct reloc *reloc)
{
	const char *name = reloc_name(relocs, reloc);

	if (name || !p->x86 || !p->x86->irelative || reloc->type != p->x86->irelative)
		return name;
	const struct symbol *ifunc = ifunc_at(p, reloc->addend);
	return ifunc ? ifunc->name : NULL;
}

/* Sizes */

static uint64_t x86_entry_size(const GElf_Shdr *header)
{
	if (header->sh_entsize == 8 || header->sh_entsize == 16)
		return header->sh_entsize;
	return header->sh_addralign == 8 ? 8 : 16;
}

/* 0: not known. */
static void entry_sizes(const struct plt *p, const GElf_Shdr *header, uint64_t *ret_header,
			uint64_t *ret_entry)
{
	const struct arch *arch = arch_by_elf(p->image->machine, p->image->word_size);
	uint64_t said = header->sh_entsize <= MAX_ENTRY ? header->sh_entsize : 0;

	*ret_header = arch->plt_header;
	/* AArch64's linker says 24 where entries authenticate pointers; ARM's says 4, a word. */
	*ret_entry = arch->plt_entry && said < arch->plt_entry ? arch->plt_entry : said;
	if (!arch->plt_entry)
		*ret_header = *ret_entry;
	if (p->x86)
		*ret_header = *ret_entry = x86_entry_size(header);
}

/* The slot that "[endbr64] [bnd] jmp *disp(%rip)" at @code, which is at @vaddr, jumps through. */
static bool decode_jump(const uint8_t *code, size_t size, uint64_t vaddr, uint64_t *ret_slot)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = 0;

	if (size >= sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	if (at < size && code[at] == 0xf2)
		at++;
	if (size - at < 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	int32_t distance = (int32_t)load_u32(code + at + 2, false);
	*ret_slot = vaddr + at + 6 + (uint64_t)(int64_t)distance;
	return true;
}

/* .plt.got */
struct plt_got {
	GElf_Shdr header;
	const uint8_t *code;
	size_t size, entry_size;
};

/* Those of the entries' slots: a few of thousands. */
static void read_slot_relocs(const struct plt *p, const struct plt_got *got, struct relocs *ret)
{
	struct wanted slots = { .low = UINT64_MAX, .named = true };
	size_t link;

	for (size_t at = 0; got->size - at >= got->entry_size; at += got->entry_size) {
		uint64_t slot;
		if (!decode_jump(got->code + at, got->entry_size, got->header.sh_addr + at, &slot))
			continue;
		slots.low = slot < slots.low ? slot : slots.low;
		slots.high = slot > slots.high ? slot : slots.high;
	}
	if (!read_relocs(p->image, ".rela.dyn", slots, &link, ret))
		vec_clear(&ret->list);
	sort_relocs(ret);
}

/* Calls whose address is taken too go through .plt.got; the slots' relocations are in .rela.dyn. */
static void add_plt_got(struct plt *p)
{
	struct relocs relocs = { 0 };
	struct plt_got got;

	if (!p->x86 || !image_section(p->image, ".plt.got", &got.header) || got.header.sh_type == SHT_NOBITS)
		return;
	got.code = image_section_data(p->image, ".plt.got", &got.size);
	if (!got.code)
		return;
	got.entry_size = (size_t)x86_entry_size(&got.header);
	if (p->x86->jumps_through_got)
		read_slot_relocs(p, &got, &relocs);
	for (size_t at = 0; got.size - at >= got.entry_size; at += got.entry_size) {
		uint64_t start = got.header.sh_offset + at, slot;
		const struct reloc *reloc = NULL;
		if (p->x86->jumps_through_got &&
		    decode_jump(got.code + at, got.entry_size, got.header.sh_addr + at, &slot))
			reloc = reloc_at(&relocs, slot);
		const char *name = reloc ? reloc_name(&relocs, reloc) : NULL;
		add(p, start, got.entry_size, plt_name(p, name, start));
	}
	vec_free(&relocs.list);
}

/* The table that relocations of the PLT must name symbols of: .dynsym, or a static program's .symtab. */
static bool is_expected_link(const struct image *image, size_t link)
{
	Elf_Scn *scn = image_section(image, ".dynsym", NULL);

	if (!scn)
		scn = image_section(image, ".symtab", NULL);
	return scn && elf_ndxscn(scn) == link;
}

static bool read_plt_relocs(struct plt *p, struct relocs *ret)
{
	size_t link;

	if (!read_relocs(p->image, ".rela.plt", all_relocs, &link, ret)) {
		vec_clear(&ret->list);
		if (!read_relocs(p->image, ".rel.plt", all_relocs, &link, ret))
			return false;
	}
	if (!is_expected_link(p->image, link))
		return false;
	if (p->x86)
		sort_relocs(ret);
	return true;
}

static void add_entries(struct plt *p, const struct relocs *relocs, uint64_t start, uint64_t end,
			uint64_t entry)
{
	for (size_t i = 0; i < relocs->list.count && start < end && end - start >= entry; i++) {
		const char *name = target_name(p, relocs, &relocs->list.at[i]);
		add(p, start, entry, plt_name(p, name, start));
		start += entry;
	}
}

/* The table itself: its header (all of it, where .plt.sec has the entries), then an entry a relocation. */
static void add_table(struct plt *p, const GElf_Shdr *plt, const struct relocs *relocs)
{
	GElf_Shdr sec;
	uint64_t header, entry, start = plt->sh_offset, end = start + plt->sh_size;

	entry_sizes(p, plt, &header, &entry);
	if (!entry || end < start)
		return;
	if (p->x86 && image_section(p->image, ".plt.sec", &sec) &&
	    sec.sh_offset + sec.sh_size >= sec.sh_offset) {
		add(p, start, plt->sh_size, ".plt");
		add_entries(p, relocs, sec.sh_offset, sec.sh_offset + sec.sh_size, entry);
		return;
	}
	bool headless = relocs->list.count && relocs->list.count * entry == plt->sh_size;
	if (headless)
		header = 0;
	else
		add(p, start, header, ".plt");
	if (header <= plt->sh_size)
		add_entries(p, relocs, start + header, end, entry);
}

static const struct plt_rules *find_x86_rules(uint16_t machine)
{
	for (size_t i = 0; i < sizeof(x86_rules) / sizeof(x86_rules[0]); i++) {
		if (x86_rules[i].machine == machine)
			return &x86_rules[i];
	}
	return NULL;
}

void load_plt(const struct image *image, struct symtab *symtab)
{
	struct plt p = { .image = image, .x86 = find_x86_rules(image->machine), .symtab = symtab };
	struct relocs relocs = { 0 };
	GElf_Shdr plt;

	if (image->type == ET_REL || !image_section(image, ".plt", &plt) || plt.sh_type == SHT_NOBITS)
		return;
	p.nr_symbols = symtab_count(symtab);
	p.names_left = UINT64_C(16) << 20; /* no table that is right comes near */
	/* A symbol without a size before the table was given all up to the next one. */
	symtab_cut(symtab, plt.sh_offset);
	if (!read_plt_relocs(&p, &relocs))
		vec_clear(&relocs.list);
	add_plt_got(&p);
	add_table(&p, &plt, &relocs);
	vec_free(&relocs.list);
}
