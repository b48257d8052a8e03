#include "events/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events/perf_abi.h"
#include "events/perfdir.h"
#include "events/source.h"
#include "util/cursor.h"
#include "util/xalloc.h"

/* How much of one file of a directory is read before the next one's turn, as perf does (as in perf 7.2).
 */
#define TURN_BYTES ((uint64_t)2 * 1024 * 1024)

struct reader {
	struct recording recording;
	char *name;
	struct diag *diag;
	struct perfdir inputs; /* one, unless the recording is a directory */
	VEC(struct source *) sources;
	size_t turn;	     /* whose turn it is */
	uint64_t turn_start; /* its position when the turn began */
	uint64_t done_bytes; /* of the sources that have ended */
	bool stale;	     /* the event list has to be finished before the next ordinary record */
	bool described;	     /* EVENT_DESC or GROUP_DESC has come */
	VEC(void *) kept;    /* tracing data of streams */
};

void reader_free(struct reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->sources.count; i++)
		source_free(r->sources.at[i]);
	vec_free(&r->sources);
	vec_free(&r->recording.inputs);
	evlist_free(r->recording.evlist);
	id_index_free(r->recording.id_index);
	features_free(r->recording.features);
	simpleperf_free(r->recording.simpleperf);
	for (size_t i = 0; i < r->kept.count; i++)
		free(r->kept.at[i]);
	vec_free(&r->kept);
	perfdir_close(&r->inputs);
	free(r->name);
	free(r);
}

static struct input *main_input(const struct reader *r)
{
	return r->inputs.inputs.at[0];
}

/* The list of events. */

static void bad_event(struct reader *r, uint64_t offset, const char *reason)
{
	diag_note(r->diag, "event descriptions that could not be read", 1, "%s: offset 0x%" PRIx64 ": %s",
		  r->name, offset, reason);
}

struct ids {
	VEC(uint64_t) ids;
};

static void read_ids(struct ids *ret, const uint8_t *data, uint64_t size, bool big_endian)
{
	vec_clear(&ret->ids);
	for (uint64_t at = 0; size - at >= 8; at += 8)
		vec_push(&ret->ids, load_u64(data + at, big_endian));
}

/*
 * The ids of one event in a file. All id sections together fit into the file, so their sum is limited by its
 * size: else a small file whose events all claim all of it would fill the memory.
 */
static void read_id_section(struct reader *r, struct section where, uint64_t *budget, struct ids *ret)
{
	vec_clear(&ret->ids);
	if (!where.size)
		return;
	const uint8_t *data = input_at(main_input(r), where.offset, where.size);
	if (!data || where.size > *budget) {
		bad_event(r, where.offset, "the event's ids are not inside the file");
		return;
	}
	*budget -= where.size;
	read_ids(ret, data, where.size, r->recording.big_endian);
}

/* One entry of the attrs section: an attr and the place of its ids. False: nothing behind it can be read. */
static bool read_attr(struct reader *r, struct cursor *c, uint64_t *budget, struct ids *ids)
{
	struct section attrs = r->recording.header.attrs;
	uint64_t offset = attrs.offset + (attrs.size - cursor_left(c));
	size_t size = attr_size(c->at, cursor_left(c), c->big_endian);
	const uint8_t *data = size ? cursor_bytes(c, size) : NULL;
	struct section where;
	struct attr attr;

	where.offset = cursor_u64(c);
	where.size = cursor_u64(c);
	if (!data || cursor_bad(c)) {
		bad_event(r, offset, "it does not fit into the list of events");
		return false;
	}
	const char *reason = attr_decode(data, size, c->big_endian, &attr);
	if (reason) {
		bad_event(r, offset, reason);
		return false;
	}
	read_id_section(r, where, budget, ids);
	evlist_add(r->recording.evlist, &attr, ids->ids.at, ids->ids.count, NULL);
	return true;
}

/* Entries follow each other by the attr's own size; the header's is good for counting them (as in perf 7.2).
 */
static void read_attrs(struct reader *r)
{
	const struct header *h = &r->recording.header;
	const uint8_t *data = input_at(main_input(r), h->attrs.offset, h->attrs.size);
	uint64_t nr = h->attr_size ? h->attrs.size / h->attr_size : UINT64_MAX;
	uint64_t budget = input_size(main_input(r));
	struct ids ids = { 0 };

	if (!data)
		return;
	struct cursor c = cursor_make(data, (size_t)h->attrs.size, h->big_endian);
	while (nr-- && cursor_left(&c) && read_attr(r, &c, &budget, &ids))
		;
	vec_free(&ids.ids);
}

static void name_events(struct evlist *evlist, const struct features *f)
{
	for (size_t i = 0; i < evlist->events.count && i < f->event_descs.count; i++) {
		struct event *event = evlist->events.at[i];
		const char *name = f->event_descs.at[i].name;
		if (name && !event->name_recorded)
			event_set_name(event, name);
	}
}

/* A group that does not begin where it says, or that begins inside another one, is left out. */
static void group_events(struct evlist *evlist, const struct features *f)
{
	size_t next = 0, count = evlist->events.count;

	for (size_t i = 0; i < f->groups.count; i++) {
		const struct group_desc *group = &f->groups.at[i];
		if (group->leader < next || group->leader >= count)
			continue;
		struct event *leader = evlist->events.at[group->leader];
		next = count - group->leader < group->nr_members ? count
								 : group->leader + (size_t)group->nr_members;
		for (size_t member = group->leader; member < next; member++)
			evlist->events.at[member]->leader = leader;
		if (!leader->group_name && group->name && strcmp(group->name, "{anon_group}"))
			leader->group_name = xstrdup(group->name);
	}
}

/* simpleperf writes no EVENT_DESC. */
static void name_events_by_type(struct evlist *evlist, const struct simpleperf *sp)
{
	const char *name;
	size_t length;

	for (size_t i = 0; i < evlist->events.count; i++) {
		struct event *event = evlist->events.at[i];
		if (!event->name_recorded &&
		    simpleperf_event_name(sp, event->attr.type, event->attr.config, &name, &length))
			event_set_type_name(event, name, length);
	}
}

static void finish_events(struct reader *r)
{
	name_events(r->recording.evlist, r->recording.features);
	if (r->recording.simpleperf)
		name_events_by_type(r->recording.evlist, r->recording.simpleperf);
	group_events(r->recording.evlist, r->recording.features);
	evlist_finish(r->recording.evlist);
	r->stale = false;
}

/* Features of a file. */

static void bad_feature(struct reader *r, uint64_t number, const char *reason)
{
	diag_note(r->diag, "feature sections that could not be read", 1, "%s: feature %" PRIu64 ": %s",
		  r->name, number, reason);
}

static void read_feature(struct reader *r, unsigned number, const uint8_t *entry)
{
	bool big_endian = r->recording.big_endian;
	uint64_t offset = load_u64(entry, big_endian), size = load_u64(entry + 8, big_endian);
	const uint8_t *data = size ? input_at(main_input(r), offset, size) : entry;

	if (!data) {
		/* What perf 7.2 refuses the whole file for. */
		diag_note(r->diag, "feature sections outside the file", 1,
			  "%s: feature %u should be %" PRIu64 " bytes at offset 0x%" PRIx64, r->name, number,
			  size, offset);
		return;
	}
	const char *reason = features_add(r->recording.features, number, data, size, big_endian);
	if (!reason && r->recording.simpleperf)
		reason = simpleperf_add_feature(r->recording.simpleperf, number, data, size);
	if (reason)
		bad_feature(r, number, reason);
}

/* perf has features from 1 on, and 35 of them so far; simpleperf has the rest of the bitmap for its own. */
static bool is_simpleperf(const struct header *h)
{
	for (unsigned word = SIMPLEPERF_FEATURE_FIRST / 64; word < FEATURE_BITS / 64; word++) {
		if (h->features[word])
			return true;
	}
	return false;
}

static void read_features(struct reader *r)
{
	const struct header *h = &r->recording.header;
	uint64_t at = h->feature_offset;

	for (unsigned number = 0; number < FEATURE_BITS; number++) {
		if (!(h->features[number / 64] >> (number % 64) & 1))
			continue;
		const uint8_t *entry = input_at(main_input(r), at, 16);
		if (entry) {
			read_feature(r, number, entry);
			at += 16;
		} else {
			diag_note(r->diag, "feature sections outside the file", 1,
				  "%s: the file ends before their table", r->name);
		}
	}
}

/* Opening. */

static void note_damage(struct reader *r)
{
	const struct header *h = &r->recording.header;

	if (h->unfinished)
		diag_note(
			r->diag,
			"recordings that the recorder did not finish, read up to the end of the file without "
			"the features that are written last",
			1, "%s: its data size is 0", r->name);
	if (h->cut)
		diag_note(r->diag, "bytes of recorded data missing at the end of the file", h->cut,
			  "%s: the header announces data up to offset 0x%" PRIx64, r->name,
			  h->feature_offset);
	if (!h->pipe && !r->recording.evlist->events.count)
		diag_note(r->diag, "files that describe no event", 1, "%s", r->name);
	if (features_has(r->recording.features, FEATURE_DIR_FORMAT) && r->inputs.inputs.count == 1)
		diag_note(
			r->diag,
			"folders of perf record --threads without their files data.N, which have the samples",
			1, "%s", r->name);
}

static void add_source(struct reader *r, struct input *in, uint64_t end)
{
	uint16_t number = (uint16_t)r->sources.count;
	struct source *source = source_new(in, number, end, r->recording.big_endian, r->diag);

	if (r->recording.simpleperf)
		source_expect_simpleperf(source);
	vec_push(&r->sources, source);
	vec_push(&r->recording.inputs, input_name(in));
}

static void add_sources(struct reader *r)
{
	const struct header *h = &r->recording.header;
	struct input *in = main_input(r);

	if (!h->pipe)
		input_seek(in, h->data.offset);
	add_source(r, in, h->pipe ? UINT64_MAX : h->data.offset + h->data.size);
	if (h->unfinished)
		source_watch_table(r->sources.at[0], h->table_size);
	for (size_t i = 1; i < r->inputs.inputs.count; i++)
		add_source(r, r->inputs.inputs.at[i], UINT64_MAX);
}

/* @r has its inputs; on failure it is freed. */
static struct err *start(struct reader *r, struct reader **ret)
{
	struct recording *recording = &r->recording;
	struct err *err = header_read(main_input(r), &recording->header);

	if (err) {
		reader_free(r);
		return err;
	}
	recording->big_endian = recording->header.big_endian;
	recording->mtime = input_mtime(main_input(r));
	recording->features = features_new();
	recording->evlist = evlist_new(recording->big_endian);
	recording->id_index = id_index_new();
	if (is_simpleperf(&recording->header))
		recording->simpleperf = simpleperf_new(recording->big_endian);
	if (!recording->header.pipe) {
		read_attrs(r);
		read_features(r);
	}
	finish_events(r);
	note_damage(r);
	add_sources(r);
	*ret = r;
	return NULL;
}

static struct reader *reader_new(const char *name, struct diag *diag)
{
	struct reader *r = xcalloc(1, sizeof(*r));

	r->name = xstrdup(name);
	r->recording.name = r->name;
	r->diag = diag;
	return r;
}

static struct err *open_file(const char *path, struct diag *diag, struct reader **ret)
{
	struct input *in;
	struct err *err = input_open(path, &in);

	if (err)
		return err;
	struct reader *r = reader_new(input_name(in), diag);
	vec_push(&r->inputs.inputs, in);
	return start(r, ret);
}

static struct err *open_directory(const char *path, struct diag *diag, struct reader **ret)
{
	struct perfdir dir;
	struct err *err = perfdir_open(path, &dir);

	if (err)
		return err;
	struct reader *r = reader_new(path, diag);
	r->inputs = dir;
	r->recording.directory = true;
	return start(r, ret);
}

struct err *reader_open(const char *path, struct diag *diag, struct reader **ret)
{
	return perfdir_is(path) ? open_directory(path, diag, ret) : open_file(path, diag, ret);
}

struct err *reader_open_memory(const char *name, const void *data, size_t size, bool stream,
			       struct diag *diag, struct reader **ret)
{
	struct reader *r = reader_new(name, diag);
	struct input *in = stream ? input_memory_stream(name, data, size) : input_memory(name, data, size);

	vec_push(&r->inputs.inputs, in);
	return start(r, ret);
}

const struct recording *reader_recording(const struct reader *r)
{
	return &r->recording;
}

/* What a stream says by records. */

static void take_attr(struct reader *r, const struct raw_record *raw)
{
	const uint8_t *data = raw->data + RECORD_HEADER_SIZE;
	size_t left = raw->size - RECORD_HEADER_SIZE;
	size_t size = attr_size(data, left, r->recording.big_endian);
	struct attr attr;
	struct ids ids = { 0 };
	const char *reason = attr_decode(data, left, r->recording.big_endian, &attr);

	if (reason) {
		bad_event(r, raw->offset, reason);
		return;
	}
	read_ids(&ids, data + size, left - size, r->recording.big_endian);
	/* A file that was made from a stream may hold its events twice, in the header and as records. */
	if (r->recording.header.pipe || !ids.ids.count || !evlist_by_id(r->recording.evlist, ids.ids.at[0])) {
		struct event *event = evlist_add(r->recording.evlist, &attr, ids.ids.at, ids.ids.count, NULL);
		/* Alone: thousands may come, and to finish all of them each time would be quadratic. */
		evlist_finish_event(r->recording.evlist, event);
		r->stale |= r->described;
	}
	vec_free(&ids.ids);
}

/* @data is of @raw. */
static void add_tracing_data(struct reader *r, const struct raw_record *raw, const uint8_t *data, size_t size)
{
	if (!size)
		return;
	if (!raw->stable) {
		void *copy = xmemdup(data, size);
		vec_push(&r->kept, copy);
		data = copy;
	}
	const char *reason = features_add(r->recording.features, FEATURE_TRACING_DATA, data, size,
					  r->recording.big_endian);
	if (reason)
		bad_feature(r, FEATURE_TRACING_DATA, reason);
}

static void take_tracing_data(struct reader *r, const struct raw_record *raw)
{
	add_tracing_data(r, raw, raw->data + raw->size, raw->payload_size);
}

static void take_build_id(struct reader *r, const struct raw_record *raw)
{
	const char *reason =
		features_add_build_id(r->recording.features, raw->misc, raw->data + RECORD_HEADER_SIZE,
				      raw->size - RECORD_HEADER_SIZE, r->recording.big_endian);

	if (reason)
		diag_note(r->diag, "build-id records that could not be read", 1,
			  "%s: offset 0x%" PRIx64 ": %s", r->name, raw->offset, reason);
}

static void take_feature(struct reader *r, const struct raw_record *raw)
{
	struct cursor c = cursor_make(raw->data, raw->size, r->recording.big_endian);

	cursor_skip(&c, RECORD_HEADER_SIZE);
	uint64_t number = cursor_u64(&c);
	size_t left = cursor_left(&c);
	/* One without a payload says that all features have come. */
	if (cursor_bad(&c) || !left)
		return;
	if (number >= FEATURE_BITS || number == FEATURE_TRACING_DATA) {
		bad_feature(r, number, "no such feature comes in a record");
		return;
	}
	const char *reason = features_add(r->recording.features, (unsigned)number, cursor_bytes(&c, left),
					  left, r->recording.big_endian);
	if (reason)
		bad_feature(r, number, reason);
	if (number == FEATURE_EVENT_DESC || number == FEATURE_GROUP_DESC)
		r->stale = r->described = true;
	/* What describes the machine is printed as it comes, with names of events in it. */
	if (r->stale)
		finish_events(r);
}

enum update { UPDATE_UNIT = 0, UPDATE_SCALE = 1, UPDATE_NAME = 2 };

static void update_event(struct event *event, uint64_t what, struct cursor *c)
{
	size_t left = cursor_left(c);
	AUTOFREE char *text = xstrndup((const char *)c->at, left); /* ends at its NUL or with the record */

	if (what == UPDATE_UNIT) {
		free(event->unit);
		event->unit = xstrdup(text);
	} else if (what == UPDATE_NAME && *text) {
		event_set_name(event, text);
	} else if (what == UPDATE_SCALE && left >= 8) {
		uint64_t bits = cursor_u64(c);
		memcpy(&event->scale, &bits, sizeof(bits));
	}
}

static void take_event_update(struct reader *r, const struct raw_record *raw)
{
	struct cursor c = cursor_make(raw->data, raw->size, r->recording.big_endian);

	cursor_skip(&c, RECORD_HEADER_SIZE);
	uint64_t what = cursor_u64(&c);
	uint64_t id = cursor_u64(&c);
	struct event *event = cursor_bad(&c) ? NULL : evlist_by_id(r->recording.evlist, id);
	if (!event) {
		diag_note(r->diag, "event updates without an event", 1,
			  "%s: offset 0x%" PRIx64 ": id %" PRIu64, r->name, raw->offset, id);
		return;
	}
	update_event(event, what, &c);
	r->stale = true;
}

static void take_id_index(struct reader *r, const struct raw_record *raw)
{
	const char *reason = id_index_add(r->recording.id_index, raw, r->recording.big_endian);

	if (reason)
		diag_note(r->diag, "lists of ids that could not be read", 1, "%s: offset 0x%" PRIx64 ": %s",
			  r->name, raw->offset, reason);
}

/* What simpleperf says by records. */

static void bad_simpleperf(struct reader *r, const struct raw_record *raw, const char *reason)
{
	diag_note(r->diag, "records of simpleperf that could not be read", 1,
		  "%s: offset 0x%" PRIx64 ": type %" PRIu32 ": %s", r->name, raw->offset, raw->type, reason);
}

static const char *take_event_ids(struct reader *r, const struct raw_record *raw)
{
	struct evlist *evlist = r->recording.evlist;
	struct cursor c = simpleperf_body(r->recording.simpleperf, raw);
	uint64_t count = cursor_u64(&c);

	if (cursor_bad(&c) || count > cursor_left(&c) / 16)
		return "it is cut short";
	for (uint64_t i = 0; i < count; i++) {
		uint64_t number = cursor_u64(&c), id = cursor_u64(&c);
		if (number >= evlist->events.count)
			return "there is no event of that number";
		evlist_add_id(evlist, evlist->events.at[number], id);
	}
	return NULL;
}

static const char *take_simpleperf(struct reader *r, const struct raw_record *raw)
{
	struct simpleperf *sp = r->recording.simpleperf;

	switch (raw->type) {
	case SIMPLEPERF_RECORD_SPLIT:
		return simpleperf_add_piece(sp, raw);
	case SIMPLEPERF_RECORD_KERNEL_SYMBOL:
		return simpleperf_add_kallsyms(sp, raw);
	case SIMPLEPERF_RECORD_EVENT_ID:
		return take_event_ids(r, raw);
	case SIMPLEPERF_RECORD_TRACING_DATA: {
		size_t size;
		const uint8_t *data = simpleperf_contents(sp, raw, &size);
		if (!data)
			return "it is cut short";
		if (!r->recording.features->tracing_data)
			add_tracing_data(r, raw, data, size);
		return NULL;
	}
	default:
		return NULL;
	}
}

static void take_in_simpleperf(struct reader *r, struct raw_record *raw)
{
	const char *reason = NULL;

	if (raw->type == SIMPLEPERF_RECORD_SPLIT_END)
		reason = simpleperf_join(r->recording.simpleperf, raw);
	if (!reason)
		reason = take_simpleperf(r, raw);
	if (reason)
		bad_simpleperf(r, raw, reason);
}

static void take_in(struct reader *r, struct raw_record *raw)
{
	if (r->recording.simpleperf && raw->type >= SIMPLEPERF_RECORD_FIRST) {
		take_in_simpleperf(r, raw);
		return;
	}
	switch (raw->type) {
	case RECORD_HEADER_ATTR:
		take_attr(r, raw);
		return;
	case RECORD_HEADER_TRACING_DATA:
		take_tracing_data(r, raw);
		return;
	case RECORD_HEADER_BUILD_ID:
		take_build_id(r, raw);
		return;
	case RECORD_HEADER_FEATURE:
		take_feature(r, raw);
		return;
	case RECORD_EVENT_UPDATE:
		take_event_update(r, raw);
		return;
	case RECORD_ID_INDEX:
		take_id_index(r, raw);
		return;
	default:
		/* Changes of events come in runs: once behind them, not once a record. */
		if (r->stale)
			finish_events(r);
	}
}

/* Reading. */

static void next_turn(struct reader *r)
{
	r->turn = (r->turn + 1) % r->sources.count;
	r->turn_start = source_position(r->sources.at[r->turn]);
}

static void end_source(struct reader *r)
{
	if (r->recording.simpleperf && r->recording.simpleperf->pieces.count)
		diag_note(r->diag, "records of simpleperf that could not be read", 1,
			  "%s: the last one's end is missing", r->name);
	r->done_bytes += source_position(r->sources.at[r->turn]);
	source_free(r->sources.at[r->turn]);
	vec_remove(&r->sources, r->turn, 1);
	if (!r->sources.count)
		return;
	r->turn %= r->sources.count;
	r->turn_start = source_position(r->sources.at[r->turn]);
}

struct err *reader_next(struct reader *r, struct raw_record *ret, bool *more)
{
	*more = false;
	while (r->sources.count) {
		if (r->sources.count > 1 &&
		    source_position(r->sources.at[r->turn]) - r->turn_start >= TURN_BYTES)
			next_turn(r);
		struct err *err = source_next(r->sources.at[r->turn], ret, more);
		if (err)
			return err;
		if (*more) {
			take_in(r, ret);
			return NULL;
		}
		end_source(r);
	}
	if (r->stale)
		finish_events(r);
	return NULL;
}

uint64_t reader_position(const struct reader *r)
{
	uint64_t sum = r->done_bytes;

	for (size_t i = 0; i < r->sources.count; i++)
		sum += source_position(r->sources.at[i]);
	return sum;
}

uint64_t reader_total(const struct reader *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->inputs.inputs.count; i++)
		sum += input_size(r->inputs.inputs.at[i]);
	return sum;
}
