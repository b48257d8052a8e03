#include "symbolize/stitch.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/xalloc.h"

#define BRANCH_WORDS 3

/* What is known of a thread. */
struct stack {
	uint32_t life;
	uint64_t hw_idx;
	VEC(uint64_t) branches; /* of its last sample */
	VEC(uint64_t) callers;	/* of the outermost of them; the outermost first */
};

struct stitch {
	uint32_t nr_registers;
	struct hash stacks; /* thread -> stack */
};

struct stitch *stitch_new(uint32_t nr_registers)
{
	struct stitch *s = xcalloc(1, sizeof(*s));

	s->nr_registers = nr_registers;
	return s;
}

void stitch_free(struct stitch *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->stacks.size; i++) {
		if (s->stacks.slots[i].value == HASH_NONE)
			continue;
		struct stack *stack = (struct stack *)(uintptr_t)s->stacks.slots[i].value;
		vec_free(&stack->branches);
		vec_free(&stack->callers);
		free(stack);
	}
	hash_free(&s->stacks);
	free(s);
}

static struct stack *stack_of(struct stitch *s, const struct stitch_sample *sample)
{
	const uint64_t key = (uintptr_t)sample->thread;
	struct stack *stack = hash_get_ptr(&s->stacks, key, 0);

	if (!stack) {
		stack = xcalloc(1, sizeof(*stack));
		stack->life = sample->life;
		hash_put_ptr(&s->stacks, key, 0, stack);
	}
	if (stack->life != sample->life) {
		stack->life = sample->life;
		vec_clear(&stack->branches);
		vec_clear(&stack->callers);
	}
	return stack;
}

static size_t count_branches(const struct stack *stack)
{
	return stack->branches.count / BRANCH_WORDS;
}

/*
 * Which branch of the last sample is in the register of this sample's outermost one? count_branches(): none.
 * Processors without such an index (architectural LBR) have UINT64_MAX for it; perf computes with that, too.
 */
static size_t same_register(const struct stitch *s, const struct stack *last,
			    const struct stitch_sample *sample)
{
	uint64_t nr = s->nr_registers;
	uint64_t base = nr - sample->nr_branches + sample->hw_idx + 1;
	uint64_t distance = last->hw_idx > base ? last->hw_idx - base : nr + last->hw_idx - base;

	return distance < count_branches(last) ? (size_t)distance : count_branches(last);
}

static bool same_branch(const struct stack *last, size_t theirs, const struct stitch_sample *sample,
			size_t ours)
{
	return !memcmp(last->branches.at + BRANCH_WORDS * theirs, sample->branches + BRANCH_WORDS * ours,
		       BRANCH_WORDS * sizeof(uint64_t));
}

/* The last sample's branches behind the common one are callers that this one has lost. False: not one stack.
 */
static bool take_lost(const struct stitch *s, struct stack *last, const struct stitch_sample *sample)
{
	size_t count = count_branches(last);

	if (!sample->nr_branches || sample->nr_branches > s->nr_registers)
		return false;
	size_t common = count ? same_register(s, last, sample) : 0;
	if (common >= count || !same_branch(last, common, sample, sample->nr_branches - 1))
		return false;
	for (size_t i = count - 1; i > common; i--)
		vec_push(&last->callers, last->branches.at[BRANCH_WORDS * i]);
	if (last->callers.count > STITCH_MAX)
		vec_remove(&last->callers, 0, last->callers.count - STITCH_MAX);
	return true;
}

static void remember(struct stack *stack, const struct stitch_sample *sample)
{
	size_t nr_words = BRANCH_WORDS * sample->nr_branches;

	vec_clear(&stack->branches);
	vec_reserve(&stack->branches, nr_words);
	if (nr_words)
		memcpy(stack->branches.at, sample->branches, nr_words * sizeof(uint64_t));
	stack->branches.count = nr_words;
	stack->hw_idx = sample->hw_idx;
}

void stitch_add(struct stitch *s, const struct stitch_sample *sample, struct callchain *c)
{
	struct stack *stack = stack_of(s, sample);

	if (!take_lost(s, stack, sample))
		vec_clear(&stack->callers);
	for (size_t i = stack->callers.count; i--;)
		callchain_add(c,
			      (struct callchain_frame){ .ip = stack->callers.at[i], .mode = CALLCHAIN_USER });
	remember(stack, sample);
}
