/*
 * code - the bytes of the code at an address, and how they are to be read.
 *
 * They come from the file that was mapped there, by file offset, as they are in the file: what a loader
 * changes in it (relocations of modules, alternatives of the kernel) does not show. The kernel's come from
 * the vmlinux that gave its symbols; with kallsyms alone there are none. What TEXT_POKE records tell of
 * changed kernel code is laid over it. A BPF program's are those that the recording tells of; other code that
 * has no file (JIT) has no bytes.
 *
 * Nothing is read before the symbolizer has loaded the spot's dso. Knows no records and no text.
 */
#ifndef PERF2TXT_CODE_H
#define PERF2TXT_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "symbolize/disasm.h"
#include "symbolize/location.h"
#include "symbolize/symbolizer.h"

struct code;

struct code_bytes {
	const uint8_t *at; /* lent until the next call for bytes */
	size_t size;
	struct disasm_mode mode;
};

/** @symbolizer must outlive it. */
struct code *code_new(struct symbolizer *symbolizer);
void code_free(struct code *c); /* NULL is fine */

/**
 * A function of a BPF program, called as the kernel calls it (bpf_prog_ and a tag of 16 digits), was at
 * @address; what is there has its code if it has its tag. @bytes are lent as long as @c is there.
 */
void code_add_bpf(struct code *c, uint64_t address, const char *name, const struct code_bytes *bytes);

/** Up to @size bytes from a spot on, which is at @address. False: there are none. */
bool code_at(struct code *c, const struct spot *spot, uint64_t address, size_t size, struct code_bytes *ret);

/** From now on the kernel's code at a spot is @bytes. */
void code_poke(struct code *c, const struct spot *spot, const uint8_t *bytes, size_t size);

#endif
