/*
 * script_header - the comment block of --header and --header-only: where a recording comes from.
 *
 * Text for text what perf script 7.2 prints (facts: its own output), with one difference: names that perf
 * takes from the machine it runs on (PMUs by number, tracepoints by id) come from the recording here.
 * A feature that could not be decoded prints nothing. Uses the process's time zone, as perf does.
 * Must not know: bytes of the recording.
 */
#ifndef PERF2TXT_SCRIPT_HEADER_H
#define PERF2TXT_SCRIPT_HEADER_H

#include <stdbool.h>
#include <time.h>

#include "events/evlist.h"
#include "events/features.h"
#include "events/header.h"
#include "output/writer.h"

struct script_header {
	const struct header *header;
	const struct features *features;
	const struct evlist *evlist; /* for the names in group lines */
	time_t mtime;		     /* of the file */
};

/** The whole block, to its closing "#". @full: -I, the long features too. A stream's block holds no features.
 */
void script_header_write(struct writer *w, const struct script_header *about, bool full);

/** The lines of one feature: for a stream, whose features come as records between the samples. */
void script_header_feature(struct writer *w, const struct features *features, const struct evlist *evlist,
			   unsigned feature, bool full);

/**
 * The same when the record of a feature has come in a stream. The last record has the number of a feature
 * that the recorder did not know, and says nothing of it.
 */
void script_header_arrived(struct writer *w, const struct features *features, const struct evlist *evlist,
			   unsigned feature, bool full);

/** An event's attr, field by field, each behind a comma. */
void script_header_attr(struct writer *w, const struct features *features, const struct event *event);

#endif
