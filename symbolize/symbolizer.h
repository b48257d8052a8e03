/*
 * symbolizer - {address space, address} -> struct spot, with the location that it is in.
 *
 * Locations are kept for good, by dso, so that the same code in a thousand processes is looked up once; and
 * for each of the address spaces that were used last, the maps that were. Binaries are loaded when the first
 * address in them is asked for.
 *
 * A return address that is the first of a function (its call was the last instruction of the function before,
 * which does not return) is looked up at address - 1. This is the only place where that happens. Kernel
 * addresses are taken as they are: entry code sets the link register to the start of a label
 * (__ret_fast_syscall on arm), and an interrupt may hit a function's first instruction.
 */
#ifndef PERF2TXT_SYMBOLIZER_H
#define PERF2TXT_SYMBOLIZER_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/callchain.h"
#include "symbolize/dso_find.h"
#include "symbolize/kernel.h"
#include "symbolize/location.h"
#include "symbolize/machine.h"

struct symbolizer;

struct symbolizer_options {
	bool inlines;	   /* fill location->inlines */
	bool lines;	   /* fill file, line and vaddr */
	bool file_offsets; /* open modules' files too, though their symbols are in kallsyms */
	bool demangle_kernel;
};

/** The host, and where its names come from. All arguments must outlive the symbolizer. */
struct symbolizer *symbolizer_new(struct machine *machine, struct dso_find *find, struct kernel *kernel,
				  const struct symbolizer_options *options);
void symbolizer_free(struct symbolizer *s); /* NULL is fine */

/** A guest, likewise; to be added in the order of machine_number(), before anything in it is asked for. */
void symbolizer_add_machine(struct symbolizer *s, struct machine *machine, struct dso_find *find,
			    struct kernel *kernel);

/** Where the names of that machine_number()'s kernel come from. */
const struct kernel *symbolizer_kernel(const struct symbolizer *s, uint32_t machine);

/** The next look-ups are another sample's: unknown addresses are counted once a sample and dso. */
void symbolizer_next_sample(struct symbolizer *s);

/** An answer of an earlier look-up is used for the sample that is resolved now: count it if unknown. */
void symbolizer_count_unknown(struct symbolizer *s, const struct location *location);

/**
 * The maps of a machine's kernel, with its symbols loaded and its range set by them; lent until the next
 * kernel map or ksymbol. Kernel addresses are to be looked up in these.
 */
const struct maps *symbolizer_kernel_maps(struct symbolizer *s, struct machine *machine);

/**
 * What @address is in the address space @maps (a thread's, or symbolizer_kernel_maps()); NULL maps: nothing
 * is mapped. @is_return: it is a user return address. Its location is never NULL; lent until
 * symbolizer_free(). Counted when unknown.
 */
struct spot symbolizer_at(struct symbolizer *s, const struct maps *maps, uint64_t address, bool is_return);

/* An address in its dso. */
struct symbolizer_query {
	struct dso *dso; /* NULL: nothing is mapped there */
	uint64_t offset;
	bool is_return;
};

/**
 * symbolizer_at() in steps, for many addresses at once: first all queries, then more of what the answers need
 * is fetched for all, then the answers. Each step finds in the cache what the one before asked for. Answers
 * are not counted.
 */
struct symbolizer_query symbolizer_ask(struct symbolizer *s, const struct maps *maps, uint64_t address,
				       bool is_return);
void symbolizer_fetch(const struct symbolizer_query *query);
struct spot symbolizer_answer(struct symbolizer *s, const struct symbolizer_query *query);

/** The map and with it the dso of an address, loaded; NULL when nothing is mapped there. */
const struct map *symbolizer_map(struct symbolizer *s, const struct maps *maps, uint64_t address);

/** Load the files of a dso of a process, if they are not yet. */
void symbolizer_load(struct symbolizer *s, struct dso *dso);

struct symbolizer_stats {
	uint64_t lookups; /* addresses asked for */
	uint64_t locations;
};
struct symbolizer_stats symbolizer_stats(const struct symbolizer *s);

#endif
