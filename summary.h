/*
 * summary - what the session counted, handed to output/report in the words of the user.
 */
#ifndef PERF2TXT_SUMMARY_H
#define PERF2TXT_SUMMARY_H

#include "deliver.h"
#include "events/queue.h"

struct summary {
	const struct options *options;
	struct diag *diag;
	const struct recording *recording;
	const struct queue *queue;
	const struct folded *folded; /* NULL: text was printed */
	const struct deliver *deliver;
};

void summary_print(const struct summary *s);

#endif
