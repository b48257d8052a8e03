#include "events/trace_parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 200	/* of parentheses and the like */
#define MAX_HEIGHT 1000 /* of a tree; the kernel's longest chain of ?: has about 50 */
#define CONSTANT_RECORD ((const struct trace_record){ .data = (const uint8_t *)"" })

/* ---- tokens ---- */

static const char *const operators[] = { "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->" };

static size_t operator_size(const struct trace_parser *p)
{
	size_t left = (size_t)(p->end - p->at);

	for (size_t i = 0; left >= 2 && i < sizeof(operators) / sizeof(operators[0]); i++)
		if (!memcmp(p->at, operators[i], 2))
			return 2;
	return 1;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* A string or character constant: its text is what stands between the quotes. */
static void read_quoted(struct trace_parser *p, char quote)
{
	const char *start = ++p->at;

	while (p->at < p->end && *p->at != quote)
		p->at += *p->at == '\\' && p->end - p->at > 1 ? 2 : 1;
	p->text = start;
	p->size = (size_t)(p->at - start);
	if (p->at == p->end)
		p->failed = true;
	else
		p->at++;
}

static void next(struct trace_parser *p)
{
	while (p->at < p->end && isspace((unsigned char)*p->at))
		p->at++;
	p->text = p->at;
	p->size = 0;
	if (p->at == p->end || p->failed) {
		p->token = TOKEN_END;
		return;
	}
	char c = *p->at;

	if (c == '"' || c == '\'') {
		p->token = c == '"' ? TOKEN_STRING : TOKEN_CHAR;
		read_quoted(p, c);
		return;
	}
	if (is_name_char(c)) {
		p->token = isdigit((unsigned char)c) ? TOKEN_NUMBER : TOKEN_NAME;
		while (p->at < p->end && is_name_char(*p->at))
			p->at++;
	} else {
		p->token = TOKEN_OPERATOR;
		p->at += operator_size(p);
	}
	p->size = (size_t)(p->at - p->text);
}

void trace_parse_start(struct trace_parser *p, const char *text, size_t size)
{
	p->at = text;
	p->end = text + size;
	next(p);
}

static bool is_op(const struct trace_parser *p, const char *op)
{
	return p->token == TOKEN_OPERATOR && p->size == strlen(op) && !memcmp(p->text, op, p->size);
}

static bool is_name(const struct trace_parser *p, const char *name)
{
	return p->token == TOKEN_NAME && p->size == strlen(name) && !memcmp(p->text, name, p->size);
}

bool trace_parse_accept(struct trace_parser *p, const char *op)
{
	if (!is_op(p, op))
		return false;
	next(p);
	return true;
}

static void expect(struct trace_parser *p, const char *op)
{
	if (!trace_parse_accept(p, op))
		p->failed = true;
}

const char *trace_parse_string(struct trace_parser *p)
{
	VEC(char) text = { 0 };

	if (p->token != TOKEN_STRING) {
		p->failed = true;
		return NULL;
	}
	for (; p->token == TOKEN_STRING; next(p)) {
		vec_reserve(&text, text.count + p->size + 1);
		memcpy(text.at + text.count, p->text, p->size);
		text.count += p->size;
	}
	const char *ret = arena_strndup(p->arena, text.at, text.count);

	vec_free(&text);
	return ret;
}

/* ---- nodes ---- */

static struct trace_node *new_node(struct trace_parser *p, enum trace_node_kind kind)
{
	struct trace_node *n = arena_alloc(p->arena, sizeof(*n));

	*n = (struct trace_node){ .kind = (uint8_t)kind };
	return n;
}

static const struct trace_node *fail(struct trace_parser *p)
{
	p->failed = true;
	return new_node(p, NODE_NOTHING);
}

static const struct trace_node *new_atom(struct trace_parser *p, const char *text, size_t size)
{
	struct trace_node *n = new_node(p, NODE_ATOM);

	n->text = arena_strndup(p->arena, text, size);
	n->value = strtoull(n->text, NULL, 0);
	return n;
}

static const struct trace_node *new_number(struct trace_parser *p, uint64_t value)
{
	struct trace_node *n = new_node(p, NODE_ATOM);

	n->text = "";
	n->value = value;
	return n;
}

static uint16_t height_of(const struct trace_node *n)
{
	return n ? n->height : 0;
}

/* Evaluating recurses as deep as the tree is high, and a chain of operators is as high as it is long. */
static const struct trace_node *finish(struct trace_parser *p, const struct trace_node *n)
{
	uint16_t height = height_of(n->a);

	if (height_of(n->b) > height)
		height = height_of(n->b);
	if (height_of(n->c) > height)
		height = height_of(n->c);
	((struct trace_node *)n)->height = height + 1;
	p->failed |= height >= MAX_HEIGHT;
	return n;
}

static const struct trace_node *new_op(struct trace_parser *p, enum trace_op op, const struct trace_node *a,
				       const struct trace_node *b)
{
	struct trace_node *n = new_node(p, NODE_OP);

	n->op = (uint8_t)op;
	n->a = a;
	n->b = b;
	return finish(p, n);
}

static const struct trace_field *find_field(const struct trace_parser *p, const char *name, size_t size)
{
	for (size_t i = 0; i < p->nr_fields; i++)
		if (strlen(p->fields[i].name) == size && !memcmp(p->fields[i].name, name, size))
			return &p->fields[i];
	return NULL;
}

/* The field that the current name means, stepping over it. A name of no field is 0 and no text. */
static const struct trace_node *field_node(struct trace_parser *p, enum trace_node_kind kind)
{
	if (p->token != TOKEN_NAME)
		return fail(p);
	const struct trace_field *field = find_field(p, p->text, p->size);

	next(p);
	if (!field)
		return new_node(p, NODE_NOTHING);
	struct trace_node *n = new_node(p, kind);

	n->offset = field->offset;
	n->size = field->size;
	n->is_array = field->is_array;
	n->is_relative = field->is_relative;
	n->value = field->element_size;
	return n;
}

/* ---- types ---- */

struct type {
	uint32_t size; /* 0: not known */
	uint64_t mask; /* what a cast to it leaves */
	bool is_pointer;
};

/* libtraceevent's casts cut to these types, without extending a sign, and leave all others as they are. */
static const struct {
	const char *name;
	uint8_t size;
	bool cuts;
} type_sizes[] = {
	{ "u8", 1, true },	 { "s8", 1, true },	   { "char", 1, true },	     { "u16", 2, true },
	{ "s16", 2, true },	 { "short", 2, true },	   { "u32", 4, true },	     { "s32", 4, true },
	{ "int", 4, true },	 { "u64", 8, false },	   { "s64", 8, false },	     { "__u8", 1, false },
	{ "__s8", 1, false },	 { "__u16", 2, false },	   { "__s16", 2, false },    { "__u32", 4, false },
	{ "__s32", 4, false },	 { "__u64", 8, false },	   { "__s64", 8, false },    { "bool", 1, false },
	{ "uint8_t", 1, false }, { "uint16_t", 2, false }, { "uint32_t", 4, false }, { "uint64_t", 8, false },
};

static bool is_type_word(const struct trace_parser *p)
{
	static const char *const words[] = { "unsigned", "signed", "long", "void",
					     "struct",	 "const",  "enum", "union" };

	if (p->token != TOKEN_NAME)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (is_name(p, words[i]))
			return true;
	for (size_t i = 0; i < sizeof(type_sizes) / sizeof(type_sizes[0]); i++)
		if (is_name(p, type_sizes[i].name))
			return true;
	return p->size > 2 && !memcmp(p->text + p->size - 2, "_t", 2);
}

static void add_type_word(const struct trace_parser *p, struct type *type)
{
	for (size_t i = 0; i < sizeof(type_sizes) / sizeof(type_sizes[0]); i++) {
		/* "short int" is what its first word says. */
		if (!is_name(p, type_sizes[i].name) || type->size)
			continue;
		type->size = type_sizes[i].size;
		if (type_sizes[i].cuts)
			type->mask = UINT64_MAX >> (64 - 8 * type->size);
	}
}

/* Words and stars up to a closing parenthesis. False: this is no type. The text is not restored. */
static bool read_type(struct trace_parser *p, struct type *type, bool *sure)
{
	unsigned words = 0, longs = 0, unsigneds = 0;

	*type = (struct type){ .mask = UINT64_MAX };
	*sure = false;
	for (; p->token == TOKEN_NAME && !is_name(p, "REC"); next(p), words++) {
		*sure |= is_type_word(p) || words > 0;
		longs += is_name(p, "long");
		unsigneds += is_name(p, "unsigned");
		add_type_word(p, type);
	}
	for (; is_op(p, "*"); next(p))
		type->is_pointer = *sure = true;
	/* "signed char" and "short int" are no names that libtraceevent knows: a cast to them changes
	 * nothing. */
	if (words != unsigneds + 1)
		type->mask = UINT64_MAX;
	if (longs)
		type->size = longs > 1 ? 8 : p->long_size;
	else if (unsigneds && !type->size)
		type->size = 4;
	return words && is_op(p, ")");
}

static bool begins_operand(const struct trace_parser *p, bool sure)
{
	if (p->token == TOKEN_NAME || p->token == TOKEN_NUMBER || p->token == TOKEN_STRING ||
	    p->token == TOKEN_CHAR)
		return true;
	return is_op(p, "(") || (sure && (is_op(p, "-") || is_op(p, "~") || is_op(p, "!") || is_op(p, "+")));
}

/* ---- primary expressions ---- */

static const struct trace_node *parse_unary(struct trace_parser *p);

static const struct trace_node *parse_cast_operand(struct trace_parser *p, const struct type *type)
{
	const struct trace_node *item = parse_unary(p);
	struct trace_node *n = new_node(p, NODE_CAST);

	n->a = item;
	n->value = type->is_pointer ? UINT64_MAX : type->mask;
	/* Of the pointed-to type, should [] follow. */
	n->size = type->is_pointer ? type->size : 0;
	return n;
}

/* Behind "(": a cast or an expression in parentheses. */
static const struct trace_node *parse_parenthesis(struct trace_parser *p)
{
	const struct trace_parser before = *p;
	struct type type;
	bool sure;

	if (read_type(p, &type, &sure)) {
		next(p);
		if (!p->failed && begins_operand(p, sure))
			return parse_cast_operand(p, &type);
	}
	*p = before;
	const struct trace_node *n = trace_parse_expression(p);

	expect(p, ")");
	return n;
}

static const struct trace_node *parse_sizeof(struct trace_parser *p)
{
	const struct trace_parser before = *p;
	struct type type;
	bool sure;

	if (read_type(p, &type, &sure)) {
		next(p);
		uint32_t size = type.is_pointer ? p->long_size : type.size;

		return size ? new_number(p, size) : fail(p);
	}
	*p = before;
	const struct trace_node *n = trace_parse_expression(p);

	expect(p, ")");
	return n->kind == NODE_FIELD ? new_number(p, n->size) : fail(p);
}

/*
 * Names that formats use in place of numbers: libtraceevent knows these (values: include/linux/interrupt.h
 * and hrtimer.h). Any other, and any negative number, is -1.
 */
static uint64_t name_value(const struct trace_node *n)
{
	static const struct {
		const char *name;
		uint64_t value;
	} known[] = {
		{ "HI_SOFTIRQ", 0 },	  { "TIMER_SOFTIRQ", 1 },     { "NET_TX_SOFTIRQ", 2 },
		{ "NET_RX_SOFTIRQ", 3 },  { "BLOCK_SOFTIRQ", 4 },     { "IRQ_POLL_SOFTIRQ", 5 },
		{ "TASKLET_SOFTIRQ", 6 }, { "SCHED_SOFTIRQ", 7 },     { "HRTIMER_SOFTIRQ", 8 },
		{ "RCU_SOFTIRQ", 9 },	  { "HRTIMER_NORESTART", 0 }, { "HRTIMER_RESTART", 1 },
	};

	if (n->kind != NODE_ATOM || !n->text[0] || isdigit((unsigned char)n->text[0])) {
		uint64_t value = trace_text_value(&CONSTANT_RECORD, n);

		return (int64_t)value < 0 ? UINT64_MAX : value;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].name, n->text))
			return known[i].value;
	return UINT64_MAX;
}

/*
 * Some lists end with { 0, NULL }, which newer kernels print as { 0, ((void *)0) }. libtraceevent takes what
 * stands there for the text: the word as it is, without its casts, or the value of an expression.
 */
static const char *parse_name_text(struct trace_parser *p)
{
	char decimal[32];

	if (p->token == TOKEN_STRING)
		return trace_parse_string(p);
	const struct trace_node *n = trace_parse_uncast(trace_parse_expression(p));
	if (n->kind == NODE_ATOM && n->text[0])
		return n->text;
	snprintf(decimal, sizeof(decimal), "%lld", (long long)trace_text_value(&CONSTANT_RECORD, n));
	return arena_strndup(p->arena, decimal, strlen(decimal));
}

/* {VALUE, "TEXT"}, ... up to the closing parenthesis. */
static void parse_names(struct trace_parser *p, struct trace_node *n)
{
	VEC(struct trace_name) names = { 0 };

	while (!p->failed && trace_parse_accept(p, "{")) {
		const struct trace_node *value = trace_parse_expression(p);

		expect(p, ",");
		const char *text = parse_name_text(p);

		expect(p, "}");
		if (p->failed)
			break;
		vec_push(&names, ((struct trace_name){ name_value(value), text }));
		if (!trace_parse_accept(p, ","))
			break;
	}
	if (names.count) {
		n->names = arena_alloc(p->arena, names.count * sizeof(*names.at));
		memcpy((void *)n->names, names.at, names.count * sizeof(*names.at));
		n->nr_names = (uint32_t)names.count;
	}
	vec_free(&names);
}

static const struct trace_node *parse_flags(struct trace_parser *p)
{
	struct trace_node *n = new_node(p, NODE_FLAGS);

	n->a = trace_parse_expression(p);
	expect(p, ",");
	n->text = trace_parse_string(p);
	if (trace_parse_accept(p, ","))
		parse_names(p, n);
	return n;
}

static const struct trace_node *parse_symbolic(struct trace_parser *p)
{
	struct trace_node *n = new_node(p, NODE_SYMBOL);

	n->a = trace_parse_expression(p);
	if (trace_parse_accept(p, ","))
		parse_names(p, n);
	return n;
}

static bool is_array_node(const struct trace_node *n)
{
	return n->kind == NODE_FIELD || n->kind == NODE_DYNAMIC;
}

static const struct trace_node *parse_array_arg(struct trace_parser *p)
{
	const struct trace_node *n = trace_parse_uncast(trace_parse_expression(p));

	return is_array_node(n) ? n : fail(p);
}

static const struct trace_node *parse_hex(struct trace_parser *p, const char *between)
{
	struct trace_node *n = new_node(p, NODE_HEX);

	n->text = between;
	n->a = parse_array_arg(p);
	expect(p, ",");
	n->b = trace_parse_expression(p);
	return n;
}

static const struct trace_node *parse_print_hex(struct trace_parser *p)
{
	return parse_hex(p, " ");
}

static const struct trace_node *parse_print_hex_str(struct trace_parser *p)
{
	return parse_hex(p, "");
}

static const struct trace_node *parse_print_array(struct trace_parser *p)
{
	struct trace_node *n = new_node(p, NODE_ARRAY);

	n->a = parse_array_arg(p);
	expect(p, ",");
	n->b = trace_parse_expression(p);
	expect(p, ",");
	n->c = trace_parse_expression(p);
	return n;
}

/* The array's name and the size of its elements; how many there are is in the record. */
static const struct trace_node *parse_print_dynamic_array(struct trace_parser *p)
{
	struct trace_node *n = new_node(p, NODE_ARRAY), *size = new_node(p, NODE_DYNAMIC_SIZE);

	n->a = field_node(p, NODE_DYNAMIC);
	expect(p, ",");
	n->c = trace_parse_expression(p);
	if (n->a->kind != NODE_DYNAMIC)
		return fail(p);
	*size = *n->a;
	size->kind = NODE_DYNAMIC_SIZE;
	n->b = new_op(p, OP_DIV, size, n->c);
	return n;
}

static const struct trace_node *parse_get_str(struct trace_parser *p)
{
	return field_node(p, NODE_STRING);
}

static const struct trace_node *parse_get_bitmask(struct trace_parser *p)
{
	return field_node(p, NODE_BITMASK);
}

static const struct trace_node *parse_get_cpumask(struct trace_parser *p)
{
	return field_node(p, NODE_CPUMASK);
}

static const struct trace_node *parse_get_dynamic_array(struct trace_parser *p)
{
	return field_node(p, NODE_DYNAMIC);
}

static const struct trace_node *parse_get_dynamic_array_len(struct trace_parser *p)
{
	return field_node(p, NODE_DYNAMIC_SIZE);
}

/* What IS_ERR() and the like leave behind: the condition, and which way it mostly goes. */
static const struct trace_node *parse_builtin_expect(struct trace_parser *p)
{
	const struct trace_node *n = trace_parse_expression(p);

	expect(p, ",");
	trace_parse_expression(p);
	return n;
}

static const struct {
	const char *name;
	const struct trace_node *(*parse)(struct trace_parser *p);
} functions[] = {
	{ "__builtin_expect", parse_builtin_expect },
	{ "sizeof", parse_sizeof },
	{ "__print_flags", parse_flags },
	{ "__print_symbolic", parse_symbolic },
	{ "__print_hex", parse_print_hex },
	{ "__print_hex_str", parse_print_hex_str },
	{ "__print_array", parse_print_array },
	{ "__print_dynamic_array", parse_print_dynamic_array },
	{ "__get_str", parse_get_str },
	{ "__get_rel_str", parse_get_str },
	{ "__get_bitmask", parse_get_bitmask },
	{ "__get_rel_bitmask", parse_get_bitmask },
	{ "__get_cpumask", parse_get_cpumask },
	{ "__get_rel_cpumask", parse_get_cpumask },
	{ "__get_dynamic_array", parse_get_dynamic_array },
	{ "__get_sockaddr", parse_get_dynamic_array },
	{ "__get_rel_dynamic_array", parse_get_dynamic_array },
	{ "__get_dynamic_array_len", parse_get_dynamic_array_len },
	{ "__get_rel_dynamic_array_len", parse_get_dynamic_array_len },
};

static const struct trace_node *parse_call(struct trace_parser *p, const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (strlen(functions[i].name) != size || memcmp(functions[i].name, name, size))
			continue;
		const struct trace_node *n = functions[i].parse(p);

		if (functions[i].parse != parse_sizeof)
			expect(p, ")");
		return n;
	}
	return fail(p);
}

static const struct trace_node *parse_name(struct trace_parser *p)
{
	const char *name = p->text;
	size_t size = p->size;

	if (is_name(p, "REC")) {
		next(p);
		expect(p, "->");
		return field_node(p, NODE_FIELD);
	}
	next(p);
	if (trace_parse_accept(p, "("))
		return parse_call(p, name, size);
	return new_atom(p, name, size);
}

static const struct trace_node *parse_primary(struct trace_parser *p)
{
	const char *text = p->text;
	size_t size = p->size;

	switch (p->token) {
	case TOKEN_NAME:
		return parse_name(p);
	case TOKEN_NUMBER:
		next(p);
		return new_atom(p, text, size);
	case TOKEN_CHAR:
		next(p);
		return new_number(p, size ? (uint8_t)*text : 0);
	case TOKEN_STRING:
		text = trace_parse_string(p);
		return new_atom(p, text, strlen(text));
	default:
		break;
	}
	if (trace_parse_accept(p, "("))
		return parse_parenthesis(p);
	return fail(p);
}

/* ARRAY[INDEX], also with a cast of the array; how far apart the elements are is the field's own size. */
static const struct trace_node *parse_index(struct trace_parser *p, const struct trace_node *array)
{
	struct trace_node *n = new_node(p, NODE_INDEX);
	uint32_t cast_size = 0;

	for (; array->kind == NODE_CAST; array = array->a)
		cast_size = cast_size ? cast_size : array->size;
	n->a = array;
	n->b = trace_parse_expression(p);
	expect(p, "]");
	if (!is_array_node(array))
		return fail(p);
	n->size = array->value ? (uint32_t)array->value : p->long_size;
	if (!cast_size || cast_size >= 8)
		return n;
	struct trace_node *cast = new_node(p, NODE_CAST);

	cast->a = n;
	cast->value = UINT64_MAX >> (64 - 8 * cast_size);
	return cast;
}

static const struct trace_node *parse_postfix(struct trace_parser *p)
{
	const struct trace_node *n = parse_primary(p);

	while (!p->failed && trace_parse_accept(p, "["))
		n = parse_index(p, n);
	return n;
}

static const struct trace_node *parse_unary_op(struct trace_parser *p)
{
	if (trace_parse_accept(p, "!"))
		return new_op(p, OP_NOT, NULL, parse_unary(p));
	if (trace_parse_accept(p, "~"))
		return new_op(p, OP_INVERT, NULL, parse_unary(p));
	if (trace_parse_accept(p, "-"))
		return new_op(p, OP_SUB, NULL, parse_unary(p));
	if (trace_parse_accept(p, "+"))
		return parse_unary(p);
	return parse_postfix(p);
}

static const struct trace_node *parse_unary(struct trace_parser *p)
{
	if (p->failed || p->depth >= MAX_DEPTH)
		return fail(p);
	p->depth++;
	const struct trace_node *n = parse_unary_op(p);

	p->depth--;
	return finish(p, n);
}

/* ---- binary operators ---- */

static const struct {
	char text[3];
	uint8_t op, level; /* a higher level binds closer */
} binary[] = {
	{ "*", OP_MUL, 10 },	   { "/", OP_DIV, 10 },	     { "%", OP_MOD, 10 }, { "+", OP_ADD, 9 },
	{ "-", OP_SUB, 9 },	   { "<<", OP_SHL, 8 },	     { ">>", OP_SHR, 8 }, { "<", OP_LT, 7 },
	{ "<=", OP_LE, 7 },	   { ">", OP_GT, 7 },	     { ">=", OP_GE, 7 },  { "==", OP_EQ, 6 },
	{ "!=", OP_NE, 6 },	   { "&", OP_AND, 5 },	     { "^", OP_XOR, 4 },  { "|", OP_OR, 3 },
	{ "&&", OP_LOGIC_AND, 2 }, { "||", OP_LOGIC_OR, 1 },
};

static int current_binary(const struct trace_parser *p)
{
	for (size_t i = 0; i < sizeof(binary) / sizeof(binary[0]); i++)
		if (is_op(p, binary[i].text))
			return (int)i;
	return -1;
}

static const struct trace_node *parse_binary(struct trace_parser *p, unsigned level)
{
	const struct trace_node *left = parse_unary(p);
	int i;

	while (!p->failed && (i = current_binary(p)) >= 0 && binary[i].level >= level) {
		next(p);
		left = new_op(p, (enum trace_op)binary[i].op, left, parse_binary(p, binary[i].level + 1u));
	}
	return left;
}

static const struct trace_node *parse_condition(struct trace_parser *p)
{
	const struct trace_node *test = parse_binary(p, 1);

	if (p->failed || !trace_parse_accept(p, "?"))
		return test;
	struct trace_node *n = new_node(p, NODE_COND);

	n->a = test;
	n->b = trace_parse_expression(p);
	expect(p, ":");
	n->c = trace_parse_expression(p);
	return finish(p, n);
}

const struct trace_node *trace_parse_uncast(const struct trace_node *n)
{
	while (n->kind == NODE_CAST)
		n = n->a;
	return n;
}

const struct trace_node *trace_parse_expression(struct trace_parser *p)
{
	if (p->failed || p->depth >= MAX_DEPTH)
		return fail(p);
	p->depth++;
	const struct trace_node *n = parse_condition(p);

	p->depth--;
	return n;
}
