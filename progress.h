/*
 * progress - how much of a large recording has been read, on a terminal.
 *
 * Shown on standard error when that is a terminal, the recording is a large file and the text goes elsewhere.
 * The caller says where it is as often as it likes; nothing is written but a new percentage. Knows no
 * records.
 */
#ifndef PERF2TXT_PROGRESS_H
#define PERF2TXT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "options.h"

struct progress {
	FILE *to; /* NULL: nothing is shown */
	uint64_t total;
	unsigned percent; /* shown last */
};

/** @total bytes; 0: not known. @out_fd: where the text goes. */
struct progress progress_start(const struct options *o, uint64_t total, int out_fd);
void progress_at(struct progress *p, uint64_t position);
/** Take it off the terminal. */
void progress_end(struct progress *p);

#endif
