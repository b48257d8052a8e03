#include "output/folded.h"

#include <stdlib.h>
#include <string.h>

#include "events/perf_abi.h"
#include "output/frame_text.h"
#include "symbolize/dso.h"
#include "util/digits.h"
#include "util/hash.h"
#include "util/strtab.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* The frames of a location: its function and what was inlined, outer first, as numbers of names. */
struct frames {
	uint32_t first; /* in folded.frame_names */
	uint32_t count; /* 0: not made yet */
};

struct stack {
	uint64_t hash;
	uint64_t weight;
	size_t first;	/* in folded.numbers */
	uint32_t count; /* root first */
};

/* A comm and its number in folded.comms: they are found by where they lie. */
#define RECENT_COMMS 64
struct recent_comm {
	const char *comm; /* NULL: none */
	uint32_t number;
};

struct folded {
	struct folded_options options;
	uint64_t owner; /* of notes with a name number in place of a text */
	struct strtab names;
	struct strtab comms;		   /* as recorded, to the number of their root frame */
	struct recent_comm recent_comms[RECENT_COMMS];
	VEC(uint32_t) roots;		   /* by comm number: name number + 1; 0: not made yet */
	struct hash roots_of_tasks;	   /* with pid or tid: {comm, pid and tid} -> name number */
	struct hash addr_frames;	   /* with addrs: {location, ip} -> name number */
	VEC(uint32_t) frame_names;	   /* of the frames of locations */
	VEC(uint32_t) numbers;		   /* of the frames of stacks */
	VEC(struct frames) by_location[2]; /* by location->id; [1] in java threads */
	VEC(struct stack) stacks;
	uint32_t *slots;       /* index of a stack + 1; 0: free */
	size_t nr_slots;       /* a power of two, or 0 */
	VEC(uint32_t) current; /* the stack of the sample at hand */
	VEC(char) scratch, line;
	VEC(struct folded_event) events; /* by event->index */
	char *first_event;		 /* whose samples are counted when there is no filter; owned */
	uint64_t weight, heaviest;	 /* of all counted samples, of one */
	uint64_t nr_samples;		 /* that were counted */
};

struct folded *folded_new(const struct folded_options *options)
{
	struct folded *f = xcalloc(1, sizeof(*f));

	f->options = *options;
	f->owner = location_new_owner();
	return f;
}

bool folded_wants_lines(const struct folded *f)
{
	return f->options.srcline;
}

void folded_free(struct folded *f)
{
	if (!f)
		return;
	strtab_free(&f->names);
	strtab_free(&f->comms);
	hash_free(&f->roots_of_tasks);
	hash_free(&f->addr_frames);
	vec_free(&f->roots);
	vec_free(&f->frame_names);
	vec_free(&f->numbers);
	vec_free(&f->by_location[0]);
	vec_free(&f->by_location[1]);
	vec_free(&f->stacks);
	vec_free(&f->current);
	vec_free(&f->scratch);
	vec_free(&f->line);
	for (size_t i = 0; i < f->events.count; i++)
		free((char *)f->events.at[i].name);
	vec_free(&f->events);
	free(f->first_event);
	free(f->slots);
	free(f);
}

/* Which events */

/* Length of an event's name without its modifiers ("cycles:ppp" -> 6). */
static size_t bare_length(const char *name)
{
	const char *colon = strrchr(name, ':');

	/* Letters that perf takes behind the last colon; "sched:sched_switch" has others. */
	if (!colon || colon == name || !colon[1] || colon[1 + strspn(colon + 1, "ukhpPGHSDWIebR")])
		return strlen(name);
	return (size_t)(colon - name);
}

/*
 * What a processor of several kinds of cores counts by a PMU a kind is one event: "cpu_core/cycles/P" and
 * "cpu_atom/cycles/P", armv8_cortex_a53/cycles/ and armv8_cortex_a72/cycles/. Returns what is behind the PMU,
 * NULL when it is none of cores.
 */
static const char *behind_core_pmu(const char *name)
{
	static const char *const cores[] = { "cpu_", "armv", "apple_" };
	const char *slash = strchr(name, '/');

	for (size_t i = 0; slash && i < sizeof(cores) / sizeof(cores[0]); i++) {
		if (!strncmp(name, cores[i], strlen(cores[i])))
			return slash + 1;
	}
	return NULL;
}

static bool same_text(const char *a, size_t a_length, const char *b, size_t b_length)
{
	return a_length == b_length && !memcmp(a, b, a_length);
}

static bool same_event(const char *a, const char *b)
{
	const char *of_a = behind_core_pmu(a), *of_b = behind_core_pmu(b);

	return !strcmp(a, b) || (of_a && of_b && !strcmp(of_a, of_b));
}

/* @filter with or without a PMU, @event as behind one; both with or without modifiers, which may be inside of
 * the '/' or behind it. */
static bool matches_on_core(const char *filter, const char *event)
{
	const char *of_filter = behind_core_pmu(filter);
	AUTOFREE char *own = xstrndup(event, strcspn(event, "/"));
	size_t length = of_filter ? strcspn(of_filter, "/") : strlen(filter);

	if (of_filter && of_filter[length] && of_filter[length + 1])
		return false;
	if (of_filter)
		filter = of_filter;
	return same_text(filter, length, own, strlen(own)) ||
	       same_text(filter, length, own, bare_length(own));
}

bool folded_event_matches(const char *filter, const char *name)
{
	const char *of_name = behind_core_pmu(name);

	return same_event(filter, name) || same_text(filter, strlen(filter), name, bare_length(name)) ||
	       (of_name && matches_on_core(filter, of_name));
}

static bool decide_counted(struct folded *f, const char *name)
{
	if (f->options.all_events)
		return true;
	for (size_t i = 0; i < f->options.nr_events; i++) {
		if (folded_event_matches(f->options.events[i], name))
			return true;
	}
	if (f->options.nr_events)
		return false;
	if (!f->first_event)
		f->first_event = xstrdup(name);
	return same_event(f->first_event, name);
}

static struct folded_event *event_of(struct folded *f, const struct event *event)
{
	size_t old = f->events.count;

	if (event->index >= old) {
		vec_reserve(&f->events, (size_t)event->index + 1);
		f->events.count = (size_t)event->index + 1;
		memset(f->events.at + old, 0, (f->events.count - old) * sizeof(*f->events.at));
	}
	struct folded_event *of = &f->events.at[event->index];
	if (!of->name) {
		of->name = xstrdup(event->name);
		of->counted = decide_counted(f, event->name);
	}
	return of;
}

const struct folded_event *folded_event(const struct folded *f, size_t index)
{
	return index < f->events.count ? &f->events.at[index] : NULL;
}

uint64_t folded_weight(const struct folded *f)
{
	return f->weight;
}

uint64_t folded_heaviest(const struct folded *f, uint64_t *ret_samples)
{
	*ret_samples = f->nr_samples;
	return f->heaviest;
}

/* Names */

static void put_bytes(struct folded *f, const char *data, size_t size)
{
	vec_reserve(&f->scratch, f->scratch.count + size);
	memcpy(f->scratch.at + f->scratch.count, data, size);
	f->scratch.count += size;
}

static void put(struct folded *f, const char *text)
{
	put_bytes(f, text, strlen(text));
}

static void put_number(struct folded *f, int32_t value)
{
	char digits[DIGITS_MAX];

	put_bytes(f, digits, (size_t)(digits_sdec(digits, value, 0) - digits));
}

/* What must not be in a part of a line: the separator and what ends lines. */
static void put_clean(struct folded *f, const char *text, size_t size)
{
	vec_reserve(&f->scratch, f->scratch.count + size);
	char *to = f->scratch.at + f->scratch.count;
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];
		to[i] = c == ';' ? ':' : c < 0x20 || c == 0x7f ? '_' : (char)c;
	}
	f->scratch.count += size;
}

static uint32_t scratch_number(struct folded *f)
{
	return strtab_number(&f->names, f->scratch.at ? f->scratch.at : "", f->scratch.count);
}

static bool is_kernel(const struct dso *dso)
{
	return dso && (dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE || dso->kind == DSO_KSYMBOL);
}

/* perf inject --jit leaves an ELF file jitted-PID-N.so for each function. */
static bool is_jit(const struct dso *dso)
{
	return dso && (dso->kind == DSO_JIT ||
		       (dso->kind == DSO_FILE && !strncmp(frame_basename(dso->name), "jitted-", 7)));
}

static bool ends_with(const char *text, size_t size, const char *end)
{
	size_t length = strlen(end);

	return size >= length && !memcmp(text + size - length, end, length);
}

/* flamegraph.pl's palettes tell code apart by these marks. A name that has one already keeps it. */
static void put_mark(struct folded *f, const struct dso *dso, bool inlined)
{
	const char *mark = f->options.inlines && inlined	 ? "_[i]"
			   : f->options.kernel && is_kernel(dso) ? "_[k]"
			   : f->options.jit && is_jit(dso)	 ? "_[j]"
								 : NULL;
	const char *text = f->scratch.at;
	size_t size = f->scratch.count;

	if (!mark || ends_with(text, size, "_[i]") || ends_with(text, size, "_[k]") ||
	    ends_with(text, size, "_[j]"))
		return;
	put(f, mark);
}

static void put_srcline(struct folded *f, const char *file, uint32_t line)
{
	if (!f->options.srcline || !file)
		return;
	const char *name = f->options.full_source_path ? file : frame_basename(file);
	put(f, ":");
	put_clean(f, name, strlen(name));
	put(f, ":");
	put_number(f, (int32_t)(line > INT32_MAX ? INT32_MAX : line));
}

/* "[libfoo.so]", so that the unknown functions of different libraries do not become one frame. */
static void put_unknown(struct folded *f, const struct location *location, uint64_t ip)
{
	const struct dso *dso = location->dso;
	const char *name = dso ? dso->name : "unknown";
	size_t size = strlen(name);

	if (ends_with(name, size, " (deleted)"))
		size -= strlen(" (deleted)");
	const char *slash = dso && size ? memrchr(name, '/', size) : NULL;
	if (slash && slash + 1 < name + size) {
		size -= (size_t)(slash + 1 - name);
		name = slash + 1;
	}
	put(f, "[");
	put_clean(f, name, size);
	if (f->options.addrs) {
		char digits[DIGITS_MAX];
		put(f, " <");
		put_bytes(f, digits, (size_t)(digits_hex_any(digits, ip) - digits));
		put(f, ">");
	}
	put(f, "]");
}

static void put_name(struct folded *f, const char *name)
{
	size_t size = strlen(name), at = f->scratch.count;

	vec_reserve(&f->scratch, at + size + 1);
	folded_name(name, f->scratch.at + at);
	f->scratch.count += strlen(f->scratch.at + at);
	if (f->scratch.count == at)
		put(f, "[unknown]");
}

static void add_frame(struct folded *f, const char *name, const struct location *location, bool inlined,
		      const char *file, uint32_t line)
{
	vec_clear(&f->scratch);
	put_name(f, name);
	put_srcline(f, file, line);
	put_mark(f, location->dso, inlined);
	vec_push(&f->frame_names, scratch_number(f));
}

/*
 * A JIT compiler's map names what it inlined as "outer->inner->innermost" (perf-map-agent). Only there: other
 * languages have -> in names.
 */
static void add_jit_frames(struct folded *f, const struct location *location, bool java)
{
	const char *name = location->name;

	for (bool inlined = false; name; inlined = true) {
		const char *arrow = strstr(name, "->");
		AUTOFREE char *part = xstrndup(name, arrow ? (size_t)(arrow - name) : strlen(name));
		/* A class in the JVM's own form, Lcom/foo/Bar; */
		bool descriptor = java && part[0] == 'L' && strchr(part, '/');
		if (*part) {
			vec_clear(&f->scratch);
			put_name(f, part + descriptor);
			if (inlined && !f->options.inlines)
				put(f, "_[i]");
			put_mark(f, location->dso, inlined);
			vec_push(&f->frame_names, scratch_number(f));
		}
		name = arrow ? arrow + 2 : NULL;
	}
}

static struct frames make_frames(struct folded *f, const struct location *location, bool java)
{
	struct frames frames = { .first = (uint32_t)f->frame_names.count };

	if (location->name && location->dso && location->dso->kind == DSO_JIT) {
		add_jit_frames(f, location, java);
	} else if (location->name) {
		add_frame(f, location->name, location, false, location->file, location->line);
		for (uint32_t i = location->nr_inlines; i-- > 0;) {
			const struct inline_call *call = &location->inlines[i];
			add_frame(f, call->name, location, true, call->file, call->line);
		}
	}
	if (f->frame_names.count == frames.first) {
		vec_clear(&f->scratch);
		put_unknown(f, location, 0);
		put_mark(f, location->dso, false);
		vec_push(&f->frame_names, scratch_number(f));
	}
	frames.count = (uint32_t)(f->frame_names.count - frames.first);
	return frames;
}

static struct frames frames_of(struct folded *f, const struct location *location, bool java)
{
	size_t old = f->by_location[java].count;

	if (location->id < old && f->by_location[java].at[location->id].count)
		return f->by_location[java].at[location->id];
	struct frames frames = make_frames(f, location, java);
	if (location->id >= old) {
		vec_reserve(&f->by_location[java], (size_t)location->id + 1);
		f->by_location[java].count = (size_t)location->id + 1;
		memset(f->by_location[java].at + old, 0,
		       (f->by_location[java].count - old) * sizeof(struct frames));
	}
	f->by_location[java].at[location->id] = frames;
	return frames;
}

static uint32_t addr_frame(struct folded *f, const struct location *location, uint64_t ip)
{
	uint64_t known = hash_get(&f->addr_frames, location->id, ip);

	if (known != HASH_NONE)
		return (uint32_t)known;
	vec_clear(&f->scratch);
	put_unknown(f, location, ip);
	put_mark(f, location->dso, false);
	uint32_t number = scratch_number(f);
	hash_put(&f->addr_frames, location->id, ip, number);
	return number;
}

/* The root: the thread's comm */

static void put_comm(struct folded *f, const struct view *view)
{
	size_t from = f->scratch.count;

	put_clean(f, view->comm, strlen(view->comm));
	for (size_t i = from; i < f->scratch.count; i++) {
		if (f->scratch.at[i] == ' ')
			f->scratch.at[i] = '_';
	}
	if (f->scratch.count == from) { /* as perf names a thread that it has no comm of */
		put(f, ":");
		put_number(f, view->tid);
	}
}

static uint32_t make_root(struct folded *f, const struct view *view)
{
	vec_clear(&f->scratch);
	put_comm(f, view);
	if (f->options.pid || f->options.tid) {
		put(f, "-");
		put_number(f, view->pid);
	}
	if (f->options.tid) {
		put(f, "/");
		put_number(f, view->tid);
	}
	return scratch_number(f);
}

static uint32_t comm_number(struct folded *f, const char *comm)
{
	struct recent_comm *recent = &f->recent_comms[(uintptr_t)comm / 16 % RECENT_COMMS];

	if (recent->comm != comm)
		*recent = (struct recent_comm){ comm, strtab_number(&f->comms, comm, strlen(comm)) };
	return recent->number;
}

static uint32_t root_of(struct folded *f, const struct view *view)
{
	uint32_t comm = comm_number(f, view->comm);

	if (f->options.pid || f->options.tid || !*view->comm) {
		uint32_t tid = f->options.tid || !*view->comm ? (uint32_t)view->tid : 0;
		uint64_t task = (uint64_t)(uint32_t)view->pid << 32 | tid;
		uint64_t known = hash_get(&f->roots_of_tasks, comm, task);
		if (known == HASH_NONE) {
			known = make_root(f, view);
			hash_put(&f->roots_of_tasks, comm, task, known);
		}
		return (uint32_t)known;
	}
	while (f->roots.count <= comm)
		vec_push(&f->roots, 0);
	if (!f->roots.at[comm])
		f->roots.at[comm] = make_root(f, view) + 1;
	return f->roots.at[comm] - 1;
}

/* Stacks */

/* Nearly all locations are one frame: its number is kept in the location itself. */
static void keep_number(const struct folded *f, const struct location *location, uint32_t number)
{
	struct location_note *note = location_note(location);

	if (!note->owner)
		*note = (struct location_note){ f->owner, (const void *)(uintptr_t)number };
}

static void push_frames(struct folded *f, const struct location *location, uint64_t ip, bool java)
{
	if (f->options.addrs && !location->name) {
		vec_push(&f->current, addr_frame(f, location, ip));
		return;
	}
	struct frames frames = frames_of(f, location, java);
	vec_reserve(&f->current, f->current.count + frames.count);
	for (uint32_t i = 0; i < frames.count; i++)
		f->current.at[f->current.count++] = f->frame_names.at[frames.first + i];
	if (frames.count == 1 && !java)
		keep_number(f, location, f->frame_names.at[frames.first]);
}

static inline void push_location(struct folded *f, const struct location *location, uint64_t ip, bool java)
{
	const struct location_note *note = location_note(location);

	if (note->owner == f->owner && !java)
		vec_push(&f->current, (uint32_t)(uintptr_t)note->text);
	else
		push_frames(f, location, ip, java);
}

static bool is_stop(const struct folded *f, const char *name)
{
	for (size_t i = 0; name && i < f->options.nr_stop_at; i++) {
		if (!strcmp(f->options.stop_at[i], name))
			return true;
	}
	return false;
}

/* How many frames, from the leaf on, there are up to the first that ends a stack. */
static size_t nr_until_stop(const struct folded *f, const struct view *view)
{
	for (size_t i = 0; f->options.nr_stop_at && i < view->nr_frames; i++) {
		const struct location *location = view->frames[i].spot.location;
		bool stop = is_stop(f, location->name);
		for (uint32_t k = 0; k < location->nr_inlines && !stop; k++)
			stop = is_stop(f, location->inlines[k].name);
		if (stop)
			return i + 1;
	}
	return view->nr_frames;
}

static void collect(struct folded *f, const struct view *view)
{
	bool java = !strncmp(view->comm, "java", 4);

	vec_clear(&f->current);
	vec_push(&f->current, root_of(f, view));
	if (view->incomplete && f->options.incomplete == FOLDED_MARK)
		vec_push(&f->current, strtab_number(&f->names, "[truncated]", strlen("[truncated]")));
	if (!view->has_chain) {
		if (view->ip.location)
			push_location(f, view->ip.location, view->sample->ip, java);
		return;
	}
	for (size_t i = nr_until_stop(f, view); i-- > 0;) {
		/* The place of frames that never came is no frame. */
		if (!view->frames[i].is_cookie)
			push_location(f, view->frames[i].spot.location, view->frames[i].ip, java);
	}
}

static uint64_t hash_numbers(const uint32_t *numbers, size_t count)
{
	uint64_t hash = count;

	for (size_t i = 0; i + 1 < count; i += 2)
		hash = hash_mix(hash, (uint64_t)numbers[i] << 32 | numbers[i + 1]);
	return count & 1 ? hash_mix(hash, numbers[count - 1]) : hash;
}

static void grow_slots(struct folded *f)
{
	free(f->slots);
	f->nr_slots = f->nr_slots ? 2 * f->nr_slots : 1024;
	f->slots = xcalloc(f->nr_slots, sizeof(*f->slots));
	for (size_t n = 0; n < f->stacks.count; n++) {
		size_t i = f->stacks.at[n].hash & (f->nr_slots - 1);
		while (f->slots[i])
			i = (i + 1) & (f->nr_slots - 1);
		f->slots[i] = (uint32_t)n + 1;
	}
}

static struct stack *add_stack(struct folded *f, uint64_t hash)
{
	struct stack stack = { .hash = hash, .first = f->numbers.count, .count = (uint32_t)f->current.count };

	vec_reserve(&f->numbers, f->numbers.count + stack.count);
	memcpy(f->numbers.at + stack.first, f->current.at, stack.count * sizeof(*f->current.at));
	f->numbers.count += stack.count;
	vec_push(&f->stacks, stack);
	return &f->stacks.at[f->stacks.count - 1];
}

static struct stack *find_stack(struct folded *f)
{
	uint64_t hash = hash_numbers(f->current.at, f->current.count);

	if (2 * (f->stacks.count + 1) > f->nr_slots)
		grow_slots(f);
	size_t i = hash & (f->nr_slots - 1);
	for (; f->slots[i]; i = (i + 1) & (f->nr_slots - 1)) {
		struct stack *stack = &f->stacks.at[f->slots[i] - 1];
		if (stack->hash == hash && stack->count == f->current.count &&
		    !memcmp(f->numbers.at + stack->first, f->current.at, stack->count * sizeof(uint32_t)))
			return stack;
	}
	struct stack *added = add_stack(f, hash);
	f->slots[i] = (uint32_t)f->stacks.count;
	return added;
}

static void add_weight(uint64_t *sum, uint64_t weight)
{
	if (__builtin_add_overflow(*sum, weight, sum))
		*sum = UINT64_MAX;
}

void folded_sample(struct folded *f, const struct view *view)
{
	struct folded_event *event = event_of(f, view->event);

	event->samples++;
	if (!event->counted || (view->incomplete && f->options.incomplete == FOLDED_DROP))
		return;
	uint64_t weight = f->options.by_samples ? 1 : view->sample->period;
	collect(f, view);
	add_weight(&find_stack(f)->weight, weight);
	add_weight(&f->weight, weight);
	f->nr_samples++;
	if (weight > f->heaviest)
		f->heaviest = weight;
}

/* Output */

/* By the bytes of the whole lines, of which only the names at the first difference need to be looked at. */
static int compare_stacks(const void *left, const void *right, void *folded)
{
	const struct folded *f = folded;
	const struct stack *a = left, *b = right;
	const uint32_t *x = f->numbers.at + a->first, *y = f->numbers.at + b->first;
	uint32_t i = 0;

	while (i < a->count && i < b->count && x[i] == y[i])
		i++;
	if (i == a->count || i == b->count)
		return a->count < b->count ? -1 : a->count > b->count;
	const struct strtab_entry *m = &f->names.entries.at[x[i]], *n = &f->names.entries.at[y[i]];
	uint32_t common = m->length < n->length ? m->length : n->length;
	int order = memcmp(m->text, n->text, common);
	if (order)
		return order;
	/* One name begins the other: behind it comes ';' or the end of the stack. */
	bool m_shorter = m->length < n->length;
	bool ends = i + 1 == (m_shorter ? a->count : b->count);
	unsigned char next = (unsigned char)(m_shorter ? n : m)->text[common];
	bool shorter_first = ends || ';' < next;
	return shorter_first == m_shorter ? -1 : 1;
}

static void write_stack(struct folded *f, struct writer *w, const struct stack *stack)
{
	const uint32_t *numbers = f->numbers.at + stack->first;

	for (uint32_t i = 0; i < stack->count; i++) {
		const struct strtab_entry *name = &f->names.entries.at[numbers[i]];
		if (i)
			writer_char(w, ';');
		writer_bytes(w, name->text, name->length);
	}
	writer_char(w, ' ');
	writer_dec(w, stack->weight, 0);
	writer_char(w, '\n');
}

void folded_write(struct folded *f, struct writer *w)
{
	if (f->stacks.count)
		qsort_r(f->stacks.at, f->stacks.count, sizeof(*f->stacks.at), compare_stacks, f);
	for (size_t i = 0; i < f->stacks.count; i++)
		write_stack(f, w, &f->stacks.at[i]);
}
