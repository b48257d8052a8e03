/*
 * counter - what a sample with SAMPLE_READ delivers.
 *
 * Such a sample carries the counts of its event, or of the whole group, since they were opened. It stands
 * for one delivery per count: of the event that owns the count's id, with what was added since the last
 * sample as the period (as in perf 7.2). Counts that did not move deliver nothing. With
 * attr.inherit every thread counts for itself, so the last count is kept per thread.
 *
 * The caller delivers samples without SAMPLE_READ itself, as they are. Prints nothing; memory grows with the
 * number of different counters only.
 */
#ifndef PERF2TXT_COUNTER_H
#define PERF2TXT_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/evlist.h"
#include "events/sample.h"

struct counter;

struct counter_delivery {
	struct event *event;
	uint64_t id; /* of the count; the sample's own when the recording has no READ_ID */
	uint64_t period;
};

/** @evlist must outlive the counter; events may still be added to it. */
struct counter *counter_new(const struct evlist *evlist);
void counter_free(struct counter *counter); /* NULL is fine */

/** Do samples of @event have to go through counter_next()? */
static inline bool counter_applies(const struct event *event)
{
	return event->attr.sample_type & SAMPLE_READ;
}

/**
 * The next delivery of @sample, a sample of @event; *index is 0 before the first call. False: there is none
 * left. Every sample must be asked to its end, once, in time order, also when it will not be printed: the
 * next one counts from here.
 */
bool counter_next(struct counter *counter, struct event *event, const struct sample *sample, uint64_t *index,
		  struct counter_delivery *ret);

/** Counts so far whose id no event has. */
uint64_t counter_unknown(const struct counter *counter);

#endif
