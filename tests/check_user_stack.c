#include "symbolize/user_stack.h"

#include "arch/arch.h"
#include "tests/bytes.h"
#include "tests/check_run.h"
#include "tests/mkcfi.h"
#include "tests/naming.h"

/*
 * /a, made for aarch64, whose code is mapped at CODE:
 *
 *	LEAF	makes no frame
 *	FRAME	stp x29, x30, [sp, -16]!; mov x29, sp; ...
 *	BARE	has no rules
 *	ROOT	has no caller
 *	SIGNAL	is where signal handlers return to
 */
#define CODE UINT64_C(0x10000)
#define LEAF (CODE + 0x00)
#define FRAME (CODE + 0x40)
#define BARE (CODE + 0x80)
#define ROOT (CODE + 0xc0)
#define SIGNAL (CODE + 0x100)
#define MOV_X29_SP 0x910003fdu

#define X29 29
#define X30 30
#define SP 31
#define PC 32
#define MASK (UINT64_C(1) << X29 | UINT64_C(1) << X30 | UINT64_C(1) << SP | UINT64_C(1) << PC)

static struct naming n;
static struct user_stack *u;
static struct callchain chain;
static uint64_t regs[4]; /* x29, x30, sp, pc */
static struct bytes stack;

static void write_rules(const char *path)
{
	static struct mkcfi m;

	mkcfi_start(&m, EM_AARCH64, ELFCLASS64, ELFDATA2LSB);
	mkcfi_cie(&m, "", -8, X30, OPS(DW_CFA_def_cfa, SP, 0));
	mkcfi_fde(&m, false, MKCFI_CODE, 0x40, OPS(DW_CFA_nop));
	mkcfi_fde(&m, false, MKCFI_CODE + 0x40, 0x40,
		  OPS(DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | X29, 2,
		      DW_CFA_offset | X30, 1));
	mkcfi_fde(&m, false, MKCFI_CODE + 0xc0, 0x40, OPS(DW_CFA_undefined, X30));
	mkcfi_cie(&m, "zS", -8, X30, OPS(DW_CFA_def_cfa, SP, 0));
	mkcfi_fde(&m, true, MKCFI_CODE + 0x100, 0x40, OPS(DW_CFA_nop));
	image_free(mkcfi_open(&m, path, m.b.size, 0));
}

static void begin(void)
{
	static struct bytes mov;
	char path[160];

	naming_begin(&n, NULL);
	snprintf(path, sizeof(path), "%s/a", n.root);
	write_rules(path);
	int fd = open(path, O_RDWR);
	bytes_start(&mov, false);
	put_u32(&mov, MOV_X29_SP);
	ck_assert_int_eq(pwrite(fd, mov.at, mov.size, MKCFI_OFFSET + FRAME + 4 - CODE), 4);
	close(fd);
	naming_map(&n, 100, CODE, MKCFI_SIZE, MKCFI_OFFSET, "/a");
	u = user_stack_new(n.symbolizer, false);
	callchain_reset(&chain);
}

static void end(void)
{
	callchain_free(&chain);
	user_stack_free(u);
	naming_end(&n);
}

static struct user_state state_of(const char *arch)
{
	return (struct user_state){
		.arch = arch_by_name(arch),
		.maps = machine_thread(n.machine, 100, 100)->maps,
		.regs_mask = MASK,
		.regs = regs,
	};
}

/* The link register holds @lr while the program is at @ip, and the frame pointers lead to @next (0: to
 * nothing). */
static void add_leaf_caller(uint64_t ip, uint64_t lr, uint64_t next)
{
	struct user_state state = state_of("aarch64");

	callchain_reset(&chain);
	callchain_add(&chain, (struct callchain_frame){ .ip = ip, .mode = CALLCHAIN_USER });
	if (next)
		callchain_add(&chain, (struct callchain_frame){
					      .ip = next, .mode = CALLCHAIN_USER, .is_return = true });
	regs[1] = lr;
	user_stack_add_leaf_caller(u, &state, &chain);
}

static void is_inserted(uint64_t ip, uint64_t lr, uint64_t next)
{
	add_leaf_caller(ip, lr, next);
	ck_assert_uint_eq(chain.frames.count, next ? 3 : 2);
	ck_assert_uint_eq(chain.frames.at[0].ip, ip);
	/* As perf prints it: it is in the call already. */
	ck_assert_uint_eq(chain.frames.at[1].ip, (lr & UINT64_C(0xffffffffffff)) - 1);
	ck_assert_int_eq(chain.frames.at[1].mode, CALLCHAIN_USER);
	ck_assert(!chain.frames.at[1].is_return);
	if (next)
		ck_assert_uint_eq(chain.frames.at[2].ip, next);
}

static void is_not_inserted(uint64_t ip, uint64_t lr, uint64_t next)
{
	add_leaf_caller(ip, lr, next);
	ck_assert_uint_eq(chain.frames.count, next ? 2 : 1);
}

START_TEST(a_function_without_a_frame_has_its_caller_in_the_register)
{
	begin();
	is_inserted(LEAF, FRAME + 0x20, ROOT + 8);
	is_inserted(LEAF + 0x3c, FRAME + 0x20, ROOT + 8);
	/* Where it returns to need not be known. */
	is_inserted(LEAF + 4, 0x99999000, ROOT + 8);
	/* Also when the chain ends there, and when the caller calls itself. */
	is_inserted(LEAF + 4, FRAME + 0x20, 0);
	is_inserted(LEAF + 4, FRAME + 0x20, FRAME + 0x20);
	end();
}
END_TEST

START_TEST(a_function_that_saved_the_register_has_a_frame)
{
	begin();
	is_inserted(FRAME, ROOT + 8, 0);
	/* Saved, but the frame pointer is still the caller's: the next instruction sets it. */
	is_inserted(FRAME + 4, ROOT + 8, 0);
	/* From here on the register may hold what a call left. */
	is_not_inserted(FRAME + 8, LEAF + 4, ROOT + 8);
	is_not_inserted(FRAME + 0x3c, ROOT + 8, ROOT + 8);
	end();
}
END_TEST

START_TEST(code_without_rules_is_believed_where_it_cannot_have_called)
{
	begin();
	/* The register points into a function: nothing was called since. But with a frame it is the next one.
	 */
	is_inserted(BARE + 4, FRAME + 0x20, ROOT + 8);
	is_not_inserted(BARE + 4, FRAME + 0x20, FRAME + 0x20);
	is_not_inserted(BARE + 4, BARE + 0x20, ROOT + 8);
	is_not_inserted(BARE + 4, 0x99999000, ROOT + 8);
	end();
}
END_TEST

START_TEST(what_is_no_caller_is_not_inserted)
{
	begin();
	is_not_inserted(LEAF + 4, 0, ROOT + 8);
	is_not_inserted(ROOT + 4, FRAME + 0x20, 0);
	is_not_inserted(SIGNAL + 4, FRAME + 0x20, 0);
	/* Nothing is mapped there, or there is no file. */
	is_not_inserted(0x50000, FRAME + 0x20, 0);
	naming_map(&n, 100, 0x50000, 0x1000, 0, "/gone");
	is_not_inserted(0x50000, 0x50010, 0);
	end();
}
END_TEST

START_TEST(a_signature_is_taken_off)
{
	begin();
	is_inserted(LEAF + 4, UINT64_C(0x2a) << 48 | (FRAME + 0x20), 0);
	end();
}
END_TEST

START_TEST(it_goes_behind_the_first_user_frame)
{
	begin();
	struct user_state state = state_of("aarch64");
	regs[1] = FRAME + 0x20;
	callchain_add(&chain, (struct callchain_frame){ .ip = UINT64_C(0xffff800008000000),
							.mode = CALLCHAIN_KERNEL });
	user_stack_add_leaf_caller(u, &state, &chain);
	ck_assert_uint_eq(chain.frames.count, 1);
	callchain_add(&chain, (struct callchain_frame){ .ip = LEAF + 4, .mode = CALLCHAIN_USER });
	user_stack_add_leaf_caller(u, &state, &chain);
	ck_assert_uint_eq(chain.frames.count, 3);
	ck_assert_uint_eq(chain.frames.at[2].ip, FRAME + 0x1f);
	end();
}
END_TEST

START_TEST(it_takes_a_link_register)
{
	begin();
	regs[1] = FRAME + 0x20;
	struct user_state state = state_of("x86_64");
	callchain_add(&chain, (struct callchain_frame){ .ip = LEAF + 4, .mode = CALLCHAIN_USER });
	user_stack_add_leaf_caller(u, &state, &chain);
	ck_assert_uint_eq(chain.frames.count, 1);
	/* And that it was recorded. */
	state = state_of("aarch64");
	state.regs_mask &= ~(UINT64_C(1) << X30);
	user_stack_add_leaf_caller(u, &state, &chain);
	ck_assert_uint_eq(chain.frames.count, 1);
	end();
}
END_TEST

/* FRAME was called by ROOT: x29 and x30 are on the stack at sp. */
static struct user_state state_of_frame(size_t copied)
{
	const uint64_t saved[] = { 0x7ff0, ROOT + 0x10 };

	regs[0] = regs[2] = 0x7fe0;
	regs[1] = LEAF + 4;
	regs[3] = FRAME + 0x10;
	bytes_start(&stack, false);
	put_u64s(&stack, saved, 2);
	put_zeros(&stack, 64 - stack.size);
	struct user_state state = state_of("aarch64");
	state.stack = stack.at;
	state.stack_size = copied;
	state.stack_asked = 64;
	return state;
}

START_TEST(a_stack_is_unwound_to_its_root)
{
	begin();
	struct user_state state = state_of_frame(64);
	ck_assert(user_stack_unwind(u, &state, 127, &chain));
	ck_assert_uint_eq(chain.frames.count, 2);
	ck_assert_uint_eq(chain.frames.at[0].ip, FRAME + 0x10);
	ck_assert_uint_eq(chain.frames.at[1].ip, ROOT + 0xf);
	ck_assert_int_eq(chain.frames.at[1].mode, CALLCHAIN_USER);
	ck_assert_uint_eq(user_stack_stats(u)->ends[UNWIND_ROOT], 1);
	end();
}
END_TEST

START_TEST(a_walk_that_did_not_reach_the_root_is_counted_by_its_reason)
{
	begin();
	struct user_state state = state_of_frame(64);
	ck_assert(!user_stack_unwind(u, &state, 1, &chain));
	ck_assert_uint_eq(chain.frames.count, 1);
	ck_assert_uint_eq(user_stack_stats(u)->ends[UNWIND_LIMIT], 1);

	callchain_reset(&chain);
	state = state_of_frame(8);
	state.stack_asked = 8;
	ck_assert(!user_stack_unwind(u, &state, 127, &chain));
	ck_assert_uint_eq(chain.frames.count, 1);
	ck_assert_uint_eq(user_stack_stats(u)->ends[UNWIND_CUT], 1);

	callchain_reset(&chain);
	naming_map(&n, 100, 0x50000, 0x1000, 0, "/gone");
	state = state_of_frame(64);
	regs[3] = 0x50010;
	regs[0] = regs[1] = 0;
	ck_assert(!user_stack_unwind(u, &state, 127, &chain));
	ck_assert_uint_eq(chain.frames.at[0].ip, 0x50010);
	ck_assert_uint_eq(user_stack_stats(u)->ends[UNWIND_NO_FILE], 1);
	ck_assert_str_eq(user_stack_stats(u)->no_file->name, "/gone");
	end();
}
END_TEST

START_TEST(no_frames_asked_for_are_none)
{
	begin();
	struct user_state state = state_of_frame(64);
	user_stack_unwind(u, &state, 0, &chain);
	ck_assert_uint_eq(chain.frames.count, 0);
	/* Without the instruction pointer there is no beginning. */
	state.regs_mask &= ~(UINT64_C(1) << PC);
	ck_assert(!user_stack_unwind(u, &state, 127, &chain));
	ck_assert_uint_eq(chain.frames.count, 0);
	ck_assert_uint_eq(user_stack_stats(u)->no_registers, 1);
	end();
}
END_TEST

CHECK_SUITE("user_stack", a_function_without_a_frame_has_its_caller_in_the_register,
	    a_function_that_saved_the_register_has_a_frame,
	    code_without_rules_is_believed_where_it_cannot_have_called, what_is_no_caller_is_not_inserted,
	    a_signature_is_taken_off, it_goes_behind_the_first_user_frame, it_takes_a_link_register,
	    a_stack_is_unwound_to_its_root, a_walk_that_did_not_reach_the_root_is_counted_by_its_reason,
	    no_frames_asked_for_are_none)
