/*
 * dwarf - source lines and inlined calls of the addresses of one binary.
 *
 * Reads DWARF 2 to 5 from the debug file or the binary, whichever has it; with a supplementary file
 * (.gnu_debugaltlink) and split units (.dwo, .dwp) where they are found. Nothing is parsed before it is
 * needed: the list of units at the first look-up, a unit's functions and lines when an address of it is asked
 * for, a function's inlined calls when an address of that function is. A damaged unit costs that unit only.
 *
 * Does not know what is printed. The caller keeps answers;
 * asking twice costs twice. One thread at a time may ask a struct dwarf_info.
 */
#ifndef PERF2TXT_DWARF_H
#define PERF2TXT_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/location.h"

struct dso_find;
struct image;
struct dwarf_info;

struct dwarf_answer {
	/* The row of the line table, that is where the innermost call is. NULL: there is no row. */
	const char *file;
	uint32_t line;
	/* The function's own name, from DWARF. NULL: no function is described there. */
	const char *function;
	/* Where in that function: the call that was inlined, or the row when none was. NULL: not known. */
	const char *function_file;
	uint32_t function_line;
	/* Inlined calls, innermost first, each with the place where it is just now. */
	const struct inline_call *inlines;
	uint32_t nr_inlines;
};

/**
 * @debug may be NULL; all must outlive it. @find: for the other files that belong to it; NULL: do without.
 * NULL: neither has debug information.
 */
struct dwarf_info *dwarf_info_new(struct dso_find *find, struct image *binary, struct image *debug);
void dwarf_info_free(struct dwarf_info *info); /* NULL is fine */

/** Files and lines are not wanted: in answers they are NULL and 0, and no line table is read. */
void dwarf_info_leave_out_lines(struct dwarf_info *info);

/** Whether there are line tables at all. */
bool dwarf_info_has_lines(const struct dwarf_info *info);

/**
 * What DWARF says about a link-time address of the binary. False, and @ret all zeros: nothing. Everything in
 * it is lent until dwarf_info_free(). Names are linkage names demangled, else the source's name, else "??".
 */
bool dwarf_lookup(struct dwarf_info *info, uint64_t vaddr, struct dwarf_answer *ret);

#endif
