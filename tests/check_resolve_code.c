#include "resolve_code.h"

#include "config.h"

#include "events/perf_abi.h"
#include "tests/check_run.h"
#include "tests/naming.h"

#define BASE UINT64_C(0x555500001000)
#define AT(offset) (BASE - 0x1000 + (offset))
#define LEAF SPIN_LEAF
#define MID SPIN_MID
#define MAIN SPIN_MAIN
#define KERNEL UINT64_C(0xffffffff81000000)

static struct naming n;
static struct resolve *resolve;
static struct resolve_code *r;
static struct view view;

static void write_code(uint64_t offset, const char *bytes, size_t size)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/spin", n.root);
	int fd = open(path, O_WRONLY);
	ck_assert_int_eq(pwrite(fd, bytes, size, (off_t)offset), (ssize_t)size);
	close(fd);
}
#define CODE(offset, bytes) write_code(offset, bytes, sizeof(bytes) - 1)

static void begin(struct resolve_code_options options)
{
	naming_begin(&n, NULL);
	naming_file(&n, "/spin", (struct mkspin){ 0 });
	CODE(LEAF, "\xc4\x08\x00\x00"); /* no instruction */
	CODE(MID, "\x74\x02"		/* je mid+4 */
		  "\x90\x90"
		  "\x89\xc1" /* mid+4: mov */
		  "\xc3");
	CODE(MAIN, "\x55"
		   "\xe8\xba\xff\xff\xff" /* call mid */
		   "\xc3");
	naming_map(&n, 100, BASE, 0x1000, 0x1000, "/spin");
	machine_comm(n.machine, 100, 100, "spin", false);
	if (!options.arch)
		options.arch = arch_by_name("x86_64");
	resolve = resolve_new(n.machine, n.symbolizer, &(struct resolve_options){ .arch = options.arch });
	r = resolve_code_new(resolve, n.symbolizer, &options);
}

static void end(void)
{
	resolve_code_free(r);
	resolve_free(resolve);
	naming_end(&n);
}

static void look_at(const struct sample *sample)
{
	view = (struct view){ 0 };
	resolve_begin(resolve, n.machine, NULL, sample, &view);
	view.ip = symbolizer_at(n.symbolizer, resolve_maps(resolve, CPUMODE_USER), sample->ip, false);
}

static const struct view_insn *insn_at(uint64_t ip)
{
	struct sample sample = { .cpumode = CPUMODE_USER, .pid = 100, .tid = 100, .ip = ip };

	look_at(&sample);
	resolve_code_insn(r, &view);
	return view.insn;
}

START_TEST(an_instruction_is_cut_out_of_the_file)
{
	begin((struct resolve_code_options){ 0 });
	const struct view_insn *insn = insn_at(AT(MAIN + 1));
	ck_assert_ptr_nonnull(insn);
	ck_assert_uint_eq(insn->size, 5);
	ck_assert_uint_eq(insn->length, 5);
	ck_assert_mem_eq(insn->bytes, "\xe8\xba\xff\xff\xff", 5);
	ck_assert(insn->leaves);
	ck_assert_ptr_null(insn->mnemonic);
	ck_assert_ptr_null(view.insn_target.location);
	ck_assert_ptr_eq(insn_at(AT(MAIN + 1)), insn);
	ck_assert_ptr_null(insn_at(0x4000));
	end();
}
END_TEST

START_TEST(bytes_that_are_no_instruction_are_as_many_as_the_longest_has)
{
	begin((struct resolve_code_options){ 0 });
	const struct view_insn *insn = insn_at(AT(LEAF));
	ck_assert_uint_eq(insn->size, 15);
	ck_assert_uint_eq(insn->length, 0);
	end();
}
END_TEST

START_TEST(a_call_has_a_text_and_a_target)
{
	begin((struct resolve_code_options){ .disasm = true });
	const struct view_insn *insn = insn_at(AT(MAIN + 1));
#ifdef HAVE_CAPSTONE
	ck_assert_str_eq(insn->mnemonic, "callq");
	ck_assert_str_eq(insn->operands, "0x555500001140");
	ck_assert_uint_eq(insn->target, AT(MID));
	ck_assert_str_eq(view.insn_target.location->name, "mid");
	insn = insn_at(AT(MID + 4));
	ck_assert_str_eq(insn->mnemonic, "movl");
	ck_assert_str_eq(insn->operands, "%eax, %ecx");
	ck_assert_ptr_null(view.insn_target.location);
#else
	ck_assert_ptr_null(insn->mnemonic);
#endif
	ck_assert_ptr_null(insn_at(AT(LEAF))->mnemonic);
	end();
}
END_TEST

/* "main+0: 1b1" is a branch at main with the number 1, the first instruction after the one before; "2" an
 * instruction of two bytes. */
static const char *lines(void)
{
	static char text[1 << 16];
	size_t used = 0;

	ck_assert(view.has_code);
	text[0] = '\0';
	for (size_t i = 0; i < view.nr_code; i++) {
		const struct view_code_line *line = &view.code[i];
		char *at = text + used;
		size_t room = sizeof(text) - used;
		int length = line->insn ? line->insn->length : 0;
		switch (line->kind) {
		case VIEW_CODE_SYMBOL:
			used += (size_t)snprintf(at, room, "%s+%d: ", line->spot.location->name,
						 (int)spot_symoff(&line->spot));
			break;
		case VIEW_CODE_INSN:
			used += (size_t)snprintf(at, room, "%d ", length);
			break;
		case VIEW_CODE_BRANCH:
			used += (size_t)snprintf(at, room, "%db%u/%u ", length, line->branch, line->nr_insns);
			break;
		case VIEW_CODE_MISMATCH:
			used += (size_t)snprintf(at, room, "mismatch ");
			break;
		case VIEW_CODE_NOT_REACHED:
			used += (size_t)snprintf(at, room, "lost ");
			break;
		}
	}
	return text;
}

#define WALK(expected, at_ip, mode, ...)                                                                     \
	do {                                                                                                 \
		const struct branch_entry branches[] = { __VA_ARGS__ };                                      \
		struct sample sample = { .cpumode = mode,                                                    \
					 .pid = 100,                                                         \
					 .tid = 100,                                                         \
					 .ip = at_ip,                                                        \
					 .branches = branches,                                               \
					 .nr_branches = sizeof(branches) / sizeof(branches[0]) };            \
		look_at(&sample);                                                                            \
		resolve_code_branches(r, &view);                                                             \
		ck_assert_str_eq(lines(), expected);                                                         \
	} while (0)

#define CALL                                                                                                 \
	{                                                                                                    \
		AT(MAIN + 1), AT(MID), 0                                                                     \
	}
#define JE                                                                                                   \
	{                                                                                                    \
		AT(MID), AT(MID + 4), 0                                                                      \
	}

START_TEST(a_branch_stack_is_followed_to_the_sample)
{
	begin((struct resolve_code_options){ 0 });
	WALK("main+1: 5b1/0 mid+0: 2b0/1 2 1 ", AT(MID + 6), CPUMODE_USER, JE, CALL);
	WALK("main+1: 5b0/0 mid+0: 2 1 1 2 ", AT(MID + 4), CPUMODE_USER, CALL);
	WALK("main+1: 5b1/0 mid+0: 2 1 1 2 1b0/5 main+0: 1 ", AT(MAIN), CPUMODE_USER,
	     { AT(MID + 6), AT(MAIN), 0 }, CALL);
	end();
}
END_TEST

START_TEST(the_last_block_ends_where_it_must_have_left)
{
	begin((struct resolve_code_options){ 0 });
	WALK("mid+0: 2b0/0 2 1 lost ", AT(MID + 12), CPUMODE_USER, JE);
	WALK("mid+0: 2b0/0 2 1 lost ", AT(MID + 2), CPUMODE_USER, JE); /* the sample is before the target */
	WALK("mid+0: 2b0/0 ", AT(MID), CPUMODE_USER, JE);
	WALK("mid+0: 2b0/0 ", AT(MID + 6), CPUMODE_USER, { AT(MID), AT(MID + 4), 8 }); /* aborted */
	WALK("mid+0: 2b0/0 main+0: 1 5 lost ", AT(MAIN + 6), CPUMODE_USER, { AT(MID), AT(MAIN), 0 });
	WALK("mid+0: 2b0/0 leaf+0: 0 ", AT(LEAF + 4), CPUMODE_USER, { AT(MID), AT(LEAF), 0 });
	WALK("mid+0: 2b0/0 1 ", AT(MAIN), CPUMODE_USER, { AT(MID), 0x4000, 0 });
	end();
}
END_TEST

START_TEST(code_that_does_not_fit_the_branches_is_told)
{
	begin((struct resolve_code_options){ 0 });
	/* past the place: as far as a branch that begins there could reach */
	WALK("mid+0: 2b1/0 main+0: 1 5 1 2 2 2 2 2 mismatch ", AT(MAIN + 2), CPUMODE_USER,
	     { AT(MAIN + 2), 0x4000, 0 }, { AT(MID), AT(MAIN), 0 });
	WALK("mid+0: 2b1/0 leaf+0: 0 mismatch ", AT(LEAF + 2), CPUMODE_USER, { AT(LEAF + 2), 0x4000, 0 },
	     { AT(MID), AT(LEAF), 0 });
	end();
}
END_TEST

START_TEST(what_has_no_code_is_left_out)
{
	begin((struct resolve_code_options){ 0 });
	WALK("", 0x4000, CPUMODE_USER, { 0, 0, 0 });
	WALK("mid+0: 2b0/1 2 1 ", AT(MID + 6), CPUMODE_USER, JE, { 0x4000, AT(MID), 0 });
	WALK("mid+0: 2b1/0 2 ", AT(MID + 4), CPUMODE_USER, { 0x5000, AT(MID + 4), 0 },
	     { AT(MID), 0x4000, 0 });
	/* nothing goes back, and nothing is longer than perf shows */
	WALK("mid+0: 2b1/0 ", 0x4000, CPUMODE_USER, { AT(MID), 0x4000, 0 }, JE);
	WALK("mid+0: 2b1/0 ", 0x4000, CPUMODE_USER, { AT(MID + 16374), 0x4000, 0 }, JE);
	struct sample none = { .cpumode = CPUMODE_USER };
	look_at(&none);
	resolve_code_branches(r, &view);
	ck_assert(!view.has_code);
	end();
}
END_TEST

START_TEST(a_branch_into_the_kernel_that_is_missing_is_stepped_over)
{
	begin((struct resolve_code_options){ 0 });
	WALK("main+1: 5b2/0 mid+0: 2b0/1 2 1 ", AT(MID + 6), CPUMODE_USER, JE, { KERNEL, AT(MID), 0 }, CALL);
	WALK("main+1: 5b1/0 mid+0: 2 ", AT(MID), CPUMODE_USER, { KERNEL, AT(MID), 0 }, CALL);
	end();
}
END_TEST

START_TEST(blocks_can_be_limited)
{
	begin((struct resolve_code_options){ .max_blocks = 1 });
	WALK("main+1: 5b1/0 mid+0: 2b0/1 2 1 ", AT(MID + 6), CPUMODE_USER, JE, CALL, JE, JE, JE);
	end();
}
END_TEST

/* The kernel's code is not told by its addresses there. */
START_TEST(one_address_space_is_that_of_the_sample)
{
	begin((struct resolve_code_options){ .arch = arch_by_name("s390x") });
	WALK("main+1: 5b0/0 mid+0: 2 1 1 2 ", AT(MID + 4), CPUMODE_USER, CALL);
	WALK("", AT(MID + 4), CPUMODE_KERNEL, CALL);
	end();
}
END_TEST

START_TEST(forged_stacks_do_not_fill_the_memory)
{
	enum { BRANCHES = 500 };
	static struct branch_entry branches[BRANCHES];
	struct sample sample = {
		.cpumode = CPUMODE_USER,
		.pid = 100,
		.tid = 100,
		.ip = AT(MID),
		.branches = branches,
		.nr_branches = BRANCHES,
	};

	begin((struct resolve_code_options){ 0 });
	for (int i = 0; i < BRANCHES; i++)
		branches[i] = (struct branch_entry){ AT(0x1ff0), AT(MAIN + 8), 0 };
	look_at(&sample);
	resolve_code_branches(r, &view);
	ck_assert_uint_gt(view.nr_code, 200000);
	ck_assert_uint_lt(view.nr_code, 300000);
	end();
}
END_TEST

CHECK_SUITE("resolve_code", an_instruction_is_cut_out_of_the_file,
	    bytes_that_are_no_instruction_are_as_many_as_the_longest_has, a_call_has_a_text_and_a_target,
	    a_branch_stack_is_followed_to_the_sample, the_last_block_ends_where_it_must_have_left,
	    code_that_does_not_fit_the_branches_is_told, what_has_no_code_is_left_out,
	    a_branch_into_the_kernel_that_is_missing_is_stepped_over, blocks_can_be_limited,
	    one_address_space_is_that_of_the_sample, forged_stacks_do_not_fill_the_memory)
