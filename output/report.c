#include "output/report.h"

#include <inttypes.h>
#include <stdarg.h>
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

/* One line. Names are of the recording: no byte of them may end the line or command a terminal. */
__attribute__((format(printf, 2, 3))) static void say(FILE *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	char *line AUTOFREE = xvasprintf(format, args);
	va_end(args);
	fputs("perf2txt: ", out);
	for (const char *at = line; *at; at++)
		putc((unsigned char)*at < ' ' || *at == 0x7f ? '?' : *at, out);
	putc('\n', out);
}

static void print_diag(FILE *out, const struct diag *diag)
{
	const struct diag_entry *entry;

	for (size_t i = 0; diag && (entry = diag_entry(diag, i)); i++) {
		if (!entry->count)
			continue;
		if (entry->example)
			say(out, "%" PRIu64 " %s (%s%s)", entry->count, entry->kind,
			    entry->count > 1 ? "first: " : "", entry->example);
		else
			say(out, "%" PRIu64 " %s", entry->count, entry->kind);
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
	say(out, "no symbols for %s: %s%s%s; %" PRIu64 " sample%s", dso->name, dso->reason,
	    dso->looked_at ? ", last looked at " : "", dso->looked_at ? dso->looked_at : "", dso->samples,
	    plural(dso->samples));
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
		say(out, "no symbols for %zu more files, up to %" PRIu64 " samples (--stats lists them)",
		    nr - shown, rest);
}

static void print_table(FILE *out, const struct report_dso *sorted, size_t nr)
{
	if (nr)
		say(out, "without names: samples | binary | build-id | why | where it was looked for last");
	for (size_t i = 0; i < nr; i++) {
		const struct report_dso *dso = &sorted[i];
		say(out, "%8" PRIu64 " | %s | %s | %s | %s", dso->samples, dso->name,
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
	char *list = NULL;
	size_t shown = 0;

	for (size_t i = 0; i < nr && i < MISSING_SHOWN && shown < WANTED_SHOWN; i++) {
		if (!sorted[i].wanted || is_wanted_before(sorted, i))
			continue;
		char *longer = xasprintf("%s%s%s", list ? list : "", shown++ ? ", " : "", sorted[i].wanted);
		free(list);
		list = longer;
	}
	if (list)
		say(out, "of the recorded machine, these files would help most: %s", list);
	free(list);
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
			say(out, "folded %" PRIu64 " sample%s of event %s", event->samples,
			    plural(event->samples), event->name);
	}
	if (report->weight_unit)
		say(out, "the weights sum up to %" PRIu64 " %s", report->weight, report->weight_unit);
	for (size_t i = 0; i < report->nr_events; i++) {
		const struct report_event *event = &report->events[i];
		if (!event->counted && event->samples)
			say(out, "left out %" PRIu64 " sample%s of event %s (--event-filter chooses events)",
			    event->samples, plural(event->samples), event->name);
	}
}

static void print_counters(FILE *out, const struct report *report)
{
	for (size_t i = 0; i < report->nr_counters; i++)
		say(out, "%s: %" PRIu64, report->counters[i].name, report->counters[i].value);
}

void report_summary(FILE *out, const struct report *report)
{
	print_diag(out, report->diag);
	print_missing(out, report);
	print_events(out, report);
	if (report->stats)
		print_counters(out, report);
}
