#include "summary.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "output/report.h"
#include "util/arena.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define STACK_COPY_ENOUGH 16384
#define STACK_COPY_MAX 65528 /* no more fits into a record */
#define SAMPLES_ENOUGH 100   /* of fewer one may well weigh more than all others */

typedef VEC(struct report_dso) dso_list;
typedef VEC(struct report_event) event_list;

static const char *build_id_text(const struct build_id *id, struct arena *texts)
{
	char hex[BUILD_ID_HEX];

	return id->size ? arena_strndup(texts, build_id_hex(id, hex), 2 * (size_t)id->size) : NULL;
}

/*
 * What to copy from the recorded machine. What is stripped here is stripped there, what is deleted is gone,
 * and files of guests are elsewhere.
 */
static const char *wanted_file(const struct dso *dso)
{
	const char *name = dso->long_name;

	if (dso->machine || !dso->missing || !strcmp(dso->missing, "stripped"))
		return NULL;
	if (dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE)
		return "/proc/kallsyms";
	if (dso->kind == DSO_JIT && dso->jit_expected)
		return dso->jit_expected;
	return name[0] == '/' && name[1] != '/' && !strstr(name, " (deleted)") ? name : NULL;
}

/* JIT code and memory without symbols is named only where names could have been: not [heap] or [stack]. */
static dso_list missing_dsos(const struct dsos *dsos, struct arena *texts)
{
	dso_list list = { 0 };

	for (size_t i = 0; i < dsos_count(dsos); i++) {
		const struct dso *dso = dsos_at(dsos, i);
		if (!dso->nr_unknown || dso->kind == DSO_ANON)
			continue;
		struct report_dso row = {
			.name = dso->long_name,
			.reason = dso->missing,
			.looked_at = dso->looked_at,
			.samples = dso->nr_unknown,
			.build_id = build_id_text(&dso->build_id, texts),
			.wanted = wanted_file(dso),
		};
		vec_push(&list, row);
	}
	return list;
}

static event_list folded_events(const struct folded *folded, size_t nr_events)
{
	event_list list = { 0 };

	for (size_t i = 0; folded && i < nr_events; i++) {
		const struct folded_event *event = folded_event(folded, i);
		if (!event || !event->name)
			continue;
		struct report_event row = { event->name, event->samples, event->counted };
		vec_push(&list, row);
	}
	return list;
}

/* What the weights of the counted event are: clock events count nanoseconds, others what they are called. */
static const char *weight_unit(const struct summary *s)
{
	const struct evlist *evlist = s->recording->evlist;

	if (!s->folded)
		return NULL;
	if (s->options->weight && s->options->weight[0] == 's')
		return "samples";
	for (size_t i = 0; i < evlist->events.count; i++) {
		const struct folded_event *event = folded_event(s->folded, i);
		const struct attr *attr = &evlist->events.at[i]->attr;
		if (!event || !event->name || !event->counted)
			continue;
		return attr->type == ATTR_SOFTWARE && attr->config <= SW_TASK_CLOCK ? "ns" : event->name;
	}
	return NULL;
}

/* One absurd period, of a counter that went wrong, hides all else in a flame graph. */
static void count_outlier(const struct summary *s)
{
	uint64_t samples = 0, heaviest = s->folded ? folded_heaviest(s->folded, &samples) : 0;

	if (samples >= SAMPLES_ENOUGH && heaviest > folded_weight(s->folded) / 2)
		diag_note(s->diag, "sample alone has more than half of all weight", 1,
			  "%" PRIu64 " of %" PRIu64 "; --weight samples counts each as one", heaviest,
			  folded_weight(s->folded));
}

/* Of the first event that has any. */
static uint32_t stack_copy_size(const struct evlist *evlist)
{
	for (size_t i = 0; i < evlist->events.count; i++) {
		if (evlist->events.at[i]->attr.sample_stack_user)
			return evlist->events.at[i]->attr.sample_stack_user;
	}
	return 0;
}

/* What to do about stacks that are longer than their copies. */
static char *cut_text(const struct evlist *evlist)
{
	uint32_t size = stack_copy_size(evlist);
	uint32_t more = size < STACK_COPY_ENOUGH    ? STACK_COPY_ENOUGH
			: size < STACK_COPY_MAX / 2 ? 2 * size
						    : STACK_COPY_MAX;

	if (size >= STACK_COPY_MAX)
		return xasprintf("are longer than their copies of %" PRIu32 " bytes, the most that can be",
				 size);
	return xasprintf("are longer than their copies of %" PRIu32
			 " bytes (perf record --call-graph dwarf,%" PRIu32 " copies more)",
			 size, more);
}

static char *end_text(enum unwind_end end, const struct user_stack_stats *stats, const struct evlist *evlist)
{
	switch (end) {
	case UNWIND_CUT:
		return cut_text(evlist);
	case UNWIND_HOLE:
		return xstrdup("go on in memory that the kernel could not copy (a large array of which that "
			       "part was not used yet)");
	case UNWIND_NO_RULES:
		return xasprintf("end in code without unwind rules (first: in %s)",
				 stats->no_rules->long_name);
	case UNWIND_NO_FILE:
		return xasprintf("end in code of which there is no file (first: %s)",
				 stats->no_file->long_name);
	case UNWIND_BROKEN:
		return xstrdup("end where no return address is");
	case UNWIND_LIMIT:
		return xstrdup("have more frames than --max-stack lets through");
	case UNWIND_ROOT:
		break;
	}
	return NULL;
}

/* A stack that ends too early looks like any other. */
static void count_stacks(const struct summary *s)
{
	const struct user_stack_stats *stats = deliver_stack_stats(s->deliver);
	uint64_t all = 0;

	if (stats && stats->no_registers)
		diag_count(s->diag,
			   "user stacks not unwound: the recording does not say which processor their "
			   "registers are of (--arch)",
			   stats->no_registers);
	for (unsigned end = 0; stats && end <= UNWIND_LIMIT; end++)
		all += stats->ends[end];
	for (unsigned end = 0; all && end <= UNWIND_LIMIT; end++) {
		AUTOFREE char *text = stats->ends[end] ? end_text(end, stats, s->recording->evlist) : NULL;
		if (!text)
			continue;
		AUTOFREE char *kind = xasprintf("of %" PRIu64 " user stacks %s", all, text);
		diag_count(s->diag, kind, stats->ends[end]);
	}
}

/* For programs: how many user stacks end how. */
static size_t stack_counters(const struct summary *s, struct report_counter ret[UNWIND_LIMIT + 2])
{
	static const char *const names[] = {
		[UNWIND_ROOT] = "complete",
		[UNWIND_CUT] = "longer_than_copy",
		[UNWIND_HOLE] = "not_copied",
		[UNWIND_NO_RULES] = "no_unwind_rules",
		[UNWIND_NO_FILE] = "no_file",
		[UNWIND_BROKEN] = "broken",
		[UNWIND_LIMIT] = "over_max_stack",
	};
	const struct user_stack_stats *stats = deliver_stack_stats(s->deliver);

	for (unsigned end = 0; stats && end <= UNWIND_LIMIT; end++)
		ret[end] = (struct report_counter){ names[end], stats->ends[end] };
	if (!stats)
		return 0;
	ret[UNWIND_LIMIT + 1] = (struct report_counter){ "unknown_registers", stats->no_registers };
	return UNWIND_LIMIT + 2;
}

/* perf archive writes it, perf script never reads it, and who copies both may expect that somebody does. */
static void note_archive(const struct summary *s)
{
	const char *name = s->recording->name, *slash = strrchr(name, '/');
	int folder = slash ? (int)(slash + 1 - name) : 0;
	AUTOFREE char *archive = xasprintf("%s.tar.bz2", name);
	AUTOFREE char *unpacked = xasprintf("%.*s.build-id", folder, name);
	AUTOFREE char *cache = xasprintf("%.*s.debug", folder, name);

	if (!access(archive, F_OK) && access(unpacked, F_OK) && access(cache, F_OK))
		diag_note(s->diag, "files of perf archive that are not unpacked beside the recording", 1,
			  "%s", archive);
}

void summary_print(const struct summary *s)
{
	struct arena texts = { 0 };
	struct report_counter stacks[UNWIND_LIMIT + 2];
	dso_list missing = missing_dsos(deliver_dsos(s->deliver), &texts);
	event_list events = folded_events(s->folded, s->recording->evlist->events.count);
	struct symbolizer_stats stats = deliver_stats(s->deliver);
	const struct report_counter counters[] = {
		{ "samples", deliver_nr_samples(s->deliver) },
		{ "binaries", dsos_count(deliver_dsos(s->deliver)) },
		{ "addresses looked up", stats.lookups },
		{ "places told apart", stats.locations },
		{ "records delivered late", queue_late(s->queue) },
	};
	struct report report = {
		.diag = s->diag,
		.missing = missing.at,
		.nr_missing = missing.count,
		.events = events.at,
		.nr_events = events.count,
		.weight_unit = weight_unit(s),
		.weight = s->folded ? folded_weight(s->folded) : 0,
		.counters = counters,
		.nr_counters = sizeof(counters) / sizeof(counters[0]),
		.stacks = stacks,
		.nr_stacks = stack_counters(s, stacks),
		.stats = s->options->stats || s->options->verbose,
	};

	if (queue_late(s->queue))
		diag_count(s->diag, "records out of time order, delivered late", queue_late(s->queue));
	count_outlier(s);
	if (missing.count)
		note_archive(s);
	if (s->options->stats_form) {
		report_json(stderr, &report);
	} else {
		count_stacks(s);
		report_summary(stderr, &report);
	}
	vec_free(&missing);
	arena_free(&texts);
	vec_free(&events);
}
