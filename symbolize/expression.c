#include "symbolize/expression.h"

#include <dwarf.h>
#include <stdbool.h>

/* DWARF asks for no size of an expression's stack; real rules use less than ten. */
#define STACK_DEPTH 64
#define MAX_STEPS 1024

/* bregx with two LEB128 numbers of 64 bits */
#define LONGEST_OPERATION 21

/* An expression at work. */
struct machine {
	const struct expression *expression;
	uint64_t mask; /* the bits of an address */
	uint64_t stack[STACK_DEPTH];
	size_t depth;
	int failure; /* why it cannot go on; 0: it can */
};

static void push(struct machine *m, uint64_t value)
{
	if (m->depth == STACK_DEPTH)
		m->failure = EXPRESSION_BROKEN;
	else
		m->stack[m->depth++] = value & m->mask;
}

static uint64_t take(struct machine *m)
{
	if (m->depth == 0) {
		m->failure = EXPRESSION_BROKEN;
		return 0;
	}
	return m->stack[--m->depth];
}

/* The @n-th value from the top. */
static uint64_t peek(struct machine *m, uint64_t n)
{
	if (n >= m->depth) {
		m->failure = EXPRESSION_BROKEN;
		return 0;
	}
	return m->stack[m->depth - 1 - n];
}

static void push_reg(struct machine *m, uint64_t reg, uint64_t offset)
{
	const struct expression *e = m->expression;

	if (reg >= CFI_MAX_REGS || !(e->valid[reg / 64] >> (reg % 64) & 1))
		m->failure = EXPRESSION_BROKEN;
	else
		push(m, e->regs[reg] + offset);
}

static void dereference(struct machine *m, uint64_t size)
{
	uint64_t address = take(m), value = 0;

	if (m->failure)
		return;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		m->failure = EXPRESSION_BROKEN;
	else
		m->failure =
			m->expression->read(m->expression->ctx, address & m->mask, (unsigned)size, &value);
	push(m, value);
}

/* Values are as wide as an address: the sign is in its top bit. */
static int64_t signed_value(const struct machine *m, uint64_t value)
{
	return m->expression->word == 4 ? (int64_t)(int32_t)value : (int64_t)value;
}

static uint64_t divide(struct machine *m, int64_t a, int64_t b)
{
	if (b == 0) {
		m->failure = EXPRESSION_BROKEN;
		return 0;
	}
	return b == -1 ? 0 - (uint64_t)a : (uint64_t)(a / b);
}

static bool compare(uint32_t atom, int64_t x, int64_t y, uint64_t *ret)
{
	switch (atom) {
	case DW_OP_eq:
		*ret = x == y;
		return true;
	case DW_OP_ne:
		*ret = x != y;
		return true;
	case DW_OP_lt:
		*ret = x < y;
		return true;
	case DW_OP_le:
		*ret = x <= y;
		return true;
	case DW_OP_gt:
		*ret = x > y;
		return true;
	case DW_OP_ge:
		*ret = x >= y;
		return true;
	default:
		return false;
	}
}

static uint64_t shift(const struct machine *m, uint32_t atom, uint64_t value, uint64_t bits)
{
	if (atom == DW_OP_shra)
		return (uint64_t)(signed_value(m, value) >> (bits < 64 ? bits : 63));
	if (bits >= 64)
		return 0;
	return atom == DW_OP_shl ? value << bits : value >> bits;
}

/* Operations on the two values on top, @a below @b. */
static uint64_t binary(struct machine *m, uint32_t atom, uint64_t a, uint64_t b)
{
	uint64_t result = 0;

	switch (atom) {
	case DW_OP_and:
		return a & b;
	case DW_OP_or:
		return a | b;
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_plus:
		return a + b;
	case DW_OP_minus:
		return a - b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_div:
		return divide(m, signed_value(m, a), signed_value(m, b));
	case DW_OP_mod:
		if (b)
			return a % b;
		break;
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
		return shift(m, atom, a, b);
	default:
		if (compare(atom, signed_value(m, a), signed_value(m, b), &result))
			return result;
	}
	m->failure = EXPRESSION_BROKEN;
	return 0;
}

static void rotate(struct machine *m)
{
	uint64_t a = take(m), b = take(m), c = take(m);

	push(m, a);
	push(m, c);
	push(m, b);
}

static void swap(struct machine *m)
{
	uint64_t a = take(m), b = take(m);

	push(m, a);
	push(m, b);
}

static bool operate_stack(struct machine *m, const struct cfi_op *op)
{
	int64_t value;

	switch (op->atom) {
	case DW_OP_dup:
		push(m, peek(m, 0));
		return true;
	case DW_OP_over:
		push(m, peek(m, 1));
		return true;
	case DW_OP_pick:
		push(m, peek(m, op->number));
		return true;
	case DW_OP_drop:
		take(m);
		return true;
	case DW_OP_swap:
		swap(m);
		return true;
	case DW_OP_rot:
		rotate(m);
		return true;
	case DW_OP_neg:
		push(m, 0 - take(m));
		return true;
	case DW_OP_not:
		push(m, ~take(m));
		return true;
	case DW_OP_abs:
		value = signed_value(m, take(m));
		push(m, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
		return true;
	case DW_OP_plus_uconst:
		push(m, take(m) + op->number);
		return true;
	case DW_OP_deref:
		dereference(m, m->expression->word);
		return true;
	case DW_OP_deref_size:
		dereference(m, op->number);
		return true;
	case DW_OP_nop:
		return true;
	default:
		return false;
	}
}

static bool is_constant(uint32_t atom)
{
	return atom == DW_OP_addr || (atom >= DW_OP_const1u && atom <= DW_OP_consts);
}

static void operate(struct machine *m, const struct cfi_op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		push(m, op->atom - DW_OP_lit0);
	} else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		push_reg(m, op->atom - DW_OP_breg0, op->number);
	} else if (op->atom == DW_OP_bregx) {
		push_reg(m, op->number, op->number2);
	} else if (op->atom == DW_OP_call_frame_cfa) {
		push(m, m->expression->cfa);
	} else if (is_constant(op->atom)) {
		push(m, op->number);
	} else if (!operate_stack(m, op)) {
		uint64_t b = take(m), a = take(m);
		push(m, binary(m, op->atom, a, b));
	}
}

/* The operation that a branch at @at goes to: its offset counts from the end of its own three bytes. */
static size_t branch_target(struct machine *m, const struct cfi_op *ops, size_t nr, size_t at)
{
	uint32_t offset = ops[at].offset + 3 + (uint32_t)(int16_t)ops[at].number;

	for (size_t i = 0; i < nr; i++)
		if (ops[i].offset == offset && ops[i].atom != DW_OP_call_frame_cfa)
			return i;
	/* To the end, however long the last operation is. */
	if (offset > ops[nr - 1].offset && offset - ops[nr - 1].offset <= LONGEST_OPERATION)
		return nr;
	m->failure = EXPRESSION_BROKEN;
	return nr;
}

int expression_evaluate(const struct expression *expression, uint64_t *ret)
{
	struct machine m = { .expression = expression,
			     .mask = expression->word == 4 ? UINT32_MAX : UINT64_MAX };
	const struct cfi_op *ops = expression->ops;
	size_t nr = expression->nr_ops, steps = 0;

	for (size_t i = 0; i < nr && !m.failure; i++) {
		if (++steps > MAX_STEPS)
			return EXPRESSION_BROKEN;
		bool taken = ops[i].atom == DW_OP_skip;
		if (ops[i].atom == DW_OP_bra)
			taken = take(&m) != 0;
		if (taken)
			i = branch_target(&m, ops, nr, i) - 1;
		else if (ops[i].atom != DW_OP_bra)
			operate(&m, &ops[i]);
	}
	*ret = take(&m);
	return m.failure;
}
