/*
 * dso_find - where a binary, and a separate file with its symbols, may be: one ordered list.
 *
 * Without a sysroot the recorded path on this machine, then the extra folders, then perf's build-id cache;
 * with one the path inside of it instead, and nothing of this machine but the folders that were named. A path
 * in a sysroot is followed as the recorded machine would: absolute links start at the sysroot and ".." does
 * not leave it. /lib and /usr/lib (bin, sbin, lib64 ...) stand for each other, " (deleted)" is no part of a
 * name.
 *
 * Gives names of regular files that exist, and how each was come by, one at a time: mostly the first is the
 * one. Opens none: whether one is the right file (build-id, machine, checksum) is for dso_load to see. Knows
 * no ELF.
 */
#ifndef PERF2TXT_DSO_FIND_H
#define PERF2TXT_DSO_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/dso.h"
#include "symbolize/symtab.h"
#include "util/build_id.h"
#include "util/vec.h"

struct arch;

/* Strings are copied. All zeros: this machine's own files, of any processor, only where a build-id proves
 * them. */
struct dso_find_options {
	const char *sysroot;	       /* NULL: none */
	const char *const *debug_dirs; /* none: /usr/lib/debug, the sysroot's when there is one */
	size_t nr_debug_dirs;
	const char *const *extra_dirs; /* searched by path, then by file name, subfolders too */
	size_t nr_extra_dirs;
	const char *buildid_dir; /* NULL: ~/.debug, or the sysroot's /.debug and /root/.debug */
	const char *beside; /* the recording's folder, with a vdso.so, or what perf archive packed; NULL */
	const char *perf_map_dir; /* NULL: /tmp, the sysroot's when there is one */
	bool debuginfod;	  /* download what is nowhere */

	/* For dso_load: */
	const struct arch *arch;  /* the recording's; NULL or arch_unknown: files of any are taken */
	bool host_is_recorded;	  /* this is the recorded machine: a file is believed by its path */
	bool host_is_unsaid;	  /* not known to be: the recording says of no machine */
	symtab_demangle demangle; /* of user symbols; NULL: names are printed as they are */
	struct recorded *recorded; /* symbols that the recording itself has, lent; NULL: none */
};

enum dso_place_kind {
	DSO_PLACE_HOST,	     /* the recorded path on this machine */
	DSO_PLACE_SYSROOT,   /* the recorded path in the sysroot */
	DSO_PLACE_EXTRA,     /* in an extra folder */
	DSO_PLACE_ID,	     /* found by build-id */
	DSO_PLACE_DEBUGLINK, /* has the name that .gnu_debuglink says */
	DSO_PLACE_NAME,	     /* a debug file by the binary's name */
	DSO_PLACE_VDSO,	     /* in the sysroot's modules folder */
	/* No files, but where their turn is: */
	DSO_PLACE_GNU_DEBUGDATA, /* the binary's packed symbols */
	DSO_PLACE_OWN,		 /* the binary's own symbols */
};

struct dso_place {
	enum dso_place_kind kind;
	bool given;  /* in the sysroot or in a folder that the user named */
	bool inside; /* not yet looked for: the path is one in the sysroot, to be followed there */
	char *path;  /* on this machine; NULL for GNU_DEBUGDATA and OWN */
};

struct dso_find;

/* All zeros is an empty list. */
struct dso_places {
	const struct dso_find *find;
	VEC(struct dso_place) list;
	size_t nr_found; /* the first ones of the list: there is a file */
	size_t next;	 /* of the list: not yet looked for from here on */
};
void dso_places_free(struct dso_places *places); /* leaves an empty list */

/**
 * The place of that number where a file is, from 0 on; NULL: there are no more. Lent until the list is freed,
 * which is before its dso_find.
 */
struct dso_place *dso_places_at(struct dso_places *places, size_t index);

struct dso_find *dso_find_new(const struct dso_find_options *options);
void dso_find_free(struct dso_find *find); /* NULL is fine */

/** Lent until dso_find_free(). */
const struct dso_find_options *dso_find_options(const struct dso_find *find);

/** Where the binary itself may be, best first. */
void dso_find_binary(struct dso_find *find, const struct dso *dso, struct dso_places *ret);

/* What is known when its symbols are looked for. */
struct dso_symbol_query {
	const struct dso_place *binary; /* NULL: it was not found */
	const char *debuglink;		/* the file name in it, or NULL */
	struct build_id id;		/* recorded, or the binary's own; size 0: not known */
};

/** Where the binary's symbols may be, in the order in which perf looks (as in perf 7.2). */
void dso_find_symbols(struct dso_find *find, const struct dso *dso, const struct dso_symbol_query *known,
		      struct dso_places *ret);

/**
 * Where a file may be that one at @from (on this machine) names: a path of the machine where that one was
 * made, or one that starts in its folder. With a sysroot the way there does not leave the sysroot, or that of
 * the folders the user named in which @from is. @id: its build-id, where it has one; NULL. Whether it is the
 * right file is for the caller to see.
 */
void dso_find_named(struct dso_find *find, const char *from, const char *name, const struct build_id *id,
		    struct dso_places *ret);

/**
 * The binary with that build-id from a server (@debug: its debug file), where it was downloaded to, lent
 * until dso_find_free(); NULL: none has it, or none may be asked.
 */
const char *dso_find_download(struct dso_find *find, const struct build_id *id, bool debug);

/**
 * The perf-PID.map of a JIT dso, there or not, or the only perf-NUMBER.map in the folder PID beside it; on
 * the recorded machine that of the container in which the process still runs (as by perf 7.2). Lent until
 * dso_find_free().
 */
const char *dso_find_perf_map(struct dso_find *find, uint32_t pid);

/** Is a file in the folder of perf-PID.map files the recorded process's? Not when it is a foreign machine's
 * /tmp. */
bool dso_find_perf_map_is_recorded(const struct dso_find *find);

/**
 * The jitdump that the recorded process @pid mapped as @recorded, lent until dso_find_free(); NULL: it is
 * nowhere.
 * @ret_expected is the first place where it was looked for, lent likewise, or NULL.
 */
const char *dso_find_jitdump(struct dso_find *find, uint32_t pid, const char *recorded,
			     const char **ret_expected);

/** The first place for a binary, there or not: what to tell the user. NULL: its name is no path. */
const char *dso_find_expected(struct dso_find *find, const struct dso *dso);

/** The build-id caches on this machine, there or not, in their order; lent until dso_find_free(). */
const char *const *dso_find_caches(struct dso_find *find, size_t *ret_count);

/** The table's own copy of a path, lent until dso_find_free(). */
const char *dso_find_keep(struct dso_find *find, const char *path);

/**
 * @path as a machine whose root folder is @root would follow it: the name on this machine, free()d by the
 * caller, of what exists there and is no link; NULL when nothing does.
 */
char *dso_find_inside(const char *root, const char *path);

#endif
