/*
 * trace_text - the text of a tracepoint's payload, from a format that was compiled once per event.
 *
 * events/trace_format and events/trace_parse turn the kernel's print format into pieces and nodes; here they
 * are evaluated for one record after the other, without allocation but for a text that is longer than all
 * before. The meaning of each element is that of libtraceevent 1.9 (facts: its output): numbers are 64 bits
 * wide and unsigned, a field is read as an unsigned number of its size, only the conversion makes it signed.
 *
 * What lies outside of the record reads as 0 or as an empty string. Must not know: the syntax of formats.
 */
#ifndef PERF2TXT_TRACE_TEXT_H
#define PERF2TXT_TRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/hash.h"
#include "util/vec.h"

struct trace_field {
	const char *name;
	uint32_t offset, size;
	uint32_t element_size; /* of an array; 0: not known */
	bool is_array, is_dynamic, is_relative, is_string, is_pointer, is_signed, is_long;
};

enum trace_node_kind {
	NODE_NOTHING, /* 0, and no text at all */
	NODE_ATOM,    /* a constant: value and text */
	NODE_FIELD,   /* bytes of the record at offset */
	NODE_CAST,    /* a, cut to value (a mask) */
	NODE_OP,      /* a op b; unary operators have b only */
	NODE_COND,    /* a ? b : c */
	NODE_INDEX,   /* element b of the array field a, size bytes each */
	NODE_FLAGS,   /* names of a's bits, joined by text */
	NODE_SYMBOL,  /* name of a's value */
	NODE_HEX,     /* b bytes of a as hex digits, text between them */
	NODE_ARRAY,   /* b numbers of c bytes each, of a */
	NODE_STRING,  /* the four below: a field that says where the bytes are, offset and size in one u32 */
	NODE_BITMASK,
	NODE_CPUMASK,
	NODE_DYNAMIC,
	NODE_DYNAMIC_SIZE,
};

enum trace_op {
	OP_NOT,
	OP_INVERT,
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_SHL,
	OP_SHR,
	OP_AND,
	OP_OR,
	OP_XOR,
	OP_LOGIC_AND,
	OP_LOGIC_OR,
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
};

struct trace_name {
	uint64_t value;
	const char *text;
};

struct trace_node {
	uint8_t kind, op;
	bool is_array;	  /* NODE_FIELD: text of its own, not a pointer to one */
	bool is_relative; /* where the bytes are counts from the end of the field */
	uint16_t height;  /* of the tree below, for the parser's limit */
	uint32_t offset, size;
	uint64_t value;
	const char *text;
	const struct trace_node *a, *b, *c;
	const struct trace_name *names;
	uint32_t nr_names;
};

enum trace_piece_kind {
	PIECE_TEXT,
	PIECE_NUMBER,  /* %d %u %x %X %o */
	PIECE_CHAR,    /* %c */
	PIECE_STRING,  /* %s */
	PIECE_POINTER, /* %p; conversion s: %ps, S: %pS */
	PIECE_MAC,     /* %pM %pm %pMF %pMR %pmR; conversion M, m, F, R, r */
	PIECE_IP,      /* %pI4 ...: text is what stands behind the p; conversion h, n, b, l or 0 */
	PIECE_UUID,    /* %pU; conversion b, B, l, L */
	PIECE_BUFFER,  /* %*ph; conversion is the byte between two, 0: none */
};

struct trace_piece {
	uint8_t kind;
	uint8_t bits; /* of a number that are printed: 8, 16, 32, 64 */
	char conversion;
	char flags[6];					    /* of "#0- +" */
	int width;					    /* 0: none */
	int precision;					    /* -1: none */
	const struct trace_node *width_arg, *precision_arg; /* '*'; NULL: the numbers above */
	const struct trace_node *arg;
	const char *text; /* of PIECE_TEXT with BLOCK bytes more, for blocks_copy() */
	uint32_t size;	  /* of text */
};

/** The name of a kernel function; *address becomes its start. NULL: not known. Lent until the next call. */
typedef const char *(*trace_resolve)(void *context, uint64_t *address);

struct trace_record {
	const uint8_t *data;
	size_t size;
	bool big_endian;
	uint8_t long_size;
	trace_resolve resolve; /* NULL: no names */
	void *context;
	const struct hash *strings; /* kernel addresses of constant strings -> const char *; NULL: none */
};

struct trace_out {
	VEC(char) text;
};

void trace_text_print(struct trace_out *out, const struct trace_record *record,
		      const struct trace_piece *pieces, size_t count);

/** The value of an expression. */
uint64_t trace_text_value(const struct trace_record *record, const struct trace_node *node);

/** Every field by name: for a print format that cannot be used. */
void trace_text_print_fields(struct trace_out *out, const struct trace_record *record,
			     const struct trace_field *fields, size_t count);

#endif
