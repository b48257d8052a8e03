/*
 * debug_lines - a line table of DWARF 2 to 5: rows by address, and the files that they name.
 *
 * A file's path is put together when somebody asks for it: its folder as the table says (folder 0 before
 * DWARF 5: where the compiler ran), '/', its name; an absolute name alone.
 */
#ifndef PERF2TXT_DEBUG_LINES_H
#define PERF2TXT_DEBUG_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/debug_file.h"

struct debug_row {
	uint64_t address;
	uint32_t file, line;
	bool ends_sequence; /* the address is the first one behind */
};

struct debug_lines;

/**
 * The table at @offset of the unit's .debug_line; NULL: there is none, or its files cannot be read. A damaged
 * program gives the rows before the damage. @comp_dir may be NULL; it and the unit are lent.
 */
struct debug_lines *debug_lines_new(const struct debug_unit *unit, uint64_t offset, const char *comp_dir);
void debug_lines_free(struct debug_lines *lines); /* NULL is fine */

/** The last row at or below the address. NULL: there is none, or its sequence ends before. */
const struct debug_row *debug_lines_find(struct debug_lines *lines, uint64_t address);

/** The path of a file by its number; NULL: there is none. Lent until debug_lines_free(). */
const char *debug_lines_file(struct debug_lines *lines, uint64_t number);

#endif
