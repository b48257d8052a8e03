/*
 * trace_format - one format text of a tracepoint: its id, its fields, and its print format ready to be
 * evaluated.
 *
 * The text is what /sys/kernel/tracing/events/SYSTEM/NAME/format holds. The print format is compiled when it
 * is first asked for: a recording carries hundreds of formats and uses a few. Whatever the text says,
 * evaluating reads no byte outside of a record.
 */
#ifndef PERF2TXT_TRACE_FORMAT_H
#define PERF2TXT_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/trace_text.h"
#include "util/arena.h"
#include "util/vec.h"

struct trace_format {
	const char *name;
	uint64_t id;
	VEC(struct trace_field) fields; /* common ones first */
	size_t nr_common;
	const char *print_format; /* as in the text; NULL: none */
	bool compiled;
	bool failed; /* the print format has something that is not understood: its fields are shown */
	VEC(struct trace_piece) pieces;
};

/**
 * Read a text of @size bytes. False when it has no name or no id. Strings are kept in @arena, which must
 * outlive @ret; trace_format_free() in any case.
 */
bool trace_format_read(struct arena *arena, const char *text, size_t size, uint8_t long_size,
		       struct trace_format *ret);
void trace_format_free(struct trace_format *format);

/** Compile the print format, if that is not done yet. */
void trace_format_compile(struct arena *arena, struct trace_format *format, uint8_t long_size);

/** The text of one record, appended to @out. */
void trace_format_print(const struct trace_format *format, const struct trace_record *record,
			struct trace_out *out);

#endif
