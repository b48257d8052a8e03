/*
 * Whole runs on a recording of each architecture, made by hand with the program that ran: names, registers,
 * code, and which addresses are the kernel's.
 *
 * What each must print is perf script 7.2's text, but for the words of the disassembler, which are
 * capstone's, and what DIFFERENCES says of Thumb code, of SPARC and of byte-swapped recordings.
 */
#include "config.h"

#include "arch/arch.h"
#include "tests/check_run.h"
#include "tests/mkperf.h"
#include "tests/whole_run.h"

#ifdef HAVE_CAPSTONE
#include <capstone/capstone.h>
#else
#define CS_API_MAJOR 0
#endif

#define EM_LOONGARCH_NUMBER 258 /* elf.h of glibc 2.36 and later has it */

#define TEXT 0x1000    /* where the code begins, in the file and in the map */
#define CODE_SIZE 0x40 /* of a function */
#define LEAF TEXT
#define MID (TEXT + CODE_SIZE)
#define MAIN (TEXT + 2 * CODE_SIZE)
#define PLT 0x1200
#define OPD 0x2000   /* of it, or of nothing */
#define BIAS 0x10000 /* between offsets and addresses */

/* Two instructions at the start of a function; samples are at the second one. */
struct code_case {
	const char *bytes;  /* in hex; zeros follow */
	unsigned at;	    /* where the second one begins */
	const char *insn;   /* what -F insn prints of it */
	const char *disasm; /* capstone's words; NULL: it has none */
	unsigned since;	    /* the version of capstone that has them */
};

struct machine_case {
	const char *uname, *other_name;
	int class, data, machine;
	uint64_t user, kernel; /* where they are loaded */
	const char *registers; /* of the user mask, from bit 0 on; "-": the bit means nothing */
	struct code_case leaf, mid;
	const char *mark;  /* a mapping symbol at leaf's second instruction; NULL: there are none */
	unsigned mid_mode; /* bit 0 of addresses of mid */
	bool descriptors;  /* symbols are those of .opd */
	unsigned plt_header, plt_entry;
};

#define X86_REGISTERS                                                                                        \
	"AX BX CX DX SI DI BP SP IP FLAGS CS SS DS ES FS GS R8 R9 R10 R11 R12 R13 R14 R15 - - - - - - - - "  \
	"XMM0 XMM0 XMM1 XMM1 XMM2 XMM2 XMM3 XMM3 XMM4 XMM4 XMM5 XMM5 XMM6 XMM6 XMM7 XMM7 "                   \
	"XMM8 XMM8 XMM9 XMM9 XMM10 XMM10 XMM11 XMM11 XMM12 XMM12 XMM13 XMM13 XMM14 XMM14 XMM15 XMM15"
#define PPC_REGISTERS                                                                                        \
	"r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r14 r15 r16 r17 r18 r19 r20 r21 r22 r23 r24 r25 r26 " \
	"r27 r28 r29 r30 r31 nip msr orig_r3 ctr link xer ccr softe trap dar dsisr sier mmcra mmcr0 mmcr1 "  \
	"mmcr2 mmcr3 sier2 sier3 pmc1 pmc2 pmc3 pmc4 pmc5 pmc6 sdar siar"
#define RISCV_REGISTERS                                                                                      \
	"pc ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6"
#define MIPS_REGISTERS                                                                                       \
	"PC $1 $2 $3 $4 $5 $6 $7 $8 $9 $10 $11 $12 $13 $14 $15 $16 $17 $18 $19 $20 $21 $22 $23 $24 $25 "     \
	"unknown unknown $28 $29 $30 $31"
#define ARM_REGISTERS "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 fp ip sp lr pc"

static const struct machine_case machines[] = {
	{ .uname = "x86_64",
	  .other_name = "amd64",
	  .class = ELFCLASS64,
	  .data = ELFDATA2LSB,
	  .machine = EM_X86_64,
	  .user = 0x555500000000,
	  .kernel = 0xffffffff81000000,
	  .registers = X86_REGISTERS,
	  .leaf = { "55 8b 0a", 1, "8b 0a", "movl (%rdx), %ecx", 4 },
	  .mid = { "55 c3", 1, "c3", "retq ", 4 },
	  .plt_header = 16,
	  .plt_entry = 16 },
	{ .uname = "i686",
	  .other_name = "i386",
	  .class = ELFCLASS32,
	  .data = ELFDATA2LSB,
	  .machine = EM_386,
	  .user = 0x56550000,
	  .kernel = 0xc1000000,
	  .registers = X86_REGISTERS,
	  .leaf = { "55 8b 0a", 1, "8b 0a", "movl (%edx), %ecx", 4 },
	  .mid = { "55 c3", 1, "c3", "retl ", 4 },
	  .plt_header = 16,
	  .plt_entry = 16 },
	{ .uname = "aarch64",
	  .other_name = "arm64",
	  .class = ELFCLASS64,
	  .data = ELFDATA2LSB,
	  .machine = EM_AARCH64,
	  .user = 0xaaaaaaaa0000,
	  .kernel = 0xffff800008000000,
	  .registers = "x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15 x16 x17 x18 x19 x20 x21 x22 "
		       "x23 x24 x25 x26 x27 x28 x29 lr sp pc - - - - - - - - - - - - - vg",
	  .leaf = { "1f 20 03 d5 c0 03 5f d6", 4, "c0 03 5f d6", "ret ", 4 },
	  .mid = { "1f 20 03 d5 00 00 1f d6", 4, "00 00 1f d6", "br x0", 4 },
	  .mark = "$x.1",
	  .plt_header = 32,
	  .plt_entry = 16 },
	{ .uname = "armv7l",
	  .other_name = "arm",
	  .class = ELFCLASS32,
	  .data = ELFDATA2LSB,
	  .machine = EM_ARM,
	  .user = 0x400000,
	  .kernel = 0xc0008000,
	  .registers = ARM_REGISTERS,
	  .leaf = { "00 f0 20 e3 1e ff 2f e1", 4, "1e ff 2f e1", "bx lr", 4 },
	  .mid = { "80 b5 70 47 00 bf", 2, "70 47 00 bf", "bx lr", 4 },
	  .mark = "$a.7",
	  .mid_mode = 1,
	  .plt_header = 20,
	  .plt_entry = 12 },
	{ .uname = "riscv64",
	  .other_name = "rv64",
	  .class = ELFCLASS64,
	  .data = ELFDATA2LSB,
	  .machine = EM_RISCV,
	  .user = 0x2aaaaa0000,
	  .kernel = 0xffffffff80000000,
	  .registers = RISCV_REGISTERS,
	  .leaf = { "13 00 00 00 13 05 15 00", 4, "13 05 15 00", "addi a0, a0, 1", 5 },
	  .mid = { "01 00 05 05 00 00", 2, "05 05 00 00", "c.addi a0, 1", 5 },
	  .mark = "$xrv64i2p1_c2p0",
	  .plt_header = 32,
	  .plt_entry = 16 },
	{ .uname = "riscv32",
	  .other_name = "rv32",
	  .class = ELFCLASS32,
	  .data = ELFDATA2LSB,
	  .machine = EM_RISCV,
	  .user = 0x400000,
	  .kernel = 0xc0000000,
	  .registers = RISCV_REGISTERS,
	  .leaf = { "13 00 00 00 13 05 15 00", 4, "13 05 15 00", "addi a0, a0, 1", 5 },
	  .mid = { "01 00 05 05 00 00", 2, "05 05 00 00", "c.addi a0, 1", 5 },
	  .mark = ".L0 ",
	  .plt_header = 32,
	  .plt_entry = 16 },
	{ .uname = "ppc64",
	  .other_name = "powerpc64",
	  .class = ELFCLASS64,
	  .data = ELFDATA2MSB,
	  .machine = EM_PPC64,
	  .user = 0x10000000,
	  .kernel = 0xc000000000000000,
	  .registers = PPC_REGISTERS,
	  .leaf = { "60 00 00 00 4e 80 00 20", 4, "4e 80 00 20", "blr ", 4 },
	  .mid = { "60 00 00 00 7c 08 02 a6", 4, "7c 08 02 a6", "mflr r0", 4 },
	  .descriptors = true },
	{ .uname = "ppc64le",
	  .other_name = "powerpc64le",
	  .class = ELFCLASS64,
	  .data = ELFDATA2LSB,
	  .machine = EM_PPC64,
	  .user = 0x7fff80000000,
	  .kernel = 0xc000000000000000,
	  .registers = PPC_REGISTERS,
	  .leaf = { "00 00 00 60 20 00 80 4e", 4, "20 00 80 4e", "blr ", 4 },
	  .mid = { "00 00 00 60 a6 02 08 7c", 4, "a6 02 08 7c", "mflr r0", 4 } },
	{ .uname = "ppc",
	  .other_name = "powerpc",
	  .class = ELFCLASS32,
	  .data = ELFDATA2MSB,
	  .machine = EM_PPC,
	  .user = 0x10000000,
	  .kernel = 0xc0000000,
	  .registers = PPC_REGISTERS,
	  .leaf = { "60 00 00 00 4e 80 00 20", 4, "4e 80 00 20", "blr ", 4 },
	  .mid = { "60 00 00 00 7c 08 02 a6", 4, "7c 08 02 a6", "mflr r0", 4 } },
	/* The kernel has the low addresses of a space of its own. */
	{ .uname = "s390x",
	  .other_name = "s390",
	  .class = ELFCLASS64,
	  .data = ELFDATA2MSB,
	  .machine = EM_S390,
	  .user = 0x2aa00000000,
	  .kernel = 0x100000,
	  .registers = "R0 R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 R15 FP0 FP1 FP2 FP3 FP4 FP5 FP6 "
		       "FP7 FP8 FP9 FP10 FP11 FP12 FP13 FP14 FP15 MASK PC",
	  .leaf = { "07 07 07 fe 00 00 00 00", 2, "07 fe 00 00 00 00", "br %r14", 4 },
	  .mid = { "07 07 c0 e5 00 00 00 01", 2, "c0 e5 00 00 00 01", "brasl %r14, 0x2aa00001044", 4 },
	  .plt_header = 32,
	  .plt_entry = 32 },
	{ .uname = "mips",
	  .other_name = "mipsr6",
	  .class = ELFCLASS32,
	  .data = ELFDATA2MSB,
	  .machine = EM_MIPS,
	  .user = 0x400000,
	  .kernel = 0x80100000,
	  .registers = MIPS_REGISTERS,
	  .leaf = { "00 00 00 00 3c 02 00 01", 4, "3c 02 00 01", "lui $v0, 1", 4 },
	  .mid = { "00 00 00 00 03 e0 00 08", 4, "03 e0 00 08", "jr $ra", 4 } },
	{ .uname = "mipsel",
	  .other_name = "mips",
	  .class = ELFCLASS32,
	  .data = ELFDATA2LSB,
	  .machine = EM_MIPS,
	  .user = 0x400000,
	  .kernel = 0x80100000,
	  .registers = MIPS_REGISTERS,
	  .leaf = { "00 00 00 00 01 00 02 3c", 4, "01 00 02 3c", "lui $v0, 1", 4 },
	  .mid = { "00 00 00 00 08 00 e0 03", 4, "08 00 e0 03", "jr $ra", 4 } },
	{ .uname = "mips64",
	  .other_name = "mips64r6",
	  .class = ELFCLASS64,
	  .data = ELFDATA2MSB,
	  .machine = EM_MIPS,
	  .user = 0xaaaaaa0000,
	  .kernel = 0xffffffff80100000,
	  .registers = MIPS_REGISTERS,
	  .leaf = { "00 00 00 00 00 85 10 2d", 4, "00 85 10 2d", "daddu $v0, $a0, $a1", 4 },
	  .mid = { "00 00 00 00 03 e0 00 08", 4, "03 e0 00 08", "jr $ra", 4 } },
	{ .uname = "mips64el",
	  .other_name = "mips64",
	  .class = ELFCLASS64,
	  .data = ELFDATA2LSB,
	  .machine = EM_MIPS,
	  .user = 0xaaaaaa0000,
	  .kernel = 0xffffffff80100000,
	  .registers = MIPS_REGISTERS,
	  .leaf = { "00 00 00 00 2d 10 85 00", 4, "2d 10 85 00", "daddu $v0, $a0, $a1", 4 },
	  .mid = { "00 00 00 00 08 00 e0 03", 4, "08 00 e0 03", "jr $ra", 4 } },
	{ .uname = "loongarch64",
	  .other_name = "loongarch",
	  .class = ELFCLASS64,
	  .data = ELFDATA2LSB,
	  .machine = EM_LOONGARCH_NUMBER,
	  .user = 0x120000000,
	  .kernel = 0x9000000000200000,
	  .registers = "PC %r1 %r2 %r3 %r4 %r5 %r6 %r7 %r8 %r9 %r10 %r11 %r12 %r13 %r14 %r15 %r16 %r17 "
		       "%r18 %r19 %r20 %r21 %r22 %r23 %r24 %r25 %r26 %r27 %r28 %r29 %r30 %r31",
	  .leaf = { "00 00 40 03 20 00 00 4c", 4, "20 00 00 4c", NULL, 0 },
	  .mid = { "00 00 40 03 84 04 c0 02", 4, "84 04 c0 02", NULL, 0 },
	  .mark = ".L1",
	  .plt_header = 32,
	  .plt_entry = 16 },
	/* Neither are its kernel's addresses told by their number, nor has it registers in recordings. */
	{ .uname = "sparc64",
	  .other_name = "sparcv9",
	  .class = ELFCLASS64,
	  .data = ELFDATA2MSB,
	  .machine = EM_SPARCV9,
	  .user = 0x100000,
	  .kernel = 0x404000,
	  .leaf = { "01 00 00 00 81 c3 e0 08", 4, "81 c3 e0 08", "retl ", 4 },
	  .mid = { "01 00 00 00 01 00 00 00", 4, "01 00 00 00", "nop ", 4 },
	  .plt_header = 128,
	  .plt_entry = 32 },
	/* A 32-bit program on it. */
	{ .uname = "sparc64",
	  .other_name = "v8plus",
	  .class = ELFCLASS32,
	  .data = ELFDATA2MSB,
	  .machine = EM_SPARC32PLUS,
	  .user = 0x100000,
	  .kernel = 0x404000,
	  .leaf = { "01 00 00 00 81 c3 e0 08", 4, "81 c3 e0 08", "retl ", 4 },
	  .mid = { "01 00 00 00 01 00 00 00", 4, "01 00 00 00", "nop ", 4 },
	  .plt_header = 48,
	  .plt_entry = 12 },
	/* Nobody knows it. */
	{ .uname = "vax",
	  .class = ELFCLASS32,
	  .data = ELFDATA2LSB,
	  .machine = EM_VAX,
	  .user = 0x10000,
	  .kernel = 0x8000000000000000,
	  .leaf = { "01 04", 1, "04 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00", NULL, 0 },
	  .mid = { "01 05", 1, "05 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00", NULL, 0 } },
};
#define NR_MACHINES (sizeof(machines) / sizeof(machines[0]))

/* The program */

static void put_code(uint8_t *at, const char *hex)
{
	for (int used = 0; *hex; hex += used)
		ck_assert_int_eq(sscanf(hex, "%hhx %n", at++, &used), 1);
}

static GElf_Sym symbol(const char *strings, const char *name, uint64_t value, unsigned section)
{
	const char *found = NULL;

	/* Names stand one behind the other, the last one is empty. */
	for (const char *at = strings + 1; *at && !found; at += strlen(at) + 1)
		found = strcmp(at, name) ? NULL : at;
	ck_assert_ptr_nonnull(found);
	return (GElf_Sym){
		.st_name = (GElf_Word)(found - strings),
		.st_info = GELF_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = (GElf_Section)section,
		.st_value = value,
		.st_size = CODE_SIZE,
	};
}

static void put_table(struct mkelf *m, const char *name, uint32_t type, uint32_t link, Elf_Type records,
		      const void *bytes, size_t count)
{
	size_t size;
	void *converted = mkelf_convert(m, records, bytes, count, &size);
	GElf_Shdr header = { .sh_type = type,
			     .sh_flags = SHF_ALLOC,
			     .sh_link = link,
			     .sh_size = size,
			     .sh_entsize = size / count,
			     .sh_addralign = 8 };

	mkelf_section(m, name, header, converted);
}

static void put_bytes(struct mkelf *m, const char *name, uint64_t offset, uint64_t flags, const void *bytes,
		      size_t size, size_t entry)
{
	GElf_Shdr header = { .sh_type = flags ? SHT_PROGBITS : SHT_STRTAB,
			     .sh_flags = flags,
			     .sh_addr = offset ? offset + BIAS : 0,
			     .sh_offset = offset,
			     .sh_size = size,
			     .sh_entsize = entry,
			     .sh_addralign = 4 };

	mkelf_section(m, name, header, bytes);
}

/* Descriptors of leaf, mid and main: address, table of contents, environment. */
static const struct mkbytes *descriptors(const struct machine_case *c)
{
	static struct mkbytes b;

	mkbytes_free(&b);
	b = (struct mkbytes){ .big_endian = c->data == ELFDATA2MSB };
	for (int i = 0; i < 3; i++) {
		mkbytes_u64(&b, BIAS + TEXT + CODE_SIZE * (uint64_t)i);
		mkbytes_u64(&b, 0x8000);
		mkbytes_u64(&b, 0);
	}
	return &b;
}

static size_t put_symbols(const struct machine_case *c, const char *strings, GElf_Sym *ret)
{
	static const char *const names[] = { "leaf", "mid", "main" };
	size_t count = 1;

	ret[0] = (GElf_Sym){ 0 };
	for (size_t i = 0; i < 3; i++) {
		uint64_t address = BIAS + TEXT + CODE_SIZE * i;
		if (c->descriptors)
			ret[count++] = symbol(strings, names[i], BIAS + OPD + 24 * i, 2);
		else
			ret[count++] = symbol(strings, names[i], address | (i == 1 ? c->mid_mode : 0), 1);
	}
	if (c->mark) {
		ret[count] = symbol(strings, c->mark, BIAS + LEAF + c->leaf.at, 1);
		ret[count].st_size = 0;
		ret[count++].st_info = GELF_ST_INFO(STB_LOCAL, STT_NOTYPE);
	}
	if (c->mid_mode) {
		ret[count] = symbol(strings, "$t", BIAS + MID, 1);
		ret[count].st_size = 0;
		ret[count++].st_info = GELF_ST_INFO(STB_LOCAL, STT_NOTYPE);
	}
	return count;
}

/* FOLDER/root/usr/bin/prog */
static void write_program(const struct machine_case *c)
{
	static uint8_t code[0x1000];
	static char strings[64];
	struct mkelf m = { .class = c->class, .data = c->data, .machine = c->machine, .type = ET_DYN };
	GElf_Sym symbols[8], imported[2] = { 0 };
	GElf_Rel relocation = { .r_offset = BIAS + 0x3000, .r_info = GELF_R_INFO(1, 7) };
	char path[128];

	memset(code, 0, sizeof(code));
	put_code(code + LEAF - TEXT, c->leaf.bytes);
	put_code(code + MID - TEXT, c->mid.bytes);
	int used = 1 + snprintf(strings + 1, sizeof(strings) - 1, "leaf%cmid%cmain%cputs%c$t%c%s", 0, 0, 0, 0,
				0, c->mark ? c->mark : "x");
	imported[1] = symbol(strings, "puts", 0, SHN_UNDEF);
	put_bytes(&m, ".text", TEXT, SHF_ALLOC | SHF_EXECINSTR, code, PLT - TEXT, 0);
	put_bytes(&m, c->descriptors ? ".opd" : ".data", OPD, SHF_ALLOC | SHF_WRITE, descriptors(c)->bytes.at,
		  descriptors(c)->bytes.count, 0);
	put_bytes(&m, ".strtab", 0, 0, strings, (size_t)used + 1, 0);
	put_table(&m, ".symtab", SHT_SYMTAB, 3, ELF_T_SYM, symbols, put_symbols(c, strings, symbols));
	put_table(&m, ".dynsym", SHT_DYNSYM, 3, ELF_T_SYM, imported, 2);
	put_table(&m, ".rel.plt", SHT_REL, 5, ELF_T_REL, &relocation, 1);
	if (c->plt_entry)
		put_bytes(&m, ".plt", PLT, SHF_ALLOC | SHF_EXECINSTR, code + PLT - TEXT,
			  c->plt_header + c->plt_entry, c->plt_header == c->plt_entry ? c->plt_entry : 0);
	mkelf_load(&m, TEXT, BIAS + TEXT, sizeof(code), PF_R | PF_X);
	mkelf_load(&m, OPD, BIAS + OPD, 0x100, PF_R | PF_W);
	snprintf(path, sizeof(path), "%s/root/usr/bin/prog", folder);
	mkelf_write(&m, path);
	for (int i = 3; i < 6; i++)
		free((void *)(uintptr_t)m.sections[i].bytes);
}

static void write_kallsyms(const struct machine_case *c)
{
	char path[128], symbols[256];

	snprintf(symbols, sizeof(symbols), "%jx T _text\n%jx T do_work\n%jx T _etext\n", (uintmax_t)c->kernel,
		 (uintmax_t)c->kernel + 0x1000, (uintmax_t)c->kernel + 0x2000);
	snprintf(path, sizeof(path), "%s/kallsyms", folder);
	mkelf_text(path, symbols, strlen(symbols));
}

/* The recording */

static uint64_t mask_of(const char *names)
{
	uint64_t mask = 0;

	for (uint64_t bit = 1; names && *names; bit <<= 1) {
		size_t length = strcspn(names, " ");
		mask |= *names == '-' ? 0 : bit;
		names += length + (names[length] == ' ');
	}
	return mask;
}

static const uint64_t *values_from(uint64_t first)
{
	static uint64_t values[64];

	for (uint64_t i = 0; i < 64; i++)
		values[i] = first + i;
	return values;
}

/* What is said of the machine: by its feature, or not at all. */
static void write_recording(const struct machine_case *c, bool says_arch)
{
	uint64_t fields = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD | SAMPLE_CALLCHAIN |
			  SAMPLE_BRANCH_STACK | SAMPLE_REGS_USER | SAMPLE_REGS_INTR;
	struct mkperf *m = mkperf_new((struct mkperf_options){ .big_endian = c->data == ELFDATA2MSB });
	struct mkperf_regs user = { c->class == ELFCLASS64 ? 2 : 1, values_from(0x100) };
	uint64_t leaf = c->user + LEAF + c->leaf.at, mid = c->user + MID + c->mid.at;
	uint64_t plt = c->user + PLT + c->plt_header + 4, work = c->kernel + 0x1010;
	struct mkperf_branch branches[] = { { leaf, work, 0 }, { work, mid, 0 } };

	mkperf_event(m,
		     .attr = { .sample_type = fields,
			       .flags = MK_SAMPLE_ID_ALL,
			       .sample_regs_user = mask_of(c->registers),
			       .sample_regs_intr = mask_of(c->registers) },
		     .name = "cycles");
	if (says_arch)
		mkperf_string_feature(m, FEATURE_ARCH, c->uname);
	mkperf_mmap(m, .pid = (uint32_t)-1, .misc = CPUMODE_KERNEL, .start = c->kernel, .len = 0x10000,
		    .pgoff = c->kernel, .filename = "[kernel.kallsyms]_text");
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "prog");
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = c->user + TEXT, .len = 0x1000, .pgoff = TEXT,
		     .filename = "/usr/bin/prog");
	mkperf_sample(m,
		      MK_CHAIN(CHAIN_USER, leaf, (c->user + MID + 8) | c->mid_mode, c->user + MAIN + 8, plt),
		      .ip = leaf, .pid = 100, .tid = 100, .time = 1000, .period = 10, .branches = branches,
		      .nr_branches = 2, .user_regs = user, .intr_regs = user);
	mkperf_sample(m, MK_CHAIN(CHAIN_KERNEL, work, CHAIN_USER, mid), .misc = CPUMODE_KERNEL, .ip = work,
		      .pid = 100, .tid = 100, .time = 2000, .period = 10, .branches = branches,
		      .nr_branches = 2, .user_regs = user);
	mkperf_sample(m, MK_CHAIN(CHAIN_USER, mid), .ip = mid, .pid = 100, .tid = 100, .time = 3000,
		      .period = 10);
	mkperf_write(m, file);
	mkperf_free(m);
}

/* What must be printed */

static char expected[1 << 14];
static size_t expected_size;

static __attribute__((format(printf, 1, 2))) void expect(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	expected_size +=
		(size_t)vsnprintf(expected + expected_size, sizeof(expected) - expected_size, format, args);
	va_end(args);
	ck_assert_uint_lt(expected_size, sizeof(expected));
}

/* Runs perf2txt and begins anew. */
static void check_text(const struct machine_case *c, bool says_arch, const char *fields)
{
	char options[256];

	snprintf(options, sizeof(options), "--sysroot root --kallsyms kallsyms %s%s -F %s perf.data",
		 says_arch ? "" : "--arch ", says_arch ? "" : c->other_name, fields);
	ck_assert_msg(!strcmp(text(options), expected), "%s: -F %s\n%s\nwanted\n%s\n%s", c->uname, fields,
		      out, expected, messages);
	expected_size = 0;
	expected[0] = '\0';
}

static void check_names(const struct machine_case *c, bool says_arch)
{
	uint64_t plt = c->user + PLT + c->plt_header + 4;

	expect("prog \n");
	expect("\t%16jx leaf+0x%x (/usr/bin/prog)\n", (uintmax_t)c->user + LEAF + c->leaf.at, c->leaf.at);
	expect("\t%16jx mid+0x%x (/usr/bin/prog)\n", (uintmax_t)(c->user + MID + 8) | c->mid_mode,
	       8 | c->mid_mode);
	expect("\t%16jx main+0x8 (/usr/bin/prog)\n", (uintmax_t)c->user + MAIN + 8);
	expect("\t%16jx %s (/usr/bin/prog)\n", (uintmax_t)plt, c->plt_entry ? "puts@plt+0x4" : "[unknown]");
	expect("\nprog \n\t%16jx do_work+0x10 ([kernel.kallsyms])\n", (uintmax_t)c->kernel + 0x1010);
	expect("\t%16jx mid+0x%x (/usr/bin/prog)\n", (uintmax_t)c->user + MID + c->mid.at, c->mid.at);
	expect("\nprog \n");
	expect("\t%16jx mid+0x%x (/usr/bin/prog)\n", (uintmax_t)c->user + MID + c->mid.at, c->mid.at);
	expect("\n");
	check_text(c, says_arch, "comm,ip,sym,symoff,dso");
}

/* One set of registers of the ABI of @c's class. */
static void expect_registers(const struct machine_case *c)
{
	const char *names = c->registers;
	unsigned value = 0x100;

	expect(" ABI:%d ", c->class == ELFCLASS64 ? 2 : 1);
	while (names && *names) {
		size_t length = strcspn(names, " ");
		if (*names != '-')
			expect("%*s%.*s:0x%x ", length < 5 ? (int)(5 - length) : 0, "", (int)length, names,
			       value++);
		names += length + (names[length] == ' ');
	}
}

static void check_registers(const struct machine_case *c, bool says_arch)
{
	expect_registers(c);
	expect_registers(c);
	expect("\n");
	expect_registers(c);
	expect("\n\n");
	check_text(c, says_arch, "iregs,uregs");
}

static void expect_insn(const struct code_case *code)
{
	expect(" ilen: %zu insn: %s\t\t", (strlen(code->insn) + 1) / 3, code->insn);
	expect("%s", code->disasm && code->since <= CS_API_MAJOR ? code->disasm : code->insn);
}

static void check_code(const struct machine_case *c, bool says_arch)
{
	expect_insn(&c->leaf);
	expect("\n ilen: 0\n");
	expect_insn(&c->mid);
	expect("\n");
	check_text(c, says_arch, "insn,insnlen,disasm");
}

/* The same branches in a sample of the user and in one of the kernel. */
static void check_branches(const struct machine_case *c, bool says_arch)
{
	for (int i = 0; i < 2; i++)
		expect("leaf+0x%x/do_work+0x10/-/-/-/0//- do_work+0x10/mid+0x%x/-/-/-/0//- \n", c->leaf.at,
		       c->mid.at);
	expect("\n");
	check_text(c, says_arch, "brstacksym");
}

static void check_machine(const struct machine_case *c, bool says_arch)
{
	whole_run_begin();
	write_program(c);
	write_kallsyms(c);
	write_recording(c, says_arch);
	check_names(c, says_arch);
	check_registers(c, says_arch);
	check_code(c, says_arch);
	check_branches(c, says_arch);
	mkelf_remove(folder);
}

START_TEST(each_architecture_has_its_names_registers_and_code)
{
	for (size_t i = 0; i < NR_MACHINES; i++)
		check_machine(&machines[i], true);
}
END_TEST

START_TEST(the_architecture_may_be_given)
{
	for (size_t i = 0; i < NR_MACHINES; i++) {
		if (machines[i].other_name)
			check_machine(&machines[i], false);
	}
}
END_TEST

CHECK_SUITE("architectures", each_architecture_has_its_names_registers_and_code,
	    the_architecture_may_be_given)
