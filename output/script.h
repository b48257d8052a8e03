/*
 * script - samples as the text of perf script.
 *
 * One view in, its lines out into the writer: same bytes as perf script 7.2 (facts: its own output), but for
 * what DIFFERENCES lists. The hot path: numbers are made by hand, the texts of events and locations are made
 * once and copied. Which columns there are is decided per event at its first sample.
 *
 * Left to the caller: filtering, filling the view with what fields_needs() says, script_changed() when events
 * or fields change. Must not know: ELF, bytes of the recording.
 */
#ifndef PERF2TXT_SCRIPT_H
#define PERF2TXT_SCRIPT_H

#include "events/features.h"
#include "output/fields.h"
#include "output/frame_text.h"
#include "output/view.h"
#include "output/writer.h"

struct script_options {
	bool ns;	/* --ns */
	bool reltime;	/* --reltime */
	bool deltatime; /* --deltatime */
	bool latency;	/* -L */
	struct frame_text_options frames;
	/* For tod, its CLOCK_DATA: the same moment on the wall clock and on the recording's clock. A stream
	 * tells it by a record. */
	const struct features *features;
};

struct script;

/** All arguments must outlive the script; the writer stays the caller's. @options is copied. */
struct script *script_new(struct writer *writer, const struct fields *fields,
			  const struct script_options *options, const struct evlist *evlist);
void script_free(struct script *s); /* NULL is fine */

/** Print to another writer from now on (--per-event-dump). */
void script_set_writer(struct script *s, struct writer *writer);
struct writer *script_writer(const struct script *s);

/** Events came, got names, or fields changed: forget what was decided per event. */
void script_changed(struct script *s);

/** NEED_* bits for a sample of @event, as fields_needs() says. */
unsigned script_needs(struct script *s, const struct event *event);

void script_sample(struct script *s, const struct view *view);

/** The late user part of call chains, by itself (--no-merge-callchains). @view is as if it were a sample. */
void script_late_chain(struct script *s, const struct view *view, uint64_t cookie);

/* The columns that begin a line of any record. */
struct script_prefix {
	const char *comm; /* as in struct view */
	int32_t pid, tid, cpu;
	uint16_t misc;
	uint32_t record_type;
	uint64_t time;
	struct id_guest guest;
};

/**
 * For output/script_record: machine_pid, vcpu, comm, pid, tid, cpu, misc, tod and time as far as the event's
 * fields have them.
 */
void script_put_prefix(struct script *s, const struct event *event, const struct script_prefix *prefix);

/** The size of a page as perf prints it, behind a blank: " 4K". */
void script_put_page_size(struct writer *w, uint64_t size);

#endif
