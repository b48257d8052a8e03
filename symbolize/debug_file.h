/*
 * debug_file - the sections of DWARF (2 to 5) in one file, and the units in them.
 *
 * A section is unpacked when something of it is asked for. What is read from one is checked against its size.
 * Units are only listed here; what they say is debug_entry's.
 *
 * A file of split units (.dwo) has the same sections under other names; a package of them (.dwp) has an index
 * that says which part of each section is which unit's. Does not know where files are: opens none.
 */
#ifndef PERF2TXT_DEBUG_FILE_H
#define PERF2TXT_DEBUG_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/image.h"
#include "util/arena.h"
#include "util/cursor.h"
#include "util/hash.h"
#include "util/vec.h"

enum debug_section {
	DEBUG_INFO,
	DEBUG_ABBREV,
	DEBUG_LINE,
	DEBUG_STR,
	DEBUG_LINE_STR,
	DEBUG_STR_OFFSETS,
	DEBUG_ADDR,
	DEBUG_RANGES,
	DEBUG_RNGLISTS,
	DEBUG_ARANGES,
	DEBUG_CU_INDEX,
	NR_DEBUG_SECTIONS,
};

/* The part of each section that is one unit's. */
struct debug_parts {
	bool given[NR_DEBUG_SECTIONS]; /* false: the whole section */
	uint32_t offset[NR_DEBUG_SECTIONS], size[NR_DEBUG_SECTIONS];
};

struct debug_unit {
	struct debug_file *file;
	uint64_t offset, end; /* in .debug_info */
	uint64_t first;	      /* offset of its first entry */
	uint64_t abbrev_offset;
	uint64_t dwo_id; /* of DWARF 5; 0: none */
	uint8_t type;	 /* DW_UT_*, DW_UT_compile before DWARF 5 */
	uint8_t version, offset_size, address_size;
	struct debug_parts *parts; /* in a package; NULL; owned by the file's arena */
	/* Filled by debug_entry from the first entry: */
	bool opened, damaged;
	struct debug_abbrevs *abbrevs;
	uint64_t addr_base, str_offsets_base, rnglists_base, ranges_base;
	uint64_t low_pc;
	/* The unit that a split unit belongs to, NULL for others: has the addresses. */
	struct debug_unit *skeleton;
};

struct debug_file {
	struct image *image;	/* not owned */
	bool split;		/* .debug_info.dwo ... */
	struct debug_file *alt; /* the supplementary file of .gnu_debugaltlink; NULL; not owned */
	bool read[NR_DEBUG_SECTIONS];
	const uint8_t *data[NR_DEBUG_SECTIONS];
	size_t sizes[NR_DEBUG_SECTIONS];
	/* How many bytes may still be read of sections whose parts many others may point to. Parts do not
	 * overlap unless somebody made them so, and then it must end. */
	uint64_t left[NR_DEBUG_SECTIONS];
	bool listed;
	VEC(struct debug_unit *) units; /* in order of their offsets */
	struct hash abbrevs;		/* by offset */
	VEC(struct debug_abbrevs *) all_abbrevs;
	struct arena arena;
};

/** @image must outlive it. */
struct debug_file *debug_file_new(struct image *image, bool split);
void debug_file_free(struct debug_file *file); /* NULL is fine */

/** Whether the image has a section of that name, packed or not. */
bool debug_file_has(const struct image *image, const char *name);

/** The section's bytes from @offset on; empty where there are none. */
struct cursor debug_section(struct debug_file *file, enum debug_section section, uint64_t offset);

/** No more than what is left of the section to read; debug_used() counts what was read. */
struct cursor debug_limit(struct debug_file *file, enum debug_section section, struct cursor c);
void debug_used(struct debug_file *file, enum debug_section section, uint64_t bytes);

/** The same of the unit's part of the section. */
struct cursor debug_unit_section(const struct debug_unit *unit, enum debug_section section, uint64_t offset);

/** A text in a section of texts; NULL: it is not inside. Lent as long as the image. */
const char *debug_text(struct debug_file *file, enum debug_section section, uint64_t offset);

/** List the units, if that is not done yet; in a package none are listed. */
void debug_file_list(struct debug_file *file);

/** The unit that holds an offset of .debug_info; NULL: none. */
struct debug_unit *debug_file_unit(struct debug_file *file, uint64_t offset);

/** The abbreviations of a unit, lent until debug_file_free(). */
struct debug_abbrevs *debug_file_abbrevs(const struct debug_unit *unit);

/** In a package: the unit of that id, made when it is asked for; NULL: none. */
struct debug_unit *debug_file_packed_unit(struct debug_file *file, uint64_t dwo_id);

#endif
