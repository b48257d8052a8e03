/*
 * script_record - the lines of --show-*-events: records that are no samples, as perf script prints them.
 *
 * A line has the columns comm, pid, tid, cpu, misc, tod and time of the fields of the record's event, then a
 * text of its own. What was recorded in the record's trailer is printed, not what the process table says.
 * Which records are asked for, and when they are printed, is the caller's matter. Facts: perf 7.2.13's
 * output.
 */
#ifndef PERF2TXT_SCRIPT_RECORD_H
#define PERF2TXT_SCRIPT_RECORD_H

#include "output/script.h"

/* Which option shows a record. */
enum show {
	SHOW_NONE = 0, /* no option does */
	SHOW_TASK = 1 << 0,
	SHOW_MMAP = 1 << 1,
	SHOW_SWITCH = 1 << 2,
	SHOW_NAMESPACE = 1 << 3,
	SHOW_LOST = 1 << 4,
	SHOW_ROUND = 1 << 5,
	SHOW_BPF = 1 << 6,
	SHOW_CGROUP = 1 << 7,
	SHOW_TEXT_POKE = 1 << 8,
};

/** The SHOW_* bits of the options that show records of that type (KSYMBOL has two). */
unsigned script_record_shown_by(uint32_t record_type);

/**
 * The lines of one record; nothing for a type that has none. view->comm is that of the thread in the record's
 * body for COMM, MMAP, FORK, EXIT and NAMESPACES, that of the trailer for the others. view->pid and tid are
 * not printed. Without view->event there are no columns in front.
 */
void script_record(struct script *s, const struct view_record *view);

/** The same without the columns in front. @poked: what a TEXT_POKE changes, or NULL. */
void script_record_text(struct writer *w, const struct record *record, const struct spot *poked);

/** Of a FORK or EXIT what is behind its name, "(PID:TID):(PPID:PTID)" and the line end. */
void script_record_task(struct writer *w, const struct record *record);

/** The line of --show-round-events. */
void script_round(struct script *s);

/** AUXTRACE_ERROR, which perf prints whatever is asked for. */
void script_auxtrace_error(struct script *s, const struct record *record);

#endif
