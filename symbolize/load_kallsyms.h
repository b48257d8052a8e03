/*
 * load_kallsyms - the kernel's own list of its symbols: /proc/kallsyms, or a copy of it.
 *
 * The file is read once; which symbol stays among those with one address and where each ends is decided over
 * the whole file, modules and all, as perf does (a symbol's size is not in the file).
 * Then the kernel's and each module's symbols can be taken out of it. A file whose addresses the kernel hid
 * (kptr_restrict) is refused: it would give every address one plausible name.
 * Knows nothing of maps; whether the file belongs to the recording is the caller's to know.
 */
#ifndef PERF2TXT_LOAD_KALLSYMS_H
#define PERF2TXT_LOAD_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct kallsyms;
struct symtab;

struct err *kallsyms_open(const char *path, struct kallsyms **ret) ERR_CHECK;

/** The same of @size bytes in memory, which are copied; @name: what to call them in an error. */
struct err *kallsyms_open_memory(const char *name, const void *text, size_t size,
				 struct kallsyms **ret) ERR_CHECK;
void kallsyms_free(struct kallsyms *k); /* NULL is fine */

/** The address of the kernel's function (type T or W) of that name. Linear: for a few look-ups a file. */
bool kallsyms_address(const struct kallsyms *k, const char *name, uint64_t *ret);

/** Is a symbol of that name, of any type, at that address? As slow. */
bool kallsyms_is_at(const struct kallsyms *k, const char *name, uint64_t address);

/**
 * Give @symtab, which has none, the symbols that are in no module, at their address - @delta; returns how
 * many. They are moved, not copied: there are none the next time. @k lends the names.
 */
size_t kallsyms_take_kernel(struct kallsyms *k, struct symtab *symtab, uint64_t delta);

/** Add the symbols of @module ("[ext4]") at their address - @base; returns how many. */
size_t kallsyms_load_module(struct kallsyms *k, const char *module, struct symtab *symtab, uint64_t base);

/** No function but a mark of the assembler ($x, .L1, L0^A): never shown of a kernel. */
bool kallsyms_is_mark(const char *name);

#endif
