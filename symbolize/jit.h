/*
 * jit - the code of JIT compilers that wrote a jitdump, laid into the address spaces at its times.
 *
 * A process maps its jit-PID.dump as soon as it writes one; the file is found and read then. Code goes where
 * it was, over whatever is mapped there: compilers get memory by mprotect() too, which is not recorded. JIT
 * compilers use addresses again, so the code of a process is split into layers in which nothing overlaps,
 * each a dso: the first one is the process's dso of anonymous code, known from the beginning (agents tell of
 * code late); code that takes the place of other code is mapped when its time comes. Where the times cannot
 * be compared with the recording's (another clock), what came last counts.
 *
 * Knows no records: the caller says which time it is and which files are mapped.
 */
#ifndef PERF2TXT_JIT_H
#define PERF2TXT_JIT_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/dso_find.h"
#include "symbolize/machine.h"

struct jit;

/** Both must outlive it. @timed: the recording's times are CLOCK_MONOTONIC. */
struct jit *jit_new(struct dsos *dsos, struct machine *machine, struct dso_find *find, bool timed);
void jit_free(struct jit *j); /* NULL is fine */

/** The process mapped a file: its code is known from now on, if that is a jitdump. */
void jit_mmap(struct jit *j, int32_t pid, const char *filename);

/** It is that time: whatever was compiled until now is mapped. */
void jit_advance(struct jit *j, uint64_t time);

#endif
