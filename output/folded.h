/*
 * folded - samples as folded stacks: "comm;root;...;leaf WEIGHT", a line for each different stack, sorted by
 * bytes.
 *
 * The format of stackcollapse-perf.pl (brendangregg/FlameGraph), which flamegraph.pl, inferno, speedscope and
 * others read, without its faults: names come from the recording and not from a text that must be guessed
 * apart, so nothing in a name is taken for something else. ';' becomes ':' and control bytes become '_' in
 * every part, blanks become '_' in the comm. Other bytes stay as they are, UTF-8 or not.
 *
 * Stacks are counted by the numbers of their names; text is made at the end only. Without a filter the event
 * of the first sample is counted and the others are only numbered, for the summary. Must not know: ELF.
 */
#ifndef PERF2TXT_FOLDED_H
#define PERF2TXT_FOLDED_H

#include "output/view.h"
#include "output/writer.h"

/* What happens to stacks whose outer frames are known to be missing. */
enum folded_incomplete {
	FOLDED_KEEP,
	FOLDED_MARK, /* "[truncated]" as the outermost frame */
	FOLDED_DROP,
};

struct folded_options {
	bool pid, tid; /* comm-PID, comm-PID/TID */
	bool kernel;   /* _[k] behind the names of kernel code */
	bool jit;      /* _[j] behind those of JIT code */
	bool inlines;  /* _[i] behind inlined calls */
	bool addrs;    /* the address of an unknown function: [lib.so <7f..>] */
	bool srcline;  /* NAME:FILE:LINE */
	bool full_source_path;
	bool by_samples; /* a stack weighs its samples, not their periods */
	enum folded_incomplete incomplete;
	const char *const *stop_at; /* names of functions at which a stack ends, from the leaf on */
	size_t nr_stop_at;
	bool all_events;
	const char *const *events; /* --event-filter; none: the event of the first sample */
	size_t nr_events;
};

/* How many samples of an event there were, and whether they are in the output. */
struct folded_event {
	const char *name;
	uint64_t samples;
	bool counted;
};

struct folded;

/** @options is copied but for the names that it points to, which must outlive it. */
struct folded *folded_new(const struct folded_options *options);
/** Are files and lines to be printed? */
bool folded_wants_lines(const struct folded *f);
void folded_free(struct folded *f); /* NULL is fine */

void folded_sample(struct folded *f, const struct view *view);

/** All stacks. May be called once, at the end. */
void folded_write(struct folded *f, struct writer *w);

/** By event->index; lent until the next sample. NULL past the last; name NULL: an event without samples. */
const struct folded_event *folded_event(const struct folded *f, size_t index);

/** The sum of all weights that were counted; stays at UINT64_MAX when it would be more. */
uint64_t folded_weight(const struct folded *f);

/** The largest weight of one sample of *@ret_samples that were counted. */
uint64_t folded_heaviest(const struct folded *f, uint64_t *ret_samples);

/**
 * A function's name as a frame, into @ret of strlen(@name) + 1 bytes; returns @ret. Only the parameter list
 * of the whole name is cut, with what may follow it (const, &, [clone ...]); parentheses of template
 * arguments, of Go receivers, of "(anonymous namespace)" and of enclosing functions are part of the name.
 */
char *folded_name(const char *name, char *ret);

/** Does the --event-filter @filter mean the event @name? */
bool folded_event_matches(const char *filter, const char *name);

#endif
