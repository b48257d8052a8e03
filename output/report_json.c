#include "output/report.h"

#include <inttypes.h>
#include <string.h>

/* How many bytes of UTF-8 begin at @at (ends with NUL); 0: it is none. */
static size_t utf8_length(const unsigned char *at)
{
	size_t length = at[0] < 0x80   ? 1
			: at[0] < 0xc2 ? 0
			: at[0] < 0xe0 ? 2
			: at[0] < 0xf0 ? 3
			: at[0] < 0xf5 ? 4
				       : 0;

	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	}
	/* Longer than need be, surrogates, beyond the last character. */
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
	    (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	return length;
}

/* A byte that is no UTF-8 becomes \udcXX, as Python writes and reads it (surrogateescape). */
static void put_string(FILE *out, const char *text)
{
	if (!text) {
		fputs("null", out);
		return;
	}
	fputc('"', out);
	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		size_t length = utf8_length(at);
		if (!length)
			fprintf(out, "\\udc%02x", *at);
		else if (*at < 0x20 || *at == 0x7f)
			fprintf(out, "\\u%04x", *at);
		else
			fprintf(out, "%s%.*s", *at == '"' || *at == '\\' ? "\\" : "", (int)length,
				(const char *)at);
		at += length ? length : 1;
	}
	fputc('"', out);
}

static void put_member(FILE *out, const char *name, const char *text)
{
	fprintf(out, "\"%s\":", name);
	put_string(out, text);
}

static const char *comma(size_t index)
{
	return index ? "," : "";
}

static void put_counters(FILE *out, const char *name, const struct report_counter *counters, size_t nr)
{
	fprintf(out, "\"%s\":{", name);
	for (size_t i = 0; i < nr; i++) {
		fputs(comma(i), out);
		put_string(out, counters[i].name);
		fprintf(out, ":%" PRIu64, counters[i].value);
	}
	fputs("},\n", out);
}

static void put_binary(FILE *out, const struct report_dso *dso)
{
	fputs("\n {", out);
	put_member(out, "name", dso->name);
	fputc(',', out);
	put_member(out, "build_id", dso->build_id);
	fprintf(out, ",\"samples\":%" PRIu64 ",", dso->samples);
	put_member(out, "reason", dso->reason);
	fputc(',', out);
	put_member(out, "looked_at", dso->looked_at);
	fputc('}', out);
}

static void put_binaries(FILE *out, const struct report *report)
{
	size_t nr;
	struct report_dso *sorted = report_sorted(report, true, &nr);

	fputs("\"binaries\":[", out);
	for (size_t i = 0; i < nr; i++) {
		fputs(comma(i), out);
		put_binary(out, &sorted[i]);
	}
	fputs("],\n", out);
	report_sorted_free(sorted);
}

static void put_notes(FILE *out, const struct diag *diag)
{
	const struct diag_entry *entry;
	size_t nr = 0;

	fputs("\"notes\":[", out);
	for (size_t i = 0; diag && (entry = diag_entry(diag, i)); i++) {
		if (!entry->count)
			continue;
		fprintf(out, "%s\n {\"count\":%" PRIu64 ",", comma(nr++), entry->count);
		put_member(out, "what", entry->kind);
		fputc(',', out);
		put_member(out, "example", entry->example);
		fputc('}', out);
	}
	fputs("],\n", out);
}

static void put_events(FILE *out, const struct report *report)
{
	size_t nr = 0;

	fputs("\"events\":[", out);
	for (size_t i = 0; i < report->nr_events; i++) {
		const struct report_event *event = &report->events[i];
		fprintf(out, "%s\n {", comma(nr++));
		put_member(out, "name", event->name);
		fprintf(out, ",\"samples\":%" PRIu64 ",\"counted\":%s}", event->samples,
			event->counted ? "true" : "false");
	}
	fputs("],\n", out);
}

void report_json(FILE *out, const struct report *report)
{
	fputs("{", out);
	put_counters(out, "counters", report->counters, report->nr_counters);
	put_binaries(out, report);
	put_notes(out, report->diag);
	put_counters(out, "user_stacks", report->stacks, report->nr_stacks);
	put_events(out, report);
	fputs("\"weights\":{", out);
	put_member(out, "unit", report->weight_unit);
	fprintf(out, ",\"sum\":%" PRIu64 "}}\n", report->weight);
}
