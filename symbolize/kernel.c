#include "symbolize/kernel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "symbolize/dso_find.h"
#include "symbolize/dso_load.h"
#include "symbolize/image.h"
#include "symbolize/load_elf.h"
#include "symbolize/load_kallsyms.h"
#include "symbolize/read_text.h"
#include "symbolize/recorded.h"
#include "util/err.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define HOST_NOTES "/sys/kernel/notes"

struct kernel {
	struct kernel_options options;

	/* Of the last kernel_load(): what sources must have, and what they are shifted by. */
	struct build_id build_id;
	char *ref_name; /* NULL or "": none */
	uint64_t ref_addr, map_start, map_end;

	bool kallsyms_tried;
	struct kallsyms *kallsyms; /* NULL: there is none */
	uint64_t kallsyms_delta;
	bool is_patchy;	     /* the symbols are the recording's, which tell of some functions only */
	bool kallsyms_taken; /* its kernel's symbols were given to a dso */
	VEC(struct kallsyms *) kallsyms_before; /* they lend names to the kernels before this one */

	char *reason;	 /* why a source that is there was not used; NULL: none was there */
	char *looked_at; /* the last source */
	char *doubt;	 /* what speaks against the given kallsyms; NULL: nothing */
	char *vmlinux;	 /* that was used, or NULL */
	VEC(struct image *) images; /* vmlinux files that lend names */
	uint64_t vmlinux_delta;
};

struct kernel *kernel_new(const struct kernel_options *options)
{
	struct kernel *k = xcalloc(1, sizeof(*k));

	k->options = *options;
	return k;
}

void kernel_free(struct kernel *k)
{
	if (!k)
		return;
	kallsyms_free(k->kallsyms);
	for (size_t i = 0; i < k->kallsyms_before.count; i++)
		kallsyms_free(k->kallsyms_before.at[i]);
	vec_free(&k->kallsyms_before);
	free(k->ref_name);
	free(k->reason);
	free(k->looked_at);
	free(k->doubt);
	free(k->vmlinux);
	for (size_t i = 0; i < k->images.count; i++)
		image_free(k->images.at[i]);
	vec_free(&k->images);
	free(k);
}

static void set_text(char **variable, const char *text)
{
	char *copy = xstrdup(text);

	free(*variable);
	*variable = copy;
}

static bool refuse(struct kernel *k, const char *reason)
{
	set_text(&k->reason, reason);
	return false;
}

static bool refuse_without_reference(struct kernel *k)
{
	AUTOFREE char *reason = xasprintf("has no symbol %s, which the recording refers to", k->ref_name);

	return refuse(k, reason);
}

/* Old recordings, and those of other kernels than Linux's own, have none: then nothing is shifted. */
static bool has_reference(const struct kernel *k)
{
	return k->ref_name && *k->ref_name && k->ref_addr;
}

static void drop_kallsyms(struct kernel *k)
{
	kallsyms_free(k->kallsyms);
	k->kallsyms = NULL;
}

/* k->kallsyms was opened, or @err says why not. */
static bool take_kallsyms(struct kernel *k, struct err *err)
{
	uint64_t address;

	if (err) {
		refuse(k, err_text(err));
		err_free(err);
		return false;
	}
	if (!has_reference(k))
		return true;
	if (kallsyms_address(k->kallsyms, k->ref_name, &address)) {
		k->kallsyms_delta = address - k->ref_addr;
		return true;
	}
	drop_kallsyms(k);
	return refuse_without_reference(k);
}

static bool open_kallsyms_at(struct kernel *k, const char *path)
{
	set_text(&k->looked_at, path);
	return take_kallsyms(k, kallsyms_open(path, &k->kallsyms));
}

static bool open_recorded_kallsyms(struct kernel *k)
{
	const struct kernel_options *options = &k->options;
	static const char name[] = "the recording's kallsyms";

	return options->recorded_kallsyms &&
	       take_kallsyms(k, kallsyms_open_memory(name, options->recorded_kallsyms, options->recorded_size,
						     &k->kallsyms));
}

/* A release can be built twice: a build-id proves that the running kernel is the recorded one. */
static bool host_is_proven(const struct kernel *k)
{
	const struct kernel_host *host = &k->options.host;

	return host->kallsyms && host->id.size && build_id_equal(&k->build_id, &host->id);
}

/*
 * perf record -z and -o - of 6.1 record no build-ids. The kernel's map goes from _text to _etext (measured on
 * i386, s390x and x86_64; perf 7.2 as well). Two builds of one release agree in both only when not a byte of
 * code was added, and KASLR moves each boot's.
 */
static bool host_fits(const struct kernel *k)
{
	uint64_t end;

	return !k->kallsyms_delta && kallsyms_address(k->kallsyms, "_etext", &end) && end == k->map_end;
}

static bool open_host_kallsyms(struct kernel *k)
{
	const struct kernel_host *host = &k->options.host;

	if (host_is_proven(k))
		return open_kallsyms_at(k, host->kallsyms);
	if (!host->kallsyms || !host->same_machine || k->build_id.size || !has_reference(k) ||
	    !open_kallsyms_at(k, host->kallsyms))
		return false;
	if (host_fits(k))
		return true;
	drop_kallsyms(k);
	return refuse(k, "the recording does not say which kernel it was, and it was not the one that runs "
			 "now (--kallsyms, --vmlinux)");
}

/* In the file's own table: among symbols of one address, _text and _stext are mostly those that go. */
static bool vmlinux_address(const struct image *image, const char *wanted, uint64_t *ret)
{
	GElf_Shdr header;
	Elf_Scn *scn = image_section(image, ".symtab", &header);
	Elf_Data *symbols = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Sym sym;

	for (int i = 1; gelf_getsym(symbols, i, &sym); i++) {
		const char *name = elf_strptr(image->elf, header.sh_link, sym.st_name);
		if (!name || sym.st_shndx == SHN_UNDEF || strcmp(name, wanted))
			continue;
		*ret = sym.st_value;
		return true;
	}
	return false;
}

/* The symbols of a vmlinux by link-time address: load_elf() gives offsets, so here both are the same. */
static struct symtab *read_vmlinux(struct kernel *k, const struct image *image)
{
	struct image_segment everything = { .filesz = UINT64_MAX, .memsz = UINT64_MAX };
	struct image plain = *image;
	struct load_elf files = { .symbols = &plain, .runtime = &plain, .kernel = true };
	struct symtab *symtab = symtab_new(k->options.demangle);

	plain.segments.at = &everything;
	plain.segments.count = 1;
	const char *reason =
		load_elf_table_size(image, SHT_SYMTAB) ? load_elf(&files, symtab) : "no symbol table";
	if (!reason)
		return symtab;
	refuse(k, reason);
	symtab_free(symtab);
	return NULL;
}

static bool load_symbols(struct kernel *k, const struct image *image, struct symtab *symtab)
{
	struct symtab *linked = read_vmlinux(k, image);
	uint64_t address = k->ref_addr;

	if (!linked)
		return false;
	bool found = !has_reference(k) || vmlinux_address(image, k->ref_name, &address);
	k->vmlinux_delta = address - k->ref_addr;
	if (!found) {
		symtab_free(linked);
		return refuse_without_reference(k);
	}
	/* What lies below the kernel's map: x86 links per-cpu variables at 0, arm its vectors. */
	symtab_shift(linked, k->map_start ? k->map_start + k->vmlinux_delta : 0, k->vmlinux_delta);
	symtab_take(symtab, linked);
	return true;
}

/* @must_be_proven: not without the recorded build-id. */
static bool load_vmlinux(struct kernel *k, const char *path, bool must_be_proven, struct symtab *symtab)
{
	const char *why = NULL;

	set_text(&k->looked_at, path);
	struct image *image = image_open(path, &why);
	if (!image)
		return refuse(k, why);
	bool loaded = false;
	if (build_id_differs(&image->build_id, &k->build_id))
		refuse(k, "other build-id");
	else if (must_be_proven && !build_id_equal(&image->build_id, &k->build_id))
		refuse(k, "no build-id proves that it is the recorded kernel");
	else
		loaded = load_symbols(k, image, symtab);
	if (!loaded) {
		image_free(image);
		return false;
	}
	vec_push(&k->images, image);
	set_text(&k->vmlinux, path);
	return true;
}

/*
 * A file of the kernel in perf's build-id caches, free()d by the caller; NULL when it is not there. @how
 * picks a cache and one of the layouts that the cache has had: .build-id/xx/yyyy is a link to a folder,
 * before Linux 4.6 to the file itself.
 */
#define NR_CACHE_LAYOUTS 3
static char *cached_file(const struct kernel *k, size_t how, const char *file)
{
	const char *dir = k->options.buildid_dirs[how / NR_CACHE_LAYOUTS];
	char hex[BUILD_ID_HEX], *path = NULL;
	struct stat st;

	if (k->build_id.size < 2)
		return NULL;
	how %= NR_CACHE_LAYOUTS;
	build_id_hex(&k->build_id, hex);
	if (how == 0)
		path = xasprintf("%s/.build-id/%.2s/%s/%s", dir, hex, hex + 2, file);
	else if (how == 1)
		path = xasprintf("%s/[kernel.kallsyms]/%s/%s", dir, hex, file);
	else
		path = xasprintf("%s/.build-id/%.2s/%s", dir, hex, hex + 2);
	if (!stat(path, &st) && S_ISREG(st.st_mode))
		return path;
	free(path);
	return NULL;
}

static bool load_cached_vmlinux(struct kernel *k, struct symtab *symtab)
{
	for (size_t how = 0; how < k->options.nr_buildid_dirs * NR_CACHE_LAYOUTS; how++) {
		AUTOFREE char *path = cached_file(k, how, "elf");
		if (path && load_vmlinux(k, path, false, symtab))
			return true;
	}
	return false;
}

/* Where a vmlinux is put; after the prefix comes the release, if there is a suffix. */
static const struct {
	const char *prefix, *suffix;
} vmlinux_places[] = {
	{ "/vmlinux", NULL },
	{ "/boot/vmlinux", NULL },
	{ "/boot/vmlinux-", "" },
	{ "/usr/lib/debug/boot/vmlinux-", "" },
	{ "/lib/modules/", "/build/vmlinux" },
	{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
	{ "/usr/lib/debug/boot/vmlinux-", ".debug" },
};

/* The file at one of the places on this machine, free()d by the caller; NULL when it is not there. */
static char *installed_file(const struct kernel *k, size_t place)
{
	const char *prefix = vmlinux_places[place].prefix, *suffix = vmlinux_places[place].suffix;
	const char *release = k->options.osrelease;

	/* The release comes from the recording: no way out of the folder. */
	if (suffix && (!release || !*release || strchr(release, '/')))
		return NULL;
	AUTOFREE char *path = suffix ? xasprintf("%s%s%s", prefix, release, suffix) : xstrdup(prefix);
	return dso_find_inside(k->options.sysroot ? k->options.sysroot : "/", path);
}

static bool load_installed_vmlinux(struct kernel *k, struct symtab *symtab)
{
	bool must_be_proven = !k->options.sysroot && !host_is_proven(k);

	if (must_be_proven && !k->build_id.size)
		return false;
	for (size_t i = 0; i < sizeof(vmlinux_places) / sizeof(vmlinux_places[0]); i++) {
		AUTOFREE char *path = installed_file(k, i);
		if (path && load_vmlinux(k, path, must_be_proven, symtab))
			return true;
	}
	return false;
}

/* A vmlinux has code and debug information, so servers may have it as either. */
static bool load_downloaded_vmlinux(struct kernel *k, struct symtab *symtab)
{
	for (int debug = 0; k->options.servers && debug < 2; debug++) {
		const char *path = dso_find_download(k->options.servers, &k->build_id, debug);
		if (path && load_vmlinux(k, path, true, symtab))
			return true;
	}
	return false;
}

static bool open_cached_kallsyms(struct kernel *k)
{
	for (size_t how = 0; how < k->options.nr_buildid_dirs * NR_CACHE_LAYOUTS; how++) {
		AUTOFREE char *path = cached_file(k, how, "kallsyms");
		if (path && open_kallsyms_at(k, path))
			return true;
	}
	return false;
}

/* False: there is none. */
static bool open_kallsyms(struct kernel *k)
{
	const struct kernel_options *options = &k->options;

	if (k->kallsyms_tried)
		return k->kallsyms;
	k->kallsyms_tried = true;
	if (options->kallsyms)
		return open_kallsyms_at(k, options->kallsyms);
	if (open_recorded_kallsyms(k))
		return true;
	if (open_cached_kallsyms(k))
		return true;
	return open_host_kallsyms(k);
}

/*
 * A copy of kallsyms has no build-id. But perf record lets the kernel's map end at its _etext (since 6.12,
 * for a while, at its _edata) when that is a function to kallsyms, as on x86 and s390; when not, as on arm
 * and arm64, the map has no end.
 */
static void doubt_given_kallsyms(struct kernel *k)
{
	bool has_end = k->map_end != UINT64_MAX;
	uint64_t end, recorded = k->map_end + k->kallsyms_delta;

	if (!k->options.ends_by_symbol || !has_reference(k) ||
	    !kallsyms_address(k->kallsyms, "_etext", &end) ||
	    (has_end && (end == recorded || kallsyms_is_at(k->kallsyms, "_edata", recorded))))
		return;
	free(k->doubt);
	if (has_end)
		k->doubt = xasprintf("%s: its code ends %" PRIu64
				     " bytes behind %s, the recorded kernel's %" PRIu64,
				     k->options.kallsyms, end - k->kallsyms_delta - k->ref_addr, k->ref_name,
				     k->map_end - k->ref_addr);
	else
		k->doubt = xasprintf("%s: it has a function _etext, which the recorded kernel has not",
				     k->options.kallsyms);
}

/* A recording that tells of another kernel has the file read once more. */
static bool load_from_kallsyms(struct kernel *k, struct symtab *symtab)
{
	if (k->kallsyms_taken) {
		vec_push(&k->kallsyms_before, k->kallsyms);
		k->kallsyms = NULL;
		k->kallsyms_tried = k->kallsyms_taken = false;
	}
	k->kallsyms_taken = open_kallsyms(k);
	if (k->kallsyms_taken && k->options.kallsyms)
		doubt_given_kallsyms(k);
	return k->kallsyms_taken && kallsyms_take_kernel(k->kallsyms, symtab, k->kallsyms_delta);
}

static bool load_recorded(struct kernel *k, struct symtab *symtab)
{
	k->is_patchy = recorded_load(k->options.recorded, "[kernel.kallsyms]", symtab);
	return k->is_patchy;
}

static bool load_from_any(struct kernel *k, struct symtab *symtab)
{
	if (k->options.kallsyms)
		return load_from_kallsyms(k, symtab);
	if (k->options.vmlinux)
		return load_vmlinux(k, k->options.vmlinux, false, symtab);
	if (k->options.recorded_kallsyms && load_from_kallsyms(k, symtab))
		return true;
	return load_cached_vmlinux(k, symtab) || load_installed_vmlinux(k, symtab) ||
	       load_from_kallsyms(k, symtab) || load_recorded(k, symtab) ||
	       load_downloaded_vmlinux(k, symtab);
}

static void give_symbols(struct dso *dso, struct symtab *symtab)
{
	symtab_finish(symtab);
	dso->symtab = symtab;
	dso->identity = true;
}

static const char *nothing_given(const struct kernel *k)
{
	if (k->options.guest)
		return "no kernel symbols given (--guestmount, --guestkallsyms)";
	/* Who recorded here has the kernel at hand, and would wonder why it is not taken. */
	return k->build_id.size ? "no kernel symbols given (--kallsyms, --vmlinux)"
				: "the recording does not say which kernel it was (--kallsyms, --vmlinux)";
}

const char *kernel_load(struct kernel *k, const struct machine_kernel *kernel, uint64_t *ret_start,
			uint64_t *ret_end)
{
	struct symtab *symtab = symtab_new(k->options.demangle);

	k->build_id = kernel->dso->build_id;
	k->is_patchy = false;
	set_text(&k->ref_name, kernel->ref_name ? kernel->ref_name : "");
	k->ref_addr = kernel->ref_addr;
	k->map_start = kernel->start;
	k->map_end = kernel->end;
	if (!load_from_any(k, symtab) || !symtab_count(symtab)) {
		symtab_free(symtab);
		kernel->dso->looked_at = k->looked_at;
		return k->reason ? k->reason : nothing_given(k);
	}
	give_symbols(kernel->dso, symtab);
	if (k->vmlinux)
		kernel->dso->long_name = k->vmlinux;
	if (k->is_patchy) {
		*ret_start = k->map_start;
		*ret_end = k->map_end;
		return NULL;
	}
	*ret_start = symtab_at(symtab, 0)->start;
	*ret_end = symtab_at(symtab, symtab_count(symtab) - 1)->end;
	return NULL;
}

const char *kernel_doubt(const struct kernel *k)
{
	return k->doubt;
}

const char *kernel_vmlinux(const struct kernel *k)
{
	return k->vmlinux;
}

uint64_t kernel_vmlinux_shift(const struct kernel *k)
{
	return k->vmlinux_delta;
}

/*
 * A kernel that is shifted is of another boot, and then so are the modules' addresses, unless chance or a
 * kernel without KASLR for modules put this one where it was: its first function tells.
 */
static bool is_where_it_was(const struct kernel *k, const struct symtab *symtab, uint64_t map_start)
{
	if (!k->kallsyms_delta)
		return true;
	for (size_t i = 0; i < symtab_count(symtab); i++)
		if (symtab_at(symtab, i)->type == SYMBOL_FUNC)
			return symtab_at(symtab, i)->start - map_start < 4096;
	return false;
}

static size_t add_module_named(const struct kernel *k, const char *name, struct symtab *symtab)
{
	if (k->kallsyms)
		return kallsyms_load_module(k->kallsyms, name, symtab, 0);
	return recorded_load(k->options.recorded, name, symtab);
}

/* perf keeps a '-' in the name of a module that was recorded without a path; kallsyms has '_' always. */
static size_t add_module(const struct kernel *k, const char *name, struct symtab *symtab)
{
	size_t count = add_module_named(k, name, symtab);
	AUTOFREE char *plain = xstrdup(name);

	for (char *at = plain; (at = strchr(at, '-'));)
		*at = '_';
	return count ? count : add_module_named(k, plain, symtab);
}

bool kernel_load_module(struct kernel *k, struct dso *dso, uint64_t map_start)
{
	if (!open_kallsyms(k) && !k->options.recorded)
		return false;
	struct symtab *symtab = symtab_new(k->options.demangle);
	if (!add_module(k, dso->short_name, symtab) || !is_where_it_was(k, symtab, map_start)) {
		symtab_free(symtab);
		return false;
	}
	symtab_free(dso->symtab);
	give_symbols(dso, symtab);
	dso->missing = NULL;
	dso->text_start = map_start;
	dso->file_start = map_start - dso_load_text_offset(dso);
	dso->loaded = true;
	return true;
}

bool kernel_host_build_id(struct build_id *ret)
{
	size_t size;
	AUTOFREE char *notes = read_text(HOST_NOTES, true, &size);

	return notes && build_id_of_notes(notes, size, 4, __BYTE_ORDER == __BIG_ENDIAN, ret);
}
