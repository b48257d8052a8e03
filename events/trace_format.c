#include "events/trace_format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "events/trace_parse.h"
#include "util/blocks.h"

/* ---- fields: "field:TYPE NAME;	offset:N;	size:N;	signed:N;" ---- */

struct text {
	const char *at, *end;
};

static bool begins_with(struct text t, const char *start)
{
	size_t size = strlen(start);

	return (size_t)(t.end - t.at) >= size && !memcmp(t.at, start, size);
}

static bool contains(struct text t, const char *part)
{
	return memmem(t.at, (size_t)(t.end - t.at), part, strlen(part)) != NULL;
}

static struct text trimmed(struct text t)
{
	while (t.at < t.end && isspace((unsigned char)*t.at))
		t.at++;
	while (t.at < t.end && isspace((unsigned char)t.end[-1]))
		t.end--;
	return t;
}

/* Up to @stop, which is stepped over; the rest when it is not there. */
static struct text cut(struct text *t, char stop)
{
	const char *hit = t->at == t->end ? NULL : memchr(t->at, stop, (size_t)(t->end - t->at));
	struct text part = { t->at, hit ? hit : t->end };

	t->at = hit ? hit + 1 : t->end;
	return part;
}

static uint32_t number_of(struct text t)
{
	uint64_t value = 0;

	for (t = trimmed(t); t.at < t.end && isdigit((unsigned char)*t.at) && value < UINT32_MAX; t.at++)
		value = 10 * value + (uint64_t)(*t.at - '0');
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* The size of an element of an array that has no number of elements that could be divided by. */
static uint32_t size_of_type(struct text type, bool is_string, uint8_t long_size)
{
	if (is_string || contains(type, "bool"))
		return 1;
	if (contains(type, "long"))
		return long_size;
	if (contains(type, "64"))
		return 8;
	if (contains(type, "16") || contains(type, "short"))
		return 2;
	return contains(type, "32") || contains(type, "int") ? 4 : 0;
}

/* "TYPE NAME", "TYPE NAME[N]", "__data_loc TYPE[] NAME" */
static bool read_declaration(struct arena *arena, struct text all, uint8_t long_size,
			     struct trace_field *field)
{
	struct text t = all = trimmed(all);
	uint32_t count = 0;

	if (t.at < t.end && t.end[-1] == ']') {
		const char *open = memrchr(t.at, '[', (size_t)(t.end - t.at));

		if (!open)
			return false;
		count = number_of((struct text){ open + 1, t.end - 1 });
		t.end = open;
		t = trimmed(t);
	}
	const char *name = t.end;

	while (name > t.at && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
		name--;
	if (name == t.end)
		return false;
	field->name = arena_strndup(arena, name, (size_t)(t.end - name));
	t.end = name;
	field->is_relative = begins_with(t, "__rel_loc");
	field->is_dynamic = field->is_relative || begins_with(t, "__data_loc");
	field->is_array = memchr(all.at, '[', (size_t)(all.end - all.at)) != NULL;
	field->is_pointer = contains(t, "*");
	field->is_long = contains(t, "long");
	field->is_string = field->is_array && (contains(t, "char") || contains(t, "u8") || contains(t, "s8"));
	field->element_size = count && field->size >= count ? field->size / count
							    : size_of_type(t, field->is_string, long_size);
	return true;
}

static bool read_field(struct arena *arena, struct text line, uint8_t long_size, struct trace_field *field)
{
	struct text declaration = { NULL, NULL };

	*field = (struct trace_field){ .name = NULL };
	while (line.at < line.end) {
		struct text part = trimmed(cut(&line, ';'));
		struct text key = cut(&part, ':');

		if (begins_with(key, "field"))
			declaration = part;
		else if (begins_with(key, "offset"))
			field->offset = number_of(part);
		else if (begins_with(key, "size"))
			field->size = number_of(part);
		else if (begins_with(key, "signed"))
			field->is_signed = number_of(part) != 0;
	}
	return declaration.at && read_declaration(arena, declaration, long_size, field);
}

bool trace_format_read(struct arena *arena, const char *text, size_t size, uint8_t long_size,
		       struct trace_format *ret)
{
	struct text rest = { text, text + size };
	bool has_id = false;

	*ret = (struct trace_format){ .name = NULL };
	while (rest.at < rest.end && !ret->print_format) {
		struct text line = { rest.at, rest.end };
		struct trace_field field;

		if (begins_with(line, "print fmt:")) {
			ret->print_format =
				arena_strndup(arena, line.at + 10, (size_t)(line.end - line.at) - 10);
			break;
		}
		line = trimmed(cut(&rest, '\n'));
		if (begins_with(line, "name:")) {
			line.at += 5;
			line = trimmed(line);
			ret->name = arena_strndup(arena, line.at, (size_t)(line.end - line.at));
		} else if (begins_with(line, "ID:")) {
			line.at += 3;
			ret->id = number_of(line);
			has_id = true;
		} else if (begins_with(line, "field:") && read_field(arena, line, long_size, &field)) {
			vec_push(&ret->fields, field);
		} else if (line.at == line.end && !ret->nr_common) {
			/* An empty line ends the common fields. */
			ret->nr_common = ret->fields.count;
		}
	}
	return ret->name && has_id;
}

void trace_format_free(struct trace_format *format)
{
	vec_free(&format->fields);
	vec_free(&format->pieces);
}

/* ---- the print format: text with conversions, then the arguments ---- */

struct compiler {
	struct trace_parser parser; /* stands before the next argument */
	struct trace_format *format;
	const char *at;
	VEC(char) text; /* literal text so far */
};

static void flush_text(struct compiler *c)
{
	if (!c->text.count)
		return;
	struct trace_piece piece = { .kind = PIECE_TEXT, .size = (uint32_t)c->text.count };
	char *text = arena_alloc(c->parser.arena, c->text.count + BLOCK);

	memcpy(text, c->text.at, c->text.count);
	piece.text = text;
	vec_push(&c->format->pieces, piece);
	vec_clear(&c->text);
}

/* An argument that is missing makes the whole format fail. */
static const struct trace_node *next_arg(struct compiler *c)
{
	if (!trace_parse_accept(&c->parser, ","))
		c->parser.failed = true;
	return trace_parse_expression(&c->parser);
}

static int read_decimal(struct compiler *c)
{
	int value = 0;

	for (; isdigit((unsigned char)*c->at); c->at++)
		value = value < 1000 ? 10 * value + (*c->at - '0') : value;
	return value;
}

static void read_width(struct compiler *c, struct trace_piece *piece)
{
	if (*c->at == '*') {
		c->at++;
		piece->width_arg = next_arg(c);
	} else {
		piece->width = read_decimal(c);
	}
	if (*c->at != '.')
		return;
	c->at++;
	if (*c->at == '*') {
		c->at++;
		piece->precision_arg = next_arg(c);
	} else {
		piece->precision = read_decimal(c);
	}
}

/* Flags, width, precision and length; the rest of @piece is the caller's. */
static void read_modifiers(struct compiler *c, struct trace_piece *piece)
{
	size_t flags = 0;
	int longs = 0;

	piece->precision = -1;
	for (; *c->at && strchr("#0-+", *c->at); c->at++)
		if (flags < sizeof(piece->flags) - 1 && !strchr(piece->flags, *c->at))
			piece->flags[flags++] = *c->at;
	read_width(c, piece);
	for (; *c->at && strchr("hlLzZ", *c->at); c->at++)
		longs += *c->at == 'h' ? -1 : *c->at == 'L' ? 2 : 1;
	piece->bits = longs >= 1 ? 64 : longs == 0 ? 32 : longs == -1 ? 16 : 8;
}

static bool accept(struct compiler *c, const char *any)
{
	if (!*c->at || !strchr(any, *c->at))
		return false;
	c->at++;
	return true;
}

static void read_letter(struct compiler *c, struct trace_piece *piece, const char *any)
{
	if (*c->at && strchr(any, *c->at))
		piece->conversion = *c->at++;
}

/*
 * %pI4h %pi6 %pI6c %pISpc: the letters are kept; that of the order of an IPv4 address's bytes (the machine's,
 * the network's, big, little) is the conversion. As in libtraceevent a c counts before any other but p.
 */
static void read_ip(struct compiler *c, struct trace_piece *piece)
{
	const char *start = c->at++;
	bool has_socket = accept(c, "S");

	if (has_socket) {
		accept(c, "p");
		if (!accept(c, "c"))
			read_letter(c, piece, "hnbl");
	} else if (accept(c, "4")) {
		read_letter(c, piece, "hnbl");
	} else if (accept(c, "6")) {
		accept(c, "c");
	}
	piece->kind = PIECE_IP;
	piece->size = (uint32_t)(c->at - start);
	piece->text = arena_strndup(c->parser.arena, start, piece->size);
	while (has_socket && accept(c, "fsc"))
		;
}

/* M, or R with the bytes turned round; m and r without colons. */
static void read_mac(struct compiler *c, struct trace_piece *piece)
{
	bool colons = *c->at++ == 'M';

	piece->kind = PIECE_MAC;
	piece->conversion = colons ? 'M' : 'm';
	if (accept(c, "R"))
		piece->conversion = colons ? 'R' : 'r';
	else if (accept(c, "F") && colons)
		piece->conversion = 'F';
}

static void read_uuid(struct compiler *c, struct trace_piece *piece)
{
	c->at++;
	piece->kind = PIECE_UUID;
	piece->conversion = 'b';
	read_letter(c, piece, "bBlL");
}

static void read_buffer(struct compiler *c, struct trace_piece *piece)
{
	c->at++;
	piece->kind = PIECE_BUFFER;
	piece->conversion = ' ';
	if (*c->at == 'C')
		piece->conversion = ':';
	else if (*c->at == 'D')
		piece->conversion = '-';
	else if (*c->at == 'N')
		piece->conversion = '\0';
	else
		return;
	c->at++;
}

static void read_pointer(struct compiler *c, struct trace_piece *piece)
{
	piece->kind = PIECE_POINTER;
	piece->conversion = 0;
	if (accept(c, "SF")) {
		piece->conversion = 'S';
	} else if (accept(c, "sf")) {
		piece->conversion = 's';
	} else if (*c->at == 'M' || *c->at == 'm') {
		read_mac(c, piece);
	} else if (*c->at == 'I' || *c->at == 'i') {
		read_ip(c, piece);
	} else if (*c->at == 'U') {
		read_uuid(c, piece);
	} else if (*c->at == 'h') {
		read_buffer(c, piece);
	}
	piece->arg = next_arg(c);
	if (piece->kind != PIECE_POINTER && piece->kind != PIECE_BUFFER)
		piece->arg = trace_parse_uncast(piece->arg);
}

static void read_conversion(struct compiler *c)
{
	struct trace_piece piece = { .conversion = 0 };

	if (accept(c, "%")) {
		vec_push(&c->text, '%');
		return;
	}
	read_modifiers(c, &piece);
	char conversion = *c->at ? *c->at++ : '\0';

	piece.conversion = conversion == 'i' ? 'd' : conversion;
	if (conversion == 'p') {
		read_pointer(c, &piece);
	} else if (conversion && strchr("diuxXocs", conversion)) {
		piece.kind = conversion == 'c' ? PIECE_CHAR : conversion == 's' ? PIECE_STRING : PIECE_NUMBER;
		piece.arg = next_arg(c);
	} else {
		/* What libtraceevent prints for a conversion that it does not know; one that is cut is
		 * dropped. */
		if (conversion) {
			vec_push(&c->text, '>');
			vec_push(&c->text, conversion);
			vec_push(&c->text, '<');
		}
		return;
	}
	flush_text(c);
	vec_push(&c->format->pieces, piece);
}

static char unescaped(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	default:
		return c;
	}
}

static void read_pieces(struct compiler *c)
{
	while (*c->at && !c->parser.failed) {
		char letter = *c->at++;

		if (letter == '%')
			read_conversion(c);
		else if (letter == '\\' && *c->at)
			vec_push(&c->text, unescaped(*c->at++));
		else
			vec_push(&c->text, letter);
	}
	flush_text(c);
	vec_free(&c->text);
}

/* Arguments that no conversion asks for must be understood too: libtraceevent parses them all first. */
static void read_rest(struct compiler *c)
{
	while (!c->parser.failed && trace_parse_accept(&c->parser, ","))
		trace_parse_expression(&c->parser);
	c->parser.failed |= c->parser.token != TOKEN_END;
}

void trace_format_compile(struct arena *arena, struct trace_format *format, uint8_t long_size)
{
	struct compiler c = { .format = format,
			      .parser = { .arena = arena,
					  .fields = format->fields.at,
					  .nr_fields = format->fields.count,
					  .long_size = long_size } };

	if (format->compiled)
		return;
	format->compiled = true;
	trace_parse_start(&c.parser, format->print_format ? format->print_format : "",
			  format->print_format ? strlen(format->print_format) : 0);
	c.at = trace_parse_string(&c.parser);
	if (c.at) {
		read_pieces(&c);
		read_rest(&c);
	}
	format->failed = c.parser.failed;
}

void trace_format_print(const struct trace_format *format, const struct trace_record *record,
			struct trace_out *out)
{
	if (format->failed)
		trace_text_print_fields(out, record, format->fields.at + format->nr_common,
					format->fields.count - format->nr_common);
	else
		trace_text_print(out, record, format->pieces.at, format->pieces.count);
}
