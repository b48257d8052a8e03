/*
 * callchain - what was recorded and what was unwound of a stack, as one list of frames, callee first.
 *
 * The recorded chain is an array of addresses with markers between them that say whose the next ones are.
 * Rules: those of perf 7.2. Addresses are kept as recorded: that a return address belongs to the call before
 * it is a mark of the frame, for the symbolizer to heed.
 *
 * One struct serves all samples: its memory grows to the longest chain and is used again.
 * Knows no records, no maps, no symbols.
 */
#ifndef PERF2TXT_CALLCHAIN_H
#define PERF2TXT_CALLCHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

/* enum perf_callchain_context of linux/perf_event.h; from the first one on no value is an address. */
#define CALLCHAIN_MARK_FIRST ((uint64_t)-4095)
#define CALLCHAIN_MARK_HYPERVISOR ((uint64_t)-32)
#define CALLCHAIN_MARK_KERNEL ((uint64_t)-128)
#define CALLCHAIN_MARK_USER ((uint64_t)-512)
#define CALLCHAIN_MARK_USER_DEFERRED ((uint64_t)-640)

#define CALLCHAIN_MAX_STACK 127 /* perf script's --max-stack when none is given (perf 7.2) */

enum callchain_mode { CALLCHAIN_UNKNOWN, CALLCHAIN_KERNEL, CALLCHAIN_USER, CALLCHAIN_HYPERVISOR };

struct callchain_frame {
	uint64_t ip;
	uint8_t mode;   /* enum callchain_mode */
	bool is_return; /* ip is where a call returns to, not where code was executed */
	bool is_cookie; /* ip is no address: it stands for a user chain that has not come */
	uint8_t unused[5]; /* 0: so that frames compare as memory */
};

struct callchain {
	VEC(struct callchain_frame) frames;
	size_t nr_recorded; /* of the frames, counted against --max-stack */
	uint8_t mode;       /* in which the recorded chain goes on */
	bool after_mark;    /* the next recorded address is the first of its context */
	bool has_branches;  /* the user part is a call stack of branches */
	bool has_calls; /* recorded addresses are in the calls, not behind them; callchain_reset() keeps it */
};

/* All zeros, then callchain_reset() before each sample. */
void callchain_free(struct callchain *c); /* leaves all zeros */

/** Empty, and in user mode: that is how a chain without markers is meant. */
void callchain_reset(struct callchain *c);

void callchain_add(struct callchain *c, struct callchain_frame frame);

/**
 * Add a recorded chain; NULL: there is none. At most @max_stack addresses of all the recorded chains since
 * callchain_reset() are taken, markers not counted. False: it has a marker that nobody knows, which throws
 * away the whole chain; @c is reset.
 *
 * A last entry behind CALLCHAIN_MARK_USER_DEFERRED is a cookie. When the chain for it has come, add the
 * recorded one without its last entry and then the late one: it goes on in the same mode.
 */
bool callchain_add_recorded(struct callchain *c, const uint64_t *ips, size_t count, size_t max_stack);

/** Does a recorded chain wait for its user part? @ret_cookie is the number that the late record will have. */
bool callchain_is_deferred(const uint64_t *ips, size_t count, uint64_t *ret_cookie);

/**
 * The same for a sample whose branch stack is a call stack (LBR): the user part of the chain, if it has one,
 * is replaced by @sample_ip (0: where the newest branch went) and where the branches came from, also when
 * there is none. Those are calls, no return addresses. @branches: three words each, {from, to, flags}, newest
 * first.
 */
bool callchain_add_lbr(struct callchain *c, const uint64_t *ips, size_t count, size_t max_stack,
		       uint64_t sample_ip, const uint64_t *branches, size_t nr_branches);

#endif
