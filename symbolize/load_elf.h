/*
 * load_elf - the symbols of an ELF file, as file offsets, into a symtab.
 *
 * Keeps what perf keeps (as in perf 7.2): functions, indirect functions, objects, and labels in sections
 * of text or data. Where the symbols are in another file than the code (a debug file, .gnu_debugdata), that
 * file's tables are read and the code's file says what the addresses mean. Nothing in a file is trusted: what
 * points outside of it is left out.
 *
 * The caller chooses the files and finishes the symtab.
 */
#ifndef PERF2TXT_LOAD_ELF_H
#define PERF2TXT_LOAD_ELF_H

#include <stdbool.h>
#include <stddef.h>

struct image;
struct symtab;

struct load_elf {
	const struct image *symbols; /* its .symtab and .dynsym are read */
	const struct image *runtime; /* the file that is mapped; the same, when there is no other */
	bool add_runtime_dynsym;     /* symbols has only what the runtime's .dynsym lacks (.gnu_debugdata) */
	bool kernel;		     /* a module: marks of the assembler ($x, .L1, L0^A) are no symbols */
};

/**
 * NULL, or a static reason why @symtab got nothing but the entries of a PLT. The images have to stay as long
 * as @symtab: they lend it the names.
 */
const char *load_elf(const struct load_elf *files, struct symtab *symtab);

/** How many entries the table of that type (SHT_SYMTAB, SHT_DYNSYM) has; 0: there is none with contents. */
size_t load_elf_table_size(const struct image *image, unsigned type);

#endif
