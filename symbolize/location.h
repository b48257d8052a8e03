/*
 * location - what an address in a dso means: the finished answer of the symbolizer.
 *
 * The same code address gives the same struct location, whatever process it was seen in, so formatters keep
 * their text by `id`. Lives as long as the symbolizer.
 */
#ifndef PERF2TXT_LOCATION_H
#define PERF2TXT_LOCATION_H

#include <stdbool.h>
#include <stdint.h>

struct dso;

/* A call that the compiler inlined, or the function itself. */
struct inline_call {
	const char *name; /* as printed; never NULL */
	const char *file; /* as DWARF says, NULL: no line information */
	uint32_t line;
};

/*
 * What a formatter keeps of a location where it lies, to save itself another look-up: text that was made for
 * `owner`. The symbolizer leaves it alone.
 */
struct location_note {
	uint64_t owner; /* 0: nothing is kept */
	const void *text;
};

struct location {
	uint32_t id; /* from 0 without gaps; 0 is the location of all addresses that no map holds */
	const struct dso *dso; /* NULL: no map */
	uint64_t offset;       /* address in the dso: file offset, or the address itself (dso->identity) */
	uint64_t vaddr;        /* link-time address; offset where there is no ELF file */
	const char *name;      /* of the symbol; NULL: unknown */
	uint64_t symoff;       /* address - symbol start */
	/* Inlined calls, innermost first, without the function itself. Filled when inlining was asked for. */
	const struct inline_call *inlines;
	uint32_t nr_inlines;
	/* Where in the source: of the function itself when there are inlines. NULL: not known or wanted. */
	const char *file;
	uint32_t line;
	struct location_note note;
};

/** A number for notes of one's own, and the one after it; nobody else gets either. */
uint64_t location_new_owner(void);

/** The one part of a location that others may change. */
static inline struct location_note *location_note(const struct location *location)
{
	return (struct location_note *)&location->note;
}

#endif
