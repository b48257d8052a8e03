/*
 * event_dumps - --per-event-dump: the samples of each event in a file of its own.
 *
 * The files are called as perf script calls them, INPUT.EVENT.dump; a recording from standard input counts as
 * perf.data. A '/' in an event's name becomes '_': the name comes from the recording, the folder does not.
 */
#ifndef PERF2TXT_EVENT_DUMPS_H
#define PERF2TXT_EVENT_DUMPS_H

#include "events/evlist.h"
#include "output/writer.h"
#include "util/err.h"

struct event_dumps;

/** @input: the recording's path; it and @evlist must outlive it. */
struct event_dumps *event_dumps_new(const char *input, const struct evlist *evlist);

/** Create the files of all events that have none yet. Events of a stream get theirs with their first sample.
 */
struct err *event_dumps_open(struct event_dumps *d) ERR_CHECK;

/** Where a sample of @event goes, which is counted; NULL: the file cannot be created, see
 * event_dumps_finish(). */
struct writer *event_dumps_sample(struct event_dumps *d, const struct event *event);

/** Close the files and tell @to about each. The first thing that went wrong with any, or NULL. */
struct err *event_dumps_finish(struct event_dumps *d, struct writer *to) ERR_CHECK;
void event_dumps_free(struct event_dumps *d); /* after event_dumps_finish(), or without; NULL is fine */

#endif
