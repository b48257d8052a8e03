#include "event_dumps.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/vec.h"
#include "util/xalloc.h"

struct dump {
	char *path;
	size_t shared; /* the dump of an earlier event of the same name, or its own */
	int fd;
	struct writer *writer; /* NULL: not open */
	uint64_t nr_samples;
};

struct event_dumps {
	const char *input;
	const struct evlist *evlist;
	VEC(struct dump) dumps; /* by event->index */
	struct err *err;	/* the first one */
};

struct event_dumps *event_dumps_new(const char *input, const struct evlist *evlist)
{
	struct event_dumps *d = xcalloc(1, sizeof(*d));

	d->input = strcmp(input, "-") ? input : "perf.data";
	d->evlist = evlist;
	return d;
}

static char *dump_path(const struct event_dumps *d, const struct event *event)
{
	AUTOFREE char *name = xstrdup(event->name);

	for (char *at = name; (at = strchr(at, '/'));)
		*at = '_';
	return xasprintf("%s.%s.dump", d->input, name);
}

static struct err *open_dump(struct dump *dump)
{
	dump->fd = open(dump->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (dump->fd < 0)
		return err_sys(dump->path, "create the file");
	dump->writer = writer_new(dump->fd, dump->path);
	return NULL;
}

static size_t same_path(const struct event_dumps *d, const char *path)
{
	size_t i = 0;

	while (!d->dumps.at[i].path || strcmp(d->dumps.at[i].path, path))
		i++;
	return i;
}

static struct dump *dump_of(struct event_dumps *d, const struct event *event)
{
	while (d->dumps.count <= event->index)
		vec_push(&d->dumps, ((struct dump){ .fd = -1 }));
	struct dump *dump = &d->dumps.at[event->index];
	if (dump->path)
		return &d->dumps.at[dump->shared];
	dump->path = dump_path(d, event);
	dump->shared = same_path(d, dump->path);
	dump = &d->dumps.at[dump->shared];
	if (!d->err && !dump->writer)
		d->err = open_dump(dump);
	return dump;
}

struct err *event_dumps_open(struct event_dumps *d)
{
	for (size_t i = 0; i < d->evlist->events.count && !d->err; i++)
		dump_of(d, d->evlist->events.at[i]);
	struct err *err = d->err;
	d->err = NULL;
	return err;
}

struct writer *event_dumps_sample(struct event_dumps *d, const struct event *event)
{
	struct dump *dump = dump_of(d, event);

	dump->nr_samples++;
	return dump->writer;
}

static void close_dump(struct event_dumps *d, struct dump *dump)
{
	if (!dump->writer)
		return;
	struct err *err = writer_close(dump->writer);
	dump->writer = NULL;
	if (close(dump->fd) && !err)
		err = err_sys(dump->path, "write");
	if (d->err)
		err_free(err);
	else
		d->err = err;
}

struct err *event_dumps_finish(struct event_dumps *d, struct writer *to)
{
	for (size_t i = 0; i < d->evlist->events.count; i++) {
		struct dump *dump = dump_of(d, d->evlist->events.at[i]);
		if (!dump->writer)
			continue;
		writer_flush(dump->writer);
		writer_printf(to, "[ perf script: Wrote %.3f MB %s (%llu samples) ]\n",
			      (double)dump->writer->written / 1048576, dump->path,
			      (unsigned long long)dump->nr_samples);
		close_dump(d, dump);
	}
	struct err *err = d->err;
	d->err = NULL;
	return err;
}

void event_dumps_free(struct event_dumps *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->dumps.count; i++) {
		close_dump(d, &d->dumps.at[i]);
		free(d->dumps.at[i].path);
	}
	err_free(d->err);
	vec_free(&d->dumps);
	free(d);
}
