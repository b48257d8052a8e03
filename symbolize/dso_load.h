/*
 * dso_load - fill a dso's symtab and files when its first address is looked up.
 *
 * Of the places that dso_find knows, a file counts only when it is the recorded one: its build-id equals the
 * recorded one; or none is recorded, it is of the recording's ELF machine, and it is in the sysroot, in a
 * folder that the user named, or on the recorded machine itself. A debug file must have the binary's
 * build-id, or the checksum in .gnu_debuglink, or the binary's name and segments. Rather no name than a wrong
 * one. Symbols that the recording itself has are taken where there is no file, or a stripped one.
 *
 * Kinds: FILE, VDSO and MODULE are ELF files; JIT has the code of a jitdump that `jit` says, and around it
 * what a perf-PID.map says; KSYMBOL is one symbol of its own name; ANON has nothing. The kernel itself is
 * loaded by symbolize/kernel. One call at a time per struct dso_find.
 */
#ifndef PERF2TXT_DSO_LOAD_H
#define PERF2TXT_DSO_LOAD_H

#include <stdint.h>

struct dso;
struct dso_find;

/**
 * Sets loaded, symtab, binary, debug, missing and looked_at; nothing when loaded is set already. looked_at is
 * lent until dso_find_free(). With a debug file alone (the binary is not there) only `debug` is set.
 */
void dso_load(struct dso_find *find, struct dso *dso);

/**
 * A module's map begins at its .text, its symbols count from the beginning of the .ko file: add this to an
 * offset in the map. 0 for all other dsos, and for modules whose symbols are not from a .ko.
 */
uint64_t dso_load_text_offset(const struct dso *dso);

#endif
