/*
 * trace_parse - the expressions in a tracepoint's print format: C, as the kernel writes it, -> nodes.
 *
 * What is parsed: constants, strings, REC->FIELD, [] on arrays, casts, C's operators with C's precedence,
 * sizeof and the
 * __print_...() and __get_...() helpers. Anything else makes the whole format fail, which the caller then
 * shows field by field, as libtraceevent does. Nothing is read outside of the text; nesting is limited.
 */
#ifndef PERF2TXT_TRACE_PARSE_H
#define PERF2TXT_TRACE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/trace_text.h"
#include "util/arena.h"

enum trace_token { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_CHAR, TOKEN_OPERATOR };

struct trace_parser {
	struct arena *arena;
	const struct trace_field *fields;
	size_t nr_fields;
	uint8_t long_size;
	bool failed; /* sticky: check it at the end */
	unsigned depth;
	const char *at, *end; /* behind the current token */
	enum trace_token token;
	const char *text; /* of the current token, without quotes */
	size_t size;
};

/** Set up @p over a text; the first token is current then. */
void trace_parse_start(struct trace_parser *p, const char *text, size_t size);

/** Is the current token this operator? Then step over it. */
bool trace_parse_accept(struct trace_parser *p, const char *op);

/** Strings that follow each other, joined; NULL and failed when the current token is none. Escapes are kept.
 */
const char *trace_parse_string(struct trace_parser *p);

/** An expression up to the next comma or closing parenthesis. Never NULL. */
const struct trace_node *trace_parse_expression(struct trace_parser *p);

/** What is cast: a cast does not change where an array is. */
const struct trace_node *trace_parse_uncast(const struct trace_node *n);

#endif
