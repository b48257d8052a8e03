/*
 * tracepoint - the formats of a recording's tracepoints, and the text of their payloads.
 *
 * Reads the TRACING_DATA block (facts: /sys/kernel/tracing as perf record packs it) in either byte order.
 * Texts are those of libtraceevent 1.9 without plugins, which is what perf 7.2 prints, whatever is installed
 * here: the library is not used (HACKING says why). A block that is cut gives the formats before the cut.
 *
 * Not for several threads at once: it keeps a buffer.
 */
#ifndef PERF2TXT_TRACEPOINT_H
#define PERF2TXT_TRACEPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "events/trace_text.h"

struct tracepoint;

/**
 * @data need not outlive the call. NULL when the block is none at all: *why says so (a static text).
 * Otherwise *why is NULL, or what is wrong with the block: the formats before that place are there.
 */
struct tracepoint *tracepoint_new(const void *data, uint64_t size, const char **why);
void tracepoint_free(struct tracepoint *t); /* NULL is fine */

/** Names for %pS and its like; without one addresses print as numbers. */
void tracepoint_set_resolver(struct tracepoint *t, trace_resolve resolve, void *context);

/** "sys:name" of the event with that id (attr.config); NULL when there is none. Lent until tracepoint_free().
 */
const char *tracepoint_event_name(const struct tracepoint *t, uint64_t id);

/**
 * The text of a sample's RAW bytes, which are in the recording's byte order; the event is the one they name
 * themselves (common_type). Not terminated, lent until the next call. NULL when no format is known for it.
 */
const char *tracepoint_format(struct tracepoint *t, const void *raw, size_t size, size_t *ret_size);

#endif
