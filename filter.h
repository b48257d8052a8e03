/*
 * filter - which samples are wanted: --time, --cpu, --comms, --pid, --tid, --dsos, --symbols.
 *
 * Forms and meanings are perf script's (as in perf 7.2). What was not asked for lets
 * everything pass. Lists are parsed once; a test of a sample allocates nothing.
 */
#ifndef PERF2TXT_FILTER_H
#define PERF2TXT_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "events/evlist.h"
#include "events/features.h"
#include "options.h"
#include "output/view.h"
#include "util/err.h"

struct filter;

/** @features: for --time in percent, and how many processors there are. @evlist: filter_check_events(). */
struct err *filter_new(const struct options *o, const struct features *features, const struct evlist *evlist,
		       struct filter **ret) ERR_CHECK;
void filter_free(struct filter *f); /* NULL is fine */

/** With --cpu, the first event of each type has to record processors, as with perf script. A stream tells of
 * its events later. */
struct err *filter_check_events(const struct options *o, const struct evlist *evlist) ERR_CHECK;

/** Is anything asked for at all (NULL: no)? If not, everything passes all of these: */
bool filter_any(const struct filter *f);

/** @time in ns; 0 always passes. */
bool filter_time(const struct filter *f, uint64_t time);
/** @cpu -1: the sample does not say; passes. */
bool filter_cpu(const struct filter *f, int32_t cpu);
bool filter_thread(const struct filter *f, const char *comm, int32_t pid, int32_t tid);

/** Does the sample's own address have to be known for filter_location()? */
bool filter_wants_location(const struct filter *f);
bool filter_location(const struct filter *f, const struct location *location, uint64_t address);

/** Does the call chain have one of the functions of --graph-function? True when none was asked for. */
bool filter_chain(const struct filter *f, const struct view_frame *frames, size_t nr_frames);

#endif
