/*
 * header - the first bytes of a recording: which format, which byte order, where everything is.
 *
 * Facts: what perf 7.2 reads. Checks what must hold for the rest to be read at all; sections that
 * reach behind the end of the file are cut to it, not refused.
 */
#ifndef PERF2TXT_HEADER_H
#define PERF2TXT_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "events/input.h"
#include "events/perf_abi.h"
#include "util/err.h"

struct section {
	uint64_t offset, size;
};

struct header {
	bool pipe; /* a stream of records follows; nothing below but version and big_endian is set */
	bool big_endian;
	int version; /* 1: PERFFILE, 2: PERFILE2 */
	uint64_t size;
	uint64_t attr_size; /* of an entry of attrs: the attr and its id section */
	struct section attrs, data;
	uint64_t features[FEATURE_BITS / 64]; /* bit n: there is a section of feature n */
	uint64_t feature_offset;	      /* where their table is: behind data */
	uint64_t table_size;		      /* of it, 16 bytes a feature that the header announces */
	bool unfinished; /* the data size was 0: data reaches to the end of the file, no feature is set */
	uint64_t cut;	 /* bytes of data that the header announces and the file does not hold */
};

/** Read the header at the input's start and consume it. Works on streams: a file format that comes through a
 *  pipe is an error that says so. */
struct err *header_read(struct input *in, struct header *ret) ERR_CHECK;

#endif
