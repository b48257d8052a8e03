/*
 * dso - what can be mapped and hold code: a binary, the kernel, a module, JIT code.
 *
 * A dso is an identity (names, build-id, inode) from the recording; its file is looked for, opened and its
 * symbols loaded at the first look-up only, once, and the reason is kept when there is nothing.
 *
 * Addresses of symbols are file offsets (as in perf 7.2), or plain addresses for the kinds that have no
 * file behind them (`identity`). dsos live as long as the struct dsos of the host.
 */
#ifndef PERF2TXT_DSO_H
#define PERF2TXT_DSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/build_id.h"

struct symtab;
struct image;
struct cfi;
struct dwarf_info;
struct jitdump_layer;

enum dso_kind {
	DSO_FILE,    /* an ordinary path, also one that cannot be opened */
	DSO_VDSO,
	DSO_KERNEL,
	DSO_MODULE,  /* of the kernel */
	DSO_KSYMBOL, /* code that the kernel named itself: BPF programs, trampolines */
	DSO_JIT,     /* executable memory without a file: named by /tmp/perf-PID.map */
	DSO_ANON,    /* [heap], [stack], //anon without PROT_EXEC ...: never has symbols */
};

/*
 * MMAP2's inode, for telling two files of one name apart. Generation 0 is not known: perf writes it in the
 * records that it makes from /proc/PID/maps.
 */
struct dso_inode {
	bool known;
	uint32_t maj, min;
	uint64_t ino, generation;
};

struct dso {
	uint32_t index;	  /* from 0 without gaps, those of guests too: a key for caches */
	uint32_t machine; /* whose it is: dsos_machine() */
	enum dso_kind kind;
	const char *name;       /* as perf script prints it */
	const char *long_name;  /* the path that is looked for; name when there is no other */
	const char *short_name; /* basename, [module], or [JIT] tid PID */
	struct build_id build_id;
	struct dso_inode inode;
	uint32_t jit_pid; /* of DSO_JIT */
	const struct jitdump_layer *jit; /* of DSO_JIT: what is known from a jitdump; NULL; not owned */
	const char *jit_expected; /* a jitdump that was not used, where it was looked for; NULL */
	const char *jit_missing;  /* why, with jit_expected */
	bool identity;    /* a look-up uses the address itself, no start and pgoff arithmetic */
	/* Of a module with identity: where its text began in memory, and its file (or else its text). */
	uint64_t text_start, file_start;

	/* Filled by dso_load() (symbolize/dso_load.h): */
	bool loaded;
	struct symtab *symtab; /* NULL: none; owned */
	struct image *binary;  /* the file itself: segments, code bytes, unwind rules; NULL; owned */
	struct image *debug;   /* another file with symbols or DWARF, or NULL; owned */
	struct image *names;   /* one more, which only lends the symtab names, or NULL; owned */
	const char *missing;   /* why names are missing ("not found", "other build-id" ...), or NULL */
	const char *looked_at; /* the last place that was looked at, or NULL */
	uint64_t nr_unknown;   /* samples with an address here that has no symbol, for the summary */
	uint64_t last_unknown; /* number of the last such sample */

	/* Filled on demand by their modules: */
	bool cfi_tried, dwarf_tried;
	struct cfi *cfi;
	struct dwarf_info *dwarf;
};

struct dsos;

struct dsos *dsos_new(void);

/**
 * The dsos of one of @host's guests: others than the host's and than other guests', whatever they are called.
 * dsos_count() and dsos_at() give all of them. To be freed before the host's; the dsos live as long as those.
 */
struct dsos *dsos_new_guest(struct dsos *host);

/** 0: the host; its guests are numbered from 1 on. */
uint32_t dsos_machine(const struct dsos *dsos);

/** Every dso's parts that other modules own are given to the hook of dsos_set_free_hook(). NULL is fine. */
void dsos_free(struct dsos *dsos);

/** @free_parts frees symtab, binary, debug, cfi and dwarf of one dso: this module knows none of them. */
void dsos_set_free_hook(struct dsos *dsos, void (*free_parts)(struct dso *dso));

size_t dsos_count(const struct dsos *dsos);
struct dso *dsos_at(const struct dsos *dsos, size_t index);

/**
 * The dso of that name and identity, made when it is new. A dso is the same when its name is and every part
 * of the identity that both sides know is equal; it takes over the parts that it did not know.
 * @id and @inode may be NULL: not known. Names are copied.
 */
struct dso *dsos_get(struct dsos *dsos, enum dso_kind kind, const char *name, const struct build_id *id,
		     const struct dso_inode *inode);

/** JIT code of the process @pid, whose dsos are its own whatever they are called. */
struct dso *dsos_get_jit(struct dsos *dsos, const char *name, uint32_t pid);

/** Another one of that name, which dsos_get_jit() does not find. */
struct dso *dsos_add_jit(struct dsos *dsos, const char *name, uint32_t pid);

/**
 * What the kernel's module of that file or name is called: "/x/foo-bar.ko.xz" -> "[foo_bar]", "[foo-bar]" ->
 * itself. Lent by @dsos.
 */
const char *dsos_module_name(struct dsos *dsos, const char *name);

/** Is a name that stands in the kernel's part of the build-id table one of a module? */
bool dso_is_module_name(const char *name);

/** By short name, among the kernel's and modules' dsos; NULL. */
struct dso *dsos_find_kernel(const struct dsos *dsos, const char *short_name);

/** The path that is looked for, where it is not the printed name. Copied. */
void dso_set_long_name(struct dsos *dsos, struct dso *dso, const char *name);

#endif
