#include "symbolize/user_stack.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "symbolize/cfi.h"
#include "symbolize/dso.h"
#include "symbolize/image.h"
#include "symbolize/maps.h"
#include "util/cursor.h"
#include "util/xalloc.h"

struct user_stack {
	struct symbolizer *symbolizer;
	bool big_endian;
	const struct user_state *state; /* of the walk that goes on */
	struct unwind_stack stack;
	struct unwind_regs regs;
	struct user_stack_stats stats;
};

struct user_stack *user_stack_new(struct symbolizer *symbolizer, bool big_endian)
{
	struct user_stack *u = xcalloc(1, sizeof(*u));

	u->symbolizer = symbolizer;
	u->big_endian = big_endian;
	return u;
}

void user_stack_free(struct user_stack *u)
{
	if (!u)
		return;
	unwind_stack_free(&u->stack);
	free(u);
}

const struct user_stack_stats *user_stack_stats(const struct user_stack *u)
{
	return &u->stats;
}

static struct cfi *cfi_of(void *ctx, struct dso *dso)
{
	struct user_stack *u = ctx;

	if (dso->cfi_tried)
		return dso->cfi;
	symbolizer_load(u->symbolizer, dso);
	dso->cfi_tried = true;
	if (dso->binary)
		dso->cfi = cfi_new(dso->binary, dso->debug,
				   arch_by_elf(dso->binary->machine, dso->binary->word_size));
	else if (dso->jit)
		dso->cfi = cfi_new_jit(dso->jit);
	return dso->cfi;
}

/* Read-only data of a file is as good as memory that was copied. */
static bool read_file(void *ctx, const struct map *map, uint64_t address, void *ret, size_t size)
{
	struct user_stack *u = ctx;
	size_t got;

	if (map->dso->identity)
		return false;
	symbolizer_load(u->symbolizer, map->dso);
	if (!map->dso->binary)
		return false;
	const uint8_t *bytes = image_bytes(map->dso->binary, address - map->start + map->pgoff, size, &got);
	if (!bytes || got < size)
		return false;
	memcpy(ret, bytes, size);
	return true;
}

static void count_end(struct user_stack *u)
{
	enum unwind_end end = u->stack.end;

	u->stats.ends[end]++;
	if (end == UNWIND_NO_RULES && !u->stats.no_rules)
		u->stats.no_rules = u->stack.blame;
	if (end == UNWIND_NO_FILE && !u->stats.no_file)
		u->stats.no_file = u->stack.blame;
}

bool user_stack_unwind(struct user_stack *u, const struct user_state *state, size_t max_frames,
		       struct callchain *chain)
{
	struct unwind_space space = {
		.arch = state->arch,
		.big_endian = u->big_endian,
		.maps = state->maps,
		.stack = state->stack,
		.stack_size = state->stack_size,
		.stack_short = state->stack_size < state->stack_asked,
		.max_frames = max_frames,
		.ctx = u,
		.cfi_of = cfi_of,
		.read = read_file,
	};

	if (!max_frames)
		return false;
	if (!unwind_regs_load(&u->regs, state->arch, state->regs_mask, state->regs,
			      (size_t)__builtin_popcountll(state->regs_mask))) {
		u->stats.no_registers++;
		return false;
	}
	unwind(&space, &u->regs, &u->stack);
	count_end(u);
	for (size_t i = 0; i < u->stack.frames.count; i++) {
		const struct unwind_frame *frame = &u->stack.frames.at[i];
		struct callchain_frame added = { .ip = frame->ip - !frame->exact, .mode = CALLCHAIN_USER };
		if (frame->ip)
			callchain_add(chain, added);
	}
	return u->stack.end == UNWIND_ROOT;
}

/* Does the rule leave the return address in its register? */
static bool return_is_in_register(const struct cfi_rule *rule)
{
	if (rule->root || rule->signal_frame ||
	    rule->undefined[rule->return_reg / 64] >> rule->return_reg % 64 & 1)
		return false;
	for (unsigned i = 0; i < rule->nr_regs; i++) {
		if (rule->regs[i].reg == rule->return_reg)
			return false;
	}
	return true;
}

static bool recorded_reg(const struct user_state *state, int number, uint64_t *ret)
{
	int index = arch_reg_index(state->regs_mask, number);

	if (index < 0)
		return false;
	*ret = state->regs[index];
	return true;
}

static uint32_t insn_at(const struct image *image, uint64_t offset, bool big_endian)
{
	size_t got;
	const uint8_t *bytes = image_bytes(image, offset, 4, &got);

	return bytes && got == 4 ? load_u32(bytes, big_endian) : 0;
}

/*
 * The return address is saved, but the frame pointer is still the caller's when the next instruction sets it.
 * No call can have come in between.
 */
static bool is_making_frame(const struct user_stack *u, const struct arch *arch, const struct dso *dso,
			    uint64_t offset)
{
	/* arm64 code is little-endian also on big-endian machines. */
	bool big_code = u->big_endian && arch->elf_machine != EM_AARCH64;

	return arch->make_frame_mask && dso->binary &&
	       (insn_at(dso->binary, offset, big_code) & arch->make_frame_mask) == arch->make_frame_insn;
}

static bool is_in_plt(const struct dso *dso, uint64_t offset)
{
	GElf_Shdr plt;

	return dso->binary && image_section(dso->binary, ".plt", &plt) && offset >= plt.sh_offset &&
	       offset - plt.sh_offset < plt.sh_size;
}

static const struct cfi_rule *rule_at(struct user_stack *u, const struct user_state *state, uint64_t address,
				      const struct map **ret_map)
{
	const struct map *map = *ret_map = symbolizer_map(u->symbolizer, state->maps, address);
	struct cfi *cfi = map && !map->dso->identity ? cfi_of(u, map->dso) : NULL;

	return cfi ? cfi_find_offset(cfi, address - map->start + map->pgoff) : NULL;
}

/*
 * Is @lr, where the program was at @ip, a return address that the frame pointer does not lead to yet?
 *
 * With a rule for @ip: when the function has not saved it, or is just doing so. Without one, when it points
 * into a function that has rules: so the one at @ip has not called anything. But it may have made a frame,
 * and then that is @next already. PLT entries never make one.
 */
static bool hides_caller(struct user_stack *u, const struct user_state *state, uint64_t ip, uint64_t lr,
			 uint64_t next)
{
	const struct map *map, *lr_map;
	const struct cfi_rule *rule = rule_at(u, state, ip, &map);

	if (!map)
		return false;
	uint64_t offset = ip - map->start + map->pgoff;
	if (rule && rule->from_code)
		return return_is_in_register(rule) && rule_at(u, state, lr - 1, &lr_map);
	if (rule)
		return return_is_in_register(rule) || (!rule->root && !rule->signal_frame &&
						       is_making_frame(u, state->arch, map->dso, offset));
	const struct cfi_rule *lr_rule = rule_at(u, state, lr - 1, &lr_map);
	return lr_rule && !lr_rule->from_code && (lr != next || is_in_plt(map->dso, offset));
}

static size_t first_user_frame(const struct callchain *chain)
{
	size_t i = 0;

	while (i < chain->frames.count && chain->frames.at[i].mode != CALLCHAIN_USER)
		i++;
	return i;
}

void user_stack_add_leaf_caller(struct user_stack *u, const struct user_state *state, struct callchain *chain)
{
	const struct arch *arch = state->arch;
	size_t leaf = first_user_frame(chain);
	uint64_t lr;

	if (leaf == chain->frames.count || !arch->has_link_register ||
	    !recorded_reg(state, arch->reg_lr, &lr))
		return;
	if (arch->clean_address)
		lr = arch->clean_address(lr);
	uint64_t next = leaf + 1 < chain->frames.count ? chain->frames.at[leaf + 1].ip : 0;
	if (!lr || !hides_caller(u, state, chain->frames.at[leaf].ip, lr, next))
		return;
	struct callchain_frame frame = { .ip = lr - 1, .mode = CALLCHAIN_USER };
	vec_insert(&chain->frames, leaf + 1, frame);
}
