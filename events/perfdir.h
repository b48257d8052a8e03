/*
 * perfdir - the folder that `perf record --threads` writes.
 *
 * `data` is an ordinary recording; `data.0`, `data.1` ... are streams of records without a header, one a
 * thread (as in perf 7.2). Only opens them; what is inside is the reader's business.
 */
#ifndef PERF2TXT_PERFDIR_H
#define PERF2TXT_PERFDIR_H

#include "events/input.h"
#include "util/err.h"
#include "util/vec.h"

struct perfdir {
	VEC(struct input *) inputs; /* `data` first, then the others by name; owned */
};

/** Is @path a directory? */
bool perfdir_is(const char *path);

/** Open all files of the recording; empty ones are left out, but for `data`. *ret is untouched on failure. */
struct err *perfdir_open(const char *path, struct perfdir *ret) ERR_CHECK;

/** Closes the inputs that are (still) in the list. */
void perfdir_close(struct perfdir *dir);

#endif
