#include "symbolize/cfi.h"

#include "arch/arch.h"
#include "symbolize/exidx.h"
#include "tests/check_run.h"
#include "tests/mkcfi.h"

static struct mkcfi m;
static char folder[64], path[128], other[128];

static void start(int machine, int class, int data)
{
	mkelf_folder(folder);
	snprintf(path, sizeof(path), "%s/a", folder);
	snprintf(other, sizeof(other), "%s/b", folder);
	mkcfi_start(&m, machine, class, data);
}

static struct cfi *make(struct image *image, struct image *debug)
{
	return cfi_new(image, debug, arch_by_elf(image->machine, image->word_size));
}

static const struct cfi_reg *reg_of(const struct cfi_rule *rule, int reg)
{
	for (unsigned i = 0; i < rule->nr_regs; i++)
		if (rule->regs[i].reg == reg)
			return &rule->regs[i];
	return NULL;
}

static void expect_cfa(const struct cfi_rule *rule, int reg, int offset)
{
	ck_assert_ptr_nonnull(rule);
	ck_assert_int_eq(rule->cfa_kind, CFI_REGISTER);
	ck_assert_int_eq(rule->cfa_reg, reg);
	ck_assert_int_eq(rule->cfa_offset, offset);
}

static void expect_reg(const struct cfi_rule *rule, int reg, int kind, int offset)
{
	const struct cfi_reg *found = reg_of(rule, reg);

	ck_assert_msg(found != NULL, "register %d", reg);
	ck_assert_int_eq(found->kind, kind);
	ck_assert_int_eq(found->offset, offset);
}

/* push %rbp; mov %rsp,%rbp; ...; leave; ret; and behind them the cold part, with the frame again */
static void make_x86_64(void)
{
	mkcfi_cie(&m, "", -8, 16, OPS(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
	mkcfi_fde(&m, false, MKCFI_CODE, 0x40,
		  OPS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2,
		      DW_CFA_advance_loc | 3, DW_CFA_def_cfa_register, 6, DW_CFA_advance_loc | 0x1c,
		      DW_CFA_remember_state, DW_CFA_def_cfa, 7, 8, DW_CFA_restore | 6, DW_CFA_advance_loc | 1,
		      DW_CFA_restore_state));
}

static void expect_x86_64(struct cfi *cfi)
{
	expect_cfa(cfi_find(cfi, 0x401030), 6, 16); /* first, so that nothing is known of what is below */
	expect_cfa(cfi_find(cfi, 0x401000), 7, 8);
	expect_cfa(cfi_find(cfi, 0x401001), 7, 16);
	expect_cfa(cfi_find(cfi, 0x401004), 6, 16);
	expect_cfa(cfi_find(cfi, 0x40101f), 6, 16);
	expect_cfa(cfi_find(cfi, 0x401020), 7, 8);
	expect_cfa(cfi_find(cfi, 0x401021), 6, 16);
	expect_cfa(cfi_find(cfi, 0x40103f), 6, 16);
	ck_assert_ptr_null(cfi_find(cfi, 0x401040));
	ck_assert_ptr_null(cfi_find(cfi, 0x400fff));
	ck_assert_ptr_null(cfi_find(cfi, UINT64_MAX));
}

START_TEST(each_row_has_its_own_rule_in_any_order_of_questions)
{
	start(EM_X86_64, ELFCLASS64, ELFDATA2LSB);
	make_x86_64();
	struct image *image = mkcfi_open(&m, path, m.b.size, 0);
	struct cfi *cfi = make(image, NULL);

	expect_x86_64(cfi);
	const struct cfi_rule *rule = cfi_find(cfi, 0x401010);
	ck_assert_int_eq(rule->return_reg, 16);
	ck_assert(!rule->root && !rule->signal_frame);
	expect_reg(rule, 16, CFI_AT_CFA, -8);
	expect_reg(rule, 6, CFI_AT_CFA, -16);
	expect_reg(rule, 7, CFI_CFA_PLUS, 0);
	ck_assert_ptr_null(reg_of(rule, 3));	/* rbx: the ABI's callees keep it */
	ck_assert(rule->undefined[0] >> 2 & 1); /* rcx: they do not */
	/* Equal rules are the same. */
	ck_assert_ptr_eq(rule, cfi_find(cfi, 0x401030));
	cfi_free(cfi);
	image_free(image);
	mkelf_remove(folder);
}
END_TEST

START_TEST(file_offsets_are_addresses_of_the_segment)
{
	start(EM_X86_64, ELFCLASS64, ELFDATA2LSB);
	make_x86_64();
	struct image *image = mkcfi_open(&m, path, m.b.size, 0);
	struct cfi *cfi = make(image, NULL);

	for (int again = 0; again < 3; again++)
		for (uint64_t at = 0; at < 0x1000; at++)
			ck_assert_ptr_eq(cfi_find_offset(cfi, MKCFI_OFFSET + at),
					 cfi_find(cfi, MKCFI_CODE + at));
	ck_assert_ptr_nonnull(cfi_find_offset(cfi, 0x1010));
	ck_assert_ptr_null(cfi_find_offset(cfi, 0x2fff));
	ck_assert_ptr_null(cfi_find_offset(cfi, UINT64_MAX));
	cfi_free(cfi);
	image_free(image);
	mkelf_remove(folder);
}
END_TEST

START_TEST(a_debug_file_at_other_addresses_has_the_rules_too)
{
	start(EM_X86_64, ELFCLASS64, ELFDATA2LSB);
	struct image *image = mkcfi_open(&m, path, 0, 0x10000); /* prelinked to 0x411000 */
	make_x86_64();
	struct image *debug = mkcfi_open(&m, other, m.b.size, 0);
	struct cfi *cfi = make(image, debug);

	expect_cfa(cfi_find(cfi, 0x411000), 7, 8);
	expect_cfa(cfi_find(cfi, 0x411010), 6, 16);
	ck_assert_ptr_null(cfi_find(cfi, 0x401010));
	cfi_free(cfi);
	image_free(debug);
	image_free(image);
	mkelf_remove(folder);
}
END_TEST

/* Each way in which distributions pack debug sections; libdw 0.188 does not know zstd. */
START_TEST(packed_rules_are_read)
{
	static const char *const kinds[] = { "zlib", "zlib-gnu", "zstd" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *why = "";
		start(EM_X86_64, ELFCLASS64, ELFDATA2LSB);
		make_x86_64();
		for (unsigned at = 0x100; at < 0x900; at += 4) /* enough to become smaller when packed */
			mkcfi_fde(&m, false, MKCFI_CODE + at, 4, OPS(DW_CFA_nop));
		image_free(mkcfi_open(&m, path, m.b.size, 0));
		if (mkelf_run("objcopy --compress-debug-sections=%s %s 2>%s/err", kinds[i], path, folder)) {
			struct image *image = image_open(path, &why);
			struct cfi *cfi = make(image, NULL);
			expect_x86_64(cfi);
			cfi_free(cfi);
			image_free(image);
		} else {
			printf("skipped: objcopy --compress-debug-sections=%s\n", kinds[i]);
		}
		mkelf_remove(folder);
	}
}
END_TEST

START_TEST(both_byte_orders_and_classes_are_read)
{
	static const struct {
		int machine, class, data, sp, lr, callee_saved;
	} cases[] = {
		{ EM_S390, ELFCLASS64, ELFDATA2MSB, 15, 14, 11 },
		{ EM_ARM, ELFCLASS32, ELFDATA2MSB, 13, 14, 4 },
		{ EM_ARM, ELFCLASS32, ELFDATA2LSB, 13, 14, 4 },
		{ EM_AARCH64, ELFCLASS64, ELFDATA2LSB, 31, 30, 19 },
		{ EM_RISCV, ELFCLASS64, ELFDATA2LSB, 2, 1, 8 },
		{ EM_PPC64, ELFCLASS64, ELFDATA2LSB, 1, 65, 14 },
		{ EM_PPC64, ELFCLASS64, ELFDATA2MSB, 1, 65, 14 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t sp = (uint8_t)cases[i].sp, lr = (uint8_t)cases[i].lr,
			saved = (uint8_t)cases[i].callee_saved;
		start(cases[i].machine, cases[i].class, cases[i].data);
		mkcfi_cie(&m, "", -4, lr, OPS(DW_CFA_def_cfa, sp, 0));
		mkcfi_fde(&m, false, MKCFI_CODE, 0x40,
			  OPS(DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 32, DW_CFA_offset_extended, lr,
			      2, DW_CFA_offset | saved, 4));
		struct image *image = mkcfi_open(&m, path, m.b.size, 0);
		struct cfi *cfi = make(image, NULL);
		const struct cfi_rule *leaf = cfi_find(cfi, 0x401000), *rule = cfi_find(cfi, 0x401020);
		expect_cfa(leaf, sp, 0);
		ck_assert_msg(!leaf->root, "machine %d",
			      cases[i].machine); /* it is still in the link register */
		ck_assert_ptr_null(reg_of(leaf, lr));
		ck_assert_ptr_null(reg_of(leaf, saved));
		expect_cfa(rule, sp, 32);
		ck_assert_int_eq(rule->return_reg, lr);
		expect_reg(rule, lr, CFI_AT_CFA, -8);
		expect_reg(rule, saved, CFI_AT_CFA, -16);
		cfi_free(cfi);
		image_free(image);
		mkelf_remove(folder);
	}
}
END_TEST

START_TEST(an_undefined_return_address_is_the_root)
{
	start(EM_AARCH64, ELFCLASS64, ELFDATA2LSB);
	mkcfi_cie(&m, "", -8, 30, OPS(DW_CFA_def_cfa, 31, 0));
	mkcfi_fde(&m, false, MKCFI_CODE, 0x40, OPS(DW_CFA_undefined, 30));
	struct image *image = mkcfi_open(&m, path, m.b.size, 0);
	struct cfi *cfi = make(image, NULL);

	ck_assert(cfi_find(cfi, 0x401008)->root);
	cfi_free(cfi);
	image_free(image);
	mkelf_remove(folder);
}
END_TEST

START_TEST(expressions_registers_and_signal_frames_are_kept)
{
	size_t nr;

	start(EM_X86_64, ELFCLASS64, ELFDATA2LSB);
	mkcfi_cie(&m, "zS", -8, 16, OPS(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
	mkcfi_fde(&m, true, MKCFI_CODE, 0x40,
		  OPS(DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 0xa0, 0x01, DW_OP_deref, /* *(rsp + 160) */
		      DW_CFA_register, 3, 12, DW_CFA_val_offset, 12, 2, DW_CFA_expression, 6, 2, DW_OP_breg7,
		      120, DW_CFA_val_expression, 13, 2, DW_OP_breg7, 8));
	struct image *image = mkcfi_open(&m, path, m.b.size, 0);
	struct cfi *cfi = make(image, NULL);
	const struct cfi_rule *rule = cfi_find(cfi, 0x401000);

	ck_assert_ptr_nonnull(rule);
	ck_assert(rule->signal_frame);
	ck_assert_int_eq(rule->cfa_kind, CFI_EXPRESSION);
	const struct cfi_op *ops = cfi_expression(cfi, rule->cfa_offset, &nr);
	ck_assert_uint_eq(nr, 2);
	ck_assert_uint_eq(ops[0].atom, DW_OP_breg7);
	ck_assert_uint_eq(ops[0].number, 160);
	ck_assert_uint_eq(ops[1].atom, DW_OP_deref);
	ck_assert_uint_eq(ops[1].offset, 3);
	expect_reg(rule, 3, CFI_REGISTER, 12);
	expect_reg(rule, 12, CFI_CFA_PLUS, -16);
	ck_assert_int_eq(reg_of(rule, 6)->kind, CFI_AT_EXPRESSION);
	ck_assert_int_eq(reg_of(rule, 13)->kind, CFI_EXPRESSION);
	ops = cfi_expression(cfi, reg_of(rule, 13)->offset, &nr);
	ck_assert_uint_eq(nr, 2); /* the CFA, which every such expression starts with, and rsp + 8 */
	ck_assert_uint_eq(ops[0].atom, DW_OP_call_frame_cfa);
	ck_assert_uint_eq(ops[1].number, 8);
	cfi_free(cfi);
	image_free(image);
	mkelf_remove(folder);
}
END_TEST

START_TEST(every_truncation_ends_without_harm)
{
	start(EM_X86_64, ELFCLASS64, ELFDATA2LSB);
	make_x86_64();
	for (size_t size = 1; size < m.b.size; size++) {
		struct image *image = mkcfi_open(&m, path, size, 0);
		struct cfi *cfi = make(image, NULL);
		for (uint64_t at = MKCFI_CODE; at < MKCFI_CODE + 0x40; at++)
			cfi_find(cfi, at);
		cfi_free(cfi);
		image_free(image);
	}
	mkelf_remove(folder);
}
END_TEST

START_TEST(a_real_program_has_rules_for_nearly_all_of_its_code)
{
	const char *why;
	GElf_Shdr text;
	struct image *image = image_open("/proc/self/exe", &why);

	ck_assert_ptr_nonnull(image);
	ck_assert_ptr_nonnull(image_section(image, ".text", &text));
	struct cfi *cfi = make(image, NULL);
	size_t found = 0;
	for (uint64_t at = 0; at < text.sh_size; at++)
		found += cfi_find(cfi, text.sh_addr + at) != NULL;
	ck_assert_uint_gt(found, text.sh_size / 10 * 8);
	cfi_free(cfi);
	image_free(image);
}
END_TEST

/* EHABI32 table 4, an instruction a line. */
START_TEST(arm_unwinding_instructions_become_offsets)
{
	static const struct {
		uint8_t bytes[8];
		size_t size;
		int base, cfa, return_reg;
		int reg, offset; /* one of the registers; -1: only sp */
	} cases[] = {
		{ { 0xb0 }, 1, 13, 0, 14, -1, 0 },			    /* finish */
		{ { 0x00 }, 1, 13, 4, 14, -1, 0 },			    /* vsp += 4 */
		{ { 0x3f }, 1, 13, 256, 14, -1, 0 },			    /* vsp += 256 */
		{ { 0x3f, 0x40 }, 2, 13, 252, 14, -1, 0 },		    /* vsp -= 4 */
		{ { 0x84, 0x00 }, 2, 13, 4, 14, 14, -4 },		    /* pop {r14} */
		{ { 0x88, 0x00 }, 2, 13, 4, 15, 15, -4 },		    /* pop {r15} */
		{ { 0x97 }, 1, 7, 0, 14, -1, 0 },			    /* vsp = r7 */
		{ { 0x9b, 0x41, 0x80, 0x08, 0xb0 }, 5, 11, -4, 14, 7, -4 }, /* vsp = r11 - 8; pop {r7} */
		{ { 0xa3 }, 1, 13, 16, 14, 7, -4 },			    /* pop {r4-r7} */
		{ { 0xab }, 1, 13, 20, 14, 4, -20 },			    /* pop {r4-r7,r14} */
		{ { 0xab }, 1, 13, 20, 14, 14, -4 },
		{ { 0xb1, 0x0f }, 2, 13, 16, 14, 0, -16 },	  /* pop {r0-r3} */
		{ { 0xb2, 0x04 }, 2, 13, 0x204 + 16, 14, -1, 0 }, /* vsp += 0x204 + (4 << 2) */
		{ { 0xb2, 0x80, 0x01 }, 3, 13, 0x204 + 512, 14, -1, 0 },
		{ { 0xb3, 0x81 }, 2, 13, 20, 14, -1, 0 }, /* FSTMX d8-d9 */
		{ { 0xb4 }, 1, 13, 4, 14, -1, 0 },	  /* pop the authentication code */
		{ { 0xb9 }, 1, 13, 20, 14, -1, 0 },	  /* FSTMX d8-d9 */
		{ { 0xc8, 0x01 }, 2, 13, 16, 14, -1, 0 }, /* d16-d17 */
		{ { 0xc9, 0x83 }, 2, 13, 32, 14, -1, 0 }, /* d8-d11 */
		{ { 0xd1 }, 1, 13, 16, 14, -1, 0 },	  /* d8-d9 */
		{ { 0xd1, 0xab, 0xb0, 0xff }, 4, 13, 36, 14, 4, -20 },
	};
	union cfi_draft draft;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(exidx_decode(cases[i].bytes, cases[i].size, &draft), "case %zu", i);
		expect_cfa(&draft.rule, cases[i].base, cases[i].cfa);
		ck_assert_int_eq(draft.rule.return_reg, cases[i].return_reg);
		expect_reg(&draft.rule, 13, CFI_CFA_PLUS, 0);
		if (cases[i].reg >= 0)
			expect_reg(&draft.rule, cases[i].reg, CFI_AT_CFA, cases[i].offset);
	}
}
END_TEST

START_TEST(arm_instructions_that_say_no_give_no_rule)
{
	static const uint8_t cases[][3] = {
		{ 0x80, 0x00 },			/* refuse to unwind */
		{ 0x9d },			/* reserved */
		{ 0x9f },	{ 0xb1, 0x00 }, /* spare */
		{ 0xb1, 0x10 }, { 0xca },	{ 0xd8 },
		{ 0xf0 },	{ 0xa0, 0x97 }, /* r4 popped by sp, the rest by r7 */
	};
	union cfi_draft draft;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(!exidx_decode(cases[i], 2, &draft), "case %zu", i);
	/* cut in an instruction */
	ck_assert(!exidx_decode((const uint8_t[]){ 0x84 }, 1, &draft));
	ck_assert(!exidx_decode((const uint8_t[]){ 0xb2, 0x80 }, 2, &draft));
	ck_assert(!exidx_decode((const uint8_t[]){ 0xb2, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f }, 7, &draft));
}
END_TEST

static void put_prel31(struct bytes *b, uint64_t section, uint64_t target)
{
	put_u32(b, (uint32_t)(target - (section + b->size)) & 0x7fffffff);
}

START_TEST(the_index_table_leads_to_each_kind_of_entry)
{
	static struct bytes b;

	for (int data = ELFDATA2LSB; data <= ELFDATA2MSB; data++) {
		const uint64_t section = MKCFI_CODE + MKCFI_SIZE, table = section + 5 * 8;
		start(EM_ARM, ELFCLASS32, data);
		bytes_start(&b, data == ELFDATA2MSB);
		put_prel31(&b, section, 0x401000);
		put_u32(&b, 0x80a8b0b0);	   /* in place: pop {r4,r14} */
		put_prel31(&b, section, 0x401101); /* with the Thumb bit */
		put_prel31(&b, section, table);
		put_prel31(&b, section, 0x401200);
		put_u32(&b, 1); /* cannot be unwound */
		put_prel31(&b, section, 0x401300);
		put_prel31(&b, section, table + 8);
		put_prel31(&b, section, 0x401400);
		put_u32(&b, 0x81a8b0b0);	   /* only personality 0 can be in place */
		put_u32(&b, 0x8101a98d);	   /* personality 1 and a word more: pop {r4,r5,r14}, */
		put_u32(&b, 0x0002b0b0);	   /* 8d 00: pop {r12,r14,r15}; vsp += 12 */
		put_prel31(&b, section, 0x401800); /* a language's routine, */
		put_u32(&b, 0x00a8b0b0);	   /* no word more: pop {r4,r14} */
		m.exidx = b.at;
		m.exidx_size = b.size;
		struct image *image = mkcfi_open(&m, path, 0, 0);
		struct cfi *cfi = make(image, NULL);

		ck_assert_ptr_null(cfi_find(cfi, 0x400fff));
		expect_cfa(cfi_find(cfi, 0x401000), 13, 8);
		ck_assert_ptr_eq(cfi_find(cfi, 0x4010ff), cfi_find(cfi, 0x401000));
		const struct cfi_rule *long_rule = cfi_find(cfi, 0x401100);
		expect_cfa(long_rule, 13, 12 + 12 + 12);
		ck_assert_int_eq(long_rule->return_reg, 15);
		expect_reg(long_rule, 15, CFI_AT_CFA, -16);
		ck_assert_ptr_null(cfi_find(cfi, 0x401234));
		expect_cfa(cfi_find(cfi, 0x401300), 13, 8);
		ck_assert_ptr_null(cfi_find(cfi, 0x401400));
		cfi_free(cfi);
		image_free(image);
		mkelf_remove(folder);
	}
}
END_TEST

CHECK_SUITE("cfi", each_row_has_its_own_rule_in_any_order_of_questions,
	    file_offsets_are_addresses_of_the_segment, a_debug_file_at_other_addresses_has_the_rules_too,
	    packed_rules_are_read, both_byte_orders_and_classes_are_read,
	    an_undefined_return_address_is_the_root,
	    expressions_registers_and_signal_frames_are_kept, every_truncation_ends_without_harm,
	    a_real_program_has_rules_for_nearly_all_of_its_code, arm_unwinding_instructions_become_offsets,
	    arm_instructions_that_say_no_give_no_rule, the_index_table_leads_to_each_kind_of_entry)
