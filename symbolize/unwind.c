#include "symbolize/unwind.h"

#include <string.h>

#include "arch/arch.h"
#include "symbolize/dso.h"
#include "symbolize/expression.h"
#include "symbolize/maps.h"
#include "util/cursor.h"

/* However deep the caller wants to see: a chain that long is a loop in disguise. */
#define FRAMES_MAX 65536

/* An address so far above the copy's end may be a frame of the same stack (main threads have 8 MiB). */
#define STACK_REACH (UINT64_C(1) << 28)

#define PROTECTION_EXEC 4

/* So far below the stack pointer are slots of registers that have just been popped. */
#define POPPED_MAX 256

enum outcome {
	FOUND,	    /* the caller's registers are there; 0, as expressions want it */
	ROOT,	    /* there is no caller */
	OUTSIDE,    /* memory above the stack copy */
	NOT_COPIED, /* memory above a copy that ended before it had to */
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
	bool sampled;	 /* regs are those of the sampled function */
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
		[UNWIND_HOLE] = "cut by memory that was not copied",
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
	if (!w->stack_size || (map && map->dso->kind == DSO_FILE))
		return UNREADABLE;
	if (address <= w->stack_start || address - w->stack_start >= STACK_REACH)
		return UNREADABLE;
	return space->stack_short ? NOT_COPIED : OUTSIDE;
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

static int read_for_expression(void *ctx, uint64_t address, unsigned size, uint64_t *ret)
{
	return (int)read_memory(ctx, address, size, ret);
}

static enum outcome evaluate(const struct walk *w, int32_t number, uint64_t cfa, uint64_t *ret)
{
	struct expression expression = {
		.regs = w->regs.value,
		.valid = w->regs.valid,
		.word = w->word,
		.cfa = cfa,
		.ctx = (void *)(uintptr_t)w,
		.read = read_for_expression,
	};

	expression.ops = cfi_expression(w->cfi, number, &expression.nr_ops);
	int failure = expression_evaluate(&expression, ret);
	return failure == EXPRESSION_BROKEN ? UNREADABLE : (enum outcome)failure;
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

/*
 * gcc does not say that a register was popped: its slot still has the value, but is below the stack pointer,
 * so not in the copy. Then the register itself has it. (A slot in the red zone of a function that calls
 * nothing looks the same. What is wrong with that one's value is found out by the next frame.)
 */
static bool is_popped(const struct walk *w, const struct cfi_reg *reg, uint64_t cfa)
{
	uint64_t below = w->stack_start - ((cfa + (uint64_t)(int64_t)reg->offset) & w->mask);

	return w->sampled && reg->kind == CFI_AT_CFA && below - 1 < POPPED_MAX &&
	       is_valid(&w->regs, reg->reg);
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
		if (outcome != FOUND && !is_popped(w, reg, cfa))
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
		if (outcome != FOUND && is_popped(w, reg, cfa))
			values[i] = w->regs.value[reg->reg];
		else if (outcome != FOUND)
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

/* Rules of JIT code go by its addresses. */
static uint64_t first_offset(const struct map *map)
{
	return map->dso->identity ? map->start : map->pgoff;
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
	w->map.pgoff = first_offset(map);
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

/*
 * No call comes before the first byte of a function. Such a return address was put on the stack to be the
 * first one: makecontext() does that.
 */
static bool is_made_root(const struct walk *w, const struct unwind_frame *frame)
{
	uint64_t offset = frame->ip - w->map.start + w->map.pgoff;

	return w->cfi && !frame->exact && cfi_find_offset(w->cfi, offset) &&
	       !cfi_may_be_call_before(w->cfi, offset);
}

/* The rules of where the call is that a return address is behind. */
static struct cfi *rules_of_call(const struct walk *w, uint64_t ip, uint64_t *ret_offset)
{
	const struct map *map = maps_find(w->space->maps, ip - 1);

	if (!is_code(map))
		return NULL;
	*ret_offset = ip - 1 - map->start + first_offset(map);
	return map->dso == w->map.dso ? w->cfi : w->space->cfi_of(w->space->ctx, map->dso);
}

static const struct cfi_rule *rule_of_call(const struct walk *w, uint64_t ip)
{
	uint64_t offset;
	struct cfi *cfi = rules_of_call(w, ip, &offset);

	return cfi ? cfi_find_offset(cfi, offset) : NULL;
}

/* Is the byte before a return address one of a function with rules, or of what looks like a call? */
static bool is_surely_called(const struct walk *w, uint64_t ip)
{
	uint64_t offset;
	struct cfi *cfi = rules_of_call(w, ip, &offset);

	return cfi && (cfi_find_offset(cfi, offset) || cfi_looks_like_call_before(cfi, offset + 1));
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
	if (ip && !is_code(maps_find(w->space->maps, ip)))
		return UNREADABLE;
	/*
	 * Where the caller has rules, its frame pointer may be a register like any other, and where it has
	 * none, it may have changed the stack for its callee, as Go's systemstack() does: then what was saved
	 * is of the other one. On x86 both words are surely a frame: the call and the push put them there.
	 * Frames of arm have several layouts.
	 */
	bool sure = !first && !arch->has_link_register && ip && is_surely_called(w, ip);
	if (ip && saved && saved <= fp && !sure)
		return UNREADABLE;
	int above = arch->frame_return > arch->frame_saved_fp ? arch->frame_return : arch->frame_saved_fp;
	memset(regs->valid, 0, sizeof(regs->valid));
	set_reg(regs, w->fp, saved);
	if (followed(w->sp))
		set_reg(regs, w->sp, (fp + (uint64_t)(int64_t)above + w->word) & w->mask);
	regs->ip = ip;
	return FOUND;
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
	const struct cfi_rule *rule = link ? rule_of_call(w, link) : NULL;
	enum outcome outcome = follow_frame_pointer(w, true);

	/* A rule from code may be one of the sampled function, where it called another. */
	if (!link || (rule && rule->from_code) || (outcome == FOUND && (w->regs.ip == link || !rule)))
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
	if (outcome == UNREADABLE || outcome == NOT_COPIED)
		ret->blame = w->map.dso;
	return false;
}

/*
 * A rule that was found in the code is right when it leads behind a call. Code that no function returns from
 * may have a wrong one, and functions that no code calls, such as handlers of signals, end here.
 */
static bool follow_code(struct walk *w, const struct cfi_rule *rule, bool first, struct unwind_stack *ret)
{
	struct unwind_regs before = w->regs;
	enum outcome outcome = apply(w, rule);
	uint64_t offset;

	if (outcome == FOUND) {
		bool alternate = w->regs.value[rule->return_reg] & 1;
		struct cfi *cfi = rules_of_call(w, w->regs.ip, &offset);
		if (w->regs.ip == 0 || (cfi && cfi_is_call_before(cfi, offset + 1, alternate)))
			return true;
	} else if (outcome == OUTSIDE) {
		ret->end = UNWIND_CUT;
		return false;
	}
	w->regs = before;
	return follow_without_rule(w, first, ret);
}

static bool follow_rule(struct walk *w, const struct cfi_rule *rule, bool first, struct unwind_stack *ret)
{
	if (rule->from_code)
		return follow_code(w, rule, first, ret);
	switch (apply(w, rule)) {
	case FOUND:
		return true;
	case ROOT:
		ret->end = UNWIND_ROOT;
		return false;
	case OUTSIDE:
		ret->end = UNWIND_CUT;
		return false;
	case NOT_COPIED:
		ret->end = UNWIND_HOLE;
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

	/* The code that a signal handler returns to was not called from the byte before it either. */
	if (signal)
		ret->frames.at[nr - 1].exact = true;
	if (!rule && is_made_root(w, &frame)) {
		ret->frames.at[nr - 1].exact = true;
		ret->end = UNWIND_ROOT;
		return false;
	}
	if (rule ? !follow_rule(w, rule, nr == 1, ret) : !follow_without_rule(w, nr == 1, ret))
		return false;
	*ret_exact = signal;
	w->sampled = false;
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
	w->sampled = w->stack_size > 0;
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
