#include "symbolize/jit_frames.h"

#include <elf.h>
#include <unistd.h>

#include "symbolize/cfi.h"
#include "symbolize/image.h"
#include "tests/check_run.h"
#include "tests/mkjitdump.h"

static char path[64];
static struct mkbytes b;
static struct jitdump dump;
static struct jitdump_layer layer;

static void begin(uint32_t machine, bool big_endian)
{
	strcpy(path, "/tmp/check_jit_frames.XXXXXX");
	close(mkstemp(path));
	b = (struct mkbytes){ .big_endian = big_endian };
	mkjit_header(&b, machine, 0);
}

/* All codes of the dump are in the layer. */
static struct cfi *open_cfi(void)
{
	mkjit_write(path, &b, b.bytes.count);
	ck_assert_ptr_null(load_jitdump(path, &dump));
	layer.dump = &dump;
	for (uint32_t i = 0; i < dump.codes.count; i++)
		vec_push(&layer.codes, i);
	return cfi_new_jit(&layer);
}

static void end(struct cfi *cfi)
{
	cfi_free(cfi);
	vec_free(&layer.codes);
	jitdump_free(&dump);
	mkbytes_free(&b);
	unlink(path);
}

static void expect(struct cfi *cfi, uint64_t address, int cfa_reg, int cfa_offset)
{
	const struct cfi_rule *rule = cfi_find_offset(cfi, address);

	ck_assert_msg(rule != NULL, "no rule at %#llx", (unsigned long long)address);
	ck_assert_int_eq(rule->cfa_kind, CFI_REGISTER);
	ck_assert_int_eq(rule->cfa_reg, cfa_reg);
	ck_assert_int_eq(rule->cfa_offset, cfa_offset);
}

START_TEST(each_code_has_its_own_rules)
{
	static const struct mkjit_rule f = { 0, 0x21, 7, 16, 16 }, h = { 0x10, 0x10, 6, 24, 16 };

	begin(EM_X86_64, false);
	mkjit_unwinding(&b, 0x21, &f);
	mkjit_load(&b, 1, 0x7f0000005000, 0x21, 1, "f");
	mkjit_load(&b, 2, 0x7f0000002000, 0x20, 2, "g"); /* without rules */
	mkjit_unwinding(&b, 0x20, &f);
	mkjit_unwinding(&b, 0x20, &h); /* the last one counts */
	mkjit_load(&b, 3, 0x7f0000001000, 0x20, 3, "h");
	mkjit_move(&b, 4, 0x7f0000005000, 0x9000, 0x21, 1);
	struct cfi *cfi = open_cfi();
	for (int i = 0; i < 2; i++) {
		expect(cfi, 0x7f0000005000, 7, 16);
		expect(cfi, 0x7f0000005020, 7, 16);
		ck_assert_ptr_null(cfi_find_offset(cfi, 0x7f0000005021));
		ck_assert_ptr_null(cfi_find_offset(cfi, 0x7f0000004fff));
		ck_assert_ptr_null(cfi_find_offset(cfi, 0x7f0000002010));
		ck_assert_ptr_null(cfi_find_offset(cfi, 0x7f000000100f));
		expect(cfi, 0x7f0000001010, 6, 24);
		expect(cfi, 0x7f000000101f, 6, 24);
		expect(cfi, 0x9010, 7, 16);
		ck_assert_ptr_null(cfi_find_offset(cfi, 0));
		ck_assert_ptr_null(cfi_find_offset(cfi, UINT64_MAX));
	}
	ck_assert(cfi_may_be_call_before(cfi, 0x7f0000005000));
	ck_assert(!cfi_is_call_before(cfi, 0x7f0000005000, false));
	end(cfi);
}
END_TEST

START_TEST(rules_end_with_their_code)
{
	static const struct mkjit_rule wide = { 0, 0x10000, 7, 16, 16 };

	begin(EM_X86_64, false);
	mkjit_unwinding(&b, 0x20, &wide);
	mkjit_load(&b, 1, 0x1000, 0x20, 1, "f");
	mkjit_load(&b, 2, 0x1020, 0x20, 2, "g");
	struct cfi *cfi = open_cfi();
	expect(cfi, 0x101f, 7, 16);
	ck_assert_ptr_null(cfi_find_offset(cfi, 0x1020));
	end(cfi);
}
END_TEST

START_TEST(both_byte_orders_and_classes)
{
	static const struct mkjit_rule aarch64 = { 0, 0x20, 31, 16, 30 }, s390x = { 0, 0x20, 15, 16, 14 },
				       i386 = { 0, 0x20, 4, 16, 8 };

	begin(EM_AARCH64, false);
	mkjit_unwinding(&b, 0x20, &aarch64);
	mkjit_load(&b, 1, 0x1000, 0x20, 1, "f");
	struct cfi *cfi = open_cfi();
	expect(cfi, 0x1000, 31, 16);
	end(cfi);

	begin(EM_S390, true);
	mkjit_unwinding(&b, 0x20, &s390x);
	mkjit_load(&b, 1, 0x1000, 0x20, 1, "f");
	cfi = open_cfi();
	expect(cfi, 0x1000, 15, 16);
	end(cfi);

	begin(EM_386, false);
	mkjit_unwinding(&b, 0x20, &i386);
	mkjit_load(&b, 1, 0x1000, 0x20, 1, "f");
	cfi = open_cfi();
	expect(cfi, 0x1000, 4, 16);
	end(cfi);
}
END_TEST

START_TEST(without_rules_there_is_nothing)
{
	begin(EM_X86_64, false);
	mkjit_load(&b, 1, 0x1000, 0x20, 1, "f");
	ck_assert_ptr_null(open_cfi());
	end(NULL);

	static const struct mkjit_rule rule = { 0, 0x20, 7, 16, 16 };
	begin(0xfedc, false); /* a machine that nobody knows */
	mkjit_unwinding(&b, 0x20, &rule);
	mkjit_load(&b, 1, 0x1000, 0x20, 1, "f");
	struct cfi *cfi = open_cfi();
	ck_assert(!cfi || !cfi_find_offset(cfi, 0x1000));
	end(cfi);
}
END_TEST

START_TEST(any_bytes_do_no_harm)
{
	static const struct mkjit_rule rule = { 0, 0x20, 7, 16, 16 };

	for (size_t at = 0; at < 48; at++) {
		for (unsigned value = 0; value < 256; value += 51) {
			begin(EM_X86_64, false);
			mkjit_unwinding(&b, 0x20, &rule);
			b.bytes.at[40 + 16 + 24 + at] = (uint8_t)value;
			mkjit_load(&b, 1, 0x1000, 0x20, 1, "f");
			struct cfi *cfi = open_cfi();
			cfi_find_offset(cfi, 0x1000);
			cfi_find_offset(cfi, 0x101f);
			ck_assert_ptr_null(cfi_find_offset(cfi, 0x1020));
			end(cfi);
		}
	}
}
END_TEST

CHECK_SUITE("jit_frames", each_code_has_its_own_rules, rules_end_with_their_code,
	    both_byte_orders_and_classes, without_rules_there_is_nothing, any_bytes_do_no_harm)
