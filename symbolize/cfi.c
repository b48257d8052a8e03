#include "symbolize/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "symbolize/arm_code.h"
#include "symbolize/exidx.h"
#include "symbolize/image.h"
#include "symbolize/insn_set.h"
#include "symbolize/jit_frames.h"
#include "symbolize/section_file.h"
#include "util/arena.h"
#include "util/strtab.h"
#include "util/xalloc.h"

/* Longer ones are not found in real code: the longest that gcc and glibc write have about 20. */
#define MAX_OPS 128

/* Bytes of code that show what instruction set it is of. */
#define LOOKED_AT 32

/* No processor's call is longer. */
#define MAX_CALL 8

#define FIRST_SLOTS 256
#define MAX_SLOTS 32768

/* Where one set of call frame information is. */
struct source {
	bool tried;
	struct image *image; /* of .debug_frame and nothing else, else NULL */
	Dwarf *dwarf;	     /* of that image */
	Dwarf_CFI *cfi;
	uint64_t bias; /* its addresses are the binary's plus this: prelink moves the binary only */
};

enum { EH_FRAME, DEBUG_FRAME, DEBUG_FILE_FRAME, NR_SOURCES };

struct range {
	uint64_t start, end;
	const struct cfi_rule *rule; /* NULL: there is none here */
};

/* The answers of last time, by file offset. */
struct slot {
	uint64_t key; /* offset + 1; 0: free, and the answer for the one offset whose key that is */
	const struct cfi_rule *rule;
};

struct cfi {
	struct image *binary, *debug;	     /* NULL of JIT code */
	struct jit_frames *jit;		     /* NULL of a binary */
	const struct jitdump_code *jit_code; /* that sources[EH_FRAME] is of; NULL */
	struct image *jit_image;	     /* its file */
	struct source sources[NR_SOURCES];
	bool exidx_tried;
	struct exidx exidx;
	const struct arch *arch;
	struct insn_sets *insn_sets; /* of ARM code, when that is first asked for */
	uint8_t regs[CFI_MAX_REGS];  /* DWARF numbers of those that are followed */
	unsigned nr_regs;
	int sp, return_reg;
	void *ranges; /* of tsearch(); its nodes are in the arena */
	struct arena arena;
	struct strtab rules, expressions; /* equal ones once */
	struct slot *slots;
	size_t nr_slots; /* a power of two */
	size_t misses;
};

static void follow(struct cfi *cfi, int dwarf)
{
	if (dwarf < 0 || dwarf >= CFI_MAX_REGS || memchr(cfi->regs, dwarf, cfi->nr_regs))
		return;
	cfi->regs[cfi->nr_regs++] = (uint8_t)dwarf;
}

static void new_slots(struct cfi *cfi, size_t count)
{
	free(cfi->slots);
	cfi->slots = xcalloc(count, sizeof(*cfi->slots));
	cfi->nr_slots = count;
	cfi->misses = 0;
}

static struct cfi *new_cfi(const struct arch *arch)
{
	struct cfi *cfi = xcalloc(1, sizeof(*cfi));

	cfi->arch = arch;
	cfi->sp = arch->reg_sp >= 0 ? arch->regs[arch->reg_sp].dwarf : ARCH_NO_REG;
	for (unsigned i = 0; i < arch->nr_regs; i++)
		follow(cfi, arch->regs[i].dwarf);
	cfi->return_reg = arch->dwarf_return;
	follow(cfi, cfi->return_reg);
	new_slots(cfi, FIRST_SLOTS);
	return cfi;
}

struct cfi *cfi_new(struct image *binary, struct image *debug, const struct arch *arch)
{
	struct cfi *cfi = new_cfi(arch);

	cfi->binary = binary;
	cfi->debug = debug;
	return cfi;
}

struct cfi *cfi_new_jit(const struct jitdump_layer *layer)
{
	struct jit_frames *jit = jit_frames_new(layer);

	if (!jit)
		return NULL;
	struct cfi *cfi = new_cfi(arch_by_elf(layer->dump->machine, 0));
	cfi->jit = jit;
	return cfi;
}

static void keep_node(void *node)
{
	(void)node;
}

static void close_eh_frame(struct cfi *cfi)
{
	if (cfi->sources[EH_FRAME].cfi)
		dwarf_cfi_end(cfi->sources[EH_FRAME].cfi);
	image_free(cfi->jit_image);
}

void cfi_free(struct cfi *cfi)
{
	if (!cfi)
		return;
	close_eh_frame(cfi);
	jit_frames_free(cfi->jit);
	for (size_t i = 0; i < NR_SOURCES; i++) {
		dwarf_end(cfi->sources[i].dwarf); /* with its CFI */
		image_free(cfi->sources[i].image);
	}
	insn_sets_free(cfi->insn_sets);
	tdestroy(cfi->ranges, keep_node);
	arena_free(&cfi->arena);
	strtab_free(&cfi->rules);
	strtab_free(&cfi->expressions);
	free(cfi->slots);
	free(cfi);
}

const struct cfi_op *cfi_expression(const struct cfi *cfi, int32_t number, size_t *ret_nr)
{
	const struct strtab_entry *entry = &cfi->expressions.entries.at[number];

	*ret_nr = entry->length / sizeof(struct cfi_op);
	return (const struct cfi_op *)(const void *)entry->text;
}

/* libdw would unpack all of a file's debug sections, and knows fewer ways to pack them than we do. */
static void open_debug_frame(struct source *source, const struct image *image)
{
	size_t size = 0;
	const void *data = image ? image_debug_data(image, ".debug_frame", &size) : NULL;

	if (!data)
		return;
	source->image = section_file_image(&(struct section_file){ .path = image->path,
								   .machine = image->machine,
								   .big_endian = image->big_endian,
								   .word_size = image->word_size,
								   .name = ".debug_frame",
								   .data = data,
								   .size = size });
	source->dwarf = source->image ? dwarf_begin_elf(source->image->elf, DWARF_C_READ, NULL) : NULL;
	if (source->dwarf)
		source->cfi = dwarf_getcfi(source->dwarf);
}

static struct source *open_source(struct cfi *cfi, int number)
{
	struct source *source = &cfi->sources[number];

	if (source->tried)
		return source;
	source->tried = true;
	if (number == EH_FRAME)
		source->cfi = dwarf_getcfi_elf(cfi->binary->elf);
	else
		open_debug_frame(source, number == DEBUG_FRAME ? cfi->binary : cfi->debug);
	if (number == DEBUG_FILE_FRAME && source->cfi && cfi->debug->segments.count &&
	    cfi->binary->segments.count)
		source->bias = cfi->debug->segments.at[0].vaddr - cfi->binary->segments.at[0].vaddr;
	return source;
}

/* The number of an expression; -1: too long. */
static int32_t keep_expression(struct cfi *cfi, const Dwarf_Op *ops, size_t nr)
{
	struct cfi_op copy[MAX_OPS];

	if (nr == 0 || nr > MAX_OPS)
		return -1;
	memset(copy, 0, nr * sizeof(*copy));
	for (size_t i = 0; i < nr; i++)
		copy[i] = (struct cfi_op){ ops[i].number, ops[i].number2, (uint32_t)ops[i].offset,
					   ops[i].atom };
	return (int32_t)strtab_number(&cfi->expressions, (const char *)copy, nr * sizeof(*copy));
}

static bool fits(uint64_t offset)
{
	return (int64_t)offset == (int32_t)offset;
}

static bool draft_cfa(struct cfi *cfi, Dwarf_Frame *frame, struct cfi_rule *rule)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(frame, &ops, &nr) != 0 || nr == 0)
		return false;
	if (nr == 1 && ops[0].atom == DW_OP_bregx && ops[0].number < CFI_MAX_REGS && fits(ops[0].number2)) {
		rule->cfa_kind = CFI_REGISTER;
		rule->cfa_reg = (uint8_t)ops[0].number;
		rule->cfa_offset = (int32_t)ops[0].number2;
		return true;
	}
	rule->cfa_kind = CFI_EXPRESSION;
	rule->cfa_offset = keep_expression(cfi, ops, nr);
	return rule->cfa_offset >= 0;
}

/* "CFA + N" is what most registers come to. */
static bool is_cfa_plus(const Dwarf_Op *ops, size_t nr, uint64_t *ret)
{
	*ret = 0;
	if (nr == 0 || nr > 2 || ops[0].atom != DW_OP_call_frame_cfa)
		return false;
	if (nr == 1)
		return true;
	*ret = ops[1].number;
	return ops[1].atom == DW_OP_plus_uconst && fits(*ret);
}

static bool draft_location(struct cfi *cfi, const Dwarf_Op *ops, size_t nr, struct cfi_reg *ret)
{
	bool value = ops[nr - 1].atom == DW_OP_stack_value;
	uint64_t offset;

	nr -= value;
	if (is_cfa_plus(ops, nr, &offset)) {
		ret->kind = value ? CFI_CFA_PLUS : CFI_AT_CFA;
		ret->offset = (int32_t)offset;
		return true;
	}
	if (nr == 1 && !value && ops[0].atom == DW_OP_regx) {
		ret->kind = CFI_REGISTER;
		ret->offset = (int32_t)ops[0].number;
		return ops[0].number < CFI_MAX_REGS;
	}
	ret->kind = value ? CFI_EXPRESSION : CFI_AT_EXPRESSION;
	ret->offset = keep_expression(cfi, ops, nr);
	return ret->offset >= 0;
}

static void draft_undefined(const struct cfi *cfi, uint8_t reg, struct cfi_rule *rule)
{
	/* "The CFA is usually the value of the stack pointer at the call site" (DWARF 5, section 6.4). */
	if (reg == cfi->sp)
		rule->regs[rule->nr_regs++] = (struct cfi_reg){ reg, CFI_CFA_PLUS, 0, 0 };
	else if (reg == rule->return_reg && reg != cfi->return_reg)
		return; /* s390x's mcount() returns to r0, of which the ABI's own rules say that calls spoil
			   it */
	else
		rule->undefined[reg / 64] |= UINT64_C(1) << (reg % 64);
	if (reg == rule->return_reg)
		rule->root = true;
}

static void draft_register(struct cfi *cfi, Dwarf_Frame *frame, uint8_t reg, struct cfi_rule *rule)
{
	struct cfi_reg found = { .reg = reg };
	Dwarf_Op memory[3], *ops;
	size_t nr;

	if (dwarf_frame_register(frame, reg, memory, &ops, &nr) != 0)
		draft_undefined(cfi, reg, rule);
	else if (nr > 0 && draft_location(cfi, ops, nr, &found))
		rule->regs[rule->nr_regs++] = found;
	else if (nr > 0 || ops == memory)
		draft_undefined(cfi, reg, rule);
}

static bool draft_frame(struct cfi *cfi, Dwarf_Frame *frame, struct range *range, union cfi_draft *draft)
{
	struct cfi_rule *rule = &draft->rule;
	int return_reg = dwarf_frame_info(frame, &range->start, &range->end, &rule->signal_frame);

	if (return_reg < 0 || return_reg >= CFI_MAX_REGS || !draft_cfa(cfi, frame, rule))
		return false;
	rule->return_reg = (uint8_t)return_reg;
	for (unsigned i = 0; i < cfi->nr_regs; i++)
		draft_register(cfi, frame, cfi->regs[i], rule);
	if (!memchr(cfi->regs, return_reg, cfi->nr_regs))
		draft_register(cfi, frame, (uint8_t)return_reg, rule);
	return true;
}

static bool find_in(struct cfi *cfi, int number, uint64_t vaddr, struct range *range, union cfi_draft *draft)
{
	const struct source *source = open_source(cfi, number);
	Dwarf_Frame *frame = NULL;

	if (!source->cfi || dwarf_cfi_addrframe(source->cfi, vaddr + source->bias, &frame) != 0)
		return false;
	memset(draft, 0, sizeof(*draft));
	bool found = draft_frame(cfi, frame, range, draft);
	free(frame);
	/* libdw 0.188 takes the start back to that of an older row when a row begins with
	 * DW_CFA_restore_state. */
	range->start = vaddr;
	range->end -= source->bias;
	return found;
}

/* Each function has its own rules; they are no others' whatever they say. */
static bool find_jit(struct cfi *cfi, uint64_t address, struct range *range, union cfi_draft *draft)
{
	const struct jitdump_code *code = jit_frames_find(cfi->jit, address);

	if (!code)
		return false;
	if (code != cfi->jit_code) {
		close_eh_frame(cfi);
		cfi->jit_code = code;
		cfi->jit_image = jit_frames_image(cfi->jit, code);
		cfi->sources[EH_FRAME].tried = true;
		cfi->sources[EH_FRAME].cfi = cfi->jit_image ? dwarf_getcfi_elf(cfi->jit_image->elf) : NULL;
	}
	if (!find_in(cfi, EH_FRAME, address, range, draft))
		return false;
	range->end = range->end < code->end ? range->end : code->end;
	return true;
}

static bool find_exidx(struct cfi *cfi, uint64_t vaddr, struct range *range, union cfi_draft *draft)
{
	if (!cfi->exidx_tried)
		exidx_init(&cfi->exidx, cfi->binary);
	cfi->exidx_tried = true;
	return cfi->exidx.table && exidx_find(&cfi->exidx, vaddr, draft, &range->start, &range->end);
}

/*
 * Where a stripped binary does not tell the instruction set, bytes mostly mean nothing in the wrong one. If
 * they mean two things, then only what looks like ARM code counts.
 */
static bool find_in_either_set(const struct cfi *cfi, const struct arm_code *code, uint32_t at,
			       bool after_call, union cfi_draft *draft)
{
	union cfi_draft other;
	size_t left = code->size - (at - code->start);
	bool thumb = arm_code_find(code, at, true, after_call, &other);
	bool arm = arm_code_find(code, at, false, after_call, draft);

	if (!arm && thumb)
		*draft = other;
	if (!arm || !thumb || memcmp(draft, &other, sizeof(other)) == 0)
		return arm || thumb;
	if (code->big_endian_code)
		return false;
	return cfi->arch->looks_like_main(code->bytes + (at - code->start),
					  left < LOOKED_AT ? left : LOOKED_AT);
}

static bool find_from_entry(const struct cfi *cfi, const struct arm_code *code, uint32_t at, bool thumb,
			    bool after_call, union cfi_draft *draft)
{
	uint64_t entry, end;

	return insn_sets_function(cfi->insn_sets, at - after_call, &entry, &end) && end <= UINT32_MAX &&
	       arm_code_find_from(code, (uint32_t)entry, (uint32_t)end, at, thumb, after_call, draft);
}

/* An odd address is that before a return address, so of a call. */
static bool find_from_code(struct cfi *cfi, uint64_t vaddr, union cfi_draft *draft)
{
	bool after_call = vaddr & 1, sure;
	struct arm_code code;

	vaddr += after_call;
	if (!arm_code_of(cfi->binary, vaddr, &code))
		return false;
	if (!cfi->insn_sets)
		cfi->insn_sets = insn_sets_new(cfi->arch, cfi->binary, cfi->debug);
	bool thumb = insn_sets_alternate(cfi->insn_sets, vaddr, &sure);
	if (!sure && vaddr % 4 == 0)
		return find_in_either_set(cfi, &code, (uint32_t)vaddr, after_call, draft);
	return arm_code_find(&code, (uint32_t)vaddr, thumb || !sure, after_call, draft) ||
	       (sure && find_from_entry(cfi, &code, (uint32_t)vaddr, thumb, after_call, draft));
}

/*
 * .ARM.exidx describes a function's body only, so for where a sample hit the code itself knows better. For
 * calls the table does, because some never return.
 */
static bool find_arm(struct cfi *cfi, uint64_t vaddr, struct range *range, union cfi_draft *draft)
{
	if (cfi->binary->machine != EM_ARM || !cfi->arch->mapping_insn_set)
		return false;
	bool found = vaddr & 1 ? find_exidx(cfi, vaddr, range, draft) || find_from_code(cfi, vaddr, draft)
			       : find_from_code(cfi, vaddr, draft) || find_exidx(cfi, vaddr, range, draft);
	range->start = vaddr; /* what was asked for; for other addresses another one may know better */
	range->end = vaddr + 1;
	return found;
}

bool cfi_is_call_before(const struct cfi *cfi, uint64_t offset, bool alternate)
{
	struct arm_code code;
	uint64_t vaddr;

	return cfi->binary && cfi->binary->machine == EM_ARM && image_vaddr_of(cfi->binary, offset, &vaddr) &&
	       arm_code_of(cfi->binary, vaddr, &code) &&
	       arm_code_is_call_before(&code, (uint32_t)vaddr, alternate);
}

/* The bytes that a call before @offset could have; NULL: they are not known. */
static const uint8_t *bytes_before(const struct cfi *cfi, uint64_t offset, size_t *ret_size)
{
	size_t got;

	*ret_size = offset < MAX_CALL ? (size_t)offset : MAX_CALL;
	if (!cfi->binary || !cfi->arch->may_end_in_call)
		return NULL;
	const uint8_t *bytes = image_bytes(cfi->binary, offset - *ret_size, *ret_size, &got);
	return got == *ret_size ? bytes : NULL;
}

bool cfi_may_be_call_before(const struct cfi *cfi, uint64_t offset)
{
	size_t size;
	const uint8_t *bytes = bytes_before(cfi, offset, &size);

	return !bytes || cfi->arch->may_end_in_call(bytes, size);
}

bool cfi_looks_like_call_before(const struct cfi *cfi, uint64_t offset)
{
	size_t size;
	const uint8_t *bytes = bytes_before(cfi, offset, &size);

	return bytes && cfi->arch->may_end_in_call(bytes, size);
}

/* What can be told of a rule beforehand, so that it is not told for each frame. */
static void finish_rule(struct cfi_rule *rule)
{
	rule->simple = rule->cfa_kind == CFI_REGISTER;
	for (unsigned i = 0; i < rule->nr_regs; i++) {
		const struct cfi_reg *reg = &rule->regs[i];
		rule->saved[reg->reg / 64] |= UINT64_C(1) << (reg->reg % 64);
		rule->simple &= reg->kind == CFI_AT_CFA || reg->kind == CFI_CFA_PLUS;
	}
}

static const struct cfi_rule *keep_rule(struct cfi *cfi, struct cfi_rule *rule)
{
	finish_rule(rule);
	size_t size = sizeof(*rule) + rule->nr_regs * sizeof(*rule->regs);
	uint32_t number = strtab_number(&cfi->rules, (const char *)rule, size);

	return (const struct cfi_rule *)(const void *)strtab_text(&cfi->rules, number);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->end <= y->start)
		return -1;
	return x->start >= y->end;
}

/*
 * A range may begin in the middle of its row, so that a look-up below it finds the same row: its own end and
 * rule. Then it grows. Other overlaps come of tables that contradict each other, and are not kept.
 */
static void keep_range(struct cfi *cfi, struct range *range)
{
	struct range **kept = tsearch(range, &cfi->ranges, compare_ranges);

	if (!kept)
		xalloc_die();
	if ((*kept)->end == range->end && (*kept)->rule == range->rule && range->start < (*kept)->start)
		(*kept)->start = range->start;
}

static bool find_in_binary(struct cfi *cfi, uint64_t vaddr, struct range *range, union cfi_draft *draft)
{
	bool found = false;

	for (int i = 0; i < NR_SOURCES && !found; i++)
		found = find_in(cfi, i, vaddr, range, draft);
	return found || find_arm(cfi, vaddr, range, draft);
}

static const struct cfi_rule *find_new(struct cfi *cfi, uint64_t vaddr)
{
	struct range *range = arena_alloc(&cfi->arena, sizeof(*range));
	union cfi_draft draft;
	bool found =
		cfi->jit ? find_jit(cfi, vaddr, range, &draft) : find_in_binary(cfi, vaddr, range, &draft);

	range->rule = found ? keep_rule(cfi, &draft.rule) : NULL;
	if (!found || range->start > vaddr || range->end <= vaddr) {
		range->start = vaddr;
		range->end = vaddr + 1;
	}
	keep_range(cfi, range);
	return range->rule;
}

const struct cfi_rule *cfi_find(struct cfi *cfi, uint64_t vaddr)
{
	const struct range key = { .start = vaddr, .end = vaddr + 1 };

	if (vaddr == UINT64_MAX)
		return NULL;
	struct range *const *found = tfind(&key, &cfi->ranges, compare_ranges);
	return found ? (*found)->rule : find_new(cfi, vaddr);
}

static const struct cfi_rule *miss(struct cfi *cfi, uint64_t offset, struct slot *slot)
{
	const struct cfi_rule *rule = NULL;
	uint64_t vaddr;

	if (cfi->jit)
		rule = cfi_find(cfi, offset);
	else if (image_vaddr_of(cfi->binary, offset, &vaddr))
		rule = cfi_find(cfi, vaddr);
	*slot = (struct slot){ offset + 1, rule };
	if (++cfi->misses > 2 * cfi->nr_slots && cfi->nr_slots < MAX_SLOTS)
		new_slots(cfi, 4 * cfi->nr_slots);
	return rule;
}

const struct cfi_rule *cfi_find_offset(struct cfi *cfi, uint64_t offset)
{
	uint64_t hash = offset * UINT64_C(0x9e3779b97f4a7c15);
	struct slot *slot = &cfi->slots[(hash >> 32) & (cfi->nr_slots - 1)];

	return slot->key == offset + 1 ? slot->rule : miss(cfi, offset, slot);
}
