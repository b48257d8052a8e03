#include "arch/arch.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "check_run.h"

static const struct {
	const char *name;
	uint16_t elf_machine;
	unsigned word_size;
	const char *ip, *sp; /* names of registers; NULL: none are recorded */
	int dwarf_sp;
	const char *return_name; /* the register that holds the return address, NULL: it is on the stack */
} expected[] = {
	{ "x86_64", EM_X86_64, 8, "IP", "SP", 7, NULL },
	{ "i386", EM_386, 4, "IP", "SP", 4, NULL },
	{ "aarch64", EM_AARCH64, 8, "pc", "sp", 31, "lr" },
	{ "arm", EM_ARM, 4, "pc", "sp", 13, "lr" },
	{ "riscv64", EM_RISCV, 8, "pc", "sp", 2, "ra" },
	{ "riscv32", EM_RISCV, 4, "pc", "sp", 2, "ra" },
	{ "ppc64", EM_PPC64, 8, "nip", "r1", 1, "link" },
	{ "ppc", EM_PPC, 4, "nip", "r1", 1, "link" },
	{ "s390x", EM_S390, 8, "PC", "R15", 15, "R14" },
	{ "mips64", EM_MIPS, 8, "PC", "$29", 29, "$31" },
	{ "mips", EM_MIPS, 4, "PC", "$29", 29, "$31" },
	{ "loongarch64", 258, 8, "PC", "%r3", 3, "%r1" },
	{ "sparc64", EM_SPARCV9, 8, NULL, NULL, 0, NULL },
	{ "sparc32plus", EM_SPARC32PLUS, 4, NULL, NULL, 0, NULL },
	{ "sparc", EM_SPARC, 4, NULL, NULL, 0, NULL },
};
#define NR_EXPECTED (sizeof(expected) / sizeof(expected[0]))

static void check_registers(const struct arch *arch, size_t i)
{
	ck_assert_str_eq(arch->regs[arch->reg_ip].name, expected[i].ip);
	ck_assert_str_eq(arch->regs[arch->reg_sp].name, expected[i].sp);
	ck_assert_int_eq(arch_reg_of_dwarf(arch, expected[i].dwarf_sp), arch->reg_sp);
	ck_assert_int_eq(arch->has_link_register, expected[i].return_name != NULL);
	if (expected[i].return_name) {
		ck_assert_str_eq(arch->regs[arch->reg_lr].name, expected[i].return_name);
		ck_assert_int_eq(arch->regs[arch->reg_lr].dwarf, arch->dwarf_return);
	}
}

START_TEST(every_architecture_is_what_its_line_says)
{
	for (size_t i = 0; i < NR_EXPECTED; i++) {
		const struct arch *arch = arch_get(i);

		ck_assert_str_eq(arch->name, expected[i].name);
		ck_assert_ptr_eq(arch_by_name(expected[i].name), arch);
		ck_assert_ptr_eq(arch_by_elf(expected[i].elf_machine, expected[i].word_size), arch);
		ck_assert_uint_eq(arch->word_size, expected[i].word_size);
		ck_assert_uint_le(arch->nr_regs, 64);
		if (expected[i].ip)
			check_registers(arch, i);
		else
			ck_assert_uint_eq(arch->nr_regs, 0);
	}
	ck_assert_ptr_null(arch_get(NR_EXPECTED));
}
END_TEST

START_TEST(no_name_and_no_dwarf_number_is_given_twice)
{
	for (size_t i = 0; arch_get(i); i++) {
		const struct arch *arch = arch_get(i);

		for (const char *const *alias = arch->aliases; *alias; alias++)
			ck_assert_msg(arch_by_name(*alias) == arch, "%s", *alias);
		for (int r = 0; r < arch->nr_regs; r++)
			if (arch->regs[r].dwarf != ARCH_NO_REG)
				ck_assert_int_eq(arch_reg_of_dwarf(arch, arch->regs[r].dwarf), r);
		if (arch->compat)
			ck_assert_uint_eq(arch->compat->word_size, 4);
	}
}
END_TEST

START_TEST(names_match_in_any_case_and_by_alias)
{
	ck_assert_str_eq(arch_by_name("AMD64")->name, "x86_64");
	ck_assert_str_eq(arch_by_name("x86-64")->name, "x86_64");
	ck_assert_str_eq(arch_by_name("i686")->name, "i386");
	ck_assert_str_eq(arch_by_name("arm64")->name, "aarch64");
	ck_assert_str_eq(arch_by_name("armv7l")->name, "arm");
	ck_assert_str_eq(arch_by_name("armhf")->name, "arm");
	ck_assert_str_eq(arch_by_name("ppc64le")->name, "ppc64");
	ck_assert_str_eq(arch_by_name("riscv")->name, "riscv64");
}
END_TEST

START_TEST(what_is_not_in_the_list_is_unknown_but_usable)
{
	ck_assert_ptr_eq(arch_by_name("vax"), &arch_unknown);
	ck_assert_ptr_eq(arch_by_name(""), &arch_unknown);
	ck_assert_ptr_eq(arch_by_elf(EM_VAX, 4), &arch_unknown);
	ck_assert_ptr_eq(arch_by_elf(EM_386, 8), &arch_unknown);
	ck_assert_int_eq(arch_reg_of_dwarf(&arch_unknown, 0), ARCH_NO_REG);
	ck_assert_ptr_null(*arch_unknown.aliases);
}
END_TEST

START_TEST(an_unknown_word_size_takes_the_wider_one)
{
	ck_assert_str_eq(arch_by_elf(EM_RISCV, 0)->name, "riscv64");
	ck_assert_str_eq(arch_by_elf(EM_386, 0)->name, "i386");
}
END_TEST

START_TEST(a_machine_runs_the_programs_of_its_kind_and_smaller_ones)
{
	const struct arch *sparc64 = arch_by_name("sparc64");

	ck_assert(arch_runs(arch_by_name("x86_64"), EM_X86_64));
	ck_assert(arch_runs(arch_by_name("x86_64"), EM_386));
	ck_assert(!arch_runs(arch_by_name("i386"), EM_X86_64));
	ck_assert(!arch_runs(arch_by_name("aarch64"), EM_386));
	ck_assert(arch_runs(sparc64, EM_SPARC32PLUS) && arch_runs(sparc64, EM_SPARC));
	ck_assert(!arch_runs(&arch_unknown, EM_VAX));
}
END_TEST

START_TEST(dwarf_numbers_become_perf_numbers)
{
	const struct arch *x86 = arch_by_name("x86_64"), *x86_32 = arch_by_name("i386");
	const struct arch *s390 = arch_by_name("s390x"), *arm64 = arch_by_name("aarch64");

	ck_assert_int_eq(arch_reg_of_dwarf(x86, 1), 3);	 /* rdx */
	ck_assert_int_eq(arch_reg_of_dwarf(x86, 16), 8); /* return address */
	ck_assert_int_eq(arch_reg_of_dwarf(x86, 15), 23);
	ck_assert_int_eq(arch_reg_of_dwarf(x86, 18), 34); /* low half of xmm1 */
	ck_assert_int_eq(arch_reg_of_dwarf(x86, 33), ARCH_NO_REG);
	ck_assert_int_eq(arch_reg_of_dwarf(x86, -1), ARCH_NO_REG);
	ck_assert_int_eq(arch_reg_of_dwarf(x86_32, 1), 2); /* ecx */
	ck_assert_int_eq(arch_reg_of_dwarf(x86_32, 8), 8); /* eip */
	ck_assert_int_eq(arch_reg_of_dwarf(s390, 17), 18); /* f2 */
	ck_assert_int_eq(arch_reg_of_dwarf(s390, 65), 33);
	ck_assert_int_eq(arch_reg_of_dwarf(arm64, 30), 30);
	ck_assert_int_eq(arch_reg_of_dwarf(arm64, 46), 46);
}
END_TEST

START_TEST(the_place_of_a_register_is_the_set_bits_below_it)
{
	ck_assert_int_eq(arch_reg_index(0xff0fff, 0), 0);
	ck_assert_int_eq(arch_reg_index(0xff0fff, 16), 12);
	ck_assert_int_eq(arch_reg_index(0xff0fff, 12), -1);
	ck_assert_int_eq(arch_reg_index(UINT64_MAX, 63), 63);
	ck_assert_int_eq(arch_reg_index(UINT64_MAX, 64), -1);
	ck_assert_int_eq(arch_reg_index(UINT64_MAX, ARCH_NO_REG), -1);
}
END_TEST

START_TEST(arm64_addresses_lose_authentication_codes_and_tags)
{
	uint64_t (*clean)(uint64_t) = arch_by_name("aarch64")->clean_address;

	ck_assert_uint_eq(clean(0x0000ffff80001234), 0x0000ffff80001234);
	ck_assert_uint_eq(clean(0x002effff80001234), 0x0000ffff80001234); /* code */
	ck_assert_uint_eq(clean(0xb400ffff80001234), 0x0000ffff80001234); /* tag */
	ck_assert_uint_eq(clean(0xffff800008001234), 0xffff800008001234);
	ck_assert_uint_eq(clean(0x0ca5800008001234), 0xffff800008001234);
}
END_TEST

START_TEST(arm_addresses_lose_the_thumb_bit)
{
	ck_assert_uint_eq(arch_by_name("arm")->clean_address(0x10435), 0x10434);
	ck_assert_ptr_null(arch_by_name("x86_64")->clean_address);
}
END_TEST

START_TEST(mapping_symbols_are_exact)
{
	bool (*arm64)(const char *) = arch_by_name("aarch64")->is_mapping_symbol;
	bool (*arm)(const char *) = arch_by_name("arm")->is_mapping_symbol;
	bool (*riscv)(const char *) = arch_by_name("riscv64")->is_mapping_symbol;

	ck_assert(arm64("$x") && arm64("$d.12") && !arm64("$xyz") && !arm64("$") && !arm64("") &&
		  !arm64("x"));
	ck_assert(arm("$a") && arm("$t.1") && arm("$d") && !arm("$x") && !arm("$dollar"));
	ck_assert(riscv("$xrv64i2p1") && riscv(".L0 ") && riscv("$d") && !riscv("$xor"));
}
END_TEST

/* Bytes in hex, the length, whether the processor goes on elsewhere. */
struct insn_case {
	const char *hex;
	unsigned length;
	bool leaves;
};

static size_t from_hex(const char *hex, uint8_t *bytes)
{
	size_t size = 0;
	int used;

	for (unsigned byte; sscanf(hex, "%x%n", &byte, &used) == 1; hex += used)
		bytes[size++] = (uint8_t)byte;
	return size;
}

/* Neither what follows an instruction may change its length, nor may it be found in less bytes. */
static void check_insns(const struct arch *arch, bool alternate, const struct insn_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint8_t bytes[64] = { 0 };
		size_t size = from_hex(cases[i].hex, bytes);
		bool leaves;

		ck_assert_msg(arch->insn_length(bytes, size, alternate, &leaves) == cases[i].length, "%s: %s",
			      arch->name, cases[i].hex);
		ck_assert_msg(leaves == cases[i].leaves, "%s: %s", arch->name, cases[i].hex);
		for (size_t cut = 0; cut < cases[i].length; cut++)
			ck_assert_uint_eq(arch->insn_length(bytes, cut, alternate, &leaves), 0);
		ck_assert_uint_eq(arch->insn_length(bytes, 32, alternate, &leaves), cases[i].length);
	}
}
#define CHECK_INSNS(arch, alternate, cases)                                                                  \
	check_insns(arch, alternate, cases, sizeof(cases) / sizeof((cases)[0]))

START_TEST(x86_instructions_have_their_lengths)
{
	static const struct insn_case both[] = {
		{ "55", 1, false },			    /* push */
		{ "90", 1, false },			    /* nop */
		{ "c3", 1, true },			    /* ret */
		{ "c2 08 00", 3, true },		    /* ret $8 */
		{ "e8 91 4b 00 00", 5, true },		    /* call */
		{ "eb fe", 2, true },			    /* jmp */
		{ "74 02", 2, false },			    /* je */
		{ "0f 84 01 02 03 04", 6, false },	    /* je */
		{ "ff d0", 2, true },			    /* call *%eax */
		{ "ff 25 c2 7f 00 00", 6, true },	    /* jmp *mem */
		{ "ff 75 f8", 3, false },		    /* push mem */
		{ "f6 05 01 02 03 04 07", 7, false },	    /* testb $7,mem */
		{ "f6 15 01 02 03 04", 6, false },	    /* notb mem */
		{ "66 f7 c1 01 02", 5, false },		    /* testw $,%cx */
		{ "66 b8 01 02", 4, false },		    /* mov $,%ax */
		{ "c8 10 00 01", 4, false },		    /* enter */
		{ "8d 84 24 88 00 00 00", 7, false },	    /* lea 0x88(%esp),%eax */
		{ "8d 04 85 00 00 00 00", 7, false },	    /* lea 0(,%eax,4),%eax */
		{ "0f 1f 44 00 00", 5, false },		    /* nop */
		{ "f3 0f 6f 4e 10", 5, false },		    /* movdqu */
		{ "66 0f 3a 63 c1 0c", 6, false },	    /* pcmpistri */
		{ "0f 0f c1 bf", 4, false },		    /* pavgusb */
		{ "f2 0f 78 c1 08 10", 6, false },	    /* insertq */
		{ "c5 f8 77", 3, false },		    /* vzeroupper */
		{ "c4 e3 7d 39 c1 01", 6, false },	    /* vextracti128 */
		{ "c5 fd 73 d8 08", 5, false },		    /* vpsrldq */
		{ "62 f1 fe 48 6f 40 01", 7, false },	    /* vmovdqu64 */
		{ "0f 0b", 2, false },			    /* ud2 */
		{ "0f 05", 2, true },			    /* syscall */
		{ "0f 20 45", 3, false },		    /* mov %cr0: mod means nothing */
		{ "8f e9 78 c1 c0", 5, false },		    /* XOP */
		{ "8f 40 08", 3, false },		    /* pop mem */
		{ "8f ea 78 10 c0 01 02 03 04", 9, false }, /* XOP bextr */
		{ "0f 04", 2, false },			    /* nothing */
	};
	static const struct insn_case only_64[] = {
		{ "48 b8 01 02 03 04 05 06 07 08", 10, false }, /* movabs */
		{ "48 c7 45 88 00 00 00 00", 8, false },	/* movq $0,mem */
		{ "a1 01 02 03 04 05 06 07 08", 9, false },	/* mov absolute */
		{ "67 a1 01 02 03 04", 6, false },
		{ "66 e9 01 02 03 04", 6, true },		/* Intel: the prefix means nothing */
		{ "26 48 66 89 08", 5, false },			/* a REX that does not count */
		{ "d5 00 89 08", 4, false },			/* REX2 */
		{ "d5 80 af c8", 4, false },			/* REX2, 0f map */
		{ "62 f4 7c 18 81 c0 01 02 03 04", 10, false }, /* EVEX map 4: add */
		{ "c4 08 c3 00 00 00", 0, false },		/* no map of VEX */
		{ "06", 1, false },
	};
	static const struct insn_case only_32[] = {
		{ "40", 1, false },	     /* inc */
		{ "c5 45 08", 3, false },    /* lds */
		{ "62 45 08", 3, false },    /* bound */
		{ "67 8b 46 08", 4, false }, /* mov 8(%bp),%eax */
		{ "67 8b 06 08 00", 5, false },
		{ "66 e9 01 02", 4, true },
		{ "9a 01 02 03 04 05 06", 7, true }, /* lcall */
		{ "a1 01 02 03 04", 5, false },
	};
	const struct arch *x86_64 = arch_by_name("x86_64"), *x86_32 = arch_by_name("i386");

	CHECK_INSNS(x86_64, false, both);
	CHECK_INSNS(x86_32, false, both);
	CHECK_INSNS(x86_64, false, only_64);
	CHECK_INSNS(x86_32, false, only_32);
}
END_TEST

START_TEST(no_x86_instruction_is_longer_than_fifteen_bytes)
{
	uint8_t bytes[32];
	bool leaves;

	memset(bytes, 0x66, sizeof(bytes));
	ck_assert_uint_eq(arch_by_name("x86_64")->insn_length(bytes, sizeof(bytes), false, &leaves), 0);
	bytes[14] = 0x90;
	ck_assert_uint_eq(arch_by_name("x86_64")->insn_length(bytes, sizeof(bytes), false, &leaves), 15);
}
END_TEST

START_TEST(other_instructions_have_their_lengths)
{
	static const struct insn_case s390[] = {
		{ "07 fe", 2, false },
		{ "a7 19 00 00", 4, false },
		{ "c0 e5 00 00 00 01", 6, false },
	};
	static const struct insn_case riscv[] = { { "01 45", 2, false }, { "13 05 10 00", 4, false } };
	static const struct insn_case thumb[] = { { "70 47", 2, false }, { "2d e9 f0 4f", 4, false } };
	static const struct insn_case arm[] = { { "1e ff 2f e1", 4, false } };

	CHECK_INSNS(arch_by_name("s390x"), false, s390);
	CHECK_INSNS(arch_by_name("riscv64"), false, riscv);
	CHECK_INSNS(arch_by_name("arm"), true, thumb);
	CHECK_INSNS(arch_by_name("arm"), false, arm);
	ck_assert_ptr_null(arch_by_name("aarch64")->insn_length);
}
END_TEST

START_TEST(calls_are_seen_from_behind)
{
	static const struct {
		const char *arch;
		uint8_t bytes[8];
		size_t size;
		bool call;
	} cases[] = {
		{ "x86_64", { 0x90, 0xe8, 1, 2, 3, 4 }, 6, true },	  /* call */
		{ "x86_64", { 0xff, 0xd0 }, 2, true },			  /* call *%rax */
		{ "x86_64", { 0x41, 0xff, 0x14, 0xc4 }, 4, true },	  /* call *(%r12,%rax,8) */
		{ "i386", { 0xff, 0x94, 0x83, 1, 2, 3, 4 }, 7, true },	  /* call *0x4030201(%ebx,%eax,4) */
		{ "x86_64", { 0xff, 0xe0 }, 2, false },			  /* jmp *%rax */
		{ "x86_64", { 0x66, 0x90 }, 2, false },			  /* nop */
		{ "x86_64", { 0xe8, 1, 2, 3 }, 4, false },		  /* not all of it */
		{ "x86_64", { 0 }, 0, false },				  /* nothing */
		{ "aarch64", { 0xd6, 0, 0, 0x02, 0, 0, 0x94 }, 7, true }, /* bl */
		{ "aarch64", { 0x60, 0x02, 0x3f, 0xd6 }, 4, true },	  /* blr x19 */
		{ "aarch64", { 0x81, 0x0a, 0x3f, 0xd7 }, 4, true },	  /* blraa x20, x1 */
		{ "aarch64", { 0x60, 0x02, 0x1f, 0xd6 }, 4, false },	  /* br x19 */
		{ "aarch64", { 0x1f, 0x20, 0x03, 0xd5 }, 4, false },	  /* nop */
		{ "aarch64", { 0x3f, 0xd6 }, 2, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct arch *arch = arch_by_name(cases[i].arch);
		ck_assert_msg(arch->may_end_in_call(cases[i].bytes, cases[i].size) == cases[i].call, "%zu",
			      i);
	}
}
END_TEST

START_TEST(mapping_symbols_tell_the_instruction_set)
{
	const struct arch *arm = arch_by_name("arm");

	ck_assert_int_eq(arm->mapping_insn_set("$t"), ARCH_INSN_ALTERNATE);
	ck_assert_int_eq(arm->mapping_insn_set("$a.12"), ARCH_INSN_MAIN);
	ck_assert_int_eq(arm->mapping_insn_set("$d"), ARCH_INSN_UNKNOWN);
	ck_assert_int_eq(arm->mapping_insn_set("table"), ARCH_INSN_UNKNOWN);
	ck_assert_ptr_null(arch_by_name("aarch64")->mapping_insn_set);
}
END_TEST

CHECK_SUITE("arch", every_architecture_is_what_its_line_says, no_name_and_no_dwarf_number_is_given_twice,
	    names_match_in_any_case_and_by_alias, what_is_not_in_the_list_is_unknown_but_usable,
	    an_unknown_word_size_takes_the_wider_one,
	    a_machine_runs_the_programs_of_its_kind_and_smaller_ones, dwarf_numbers_become_perf_numbers,
	    the_place_of_a_register_is_the_set_bits_below_it,
	    arm64_addresses_lose_authentication_codes_and_tags, arm_addresses_lose_the_thumb_bit,
	    mapping_symbols_are_exact, x86_instructions_have_their_lengths,
	    no_x86_instruction_is_longer_than_fifteen_bytes, other_instructions_have_their_lengths,
	    calls_are_seen_from_behind, mapping_symbols_tell_the_instruction_set)
