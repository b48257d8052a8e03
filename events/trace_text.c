#include "events/trace_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/blocks.h"
#include "util/cursor.h"
#include "util/digits.h"

#define WIDTH_LIMIT 4096 /* no format asks for more; a width may come from the record */

/* @size bytes to write into behind the text, which ends where it did. */
static inline char *room(struct trace_out *out, size_t size)
{
	vec_reserve(&out->text, out->text.count + size);
	return out->text.at + out->text.count;
}

static inline void advance(struct trace_out *out, const char *to)
{
	out->text.count = (size_t)(to - out->text.at);
}

static void put_bytes(struct trace_out *out, const char *data, size_t size)
{
	memcpy(room(out, size), data, size);
	out->text.count += size;
}

static void put_text(struct trace_out *out, const char *text)
{
	put_bytes(out, text, strlen(text));
}

static void put_char(struct trace_out *out, char c)
{
	vec_push(&out->text, c);
}

static void put_fill(struct trace_out *out, char c, int count)
{
	while (count-- > 0)
		put_char(out, c);
}

static void put_hex(struct trace_out *out, uint64_t value)
{
	advance(out, digits_hex_any(room(out, DIGITS_MAX), value));
}

static void put_dec(struct trace_out *out, uint64_t value)
{
	advance(out, digits_dec(room(out, DIGITS_MAX), value, 0));
}

static void put_byte(struct trace_out *out, uint8_t byte)
{
	put_char(out, "0123456789abcdef"[byte >> 4]);
	put_char(out, "0123456789abcdef"[byte & 15]);
}

/* ---- bytes of the record ---- */

struct span {
	const uint8_t *data;
	size_t size;
};

/* At most @size bytes at @offset: what of them is inside. */
static struct span span_at(const struct trace_record *r, uint64_t offset, uint64_t size)
{
	if (offset > r->size)
		return (struct span){ r->data, 0 };
	size_t left = r->size - (size_t)offset;
	return (struct span){ r->data + offset, size < left ? (size_t)size : left };
}

static uint64_t read_number(const struct trace_record *r, uint64_t offset, uint32_t size)
{
	if (offset > r->size || size > r->size - offset)
		return 0;
	const uint8_t *at = r->data + offset;

	switch (size) {
	case 1:
		return *at;
	case 2:
		return load_u16(at, r->big_endian);
	case 4:
		return load_u32(at, r->big_endian);
	case 8:
		return load_u64(at, r->big_endian);
	default:
		return 0;
	}
}

/* A dynamic array's field: offset in the low half, size in the high half. */
static struct span dynamic_span(const struct trace_record *r, uint32_t offset, uint32_t size,
				bool is_relative)
{
	uint64_t where = read_number(r, offset, size);
	uint64_t start = (where & 0xffff) + (is_relative ? (uint64_t)offset + size : 0);

	return span_at(r, start, where >> 16 & 0xffff);
}

/* The bytes that __print_hex() and __print_array() start at; they may go on behind the field. */
static struct span array_span(const struct trace_record *r, const struct trace_node *n)
{
	if (n->kind == NODE_FIELD)
		return span_at(r, n->offset, UINT64_MAX);
	return dynamic_span(r, n->offset, n->size, n->is_relative);
}

/* ---- values ---- */

static uint64_t value_of(const struct trace_record *r, const struct trace_node *n);

static uint64_t op_value(const struct trace_record *r, const struct trace_node *n)
{
	uint64_t a = n->a ? value_of(r, n->a) : 0, b = value_of(r, n->b);

	switch ((enum trace_op)n->op) {
	case OP_NOT:
		return !b;
	case OP_INVERT:
		return ~b;
	case OP_ADD:
		return a + b;
	case OP_SUB:
		return a - b;
	case OP_MUL:
		return a * b;
	case OP_DIV:
		return b ? a / b : 0;
	case OP_MOD:
		return b ? a % b : 0;
	case OP_SHL:
		return a << (b & 63);
	case OP_SHR:
		return a >> (b & 63);
	case OP_AND:
		return a & b;
	case OP_OR:
		return a | b;
	case OP_XOR:
		return a ^ b;
	case OP_LOGIC_AND:
		return a && b;
	case OP_LOGIC_OR:
		return a || b;
	case OP_EQ:
		return a == b;
	case OP_NE:
		return a != b;
	case OP_LT:
		return a < b;
	case OP_LE:
		return a <= b;
	case OP_GT:
		return a > b;
	case OP_GE:
		return a >= b;
	}
	return 0;
}

static uint64_t index_value(const struct trace_record *r, const struct trace_node *n)
{
	struct span array = array_span(r, n->a);
	uint64_t index = value_of(r, n->b);

	if (!n->size || index >= array.size / n->size)
		return 0;
	return read_number(r, (uint64_t)(array.data - r->data) + index * n->size, n->size);
}

static uint64_t value_of(const struct trace_record *r, const struct trace_node *n)
{
	switch ((enum trace_node_kind)n->kind) {
	case NODE_ATOM:
		return n->value;
	case NODE_FIELD:
		return read_number(r, n->offset, n->size);
	case NODE_CAST:
		return value_of(r, n->a) & n->value;
	case NODE_OP:
		return op_value(r, n);
	case NODE_COND:
		return value_of(r, value_of(r, n->a) ? n->b : n->c);
	case NODE_INDEX:
		return index_value(r, n);
	case NODE_DYNAMIC:
		return read_number(r, n->offset, n->size) & 0xffff;
	case NODE_DYNAMIC_SIZE:
		return read_number(r, n->offset, n->size) >> 16 & 0xffff;
	default:
		return 0;
	}
}

uint64_t trace_text_value(const struct trace_record *record, const struct trace_node *node)
{
	return value_of(record, node);
}

/* ---- strings ---- */

/* How a string conversion pads and cuts. */
struct shape {
	int width; /* negative: to the left */
	int precision;
};

static void put_string(struct trace_out *out, const char *text, size_t size, const struct shape *shape)
{
	if (shape->precision >= 0 && (size_t)shape->precision < size)
		size = (size_t)shape->precision;
	int missing = (shape->width < 0 ? -shape->width : shape->width) -
		      (int)(size < WIDTH_LIMIT ? size : WIDTH_LIMIT);

	if (shape->width > 0)
		put_fill(out, ' ', missing);
	put_bytes(out, text, size);
	if (shape->width < 0)
		put_fill(out, ' ', missing);
}

/* The shape is that of each name, not of the whole. */
static void put_flags(struct trace_out *out, const struct trace_record *r, const struct trace_node *n,
		      const struct shape *shape)
{
	uint64_t value = value_of(r, n->a);
	const char *between = "";

	for (uint32_t i = 0; i < n->nr_names; i++) {
		const struct trace_name *name = &n->names[i];

		/* A name for 0 or for a negative number is never a bit. */
		if ((int64_t)name->value <= 0 || (value & name->value) != name->value)
			continue;
		put_text(out, between);
		put_string(out, name->text, strlen(name->text), shape);
		between = n->text;
		value &= ~name->value;
	}
	if (value) {
		put_text(out, between);
		put_text(out, "0x");
		put_hex(out, value);
	}
}

static void put_symbol(struct trace_out *out, const struct trace_record *r, const struct trace_node *n,
		       const struct shape *shape)
{
	uint64_t value = value_of(r, n->a);

	for (uint32_t i = 0; i < n->nr_names; i++) {
		if (n->names[i].value == value) {
			put_string(out, n->names[i].text, strlen(n->names[i].text), shape);
			return;
		}
	}
	put_text(out, "0x");
	put_hex(out, value);
}

static void put_hex_bytes(struct trace_out *out, const struct trace_record *r, const struct trace_node *n)
{
	struct span bytes = array_span(r, n->a);
	uint64_t count = value_of(r, n->b);

	for (uint64_t i = 0; i < count && i < bytes.size; i++) {
		if (i)
			put_text(out, n->text);
		put_byte(out, bytes.data[i]);
	}
}

static void put_array(struct trace_out *out, const struct trace_record *r, const struct trace_node *n)
{
	struct span bytes = array_span(r, n->a);
	uint64_t count = value_of(r, n->b), size = value_of(r, n->c);
	uint64_t offset = (uint64_t)(bytes.data - r->data);

	if (size != 1 && size != 2 && size != 4 && size != 8)
		size = 1;
	put_char(out, '{');
	for (uint64_t i = 0; i < count && i < bytes.size / size; i++) {
		put_text(out, i ? ",0x" : "0x");
		put_hex(out, read_number(r, offset + i * size, (uint32_t)size));
	}
	put_char(out, '}');
}

/* The byte of a bitmask that holds bits 8 * @index and up: an array of the recorded machine's longs. */
static uint8_t mask_byte(const struct trace_record *r, struct span mask, size_t index)
{
	if (r->big_endian && r->long_size) {
		size_t word = index / r->long_size * r->long_size;

		index = word + (r->long_size - 1 - index % r->long_size);
	}
	return index < mask.size ? mask.data[index] : 0;
}

static void put_bitmask(struct trace_out *out, const struct trace_record *r, struct span mask)
{
	for (size_t i = mask.size; i-- > 0;) {
		put_byte(out, mask_byte(r, mask, i));
		if (i && i % 4 == 0)
			put_char(out, ',');
	}
}

static bool mask_bit(const struct trace_record *r, struct span mask, size_t n)
{
	return n < 8 * mask.size && mask_byte(r, mask, n / 8) >> (n % 8) & 1;
}

static void put_cpumask(struct trace_out *out, const struct trace_record *r, struct span mask)
{
	bool more = false;

	for (size_t n = 0; n < 8 * mask.size; n++) {
		if (!mask_bit(r, mask, n))
			continue;
		if (more)
			put_char(out, ',');
		more = true;
		put_dec(out, n);
		size_t first = n;

		while (mask_bit(r, mask, n + 1))
			n++;
		if (n > first) {
			put_char(out, '-');
			put_dec(out, n);
		}
	}
}

static void put_span(struct trace_out *out, struct span s, const struct shape *shape)
{
	put_string(out, (const char *)s.data, strnlen((const char *)s.data, s.size), shape);
}

/* A pointer to text in the kernel: text only when the tracing data lists the string at that address. */
static void put_field_string(struct trace_out *out, const struct trace_record *r, const struct trace_node *n,
			     const struct shape *shape)
{
	if (n->is_array || n->size != r->long_size) {
		put_span(out, span_at(r, n->offset, n->size ? n->size : UINT64_MAX), shape);
		return;
	}
	uint64_t address = read_number(r, n->offset, n->size);
	const char *text = r->strings ? hash_get_ptr(r->strings, address, 0) : NULL;

	if (text)
		put_text(out, text);
	else
		put_hex(out, address);
}

/* Text that was made at the end of @out takes the shape of its conversion. */
static void reshape(struct trace_out *out, size_t start, const struct shape *shape)
{
	if (!shape->width && shape->precision < 0)
		return;
	size_t size = out->text.count - start;

	if (shape->precision >= 0 && (size_t)shape->precision < size)
		size = (size_t)shape->precision;
	out->text.count = start + size;
	int missing = (shape->width < 0 ? -shape->width : shape->width) -
		      (int)(size < WIDTH_LIMIT ? size : WIDTH_LIMIT);

	if (missing <= 0)
		return;
	put_fill(out, ' ', missing);
	if (shape->width > 0) {
		memmove(out->text.at + start + missing, out->text.at + start, size);
		memset(out->text.at + start, ' ', (size_t)missing);
	}
}

static void put_string_arg(struct trace_out *out, const struct trace_record *r, const struct trace_node *n,
			   const struct shape *shape)
{
	size_t start = out->text.count;

	switch ((enum trace_node_kind)n->kind) {
	case NODE_ATOM:
		put_string(out, n->text, strlen(n->text), shape);
		return;
	case NODE_FIELD:
		put_field_string(out, r, n, shape);
		return;
	case NODE_COND:
		put_string_arg(out, r, value_of(r, n->a) ? n->b : n->c, shape);
		return;
	case NODE_STRING:
		put_span(out, dynamic_span(r, n->offset, n->size, n->is_relative), shape);
		return;
	case NODE_FLAGS:
		put_flags(out, r, n, shape);
		return;
	case NODE_SYMBOL:
		put_symbol(out, r, n, shape);
		return;
	case NODE_HEX:
		put_hex_bytes(out, r, n);
		return;
	case NODE_ARRAY:
		put_array(out, r, n);
		return;
	case NODE_BITMASK:
		put_bitmask(out, r, dynamic_span(r, n->offset, n->size, n->is_relative));
		break;
	case NODE_CPUMASK:
		put_cpumask(out, r, dynamic_span(r, n->offset, n->size, n->is_relative));
		break;
	default: /* a number is no text */
		return;
	}
	reshape(out, start, shape);
}

/* ---- conversions ---- */

static int limited(uint64_t value)
{
	int number = (int)value;

	return number > WIDTH_LIMIT ? WIDTH_LIMIT : number < -WIDTH_LIMIT ? -WIDTH_LIMIT : number;
}

static struct shape shape_of(const struct trace_record *r, const struct trace_piece *p)
{
	struct shape shape = { p->width, p->precision };

	if (p->width_arg)
		shape.width = limited(value_of(r, p->width_arg));
	if (p->precision_arg)
		shape.precision = limited(value_of(r, p->precision_arg));
	if (p->flags[0] && strchr(p->flags, '-') && shape.width > 0)
		shape.width = -shape.width;
	return shape;
}

/* Rare shapes are left to the C library. */
static void put_shaped_number(struct trace_out *out, const struct trace_piece *p, const struct shape *shape,
			      uint64_t value)
{
	char format[24], text[2 * WIDTH_LIMIT + 64];

	snprintf(format, sizeof(format), "%%%s*.*ll%c", p->flags, p->conversion);
	int size = snprintf(text, sizeof(text), format, shape->width, shape->precision,
			    (unsigned long long)value);

	if (size > 0)
		put_bytes(out, text, (size_t)size);
}

/* Digits of the value in front of @end; returns where they begin. */
static char *digits_of(char *end, char conversion, uint64_t value)
{
	const char *digits = conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	int bits = conversion == 'o' ? 3 : 4;
	char *at = end;

	if (conversion == 'd' || conversion == 'u')
		return digits_before(end, value);
	if (conversion == 'x') {
		digits_hex16(end - 16, value);
		return end - 16 + digits_hex_leading(value);
	}
	do {
		*--at = digits[value & ((1u << bits) - 1)];
		value >>= bits;
	} while (value);
	return at;
}

static void put_number(struct trace_out *out, const struct trace_record *r, const struct trace_piece *p)
{
	uint64_t value = value_of(r, p->arg) << (64 - p->bits);
	bool is_signed = p->conversion == 'd';

	value = is_signed ? (uint64_t)((int64_t)value >> (64 - p->bits)) : value >> (64 - p->bits);
	struct shape shape = shape_of(r, p);
	bool zeros = p->flags[0] == '0' && !p->flags[1];

	if (shape.precision >= 0 || shape.width < 0 || (p->flags[0] && !zeros)) {
		put_shaped_number(out, p, &shape, value);
		return;
	}
	/* As much again behind the digits, for a copy of a fixed size. */
	char digits[2 * DIGITS_MAX], *end = digits + DIGITS_MAX;
	bool negative = is_signed && (int64_t)value < 0;
	char *from = digits_of(end, p->conversion, negative ? -value : value);
	int missing = shape.width - (int)(end - from) - negative;

	if (!zeros)
		put_fill(out, ' ', missing);
	if (negative)
		put_char(out, '-');
	if (zeros)
		put_fill(out, '0', missing);
	memcpy(room(out, DIGITS_MAX), from, DIGITS_MAX);
	out->text.count += (size_t)(end - from);
}

static void put_character(struct trace_out *out, const struct trace_record *r, const struct trace_piece *p)
{
	struct shape shape = shape_of(r, p);
	char c = (char)value_of(r, p->arg);

	shape.precision = -1;
	put_string(out, &c, 1, &shape);
}

static void put_pointer(struct trace_out *out, const struct trace_record *r, const struct trace_piece *p)
{
	uint64_t value = value_of(r, p->arg), start = value;
	const char *name = p->conversion && r->resolve ? r->resolve(r->context, &start) : NULL;

	if (!p->conversion && !value) {
		put_text(out, "(nil)"); /* the C library's %p */
		return;
	}
	if (!name) {
		put_text(out, "0x");
		put_hex(out, value);
		return;
	}
	put_text(out, name);
	if (p->conversion == 'S') {
		put_text(out, "+0x");
		put_hex(out, value - start);
	}
}

/* The same kind by libtraceevent's number: its complaint about an argument that is no field holds it. */
static unsigned library_number(const struct trace_node *n)
{
	switch ((enum trace_node_kind)n->kind) {
	case NODE_ATOM:
		return 1;
	case NODE_FIELD:
		return 2;
	case NODE_FLAGS:
		return 3;
	case NODE_SYMBOL:
		return 4;
	case NODE_HEX:
		return *n->text ? 5 : 15;
	case NODE_ARRAY:
		return 6;
	case NODE_CAST:
		return 7;
	case NODE_STRING:
		return 8;
	case NODE_DYNAMIC:
		return 10;
	case NODE_OP:
	case NODE_COND:
	case NODE_INDEX:
		return 11;
	case NODE_BITMASK:
		return 13;
	case NODE_DYNAMIC_SIZE:
		return 14;
	case NODE_CPUMASK:
		return 16;
	case NODE_NOTHING:
		break;
	}
	return 0;
}

/*
 * The bytes of an argument that is a field of @size bytes (0: any), what is missing being 0; they are copied
 * to @bytes. False: it is none, and @out says so.
 */
static bool field_bytes(struct trace_out *out, const struct trace_record *r, const struct trace_piece *p,
			size_t size, const char *invalid, uint8_t *bytes)
{
	if (p->arg->kind != NODE_FIELD) {
		put_text(out, "ARG TYPE NOT FIELD BUT ");
		put_dec(out, library_number(p->arg));
		return false;
	}
	if (p->arg->size != size) {
		put_text(out, invalid);
		return false;
	}
	struct span s = span_at(r, p->arg->offset, size);

	memset(bytes, 0, size);
	memcpy(bytes, s.data, s.size);
	return true;
}

static void put_mac(struct trace_out *out, const struct trace_record *r, const struct trace_piece *p)
{
	bool reversed = p->conversion == 'R' || p->conversion == 'r';
	uint8_t bytes[6];

	if (!field_bytes(out, r, p, sizeof(bytes), "INVALIDMAC", bytes))
		return;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		if (i && isupper((unsigned char)p->conversion))
			put_char(out, p->conversion == 'F' ? '-' : ':');
		put_byte(out, bytes[reversed ? sizeof(bytes) - 1 - i : i]);
	}
}

static void put_ip4(struct trace_out *out, const uint8_t *bytes, bool padded, bool reversed)
{
	for (int i = 0; i < 4; i++) {
		uint8_t byte = bytes[reversed ? 3 - i : i];
		if (i)
			put_char(out, '.');
		if (padded)
			put_fill(out, '0', byte < 10 ? 2 : byte < 100);
		put_dec(out, byte);
	}
}

/* The piece's letter says that the address is not in the network's order. */
static bool is_turned(const struct trace_record *r, const struct trace_piece *p)
{
	return p->conversion == 'l' || (p->conversion == 'h' && !r->big_endian);
}

static void put_ip6_full(struct trace_out *out, const uint8_t *bytes, bool colons)
{
	for (int i = 0; i < 16; i++) {
		if (colons && i && i % 2 == 0)
			put_char(out, ':');
		put_byte(out, bytes[i]);
	}
}

/* The longest run of zero words, of two at least, becomes "::" (RFC 5952). */
static void put_ip6_short(struct trace_out *out, const uint8_t *bytes)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	int best = -1, best_size = 1;

	if (!memcmp(bytes, mapped, sizeof(mapped))) {
		put_text(out, "::ffff:");
		put_ip4(out, bytes + 12, false, false);
		return;
	}
	for (int i = 0, size = 0; i < 8; i++) {
		size = load_u16(bytes + 2 * i, true) ? 0 : size + 1;
		if (size > best_size) {
			best = i - size + 1;
			best_size = size;
		}
	}
	for (int i = 0; i < 8; i++) {
		if (i == best) {
			put_text(out, "::");
			i += best_size - 1;
			continue;
		}
		if (i && (best < 0 || i != best + best_size))
			put_char(out, ':');
		put_hex(out, load_u16(bytes + 2 * i, true));
	}
}

static void put_ip6(struct trace_out *out, const uint8_t *bytes, bool is_short, bool colons)
{
	if (is_short)
		put_ip6_short(out, bytes);
	else
		put_ip6_full(out, bytes, colons);
}

/* A struct sockaddr: family in the recorded machine's order, port and address in the network's. */
static void put_socket_address(struct trace_out *out, const struct trace_record *r,
			       const struct trace_piece *p)
{
	uint8_t bytes[28] = { 0 };
	bool colons = p->text[0] == 'I';
	bool has_port = colons && strchr(p->text, 'p'), is_short = colons && strchr(p->text, 'c');
	struct span s;

	if (p->arg->kind == NODE_FIELD) {
		s = span_at(r, p->arg->offset, p->arg->size);
	} else if (p->arg->kind == NODE_DYNAMIC) {
		s = dynamic_span(r, p->arg->offset, p->arg->size, p->arg->is_relative);
	} else {
		put_text(out, "ARG NOT FIELD NOR DYNAMIC ARRAY BUT TYPE ");
		put_dec(out, library_number(p->arg));
		return;
	}
	memcpy(bytes, s.data, s.size < sizeof(bytes) ? s.size : sizeof(bytes));
	switch (load_u16(bytes, r->big_endian)) {
	case 2: /* AF_INET */
		put_ip4(out, bytes + 4, !colons, is_turned(r, p));
		break;
	case 10: /* AF_INET6 */
		put_text(out, has_port ? "[" : "");
		put_ip6(out, bytes + 8, is_short, colons);
		put_text(out, has_port ? "]" : "");
		break;
	default:
		return;
	}
	if (has_port) {
		put_char(out, ':');
		put_dec(out, load_u16(bytes + 2, true));
	}
}

static void put_ip(struct trace_out *out, const struct trace_record *r, const struct trace_piece *p)
{
	bool colons = p->text[0] == 'I';
	uint8_t bytes[16];

	if (p->text[1] == 'S') {
		put_socket_address(out, r, p);
	} else if (p->text[1] == '4') {
		if (field_bytes(out, r, p, 4, "INVALIDIPv4", bytes))
			put_ip4(out, bytes, !colons, is_turned(r, p));
	} else if (p->text[1] == '6') {
		if (field_bytes(out, r, p, 16, "INVALIDIPv6", bytes))
			put_ip6(out, bytes, colons && p->text[2] == 'c', colons);
	}
}

/* l and L: the first three groups are little-endian numbers, as in a GUID. */
static void put_uuid(struct trace_out *out, const struct trace_record *r, const struct trace_piece *p)
{
	static const uint8_t plain[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const uint8_t guid[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	bool upper = p->conversion == 'B' || p->conversion == 'L';
	const uint8_t *order = tolower(p->conversion) == 'l' ? guid : plain;
	size_t start = out->text.count;
	uint8_t bytes[16];

	if (!field_bytes(out, r, p, sizeof(bytes), "INVALIDUUID", bytes))
		return;
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			put_char(out, '-');
		put_byte(out, bytes[order[i]]);
	}
	for (size_t i = start; upper && i < out->text.count; i++)
		out->text.at[i] = (char)toupper(out->text.at[i]);
}

static void put_buffer(struct trace_out *out, const struct trace_record *r, const struct trace_piece *p)
{
	if (p->arg->kind != NODE_DYNAMIC) {
		put_text(out, "ARG TYPE NOT FIELD BUT ");
		put_dec(out, library_number(p->arg));
		return;
	}
	struct span s = dynamic_span(r, p->arg->offset, p->arg->size, p->arg->is_relative);
	uint64_t limit = p->width_arg ? value_of(r, p->width_arg) : p->width ? (uint64_t)p->width : 1;

	for (size_t i = 0; i < s.size && i < limit; i++) {
		if (i && p->conversion)
			put_char(out, p->conversion);
		put_byte(out, s.data[i]);
	}
}

static void put_piece(struct trace_out *out, const struct trace_record *r, const struct trace_piece *p)
{
	switch ((enum trace_piece_kind)p->kind) {
	case PIECE_TEXT:
		advance(out, blocks_copy(room(out, p->size + BLOCK), p->text, p->size));
		return;
	case PIECE_NUMBER:
		put_number(out, r, p);
		return;
	case PIECE_CHAR:
		put_character(out, r, p);
		return;
	case PIECE_STRING: {
		struct shape shape = shape_of(r, p);

		put_string_arg(out, r, p->arg, &shape);
		return;
	}
	case PIECE_POINTER:
		put_pointer(out, r, p);
		return;
	case PIECE_MAC:
		put_mac(out, r, p);
		return;
	case PIECE_IP:
		put_ip(out, r, p);
		return;
	case PIECE_UUID:
		put_uuid(out, r, p);
		return;
	case PIECE_BUFFER:
		put_buffer(out, r, p);
		return;
	}
}

void trace_text_print(struct trace_out *out, const struct trace_record *record,
		      const struct trace_piece *pieces, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_piece(out, record, &pieces[i]);
}

/* ---- fields without a print format ---- */

static bool is_printable(struct span s)
{
	for (size_t i = 0; i < s.size && s.data[i]; i++)
		if (!isprint(s.data[i]) && !isspace(s.data[i]))
			return false;
	return true;
}

static void put_array_field(struct trace_out *out, const struct trace_record *r, const struct trace_field *f)
{
	struct span s = f->is_dynamic ? dynamic_span(r, f->offset, f->size, f->is_relative)
				      : span_at(r, f->offset, f->size);

	if (f->is_string && is_printable(s)) {
		put_span(out, s, &(struct shape){ 0, -1 });
		return;
	}
	put_text(out, "ARRAY[");
	for (size_t i = 0; i < s.size; i++) {
		if (i)
			put_text(out, ", ");
		put_byte(out, s.data[i]);
	}
	put_char(out, ']');
}

static void put_number_field(struct trace_out *out, const struct trace_record *r, const struct trace_field *f)
{
	uint64_t value = read_number(r, f->offset, f->size);
	unsigned shift = f->size && f->size < 8 ? 64 - 8 * f->size : 0;
	char text[32];

	if (f->is_pointer || (f->is_long && !f->is_signed) || (f->is_long && f->size == 4)) {
		put_text(out, "0x");
		put_hex(out, value);
		return;
	}
	if (f->is_signed)
		snprintf(text, sizeof(text), f->size == 2 ? "%2" PRId64 : "%" PRId64,
			 (int64_t)(value << shift) >> shift);
	else
		snprintf(text, sizeof(text), "%" PRIu64, value);
	put_text(out, text);
}

void trace_text_print_fields(struct trace_out *out, const struct trace_record *record,
			     const struct trace_field *fields, size_t count)
{
	put_text(out, "[FAILED TO PARSE]");
	for (size_t i = 0; i < count; i++) {
		put_char(out, ' ');
		put_text(out, fields[i].name);
		put_char(out, '=');
		if (fields[i].is_array)
			put_array_field(out, record, &fields[i]);
		else
			put_number_field(out, record, &fields[i]);
	}
}
