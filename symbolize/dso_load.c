#include "symbolize/dso_load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "arch/arch.h"
#include "symbolize/dso.h"
#include "symbolize/dso_find.h"
#include "symbolize/host_vdso.h"
#include "symbolize/image.h"
#include "symbolize/load_elf.h"
#include "symbolize/load_jitdump.h"
#include "symbolize/load_perfmap.h"
#include "symbolize/recorded.h"
#include "symbolize/symtab.h"
#include "symbolize/unpack.h"
#include "util/xalloc.h"

#define NOT_FOUND "not found"
#define NOT_FOUND_HERE "not found on this machine (--sysroot)"
#define OTHER_BUILD_ID "other build-id"
#define OTHER_MACHINE "other machine"
#define OTHER_FILE "another file of that name"
#define FOREIGN_HOST "this machine is not the recorded one (--sysroot)"
#define UNSAID_HOST "the recording does not say which machine it was (if this one: --sysroot /)"
#define DELETED "deleted when it was recorded"

/* Why a path on this machine proves nothing. */
static const char *foreign_host(const struct dso_find_options *options)
{
	return options->host_is_unsaid ? UNSAID_HOST : FOREIGN_HOST;
}

/* The files of one dso while they are chosen. */
struct load {
	struct dso_find *find;
	const struct dso_find_options *options;
	struct dso *dso;
	struct build_id id; /* recorded, or else the binary's */
	struct dso_place binary_place;
	struct image *binary;
	struct image *symbols; /* may be the binary; NULL: none has a .symtab */
	bool is_debugdata;     /* symbols are the binary's .gnu_debugdata */
	struct image *dwarf;   /* a file with DWARF that is neither of the two */
	const char *refused;   /* why the first file that was there was not used */
	const char *refused_at;
};

static void refuse(struct load *l, const char *path, const char *why)
{
	if (l->refused || !strcmp(why, NOT_FOUND))
		return;
	l->refused = why;
	l->refused_at = dso_find_keep(l->find, path);
}

static bool is_deleted(const struct dso *dso)
{
	return strstr(dso->long_name, " (deleted)") != NULL;
}

/* Files that are kept */

static bool has_dwarf(const struct image *image)
{
	GElf_Shdr header;

	if (!image)
		return false;
	return (image_section(image, ".debug_info", &header) ||
		image_section(image, ".zdebug_info", &header)) &&
	       header.sh_type != SHT_NOBITS;
}

/* Keep @image if it has what is still missing. */
static void take_debug_file(struct load *l, struct image *image)
{
	if (!l->symbols && load_elf_table_size(image, SHT_SYMTAB))
		l->symbols = image;
	else if (!l->dwarf && !has_dwarf(l->binary) && !has_dwarf(l->symbols) && has_dwarf(image))
		l->dwarf = image;
	else
		image_free(image);
}

/* The binary itself */

static const char *check_machine(const struct load *l, const struct image *image,
				 const struct dso_place *place)
{
	const struct dso_find_options *options = l->options;

	if (!options->arch || options->arch == &arch_unknown || image->machine == options->arch->elf_machine)
		return NULL;
	/* The vdsos of 64-bit and 32-bit programs are in one folder; only a build-id tells whose it is. */
	if (place->kind == DSO_PLACE_VDSO && !l->dso->build_id.size)
		return OTHER_MACHINE;
	return arch_runs(options->arch, image->machine) ? NULL : OTHER_MACHINE;
}

static const char *check_binary(const struct load *l, const struct image *image,
				const struct dso_place *place)
{
	const struct build_id *recorded = &l->dso->build_id;

	if ((l->dso->kind == DSO_MODULE) != (image->type == ET_REL) || image->type == ET_CORE)
		return OTHER_FILE;
	if (recorded->size) {
		if (!build_id_equal(recorded, &image->build_id))
			return OTHER_BUILD_ID;
		return check_machine(l, image, place);
	}
	if (place->kind == DSO_PLACE_HOST && !l->options->host_is_recorded)
		return foreign_host(l->options);
	if (place->kind == DSO_PLACE_HOST && is_deleted(l->dso))
		return DELETED;
	return check_machine(l, image, place);
}

/* vdsos of several kernels are there and nothing says which one ran. */
static bool is_ambiguous(const struct load *l, struct dso_places *places, const struct dso_place *place)
{
	const struct dso_place *other;

	if (place->kind != DSO_PLACE_VDSO || l->dso->build_id.size)
		return false;
	for (size_t i = 0; (other = dso_places_at(places, i)); i++) {
		size_t folder = (size_t)(strrchr(other->path, '/') - other->path);
		if (strncmp(other->path, place->path, folder + 1) != 0)
			return true;
	}
	return false;
}

/* Folders that mirror a system may have a debug file under the binary's name: symbols, but no code. */
static bool is_debug_only(const struct image *image)
{
	GElf_Shdr header;

	return image_section(image, ".text", &header) && header.sh_type == SHT_NOBITS;
}

static void try_binary(struct load *l, struct dso_place *place)
{
	const char *why;
	struct image *image = image_open(place->path, &why);
	const char *wrong = image ? check_binary(l, image, place) : why;

	if (wrong) {
		refuse(l, place->path, wrong);
		image_free(image);
	} else if (is_debug_only(image)) {
		take_debug_file(l, image);
	} else {
		l->binary = image;
		l->binary_place = *place;
		place->path = NULL;
	}
}

static void find_binary(struct load *l)
{
	struct dso_places places = { 0 };

	struct dso_place *place;

	dso_find_binary(l->find, l->dso, &places);
	for (size_t i = 0; !l->binary && (place = dso_places_at(&places, i)); i++) {
		if (is_ambiguous(l, &places, place))
			refuse(l, place->path, "several kernels' files and no build-id recorded");
		else
			try_binary(l, place);
	}
	dso_places_free(&places);
}

/* A kernel has its own vdso; of the one that runs here it is in memory. */
static void try_host_vdso(struct load *l)
{
	struct dso_place place = { .kind = DSO_PLACE_HOST };
	size_t size;
	const char *why;

	if (l->options->sysroot)
		return;
	void *bytes = host_vdso(&size);
	struct image *image = bytes ? image_memory("[vdso]", bytes, size, &why) : NULL;
	if (image && !check_binary(l, image, &place))
		l->binary = image;
	else
		image_free(image);
}

/* Files with its symbols */

static bool same_segments(const struct image *a, const struct image *b)
{
	if (a->segments.count != b->segments.count)
		return false;
	for (size_t i = 0; i < a->segments.count; i++) {
		const struct image_segment *x = &a->segments.at[i], *y = &b->segments.at[i];
		if (x->vaddr != y->vaddr || x->memsz != y->memsz)
			return false;
	}
	return true;
}

/* .gnu_debuglink's checksum of the whole file is that of zlib. */
static bool has_crc(const struct image *image, uint32_t wanted)
{
	size_t size;
	const uint8_t *bytes = image_bytes(image, 0, SIZE_MAX, &size);

	return bytes && crc32_z(0, bytes, size) == wanted;
}

static bool is_linked(const struct load *l, const struct dso_place *place, const struct image *image)
{
	uint32_t crc;

	return place->kind == DSO_PLACE_DEBUGLINK && l->binary && image_debuglink(l->binary, &crc) &&
	       has_crc(image, crc);
}

static bool is_its_debug_file(const struct load *l, const struct dso_place *place, const struct image *image)
{
	if (l->binary ? image->machine != l->binary->machine : check_machine(l, image, place) != NULL)
		return false;
	if (l->id.size && image->build_id.size)
		return build_id_equal(&l->id, &image->build_id);
	if (is_linked(l, place, image))
		return true;
	if (l->id.size || place->kind != DSO_PLACE_NAME)
		return false;
	bool trusted = place->given || l->options->host_is_recorded;
	return trusted && (!l->binary || same_segments(image, l->binary));
}

static void try_debug_file(struct load *l, const struct dso_place *place)
{
	const char *why;
	struct image *image = image_open(place->path, &why);

	if (!image)
		return;
	if (is_its_debug_file(l, place, image))
		take_debug_file(l, image);
	else
		image_free(image);
}

/*
 * Distributions pack the symbols that .dynsym lacks into .gnu_debugdata of a stripped binary. perf prefers
 * that to the binary's own .symtab too; a table that is larger has names that would be lost.
 */
static void try_gnu_debugdata(struct load *l)
{
	size_t packed_size, size;
	const char *why;

	if (l->symbols || !l->binary)
		return;
	const void *packed = image_section_data(l->binary, ".gnu_debugdata", &packed_size);
	void *unpacked = packed ? unpack(packed, packed_size, &size) : NULL;
	struct image *image = unpacked ? image_memory(l->binary->path, unpacked, size, &why) : NULL;
	if (!image)
		return;
	size_t count = load_elf_table_size(image, SHT_SYMTAB);
	if (!count || image->machine != l->binary->machine ||
	    load_elf_table_size(l->binary, SHT_SYMTAB) >= count) {
		image_free(image);
		return;
	}
	l->symbols = image;
	l->is_debugdata = true;
}

static bool has_all(const struct load *l)
{
	return l->symbols && (l->dwarf || has_dwarf(l->binary) || has_dwarf(l->symbols));
}

static void take_own_symbols(struct load *l)
{
	if (!l->symbols && l->binary && load_elf_table_size(l->binary, SHT_SYMTAB))
		l->symbols = l->binary;
}

static void try_place(struct load *l, const struct dso_place *place)
{
	switch (place->kind) {
	case DSO_PLACE_GNU_DEBUGDATA:
		try_gnu_debugdata(l);
		break;
	case DSO_PLACE_OWN:
		take_own_symbols(l);
		break;
	default:
		/* perf's cache has the binary itself, by a hard link. */
		if (!l->binary || !image_is_at(l->binary, place->path))
			try_debug_file(l, place);
		else if (strcmp(l->binary->path, place->path) && is_its_debug_file(l, place, l->binary))
			take_own_symbols(l);
		break;
	}
}

static void find_symbols(struct load *l)
{
	struct dso_places places = { 0 };
	struct dso_symbol_query known = { .binary = l->binary ? &l->binary_place : NULL, .id = l->id };
	const struct dso_place *place;
	uint32_t crc;

	if (l->binary)
		known.debuglink = image_debuglink(l->binary, &crc);
	dso_find_symbols(l->find, l->dso, &known, &places);
	for (size_t i = 0; !has_all(l) && (place = dso_places_at(&places, i)); i++)
		try_place(l, place);
	dso_places_free(&places);
}

/* Results */

static const char *read_symbols(const struct load *l, struct symtab *symtab)
{
	const struct image *any = l->binary ? l->binary : l->dwarf;
	struct load_elf files = {
		.symbols = l->symbols ? l->symbols : any,
		.runtime = l->binary	? l->binary
			   : l->symbols ? l->symbols
					: any,
		.add_runtime_dynsym = l->is_debugdata,
		.kernel = l->dso->kind == DSO_MODULE,
	};

	const char *reason = load_elf(&files, symtab);
	/* Enough for exported functions; a vdso never has more. */
	if (!reason && !l->symbols && l->dso->kind != DSO_VDSO)
		return "stripped";
	return reason;
}

/* One debug file goes with the dso: that with DWARF, when there are two. */
static void keep_images(struct load *l)
{
	bool own = l->symbols == l->binary;

	l->dso->binary = l->binary;
	l->dso->debug = l->dwarf ? l->dwarf : own || l->is_debugdata ? NULL : l->symbols;
	l->dso->names = own || l->dso->debug == l->symbols ? NULL : l->symbols;
}

/* A file that was refused says more than places where nothing was. */
static const char *why_nothing(const struct load *l)
{
	const struct dso *dso = l->dso;

	if (l->refused)
		return l->refused;
	if (l->options->sysroot || l->options->host_is_recorded || !dso_find_expected(l->find, dso))
		return NOT_FOUND;
	return dso->build_id.size ? NOT_FOUND_HERE : foreign_host(l->options);
}

/* Proven by its build-id as any other. */
static void download_binary(struct load *l)
{
	const char *path = dso_find_download(l->find, &l->dso->build_id, false);
	struct dso_place place = { .kind = DSO_PLACE_ID, .given = true };

	if (!path)
		return;
	place.path = xstrdup(path);
	try_binary(l, &place);
	free(place.path);
}

static void download_symbols(struct load *l)
{
	const char *path = dso_find_download(l->find, &l->id, true);

	if (path)
		try_debug_file(
			l, &(struct dso_place){ .kind = DSO_PLACE_ID, .given = true, .path = (char *)path });
}

static void set_symtab(struct dso *dso, struct symtab *symtab)
{
	if (!symtab_count(symtab)) {
		symtab_free(symtab);
		return;
	}
	symtab_finish(symtab);
	dso->symtab = symtab;
}

/* Those of modules are addresses: see kernel_load_module(). */
static bool load_recorded(const struct load *l)
{
	if (l->symbols || l->dso->kind == DSO_MODULE)
		return false;
	struct symtab *symtab = symtab_new(l->options->demangle);
	bool any = recorded_load(l->options->recorded, l->dso->name, symtab);
	set_symtab(l->dso, symtab);
	return any;
}

/* The symbols of what was found. */
static void load_found(struct load *l)
{
	struct dso *dso = l->dso;

	dso->looked_at = dso_find_expected(l->find, dso);
	if (!l->binary && !l->symbols && !l->dwarf) {
		dso->missing = why_nothing(l);
		if (l->refused)
			dso->looked_at = l->refused_at;
		return;
	}
	struct symtab *symtab = symtab_new(dso->kind == DSO_MODULE ? NULL : l->options->demangle);
	dso->missing = read_symbols(l, symtab);
	dso->looked_at = dso_find_keep(l->find, l->binary    ? l->binary->path
						: l->symbols ? l->symbols->path
							     : l->dwarf->path);
	set_symtab(dso, symtab);
}

static void load_elf_dso(struct dso_find *find, struct dso *dso)
{
	struct load l = { .find = find, .options = dso_find_options(find), .dso = dso, .id = dso->build_id };

	find_binary(&l);
	if (!l.binary && dso->kind == DSO_VDSO)
		try_host_vdso(&l);
	if (!l.binary)
		download_binary(&l);
	if (l.binary && !l.id.size)
		l.id = l.binary->build_id;
	find_symbols(&l);
	if (!l.symbols)
		download_symbols(&l);
	if (!load_recorded(&l))
		load_found(&l);
	keep_images(&l);
	free(l.binary_place.path);
}

/* The other kinds */

static void add_jitdump(const struct jitdump_layer *layer, struct symtab *symtab)
{
	for (size_t i = 0; i < layer->codes.count; i++) {
		const struct jitdump_code *code = &layer->dump->codes.at[layer->codes.at[i]];
		symtab_add(symtab, code->start, code->end, code->name, SYMBOL_FUNC, SYMBOL_GLOBAL);
	}
	symtab_fix_sizes(symtab);
}

/* @dump: no symbols that overlap, by start. */
static bool is_free(const struct symtab *dump, const struct symbol *symbol)
{
	size_t low = 0, high = symtab_count(dump);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (symtab_at(dump, middle)->end <= symbol->start)
			low = middle + 1;
		else
			high = middle;
	}
	return low == symtab_count(dump) || symtab_at(dump, low)->start >= symbol->end;
}

/* The symbols of a jitdump, and those of a perf-PID.map that leave its code alone: it is the one that knows
 * when. */
static struct symtab *join_jit(const struct jitdump_layer *layer, const struct symtab *map)
{
	struct symtab *dump = symtab_new(NULL), *joined = symtab_new(NULL);

	add_jitdump(layer, dump);
	for (size_t i = 0; i < symtab_count(map); i++) {
		const struct symbol *symbol = symtab_at(map, i);
		if (is_free(dump, symbol))
			symtab_add(joined, symbol->start, symbol->end, symbol->name, SYMBOL_FUNC,
				   SYMBOL_GLOBAL);
	}
	symtab_free(dump);
	add_jitdump(layer, joined);
	return joined;
}

/* By the name of its map, or, as simpleperf calls it, of the perf-PID.map that was there. */
static bool load_recorded_jit(struct recorded *recorded, const struct dso *dso, struct symtab *symtab)
{
	AUTOFREE char *map = xasprintf("perf-%" PRIu32 ".map", dso->jit_pid);

	return recorded_load(recorded, dso->name, symtab) || recorded_load(recorded, map, symtab);
}

static void load_jit(struct dso_find *find, struct dso *dso)
{
	struct symtab *symtab = symtab_new(NULL);

	dso->looked_at = dso_find_perf_map(find, dso->jit_pid);
	dso->missing = dso_find_perf_map_is_recorded(find) ? load_perfmap(dso->looked_at, symtab)
							   : foreign_host(dso_find_options(find));
	if (dso->missing && load_recorded_jit(dso_find_options(find)->recorded, dso, symtab))
		dso->missing = NULL;
	if (dso->missing && dso->jit_expected) {
		dso->looked_at = dso->jit_expected;
		dso->missing = dso->jit_missing;
	}
	if (dso->jit) {
		struct symtab *joined = join_jit(dso->jit, symtab);
		symtab_free(symtab);
		symtab = joined;
		dso->missing = NULL;
	}
	set_symtab(dso, symtab);
}

/* The kernel told where it is and what it is called; the map says how long. */
static void load_ksymbol(struct dso *dso)
{
	struct symtab *symtab = symtab_new(NULL);

	symtab_add(symtab, 0, UINT64_MAX, dso->name, SYMBOL_FUNC, SYMBOL_GLOBAL);
	set_symtab(dso, symtab);
}

void dso_load(struct dso_find *find, struct dso *dso)
{
	if (dso->loaded)
		return;
	dso->loaded = true;
	switch (dso->kind) {
	case DSO_FILE:
	case DSO_VDSO:
	case DSO_MODULE:
		load_elf_dso(find, dso);
		break;
	case DSO_JIT:
		load_jit(find, dso);
		break;
	case DSO_KSYMBOL:
		load_ksymbol(dso);
		break;
	case DSO_KERNEL:
	case DSO_ANON:
		break;
	}
}

uint64_t dso_load_text_offset(const struct dso *dso)
{
	GElf_Shdr text;

	if (dso->kind != DSO_MODULE || !dso->binary || !image_section(dso->binary, ".text", &text))
		return 0;
	return text.sh_offset;
}
