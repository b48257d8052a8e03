/*
 * script_dump - -D: each record's bytes, and what they mean, before its line.
 *
 * A record is printed in steps, in this order: script_dump_raw() for all; then the text of its kind; for a
 * sample that is delivered, script_dump_task(). It is perf's text for those who look for faults in
 * recordings: this module, unlike the other formatters, sees a record's bytes. (script_dump_tool has the text
 * of records that perf wrote itself.)
 */
#ifndef PERF2TXT_SCRIPT_DUMP_H
#define PERF2TXT_SCRIPT_DUMP_H

#include "output/view.h"
#include "output/writer.h"

/* What stands before a record's name. */
struct script_dump_stamp {
	bool unknown;		  /* "-1 -1": nothing tells */
	bool with_cpu, with_time; /* some event records them */
	uint32_t cpu;
	uint64_t time;
};

/** The bytes, and the beginning of the line with the record's name. @file: what @offset counts in. */
void script_dump_raw(struct writer *w, const char *file, uint64_t offset, const struct raw_record *raw,
		     const struct script_dump_stamp *stamp);

/**
 * The name and text of a record of the kernel that is no sample. @event: whose it is, or NULL; @poked: what a
 * TEXT_POKE changes, or NULL.
 */
void script_dump_record(struct writer *w, const struct event *event, const struct record *record,
			const struct spot *poked);

/** The same of a sample of @event that lies in @raw, in several lines. @arch: names of registers. */
void script_dump_sample(struct writer *w, const struct event *event, const struct sample *sample,
			const struct raw_record *raw, const struct arch *arch);

/** Of a late call chain (CALLCHAIN_DEFERRED), which is as a sample's of @event. */
void script_dump_late_chain(struct writer *w, const struct event *event, const struct record *record,
			    bool big_endian);

/** Whose a sample is and where it was, as far as view->ip says. */
void script_dump_task(struct writer *w, const struct view *view);

#endif
