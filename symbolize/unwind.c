#include "symbolize/unwind.h"

#include <dwarf.h>
#include <string.h>

#include "arch/arch.h"
#include "symbolize/dso.h"
#include "symbolize/maps.h"
#include "util/cursor.h"

/* However deep the caller wants to see: a chain that long is a loop in disguise. */
#define FRAMES_MAX 65536

/* An address so far above the copy's end may be a frame of the same stack (main threads have 8 MiB). */
#define STACK_REACH (UINT64_C(1) << 28)

#define PROTECTION_EXEC 4

/* DWARF asks for no size of an expression's stack; real rules use less than ten. */
#define EXPRESSION_STACK 64
#define EXPRESSION_STEPS 1024

/* bregx with two LEB128 numbers of 64 bits */
#define LONGEST_OPERATION 21

enum outcome {
	FOUND,	    /* the caller's registers are there */
	ROOT,	    /* there is no caller */
	OUTSIDE,    /* memory above the stack copy */
	UNREADABLE, /* other memory, or a register that is not known */
};

struct walk {
	const struct unwind_space *space;
	uint64_t stack_start;
	size_t stack_size; /* 0 also when it is not known where the copy was taken */
	uint64_t mask;	   /* the bits of an address */
	unsigned word;
	int sp, fp, ip, lr; /* DWARF numbers, or ARCH_NO_REG */
	struct unwind_regs regs;
	struct map map;	 /* of the last look-up */
	struct cfi *cfi; /* and its rules */
};

void unwind_stack_free(struct unwind_stack *stack)
{
	vec_free(&stack->frames);
}

const char *unwind_end_text(enum unwind_end end)
{
	static const char *const texts[] = {
		[UNWIND_ROOT] = "root reached",	       [UNWIND_CUT] = "cut by the size of the stack copy",
		[UNWIND_NO_RULES] = "no unwind rules", [UNWIND_NO_FILE] = "no file",
		[UNWIND_BROKEN] = "broken chain",      [UNWIND_LIMIT] = "more frames than the limit",
	};

	return (size_t)end < sizeof(texts) / sizeof(texts[0]) ? texts[end] : "unknown";
}

static bool followed(int reg)
{
	return reg >= 0 && reg < CFI_MAX_REGS;
}

static bool is_valid(const struct unwind_regs *regs, int reg)
{
	return followed(reg) && regs->valid[reg / 64] >> (reg % 64) & 1;
}

static void set_reg(struct unwind_regs *regs, int reg, uint64_t value)
{
	regs->value[reg] = value;
	regs->valid[reg / 64] |= UINT64_C(1) << (reg % 64);
}

static void forget_reg(struct unwind_regs *regs, int reg)
{
	regs->valid[reg / 64] &= ~(UINT64_C(1) << (reg % 64));
}

static int dwarf_number(const struct arch *arch, int reg)
{
	return reg >= 0 && reg < arch->nr_regs ? arch->regs[reg].dwarf : ARCH_NO_REG;
}

static uint64_t address_mask(const struct arch *arch)
{
	return arch->word_size == 4 ? UINT32_MAX : UINT64_MAX;
}

static uint64_t clean(const struct arch *arch, uint64_t address)
{
	address &= address_mask(arch);
	return arch->clean_address ? arch->clean_address(address) : address;
}

bool unwind_regs_load(struct unwind_regs *regs, const struct arch *arch, uint64_t mask,
		      const uint64_t *values, size_t nr_values)
{
	bool has_ip = false;

	memset(regs->valid, 0, sizeof(regs->valid));
	for (int reg = 0; reg < arch->nr_regs; reg++) {
		int index = arch_reg_index(mask, reg);
		int dwarf = arch->regs[reg].dwarf;
		if (index < 0 || (size_t)index >= nr_values)
			continue;
		if (followed(dwarf))
			set_reg(regs, dwarf, values[index] & address_mask(arch));
		if (reg == arch->reg_ip) {
			regs->ip = clean(arch, values[index]);
			has_ip = true;
		}
	}
	return has_ip;
}

static inline uint64_t load(const struct walk *w, const uint8_t *at, unsigned size)
{
	bool big = w->space->big_endian;

	switch (size) {
	case 8:
		return load_u64(at, big);
	case 4:
		return load_u32(at, big);
	case 2:
		return load_u16(at, big);
	default:
		return *at;
	}
}

static enum outcome read_file(const struct walk *w, uint64_t address, unsigned size, uint64_t *ret)
{
	const struct unwind_space *space = w->space;
	const struct map *map = maps_find(space->maps, address);
	uint8_t bytes[8];

	if (map && space->read && space->read(space->ctx, map, address, bytes, size)) {
		*ret = load(w, bytes, size);
		return FOUND;
	}
	/* What is above the copy may have been the stack's, but not where a file is mapped. */
	if (space->stack_whole || !w->stack_size || (map && map->dso->kind == DSO_FILE))
		return UNREADABLE;
	return address > w->stack_start && address - w->stack_start < STACK_REACH ? OUTSIDE : UNREADABLE;
}

/* The copy of the stack, or what a file has for the address. */
static inline enum outcome read_memory(const struct walk *w, uint64_t address, unsigned size, uint64_t *ret)
{
	address &= w->mask;
	uint64_t at = address - w->stack_start;
	if (at < w->stack_size && size <= w->stack_size - at) {
		*ret = load(w, w->space->stack + at, size);
		return FOUND;
	}
	return read_file(w, address, size, ret);
}

/* An expression at work. */
struct machine {
	const struct walk *walk;
	uint64_t cfa;
	uint64_t stack[EXPRESSION_STACK];
	size_t depth;
	enum outcome failure; /* why it cannot go on; FOUND: it can */
};

static void push(struct machine *m, uint64_t value)
{
	if (m->depth == EXPRESSION_STACK)
		m->failure = UNREADABLE;
	else
		m->stack[m->depth++] = value & m->walk->mask;
}

static uint64_t take(struct machine *m)
{
	if (m->depth == 0) {
		m->failure = UNREADABLE;
		return 0;
	}
	return m->stack[--m->depth];
}

/* The @n-th value from the top. */
static uint64_t peek(struct machine *m, uint64_t n)
{
	if (n >= m->depth) {
		m->failure = UNREADABLE;
		return 0;
	}
	return m->stack[m->depth - 1 - n];
}

static void push_reg(struct machine *m, uint64_t reg, uint64_t offset)
{
	if (reg >= CFI_MAX_REGS || !is_valid(&m->walk->regs, (int)reg))
		m->failure = UNREADABLE;
	else
		push(m, m->walk->regs.value[reg] + offset);
}

static void dereference(struct machine *m, uint64_t size)
{
	uint64_t address = take(m), value = 0;

	if (m->failure != FOUND)
		return;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		m->failure = UNREADABLE;
	else
		m->failure = read_memory(m->walk, address, (unsigned)size, &value);
	push(m, value);
}

/* Values are as wide as an address: the sign is in its top bit. */
static int64_t signed_value(const struct machine *m, uint64_t value)
{
	return m->walk->word == 4 ? (int64_t)(int32_t)value : (int64_t)value;
}

static uint64_t divide(struct machine *m, int64_t a, int64_t b)
{
	if (b == 0) {
		m->failure = UNREADABLE;
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
	m->failure = UNREADABLE;
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
		dereference(m, m->walk->word);
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
		push(m, m->cfa);
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
	m->failure = UNREADABLE;
	return nr;
}

static enum outcome evaluate(const struct walk *w, int32_t expression, uint64_t cfa, uint64_t *ret)
{
	struct machine m = { .walk = w, .cfa = cfa, .failure = FOUND };
	size_t nr, steps = 0;
	const struct cfi_op *ops = cfi_expression(w->cfi, expression, &nr);

	for (size_t i = 0; i < nr && m.failure == FOUND; i++) {
		if (++steps > EXPRESSION_STEPS)
			return UNREADABLE;
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

static enum outcome find_cfa(const struct walk *w, const struct cfi_rule *rule, uint64_t *ret)
{
	if (rule->cfa_kind != CFI_REGISTER)
		return evaluate(w, rule->cfa_offset, 0, ret);
	if (!is_valid(&w->regs, rule->cfa_reg))
		return UNREADABLE;
	*ret = (w->regs.value[rule->cfa_reg] + (uint64_t)(int64_t)rule->cfa_offset) & w->mask;
	return FOUND;
}

static enum outcome find_reg(const struct walk *w, const struct cfi_reg *reg, uint64_t cfa, uint64_t *ret)
{
	enum outcome outcome;

	switch (reg->kind) {
	case CFI_AT_CFA:
		return read_memory(w, cfa + (uint64_t)(int64_t)reg->offset, w->word, ret);
	case CFI_CFA_PLUS:
		*ret = (cfa + (uint64_t)(int64_t)reg->offset) & w->mask;
		return FOUND;
	case CFI_REGISTER:
		*ret = w->regs.value[reg->offset];
		return is_valid(&w->regs, reg->offset) ? FOUND : UNREADABLE;
	case CFI_EXPRESSION:
		return evaluate(w, reg->offset, cfa, ret);
	default:
		outcome = evaluate(w, reg->offset, cfa, ret);
		return outcome == FOUND ? read_memory(w, *ret, w->word, ret) : outcome;
	}
}

static void lose(uint64_t *lost, unsigned reg)
{
	lost[reg / 64] |= UINT64_C(1) << (reg % 64);
}

/* Most rules: each register can be replaced at once, because no other one depends on it. */
static enum outcome apply_simple(struct walk *w, const struct cfi_rule *rule, uint64_t cfa, uint64_t *lost)
{
	uint64_t *values = w->regs.value;
	const struct cfi_reg *end = rule->regs + rule->nr_regs;

	for (const struct cfi_reg *reg = rule->regs; reg < end; reg++) {
		uint64_t at = (cfa + (uint64_t)(int64_t)reg->offset) & w->mask;
		if (reg->kind == CFI_CFA_PLUS) {
			values[reg->reg] = at;
			continue;
		}
		enum outcome outcome = read_memory(w, at, w->word, &values[reg->reg]);
		if (outcome != FOUND && reg->reg == rule->return_reg)
			return outcome;
		if (outcome != FOUND)
			lose(lost, reg->reg);
	}
	return FOUND;
}

static enum outcome apply_general(struct walk *w, const struct cfi_rule *rule, uint64_t cfa, uint64_t *lost)
{
	uint64_t values[CFI_MAX_REGS];

	for (unsigned i = 0; i < rule->nr_regs; i++) {
		const struct cfi_reg *reg = &rule->regs[i];
		values[i] = 0;
		enum outcome outcome = find_reg(w, reg, cfa, &values[i]);
		if (outcome != FOUND && reg->reg == rule->return_reg)
			return outcome;
		if (outcome != FOUND)
			lose(lost, reg->reg);
	}
	for (unsigned i = 0; i < rule->nr_regs; i++)
		w->regs.value[rule->regs[i].reg] = values[i];
	return FOUND;
}

/*
 * Put the caller's registers in the place of this frame's. One that cannot be read is not known from here on;
 * only the return address must be.
 */
static enum outcome apply(struct walk *w, const struct cfi_rule *rule)
{
	struct unwind_regs *regs = &w->regs;
	uint64_t cfa, lost[CFI_MAX_REGS / 64];

	if (rule->root)
		return ROOT;
	enum outcome outcome = find_cfa(w, rule, &cfa);
	if (outcome != FOUND)
		return outcome;
	memcpy(lost, rule->undefined, sizeof(lost));
	outcome = rule->simple ? apply_simple(w, rule, cfa, lost) : apply_general(w, rule, cfa, lost);
	if (outcome != FOUND)
		return outcome;
	for (unsigned i = 0; i < CFI_MAX_REGS / 64; i++)
		regs->valid[i] = (regs->valid[i] | rule->saved[i]) & ~lost[i];
	if (!is_valid(regs, rule->return_reg))
		return UNREADABLE;
	regs->ip = clean(w->space->arch, regs->value[rule->return_reg]);
	return FOUND;
}

static bool is_code(const struct map *map)
{
	return map && (!map->prot || map->prot & PROTECTION_EXEC);
}

static bool find_map(struct walk *w, uint64_t address)
{
	if (address >= w->map.start && address < w->map.end)
		return true;
	const struct map *map = maps_find(w->space->maps, address);
	if (!is_code(map))
		return false;
	if (map->dso != w->map.dso)
		w->cfi = w->space->cfi_of(w->space->ctx, map->dso);
	w->map = *map;
	return true;
}

/*
 * A return address belongs to the call before it, which may be its function's last instruction. But a signal
 * handler "returns" to the first instruction of a function that nothing called; and the system call that ends
 * it is that function's last instruction, so that in the kernel the address is behind the function.
 */
static const struct cfi_rule *find_rule(const struct walk *w, const struct unwind_frame *frame)
{
	const struct cfi_rule *rule;
	uint64_t offset = frame->ip - w->map.start + w->map.pgoff;

	if (!w->cfi)
		return NULL;
	rule = cfi_find_offset(w->cfi, offset - !frame->exact);
	if (rule)
		return rule;
	rule = cfi_find_offset(w->cfi, offset - frame->exact);
	return rule && rule->signal_frame ? rule : NULL;
}

/* The chain of frame pointers: where there are no rules. */
static enum outcome follow_frame_pointer(struct walk *w, bool first)
{
	const struct arch *arch = w->space->arch;
	struct unwind_regs *regs = &w->regs;
	uint64_t fp, saved, ip;

	if (arch->frame_saved_fp == arch->frame_return || !is_valid(regs, w->fp))
		return UNREADABLE;
	fp = regs->value[w->fp];
	/* ABIs let start-up code set it to 0. In the sampled function, or in made code, it may be any number.
	 */
	if (fp == 0)
		return !first && w->map.dso->kind == DSO_FILE && w->cfi ? ROOT : UNREADABLE;
	if (fp % w->word || (is_valid(regs, w->sp) && fp < regs->value[w->sp]))
		return UNREADABLE;
	enum outcome outcome = read_memory(w, fp + (uint64_t)(int64_t)arch->frame_return, w->word, &ip);
	if (outcome == FOUND)
		outcome = read_memory(w, fp + (uint64_t)(int64_t)arch->frame_saved_fp, w->word, &saved);
	if (outcome != FOUND)
		return outcome;
	ip = clean(arch, ip);
	if (ip && (!is_code(maps_find(w->space->maps, ip)) || (saved && saved <= fp)))
		return UNREADABLE;
	int above = arch->frame_return > arch->frame_saved_fp ? arch->frame_return : arch->frame_saved_fp;
	memset(regs->valid, 0, sizeof(regs->valid));
	set_reg(regs, w->fp, saved);
	if (followed(w->sp))
		set_reg(regs, w->sp, (fp + (uint64_t)(int64_t)above + w->word) & w->mask);
	regs->ip = ip;
	return FOUND;
}

/* The rule of the call that a return address is behind. @map and @cfi are of the last address. */
static const struct cfi_rule *rule_of_call(const struct walk *w, uint64_t ip)
{
	const struct map *map = maps_find(w->space->maps, ip - 1);

	if (!is_code(map))
		return NULL;
	struct cfi *cfi = map->dso == w->map.dso ? w->cfi : w->space->cfi_of(w->space->ctx, map->dso);
	return cfi ? cfi_find_offset(cfi, ip - 1 - map->start + map->pgoff) : NULL;
}

/* The return address that a function keeps in the link register until it saves it; 0: none. */
static uint64_t link_register(const struct walk *w)
{
	if (!w->space->arch->has_link_register || !is_valid(&w->regs, w->lr))
		return 0;
	uint64_t ip = clean(w->space->arch, w->regs.value[w->lr]);

	return ip != w->regs.ip && is_code(maps_find(w->space->maps, ip)) ? ip : 0;
}

static enum outcome return_by_link_register(struct walk *w, uint64_t ip)
{
	forget_reg(&w->regs, w->lr);
	w->regs.ip = ip;
	return FOUND;
}

/*
 * The sampled function has no rules. When its link register points into a function that has some, it has not
 * been used for another call yet: so it is in PLT entries, in the linker's veneers and in assembler code that
 * calls nothing. What the frame pointer shows then is that function's own frame if it says the same, else its
 * caller's.
 */
static enum outcome follow_first(struct walk *w)
{
	struct unwind_regs before = w->regs;
	uint64_t link = link_register(w);
	enum outcome outcome = follow_frame_pointer(w, true);

	if (!link || (outcome == FOUND && (w->regs.ip == link || !rule_of_call(w, link))))
		return outcome;
	w->regs = before;
	return return_by_link_register(w, link);
}

static bool follow_without_rule(struct walk *w, bool first, struct unwind_stack *ret)
{
	enum outcome outcome = first ? follow_first(w) : follow_frame_pointer(w, false);

	if (outcome == FOUND)
		return true;
	if (outcome == ROOT)
		ret->end = UNWIND_ROOT;
	else if (outcome == OUTSIDE)
		ret->end = UNWIND_CUT;
	else
		ret->end = w->cfi ? UNWIND_NO_RULES : UNWIND_NO_FILE;
	if (outcome == UNREADABLE)
		ret->blame = w->map.dso;
	return false;
}

static bool follow_rule(struct walk *w, const struct cfi_rule *rule, struct unwind_stack *ret)
{
	switch (apply(w, rule)) {
	case FOUND:
		return true;
	case ROOT:
		ret->end = UNWIND_ROOT;
		return false;
	case OUTSIDE:
		ret->end = UNWIND_CUT;
		return false;
	default:
		ret->end = UNWIND_BROKEN;
		return false;
	}
}

/*
 * A caller's frame is above its callee's. A function that the sample hit, or a signal, may not have a frame
 * of its own yet; and a signal handler may have a stack of its own, above or below.
 */
static bool goes_up(const struct walk *w, uint64_t sp_before, uint64_t ip_before, bool exact, bool signal)
{
	if (!is_valid(&w->regs, w->sp))
		return true;
	uint64_t sp = w->regs.value[w->sp];
	bool same = sp == sp_before && w->regs.ip == ip_before;

	return signal ? !same : sp > sp_before || (sp == sp_before && exact && !same);
}

/* One frame further; false when the walk is over, with the reason in @ret. */
static bool step(struct walk *w, struct unwind_stack *ret, bool *ret_exact)
{
	size_t nr = ret->frames.count;
	struct unwind_frame frame = ret->frames.at[nr - 1];
	uint64_t sp = is_valid(&w->regs, w->sp) ? w->regs.value[w->sp] : 0;
	const struct cfi_rule *rule = find_rule(w, &frame);
	bool signal = rule && rule->signal_frame;

	/* The code that a signal handler returns to was not called from the byte before it. */
	if (signal)
		ret->frames.at[nr - 1].exact = true;
	if (rule ? !follow_rule(w, rule, ret) : !follow_without_rule(w, nr == 1, ret))
		return false;
	*ret_exact = signal;
	if (w->regs.ip == 0) {
		ret->end = UNWIND_ROOT;
		return false;
	}
	if (!goes_up(w, sp, frame.ip, frame.exact, signal)) {
		ret->end = UNWIND_BROKEN;
		return false;
	}
	return true;
}

static void start_walk(struct walk *w, const struct unwind_space *space, const struct unwind_regs *regs)
{
	const struct arch *arch = space->arch;

	w->space = space;
	w->regs = *regs;
	w->mask = address_mask(arch);
	w->word = arch->word_size == 4 ? 4 : 8;
	w->sp = dwarf_number(arch, arch->reg_sp);
	w->fp = dwarf_number(arch, arch->reg_fp);
	w->lr = dwarf_number(arch, arch->reg_lr);
	w->ip = dwarf_number(arch, arch->reg_ip);
	w->stack_start = is_valid(regs, w->sp) ? regs->value[w->sp] : 0;
	w->stack_size = is_valid(regs, w->sp) ? space->stack_size : 0;
	memset(&w->map, 0, sizeof(w->map));
	w->cfi = NULL;
}

void unwind(const struct unwind_space *space, const struct unwind_regs *regs, struct unwind_stack *ret)
{
	struct walk w;
	bool exact = true;
	size_t limit = space->max_frames && space->max_frames < FRAMES_MAX ? space->max_frames : FRAMES_MAX;

	start_walk(&w, space, regs);
	vec_clear(&ret->frames);
	ret->blame = NULL;
	for (;;) {
		/* The byte before a return address is what was mapped and called. */
		bool mapped = find_map(&w, w.regs.ip - !exact);
		if (!mapped && ret->frames.count)
			break;
		if (ret->frames.count == limit) {
			ret->end = UNWIND_LIMIT;
			return;
		}
		vec_push(&ret->frames, ((struct unwind_frame){ w.regs.ip, exact }));
		if (!mapped)
			break;
		if (followed(w.ip))
			set_reg(&w.regs, w.ip, w.regs.ip);
		if (!step(&w, ret, &exact))
			return;
	}
	ret->end = UNWIND_BROKEN;
}
