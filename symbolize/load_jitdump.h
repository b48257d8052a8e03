/*
 * load_jitdump - the code that a JIT compiler told of in its jit-PID.dump, in the order in which it came.
 *
 * The format is perf's own (tools/perf/Documentation/jitdump-specification.txt): a header, then records, each
 * with its size and a time; in the byte order of the machine that wrote it. Of the records LOAD and MOVE say
 * what was where, and UNWINDING_INFO has the .eh_frame of the code that the next LOAD tells of; the code
 * itself and its source lines are skipped. A file that ends too early (the program was killed) is good as far
 * as it goes. Addresses are the process's own.
 */
#ifndef PERF2TXT_LOAD_JITDUMP_H
#define PERF2TXT_LOAD_JITDUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "util/strtab.h"
#include "util/vec.h"

/* A function at a place, from `time` on. */
struct jitdump_code {
	uint64_t start, end; /* [start, end), not empty */
	uint64_t time;
	const char *name;
	uint32_t serial;	/* which one in the file */
	uint32_t eh_frame_size; /* 0: there is none */
	/* As if it were at jitdump_eh_frame_address(). */
	const uint8_t *eh_frame;
};

/** Behind the code, as perf inject --jit lays it: that is what its addresses are relative to. */
uint64_t jitdump_eh_frame_address(const struct jitdump_code *code);

/* All zeros is an empty one. */
struct jitdump {
	VEC(struct jitdump_code) codes; /* as they come in the file */
	uint16_t machine;		/* EM_* */
	bool big_endian;
	bool arch_timestamps; /* times are the processor's counter, not CLOCK_MONOTONIC in nanoseconds */
	bool has_eh_frames;
	struct strtab names, eh_frames;
};

/** NULL, or a static reason why @ret got nothing. */
const char *load_jitdump(const char *path, struct jitdump *ret);

void jitdump_free(struct jitdump *dump); /* leaves an empty one */

/* Some of the codes of one. */
struct jitdump_layer {
	const struct jitdump *dump;
	VEC(uint32_t) codes; /* where they are in dump->codes */
};

/** Is a file that a process maps a jitdump, by its name? */
bool jitdump_is_name(const char *path);

#endif
