#include "resolve.h"

#include <stdlib.h>
#include <string.h>

#include "symbolize/callchain.h"
#include "symbolize/stitch.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define RECENT_CHAINS 16

/* The last chain of a process. */
struct recent_chain {
	uint64_t user_generation, kernel_generation; /* of the maps that it was looked up in */
	struct callchain_frame *frames;
	struct view_frame *views;
	size_t room, count; /* of both arrays; what counts is at their ends */
};

struct resolve {
	struct machine *host;
	struct machine *machine; /* of the sample */
	struct symbolizer *symbolizer;
	struct resolve_options options;
	struct user_stack *user_stack;
	struct thread *thread;		/* of the sample */
	struct thread guest_code;	/* which it is when a guest runs its host process's code */
	const struct maps *chain_maps;	/* of the user part of the sample's chain */
	const struct maps *kernel_maps; /* NULL: not asked for yet by this sample */
	struct stitch *stitch; /* NULL: --stitch-lbr is not wanted or not possible */
	struct callchain chain;
	struct recent_chain recent[RECENT_CHAINS];
	VEC(struct symbolizer_query) queries; /* of frames that are looked up */
	VEC(struct spot) branches;
	/* The user part of deferred chains: */
	bool has_late;
	uint64_t late_cookie;
	VEC(uint64_t) late;
	VEC(uint64_t) whole; /* a chain with its late part */
};

struct resolve *resolve_new(struct machine *host, struct symbolizer *symbolizer,
			    const struct resolve_options *options)
{
	struct resolve *r = xcalloc(1, sizeof(*r));

	r->host = host;
	r->symbolizer = symbolizer;
	r->options = *options;
	r->chain.has_calls = options->chains_of_calls;
	r->user_stack = user_stack_new(symbolizer, options->big_endian);
	r->stitch = options->lbr_registers ? stitch_new(options->lbr_registers) : NULL;
	return r;
}

void resolve_free(struct resolve *r)
{
	if (!r)
		return;
	user_stack_free(r->user_stack);
	stitch_free(r->stitch);
	callchain_free(&r->chain);
	for (size_t i = 0; i < RECENT_CHAINS; i++) {
		free(r->recent[i].frames);
		free(r->recent[i].views);
	}
	vec_free(&r->branches);
	vec_free(&r->queries);
	vec_free(&r->late);
	vec_free(&r->whole);
	free(r);
}

/* All that such a guest does is said to be done by one task of it, at its host process's addresses. */
static struct thread *guest_code_thread(struct resolve *r, const struct sample *sample)
{
	const struct thread *process = machine_find_thread(r->host, sample->pid);

	r->guest_code = *machine_thread(r->machine, sample->pid, sample->pid);
	r->guest_code.tid = sample->tid;
	if (process && !maps_count(r->guest_code.maps))
		r->guest_code.maps = process->maps;
	return &r->guest_code;
}

static bool is_guest(const struct resolve *r)
{
	return machine_number(r->machine);
}

bool resolve_begin(struct resolve *r, struct machine *machine, const struct event *event,
		   const struct sample *sample, struct view *view)
{
	r->machine = machine;
	r->thread = r->options.guest_code && is_guest(r) ? guest_code_thread(r, sample)
							 : machine_thread(machine, sample->pid, sample->tid);
	r->kernel_maps = NULL;
	view->event = event;
	view->sample = sample;
	view->comm = r->thread->comm;
	view->pid = r->thread->pid;
	view->tid = r->thread->tid;
	view->time = sample->time;
	view->arch = r->options.arch;
	view->ip = (struct spot){ 0 };
	symbolizer_next_sample(r->symbolizer);
	if (r->thread->before_exec && sample->cpumode == CPUMODE_USER)
		machine_end_exec(machine, r->thread);
	return !cpumode_is_guest(sample->cpumode) || is_guest(r);
}

static const struct maps *kernel_maps(struct resolve *r)
{
	if (!r->kernel_maps)
		r->kernel_maps = symbolizer_kernel_maps(r->symbolizer, r->machine);
	return r->kernel_maps;
}

const struct maps *resolve_maps(struct resolve *r, unsigned cpumode)
{
	switch (cpumode) {
	case CPUMODE_KERNEL:
		return kernel_maps(r);
	case CPUMODE_USER:
		return r->thread->maps;
	case CPUMODE_GUEST_KERNEL:
		return is_guest(r) ? kernel_maps(r) : NULL;
	case CPUMODE_GUEST_USER:
		return is_guest(r) ? r->thread->maps : NULL;
	default:
		return NULL;
	}
}

static const struct maps *maps_of_mode(struct resolve *r, enum callchain_mode mode)
{
	switch (mode) {
	case CALLCHAIN_KERNEL:
		return kernel_maps(r);
	case CALLCHAIN_USER:
		return r->chain_maps;
	default:
		return NULL;
	}
}

void resolve_ip(struct resolve *r, struct view *view)
{
	const struct sample *sample = view->sample;

	view->ip = symbolizer_at(r->symbolizer, resolve_maps(r, sample->cpumode), sample->ip, false);
}

struct resolve_asked resolve_ask_ip(struct resolve *r, struct view *view)
{
	const struct sample *sample = view->sample;
	const struct maps *maps = resolve_maps(r, sample->cpumode);

	return (struct resolve_asked){ view, symbolizer_ask(r->symbolizer, maps, sample->ip, false) };
}

void resolve_answer_ips(struct resolve *r, const struct resolve_asked *asked, size_t count)
{
	for (size_t i = 0; i < count; i++)
		symbolizer_fetch(&asked[i].ip);
	for (size_t i = 0; i < count; i++) {
		asked[i].view->ip = symbolizer_answer(r->symbolizer, &asked[i].ip);
		location_fetch(asked[i].view->ip.location);
	}
	for (size_t i = 0; i < count; i++) {
		const struct location *location = asked[i].view->ip.location;
		symbolizer_next_sample(r->symbolizer);
		symbolizer_count_unknown(r->symbolizer, location);
		location_fetch_text(location);
	}
}

/*
 * Data addresses and branches need not be of the sample's own mode: what is not mapped there is looked up by
 * where the architecture puts its kernel (as in perf 7.2). Where addresses do not tell the two apart, code
 * that is not mapped in one mode is the other's; data of the kernel is mapped nowhere.
 */
static struct spot any_mode_at(struct resolve *r, uint64_t address, unsigned cpumode, bool is_code)
{
	struct spot spot = symbolizer_at(r->symbolizer, resolve_maps(r, cpumode), address, false);
	uint64_t kernel_start = r->options.arch->kernel_start;

	if (spot.location->dso || (!kernel_start && !is_code))
		return spot;
	bool of_user = cpumode == CPUMODE_USER || cpumode == CPUMODE_GUEST_USER;
	bool in_kernel = kernel_start ? address >= kernel_start : of_user;
	unsigned other = in_kernel ? CPUMODE_KERNEL : CPUMODE_USER;
	return symbolizer_at(r->symbolizer, resolve_maps(r, other), address, false);
}

void resolve_addr(struct resolve *r, struct view *view)
{
	view->addr = any_mode_at(r, view->sample->addr, view->sample->cpumode, false);
}

void resolve_branches(struct resolve *r, struct view *view)
{
	const struct sample *sample = view->sample;

	vec_clear(&r->branches);
	vec_reserve(&r->branches, 2 * sample->nr_branches);
	for (uint64_t i = 0; i < sample->nr_branches; i++) {
		r->branches.at[2 * i] = any_mode_at(r, sample->branches[i].from, sample->cpumode, true);
		r->branches.at[2 * i + 1] = any_mode_at(r, sample->branches[i].to, sample->cpumode, true);
	}
	view->branches = r->branches.at;
}

/* Bits that belong to no address (pointer authentication, tags) are left out to find what is mapped there. */
static struct symbolizer_query frame_query(struct resolve *r, const struct callchain_frame *frame)
{
	const struct maps *maps = maps_of_mode(r, frame->mode);
	const struct arch *arch = r->options.arch;
	bool is_return = frame->is_return && frame->mode == CALLCHAIN_USER;

	if (frame->is_cookie)
		return (struct symbolizer_query){ 0 };
	struct symbolizer_query query = symbolizer_ask(r->symbolizer, maps, frame->ip, is_return);
	if (query.dso || !arch->clean_address || arch->clean_address(frame->ip) == frame->ip)
		return query;
	return symbolizer_ask(r->symbolizer, maps, arch->clean_address(frame->ip), is_return);
}

static bool same_frame(const struct callchain_frame *a, const struct callchain_frame *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* How many frames the chain has in common with @recent, counted from the outermost. */
static size_t count_same(const struct recent_chain *recent, const struct callchain *chain)
{
	size_t count = chain->frames.count < recent->count ? chain->frames.count : recent->count;
	const struct callchain_frame *ours = chain->frames.at + chain->frames.count;
	const struct callchain_frame *theirs = recent->frames + recent->room;
	size_t same = 0;

	while (same < count && same_frame(ours - same - 1, theirs - same - 1))
		same++;
	return same;
}

/* The chain that this process had last, if its place was not taken by another; else an empty one. */
static struct recent_chain *find_recent(struct resolve *r)
{
	uint64_t user = maps_generation(r->chain_maps);
	uint64_t kernel = maps_generation(machine_kernel_maps(r->machine));

	struct recent_chain *recent = &r->recent[user % RECENT_CHAINS];
	if (recent->user_generation != user || recent->kernel_generation != kernel)
		recent->count = 0;
	recent->user_generation = user;
	recent->kernel_generation = kernel;
	return recent;
}

/* Both arrays are filled from their ends, so that common outer frames stay where they are. */
static void reserve_recent(struct recent_chain *recent, size_t count)
{
	if (count <= recent->room)
		return;
	size_t room = 2 * count, keep = recent->count;
	struct callchain_frame *frames = xreallocarray(NULL, room, sizeof(*frames));
	struct view_frame *views = xreallocarray(NULL, room, sizeof(*views));
	if (keep) {
		memcpy(frames + room - keep, recent->frames + recent->room - keep, keep * sizeof(*frames));
		memcpy(views + room - keep, recent->views + recent->room - keep, keep * sizeof(*views));
	}
	free(recent->frames);
	free(recent->views);
	recent->frames = frames;
	recent->views = views;
	recent->room = room;
}

/* Look the first @count frames of the chain up: what is known of them is all over memory, so ask for all
 * first. */
static void resolve_frames(struct resolve *r, struct view_frame *ret, size_t count)
{
	vec_reserve(&r->queries, count);
	for (size_t i = 0; i < count; i++)
		r->queries.at[i] = frame_query(r, &r->chain.frames.at[i]);
	for (size_t i = 0; i < count; i++)
		symbolizer_fetch(&r->queries.at[i]);
	for (size_t i = 0; i < count; i++) {
		const struct callchain_frame *frame = &r->chain.frames.at[i];
		struct spot spot = symbolizer_answer(r->symbolizer, &r->queries.at[i]);
		ret[i] = (struct view_frame){ frame->ip, spot, frame->is_cookie, false };
		location_fetch(spot.location);
	}
	for (size_t i = 0; i < count; i++) {
		const struct location *location = ret[i].spot.location;
		ret[i].unknown = !location->name && location->dso;
	}
}

/* Also of frames that were not looked up again. */
static void count_unknown(struct resolve *r, const struct view_frame *frames, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (frames[i].unknown)
			symbolizer_count_unknown(r->symbolizer, frames[i].spot.location);
	}
}

static void fill_frames(struct resolve *r, struct view *view)
{
	size_t count = r->chain.frames.count;
	struct recent_chain *recent = find_recent(r);
	size_t same = count_same(recent, &r->chain);

	recent->count = same;
	reserve_recent(recent, count);
	struct view_frame *views = recent->views + recent->room - count;
	resolve_frames(r, views, count - same);
	count_unknown(r, views, count);
	if (count > same) /* no chain at all has no memory yet */
		memcpy(recent->frames + recent->room - count, r->chain.frames.at,
		       (count - same) * sizeof(*recent->frames));
	view->frames = views;
	view->nr_frames = count;
	recent->count = count;
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

/* A late part is searched for the place of the branches, too. */
static void add_lbr(struct resolve *r, const struct sample *sample)
{
	const uint64_t *chain = sample->chain;
	size_t nr = sample->nr_chain;

	if (late_fits(r, sample)) {
		size_t nr_early = nr - 1;
		nr = nr_early + r->late.count;
		vec_reserve(&r->whole, nr);
		memcpy(r->whole.at, chain, nr_early * sizeof(*chain));
		if (r->late.count)
			memcpy(r->whole.at + nr_early, r->late.at, r->late.count * sizeof(*chain));
		chain = r->whole.at;
	}
	const uint64_t *branches = (const uint64_t *)sample->branches;
	callchain_add_lbr(&r->chain, chain, nr, r->options.max_stack, sample->ip, branches,
			  sample->nr_branches);
	if (!r->stitch || !r->chain.has_branches)
		return;
	const struct stitch_sample stitched = { r->thread, r->thread->life, branches, sample->nr_branches,
						sample->branch_hw_idx };
	stitch_add(r->stitch, &stitched, &r->chain);
}

static void add_recorded(struct resolve *r, const struct event *event, const struct sample *sample)
{
	if (event->attr.branch_sample_type & BRANCH_CALL_STACK)
		add_lbr(r, sample);
	else if (late_fits(r, sample))
		add_late(r, sample);
	else
		callchain_add_recorded(&r->chain, sample->chain, sample->nr_chain, r->options.max_stack);
}

/* A sample's ABI says whether it was of a 32-bit program (1) or not (2). */
static struct user_state user_state(const struct resolve *r, const struct event *event,
				    const struct sample *sample)
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

/*
 * Of a stack that could not be unwound at all one address is known: the sample has it, too. At address 0
 * there is no code, and no frame with perf.
 */
static void add_own_address(struct resolve *r, const struct sample *sample)
{
	struct callchain_frame frame = { .ip = sample->ip, .mode = CALLCHAIN_USER };

	if (sample->ip && sample->cpumode == CPUMODE_USER && r->options.max_stack)
		callchain_add(&r->chain, frame);
}

/*
 * Recorded registers say more of the user stack: all of it with a copy of the stack, else the leaf's caller.
 * False: it should have been unwound up to its root, and was not.
 */
static bool add_unwound(struct resolve *r, const struct event *event, const struct sample *sample)
{
	if (!sample->user_regs.abi || !sample->user_regs.values)
		return true;
	struct user_state state = user_state(r, event, sample);
	if (sample->stack_size) {
		bool complete = user_stack_unwind(r->user_stack, &state, r->options.max_stack, &r->chain);
		if (!r->chain.frames.count)
			add_own_address(r, sample);
		return complete;
	}
	if (event->attr.sample_type & SAMPLE_STACK_USER)
		return false;
	user_stack_add_leaf_caller(r->user_stack, &state, &r->chain);
	return true;
}

static size_t count_user(const struct callchain *chain)
{
	size_t count = 0;

	for (size_t i = 0; i < chain->frames.count; i++)
		count += chain->frames.at[i].mode == CALLCHAIN_USER && !chain->frames.at[i].is_cookie;
	return count;
}

/*
 * Between the first map of a new program and its first instruction the kernel still has the registers of the
 * execve() call (start_thread() replaces them last), but no stack of the old program: the user part is that
 * one address. Anything else is of the new program.
 */
static const struct maps *maps_of_chain(struct resolve *r, const struct sample *sample)
{
	const struct thread *thread = r->thread;
	size_t nr_user = thread->before_exec ? count_user(&r->chain) : 0;

	if (!nr_user)
		return thread->maps;
	uint64_t ip = r->chain.frames.at[r->chain.frames.count - 1].ip;
	if (nr_user == 1 && sample->cpumode == CPUMODE_KERNEL && !maps_find(thread->maps, ip))
		return thread->before_exec;
	machine_end_exec(r->machine, thread);
	return thread->maps;
}

void resolve_chain(struct resolve *r, struct view *view)
{
	if (!(view->event->attr.sample_type & SAMPLE_CALLCHAIN))
		return;
	callchain_reset(&r->chain);
	add_recorded(r, view->event, view->sample);
	view->incomplete = !add_unwound(r, view->event, view->sample);
	r->chain_maps = maps_of_chain(r, view->sample);
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

void resolve_record(struct resolve *r, struct machine *machine, const struct event *event,
		    const struct record *record, struct view_record *view)
{
	int32_t pid, tid;

	record_task(record, &pid, &tid);
	const struct thread *thread = machine_thread(machine, pid, tid);
	*view = (struct view_record){
		.event = event,
		.record = record,
		.comm = thread->comm,
		.pid = thread->pid,
		.tid = thread->tid,
	};
	if (record->type == RECORD_TEXT_POKE)
		view->addr = symbolizer_at(r->symbolizer, symbolizer_kernel_maps(r->symbolizer, machine),
					   record->text_poke.addr, false);
}

const struct user_stack_stats *resolve_stack_stats(const struct resolve *r)
{
	return user_stack_stats(r->user_stack);
}
