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
};

/** @machine and @symbolizer must outlive it. */
struct resolve *resolve_new(struct machine *machine, struct symbolizer *symbolizer,
			    const struct resolve_options *options);
void resolve_free(struct resolve *r); /* NULL is fine */

/** Begin a view: event, sample, thread. False: the sample is a guest's, nothing is to be printed for it. */
bool resolve_begin(struct resolve *r, const struct event *event, const struct sample *sample,
		   struct view *view);

/* Each fills its part of a begun view. */
void resolve_ip(struct resolve *r, struct view *view);
void resolve_chain(struct resolve *r, struct view *view);
void resolve_addr(struct resolve *r, struct view *view);
void resolve_branches(struct resolve *r, struct view *view);

/** The view of a record that --show-*-events prints. */
void resolve_record(struct resolve *r, const struct event *event, const struct record *record,
		    struct view_record *view);

/**
 * @record, a CALLCHAIN_DEFERRED, has the user part of the chains of the next samples that end in its cookie;
 * NULL: no longer. It must outlive their resolve_chain().
 */
void resolve_set_late_chain(struct resolve *r, const struct record *record, bool big_endian);

/** How the walks up user stacks ended so far. */
const struct user_stack_stats *resolve_stack_stats(const struct resolve *r);

#endif
