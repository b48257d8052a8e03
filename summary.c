#include "summary.h"

#include "output/report.h"
#include "util/vec.h"

typedef VEC(struct report_dso) dso_list;
typedef VEC(struct report_event) event_list;

/* JIT code and memory without symbols is named only where names could have been: not [heap] or [stack]. */
static dso_list missing_dsos(const struct dsos *dsos)
{
	dso_list list = { 0 };

	for (size_t i = 0; i < dsos_count(dsos); i++) {
		const struct dso *dso = dsos_at(dsos, i);
		if (!dso->nr_unknown || dso->kind == DSO_ANON)
			continue;
		struct report_dso row = { dso->long_name, dso->missing, dso->looked_at, dso->nr_unknown };
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

void summary_print(const struct summary *s)
{
	dso_list missing = missing_dsos(deliver_dsos(s->deliver));
	event_list events = folded_events(s->folded, s->recording->evlist->events.count);
	struct symbolizer_stats stats = deliver_stats(s->deliver);
	const struct report_counter counters[] = {
		{ "samples", deliver_nr_samples(s->deliver) },
		{ "binaries", dsos_count(deliver_dsos(s->deliver)) },
		{ "addresses looked up", stats.lookups },
		{ "of them in the first cache", stats.hits },
		{ "different addresses", stats.locations },
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
		.stats = s->options->stats || s->options->verbose,
	};

	if (queue_late(s->queue))
		diag_count(s->diag, "records out of time order, delivered late", queue_late(s->queue));
	report_summary(stderr, &report);
	vec_free(&missing);
	vec_free(&events);
}
