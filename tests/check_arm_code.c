#include "symbolize/arm_code.h"

#include "symbolize/arm_insn.h"
#include "tests/bytes.h"
#include "tests/check_run.h"
#include "tests/mkcfi.h"

#define AT 0x401000u
#define NONE (-1)

/* Instructions, a comment each; `from` is the offset of the one that is asked about. */
struct code_case {
	const char *what;
	bool thumb, after_call;
	uint16_t halves[24];
	uint32_t from;
	int base, cfa;	     /* base NONE: there is no rule */
	int lr, reg, offset; /* offsets from the CFA; lr 0: in its register. reg NONE: no other is saved */
	uint32_t function;   /* the size of the one that begins with the code; 0: it is not known */
};

/* Little-endian code, as it is until the next call. */
static struct arm_code code_of(const uint16_t *halves, size_t nr)
{
	static struct bytes b;

	bytes_start(&b, false);
	put_u16s(&b, halves, nr);
	return (struct arm_code){ .bytes = b.at, .size = b.size, .start = AT };
}

static const struct cfi_reg *reg_of(const struct cfi_rule *rule, int reg)
{
	for (unsigned i = 0; i < rule->nr_regs; i++)
		if (rule->regs[i].reg == reg)
			return &rule->regs[i];
	return NULL;
}

static void check_case(const struct code_case *c)
{
	struct arm_code code = code_of(c->halves, sizeof(c->halves) / sizeof(c->halves[0]));
	union cfi_draft draft;
	const struct cfi_rule *rule = &draft.rule;

	bool found = c->function ? arm_code_find_from(&code, AT, AT + c->function, AT + c->from, c->thumb,
						      c->after_call, &draft)
				 : arm_code_find(&code, AT + c->from, c->thumb, c->after_call, &draft);
	ck_assert_msg(found == (c->base != NONE), "%s", c->what);
	if (!found)
		return;
	ck_assert_msg(rule->from_code && rule->return_reg == ARM_LR, "%s", c->what);
	ck_assert_msg(rule->cfa_reg == c->base && rule->cfa_offset == c->cfa, "%s: r%d + %d", c->what,
		      rule->cfa_reg, rule->cfa_offset);
	const struct cfi_reg *lr = reg_of(rule, ARM_LR);
	ck_assert_msg((lr ? lr->offset : 0) == c->lr, "%s: lr %d", c->what, lr ? lr->offset : 0);
	const struct cfi_reg *sp = reg_of(rule, ARM_SP);
	ck_assert_msg(sp && sp->kind == CFI_CFA_PLUS && sp->offset == 0, "%s", c->what);
	if (c->reg == NONE)
		ck_assert_msg(rule->nr_regs == 1u + (lr != NULL), "%s", c->what);
	else
		ck_assert_msg(reg_of(rule, c->reg) && reg_of(rule, c->reg)->offset == c->offset, "%s",
			      c->what);
}

/* push {r4, lr}; sub sp, #8; movs r0, #0; bl; movs r0, #0; add sp, #8; pop {r4, pc} */
#define THUMB_FUNCTION                                                                                       \
	{                                                                                                    \
		0xb510, 0xb082, 0x2000, 0xf000, 0xf900, 0x2000, 0xb002, 0xbd10                               \
	}
/* push {r7, lr}; add r7, sp, #0; sub.w sp, r7, #1; bl; mov sp, r7; pop {r7, pc} */
#define THUMB_FRAME                                                                                          \
	{                                                                                                    \
		0xb580, 0xaf00, 0xf1a7, 0x0d01, 0xf000, 0xf900, 0x46bd, 0xbd80                               \
	}

START_TEST(thumb_code_is_followed_to_its_returns)
{
	static const struct code_case cases[] = {
		{ "leaf", true, false, { 0x4770 }, 0, 13, 0, 0, NONE, 0 },
		{ "before the push", true, false, THUMB_FUNCTION, 0, 13, 0, 0, NONE, 0 },
		{ "behind it", true, false, THUMB_FUNCTION, 2, 13, 8, -4, 4, -8 },
		{ "body", true, false, THUMB_FUNCTION, 4, 13, 16, -4, 4, -8 },
		{ "call", true, true, THUMB_FUNCTION, 10, 13, 16, -4, 4, -8 },
		{ "epilogue", true, false, THUMB_FUNCTION, 14, 13, 8, -4, 4, -8 },
		{ "before a frame pointer", true, false, THUMB_FRAME, 0, 13, 0, 0, NONE, 0 },
		{ "frame pointer", true, true, THUMB_FRAME, 12, 7, 8, -4, 7, -8 },
		/* cbz r0, 1f; push {r4, lr}; bl; pop {r4, pc}; 1: bx lr */
		{ "return before the frame",
		  true,
		  false,
		  { 0xb118, 0xb510, 0xf000, 0xf900, 0xbd10, 0x4770 },
		  0,
		  13,
		  0,
		  0,
		  NONE,
		  0 },
		/* it eq; popeq {r4, pc}; movs r0, #0; pop {r4, pc} */
		{ "conditional return",
		  true,
		  false,
		  { 0xbf08, 0xbd10, 0x2000, 0xbd10 },
		  0,
		  13,
		  8,
		  -4,
		  4,
		  -8 },
		/* beq 1f; pop {r4, pc}; 1: pop {r4, r5, pc} */
		{ "contradiction", true, true, { 0xd000, 0xbd10, 0xbd30 }, 0, NONE, 0, 0, 0, 0 },
		/* pop.w {r4, lr}; bx r3 */
		{ "tail call", true, true, { 0xe8bd, 0x4010, 0x4718 }, 0, 13, 8, -4, 4, -8 },
		{ "jump table", true, false, { 0x4718 }, 0, NONE, 0, 0, 0, 0 },
		{ "table of unknown size",
		  true,
		  false,
		  { 0xe8df, 0xf003, 0x0001, 0x4770 },
		  0,
		  NONE,
		  0,
		  0,
		  0,
		  0 },
		/* cmp r3, #1; bhi.n (udf); tbb [pc, r3]; .byte 1, 2; pop {r4, pc}; udf; pop {r4, pc} */
		{ "table of bytes",
		  true,
		  false,
		  { 0x2b01, 0xd803, 0xe8df, 0xf003, 0x0301, 0xbd10, 0xde00, 0xbd10 },
		  0,
		  13,
		  8,
		  -4,
		  4,
		  -8 },
		/* cmp r2, #1; ... */
		{ "table by another number",
		  true,
		  false,
		  { 0x2a01, 0xd803, 0xe8df, 0xf003, 0x0301, 0xbd10, 0xde00, 0xbd10 },
		  0,
		  NONE,
		  0,
		  0,
		  0,
		  0 },
		/* cmp.w r3, #0x100; bhi.w (udf); tbh [pc, r3, lsl #1]; .short 2 (udf), 3; pop {r4, pc} */
		{ "table of halfwords",
		  true,
		  false,
		  { 0xf5b3, 0x7f80, 0xf200, 0x8004, 0xe8df, 0xf013, 2, 3, 0xde00, 0xbd10, 0xde00 },
		  0,
		  13,
		  8,
		  -4,
		  4,
		  -8 },
		/* cmp r3, #1; bhi.n; tbb [pc, r3], whose entries lead out of the code */
		{ "table cut off",
		  true,
		  true,
		  { 0x2b01, 0xd8fe, 0xe8df, 0xf003, 0xffff },
		  0,
		  NONE,
		  0,
		  0,
		  0,
		  0 },
		/* cbz r0, 1f; pop {r4, pc}; 1: bl (abort); pop {r4, r5, pc}, of another function */
		{ "behind a call that may not come back",
		  true,
		  false,
		  { 0xb100, 0xbd10, 0xf7ff, 0xffed, 0xbd30 },
		  0,
		  13,
		  8,
		  -4,
		  4,
		  -8 },
		/* bl (abort); push {r4, lr}; pop {r4, pc} */
		{ "another function's beginning",
		  true,
		  true,
		  { 0xf7ff, 0xffed, 0xb510, 0xbd10 },
		  0,
		  NONE,
		  0,
		  0,
		  0,
		  0 },
		/* bl; bx lr: the next function */
		{ "call without return", true, false, { 0xf000, 0xf900, 0x4770 }, 0, NONE, 0, 0, 0, 0 },
		{ "link register behind a call", true, true, { 0x4770 }, 0, NONE, 0, 0, 0, 0 },
		{ "endless loop", true, false, { 0xe7fe }, 0, NONE, 0, 0, 0, 0 },
		{ "nothing but zeros", true, false, { 0 }, 0, NONE, 0, 0, 0, 0 },
		{ "out of the code", true, false, { 0 }, 0x100, NONE, 0, 0, 0, 0 },
		{ "between instructions", true, false, { 0x4770, 0x4770 }, 1, NONE, 0, 0, 0, 0 },
		/* strd r4, lr, [sp, #-8]!; b.n +0; ldrd r4, r5, [sp]; add sp, #4; ldr pc, [sp], #4 */
		{ "pairs",
		  true,
		  false,
		  { 0xe96d, 0x4e02, 0xe7ff, 0xbf00, 0xe9dd, 0x4500, 0xb001, 0xf85d, 0xfb04 },
		  8,
		  13,
		  8,
		  -4,
		  4,
		  -8 },
		/* add sp, #4; vpop {d8-d9}; pop {r4-r7, pc} */
		{ "vectors", true, true, { 0xb001, 0xecbd, 0x8b04, 0xbdf0 }, 0, 13, 40, -4, 7, -8 },
		/* addw sp, sp, #0x404; add.w sp, sp, #0x10000; pop {pc} */
		{ "large frames",
		  true,
		  true,
		  { 0xf20d, 0x4d04, 0xf50d, 0x3d80, 0xbd00 },
		  0,
		  13,
		  0x10408,
		  -4,
		  NONE,
		  0 },
		/* mov lr, r3; bx lr */
		{ "another link register", true, false, { 0x469e, 0x4770 }, 0, NONE, 0, 0, 0, 0 },
		/* add sp, r3; pop {pc} */
		{ "unknown size", true, true, { 0x449d, 0xbd00 }, 0, NONE, 0, 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_case(&cases[i]);
}
END_TEST

#define WORD(w) (uint16_t)(w), (uint16_t)((w) >> 16)

START_TEST(arm_code_is_followed_to_its_returns)
{
	static const struct code_case cases[] = {
		{ "leaf", false, false, { WORD(0xe12fff1e) }, 0, 13, 0, 0, NONE, 0 },
		{ "old leaf", false, false, { WORD(0xe1a0f00e) }, 0, 13, 0, 0, NONE, 0 },
		/* push {r4, lr}; bl; pop {r4, pc} */
		{ "function",
		  false,
		  false,
		  { WORD(0xe92d4010), WORD(0xebfffffe), WORD(0xe8bd8010) },
		  0,
		  13,
		  0,
		  0,
		  NONE,
		  0 },
		{ "call",
		  false,
		  true,
		  { WORD(0xe92d4010), WORD(0xebfffffe), WORD(0xe8bd8010) },
		  8,
		  13,
		  8,
		  -4,
		  4,
		  -8 },
		/* str lr, [sp, #-4]!; nop; ldr pc, [sp], #4 */
		{ "one register",
		  false,
		  false,
		  { WORD(0xe52de004), WORD(0xe320f000), WORD(0xe49df004) },
		  4,
		  13,
		  4,
		  -4,
		  NONE,
		  0 },
		/* ldrd r4, [sp]; vldmia sp!, {d8}; popne {r4, pc}; pop {r4, pc} */
		{ "conditional return",
		  false,
		  true,
		  { WORD(0xe1cd40d0), WORD(0xecbd8b02), WORD(0x18bd8010), WORD(0xe8bd8010) },
		  0,
		  13,
		  16,
		  -4,
		  4,
		  -8 },
		/* sub sp, fp, #4; pop {fp, pc} */
		{ "frame pointer",
		  false,
		  true,
		  { WORD(0xe24bd004), WORD(0xe8bd8800) },
		  0,
		  11,
		  4,
		  -4,
		  11,
		  -8 },
		/* beq +0; bx lr; pop {pc} */
		{ "contradiction",
		  false,
		  false,
		  { WORD(0x0a000000), WORD(0xe12fff1e), WORD(0xe8bd8000) },
		  0,
		  NONE,
		  0,
		  0,
		  0,
		  0 },
		/* add ip, pc, #0; add ip, ip, #98304; ldr pc, [ip, #236]! */
		{ "PLT entry",
		  false,
		  false,
		  { WORD(0xe28fc600), WORD(0xe28cca18), WORD(0xe5bcf0ec) },
		  0,
		  13,
		  0,
		  0,
		  NONE,
		  0 },
		/* cmp r3, #1; addls pc, pc, r3, lsl #2; b 1f; b 2f; b 2f; 1: udf; 2: pop {r4, pc} */
		{ "table of jumps",
		  false,
		  false,
		  { WORD(0xe3530001), WORD(0x908ff103), WORD(0xea000001), WORD(0xea000001), WORD(0xea000000),
		    WORD(0xe7f000f0), WORD(0xe8bd8010) },
		  0,
		  13,
		  8,
		  -4,
		  4,
		  -8 },
		/* cmp r3, #1; ldrls pc, [pc, r3, lsl #2]; b 1f; .word 1f, 2f; 1: udf; 2: pop {r4, pc} */
		{ "table of addresses",
		  false,
		  false,
		  { WORD(0xe3530001), WORD(0x979ff103), WORD(0xea000001), WORD(AT + 20), WORD(AT + 24),
		    WORD(0xe7f000f0), WORD(0xe8bd8010) },
		  0,
		  13,
		  8,
		  -4,
		  4,
		  -8 },
		/* ldr pc, [pc, r3, lsl #2]; b 1f; ... */
		{ "addresses without a comparison",
		  false,
		  false,
		  { WORD(0xe3530001), WORD(0xe79ff103), WORD(0xea000001), WORD(AT + 20), WORD(AT + 24),
		    WORD(0xe7f000f0), WORD(0xe8bd8010) },
		  0,
		  NONE,
		  0,
		  0,
		  0,
		  0 },
		/* add pc, pc, r3 */
		{ "jump table", false, false, { WORD(0xe08ff003), WORD(0xe12fff1e) }, 0, NONE, 0, 0, 0, 0 },
		{ "undefined", false, false, { WORD(0xe7f000f0), WORD(0xe12fff1e) }, 0, NONE, 0, 0, 0, 0 },
		/* ldrh r3, [sp, #4]; mul lr, r1, r2; pop {pc} */
		{ "others",
		  false,
		  false,
		  { WORD(0xe1dd30b4), WORD(0xe00e0291), WORD(0xe49df004) },
		  0,
		  13,
		  4,
		  -4,
		  NONE,
		  0 },
		{ "between instructions", false, false, { 0, WORD(0xe12fff1e) }, 2, NONE, 0, 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_case(&cases[i]);
}
END_TEST

/* push {r4, lr}; sub sp, #8; ldr r3, [r0]; bx r3; movs r0, #0; ldr r3, [r0]; bx r3 */
#define INTERPRETER                                                                                          \
	{                                                                                                    \
		0xb510, 0xb082, 0x6803, 0x4718, 0x2000, 0x6803, 0x4718                                       \
	}

START_TEST(ways_from_the_beginning_lead_into_a_function)
{
	static const struct code_case cases[] = {
		{ "beginning", true, false, INTERPRETER, 0, 13, 0, 0, NONE, 0, 14 },
		{ "behind the push", true, false, INTERPRETER, 2, 13, 8, -4, 4, -8, 14 },
		{ "reached", true, false, INTERPRETER, 6, 13, 16, -4, 4, -8, 14 },
		{ "reached by a computed jump", true, false, INTERPRETER, 8, 13, 16, -4, 4, -8, 14 },
		{ "behind a call there", true, true, INTERPRETER, 10, 13, 16, -4, 4, -8, 14 },
		{ "another function's", true, false, INTERPRETER, 8, NONE, 0, 0, 0, 0, 8 },
		{ "between instructions", true, false, INTERPRETER, 9, NONE, 0, 0, 0, 0, 14 },
		/* ldr r3, [r0]; bx r3 */
		{ "tail call", true, false, { 0x6803, 0x4718 }, 2, 13, 0, 0, NONE, 0, 4 },
		{ "behind a call", true, true, { 0x6803, 0x4718 }, 2, NONE, 0, 0, 0, 0, 4 },
		/* push {r4, lr}; cbz r0, 1f; sub sp, #8; bx r3; nop; 1: bx r3; movs r0, #0; bx r3 */
		{ "jumps from two frames",
		  true,
		  false,
		  { 0xb510, 0xb110, 0xb082, 0x4718, 0xbf00, 0x4718, 0x2000, 0x4718 },
		  12,
		  NONE,
		  0,
		  0,
		  0,
		  0,
		  16 },
		/* push {r4, lr}; cbz r0, 1f; bx r3; add sp, #4; b 1f; udf; 1: udf */
		{ "ways that meet",
		  true,
		  false,
		  { 0xb510, 0xb118, 0x4718, 0xb001, 0xe000, 0xde00, 0xde00 },
		  8,
		  13,
		  8,
		  -4,
		  4,
		  -8,
		  14 },
		/* push {r4, lr}; add sp, #16; udf */
		{ "above the frame", true, false, { 0xb510, 0xb004, 0xde00 }, 4, NONE, 0, 0, 0, 0, 6 },
		/* push {r4, lr}; bl; mov sp, r3; udf */
		{ "unknown size",
		  true,
		  true,
		  { 0xb510, 0xf000, 0xf900, 0x469d, 0xde00 },
		  8,
		  NONE,
		  0,
		  0,
		  0,
		  0,
		  10 },
		/* push {r4, lr}; bl; udf */
		{ "behind the only call",
		  true,
		  true,
		  { 0xb510, 0xf000, 0xf900, 0xde00 },
		  6,
		  13,
		  8,
		  -4,
		  4,
		  -8,
		  8 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_case(&cases[i]);
}
END_TEST

static void swap(uint8_t *bytes, size_t size, size_t unit)
{
	for (size_t i = 0; i + unit <= size; i += unit) {
		for (size_t j = 0; j < unit / 2; j++) {
			uint8_t byte = bytes[i + j];
			bytes[i + j] = bytes[i + unit - 1 - j];
			bytes[i + unit - 1 - j] = byte;
		}
	}
}

/* tbh as above, and ldrls pc as above: the table is data, the instructions have a byte order of their own. */
START_TEST(big_endian_code_and_data)
{
	static const uint16_t halves[] = { 0xf5b3, 0x7f80, 0xf200, 0x8004, 0xe8df, 0xf013,
					   2,	   3,	   0xde00, 0xbd10, 0xde00 };
	static const uint32_t words[] = { 0xe3530001, 0x979ff103, 0xea000001, AT + 20,
					  AT + 24,    0xe7f000f0, 0xe8bd8010 };
	static const uint8_t call[] = { 0xf0, 0x00, 0xf9, 0x00 }; /* bl */
	static struct bytes b;
	union cfi_draft draft;

	bytes_start(&b, false);
	put_u16s(&b, halves, sizeof(halves) / sizeof(halves[0]));
	struct arm_code code = { .bytes = b.at, .size = b.size, .start = AT, .big_endian_data = true };
	swap(b.at + 12, 4, 2);
	ck_assert(arm_code_find(&code, AT, true, false, &draft));
	ck_assert_int_eq(draft.rule.cfa_offset, 8);
	code.big_endian_code = true;
	ck_assert(!arm_code_find(&code, AT, true, false, &draft));
	swap(b.at, 12, 2);
	swap(b.at + 16, 6, 2);
	ck_assert(arm_code_find(&code, AT, true, false, &draft));
	ck_assert_int_eq(draft.rule.cfa_offset, 8);

	bytes_start(&b, true);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		put_u32(&b, words[i]);
	code.size = b.size;
	ck_assert(arm_code_find(&code, AT, false, false, &draft));
	ck_assert_int_eq(draft.rule.cfa_offset, 8);
	code.big_endian_code = false;
	swap(b.at, 12, 4);
	swap(b.at + 20, 8, 4);
	ck_assert(arm_code_find(&code, AT, false, false, &draft));
	code = (struct arm_code){ .bytes = call, .size = 4, .start = AT, .big_endian_code = true };
	ck_assert(arm_code_is_call_before(&code, AT + 4, true));
	code.big_endian_code = false;
	ck_assert(!arm_code_is_call_before(&code, AT + 4, true));
}
END_TEST

/* e_flags of EF_ARM_BE8 tell which. */
START_TEST(big_endian_files_say_what_their_code_is)
{
	struct mkcfi mk;
	char folder[64], path[128];
	struct arm_code code;
	const char *why;

	mkelf_folder(folder);
	snprintf(path, sizeof(path), "%s/a", folder);
	mkcfi_start(&mk, EM_ARM, ELFCLASS32, ELFDATA2MSB);
	for (int be8 = 0; be8 < 2; be8++) {
		image_free(mkcfi_open(&mk, path, mk.b.size, 0));
		FILE *file = fopen(path, "r+");
		fseek(file, offsetof(Elf32_Ehdr, e_flags) + 1, SEEK_SET);
		fputc(be8 ? EF_ARM_BE8 >> 16 : 0, file);
		fclose(file);
		struct image *image = image_open(path, &why);
		ck_assert(arm_code_of(image, MKCFI_CODE, &code));
		ck_assert(code.big_endian_data);
		ck_assert(code.big_endian_code == !be8);
		image_free(image);
	}
	mkelf_remove(folder);
}
END_TEST

START_TEST(calls_are_seen_behind_them)
{
	static const struct {
		uint16_t halves[2];
		bool thumb, call;
	} cases[] = {
		{ { 0xf000, 0xf900 }, true, true },	/* bl */
		{ { 0xf000, 0xe900 }, true, true },	/* blx */
		{ { 0xbf00, 0x4798 }, true, true },	/* blx r3 */
		{ { 0xbf00, 0x4718 }, true, false },	/* bx r3 */
		{ { 0xf000, 0xb900 }, true, false },	/* b.w */
		{ { WORD(0xeb000000) }, false, true },	/* bl */
		{ { WORD(0x1b000000) }, false, true },	/* blne */
		{ { WORD(0xfa000000) }, false, true },	/* blx */
		{ { WORD(0xe12fff33) }, false, true },	/* blx r3 */
		{ { WORD(0xea000000) }, false, false }, /* b */
		{ { WORD(0xe12fff13) }, false, false }, /* bx r3 */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arm_code code = code_of(cases[i].halves, 2);
		ck_assert_msg(arm_code_is_call_before(&code, AT + 4, cases[i].thumb) == cases[i].call, "%zu",
			      i);
		ck_assert(!arm_code_is_call_before(&code, AT, cases[i].thumb));
		ck_assert(!arm_code_is_call_before(&code, AT + 8, cases[i].thumb));
	}
}
END_TEST

START_TEST(code_that_is_cut_off_has_no_rule)
{
	static const uint16_t halves[] = THUMB_FUNCTION;
	union cfi_draft draft;

	for (size_t size = 0; size < sizeof(halves); size++) {
		struct arm_code code = code_of(halves, sizeof(halves) / sizeof(halves[0]));
		code.size = size;
		ck_assert(!arm_code_find(&code, AT, true, false, &draft));
	}
}
END_TEST

CHECK_SUITE("arm_code", thumb_code_is_followed_to_its_returns, arm_code_is_followed_to_its_returns,
	    ways_from_the_beginning_lead_into_a_function, big_endian_code_and_data,
	    big_endian_files_say_what_their_code_is, calls_are_seen_behind_them,
	    code_that_is_cut_off_has_no_rule)
