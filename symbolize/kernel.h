/*
 * kernel - the symbols of the recorded kernel and its modules, at the addresses that they had when it ran.
 *
 * Sources in order: the kallsyms that was given, or else the vmlinux that was given (only that one then);
 * the kallsyms that the recording itself has; a vmlinux in the build-id cache; one in the sysroot, or on
 * this machine; a kallsyms in the build-id cache; this machine's /proc/kallsyms, only when its kernel is
 * proved to be the recorded one; the functions that the recording names; a vmlinux from a debuginfod
 * server. perf takes /proc/kallsyms always, and names a foreign recording with it (see DIFFERENCES). A
 * vmlinux with another build-id than the recorded one is not used; one on this machine or from a server
 * without a proven one is not either. A build-id is the proof; where none was recorded, that code of the
 * same release on the same machine begins and ends at the same addresses.
 *
 * The kernel may have been loaded elsewhere in another boot (KASLR): its symbols are shifted by what
 * separates the recorded address of the reference symbol from the source's own. Modules are not: each is
 * loaded on its own, so lines of another boot say nothing about it.
 */
#ifndef PERF2TXT_KERNEL_H
#define PERF2TXT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/machine.h"
#include "symbolize/symtab.h"
#include "util/build_id.h"

struct dso_find;
struct recorded;

/* The kernel that runs here. */
struct kernel_host {
	const char *kallsyms; /* NULL: it may not be used */
	struct build_id id;   /* size 0: not known */
	bool same_machine;    /* the recording says that it is of this machine and of its release */
};

/* All is lent until kernel_free(). */
struct kernel_options {
	const char *kallsyms, *vmlinux; /* given files; NULL: none */
	const char *sysroot;		/* NULL: none, this machine's files may be used */
	const char *const *buildid_dirs; /* perf's build-id caches */
	size_t nr_buildid_dirs;
	const char *osrelease;		/* of the recording; NULL: not known */
	struct dso_find *servers;	/* asked for a vmlinux by its build-id, if it may be; NULL: nobody */
	struct kernel_host host;
	const void *recorded_kallsyms;	/* text in the recording, of recorded_size bytes; NULL: none */
	size_t recorded_size;
	bool ends_by_symbol;		/* the recorded map of the kernel ends at its _etext or _edata */
	struct recorded *recorded;	/* functions in the recording; NULL: none */
	bool guest;			/* it is a guest's: other options name its files */
	symtab_demangle demangle;	/* NULL: names are printed as they are */
};

struct kernel;

struct kernel *kernel_new(const struct kernel_options *options);
void kernel_free(struct kernel *k); /* NULL is fine */

/**
 * Give the kernel's dso its symbols, by the addresses of the recording, and say what they cover:
 * [*ret_start, *ret_end). A vmlinux that gave them is the dso's long name from then on. NULL, or the reason
 * why there are none, lent until kernel_free(); where it was looked last is in dso->looked_at then, lent
 * likewise, as is the long name.
 */
const char *kernel_load(struct kernel *k, const struct machine_kernel *kernel, uint64_t *ret_start,
			uint64_t *ret_end);

/** Why the kallsyms that was given, and used, is of another kernel; NULL: nothing says so. Lent likewise. */
const char *kernel_doubt(const struct kernel *k);

/** The vmlinux that gave the kernel's symbols; NULL: none did. Lent likewise. */
const char *kernel_vmlinux(const struct kernel *k);

/** What a recorded kernel address must be raised by to be one of that vmlinux. */
uint64_t kernel_vmlinux_shift(const struct kernel *k);

/**
 * Give a module's dso its symbols from kallsyms; like the kernel's they are addresses of the recording. They
 * take the place of those of its file, when that was loaded: then dso->file_start counts from its start.
 * False: no source has any, the dso is as it was. To be called after kernel_load(), when there is a kernel
 * map.
 */
bool kernel_load_module(struct kernel *k, struct dso *dso, uint64_t map_start);

/** The build-id of the kernel that runs here, if it tells. */
bool kernel_host_build_id(struct build_id *ret);

#endif
