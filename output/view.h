/*
 * view - all that a formatter may see of one sample: pointers to finished things.
 *
 * The session fills one and hands it to output/script or output/folded. Only what fields_needs() asked for is
 * filled, the rest is NULL or 0. Everything is const and good until the next sample. No formatter looks
 * anything up, reads bytes of the recording or knows of ELF.
 */
#ifndef PERF2TXT_VIEW_H
#define PERF2TXT_VIEW_H

#include "arch/arch.h"
#include "events/evlist.h"
#include "events/record.h"
#include "events/sample.h"
#include "symbolize/location.h"

struct view_frame {
	uint64_t ip; /* as printed */
	const struct location *location; /* never NULL */
	bool is_cookie; /* a deferred call chain that never came: ip is the cookie */
};

/*
 * What a chain has in common with an earlier one: the last nr_same frames are those of the chain that had the
 * serial of_serial. A formatter may keep things of one chain for each value of `recent`. All zeros: nothing.
 */
#define VIEW_RECENT_CHAINS 16
struct view_reuse {
	uint64_t serial; /* of this chain: different for each, never 0 */
	uint64_t of_serial;
	uint32_t nr_same;
	uint32_t recent; /* below VIEW_RECENT_CHAINS */
};

struct view_text {
	const char *text;
	size_t size;
};

struct view {
	const struct event *event;
	const struct sample *sample;
	const char *comm;
	int32_t pid, tid;                /* of the thread */
	uint64_t time;                   /* of the sample, ns; UINT64_MAX: none */
	const struct location *ip;       /* of sample->ip; NULL: not asked for */
	const struct location *addr;     /* of sample->addr; NULL: not asked for */
	bool has_chain;                  /* print the chain block, even an empty one */
	const struct view_frame *frames; /* callee first */
	size_t nr_frames;
	bool incomplete;                 /* user frames are known to be missing at the outer end */
	struct view_reuse reuse;         /* of frames */
	const struct location *const *branches; /* from and to of each branch entry in turn; NULL: not asked for */
	const struct arch *arch;  /* of the process: names of its registers */
	struct view_text trace;   /* text of the tracepoint's payload */
	const char *cgroup;       /* path; NULL: not known */
	struct view_text insn;    /* code bytes at ip, of one instruction */
	const char *disasm;       /* NULL: none */
};

/* A record that --show-*-events prints. */
struct view_record {
	const struct event *event; /* NULL: the recording has none for it */
	const struct record *record;
	const char *comm;
	int32_t pid, tid;
	const struct location *addr; /* of TEXT_POKE */
};

#endif
