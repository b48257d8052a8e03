/*
 * event_switch - --switch-on and --switch-off: print only the samples between those of two events.
 *
 * As perf script does it: with --switch-on nothing is printed before the first sample of that event, which
 * itself is printed with --show-on-off-events only. A sample of --switch-off's event ends that until the next
 * one of --switch-on; without --switch-on it hides just itself, and only the first one.
 */
#ifndef PERF2TXT_EVENT_SWITCH_H
#define PERF2TXT_EVENT_SWITCH_H

#include <stdbool.h>

#include "events/evlist.h"
#include "options.h"

struct event_switch {
	const char *on, *off; /* names; NULL: not given */
	bool show;
	bool closed; /* waits for the event that switches on */
};

struct event_switch event_switch_make(const struct options *o);

/** @evlist is complete: are the events that the options name there? */
struct err *event_switch_check(const struct options *o, const struct evlist *evlist) ERR_CHECK;

/** Is a sample of @event to be printed? To be asked once for each, in their order, after all other filters.
 */
bool event_switch_passes(struct event_switch *s, const struct event *event);

#endif
