/*
 * output_text - what a formatter wrote, as a string; and events made by hand.
 */
#ifndef PERF2TXT_OUTPUT_TEXT_H
#define PERF2TXT_OUTPUT_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events/evlist.h"
#include "events/perf_abi.h"
#include "output/writer.h"
#include "tests/check_run.h"

struct output {
	FILE *file;
	struct writer *w;
};

static inline struct output output_open(void)
{
	FILE *file = tmpfile();

	ck_assert_ptr_nonnull(file);
	return (struct output){ file, writer_new(fileno(file), "test") };
}

/* The text so far, which the caller frees; the writer is gone. */
static inline char *output_close(struct output *o)
{
	ck_assert_ptr_null(writer_close(o->w));
	off_t size = lseek(fileno(o->file), 0, SEEK_END);
	char *text = calloc(1, (size_t)size + 1);
	ck_assert_int_eq(pread(fileno(o->file), text, (size_t)size, 0), size);
	fclose(o->file);
	return text;
}

static inline void output_expect(struct output *o, const char *expected)
{
	char *text = output_close(o);

	ck_assert_str_eq(text, expected);
	free(text);
}

/* Up to 8 events in a list that needs no freeing. */
struct test_events {
	struct event events[8];
	struct event *pointers[8];
	struct evlist list;
};

static inline struct event *test_event(struct test_events *t, uint32_t type, uint64_t config,
				       const char *name, uint64_t sample_type)
{
	size_t index = t->list.events.count;
	struct event *event = &t->events[index];

	memset(event, 0, sizeof(*event));
	event->attr.type = type;
	event->attr.config = config;
	event->attr.sample_type = sample_type;
	event->attr.flags = UINT64_C(1) << ATTR_SAMPLE_ID_ALL;
	event->index = (uint32_t)index;
	event->name = (char *)name;
	event->leader = event;
	t->pointers[index] = event;
	t->list.events.at = t->pointers;
	t->list.events.count = index + 1;
	if ((int)strlen(name) > t->list.name_width)
		t->list.name_width = (int)strlen(name);
	return event;
}

#endif
