/*
 * jit_frames - the unwind rules that a jitdump has of a JIT compiler's code, as ELF files for libdw to read.
 *
 * Each function of a jitdump has its own .eh_frame. The ELF file around it is made in memory when it is asked
 * for, and holds nothing else. Knows no libdw and no rules: symbolize/cfi does.
 */
#ifndef PERF2TXT_JIT_FRAMES_H
#define PERF2TXT_JIT_FRAMES_H

#include <stdint.h>

#include "symbolize/load_jitdump.h"

struct image;
struct jit_frames;

/** @layer must outlive it. NULL: none of its dump's code has an .eh_frame. */
struct jit_frames *jit_frames_new(const struct jitdump_layer *layer);
void jit_frames_free(struct jit_frames *f); /* NULL is fine */

/** The code at an address, if it has an .eh_frame; NULL. Lent by the layer's dump. */
const struct jitdump_code *jit_frames_find(const struct jit_frames *f, uint64_t address);

/** The ELF file with its .eh_frame, to be freed with image_free(); NULL: there can be none. */
struct image *jit_frames_image(const struct jit_frames *f, const struct jitdump_code *code);

#endif
