#include "symbolize/user_stack.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "symbolize/cfi.h"
#include "symbolize/dso.h"
#include "symbolize/image.h"
#include "symbolize/maps.h"
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
		dso->cfi = cfi_new(dso->binary, dso->debug, arch_by_elf(dso->binary->machine, dso->binary->word_size));
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

void user_stack_unwind(struct user_stack *u, const struct user_state *state, size_t max_frames,
		       struct callchain *chain)
{
	struct unwind_space space = {
		.arch = state->arch,
		.big_endian = u->big_endian,
		.maps = state->maps,
		.stack = state->stack,
		.stack_size = state->stack_size,
		.stack_whole = state->stack_size < state->stack_asked,
		.max_frames = max_frames,
		.ctx = u,
		.cfi_of = cfi_of,
		.read = read_file,
	};

	if (!max_frames || !unwind_regs_load(&u->regs, state->arch, state->regs_mask, state->regs,
					     (size_t)__builtin_popcountll(state->regs_mask)))
		return;
	unwind(&space, &u->regs, &u->stack);
	count_end(u);
	for (size_t i = 0; i < u->stack.frames.count; i++) {
		const struct unwind_frame *frame = &u->stack.frames.at[i];
		struct callchain_frame added = { .ip = frame->ip - !frame->exact, .mode = CALLCHAIN_USER };
		if (frame->ip)
			callchain_add(chain, added);
	}
}

/* Does the rule leave the return address in its register? */
static bool return_is_in_register(const struct cfi_rule *rule)
{
	if (rule->root || rule->signal_frame || rule->undefined[rule->return_reg / 64] >> rule->return_reg % 64 & 1)
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

bool user_stack_leaf_caller(struct user_stack *u, const struct user_state *state, uint64_t ip, uint64_t *ret)
{
	const struct arch *arch = state->arch;
	uint64_t lr;

	if (!arch->has_link_register || !recorded_reg(state, arch->reg_lr, &lr))
		return false;
	const struct map *map = symbolizer_map(u->symbolizer, state->maps, ip);
	struct cfi *cfi = map && !map->dso->identity ? cfi_of(u, map->dso) : NULL;
	const struct cfi_rule *rule = cfi ? cfi_find_offset(cfi, ip - map->start + map->pgoff) : NULL;
	if (!rule || !return_is_in_register(rule))
		return false;
	*ret = arch->clean_address ? arch->clean_address(lr) : lr;
	return *ret != 0;
}
