#include "symbolize/arm_code.h"

#include <stdlib.h>
#include <string.h>

#include "symbolize/arm_insn.h"
#include "symbolize/image.h"
#include "util/cursor.h"
#include "util/xalloc.h"

/* python's interpreter loop, which has some thousand branches, needs about that much. */
#define MAX_INSNS 4096
#define SEEN_SLOTS (4 * MAX_INSNS)
#define MAX_PENDING 512
#define MAX_STORED 24
/* So many returns that say the same are enough. */
#define ENOUGH 4

/* Entries of a jump table. */
#define MAX_TABLE 1024

#define FIRST_SAVED 4 /* r4 to r11 are a callee's to preserve */
#define LAST_SAVED 11
#define FP_THUMB 7
#define FP_ARM 11
#define MAX_FRAME (1 << 24)

enum value_kind { LOST, REG_PLUS, AT_REG_PLUS };

/* In terms of the registers at the start. */
struct value {
	uint8_t kind; /* enum value_kind */
	uint8_t base;
	int32_t offset;
};

/* The registers at one instruction, and what was stored since the start. */
struct state {
	uint32_t at;
	struct value regs[16];
	size_t nr_stored;
	struct {
		struct value address, value;
	} stored[MAX_STORED];
};

/* Where a search for a function's ways has been: the registers there. */
struct visit {
	int32_t sp;
	bool has_sp, has_lr; /* sp is that from the start on; lr is still that of the start */
};

struct search {
	const struct arm_code *code;
	struct arm_mode mode;
	bool after_call;
	uint32_t entry, end;	     /* of the function, when its ways count and not its returns; else 0 */
	const struct search *wanted; /* one that has begun elsewhere: where they meet counts */
	size_t nr_insns, nr_seen;
	size_t agreeing;
	bool contradiction;
	uint32_t seen[SEEN_SLOTS];	   /* address + 1 */
	struct visit visits[SEEN_SLOTS];
	size_t first, count;		   /* of the pending */
	struct state pending[MAX_PENDING]; /* a ring */
	bool has_jump, jumps_differ; /* computed ones within the function; in where the stack pointer is */
	struct state jump;
	size_t nr_behind_calls;
	struct state behind_calls[MAX_PENDING]; /* to be followed when the pending lead to no return */
	union cfi_draft found;
};

static bool same(const struct value *a, const struct value *b)
{
	return a->kind == b->kind && a->base == b->base && a->offset == b->offset;
}

static struct value plus(struct value value, int32_t offset)
{
	int32_t sum;

	if (value.kind != REG_PLUS || __builtin_add_overflow(value.offset, offset, &sum) || sum > MAX_FRAME ||
	    sum < -MAX_FRAME)
		return (struct value){ .kind = LOST };
	return (struct value){ REG_PLUS, value.base, sum };
}

static struct value load(const struct state *s, struct value address)
{
	if (address.kind != REG_PLUS)
		return (struct value){ .kind = LOST };
	for (size_t i = s->nr_stored; i-- > 0;)
		if (same(&s->stored[i].address, &address))
			return s->stored[i].value;
	return (struct value){ AT_REG_PLUS, address.base, address.offset };
}

/* False: there is no room to remember it. */
static bool store(struct state *s, struct value address, struct value value)
{
	size_t i = 0;

	if (address.kind != REG_PLUS)
		return true;
	while (i < s->nr_stored && !same(&s->stored[i].address, &address))
		i++;
	if (i == MAX_STORED)
		return false;
	s->stored[i].address = address;
	s->stored[i].value = value;
	s->nr_stored += i == s->nr_stored;
	return true;
}

/* A return with those registers, to @to, as a rule. False: it says nothing. */
static bool make_rule(const struct search *search, const struct state *s, struct value to,
		      union cfi_draft *ret)
{
	struct value sp = s->regs[ARM_SP];
	struct cfi_rule *rule = &ret->rule;

	memset(ret, 0, sizeof(*ret));
	if (sp.kind != REG_PLUS || (sp.base != ARM_SP && sp.base != FP_THUMB && sp.base != FP_ARM) ||
	    (sp.base == ARM_SP && sp.offset < 0))
		return false;
	rule->cfa_kind = CFI_REGISTER;
	rule->cfa_reg = sp.base;
	rule->cfa_offset = sp.offset;
	rule->return_reg = ARM_LR;
	rule->from_code = true;
	for (uint8_t reg = FIRST_SAVED; reg <= LAST_SAVED; reg++) {
		struct value value = s->regs[reg];
		if (value.kind == AT_REG_PLUS && value.base == sp.base)
			rule->regs[rule->nr_regs++] =
				(struct cfi_reg){ reg, CFI_AT_CFA, 0, value.offset - sp.offset };
		else if (value.kind != REG_PLUS || value.base != reg || value.offset)
			return false;
	}
	rule->regs[rule->nr_regs++] = (struct cfi_reg){ ARM_SP, CFI_CFA_PLUS, 0, 0 };
	if (to.kind == AT_REG_PLUS && to.base == sp.base && to.offset < sp.offset)
		rule->regs[rule->nr_regs++] =
			(struct cfi_reg){ ARM_LR, CFI_AT_CFA, 0, to.offset - sp.offset };
	else if (to.kind != REG_PLUS || to.base != ARM_LR || to.offset || search->after_call)
		return false;
	return true;
}

static void returns(struct search *search, const struct state *s, struct value to)
{
	union cfi_draft rule;

	if (search->end || !make_rule(search, s, to, &rule))
		return;
	if (search->agreeing && memcmp(&rule, &search->found, sizeof(rule)) != 0)
		search->contradiction = true;
	search->found = rule;
	search->agreeing++;
}

/* Of an address that was seen, or the free one for it. */
static size_t slot_of(const struct search *search, uint32_t at)
{
	size_t slot = (at >> 1) * 0x9e3779b1u % SEEN_SLOTS;

	while (search->seen[slot] && search->seen[slot] != at + 1)
		slot = (slot + 1) % SEEN_SLOTS;
	return slot;
}

/* Is this the first way to get to that instruction? */
static bool is_new(struct search *search, uint32_t at)
{
	size_t slot = slot_of(search, at);

	if (search->seen[slot] || search->nr_seen == SEEN_SLOTS / 2)
		return false;
	search->seen[slot] = at + 1;
	search->nr_seen++;
	return true;
}

static void later(struct search *search, const struct state *s, uint32_t at)
{
	if (search->count == MAX_PENDING || !is_new(search, at))
		return;
	struct state *to = &search->pending[(search->first + search->count++) % MAX_PENDING];
	*to = *s;
	to->at = at;
}

/* Of what is behind a call nobody knows whether the call comes back. */
static void behind_call(struct search *search, const struct state *s, uint32_t at)
{
	if (search->nr_behind_calls == MAX_PENDING)
		return;
	struct state *to = &search->behind_calls[search->nr_behind_calls++];
	*to = *s;
	to->at = at;
	to->regs[ARM_LR].kind = LOST;
}

/*
 * The link register's own value comes back with the stack pointer (POP, LDM, LDR with writeback); a load
 * without is a local variable in a register that is free once it is saved.
 */
static bool do_load(struct search *search, struct state *s, const struct arm_insn *insn)
{
	struct value address = plus(s->regs[insn->base], insn->offset);
	struct value base = plus(s->regs[insn->base], insn->writeback);

	for (unsigned reg = 0; reg < 16; reg++) {
		if (!(insn->list >> reg & 1))
			continue;
		s->regs[reg] = load(s, address);
		if (reg == ARM_LR && !insn->writeback)
			s->regs[reg].kind = LOST;
		address = plus(address, 4);
	}
	if (!(insn->list >> insn->base & 1))
		s->regs[insn->base] = base;
	if (!(insn->list >> ARM_PC & 1))
		return true;
	returns(search, s, s->regs[ARM_PC]);
	return false;
}

/* Either the function returns here, or this was none of a return's loads. */
static bool maybe_load(struct search *search, const struct state *s, const struct arm_insn *insn)
{
	struct state loaded = *s;

	return !do_load(search, &loaded, insn) || !insn->writeback;
}

/* What saves the link register when that has been used for a call is another function's beginning. */
static bool is_prologue(const struct state *s, const struct arm_insn *insn)
{
	return insn->list >> ARM_LR & 1 && insn->writeback && s->regs[ARM_LR].kind == LOST;
}

static bool do_store(struct state *s, const struct arm_insn *insn)
{
	if (is_prologue(s, insn))
		return false;
	struct value address = plus(s->regs[insn->base], insn->offset);

	for (unsigned reg = 0; reg < 16; reg++) {
		if (!(insn->list >> reg & 1))
			continue;
		bool saved = (reg >= FIRST_SAVED && reg <= LAST_SAVED) || reg == ARM_LR;
		struct value value = saved ? s->regs[reg] : (struct value){ .kind = LOST };
		if (!store(s, address, value) && insn->writeback)
			return false;
		address = plus(address, 4);
	}
	s->regs[insn->base] = plus(s->regs[insn->base], insn->writeback);
	return !insn->conditional || !insn->writeback;
}

static void lose(struct state *s, uint16_t regs)
{
	if (regs >> ARM_SP & 1)
		s->regs[ARM_SP].kind = LOST;
	if (regs >> ARM_LR & 1)
		s->regs[ARM_LR].kind = LOST;
}

static bool decode(const struct search *search, uint32_t at, struct arm_insn *ret)
{
	const struct arm_code *code = search->code;
	uint32_t offset = at - code->start;

	return offset < code->size &&
	       arm_insn_decode(code->bytes + offset, code->size - offset, at, search->mode, ret);
}

/* One entry of a jump table. False: it has no such one. */
static bool table_entry(const struct search *search, const struct arm_insn *insn, uint32_t number,
			uint32_t *ret)
{
	static const uint8_t sizes[] = { 1, 2, 4, 4 };
	const struct arm_code *code = search->code;
	uint32_t at = insn->target + number * sizes[insn->table], offset = at - code->start;
	bool big = code->big_endian_data;
	struct arm_insn jump;

	if (offset >= code->size || code->size - offset < sizes[insn->table])
		return false;
	const uint8_t *bytes = code->bytes + offset;
	switch (insn->table) {
	case ARM_TABLE_BYTES:
		*ret = insn->target + 2u * *bytes;
		return true;
	case ARM_TABLE_HALVES:
		*ret = insn->target + 2u * load_u16(bytes, big);
		return true;
	case ARM_TABLE_WORDS:
		*ret = load_u32(bytes, big);
		return *ret % 4 == 0;
	default:
		*ret = at;
		return decode(search, at, &jump) && jump.kind == ARM_JUMP && !jump.conditional;
	}
}

static void follow_table(struct search *search, const struct state *s, const struct arm_insn *insn)
{
	const struct arm_code *code = search->code;
	uint32_t size = arm_insn_table_size(insn, code->bytes, s->at - code->start, search->mode), target;

	for (uint32_t number = 0; number < size && number < MAX_TABLE; number++) {
		if (!table_entry(search, insn, number, &target))
			return;
		later(search, s, target);
	}
}

/* A jump to a register's value with the frame still there goes to another place in the function. */
static void note_jump(struct search *search, const struct state *s)
{
	if (search->has_jump && !same(&search->jump.regs[ARM_SP], &s->regs[ARM_SP]))
		search->jumps_differ = true;
	search->has_jump = true;
	search->jump = *s;
}

/* False: the way ends here. A conditional instruction is another way, which may not go on from here. */
static bool follow(struct search *search, struct state *s, const struct arm_insn *insn)
{
	switch (insn->kind) {
	case ARM_CALL:
		behind_call(search, s, s->at + insn->length);
		return insn->conditional;
	case ARM_JUMP:
		later(search, s, insn->target);
		return insn->conditional;
	case ARM_PLT:
	case ARM_RETURN:
		returns(search, s, s->regs[ARM_LR]);
		return insn->conditional;
	case ARM_TAIL:
		if (s->regs[ARM_LR].kind == AT_REG_PLUS)
			returns(search, s, s->regs[ARM_LR]);
		else
			note_jump(search, s);
		return insn->conditional;
	case ARM_TABLE:
		follow_table(search, s, insn);
		return insn->conditional;
	case ARM_SET:
		s->regs[insn->reg] = plus(s->regs[insn->base], insn->offset);
		return !insn->conditional || insn->reg != ARM_SP;
	case ARM_LOAD:
		return insn->conditional ? maybe_load(search, s, insn) : do_load(search, s, insn);
	case ARM_STORE:
		return do_store(s, insn);
	case ARM_END:
		return insn->conditional;
	default:
		lose(s, insn->lost);
		return true;
	}
}

/* Where on the stack a register's first value was saved, as an offset from the CFA; 0: nowhere above @sp. */
static int32_t saved_at(const struct state *s, uint8_t reg, int32_t sp)
{
	const struct value first = { REG_PLUS, reg, 0 };

	for (size_t i = 0; i < s->nr_stored; i++) {
		struct value address = s->stored[i].address;
		if (same(&s->stored[i].value, &first) && address.base == ARM_SP && address.offset < 0 &&
		    address.offset >= sp)
			return address.offset;
	}
	return 0;
}

/* A function's way from its beginning meets one from where the rule is wanted. */
static bool make_rule_here(const struct state *s, const struct visit *visit, union cfi_draft *ret)
{
	struct value sp = s->regs[ARM_SP], lr = s->regs[ARM_LR];
	struct cfi_rule *rule = &ret->rule;
	int32_t offset;

	memset(ret, 0, sizeof(*ret));
	if (!visit->has_sp || sp.kind != REG_PLUS || sp.base != ARM_SP || sp.offset - visit->sp > 0)
		return false;
	rule->cfa_kind = CFI_REGISTER;
	rule->cfa_reg = ARM_SP;
	rule->cfa_offset = visit->sp - sp.offset;
	rule->return_reg = ARM_LR;
	rule->from_code = true;
	for (uint8_t reg = FIRST_SAVED; reg <= LAST_SAVED; reg++)
		if ((offset = saved_at(s, reg, -rule->cfa_offset)) != 0)
			rule->regs[rule->nr_regs++] = (struct cfi_reg){ reg, CFI_AT_CFA, 0, offset };
	rule->regs[rule->nr_regs++] = (struct cfi_reg){ ARM_SP, CFI_CFA_PLUS, 0, 0 };
	if ((offset = saved_at(s, ARM_LR, -rule->cfa_offset)) != 0)
		rule->regs[rule->nr_regs++] = (struct cfi_reg){ ARM_LR, CFI_AT_CFA, 0, offset };
	else if (!visit->has_lr || lr.kind != REG_PLUS || lr.base != ARM_LR || lr.offset)
		return false;
	return true;
}

static struct visit visit_of(const struct state *s)
{
	struct value sp = s->regs[ARM_SP], lr = s->regs[ARM_LR];

	return (struct visit){ .sp = sp.offset,
			       .has_sp = sp.kind == REG_PLUS && sp.base == ARM_SP,
			       .has_lr = lr.kind == REG_PLUS && lr.base == ARM_LR && !lr.offset };
}

/*
 * Interpreters jump from everywhere to everywhere by a table, so that no way leads to most of their code. But
 * wherever they jump from, their frame is the same.
 */
static bool meet_by_jumps(const struct search *search, union cfi_draft *ret)
{
	const struct search *wanted = search->wanted;

	if (!search->has_jump || search->jumps_differ || !wanted->has_jump || wanted->jumps_differ)
		return false;
	struct visit visit = visit_of(&wanted->jump);
	visit.has_lr = false;
	return make_rule_here(&search->jump, &visit, ret);
}

/* False: the way is not to be followed any further. */
static bool visit(struct search *search, const struct state *s)
{
	const struct search *wanted = search->wanted;

	if (!search->end)
		return true;
	if (s->at < search->entry || s->at >= search->end)
		return false;
	if (!wanted) {
		search->visits[slot_of(search, s->at)] = visit_of(s);
		return true;
	}
	size_t slot = slot_of(wanted, s->at);
	if (wanted->seen[slot] && make_rule_here(s, &wanted->visits[slot], &search->found))
		search->agreeing = ENOUGH;
	return !search->agreeing;
}

static void follow_way(struct search *search, struct state *s)
{
	struct arm_insn insn;
	unsigned conditional = 0;

	while (search->nr_insns++ < MAX_INSNS && !search->contradiction && visit(search, s) &&
	       decode(search, s->at, &insn)) {
		if (conditional) {
			conditional--;
			insn.conditional = true;
		}
		if (insn.it)
			conditional = insn.it;
		if (!follow(search, s, &insn))
			return;
		s->at += insn.length;
		if (!is_new(search, s->at))
			return;
	}
}

bool arm_code_of(const struct image *image, uint64_t vaddr, struct arm_code *ret)
{
	GElf_Ehdr header;

	ret->big_endian_data = image->big_endian;
	ret->big_endian_code =
		image->big_endian && gelf_getehdr(image->elf, &header) && !(header.e_flags & EF_ARM_BE8);
	for (size_t i = 0; i < image->segments.count; i++) {
		const struct image_segment *segment = &image->segments.at[i];
		if (!(segment->flags & PF_X) || vaddr < segment->vaddr ||
		    vaddr - segment->vaddr >= segment->filesz)
			continue;
		ret->start = (uint32_t)segment->vaddr;
		ret->bytes = image_bytes(image, segment->offset, segment->filesz, &ret->size);
		return ret->bytes != NULL;
	}
	return false;
}

static void start(struct search *search, struct state *s, uint32_t at)
{
	memset(s, 0, sizeof(*s));
	for (uint8_t reg = 0; reg < 16; reg++)
		s->regs[reg] = (struct value){ REG_PLUS, reg, 0 };
	if (search->after_call)
		s->regs[ARM_LR].kind = LOST;
	s->at = at;
}

static void follow_pending(struct search *search)
{
	while (search->count && search->agreeing < ENOUGH && !search->contradiction) {
		struct state s = search->pending[search->first];
		search->first = (search->first + 1) % MAX_PENDING;
		search->count--;
		follow_way(search, &s);
	}
}

/* False: there were no calls. */
static bool go_behind_calls(struct search *search)
{
	size_t count = search->nr_behind_calls;

	search->nr_behind_calls = 0;
	for (size_t i = 0; i < count; i++)
		later(search, &search->behind_calls[i], search->behind_calls[i].at);
	return search->count;
}

static bool find(struct search *search, uint32_t at)
{
	struct state s;

	start(search, &s, at);
	later(search, &s, s.at);
	do {
		follow_pending(search);
	} while (!search->agreeing && go_behind_calls(search));
	return search->agreeing && !search->contradiction;
}

static struct search *new_search(const struct arm_code *code, bool thumb, bool after_call)
{
	struct search *search = xcalloc(1, sizeof(*search));

	search->code = code;
	search->mode = (struct arm_mode){ thumb, code->big_endian_code };
	search->after_call = after_call;
	return search;
}

bool arm_code_find(const struct arm_code *code, uint32_t at, bool thumb, bool after_call,
		   union cfi_draft *ret)
{
	if (at % (thumb ? 2 : 4))
		return false;
	struct search *search = new_search(code, thumb, after_call);
	bool found = find(search, at);
	if (found)
		*ret = search->found;
	free(search);
	return found;
}

bool arm_code_find_from(const struct arm_code *code, uint32_t entry, uint32_t end, uint32_t at, bool thumb,
			bool after_call, union cfi_draft *ret)
{
	if (at % (thumb ? 2 : 4) || entry % (thumb ? 2 : 4) || at < entry || at >= end)
		return false;
	struct search *onwards = new_search(code, thumb, after_call);
	struct search *search = new_search(code, thumb, false);
	onwards->entry = search->entry = entry;
	onwards->end = search->end = end;
	search->wanted = onwards;
	find(onwards, at);
	bool found = find(search, entry) || meet_by_jumps(search, &search->found);
	if (found)
		*ret = search->found;
	free(onwards);
	free(search);
	return found;
}

bool arm_code_is_call_before(const struct arm_code *code, uint32_t at, bool thumb)
{
	const struct arm_mode mode = { thumb, code->big_endian_code };
	size_t offset = at - code->start;
	struct arm_insn insn;

	for (uint32_t length = thumb ? 2 : 4; length <= 4 && length <= offset && offset <= code->size;
	     length += 2)
		if (arm_insn_decode(code->bytes + offset - length, length, at - length, mode, &insn) &&
		    insn.length == length && insn.kind == ARM_CALL)
			return true;
	return false;
}
