/*
 * debug_entry - the entries (DIEs) of a DWARF unit and what their attributes mean.
 *
 * An entry is read in one pass, with those attributes that debug_abbrev.h names. Walks go only forward, so
 * they end, however damaged the unit is. Values are resolved when they are asked for, with what the unit's
 * first entry says: bases of tables, the base address; for a split unit that of its skeleton.
 */
#ifndef PERF2TXT_DEBUG_ENTRY_H
#define PERF2TXT_DEBUG_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/debug_abbrev.h"
#include "symbolize/debug_file.h"

struct debug_value {
	uint16_t form;
	uint64_t number; /* of DW_FORM_string: a pointer to it; not set for blocks */
};

struct debug_entry {
	struct debug_unit *unit;
	uint64_t offset; /* in .debug_info */
	uint64_t next;	 /* behind its attributes */
	uint16_t tag;	 /* DW_TAG_*; 0: the end of a list of siblings */
	bool has_children;
	unsigned depth; /* in a walk: 1 is right below the entry where it began */
	uint32_t has;	/* a bit for each attribute */
	struct debug_value values[NR_ATTRS];
};

static inline bool debug_has(const struct debug_entry *entry, enum debug_attr attr)
{
	return entry->has >> attr & 1;
}

/** Read the unit's first entry and what it says for the whole unit. False: the unit is damaged. */
bool debug_unit_open(struct debug_unit *unit, struct debug_entry *ret);

/** The entry at an offset inside of an opened unit. False: there is none. */
bool debug_entry_read(struct debug_unit *unit, uint64_t offset, struct debug_entry *ret);

/* All that is below an entry, in order. */
struct debug_walk {
	struct debug_unit *unit;
	uint64_t at;
	unsigned depth; /* 0: the end */
};

struct debug_walk debug_walk_below(const struct debug_entry *top);

/** False: that was all, or what follows is damaged. */
bool debug_walk_next(struct debug_walk *walk, struct debug_entry *ret);

/** Leave out what is below the entry that came last. */
void debug_walk_over(struct debug_walk *walk, const struct debug_entry *entry);

/** A text attribute; NULL: it has none. Lent as long as the file. */
const char *debug_string(const struct debug_entry *entry, enum debug_attr attr);

/** A number; UINT64_MAX: it has none. */
uint64_t debug_number(const struct debug_entry *entry, enum debug_attr attr);

/** The entry that an attribute refers to. False: there is none. */
bool debug_referred(const struct debug_entry *entry, enum debug_attr attr, struct debug_entry *ret);

/** What an entry says of a function that it is a copy or the body of: DW_AT_abstract_origin, _specification.
 */
bool debug_origin(const struct debug_entry *entry, struct debug_entry *ret);

/** The text that a form and number of this unit mean; NULL: it is no text. */
const char *debug_form_string(const struct debug_unit *unit, const struct debug_value *value);

/** Read a value of that form. False: the form is unknown, or the bytes end. */
bool debug_value_read(struct cursor *c, const struct debug_unit *unit, struct debug_value *value);

/* The addresses of an entry's code. */
struct debug_ranges {
	const struct debug_unit *unit;
	struct debug_file *file; /* where the list is */
	enum debug_section section;
	struct cursor list;
	uint64_t base;
	enum { RANGES_END, RANGES_ONE, RANGES_PAIRS, RANGES_LIST } kind;
	uint64_t start, end; /* of RANGES_ONE */
};

struct debug_ranges debug_ranges_of(const struct debug_entry *entry);

/** False: that were all. Ranges may be empty. */
bool debug_ranges_next(struct debug_ranges *ranges, uint64_t *ret_start, uint64_t *ret_end);

#endif
