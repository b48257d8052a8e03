/*
 * resolve - from a decoded sample to the view that formatters print.
 *
 * Finds the sample's thread, builds its call chain and looks up what the fields need. The one place that
 * knows both samples and the symbolizer. Arrays in the view are reused by the next sample; nothing is
 * allocated for a sample once they have grown.
 */
#ifndef PERF2TXT_RESOLVE_H
#define PERF2TXT_RESOLVE_H

#include "arch/arch.h"
#include "events/sample.h"
#include "output/view.h"
#include "symbolize/machine.h"
#include "symbolize/symbolizer.h"
#include "symbolize/user_stack.h"

struct resolve;

struct resolve_options {
	const struct arch *arch; /* the recording's */
	unsigned max_stack;
	bool big_endian; /* the recording, and with it its stack copies */
	bool guest_code; /* guests run their host process's code */
	bool chains_of_calls; /* recorded ones: their addresses are in the calls, not behind them */
	uint32_t lbr_registers; /* of the recorded processor, for symbolize/stitch.h; 0: do not stitch */
};

/** @host and @symbolizer must outlive it. */
struct resolve *resolve_new(struct machine *host, struct symbolizer *symbolizer,
			    const struct resolve_options *options);
void resolve_free(struct resolve *r); /* NULL is fine */

/**
 * Begin a view: event, sample, thread of @machine, which is the host or the guest that the sample is of. All
 * that is neither this nor resolve_ip()'s is the caller's to clear, if it was filled for an earlier sample.
 * False: nothing is to be printed, it is of a guest and @machine is the host.
 */
bool resolve_begin(struct resolve *r, struct machine *machine, const struct event *event,
		   const struct sample *sample, struct view *view);

/* A view whose ip is asked for. */
struct resolve_asked {
	struct view *view;
	struct symbolizer_query ip;
};

/* Each fills its part of a begun view. */
void resolve_ip(struct resolve *r, struct view *view);
void resolve_chain(struct resolve *r, struct view *view);
void resolve_addr(struct resolve *r, struct view *view);
void resolve_branches(struct resolve *r, struct view *view);

/**
 * resolve_ip() in two steps, for several samples at once: each asks when it was begun, then all are answered.
 * In between nothing but samples may come.
 */
struct resolve_asked resolve_ask_ip(struct resolve *r, struct view *view);
void resolve_answer_ips(struct resolve *r, const struct resolve_asked *asked, size_t count);

/** The address space of the begun sample in that mode; NULL: nothing is known of it. */
const struct maps *resolve_maps(struct resolve *r, unsigned cpumode);

/** The view of a record that --show-*-events prints, of what happened in @machine. */
void resolve_record(struct resolve *r, struct machine *machine, const struct event *event,
		    const struct record *record, struct view_record *view);

/**
 * @record, a CALLCHAIN_DEFERRED, has the user part of the chains of the next samples that end in its cookie;
 * NULL: no longer. It must outlive their resolve_chain().
 */
void resolve_set_late_chain(struct resolve *r, const struct record *record, bool big_endian);

/** How the walks up user stacks ended so far. */
const struct user_stack_stats *resolve_stack_stats(const struct resolve *r);

#endif
