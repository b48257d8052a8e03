/*
 * about - what a recording says about itself, as far as the options ask for it: --header, -I, -D.
 */
#ifndef PERF2TXT_ABOUT_H
#define PERF2TXT_ABOUT_H

#include "events/reader.h"
#include "options.h"
#include "output/writer.h"

/** The header block, before all records. */
void about_header(struct writer *to, const struct options *o, const struct recording *recording);

/** @raw is a HEADER_FEATURE: a stream's features come between its other records, and so do their lines. */
void about_feature(struct writer *to, const struct options *o, const struct recording *recording,
		   const struct raw_record *raw);

#endif
