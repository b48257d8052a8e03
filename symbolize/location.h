/*
 * location - what addresses of a dso mean: the finished answers of the symbolizer.
 *
 * All addresses that mean the same share one struct location: those of a symbol, and those of a dso that are
 * in none. Only an address with inlined calls, or whose source line was asked for, has one of its own. So
 * there are about as many locations as functions that were seen, and formatters keep their text by location:
 * in its note, or by `id`. Lives as long as the symbolizer.
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
	uint32_t nr_inlines;
	const struct dso *dso; /* NULL: no map */
	const char *name;      /* of the symbol; NULL: unknown */
	uint64_t symbol_start; /* in the dso; 0 without a symbol */
	struct location_note note;
	/* Of an address with a location of its own: */
	bool one_address;
	uint32_t line;	  /* where in the source: of the function itself when there are inlines */
	const char *file; /* NULL: not known or wanted */
	const struct inline_call *inlines; /* innermost first, without the function itself */
	uint64_t vaddr;			   /* link-time address; offset where there is no ELF file */
};

/* An address: where it is in its dso, and what that means. */
struct spot {
	const struct location *location;
	uint64_t offset; /* in the dso: file offset, or the address itself (dso->identity) */
};

/** How far behind the start of its symbol it is. */
static inline uint64_t spot_symoff(const struct spot *spot)
{
	return spot->offset - spot->location->symbol_start;
}

/** A number for notes of one's own, and the one after it; nobody else gets either. */
uint64_t location_new_owner(void);

/** The one part of a location that others may change. */
static inline struct location_note *location_note(const struct location *location)
{
	return (struct location_note *)&location->note;
}

/** It will be needed soon; then its text. */
static inline void location_fetch(const struct location *location)
{
	__builtin_prefetch(location);
}

static inline void location_fetch_text(const struct location *location)
{
	__builtin_prefetch(location->note.text);
}

#endif
