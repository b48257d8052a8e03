/*
 * deliver - a record whose turn it is: apply it to the machine, or resolve and print it.
 *
 * The second half of the session: what happens to a record once the queue let it go. Decodes, applies tasks
 * and maps, filters and resolves samples and hands them to the one formatter there is. Damaged records are
 * counted and skipped.
 */
#ifndef PERF2TXT_DELIVER_H
#define PERF2TXT_DELIVER_H

#include "event_dumps.h"
#include "events/reader.h"
#include "filter.h"
#include "options.h"
#include "output/fields.h"
#include "output/folded.h"
#include "output/script.h"
#include "symbolize/dso.h"
#include "symbolize/symbolizer.h"
#include "symbolize/user_stack.h"
#include "util/diag.h"

/* All must outlive the deliver. */
struct deliver_to {
	const struct options *options;
	const char *input; /* name of the recording */
	const struct recording *recording;
	struct diag *diag;
	const struct fields *fields;
	const struct filter *filter;
	struct script *script; /* or */
	struct folded *folded; /* one is NULL */
	struct event_dumps *dumps; /* NULL: samples go where all else goes */
};

struct deliver;

struct deliver *deliver_new(const struct deliver_to *to);
void deliver_free(struct deliver *d); /* NULL is fine */

/**
 * One record, in its turn. What the recording says of its machine before the first one decides where names
 * come from.
 */
void deliver_record(struct deliver *d, const struct raw_record *raw);

/** Samples may wait for others to come: print what waits. */
void deliver_flush(struct deliver *d);

/** -D: the bytes and the name of a record that perf wrote itself. */
void deliver_dump_tool_record(struct deliver *d, const struct raw_record *raw);

/** Events came or got names, or their fields changed. */
void deliver_events_changed(struct deliver *d);

/** The recording's table of build-ids got more entries. */
void deliver_build_ids(struct deliver *d);

/** The recording has formats of tracepoints now, if it had none before. */
void deliver_tracing_data(struct deliver *d);

/** No record will follow: samples that still wait for their user call chain go as they are. */
void deliver_end(struct deliver *d);

/* For the summary. */
uint64_t deliver_nr_samples(const struct deliver *d);
const struct dsos *deliver_dsos(const struct deliver *d);
struct symbolizer_stats deliver_stats(const struct deliver *d);
const struct user_stack_stats *deliver_stack_stats(const struct deliver *d); /* NULL: there was no sample */

#endif
