#include "output/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

/* More missing files than anyone reads; --stats lists them all. */
#define MISSING_SHOWN 10
#define WANTED_SHOWN 5

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void print_diag(FILE *out, const struct diag *diag)
{
	const struct diag_entry *entry;

	for (size_t i = 0; diag && (entry = diag_entry(diag, i)); i++) {
		if (!entry->count)
			continue;
		fprintf(out, "perf2txt: %" PRIu64 " %s", entry->count, entry->kind);
		if (entry->example)
			fprintf(out, " (%s%s)", entry->count > 1 ? "first: " : "", entry->example);
		fputc('\n', out);
	}
}

/* The costliest first; by name where that does not decide, so that the same run prints the same lines. */
static int by_cost(const void *left, const void *right)
{
	const struct report_dso *a = left, *b = right;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void print_dso(FILE *out, const struct report_dso *dso)
{
	fprintf(out, "perf2txt: no symbols for %s: %s", dso->name, dso->reason);
	if (dso->looked_at)
		fprintf(out, ", last looked at %s", dso->looked_at);
	fprintf(out, "; %" PRIu64 " sample%s\n", dso->samples, plural(dso->samples));
}

static void print_sorted(FILE *out, const struct report_dso *sorted, size_t nr)
{
	size_t shown = nr <= MISSING_SHOWN ? nr : MISSING_SHOWN;
	uint64_t rest = 0;

	for (size_t i = 0; i < nr; i++) {
		if (i < shown)
			print_dso(out, &sorted[i]);
		else
			rest += sorted[i].samples;
	}
	if (nr > shown)
		fprintf(out,
			"perf2txt: no symbols for %zu more files, up to %" PRIu64
			" samples (--stats lists them)\n",
			nr - shown, rest);
}

static void print_table(FILE *out, const struct report_dso *sorted, size_t nr)
{
	if (nr)
		fputs("perf2txt: without names: samples | binary | build-id | why | where it was looked for "
		      "last\n",
		      out);
	for (size_t i = 0; i < nr; i++) {
		const struct report_dso *dso = &sorted[i];
		fprintf(out, "perf2txt: %8" PRIu64 " | %s | %s | %s | %s\n", dso->samples, dso->name,
			dso->build_id ? dso->build_id : "-",
			dso->reason ? dso->reason : "no symbol for some addresses",
			dso->looked_at ? dso->looked_at : "-");
	}
}

static bool is_wanted_before(const struct report_dso *sorted, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (sorted[i].wanted && !strcmp(sorted[i].wanted, sorted[index].wanted))
			return true;
	}
	return false;
}

/* The list is sorted by what it costs, so its head is what helps most. */
static void print_wanted(FILE *out, const struct report_dso *sorted, size_t nr)
{
	size_t shown = 0;

	for (size_t i = 0; i < nr && i < MISSING_SHOWN && shown < WANTED_SHOWN; i++) {
		if (!sorted[i].wanted || is_wanted_before(sorted, i))
			continue;
		fprintf(out, "%s%s",
			shown++ ? ", " : "perf2txt: of the recorded machine, these files would help most: ",
			sorted[i].wanted);
	}
	if (shown)
		fputc('\n', out);
}

/* A file that is there and merely lacks a few symbols is worth a line with --stats only. */
struct report_dso *report_sorted(const struct report *report, bool all, size_t *ret_nr)
{
	struct report_dso *sorted = xreallocarray(NULL, report->nr_missing, sizeof(*sorted));
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_missing; i++) {
		const struct report_dso *dso = &report->missing[i];
		if (dso->samples && (dso->reason || all))
			sorted[nr++] = *dso;
	}
	if (nr > 1)
		qsort(sorted, nr, sizeof(*sorted), by_cost);
	*ret_nr = nr;
	return sorted;
}

void report_sorted_free(struct report_dso *sorted)
{
	free(sorted);
}

static void print_missing(FILE *out, const struct report *report)
{
	size_t nr;
	struct report_dso *sorted = report_sorted(report, report->stats, &nr);

	if (report->stats) {
		print_table(out, sorted, nr);
		print_wanted(out, sorted, nr);
	} else {
		print_sorted(out, sorted, nr);
	}
	report_sorted_free(sorted);
}

static bool any_left_out(const struct report *report)
{
	for (size_t i = 0; i < report->nr_events; i++) {
		if (!report->events[i].counted && report->events[i].samples)
			return true;
	}
	return false;
}

static void print_events(FILE *out, const struct report *report)
{
	bool left_out = any_left_out(report);

	if (!left_out && !report->stats)
		return;
	for (size_t i = 0; i < report->nr_events; i++) {
		const struct report_event *event = &report->events[i];
		if (event->counted && event->samples)
			fprintf(out, "perf2txt: folded %" PRIu64 " sample%s of event %s\n", event->samples,
				plural(event->samples), event->name);
	}
	if (report->weight_unit)
		fprintf(out, "perf2txt: the weights sum up to %" PRIu64 " %s\n", report->weight,
			report->weight_unit);
	for (size_t i = 0; i < report->nr_events; i++) {
		const struct report_event *event = &report->events[i];
		if (!event->counted && event->samples)
			fprintf(out,
				"perf2txt: left out %" PRIu64 " sample%s of event %s"
				" (--event-filter chooses events)\n",
				event->samples, plural(event->samples), event->name);
	}
}

static void print_counters(FILE *out, const struct report *report)
{
	for (size_t i = 0; i < report->nr_counters; i++)
		fprintf(out, "perf2txt: %s: %" PRIu64 "\n", report->counters[i].name,
			report->counters[i].value);
}

void report_summary(FILE *out, const struct report *report)
{
	print_diag(out, report->diag);
	print_missing(out, report);
	print_events(out, report);
	if (report->stats)
		print_counters(out, report);
}
