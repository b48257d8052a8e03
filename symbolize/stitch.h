/*
 * stitch - callers that a call stack of branches (LBR) has lost, from earlier samples of the thread.
 *
 * A processor keeps its last branches in a ring of registers: a deeper call takes the place of the outermost
 * one. The sample before may still have it. That both are of one stack is taken for granted when the newer
 * sample's outermost branch, and maybe those before it, are in the older one, in the same registers:
 *
 *   registers     0 1 2 3   hw_idx
 *   A B C D       A B C D   3		all calls are there
 *   A B C D E F   E F C D   1		C and D are the older sample's, in their places: A and B are its
 * callers
 *
 * Rules: those of perf script --stitch-lbr 7.2, also for indexes that make no sense. It may be wrong: behind
 * a longjmp() there can be callers that are not on the stack. Of callers beyond STITCH_MAX the outermost ones
 * are left out. Remembers one sample a thread. Knows no records, no maps.
 */
#ifndef PERF2TXT_STITCH_H
#define PERF2TXT_STITCH_H

#include <stddef.h>
#include <stdint.h>

#include "symbolize/callchain.h"

#define STITCH_MAX 4096

struct stitch;

/** @nr_registers: size of the ring, from 1 on. */
struct stitch *stitch_new(uint32_t nr_registers);
void stitch_free(struct stitch *s); /* NULL is fine */

/** A sample of a thread, as for callchain_add_lbr(), which made @c of it. */
struct stitch_sample {
	const void *thread; /* any address that stands for it */
	uint32_t life;	    /* of the threads that it stands for one after the other */
	const uint64_t *branches;
	size_t nr_branches;
	uint64_t hw_idx; /* the newest one's register */
};

/** Add to @c what earlier samples know, and remember this one for the next. */
void stitch_add(struct stitch *s, const struct stitch_sample *sample, struct callchain *c);

#endif
