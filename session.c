#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "about.h"
#include "apply.h"
#include "deliver.h"
#include "event_switch.h"
#include "events/queue.h"
#include "output/script_record.h"
#include "progress.h"
#include "setup.h"
#include "summary.h"
#include "util/xalloc.h"

#define DEFAULT_QUEUE_MB 1024

struct session {
	const struct options *o;
	struct diag *diag;
	struct reader *reader;
	const struct recording *recording;
	bool unordered; /* records are delivered as they come */
	struct queue *queue;
	struct fields fields;
	struct folded_options folded_options;
	struct filter *filter;
	text_list stop_at; /* --stop-bt */
	char *stop_at_keep;
	int out_fd;
	struct writer *out;
	struct script *script; /* or */
	struct folded *folded; /* one is NULL */
	struct event_dumps *dumps; /* --per-event-dump, or NULL */
	struct deliver *deliver;
};

/* Without a file, standard input when it is a pipe, as perf script does. */
static const char *input_path(const struct options *o)
{
	struct stat st;

	if (o->input)
		return o->input;
	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

static struct err *open_output(struct session *s)
{
	struct err *err = setup_open_output(s->o, input_path(s->o), &s->out_fd);

	if (err)
		return err;
	s->out = writer_new(s->out_fd, s->o->output ? s->o->output : "standard output");
	return NULL;
}

static struct err *parse_fields(struct session *s)
{
	fields_init(&s->fields, s->o->hide_call_graph);
	for (size_t i = 0; i < s->o->fields.count; i++) {
		struct err *err = fields_parse(&s->fields, s->o->fields.at[i]);
		if (err)
			return err;
	}
	return NULL;
}

static void print_warnings(const struct session *s)
{
	for (size_t i = 0; i < s->fields.warnings.count; i++)
		fprintf(stderr, "%s\n", s->fields.warnings.at[i]);
}

static void make_formatter(struct session *s)
{
	struct script_options options = {
		.ns = s->o->ns,
		.reltime = s->o->reltime,
		.deltatime = s->o->deltatime,
		.latency = s->o->latency,
		.frames = { .full_source_path = s->o->full_source_path,
			    .show_kernel_path = s->o->show_kernel_path,
			    .stop_at = s->stop_at.at,
			    .nr_stop_at = s->stop_at.count },
		.features = s->recording->features,
	};

	s->folded_options.stop_at = s->stop_at.at;
	s->folded_options.nr_stop_at = s->stop_at.count;
	if (s->o->folded)
		s->folded = folded_new(&s->folded_options);
	else
		s->script = script_new(s->out, &s->fields, &options, s->recording->evlist);
}

static struct err *make_dumps(struct session *s)
{
	if (!s->o->per_event_dump || !s->script || s->o->header_only)
		return NULL;
	s->dumps = event_dumps_new(input_path(s->o), s->recording->evlist);
	return s->recording->header.pipe ? NULL : event_dumps_open(s->dumps);
}

static void make_deliver(struct session *s)
{
	struct deliver_to to = {
		.options = s->o,
		.input = input_path(s->o),
		.recording = s->recording,
		.diag = s->diag,
		.fields = &s->fields,
		.filter = s->filter,
		.script = s->script,
		.folded = s->folded,
		.dumps = s->dumps,
	};

	s->deliver = deliver_new(&to);
}

/* perf script keeps the order of a file whose first event records times for samples only. */
static bool is_unordered(const struct session *s)
{
	const struct evlist *evlist = s->recording->evlist;

	return s->o->show_round || s->o->dump_unsorted ||
	       (!s->recording->header.pipe && evlist->events.count &&
		!attr_flag(&evlist->events.at[0]->attr, ATTR_SAMPLE_ID_ALL));
}

static void make_queue(struct session *s)
{
	int mb = s->o->max_queue_mb < 0 ? DEFAULT_QUEUE_MB : s->o->max_queue_mb;

	s->queue = queue_new((size_t)mb << 20);
	s->unordered = is_unordered(s);
}

/* A file's events are all known by now; a stream's come one by one. With --header-only none is printed. */
static struct err *check_fields(struct session *s)
{
	struct fields_recording about = setup_fields_recording(s->recording->features, false);

	if (s->o->folded || s->o->header_only || s->recording->header.pipe)
		return NULL;
	return fields_check_file(&s->fields, s->recording->evlist, &about);
}

static struct err *attr_came(struct session *s)
{
	const struct evlist *evlist = s->recording->evlist;
	struct fields_recording about = setup_fields_recording(s->recording->features, true);
	struct err *err = filter_check_events(s->o, evlist);

	if (err || s->folded || !s->recording->header.pipe || !evlist->events.count)
		return err;
	deliver_events_changed(s->deliver);
	return fields_check_pipe(&s->fields, evlist, evlist->events.at[evlist->events.count - 1], &about);
}

static void drain(struct session *s)
{
	const struct raw_record *raw;

	while ((raw = queue_pop(s->queue)))
		deliver_record(s->deliver, raw);
	deliver_flush(s->deliver);
}

/* perf dumps it when it comes, behind all records before it that have no time. */
static void dump_tool_record(struct session *s, const struct raw_record *raw)
{
	if (s->o->dump_raw) {
		queue_init_end(s->queue);
		drain(s);
	}
	deliver_dump_tool_record(s->deliver, raw);
}

/* A stream tells of its events and its machine by records, between the others. */
static struct err *take_tool_record(struct session *s, const struct raw_record *raw)
{
	switch (raw->type) {
	case RECORD_FINISHED_ROUND:
		queue_round(s->queue);
		if (s->o->show_round && s->script)
			script_round(s->script);
		return NULL;
	case RECORD_FINISHED_INIT:
		queue_init_end(s->queue);
		return NULL;
	case RECORD_HEADER_BUILD_ID:
		deliver_build_ids(s->deliver);
		return NULL;
	case RECORD_HEADER_TRACING_DATA:
	case SIMPLEPERF_RECORD_TRACING_DATA:
		deliver_tracing_data(s->deliver);
		return NULL;
	case RECORD_HEADER_ATTR:
		return attr_came(s);
	case RECORD_EVENT_UPDATE:
		deliver_events_changed(s->deliver);
		return NULL;
	case RECORD_HEADER_FEATURE:
		if (s->script)
			about_feature(s->out, s->o, s->recording, raw);
		return NULL;
	case RECORD_AUXTRACE_ERROR:
	case RECORD_BPF_METADATA:
		deliver_record(s->deliver, raw);
		return NULL;
	default:
		return NULL;
	}
}

static struct err *take(struct session *s, const struct raw_record *raw)
{
	bool big_endian = s->recording->big_endian;
	enum queue_kind kind = QUEUE_OTHER;
	struct err *err = NULL;
	bool may_leave = true;
	uint32_t pid = 0;

	if (raw->type >= RECORD_USER_FIRST) {
		struct raw_record tool = *raw; /* the queue's room is lent until its next call only */
		dump_tool_record(s, &tool);
		err = take_tool_record(s, &tool);
	} else if (s->unordered) {
		deliver_record(s->deliver, raw);
		deliver_flush(s->deliver);
	} else {
		const struct event *event = evlist_of(s->recording->evlist, raw);
		if (raw->type != RECORD_SAMPLE)
			kind = apply_queue_kind(raw, big_endian, &pid);
		may_leave = queue_push(s->queue, event ? event_time(event, raw, big_endian) : 0, kind, pid);
	}
	if (may_leave && !err)
		drain(s);
	return err;
}

static struct err *convert(struct session *s)
{
	struct progress progress = progress_start(s->o, reader_total(s->reader), s->out_fd);
	struct err *err = NULL;
	bool more = true;

	while (!err && more && !writer_failed(s->out)) {
		struct raw_record *raw = queue_room(s->queue);
		err = reader_next(s->reader, raw, &more);
		if (!err && more)
			err = take(s, raw);
		if (progress.to)
			progress_at(&progress, reader_position(s->reader));
	}
	progress_end(&progress);
	if (err || writer_failed(s->out))
		return err;
	queue_end(s->queue);
	drain(s);
	deliver_end(s->deliver);
	err = s->dumps ? event_dumps_finish(s->dumps, s->out) : NULL;
	/* only now a stream has told of all its events */
	return err ? err : event_switch_check(s->o, s->recording->evlist);
}

static struct err *open_input(struct session *s)
{
	struct err *err = setup_check_files(s->o, s->diag);

	if (!err)
		err = reader_open(input_path(s->o), s->diag, &s->reader);
	if (!err)
		s->recording = reader_recording(s->reader);
	return err;
}

/* The last of all that can fail: what is wrong leaves an older file of that name alone. */
static struct err *open_rest(struct session *s)
{
	struct err *err = check_fields(s);

	if (!err)
		err = open_output(s);
	if (err)
		return err;
	setup_list(s->o->stop_bt, &s->stop_at, &s->stop_at_keep);
	make_formatter(s);
	make_queue(s);
	err = make_dumps(s);
	make_deliver(s);
	return err;
}

/* The output is what the run is for: a failure to write it comes before all others. */
static struct err *close_output(struct session *s, struct err *err)
{
	if (!s->out)
		return err;
	if (s->folded && !err)
		folded_write(s->folded, s->out);
	writer_flush(s->out);
	bool broken_pipe = writer_broken_pipe(s->out);
	struct err *write_err = writer_close(s->out);
	s->out = NULL;
	if (s->o->output && close(s->out_fd) && !write_err)
		write_err = err_sys(s->o->output, "write");
	/* Who reads may stop when it has enough: head, less. */
	if (broken_pipe) {
		err_free(write_err);
		write_err = NULL;
	}
	if (!write_err)
		return err;
	err_free(err);
	return write_err;
}

static void free_all(struct session *s)
{
	deliver_free(s->deliver);
	event_dumps_free(s->dumps);
	script_free(s->script);
	folded_free(s->folded);
	vec_free(&s->stop_at);
	free(s->stop_at_keep);
	filter_free(s->filter);
	queue_free(s->queue);
	reader_free(s->reader);
	fields_deinit(&s->fields);
	diag_free(s->diag);
}

static enum exit_status fail(struct err *err, enum exit_status status)
{
	fprintf(stderr, "perf2txt: %s\n", err_text(err));
	err_free(err);
	return status;
}

static struct err *check_options(struct session *s)
{
	struct err *err = setup_check_options(s->o, &s->fields);

	return err || !s->o->folded ? err : setup_folded(s->o, &s->folded_options);
}

/* All steps up to the summary, each with the exit status of its failure. */
static struct err *run(struct session *s, enum exit_status *status)
{
	*status = STATUS_FIELDS;
	struct err *err = parse_fields(s);
	print_warnings(s);
	if (err)
		return err;
	*status = STATUS_USAGE;
	err = check_options(s);
	if (err)
		return err;
	*status = STATUS_FAILED;
	err = open_input(s);
	if (err)
		return err;
	*status = STATUS_USAGE;
	if (!s->o->header_only)
		err = filter_new(s->o, s->recording->features, s->recording->evlist, &s->filter);
	if (!err && !s->o->header_only && !s->recording->header.pipe)
		err = event_switch_check(s->o, s->recording->evlist);
	if (err)
		return err;
	*status = STATUS_FAILED;
	err = open_rest(s);
	if (err)
		return err;
	if (s->script || s->o->header_only)
		about_header(s->out, s->o, s->recording);
	return s->o->header_only ? NULL : convert(s);
}

enum exit_status session_run(const struct options *o)
{
	struct session s = { .o = o, .diag = diag_new() };
	enum exit_status status;
	struct err *err = close_output(&s, run(&s, &status));

	status = err ? fail(err, status) : STATUS_OK;
	if (s.deliver && !o->quiet)
		summary_print(&(struct summary){ o, s.diag, s.recording, s.queue, s.folded, s.deliver });
	free_all(&s);
	return status;
}
