#include "symbolize/unwind.h"

#include <inttypes.h>

#include "arch/arch.h"
#include "symbolize/dso.h"
#include "symbolize/load_jitdump.h"
#include "symbolize/maps.h"
#include "tests/bytes.h"
#include "tests/check_run.h"
#include "tests/mkcfi.h"
#include "tests/mkjitdump.h"

/* One process: a program with rules at RUN, and files of which there is none or that have no rules. */
#define RUN 0x7f0000001000u /* where MKCFI_CODE is mapped */
#define RUN32 0x60001000u
#define STACK 0x7ffc00001000u
#define STACK32 0xbf001000u

struct process {
	struct mkcfi mk;
	char folder[64];
	struct image *image;
	struct dso program, missing, bare;
	struct cfi *bare_cfi;
	struct image *bare_image;
	struct maps *maps;
	const struct arch *arch;
	bool big_endian;
	uint64_t run, stack;
	uint8_t copy[512];
	size_t copied;
	struct unwind_regs regs;
	struct unwind_stack result;
};

static struct process p;

static struct cfi *cfi_of(void *ctx, struct dso *dso)
{
	ck_assert_ptr_eq(ctx, &p);
	return dso->cfi;
}

static bool read_file(void *ctx, const struct map *map, uint64_t address, void *ret, size_t size)
{
	size_t got = 0;
	const struct dso *dso = map->dso;

	ck_assert_ptr_eq(ctx, &p);
	const uint8_t *bytes =
		dso->binary ? image_bytes(dso->binary, address - map->start + map->pgoff, size, &got) : NULL;
	if (!bytes || got < size)
		return false;
	memcpy(ret, bytes, size);
	return true;
}

/* The rules are put into p.mk next, then open_process(). */
static void start(int machine, int class, int data)
{
	memset(&p, 0, sizeof(p));
	mkelf_folder(p.folder);
	p.arch = arch_by_elf((uint16_t)machine, class == ELFCLASS64 ? 8 : 4);
	p.big_endian = data == ELFDATA2MSB;
	p.run = class == ELFCLASS64 ? RUN : RUN32;
	p.stack = class == ELFCLASS64 ? STACK : STACK32;
	mkcfi_start(&p.mk, machine, class, data);
}

static void map_dso(struct dso *dso, uint64_t at, uint64_t pgoff, uint32_t prot)
{
	struct map map = { .start = at, .end = at + 0x1000, .pgoff = pgoff, .dso = dso, .prot = prot };

	maps_insert(&p.maps, &map);
}

static void open_process(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/a", p.folder);
	p.image = mkcfi_open(&p.mk, path, p.mk.b.size, 0);
	snprintf(path, sizeof(path), "%s/b", p.folder);
	p.bare_image = mkcfi_open(&p.mk, path, 0, 0);
	p.program = (struct dso){ .name = "/bin/program", .binary = p.image };
	p.program.cfi = cfi_new(p.image, NULL, p.arch);
	p.missing = (struct dso){ .name = "/bin/missing" };
	p.bare = (struct dso){ .name = "/bin/bare", .binary = p.bare_image };
	p.bare.cfi = cfi_new(p.bare_image, NULL, p.arch);
	p.maps = maps_new();
	map_dso(&p.program, p.run, MKCFI_OFFSET, 5);
	map_dso(&p.missing, p.run + 0x10000, 0, 5);
	map_dso(&p.bare, p.run + 0x20000, MKCFI_OFFSET, 5);
}

static void close_process(void)
{
	unwind_stack_free(&p.result);
	cfi_free(p.program.cfi);
	cfi_free(p.bare.cfi);
	image_free(p.image);
	image_free(p.bare_image);
	maps_unref(p.maps);
	mkelf_remove(p.folder);
}

static void set(int dwarf, uint64_t value)
{
	p.regs.value[dwarf] = value;
	p.regs.valid[dwarf / 64] |= UINT64_C(1) << (dwarf % 64);
}

/* The registers at a sample: ip, sp = the copy's start. */
static void at(uint64_t ip)
{
	memset(&p.regs, 0, sizeof(p.regs));
	p.regs.ip = ip;
	set(p.arch->regs[p.arch->reg_sp].dwarf, p.stack);
	memset(p.copy, 0, sizeof(p.copy));
	p.copied = sizeof(p.copy);
}

static void store(size_t offset, uint64_t value)
{
	for (unsigned i = 0; i < p.arch->word_size; i++) {
		unsigned byte = p.big_endian ? p.arch->word_size - 1u - i : i;
		p.copy[offset + i] = (uint8_t)(value >> (8 * byte));
	}
}

static struct unwind_space space(void)
{
	return (struct unwind_space){ .arch = p.arch,
				      .big_endian = p.big_endian,
				      .maps = p.maps,
				      .stack = p.copy,
				      .stack_size = p.copied,
				      .ctx = &p,
				      .cfi_of = cfi_of,
				      .read = read_file };
}

static void walk(void)
{
	struct unwind_space s = space();

	unwind(&s, &p.regs, &p.result);
}

static void expect_frames(enum unwind_end end, const struct unwind_frame *frames, size_t count)
{
	ck_assert_str_eq(unwind_end_text(p.result.end), unwind_end_text(end));
	for (size_t i = 0; i < count && i < p.result.frames.count; i++) {
		ck_assert_msg(p.result.frames.at[i].ip == frames[i].ip,
			      "frame %zu: %#" PRIx64 ", not %#" PRIx64, i, p.result.frames.at[i].ip,
			      frames[i].ip);
		ck_assert_int_eq(p.result.frames.at[i].exact, frames[i].exact);
	}
	ck_assert_uint_eq(p.result.frames.count, count);
}

#define EXPECT(end, ...)                                                                                     \
	expect_frames(end, (const struct unwind_frame[]){ __VA_ARGS__ },                                     \
		      sizeof((const struct unwind_frame[]){ __VA_ARGS__ }) / sizeof(struct unwind_frame))

/*
 * x86_64: at 0 a function without frame, at 0x100 one with 16 bytes and rbp saved, at 0x200 one with a frame
 * by rbp, at 0x300 the program's start, at 0x380 one that has popped rbp, at 0x400 a signal trampoline, at
 * 0x500 one that the expression finds, at 0x700 and 0x780 two with a gap before them, in which a call is the
 * last instruction before 0x780.
 */
static void start_x86_64(void)
{
	static uint8_t text[0x800];

	start(EM_X86_64, ELFCLASS64, ELFDATA2LSB);
	text[0x780 - 5] = 0xe8;
	p.mk.text = text;
	p.mk.text_size = sizeof(text);
	mkcfi_cie(&p.mk, "", -8, 16, OPS(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
	mkcfi_fde(&p.mk, false, MKCFI_CODE, 0x100, OPS(DW_CFA_nop));
	mkcfi_fde(&p.mk, false, MKCFI_CODE + 0x100, 0x100,
		  OPS(DW_CFA_def_cfa_offset, 24, DW_CFA_offset | 6, 2));
	mkcfi_fde(&p.mk, false, MKCFI_CODE + 0x200, 0x100, OPS(DW_CFA_def_cfa, 6, 16, DW_CFA_offset | 6, 2));
	mkcfi_fde(&p.mk, false, MKCFI_CODE + 0x300, 0x80, OPS(DW_CFA_undefined, 16));
	mkcfi_fde(&p.mk, false, MKCFI_CODE + 0x380, 0x40, OPS(DW_CFA_offset | 6, 2));
	/* plt: rsp + 8 + ((rip & 15) >= 11) * 8 */
	mkcfi_fde(&p.mk, false, MKCFI_CODE + 0x500, 0x100,
		  OPS(DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and,
		      DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus));
	mkcfi_fde(&p.mk, false, MKCFI_CODE + 0x700, 0x10, OPS(DW_CFA_nop));
	mkcfi_fde(&p.mk, false, MKCFI_CODE + 0x780, 0x10, OPS(DW_CFA_nop));
	mkcfi_cie(&p.mk, "zS", -8, 16,
		  OPS(DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 0xc0, 0x00, DW_OP_deref));
	mkcfi_fde(&p.mk, true, MKCFI_CODE + 0x400, 0x80,
		  OPS(DW_CFA_expression, 16, 3, DW_OP_breg7, 0xc8, 0x00)); /* [rsp + 72] */
	open_process();
}

START_TEST(rules_lead_to_the_root)
{
	start_x86_64();
	at(RUN + 0x10);
	set(6, 0x1111);
	store(0, RUN + 0x180);	 /* return into 0x100 */
	store(16, STACK + 0x40); /* rbp saved by it, */
	store(24, RUN + 0x210);	 /* return into 0x200, whose frame is at rbp */
	store(0x40, 0);
	store(0x48, RUN + 0x310);
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x10, true }, { RUN + 0x180, false }, { RUN + 0x210, false },
	       { RUN + 0x310, false });
	close_process();
}
END_TEST

START_TEST(a_popped_register_has_its_value)
{
	start_x86_64();
	at(RUN + 0x390);
	set(6, STACK + 0x40);
	store(0, RUN + 0x210); /* its frame is at rbp */
	store(0x40, 0);
	store(0x48, RUN + 0x310);
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x390, true }, { RUN + 0x210, false }, { RUN + 0x310, false });
	close_process();
}
END_TEST

START_TEST(a_return_address_is_looked_up_before_it)
{
	start_x86_64();
	at(RUN + 0x10);
	store(0, RUN + 0x200); /* behind the last call of the function at 0x100, which does not return */
	store(16, 0x2222);
	store(24, RUN + 0x301);
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x10, true }, { RUN + 0x200, false }, { RUN + 0x301, false });
	at(RUN + 0x200); /* but the sampled address is what it is: rbp is not known */
	walk();
	EXPECT(UNWIND_BROKEN, { RUN + 0x200, true });
	close_process();
}
END_TEST

START_TEST(a_zero_return_address_is_the_root)
{
	start_x86_64();
	at(RUN + 0x10);
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x10, true });
	close_process();
}
END_TEST

START_TEST(what_is_above_the_copy_is_cut_by_it)
{
	start_x86_64();
	at(RUN + 0x110);
	p.copied = 16; /* the return address would be at 16 */
	walk();
	EXPECT(UNWIND_CUT, { RUN + 0x110, true });
	p.copied = 17; /* half of it does not count */
	walk();
	EXPECT(UNWIND_CUT, { RUN + 0x110, true });
	close_process();
}
END_TEST

/* A copy ends before a page that is not in memory, as one of a large array that was not touched yet. */
START_TEST(what_is_above_a_short_copy_could_not_be_copied)
{
	start_x86_64();
	at(RUN + 0x110);
	p.copied = 16; /* the return address would be at 16 */
	struct unwind_space s = space();
	s.stack_short = true;
	unwind(&s, &p.regs, &p.result);
	EXPECT(UNWIND_HOLE, { RUN + 0x110, true });
	close_process();
}
END_TEST

START_TEST(a_frame_below_or_far_away_is_broken)
{
	start_x86_64();
	at(RUN + 0x210);
	set(6, STACK - 0x100);
	walk();
	EXPECT(UNWIND_BROKEN, { RUN + 0x210, true });
	set(6, STACK + (UINT64_C(1) << 40));
	walk();
	EXPECT(UNWIND_BROKEN, { RUN + 0x210, true });
	set(6, UINT64_MAX - 12);
	walk();
	EXPECT(UNWIND_BROKEN, { RUN + 0x210, true });
	close_process();
}
END_TEST

START_TEST(loops_end)
{
	start_x86_64();
	at(RUN + 0x210);
	set(6, STACK + 0x40);
	store(0x40, STACK + 0x40); /* its own caller */
	store(0x48, RUN + 0x210);
	walk();
	EXPECT(UNWIND_BROKEN, { RUN + 0x210, true }, { RUN + 0x210, false });
	store(0x40, STACK + 0x20); /* two that call each other */
	store(0x20, STACK + 0x40);
	store(0x28, RUN + 0x210);
	walk();
	EXPECT(UNWIND_BROKEN, { RUN + 0x210, true }, { RUN + 0x210, false });
	close_process();
}
END_TEST

START_TEST(a_return_address_that_is_no_code_is_no_frame)
{
	start_x86_64();
	at(RUN + 0x10);
	store(0, 0x1234567);
	walk();
	EXPECT(UNWIND_BROKEN, { RUN + 0x10, true });
	map_dso(&p.bare, 0x1234000, 0, 1); /* mapped, but for reading only */
	walk();
	EXPECT(UNWIND_BROKEN, { RUN + 0x10, true });
	at(0x99); /* and a sample outside of everything is its only frame */
	walk();
	EXPECT(UNWIND_BROKEN, { 0x99, true });
	close_process();
}
END_TEST

START_TEST(a_binary_without_file_or_rules_is_named)
{
	start_x86_64();
	at(RUN + 0x10);
	store(0, RUN + 0x10010);
	walk();
	EXPECT(UNWIND_NO_FILE, { RUN + 0x10, true }, { RUN + 0x10010, false });
	ck_assert_ptr_eq(p.result.blame, &p.missing);
	store(0, RUN + 0x20010);
	walk();
	EXPECT(UNWIND_NO_RULES, { RUN + 0x10, true }, { RUN + 0x20010, false });
	ck_assert_ptr_eq(p.result.blame, &p.bare);
	store(0, RUN + 0x310);
	walk();
	ck_assert_ptr_null(p.result.blame);
	close_process();
}
END_TEST

/* Not as perf (DIFFERENCES). */
START_TEST(code_at_the_place_of_other_code_has_its_own_rules)
{
	start_x86_64();
	at(RUN + 0x20010);
	store(0, RUN + 0x310);
	walk();
	EXPECT(UNWIND_NO_RULES, { RUN + 0x20010, true });
	map_dso(&p.program, RUN + 0x20000, MKCFI_OFFSET, 5);
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x20010, true }, { RUN + 0x310, false });
	map_dso(&p.bare, RUN + 0x20000, MKCFI_OFFSET, 5);
	walk();
	EXPECT(UNWIND_NO_RULES, { RUN + 0x20010, true });
	close_process();
}
END_TEST

START_TEST(without_rules_the_frame_pointer_leads_on)
{
	start_x86_64();
	at(RUN + 0x20010); /* no rules */
	set(6, STACK + 0x20);
	store(0x20, STACK + 0x60);
	store(0x28, RUN + 0x10010); /* no file */
	store(0x60, 0);
	store(0x68, RUN + 0x310);
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x20010, true }, { RUN + 0x10010, false }, { RUN + 0x310, false });
	/* Start-up code without rules puts 0 there: that is the root, but not for a sampled function. */
	store(0x68, RUN + 0x20310);
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x20010, true }, { RUN + 0x10010, false }, { RUN + 0x20310, false });
	set(6, 0);
	walk();
	EXPECT(UNWIND_NO_RULES, { RUN + 0x20010, true });
	set(6, STACK + 0x21); /* not aligned */
	walk();
	EXPECT(UNWIND_NO_RULES, { RUN + 0x20010, true });
	set(6, STACK + 0x20);
	store(0x28, 0x77); /* no return address */
	walk();
	EXPECT(UNWIND_NO_RULES, { RUN + 0x20010, true });
	set(6, STACK + 0x1000); /* of a frame that was not copied */
	walk();
	EXPECT(UNWIND_CUT, { RUN + 0x20010, true });
	close_process();
}
END_TEST

START_TEST(without_rules_a_caller_may_have_any_frame_pointer)
{
	start_x86_64();
	at(RUN + 0x10);
	set(6, STACK + 0x20);
	store(0, RUN + 0x20010); /* no rules */
	store(0x20, 5);
	store(0x28, RUN + 0x110);
	store(0x40, RUN + 0x310);
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x10, true }, { RUN + 0x20010, false }, { RUN + 0x110, false },
	       { RUN + 0x310, false });
	/* One without is believed when a call stands before the address: it may have changed stacks. */
	store(0x28, RUN + 0x20780);
	walk();
	EXPECT(UNWIND_NO_RULES, { RUN + 0x10, true }, { RUN + 0x20010, false }, { RUN + 0x20780, false });
	store(0x28, RUN + 0x20310);
	walk();
	EXPECT(UNWIND_NO_RULES, { RUN + 0x10, true }, { RUN + 0x20010, false });
	close_process();
}
END_TEST

START_TEST(a_signal_returns_to_an_exact_address)
{
	start_x86_64();
	at(RUN + 0x10);
	store(0, RUN + 0x400);	    /* the handler returns to the trampoline's first byte */
	store(8 + 64, STACK + 16);  /* sp and ip of what it interrupted */
	store(8 + 72, RUN + 0x100); /* the first instruction of a function, so not at address - 1 */
	store(16 + 16, RUN + 0x310);
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x10, true }, { RUN + 0x400, true }, { RUN + 0x100, true },
	       { RUN + 0x310, false });
	at(RUN + 0x480); /* in the system call that is the trampoline's last instruction */
	store(64, STACK + 16);
	store(72, RUN + 0x100);
	store(16 + 16, RUN + 0x310);
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x480, true }, { RUN + 0x100, true }, { RUN + 0x310, false });
	close_process();
}
END_TEST

START_TEST(what_nothing_called_is_the_root)
{
	start_x86_64();
	at(RUN + 0x10);
	set(6, STACK + 0x20);
	store(0, RUN + 0x700); /* a function's first byte, as makecontext() leaves it */
	store(8, RUN + 0x110);
	store(0x28, RUN + 0x310);
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x10, true }, { RUN + 0x700, true });
	store(0, RUN + 0x780); /* behind a call that never returns, of code without rules */
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x10, true }, { RUN + 0x780, false }, { RUN + 0x310, false });
	close_process();
}
END_TEST

/* A JIT compiler's function at 0x5000, whose map has any file offset. */
START_TEST(code_of_a_jitdump_has_rules)
{
	static const struct mkjit_rule rule = { 0, 0x40, 7, 32, 16 };
	struct dso jit = { .name = "/tmp/perf-7.map", .kind = DSO_JIT, .identity = true };
	struct map map = { .start = 0x5000, .end = 0x6000, .pgoff = 0x123, .dso = &jit, .prot = 5 };
	struct jitdump dump = { 0 };
	struct jitdump_layer layer = { .dump = &dump };
	struct mkbytes b = { 0 };
	char path[128];

	start_x86_64();
	snprintf(path, sizeof(path), "%s/jit-7.dump", p.folder);
	mkjit_header(&b, EM_X86_64, 0);
	mkjit_unwinding(&b, 0x40, &rule);
	mkjit_load(&b, 1, 0x5000, 0x40, 1, "f");
	mkjit_write(path, &b, b.bytes.count);
	ck_assert_ptr_null(load_jitdump(path, &dump));
	vec_push(&layer.codes, 0);
	jit.cfi = cfi_new_jit(&layer);
	maps_insert(&p.maps, &map);
	at(RUN + 0x10);
	store(0, 0x5020);
	store(8 + 24, RUN + 0x310);
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x10, true }, { 0x5020, false }, { RUN + 0x310, false });
	store(0, 0x5041); /* behind it there is nothing */
	walk();
	EXPECT(UNWIND_NO_RULES, { RUN + 0x10, true }, { 0x5041, false });
	close_process();
	cfi_free(jit.cfi);
	vec_free(&layer.codes);
	jitdump_free(&dump);
	mkbytes_free(&b);
}
END_TEST

START_TEST(expressions_are_evaluated)
{
	start_x86_64();
	at(RUN + 0x50a); /* before the push in a PLT entry, and behind it */
	store(0, RUN + 0x310);
	store(8, RUN + 0x320);
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x50a, true }, { RUN + 0x310, false });
	at(RUN + 0x50b);
	store(0, RUN + 0x310);
	store(8, RUN + 0x320);
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x50b, true }, { RUN + 0x320, false });
	close_process();
}
END_TEST

/* i386: main() keeps its caller's stack pointer below the frame pointer, because it aligns its own. */
START_TEST(expressions_read_words_of_the_program)
{
	start(EM_386, ELFCLASS32, ELFDATA2LSB);
	mkcfi_cie(&p.mk, "", -4, 8, OPS(DW_CFA_def_cfa, 4, 4, DW_CFA_offset | 8, 1));
	mkcfi_fde(&p.mk, false, MKCFI_CODE, 0x100,
		  OPS(DW_CFA_def_cfa_expression, 3, DW_OP_breg5, 0x7c, DW_OP_deref, /* *(ebp - 4) */
		      DW_CFA_expression, 5, 2, DW_OP_breg5, 0));
	mkcfi_fde(&p.mk, false, MKCFI_CODE + 0x300, 0x100, OPS(DW_CFA_undefined, 8));
	open_process();
	at(RUN32 + 0x10);
	set(5, STACK32 + 0x20);
	store(0x1c, STACK32 + 0x40);
	store(0x20, STACK32 + 0x60); /* ebp: to perf the upper half of the word before */
	store(0x3c, RUN32 + 0x310);
	walk();
	EXPECT(UNWIND_ROOT, { RUN32 + 0x10, true }, { RUN32 + 0x310, false });
	close_process();
}
END_TEST

/* Where the expression says, the return address is. */
static void expect_address(const uint8_t *ops, size_t size, uint64_t offset)
{
	uint8_t cfa[64] = { DW_CFA_expression, 16, (uint8_t)size };

	start(EM_X86_64, ELFCLASS64, ELFDATA2LSB);
	memcpy(cfa + 3, ops, size);
	mkcfi_cie(&p.mk, "", -8, 16, OPS(DW_CFA_def_cfa, 7, 64));
	mkcfi_fde(&p.mk, false, MKCFI_CODE, 0x100, cfa, size + 3);
	mkcfi_fde(&p.mk, false, MKCFI_CODE + 0x300, 0x100, OPS(DW_CFA_undefined, 16));
	open_process();
	at(RUN + 0x10);
	store(offset, RUN + 0x310);
	store(0x80, STACK + 0x20);
	walk();
	if (offset)
		EXPECT(UNWIND_ROOT, { RUN + 0x10, true }, { RUN + 0x310, false });
	else
		EXPECT(UNWIND_BROKEN, { RUN + 0x10, true });
	close_process();
}

START_TEST(every_operation_does_what_dwarf_says)
{
	/* The CFA, sp + 64, is on the stack when an expression begins. */
	expect_address(OPS(DW_OP_lit8, DW_OP_minus), 56);
	expect_address(OPS(DW_OP_plus_uconst, 8), 72);
	expect_address(OPS(DW_OP_drop, DW_OP_breg7, 0x80, 0x01, DW_OP_deref), 0x20);
	expect_address(OPS(DW_OP_const1s, 0xf8, DW_OP_plus), 56);
	expect_address(OPS(DW_OP_const2u, 8, 0, DW_OP_plus), 72);
	expect_address(OPS(DW_OP_lit16, DW_OP_neg, DW_OP_abs, DW_OP_plus), 80);
	expect_address(OPS(DW_OP_lit7, DW_OP_not, DW_OP_plus), 56);
	expect_address(OPS(DW_OP_lit2, DW_OP_lit4, DW_OP_mul, DW_OP_plus), 72);
	expect_address(OPS(DW_OP_lit17, DW_OP_lit2, DW_OP_div, DW_OP_plus), 72);
	expect_address(OPS(DW_OP_lit18, DW_OP_lit10, DW_OP_mod, DW_OP_plus), 72);
	expect_address(OPS(DW_OP_lit1, DW_OP_lit3, DW_OP_shl, DW_OP_plus), 72);
	expect_address(OPS(DW_OP_lit16, DW_OP_lit1, DW_OP_shr, DW_OP_plus), 72);
	expect_address(OPS(DW_OP_lit16, DW_OP_neg, DW_OP_lit1, DW_OP_shra, DW_OP_plus), 56);
	expect_address(OPS(DW_OP_lit8, DW_OP_lit16, DW_OP_or, DW_OP_plus), 88);
	expect_address(OPS(DW_OP_lit24, DW_OP_lit16, DW_OP_xor, DW_OP_plus), 72);
	expect_address(OPS(DW_OP_lit8, DW_OP_dup, DW_OP_plus, DW_OP_plus), 80);
	expect_address(OPS(DW_OP_lit8, DW_OP_over, DW_OP_plus, DW_OP_swap, DW_OP_drop), 72);
	expect_address(OPS(DW_OP_lit8, DW_OP_lit16, DW_OP_pick, 2, DW_OP_plus), 80);
	/* cfa, 8, 1 -> 1, cfa, 8 */
	expect_address(OPS(DW_OP_lit8, DW_OP_lit1, DW_OP_rot, DW_OP_plus), 72);
	expect_address(OPS(DW_OP_lit1, DW_OP_lit2, DW_OP_lt, DW_OP_lit3, DW_OP_shl, DW_OP_plus), 72);
	expect_address(OPS(DW_OP_skip, 2, 0, DW_OP_lit16, DW_OP_plus, DW_OP_plus_uconst, 8), 72);
	expect_address(OPS(DW_OP_lit0, DW_OP_bra, 2, 0, DW_OP_lit8, DW_OP_plus), 72);
	expect_address(OPS(DW_OP_lit1, DW_OP_bra, 2, 0, DW_OP_lit16, DW_OP_plus, DW_OP_nop), 64);
	/* What cannot be done: */
	expect_address(OPS(DW_OP_lit1, DW_OP_lit0, DW_OP_div), 0);
	expect_address(OPS(DW_OP_lit1, DW_OP_lit0, DW_OP_mod), 0);
	expect_address(OPS(DW_OP_drop, DW_OP_drop), 0);
	expect_address(OPS(DW_OP_breg3, 0), 0);		/* rbx is not known */
	expect_address(OPS(DW_OP_skip, 0xfd, 0xff), 0); /* for ever */
	expect_address(OPS(DW_OP_dup, DW_OP_skip, 0xfc, 0xff), 0);
	expect_address(
		OPS(DW_OP_skip, 0xff, 0x7f, DW_OP_nop, DW_OP_lit0, DW_OP_plus, DW_OP_push_object_address), 0);
}
END_TEST

START_TEST(the_limit_is_counted_in_frames)
{
	start_x86_64();
	at(RUN + 0x10);
	for (size_t i = 0; i < 60; i++)
		store(8 * i, RUN + 0x20);
	store(8 * 60, RUN + 0x310);
	walk();
	ck_assert_uint_eq(p.result.frames.count, 62);
	ck_assert_int_eq(p.result.end, UNWIND_ROOT);
	struct unwind_space s = space();
	s.max_frames = 62;
	unwind(&s, &p.regs, &p.result);
	ck_assert_int_eq(p.result.end, UNWIND_ROOT);
	s.max_frames = 3;
	unwind(&s, &p.regs, &p.result);
	EXPECT(UNWIND_LIMIT, { RUN + 0x10, true }, { RUN + 0x20, false }, { RUN + 0x20, false });
	close_process();
}
END_TEST

START_TEST(a_register_that_cannot_be_read_is_lost_not_fatal)
{
	start(EM_X86_64, ELFCLASS64, ELFDATA2LSB);
	mkcfi_cie(&p.mk, "", -8, 16, OPS(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
	mkcfi_fde(&p.mk, false, MKCFI_CODE, 0x100,
		  OPS(DW_CFA_offset_extended_sf, 6, 0x40)); /* rbp far below */
	mkcfi_fde(&p.mk, false, MKCFI_CODE + 0x100, 0x100, OPS(DW_CFA_def_cfa, 6, 16));
	open_process();
	at(RUN + 0x10);
	set(6, STACK + 0x20);
	store(0, RUN + 0x20);
	store(8, RUN + 0x110);
	walk();
	EXPECT(UNWIND_BROKEN, { RUN + 0x10, true }, { RUN + 0x20, false }, { RUN + 0x110, false });
	close_process();
}
END_TEST

START_TEST(memory_outside_of_the_stack_is_read_from_files)
{
	start(EM_X86_64, ELFCLASS64, ELFDATA2LSB);
	mkcfi_cie(&p.mk, "", -8, 16, OPS(DW_CFA_def_cfa, 7, 8));
	mkcfi_fde(&p.mk, false, MKCFI_CODE, 0x100, OPS(DW_CFA_expression, 16, 2, DW_OP_breg3, 0));
	open_process();
	at(RUN + 0x10);
	set(3, RUN + 0x20); /* there the file has 20 21 22 23 24 25 26 27 */
	struct map map = {
		.start = 0x2726252423222000, .end = 0x2726252423223000, .dso = &p.missing, .prot = 5
	};
	maps_insert(&p.maps, &map);
	walk();
	EXPECT(UNWIND_NO_FILE, { RUN + 0x10, true }, { 0x2726252423222120, false });
	close_process();
}
END_TEST

START_TEST(big_endian_stacks_of_s390x)
{
	start(EM_S390, ELFCLASS64, ELFDATA2MSB);
	mkcfi_cie(&p.mk, "", -8, 14, OPS(DW_CFA_def_cfa, 15, 0xa0, 1)); /* r15 + 160 */
	mkcfi_fde(&p.mk, false, MKCFI_CODE, 0x100, OPS(DW_CFA_nop));	/* a leaf: r14, r15 as they are */
	mkcfi_fde(&p.mk, false, MKCFI_CODE + 0x100, 0x100,
		  OPS(DW_CFA_def_cfa_offset, 0xc0, 2, DW_CFA_offset | 14, 6, DW_CFA_offset | 15, 5));
	mkcfi_fde(&p.mk, false, MKCFI_CODE + 0x200, 0x100,
		  OPS(DW_CFA_def_cfa_offset, 0xc0, 2, DW_CFA_register, 14, 24, DW_CFA_register, 15,
		      26)); /* f8, f10 */
	mkcfi_fde(&p.mk, false, MKCFI_CODE + 0x300, 0x100, OPS(DW_CFA_undefined, 14));
	open_process();
	at(RUN + 0x10);
	set(14, RUN + 0x110);
	set(24, RUN + 0x310);
	set(26, STACK + 0x1c0);
	store(0x140 - 48, RUN + 0x210);
	store(0x140 - 40, STACK + 0xa0);
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x10, true }, { RUN + 0x110, false }, { RUN + 0x210, false },
	       { RUN + 0x310, false });
	close_process();
}
END_TEST

static void start_aarch64(void)
{
	start(EM_AARCH64, ELFCLASS64, ELFDATA2LSB);
	mkcfi_cie(&p.mk, "", -8, 30, OPS(DW_CFA_def_cfa, 31, 0));
	mkcfi_fde(&p.mk, false, MKCFI_CODE, 0x100, OPS(DW_CFA_nop));
	mkcfi_fde(&p.mk, false, MKCFI_CODE + 0x100, 0x100,
		  OPS(DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 29, 4, DW_CFA_offset | 30, 3,
		      0x2d /* DW_CFA_AARCH64_negate_ra_state */));
	mkcfi_fde(&p.mk, false, MKCFI_CODE + 0x300, 0x80, OPS(DW_CFA_undefined, 30));
	open_process();
}

START_TEST(signed_return_addresses_are_cleaned)
{
	start_aarch64();
	at(RUN + 0x10);
	set(30, RUN + 0x110);
	store(8, RUN + 0x310 + (UINT64_C(0x002a) << 48));
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x10, true }, { RUN + 0x110, false }, { RUN + 0x310, false });
	close_process();
}
END_TEST

START_TEST(the_link_register_leads_out_of_a_stub_without_rules)
{
	start_aarch64();
	at(RUN + 0x20010);
	set(30, RUN + 0x110);
	set(29, STACK); /* of the function that called it, so its caller would be lost */
	store(0, STACK + 0x40);
	store(8, RUN + 0x310);
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x20010, true }, { RUN + 0x110, false }, { RUN + 0x310, false });
	/* It points into the same function: that has called somebody, and has a frame of its own. */
	set(30, RUN + 0x20020);
	walk();
	EXPECT(UNWIND_ROOT, { RUN + 0x20010, true }, { RUN + 0x310, false });
	/* Nothing else is known. */
	p.regs.valid[0] &= ~(UINT64_C(1) << 29);
	walk();
	EXPECT(UNWIND_NO_RULES, { RUN + 0x20010, true }, { RUN + 0x20020, false });
	close_process();
}
END_TEST

START_TEST(thumb_bits_and_exidx_of_arm)
{
	static struct bytes b;
	const uint64_t section = MKCFI_CODE + MKCFI_SIZE;
	static const uint32_t entries[][2] = { { 0, 0x80a8b0b0 }, { 0x100, 0x8002abb0 }, { 0x200, 1 } };

	start(EM_ARM, ELFCLASS32, ELFDATA2LSB);
	bytes_start(&b, false);
	for (size_t i = 0; i < 3; i++) {
		put_u32(&b, (uint32_t)(MKCFI_CODE + entries[i][0] - (section + b.size)) & 0x7fffffff);
		put_u32(&b, entries[i][1]);
	}
	p.mk.exidx = b.at;
	p.mk.exidx_size = b.size;
	open_process();
	at(RUN32 + 0x10); /* pop {r4,r14} */
	store(4, RUN32 + 0x111);
	store(8 + 12 + 12, 0);		   /* vsp += 12; pop {r4-r7,r14} */
	store(8 + 12 + 16, RUN32 + 0x211); /* into what cannot be unwound */
	set(11, 0);
	walk();
	EXPECT(UNWIND_ROOT, { RUN32 + 0x10, true }, { RUN32 + 0x110, false }, { RUN32 + 0x210, false });
	set(11, 0x1234);
	walk();
	EXPECT(UNWIND_NO_RULES, { RUN32 + 0x10, true }, { RUN32 + 0x110, false }, { RUN32 + 0x210, false });
	close_process();
}
END_TEST

/* At 0 a function that saves r4 and lr and calls, at 0x10 one that does not call. */
static const uint16_t thumb_code[] = {
	0xb510, 0xb082, 0x2000, 0xf000, 0xf804, /* push {r4, lr}; sub sp, #8; movs r0, #0; bl 0x10 */
	0x2000, 0xb002, 0xbd10,			/* movs r0, #0; add sp, #8; pop {r4, pc} */
	0x2000, 0x4770,				/* movs r0, #0; bx lr */
};

START_TEST(arm_code_without_rules_is_followed)
{
	static struct bytes b;
	const uint32_t bare = RUN32 + 0x20000;

	start(EM_ARM, ELFCLASS32, ELFDATA2LSB);
	bytes_start(&b, false);
	put_u16s(&b, thumb_code, sizeof(thumb_code) / sizeof(thumb_code[0]));
	p.mk.text = b.at;
	p.mk.text_size = b.size;
	open_process();
	at(bare + 0x12);
	set(14, (bare + 0xa) | 1);
	store(12, (bare + 0xa) | 1);
	store(16 + 8, 0x44);
	store(16 + 12, 0);
	walk();
	EXPECT(UNWIND_ROOT, { bare + 0x12, true }, { bare + 0xa, false }, { bare + 0xa, false });

	/* in the function that has called: what the link register has is behind its own call */
	at(bare + 0xc);
	set(14, (bare + 0xa) | 1);
	store(12, bare + 4); /* no call is before that */
	walk();
	EXPECT(UNWIND_NO_RULES, { bare + 0xc, true });
	ck_assert_ptr_eq(p.result.blame, &p.bare);

	at(bare + 0xa);
	p.copied = 8;
	walk();
	EXPECT(UNWIND_CUT, { bare + 0xa, true });
	close_process();
}
END_TEST

START_TEST(recorded_registers_go_to_their_dwarf_numbers)
{
	const struct arch *x86 = arch_by_name("x86_64"), *arm64 = arch_by_name("aarch64");
	/* bp, sp, ip of x86: perf's 6, 7, 8 */
	const uint64_t values[] = { 0x66, 0x77, 0x88 };
	struct unwind_regs regs;

	ck_assert(unwind_regs_load(&regs, x86, 0x1c0, values, 3));
	ck_assert_uint_eq(regs.ip, 0x88);
	ck_assert_uint_eq(regs.value[6], 0x66);
	ck_assert_uint_eq(regs.value[7], 0x77);
	ck_assert_uint_eq(regs.valid[0], 1 << 6 | 1 << 7 | 1 << 16);
	ck_assert(!unwind_regs_load(&regs, x86, 0x1c0, values, 2)); /* the ip is cut off */
	ck_assert(!unwind_regs_load(&regs, x86, 0xc0, values, 2));
	ck_assert(!unwind_regs_load(&regs, &arch_unknown, UINT64_MAX, values, 3));
	/* A 32-bit program on a 64-bit kernel: the same mask, the companion's numbers, half the width. */
	const uint64_t wide[] = { 0x1234567800000066, 0xffffffff00000077, 0xffffffff00000088 };
	ck_assert(unwind_regs_load(&regs, x86->compat, 0x1c0, wide, 3));
	ck_assert_uint_eq(regs.ip, 0x88);
	ck_assert_uint_eq(regs.value[5], 0x66); /* ebp */
	ck_assert_uint_eq(regs.value[4], 0x77); /* esp */
	const uint64_t arm[] = { 0x1e, 0x1f, 0x003f000000000020 };
	ck_assert(unwind_regs_load(&regs, arm64, UINT64_C(7) << 30, arm, 3));
	ck_assert_uint_eq(regs.ip, 0x20);
	ck_assert_uint_eq(regs.value[31], 0x1f);
}
END_TEST

START_TEST(without_a_stack_pointer_or_a_copy_nothing_is_read)
{
	start_x86_64();
	at(RUN + 0x10);
	p.regs.valid[0] = 0;
	walk();
	EXPECT(UNWIND_BROKEN, { RUN + 0x10, true });
	at(RUN + 0x10);
	p.copied = 0;
	walk();
	EXPECT(UNWIND_BROKEN, { RUN + 0x10, true });
	close_process();
}
END_TEST

CHECK_SUITE("unwind", rules_lead_to_the_root, a_popped_register_has_its_value,
	    a_return_address_is_looked_up_before_it, a_zero_return_address_is_the_root,
	    what_is_above_the_copy_is_cut_by_it, what_is_above_a_short_copy_could_not_be_copied,
	    a_frame_below_or_far_away_is_broken, loops_end, a_return_address_that_is_no_code_is_no_frame,
	    a_binary_without_file_or_rules_is_named, code_at_the_place_of_other_code_has_its_own_rules,
	    without_rules_the_frame_pointer_leads_on, without_rules_a_caller_may_have_any_frame_pointer,
	    a_signal_returns_to_an_exact_address, what_nothing_called_is_the_root,
	    code_of_a_jitdump_has_rules, expressions_are_evaluated, expressions_read_words_of_the_program,
	    every_operation_does_what_dwarf_says, the_limit_is_counted_in_frames,
	    a_register_that_cannot_be_read_is_lost_not_fatal, memory_outside_of_the_stack_is_read_from_files,
	    big_endian_stacks_of_s390x, signed_return_addresses_are_cleaned,
	    the_link_register_leads_out_of_a_stub_without_rules, thumb_bits_and_exidx_of_arm,
	    arm_code_without_rules_is_followed, recorded_registers_go_to_their_dwarf_numbers,
	    without_a_stack_pointer_or_a_copy_nothing_is_read)
