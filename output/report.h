/*
 * report - the summary at the end of a run, on stderr: what was odd, what was missing and what it cost.
 *
 * Plain sentences, a line each, beginning "perf2txt: ". Nothing to say, nothing printed. Takes finished
 * numbers only; collecting them is the session's work.
 */
#ifndef PERF2TXT_REPORT_H
#define PERF2TXT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/diag.h"

/* A binary that could not name (all of) its code. */
struct report_dso {
	const char *name;
	const char *reason; /* why: "not found"; NULL: it is there, but has no symbol for these addresses */
	const char *looked_at; /* the last place that was looked at; NULL */
	uint64_t samples;      /* that have an unknown address in it */
	const char *build_id;  /* in hex, as recorded; NULL */
	const char *wanted;    /* the file of the recorded machine that would help; NULL: none would */
};

struct report_event {
	const char *name;
	uint64_t samples;
	bool counted; /* in the folded output */
};

/* A number for --stats: "samples", 1234. */
struct report_counter {
	const char *name;
	uint64_t value;
};

struct report {
	const struct diag *diag;	  /* NULL: none */
	const struct report_dso *missing; /* any order; those with 0 samples are not worth a line */
	size_t nr_missing;
	const struct report_event *events; /* of a folded output; none for text */
	size_t nr_events;
	const char *weight_unit; /* of a folded output: "samples", "ns", "cycles"; NULL */
	uint64_t weight;
	const struct report_counter *counters;
	size_t nr_counters;
	const struct report_counter *stacks; /* how many user stacks end how; for report_json() only */
	size_t nr_stacks;
	bool stats; /* --stats: everything, with all counters; else only what is worth knowing */
};

void report_summary(FILE *out, const struct report *report);

/**
 * The same for programs: one JSON object, everything in it, whatever `stats` says. Names that are no UTF-8
 * are kept as Python keeps them.
 */
void report_json(FILE *out, const struct report *report);

/* For both: */

/** Those of `missing` that cost samples, the costliest first; @all: also those that are merely incomplete. */
struct report_dso *report_sorted(const struct report *report, bool all, size_t *ret_nr);
void report_sorted_free(struct report_dso *sorted);

#endif
