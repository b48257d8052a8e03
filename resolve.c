#include "resolve.h"

#include <stdlib.h>

#include "symbolize/callchain.h"
#include "symbolize/user_stack.h"
#include "util/vec.h"
#include "util/xalloc.h"

struct resolve {
	struct machine *machine;
	struct symbolizer *symbolizer;
	struct resolve_options options;
	struct user_stack *user_stack;
	struct thread *thread; /* of the sample */
	struct callchain chain;
	VEC(struct view_frame) frames;
	VEC(const struct location *) branches;
	/* The user part of deferred chains: */
	bool has_late;
	uint64_t late_cookie;
	VEC(uint64_t) late;
};

struct resolve *resolve_new(struct machine *machine, struct symbolizer *symbolizer,
			    const struct resolve_options *options)
{
	struct resolve *r = xcalloc(1, sizeof(*r));

	r->machine = machine;
	r->symbolizer = symbolizer;
	r->options = *options;
	r->user_stack = user_stack_new(symbolizer, options->big_endian);
	return r;
}

void resolve_free(struct resolve *r)
{
	if (!r)
		return;
	user_stack_free(r->user_stack);
	callchain_free(&r->chain);
	vec_free(&r->frames);
	vec_free(&r->branches);
	vec_free(&r->late);
	free(r);
}

bool resolve_begin(struct resolve *r, const struct event *event, const struct sample *sample, struct view *view)
{
	r->thread = machine_thread(r->machine, sample->pid, sample->tid);
	*view = (struct view){
		.event = event,
		.sample = sample,
		.comm = r->thread->comm,
		.pid = r->thread->pid,
		.tid = r->thread->tid,
		.time = sample->time,
		.arch = r->options.arch,
	};
	symbolizer_next_sample(r->symbolizer);
	return sample->cpumode != CPUMODE_GUEST_KERNEL && sample->cpumode != CPUMODE_GUEST_USER;
}

/* NULL: nothing is known of that mode's address space. */
static const struct maps *maps_of_cpumode(struct resolve *r, unsigned cpumode)
{
	switch (cpumode) {
	case CPUMODE_KERNEL:
		return symbolizer_kernel_maps(r->symbolizer);
	case CPUMODE_USER:
		return r->thread->maps;
	default:
		return NULL;
	}
}

static const struct maps *maps_of_mode(struct resolve *r, enum callchain_mode mode)
{
	switch (mode) {
	case CALLCHAIN_KERNEL:
		return symbolizer_kernel_maps(r->symbolizer);
	case CALLCHAIN_USER:
		return r->thread->maps;
	default:
		return NULL;
	}
}

void resolve_ip(struct resolve *r, struct view *view)
{
	const struct sample *sample = view->sample;

	view->ip = symbolizer_at(r->symbolizer, maps_of_cpumode(r, sample->cpumode), sample->ip, false);
}

/*
 * Data addresses and branches need not be of the sample's own mode: what is not mapped there is looked up by
 * where the architecture puts its kernel, if it tells the two apart (facts/02 section 5).
 */
static const struct location *any_mode_at(struct resolve *r, uint64_t address, unsigned cpumode)
{
	const struct location *location =
		symbolizer_at(r->symbolizer, maps_of_cpumode(r, cpumode), address, false);
	uint64_t kernel_start = r->options.arch->kernel_start;

	if (location->dso || !kernel_start)
		return location;
	unsigned other = address >= kernel_start ? CPUMODE_KERNEL : CPUMODE_USER;
	return symbolizer_at(r->symbolizer, maps_of_cpumode(r, other), address, false);
}

void resolve_addr(struct resolve *r, struct view *view)
{
	view->addr = any_mode_at(r, view->sample->addr, view->sample->cpumode);
}

void resolve_branches(struct resolve *r, struct view *view)
{
	const struct sample *sample = view->sample;

	vec_clear(&r->branches);
	vec_reserve(&r->branches, 2 * sample->nr_branches);
	for (uint64_t i = 0; i < sample->nr_branches; i++) {
		r->branches.at[2 * i] = any_mode_at(r, sample->branches[i].from, sample->cpumode);
		r->branches.at[2 * i + 1] = any_mode_at(r, sample->branches[i].to, sample->cpumode);
	}
	view->branches = r->branches.at;
}

/* An address with bits in it that belong to no address (pointer authentication, tags) is mapped without them. */
static const struct location *frame_location(struct resolve *r, const struct callchain_frame *frame)
{
	const struct maps *maps = maps_of_mode(r, frame->mode);
	const struct arch *arch = r->options.arch;
	bool is_return = frame->is_return && frame->mode == CALLCHAIN_USER;
	const struct location *location = symbolizer_at(r->symbolizer, maps, frame->ip, is_return);

	if (location->dso || !arch->clean_address || arch->clean_address(frame->ip) == frame->ip)
		return location;
	return symbolizer_at(r->symbolizer, maps, arch->clean_address(frame->ip), is_return);
}

static void fill_frames(struct resolve *r, struct view *view)
{
	const struct location *nowhere = symbolizer_nowhere(r->symbolizer);
	size_t count = r->chain.frames.count;

	vec_reserve(&r->frames, count);
	for (size_t i = 0; i < count; i++) {
		const struct callchain_frame *frame = &r->chain.frames.at[i];
		r->frames.at[i] = (struct view_frame){
			.ip = frame->ip,
			.location = frame->is_cookie ? nowhere : frame_location(r, frame),
			.is_cookie = frame->is_cookie,
		};
	}
	view->frames = r->frames.at;
	view->nr_frames = count;
}

void resolve_set_late_chain(struct resolve *r, const struct record *record, bool big_endian)
{
	r->has_late = record;
	vec_clear(&r->late);
	if (!record)
		return;
	r->late_cookie = record->deferred.cookie;
	for (uint64_t i = 0; i < record->deferred.nr; i++)
		vec_push(&r->late, record_deferred_ip(record, i, big_endian));
}

static bool late_fits(const struct resolve *r, const struct sample *sample)
{
	uint64_t cookie;

	return r->has_late && callchain_is_deferred(sample->chain, sample->nr_chain, &cookie) &&
	       cookie == r->late_cookie;
}

/* The late part takes the place of the cookie. */
static void add_late(struct resolve *r, const struct sample *sample)
{
	if (callchain_add_recorded(&r->chain, sample->chain, sample->nr_chain - 1, r->options.max_stack))
		callchain_add_recorded(&r->chain, r->late.at, r->late.count, r->options.max_stack);
}

static void add_recorded(struct resolve *r, const struct event *event, const struct sample *sample)
{
	if (event->attr.branch_sample_type & BRANCH_CALL_STACK && sample->nr_branches)
		callchain_add_lbr(&r->chain, sample->chain, sample->nr_chain, r->options.max_stack, sample->ip,
				  (const uint64_t *)sample->branches, sample->nr_branches);
	else if (late_fits(r, sample))
		add_late(r, sample);
	else
		callchain_add_recorded(&r->chain, sample->chain, sample->nr_chain, r->options.max_stack);
}

/* A sample's ABI says whether it was of a 32-bit program (1) or not (2). */
static struct user_state user_state(const struct resolve *r, const struct event *event, const struct sample *sample)
{
	const struct arch *arch = r->options.arch;

	if (sample->user_regs.abi == 1 && arch->word_size == 8 && arch->compat)
		arch = arch->compat;
	return (struct user_state){
		.arch = arch,
		.maps = r->thread->maps,
		.regs_mask = sample->user_regs.mask,
		.regs = sample->user_regs.values,
		.stack = sample->stack,
		.stack_size = sample->stack_size,
		.stack_asked = event->attr.sample_stack_user,
	};
}

/* Recorded registers say more of the user stack: all of it with a copy of the stack, else the leaf's caller. */
static void add_unwound(struct resolve *r, const struct event *event, const struct sample *sample)
{
	if (!sample->user_regs.abi || !sample->user_regs.values)
		return;
	struct user_state state = user_state(r, event, sample);
	if (sample->stack_size)
		user_stack_unwind(r->user_stack, &state, r->options.max_stack, &r->chain);
	else if (!(event->attr.sample_type & SAMPLE_STACK_USER))
		user_stack_add_leaf_caller(r->user_stack, &state, &r->chain);
}

void resolve_chain(struct resolve *r, struct view *view)
{
	if (!(view->event->attr.sample_type & SAMPLE_CALLCHAIN))
		return;
	callchain_reset(&r->chain);
	add_recorded(r, view->event, view->sample);
	add_unwound(r, view->event, view->sample);
	fill_frames(r, view);
	view->has_chain = true;
}

/* Whose comm the line begins with: the task in the record's body, else the one that was running. */
static void record_task(const struct record *record, int32_t *pid, int32_t *tid)
{
	*pid = record->sid.pid;
	*tid = record->sid.tid;
	switch (record->type) {
	case RECORD_COMM:
		*pid = (int32_t)record->comm.pid;
		*tid = (int32_t)record->comm.tid;
		break;
	case RECORD_MMAP:
	case RECORD_MMAP2:
		*pid = (int32_t)record->mmap.pid;
		*tid = (int32_t)record->mmap.tid;
		break;
	case RECORD_FORK:
	case RECORD_EXIT:
		*pid = (int32_t)record->task.pid;
		*tid = (int32_t)record->task.tid;
		break;
	case RECORD_NAMESPACES:
		*pid = (int32_t)record->namespaces.pid;
		*tid = (int32_t)record->namespaces.tid;
		break;
	default:
		break;
	}
}

void resolve_record(struct resolve *r, const struct event *event, const struct record *record,
		    struct view_record *view)
{
	int32_t pid, tid;

	record_task(record, &pid, &tid);
	const struct thread *thread = machine_thread(r->machine, pid, tid);
	*view = (struct view_record){ event, record, thread->comm, thread->pid, thread->tid, NULL };
	if (record->type == RECORD_TEXT_POKE)
		view->addr = symbolizer_at(r->symbolizer, symbolizer_kernel_maps(r->symbolizer),
					   record->text_poke.addr, false);
}
