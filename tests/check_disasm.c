#include "symbolize/disasm.h"

#include "config.h"

#include "arch/arch.h"
#include "tests/check_run.h"

static struct disasm *d;
static struct disasm_insn insn;

static bool try(const char *arch, bool big_endian, bool alternate, const char *bytes, size_t size,
		uint64_t address)
{
	struct disasm_mode mode = { arch_by_name(arch), big_endian, alternate };

	return disasm_insn(d, &mode, (const uint8_t *)bytes, size, address, &insn);
}

#ifdef HAVE_CAPSTONE

#define IS(wanted_mnemonic, wanted_operands, arch, big, alternate, bytes)                                    \
	do {                                                                                                 \
		ck_assert(try(arch, big, alternate, bytes, sizeof(bytes) - 1, 0x10000));                     \
		ck_assert_str_eq(insn.mnemonic, wanted_mnemonic);                                            \
		ck_assert_str_eq(insn.operands, wanted_operands);                                            \
	} while (0)

START_TEST(every_processor_has_its_words)
{
	d = disasm_new();
	IS("movl", "(%rdx), %ecx", "x86_64", false, false, "\x8b\x0a");
	IS("retq", "", "x86_64", false, false, "\xc3");
	IS("retl", "", "i386", false, false, "\xc3");
	IS("cbz", "x0, #0x10008", "aarch64", false, false, "\x40\x00\x00\xb4");
	IS("bx", "lr", "arm", false, false, "\x1e\xff\x2f\xe1");
	IS("bx", "lr", "arm", true, false, "\xe1\x2f\xff\x1e");
	IS("bx", "lr", "arm", false, true, "\x70\x47");
	IS("br", "%r14", "s390x", true, false, "\x07\xfe");
	IS("blr", "", "ppc64", true, false, "\x4e\x80\x00\x20");
	IS("blr", "", "ppc64", false, false, "\x20\x00\x80\x4e");
	IS("lui", "$v0, 1", "mips", false, false, "\x01\x00\x02\x3c");
	IS("nop", "", "sparc64", true, false, "\x01\x00\x00\x00");
	disasm_free(d);
}
END_TEST

START_TEST(the_only_operand_may_be_a_target)
{
	d = disasm_new();
	IS("callq", "0x14b96", "x86_64", false, false, "\xe8\x91\x4b\x00\x00");
	ck_assert(insn.has_target);
	ck_assert_uint_eq(insn.target, 0x14b96);
	IS("callq", "*%rax", "x86_64", false, false, "\xff\xd0");
	ck_assert(!insn.has_target);
	IS("addl", "$8, %ecx", "x86_64", false, false, "\x83\xc1\x08");
	ck_assert(!insn.has_target);
	IS("b", "#0x10000", "aarch64", false, false, "\x00\x00\x00\x14");
	ck_assert(!insn.has_target);
	disasm_free(d);
}
END_TEST

#endif

START_TEST(what_is_not_known_has_no_text)
{
	d = disasm_new();
	ck_assert(!try("x86_64", false, false, "\x06", 1, 0));
	ck_assert(!try("x86_64", false, false, "\xe8\x00", 2, 0));
	ck_assert(!try("loongarch64", false, false, "\x00\x00\x00\x00", 4, 0));
	ck_assert(!try("no such processor", false, false, "\x00\x00\x00\x00", 4, 0));
	ck_assert(!try("aarch64", false, false, "\xff\xff\xff\xff", 4, 0));
	disasm_free(d);
	disasm_free(NULL);
}
END_TEST

#ifdef HAVE_CAPSTONE
CHECK_SUITE("disasm", every_processor_has_its_words, the_only_operand_may_be_a_target,
	    what_is_not_known_has_no_text)
#else
CHECK_SUITE("disasm", what_is_not_known_has_no_text)
#endif
