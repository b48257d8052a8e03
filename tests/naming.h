/*
 * naming - all that stands between a machine and names: the modules of symbolize/, wired as the program does.
 *
 * Files are in the folder naming.root, which is the sysroot: naming_file() makes one.
 */
#ifndef PERF2TXT_NAMING_H
#define PERF2TXT_NAMING_H

#include "symbolize/cfi.h"
#include "symbolize/dwarf.h"
#include "symbolize/image.h"
#include "symbolize/symbolizer.h"
#include "symbolize/symtab.h"
#include "tests/mkspin.h"

struct naming {
	char root[64];
	char kallsyms[96];
	struct dsos *dsos;
	struct machine *machine;
	struct dso_find *find;
	struct kernel *kernel;
	struct symbolizer *symbolizer;
};

static MKELF_UNUSED void naming_free_parts(struct dso *dso)
{
	symtab_free(dso->symtab);
	cfi_free(dso->cfi);
	dwarf_info_free(dso->dwarf);
	image_free(dso->binary);
	image_free(dso->debug);
}

/** @kallsyms: text of the recorded kernel's; NULL: none. */
static MKELF_UNUSED void naming_begin(struct naming *n, const char *kallsyms)
{
	*n = (struct naming){ .dsos = dsos_new() };
	mkelf_folder(n->root);
	snprintf(n->kallsyms, sizeof(n->kallsyms), "%s/kallsyms", n->root);
	if (kallsyms)
		mkelf_text(n->kallsyms, kallsyms, strlen(kallsyms));
	dsos_set_free_hook(n->dsos, naming_free_parts);
	n->machine = machine_new(n->dsos);
	n->find = dso_find_new(&(struct dso_find_options){ .sysroot = n->root });
	n->kernel = kernel_new(
		&(struct kernel_options){ .sysroot = n->root, .kallsyms = kallsyms ? n->kallsyms : NULL });
	n->symbolizer = symbolizer_new(n->machine, n->find, n->kernel, &(struct symbolizer_options){ 0 });
}

static MKELF_UNUSED void naming_end(struct naming *n)
{
	symbolizer_free(n->symbolizer);
	kernel_free(n->kernel);
	dso_find_free(n->find);
	machine_free(n->machine);
	dsos_free(n->dsos);
	mkelf_remove(n->root);
}

/** @name: "/spin". */
static MKELF_UNUSED void naming_file(struct naming *n, const char *name, struct mkspin spin)
{
	char path[160];

	snprintf(path, sizeof(path), "%s%s", n->root, name);
	mkspin_write(path, spin);
}

static MKELF_UNUSED void naming_map(struct naming *n, int32_t pid, uint64_t start, uint64_t len,
				    uint64_t pgoff, const char *name)
{
	struct machine_mmap mmap = { .pid = pid,
				     .tid = pid,
				     .start = start,
				     .len = len,
				     .pgoff = pgoff,
				     .prot = 5,
				     .filename = name };

	machine_mmap(n->machine, &mmap);
}

static MKELF_UNUSED void naming_map_kernel(struct naming *n, uint64_t start, uint64_t len, uint64_t pgoff,
					   const char *name)
{
	struct machine_mmap mmap = {
		.pid = -1, .tid = -1, .start = start, .len = len, .pgoff = pgoff, .prot = 5, .filename = name
	};

	machine_mmap_kernel(n->machine, &mmap);
}

#endif
