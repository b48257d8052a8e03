/*
 * debug_abbrev - a table of DWARF's abbreviations: which attributes entries have, and in which form.
 *
 * Read only as far as it was asked for. Attributes that nobody here needs have no number of ours. Knows
 * nothing of entries and units.
 */
#ifndef PERF2TXT_DEBUG_ABBREV_H
#define PERF2TXT_DEBUG_ABBREV_H

#include <stdbool.h>
#include <stdint.h>

#include "util/cursor.h"
#include "util/hash.h"
#include "util/vec.h"

/* The attributes that are read. */
enum debug_attr {
	ATTR_SIBLING,
	ATTR_NAME,
	ATTR_LINKAGE_NAME,
	ATTR_MIPS_LINKAGE_NAME,
	ATTR_LOW_PC,
	ATTR_HIGH_PC,
	ATTR_RANGES,
	ATTR_ORIGIN, /* DW_AT_abstract_origin */
	ATTR_SPECIFICATION,
	ATTR_CALL_FILE,
	ATTR_CALL_LINE,
	ATTR_STMT_LIST,
	ATTR_COMP_DIR,
	ATTR_DWO_NAME,
	ATTR_DWO_ID,
	ATTR_STR_OFFSETS_BASE,
	ATTR_ADDR_BASE,
	ATTR_RNGLISTS_BASE,
	ATTR_GNU_RANGES_BASE,
	NR_ATTRS, /* any other */
};

struct debug_spec {
	uint8_t attr;	  /* enum debug_attr */
	uint16_t form;	  /* DW_FORM_* */
	int64_t constant; /* of DW_FORM_implicit_const */
};

struct debug_abbrev {
	uint64_t code;
	uint32_t first, count; /* of its specs */
	int32_t skip; /* bytes that its attributes take, where they always take as many and none is read; or
			 -1 */
	uint16_t tag;
	bool has_children;
};

/* How long the forms are whose length the unit says. */
struct debug_abbrev_sizes {
	uint8_t address, offset, version;
};

struct debug_abbrevs;

/** @table is lent until debug_abbrevs_free(), and so is @bytes_left: reading ends when that much was read. */
struct debug_abbrevs *debug_abbrevs_new(struct cursor table, const struct debug_abbrev_sizes *sizes,
					uint64_t *bytes_left);
void debug_abbrevs_free(struct debug_abbrevs *abbrevs); /* NULL is fine */

/** NULL: there is none of that code. Lent until the next call. */
const struct debug_abbrev *debug_abbrevs_find(struct debug_abbrevs *abbrevs, uint64_t code);

/** Its specs, abbrev->count of them; lent until the next debug_abbrevs_find(). */
const struct debug_spec *debug_abbrevs_specs(const struct debug_abbrevs *abbrevs,
					     const struct debug_abbrev *abbrev);

/** The bytes that a value of that form always takes; -1: it depends on the value, or the form is unknown. */
int debug_form_size(unsigned form, const struct debug_abbrev_sizes *sizes);

#endif
