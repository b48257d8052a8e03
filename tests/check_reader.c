#include "tests/check_run.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "events/reader.h"
#include "tests/mkperf.h"
#include "util/cursor.h"
#include "util/xalloc.h"

/* Every way in which one recording can be written. */
static const struct mkperf_options all_kinds[] = {
	{ 0 },
	{ .version1 = true },
	{ .pipe = true },
	{ .compress = RECORD_COMPRESSED },
	{ .compress = RECORD_COMPRESSED2, .piece = 7 }, /* records are split over several */
	{ .compress = RECORD_COMPRESSED, .piece = 17, .pipe = true },
	{ .compress = RECORD_COMPRESSED2, .pipe = true },
	{ .big_endian = true },
	{ .big_endian = true, .bitmap32 = true },
	{ .big_endian = true, .version1 = true },
	{ .big_endian = true, .pipe = true },
	{ .big_endian = true, .compress = RECORD_COMPRESSED, .piece = 50 },
	{ .big_endian = true, .compress = RECORD_COMPRESSED2, .piece = 9, .pipe = true },
};
#define NR_KINDS (sizeof(all_kinds) / sizeof(all_kinds[0]))

/* Records as text: "comm100 map100 sample0x10 round". Those that say the header of a pipe are left out. */
static size_t describe(char *to, size_t room, const struct raw_record *raw, bool big_endian)
{
	const uint8_t *body = raw->data + 8;

	switch (raw->type) {
	case RECORD_HEADER_ATTR:
	case RECORD_HEADER_FEATURE:
	case RECORD_HEADER_BUILD_ID:
	case RECORD_HEADER_TRACING_DATA:
	case RECORD_EVENT_UPDATE:
		return 0;
	case RECORD_SAMPLE:
		return (size_t)snprintf(to, room, "sample%#lx ", (unsigned long)load_u64(body, big_endian));
	case RECORD_COMM:
		return (size_t)snprintf(to, room, "comm%u ", load_u32(body, big_endian));
	case RECORD_MMAP2:
		return (size_t)snprintf(to, room, "map%u ", load_u32(body, big_endian));
	case RECORD_FORK:
		return (size_t)snprintf(to, room, "fork%u ", load_u32(body, big_endian));
	case RECORD_FINISHED_ROUND:
		return (size_t)snprintf(to, room, "round ");
	default:
		return (size_t)snprintf(to, room, "type%u:%u ", raw->type, raw->size);
	}
}

static const char *rest_of(struct reader *r)
{
	static char text[1 << 16];
	struct raw_record raw;
	size_t at = 0;
	bool more = true;

	text[0] = '\0';
	while (more) {
		struct err *err = reader_next(r, &raw, &more);
		ck_assert_msg(!err, "%s", err ? err_text(err) : "");
		if (more)
			at += describe(text + at, sizeof(text) - at, &raw, reader_recording(r)->big_endian);
		ck_assert_uint_lt(at, sizeof(text));
	}
	if (at)
		text[at - 1] = '\0';
	return text;
}

static struct reader *open_bytes(const void *data, size_t size, bool stream, struct diag *diag)
{
	struct reader *r = NULL;
	struct err *err = reader_open_memory("f", data, size, stream, diag, &r);

	ck_assert_msg(!err, "%s", err ? err_text(err) : "");
	return r;
}

static struct reader *open_made(struct mkperf *m, struct diag *diag)
{
	size_t size;
	const uint8_t *data = mkperf_bytes(m, &size);

	return open_bytes(data, size, false, diag);
}

static const struct attr plain_attr = {
	.type = ATTR_SOFTWARE,
	.size = 96, /* a size that version 1 knew */
	.sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_PERIOD,
	.flags = MK_SAMPLE_ID_ALL,
};

static const uint8_t build_id[20] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };

/* The recording of most tests. */
static struct mkperf *make(struct mkperf_options options)
{
	struct mkperf *m = mkperf_new(options);

	mkperf_event(m, .attr = plain_attr, .name = "cpu-clock:u");
	mkperf_event(m, .attr = plain_attr, .ids = { 0x100000005, 6 }, .name = "faults");
	mkperf_string_feature(m, FEATURE_HOSTNAME, "board");
	mkperf_string_feature(m, FEATURE_ARCH, "aarch64");
	mkperf_nrcpus(m, 4, 3);
	mkperf_build_id(m, CPUMODE_USER, -1, build_id, "/bin/spin");
	mkperf_tracing_data(m, "tracing data", 12);
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "spin");
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = 0x1000, .len = 0x1000, .filename = "/bin/spin");
	mkperf_sample(m, .ip = 0x1010, .pid = 100, .tid = 100, .time = 5, .period = 10);
	mkperf_round(m);
	mkperf_record(m, 91, 0, "0123456789abcdef", 16, NULL); /* unknown ones: R16 */
	mkperf_record(m, 37, 0, "0123456789abcdef", 16, NULL);
	mkperf_record(m, RECORD_CPU_MAP, 0, "\0\0\1\0\0\0\0\0\0\0\0\0", 12, NULL); /* not aligned */
	mkperf_fork(m, .pid = 101, .ppid = 100, .tid = 101, .ptid = 100, .time = 6);
	mkperf_sample(m, .event = 1, .ip = 0x1020, .pid = 101, .tid = 101, .time = 7, .period = 20);
	return m;
}

static const char expected[] =
	"comm100 map100 sample0x1010 round type91:24 type37:24 type74:20 fork101 sample0x1020";

static void expect_header(const struct recording *recording)
{
	const struct evlist *evlist = recording->evlist;
	const struct features *f = recording->features;

	ck_assert_uint_eq(evlist->events.count, 2);
	ck_assert_str_eq(evlist->events.at[0]->name, "cpu-clock:u");
	ck_assert_str_eq(evlist->events.at[1]->name, "faults");
	ck_assert_uint_eq(evlist->events.at[0]->attr.sample_type, plain_attr.sample_type);
	ck_assert_uint_eq(evlist->events.at[1]->attr.flags, plain_attr.flags);
	ck_assert_ptr_eq(evlist_by_id(evlist, 1), evlist->events.at[0]);
	ck_assert_ptr_eq(evlist_by_id(evlist, 0x100000005), evlist->events.at[1]);
	ck_assert_ptr_eq(evlist_by_id(evlist, 6), evlist->events.at[1]);
	ck_assert_str_eq(f->hostname, "board");
	ck_assert_str_eq(f->arch, "aarch64");
	ck_assert_uint_eq(f->nr_cpus_avail, 4);
	ck_assert_uint_eq(f->nr_cpus_online, 3);
	ck_assert_uint_eq(f->build_ids.count, 1);
	ck_assert_str_eq(f->build_ids.at[0].filename, "/bin/spin");
	ck_assert_uint_eq(f->tracing_data_size, recording->header.pipe ? 16 : 12);
	ck_assert_mem_eq(f->tracing_data, "tracing data", 12);
}

START_TEST(one_recording_reads_the_same_however_it_was_written)
{
	for (size_t kind = 0; kind < NR_KINDS; kind++) {
		for (int stream = 0; stream <= all_kinds[kind].pipe; stream++) {
			struct mkperf *m = make(all_kinds[kind]);
			struct diag *diag = diag_new();
			size_t size;
			const uint8_t *data = mkperf_bytes(m, &size);
			struct reader *r = open_bytes(data, size, stream, diag);
			const struct recording *recording = reader_recording(r);

			ck_assert(recording->big_endian == all_kinds[kind].big_endian);
			ck_assert_str_eq(rest_of(r), expected);
			expect_header(recording);
			ck_assert_ptr_null(diag_entry(diag, 0));
			ck_assert_uint_eq(reader_total(r), stream ? 0 : size);
			reader_free(r);
			diag_free(diag);
			mkperf_free(m);
		}
	}
}
END_TEST

START_TEST(events_of_the_records_are_found_in_either_order)
{
	for (int big = 0; big <= 1; big++) {
		struct mkperf *m = make((struct mkperf_options){ .big_endian = big });
		struct diag *diag = diag_new();
		struct reader *r = open_made(m, diag);
		struct evlist *evlist = reader_recording(r)->evlist;
		struct raw_record raw;
		bool more;
		uint64_t times = 0;

		while (!reader_next(r, &raw, &more) && more) {
			if (raw.type >= RECORD_USER_FIRST || raw.type == 37)
				continue;
			struct event *event = evlist_of(evlist, &raw);
			ck_assert_ptr_nonnull(event);
			ck_assert_uint_eq(event->index,
					  raw.type == RECORD_SAMPLE && event_time(event, &raw, big) == 7);
			times = 10 * times + event_time(event, &raw, big);
		}
		ck_assert_uint_eq(times, 567); /* COMM and MMAP2 have 0 */
		reader_free(r);
		diag_free(diag);
		mkperf_free(m);
	}
}
END_TEST

START_TEST(mapped_records_are_stable_and_others_are_not)
{
	static const struct {
		struct mkperf_options options;
		bool stream, stable;
	} cases[] = {
		{ { 0 }, false, true },
		{ { .pipe = true }, false, true },
		{ { .pipe = true }, true, false },
		{ { .compress = RECORD_COMPRESSED }, false, false },
	};

	for (size_t i = 0; i < 4; i++) {
		struct mkperf *m = make(cases[i].options);
		struct diag *diag = diag_new();
		size_t size;
		const uint8_t *data = mkperf_bytes(m, &size);
		struct reader *r = open_bytes(data, size, cases[i].stream, diag);
		struct raw_record raw;
		bool more;

		while (!reader_next(r, &raw, &more) && more) {
			if (raw.type != RECORD_SAMPLE)
				continue;
			ck_assert(raw.stable == cases[i].stable);
			if (cases[i].stable)
				ck_assert_ptr_eq(raw.data, data + raw.offset);
			else if (!cases[i].options.compress)
				ck_assert_mem_eq(raw.data, data + raw.offset, raw.size);
			else
				ck_assert_uint_eq(load_u32(data + raw.offset, false), RECORD_COMPRESSED);
		}
		reader_free(r);
		diag_free(diag);
		mkperf_free(m);
	}
}
END_TEST

/* How many whole plain records end at or before @size, and how they read. */
static bool is_prefix(const char *text, const char *of)
{
	size_t n = strlen(text);

	return !strncmp(text, of, n) && (!n || !of[n] || of[n] == ' ');
}

START_TEST(a_cut_recording_keeps_every_whole_record)
{
	for (size_t kind = 0; kind < NR_KINDS; kind++) {
		struct mkperf *m = make(all_kinds[kind]);
		size_t size, last = 0;
		const uint8_t *data = mkperf_bytes(m, &size);
		char longest[4096] = "";

		for (size_t n = 0; n <= size; n++) {
			uint8_t *exact = xmemdup(data, n); /* so that a sanitizer sees each byte too many */
			struct diag *diag = diag_new();
			struct reader *r = NULL;
			struct err *err =
				reader_open_memory("f", exact, n, all_kinds[kind].pipe && n % 2, diag, &r);
			ck_assert(err || r);
			if (r) {
				const char *text = rest_of(r);
				ck_assert(is_prefix(text, expected));
				/* One more byte never costs a record. */
				ck_assert_uint_ge(strlen(text), last);
				last = strlen(text);
				snprintf(longest, sizeof(longest), "%s", text);
			}
			reader_free(r);
			err_free(err);
			diag_free(diag);
			free(exact);
		}
		ck_assert_str_eq(longest, expected);
		mkperf_free(m);
	}
}
END_TEST

START_TEST(a_cut_last_record_is_dropped_and_counted)
{
	for (int pipe = 0; pipe <= 1; pipe++) {
		struct mkperf *m = make((struct mkperf_options){ .pipe = pipe, .no_bitmap = true });
		struct diag *diag = diag_new();
		size_t size;
		const uint8_t *data = mkperf_bytes(m, &size);
		struct reader *r = open_bytes(data, size - 1, pipe, diag);

		ck_assert_str_eq(rest_of(r),
				 "comm100 map100 sample0x1010 round type91:24 type37:24 type74:20 fork101");
		ck_assert_uint_eq(diag_total(diag, "records cut off at the end of the recording"), 1);
		ck_assert_uint_eq(diag_total(diag, "bytes of recorded data missing at the end of the file"),
				  !pipe);
		reader_free(r);
		diag_free(diag);
		mkperf_free(m);
	}
}
END_TEST

START_TEST(an_unfinished_file_is_read_to_its_end) /* R14 */
{
	for (int big = 0; big <= 1; big++) {
		struct mkperf *m = make((struct mkperf_options){ .big_endian = big, .unfinished = true });
		struct diag *diag = diag_new();
		struct reader *r = open_made(m, diag);

		ck_assert_str_eq(rest_of(r), expected);
		ck_assert_ptr_null(reader_recording(r)->features->hostname);
		ck_assert_str_eq(reader_recording(r)->evlist->events.at[0]->name, "cpu-clock");
		ck_assert_ptr_nonnull(strstr(diag_entry(diag, 0)->kind, "the recorder did not finish"));
		ck_assert_ptr_null(diag_entry(diag, 1));
		reader_free(r);
		diag_free(diag);
		mkperf_free(m);
	}
}
END_TEST

START_TEST(an_unfinished_file_may_have_a_feature_table_that_is_no_record)
{
	for (int big = 0; big <= 1; big++) {
		struct mkperf *m = make((struct mkperf_options){ .big_endian = big });
		struct diag *diag = diag_new();
		size_t size;
		const uint8_t *data = mkperf_bytes(m, &size);
		uint8_t *copy = xmemdup(data, size);
		memset(copy + 48, 0, 8); /* data.size */
		struct reader *r = open_bytes(copy, size, false, diag);

		ck_assert_str_eq(rest_of(r), expected);
		ck_assert_ptr_null(diag_entry(diag, 1));
		reader_free(r);
		diag_free(diag);
		free(copy);
		mkperf_free(m);
	}
}
END_TEST

START_TEST(a_record_shorter_than_its_header_ends_the_reading) /* R17 */
{
	for (size_t kind = 0; kind < NR_KINDS; kind++) {
		for (unsigned bad = 0; bad < 8; bad++) {
			struct mkperf *m = mkperf_new(all_kinds[kind]);
			struct diag *diag = diag_new();
			mkperf_event(m, .attr = plain_attr);
			mkperf_sample(m, .ip = 1);
			size_t offset = mkperf_offset(m);
			struct mkbytes b = mkperf_body(m);
			mkbytes_u32(&b, RECORD_SAMPLE);
			mkbytes_u16(&b, 2);
			mkbytes_u16(&b, (uint16_t)bad);
			mkperf_raw(m, b.bytes.at, b.bytes.count);
			mkbytes_free(&b);
			mkperf_sample(m, .ip = 2);
			struct reader *r = open_made(m, diag);

			ck_assert_str_eq(rest_of(r), "sample0x1");
			ck_assert_uint_eq(diag_entry(diag, 0)->count, 1);
			ck_assert_str_eq(diag_entry(diag, 0)->kind,
					 "damaged records behind which nothing could be read");
			AUTOFREE char *want = xasprintf(
				"f: offset 0x%zx: a record says that it is %u bytes long", offset, bad);
			if (!all_kinds[kind].compress)
				ck_assert_str_eq(diag_entry(diag, 0)->example, want);
			ck_assert_ptr_null(diag_entry(diag, 1));
			reader_free(r);
			diag_free(diag);
			mkperf_free(m);
		}
	}
}
END_TEST

START_TEST(features_outside_the_file_are_skipped_and_counted)
{
	struct mkperf *m = make((struct mkperf_options){ 0 });
	struct diag *diag = diag_new();
	size_t size, data_size;
	const uint8_t *made = mkperf_bytes(m, &size);
	uint8_t *data = xmemdup(made, size);
	mkperf_records(m, &data_size);
	/* The table begins behind the data; its entry 2 (HOSTNAME) points behind the end. */
	uint64_t table = load_u64(data + 40, false) + data_size, far = htole64(size + 1);
	memcpy(data + table + 2 * 16, &far, 8);
	struct reader *r = open_bytes(data, size, false, diag);

	ck_assert_ptr_null(reader_recording(r)->features->hostname);
	ck_assert_str_eq(reader_recording(r)->features->arch, "aarch64");
	ck_assert_str_eq(rest_of(r), expected);
	ck_assert_uint_eq(diag_total(diag, "feature sections outside the file"), 1);
	reader_free(r);
	diag_free(diag);
	free(data);
	mkperf_free(m);
}
END_TEST

START_TEST(id_sections_that_claim_more_than_the_file_are_refused)
{
	enum { EVENTS = 200 };
	struct mkperf *m = mkperf_new((struct mkperf_options){ 0 });
	struct diag *diag = diag_new();
	size_t size;
	for (int i = 0; i < EVENTS; i++)
		mkperf_event(m, .attr = plain_attr);
	mkperf_sample(m, .ip = 1);
	const uint8_t *made = mkperf_bytes(m, &size);
	uint8_t *data = xmemdup(made, size);
	uint64_t attrs = load_u64(data + 24, false), whole[2] = { 0, htole64(size) };
	for (int i = 0; i < EVENTS; i++)
		memcpy(data + attrs + (uint64_t)i * 112 + 96, whole, 16);
	struct reader *r = open_bytes(data, size, false, diag);

	ck_assert_uint_eq(reader_recording(r)->evlist->events.count, EVENTS);
	ck_assert_uint_eq(reader_recording(r)->evlist->events.at[1]->ids.count, 0);
	ck_assert_uint_eq(diag_total(diag, "event descriptions that could not be read"), EVENTS - 1);
	ck_assert_str_eq(rest_of(r), "sample0x1");
	reader_free(r);
	diag_free(diag);
	free(data);
	mkperf_free(m);
}
END_TEST

START_TEST(an_event_record_longer_than_its_record_is_counted)
{
	for (int big = 0; big <= 1; big++) {
		struct mkperf *m = mkperf_new((struct mkperf_options){ .pipe = true, .big_endian = big });
		struct diag *diag = diag_new();
		struct mkbytes b = mkperf_body(m);
		mkbytes_attr(&b, &(struct attr){ .size = 4096 });
		mkperf_record(m, RECORD_HEADER_ATTR, 0, b.bytes.at, 144, NULL);
		mkbytes_free(&b);
		mkperf_record(m, RECORD_HEADER_ATTR, 0, NULL, 0, NULL);
		mkperf_record(m, RECORD_HEADER_FEATURE, 0, NULL, 0, NULL);
		mkperf_record(m, RECORD_EVENT_UPDATE, 0, NULL, 0, NULL);
		mkperf_record(m, RECORD_HEADER_BUILD_ID, 0, NULL, 0, NULL);
		mkperf_record(m, RECORD_HEADER_TRACING_DATA, 0, NULL, 0, NULL);
		mkperf_record(m, RECORD_AUXTRACE, 0, NULL, 0, NULL);
		mkperf_record(m, RECORD_COMPRESSED, 0, NULL, 0, NULL);
		mkperf_record(m, RECORD_COMPRESSED2, 0, NULL, 0, NULL);
		mkperf_round(m);
		struct reader *r = open_made(m, diag);

		ck_assert_str_eq(rest_of(r), "type71:8 round");
		ck_assert_uint_eq(reader_recording(r)->evlist->events.count, 0);
		ck_assert_uint_eq(diag_total(diag, "event descriptions that could not be read"), 2);
		ck_assert_uint_eq(diag_total(diag, "event updates without an event"), 1);
		ck_assert_uint_eq(diag_total(diag, "build-id records that could not be read"), 1);
		ck_assert_uint_eq(diag_total(diag, "compressed records that could not be unpacked"), 1);
		reader_free(r);
		diag_free(diag);
		mkperf_free(m);
	}
}
END_TEST

START_TEST(event_updates_change_name_unit_and_scale)
{
	for (size_t kind = 0; kind < NR_KINDS; kind++) {
		struct mkperf *m = mkperf_new(all_kinds[kind]);
		struct diag *diag = diag_new();
		mkperf_event(m, .attr = plain_attr);
		mkperf_event(m, .attr = plain_attr, .name = "energy");
		mkperf_update_text(m, 2, 0, "Joules");
		mkperf_update_scale(m, 2, 0.25);
		mkperf_update_text(m, 1, 2, "renamed");
		mkperf_update_text(m, 77, 2, "nobody's");
		struct reader *r = open_made(m, diag);

		ck_assert_str_eq(rest_of(r), "");
		struct event **events = reader_recording(r)->evlist->events.at;
		ck_assert_str_eq(events[0]->name, "renamed");
		ck_assert_str_eq(events[1]->name, "energy");
		ck_assert_str_eq(events[1]->unit, "Joules");
		ck_assert(events[1]->scale == 0.25);
		ck_assert(events[0]->scale == 1);
		ck_assert_uint_eq(diag_total(diag, "event updates without an event"), 1);
		reader_free(r);
		diag_free(diag);
		mkperf_free(m);
	}
}
END_TEST

/* Whoever prints what a stream says as it comes finds every event named, also in front of the first sample.
 */
START_TEST(events_of_a_stream_are_ready_when_their_record_comes)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ .pipe = true });
	struct diag *diag = diag_new();
	mkperf_event(m, .attr = plain_attr);
	mkperf_event(m, .attr = plain_attr, .name = "named");
	mkperf_update_text(m, 1, 2, "n");
	mkperf_sample(m, .ip = 1);
	struct reader *r = open_made(m, diag);
	const struct evlist *evlist = reader_recording(r)->evlist;
	struct raw_record raw;
	bool more;

	while (!reader_next(r, &raw, &more) && more) {
		for (size_t i = 0; i < evlist->events.count; i++) {
			ck_assert_ptr_nonnull(evlist->events.at[i]->name);
			ck_assert_int_eq(evlist->events.at[i]->sample_time, 8 + 16);
		}
		ck_assert_int_eq(evlist->sample_id, evlist->events.count == 1 ? -1 : 8 + 24);
		if (raw.type == RECORD_HEADER_FEATURE)
			ck_assert_str_eq(evlist->events.at[1]->name, "named");
	}
	ck_assert_str_eq(evlist->events.at[0]->name, "n");
	ck_assert_int_eq(evlist->name_width, 5);
	reader_free(r);
	diag_free(diag);
	mkperf_free(m);
}
END_TEST

START_TEST(group_desc_makes_leaders)
{
	for (size_t kind = 0; kind < NR_KINDS; kind++) {
		struct mkperf *m = mkperf_new(all_kinds[kind]);
		struct diag *diag = diag_new();
		for (int i = 0; i < 6; i++)
			mkperf_event(m, .attr = plain_attr);
		struct mkbytes b = mkperf_body(m);
		mkbytes_u32(&b, 2);
		mkbytes_feature_string(&b, "{anon_group}");
		mkbytes_u32(&b, 1);
		mkbytes_u32(&b, 2);
		mkbytes_feature_string(&b, "mine");
		mkbytes_u32(&b, 4);
		mkbytes_u32(&b, 0xffffffff); /* more members than there are events */
		mkperf_bytes_feature(m, FEATURE_GROUP_DESC, &b);
		mkperf_round(m);
		struct reader *r = open_made(m, diag);

		ck_assert_str_eq(rest_of(r), "round");
		static const uint32_t leaders[6] = { 0, 1, 1, 3, 4, 4 };
		struct event **events = reader_recording(r)->evlist->events.at;
		for (int i = 0; i < 6; i++)
			ck_assert_uint_eq(events[i]->leader->index, leaders[i]);
		ck_assert_ptr_null(events[1]->group_name);
		ck_assert_str_eq(events[4]->group_name, "mine");
		reader_free(r);
		diag_free(diag);
		mkperf_free(m);
	}
}
END_TEST

START_TEST(payloads_behind_auxtrace_records_are_skipped)
{
	for (size_t kind = 0; kind < NR_KINDS; kind++) {
		static const uint8_t noise[100000] = { 1, 2, 3 };
		struct mkperf *m = mkperf_new(all_kinds[kind]);
		struct diag *diag = diag_new();
		struct mkbytes b = mkperf_body(m);
		mkperf_event(m, .attr = plain_attr);
		mkbytes_u64(&b, sizeof(noise));
		mkbytes_zeros(&b, 32);
		mkperf_bytes_record(m, RECORD_AUXTRACE, 0, &b, NULL);
		mkperf_raw(m, noise, sizeof(noise));
		mkperf_sample(m, .ip = 3);
		b = mkperf_body(m);
		mkbytes_u64(&b, UINT64_MAX - 7);
		mkbytes_zeros(&b, 32);
		mkperf_bytes_record(m, RECORD_AUXTRACE, 0, &b, NULL);
		mkperf_sample(m, .ip = 4);
		for (int stream = 0; stream <= all_kinds[kind].pipe; stream++) {
			size_t size;
			const uint8_t *data = mkperf_bytes(m, &size);
			struct reader *r = open_bytes(data, size, stream, diag);
			ck_assert_str_eq(rest_of(r), "type71:48 sample0x3 type71:48");
			ck_assert_uint_eq(diag_total(diag, "records cut off at the end of the recording"),
					  (unsigned)stream + 1);
			uint64_t traced = diag_total(
				diag,
				"bytes of processor traces (Intel PT, ARM SPE ...) that are not decoded");
			/* perf record -z does not pack them. */
			ck_assert_uint_eq(traced, all_kinds[kind].compress
							  ? 0
							  : sizeof(noise) * ((unsigned)stream + 1));
			reader_free(r);
		}
		diag_free(diag);
		mkperf_free(m);
	}
}
END_TEST

START_TEST(tracing_data_comes_with_its_payload)
{
	for (int stream = 0; stream <= 1; stream++) {
		static uint8_t payload[1000000];
		struct mkperf *m = mkperf_new((struct mkperf_options){ .pipe = true });
		struct diag *diag = diag_new();
		size_t size;
		payload[0] = 23;
		payload[sizeof(payload) - 1] = 42;
		mkperf_event(m, .attr = plain_attr);
		mkperf_tracing_data(m, payload, sizeof(payload));
		mkperf_round(m);
		const uint8_t *data = mkperf_bytes(m, &size);
		struct reader *r = open_bytes(data, size, stream, diag);
		struct raw_record raw;
		bool more;
		do
			ck_assert(!reader_next(r, &raw, &more) && more);
		while (raw.type != RECORD_HEADER_TRACING_DATA);
		ck_assert_uint_eq(raw.size, 16);
		ck_assert_uint_eq(load_u32(raw.data + 8, false), sizeof(payload));
		ck_assert_uint_eq(raw.payload_size, sizeof(payload));
		ck_assert_mem_eq(raw.data + raw.size, payload, sizeof(payload));
		ck_assert_str_eq(rest_of(r), "round");
		const struct features *f = reader_recording(r)->features;
		ck_assert_uint_eq(f->tracing_data_size, sizeof(payload));
		ck_assert_mem_eq(f->tracing_data, payload, sizeof(payload));
		reader_free(r);
		diag_free(diag);
		mkperf_free(m);
	}
}
END_TEST

START_TEST(damaged_compressed_data_costs_only_itself)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ .compress = RECORD_COMPRESSED });
	struct diag *diag = diag_new();
	mkperf_event(m, .attr = plain_attr);
	mkperf_sample(m, .ip = 1);
	mkperf_compress(m, false);
	mkperf_sample(m, .ip = 2);
	mkperf_record(m, RECORD_COMPRESSED, 0, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, NULL);
	mkperf_record(m, RECORD_COMPRESSED2, 0, "\x09\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, NULL);
	mkperf_sample(m, .ip = 3);
	struct reader *r = open_made(m, diag);

	ck_assert_str_eq(rest_of(r), "sample0x1 sample0x2 sample0x3");
	ck_assert_uint_eq(diag_total(diag, "compressed records that could not be unpacked"), 2);
	reader_free(r);
	diag_free(diag);
	mkperf_free(m);
}
END_TEST

START_TEST(compressed_records_are_not_nested)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ .compress = RECORD_COMPRESSED });
	struct diag *diag = diag_new();
	mkperf_event(m, .attr = plain_attr);
	mkperf_record(m, RECORD_COMPRESSED, 0, "12345678", 8, NULL);
	mkperf_sample(m, .ip = 1);
	struct reader *r = open_made(m, diag);

	ck_assert_str_eq(rest_of(r), "sample0x1");
	ck_assert_uint_eq(diag_total(diag, "compressed records inside compressed ones skipped"), 1);
	reader_free(r);
	diag_free(diag);
	mkperf_free(m);
}
END_TEST

/* 64 MB of records in some kilobytes: they come one by one, through a buffer of fixed size. */
START_TEST(a_compressed_flood_is_read_piece_by_piece)
{
	enum { RECORDS = 1024 };
	static uint8_t body[65528 - 8];
	struct mkperf *m =
		mkperf_new((struct mkperf_options){ .compress = RECORD_COMPRESSED2, .piece = 1 << 26 });
	struct diag *diag = diag_new();
	size_t size;
	mkperf_event(m, .attr = plain_attr);
	for (int i = 0; i < RECORDS; i++)
		mkperf_record(m, 91, 0, body, sizeof(body), NULL);
	const uint8_t *data = mkperf_bytes(m, &size);
	ck_assert_uint_lt(size, 40000);
	struct reader *r = open_bytes(data, size, false, diag);
	struct raw_record raw;
	int n = 0;
	bool more = true;
	for (; !reader_next(r, &raw, &more) && more; n++)
		ck_assert_uint_eq(raw.size, 65528);
	ck_assert_int_eq(n, RECORDS);
	reader_free(r);
	diag_free(diag);
	mkperf_free(m);
}
END_TEST

/* Any third byte wrong: no crash, no endless loop, nothing read outside. */
START_TEST(no_changed_byte_does_harm)
{
	for (size_t kind = 0; kind < NR_KINDS; kind++) {
		struct mkperf *m = make(all_kinds[kind]);
		size_t size;
		const uint8_t *made = mkperf_bytes(m, &size);
		uint8_t *data = xmemdup(made, size);
		for (size_t i = kind % 3; i < size; i += 3) {
			static const uint8_t values[] = { 0, 1, 7, 0x40, 0x7f, 0xff };
			uint8_t value = values[i / 3 % sizeof(values)];
			struct diag *diag = diag_new();
			struct reader *r = NULL;
			data[i] = value;
			struct err *err =
				reader_open_memory("f", data, size, all_kinds[kind].pipe && i % 2, diag, &r);
			if (r)
				rest_of(r);
			reader_free(r);
			err_free(err);
			diag_free(diag);
			data[i] = made[i];
		}
		free(data);
		mkperf_free(m);
	}
}
END_TEST

static char dir[32];

static void make_dir(void)
{
	strcpy(dir, "/tmp/check_reader.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void remove_dir(void)
{
	AUTOFREE char *command = xasprintf("rm -rf %s", dir);

	ck_assert_int_eq(system(command), 0);
}

/* The records of one thread of `perf record --threads`. */
static void write_thread(struct mkperf_options options, const char *name, uint64_t ip)
{
	struct mkperf *m = mkperf_new(options);
	AUTOFREE char *path = xasprintf("%s/%s", dir, name);

	mkperf_event(m, .attr = plain_attr);
	mkperf_sample(m, .ip = ip, .time = ip);
	mkperf_sample(m, .ip = ip + 1, .time = ip + 1);
	mkperf_write_records(m, path);
	mkperf_free(m);
}

START_TEST(a_directory_is_one_recording) /* R13 */
{
	static const struct mkperf_options kinds[] = {
		{ 0 },
		{ .big_endian = true },
		{ .compress = RECORD_COMPRESSED, .piece = 30 }, /* every file has a zstd stream of its own */
	};

	for (size_t kind = 0; kind < 3; kind++) {
		make_dir();
		struct mkperf *m = make(kinds[kind]);
		AUTOFREE char *path = xasprintf("%s/data", dir);
		mkperf_write(m, path);
		write_thread(kinds[kind], "data.0", 0x10);
		write_thread(kinds[kind], "data.1", 0x20);
		struct diag *diag = diag_new();
		struct reader *r = NULL;
		ck_assert_ptr_null(reader_open(dir, diag, &r));
		AUTOFREE char *want = xasprintf("%s sample0x10 sample0x11 sample0x20 sample0x21", expected);
		ck_assert_str_eq(rest_of(r), want);
		ck_assert(reader_recording(r)->directory);
		ck_assert_str_eq(reader_recording(r)->name, dir);
		ck_assert_uint_gt(reader_recording(r)->mtime, 0);
		ck_assert_uint_gt(reader_position(r), 0);
		ck_assert_uint_le(reader_position(r), reader_total(r));
		expect_header(reader_recording(r));
		ck_assert_ptr_null(diag_entry(diag, 0));
		reader_free(r);
		diag_free(diag);
		mkperf_free(m);
		remove_dir();
	}
}
END_TEST

START_TEST(the_files_of_a_directory_take_turns)
{
	make_dir();
	static uint8_t body[60000];
	AUTOFREE char *path = xasprintf("%s/data", dir);
	struct mkperf *m = mkperf_new((struct mkperf_options){ 0 });
	mkperf_event(m, .attr = plain_attr);
	mkperf_write(m, path);
	for (char name = '0'; name <= '1'; name++) {
		struct mkperf *thread = mkperf_new((struct mkperf_options){ 0 });
		AUTOFREE char *thread_path = xasprintf("%s/data.%c", dir, name);
		mkperf_event(thread, .attr = plain_attr);
		for (int i = 0; i < 100; i++)
			mkperf_record(thread, 91, (uint16_t)name, body, sizeof(body), NULL);
		mkperf_write_records(thread, thread_path);
		mkperf_free(thread);
	}
	struct diag *diag = diag_new();
	struct reader *r = NULL;
	ck_assert_ptr_null(reader_open(dir, diag, &r));
	struct raw_record raw;
	int turns = 0, n = 0;
	bool more;
	for (uint16_t last = 0; !reader_next(r, &raw, &more) && more; n++) {
		turns += raw.misc != last;
		last = raw.misc;
	}
	ck_assert_int_eq(n, 200);
	ck_assert_int_eq(turns, 6); /* 35 records are 2 MiB: 35 35 35 35 30 30 */
	reader_free(r);
	diag_free(diag);
	mkperf_free(m);
	remove_dir();
}
END_TEST

/* Standard input: @piped, or redirected from the file. */
static struct err *read_stdin(const char *path, bool piped, struct diag *diag, struct reader **ret)
{
	int fds[2] = { open(path, O_RDONLY), -1 };

	if (piped) {
		close(fds[0]);
		ck_assert_int_eq(pipe(fds), 0);
		if (fork() == 0) {
			dup2(fds[1], STDOUT_FILENO);
			close(fds[0]);
			close(fds[1]);
			execlp("cat", "cat", path, (char *)NULL);
			_exit(1);
		}
		close(fds[1]);
	}
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	struct err *err = reader_open("-", diag, ret);
	return err;
}

START_TEST(standard_input_is_a_pipe_recording_or_a_redirected_file) /* R12 */
{
	for (int pipe_format = 0; pipe_format <= 1; pipe_format++) {
		for (int piped = 0; piped <= 1; piped++) {
			make_dir();
			AUTOFREE char *path = xasprintf("%s/f", dir);
			struct mkperf *m = make((struct mkperf_options){ .pipe = pipe_format });
			mkperf_write(m, path);
			struct diag *diag = diag_new();
			struct reader *r = NULL;
			struct err *err = read_stdin(path, piped, diag, &r);
			if (piped && !pipe_format) {
				ck_assert_str_eq(
					err_text(err),
					"(standard input): a perf.data file of the kind that cannot be "
					"read through a pipe: give the file itself, or record with "
					"\"perf record -o -\"");
			} else {
				ck_assert_ptr_null(err);
				ck_assert_str_eq(rest_of(r), expected);
			}
			err_free(err);
			reader_free(r);
			diag_free(diag);
			mkperf_free(m);
			while (wait(NULL) > 0)
				;
			remove_dir();
		}
	}
}
END_TEST

START_TEST(a_file_that_cannot_be_a_recording_is_an_error)
{
	struct diag *diag = diag_new();
	struct reader *r = NULL;
	struct err *err = reader_open_memory("f", "", 0, false, diag, &r);

	ck_assert_str_eq(err_text(err), "f: empty, not a perf.data file");
	err_free(err);
	err = reader_open("/nonexistent/perf.data", diag, &r);
	ck_assert_str_eq(err_text(err), "/nonexistent/perf.data: cannot open: No such file or directory");
	err_free(err);
	ck_assert_ptr_null(r);
	reader_free(NULL);
	diag_free(diag);
}
END_TEST

CHECK_SUITE("reader", one_recording_reads_the_same_however_it_was_written,
	    events_of_the_records_are_found_in_either_order, mapped_records_are_stable_and_others_are_not,
	    a_cut_recording_keeps_every_whole_record, a_cut_last_record_is_dropped_and_counted,
	    an_unfinished_file_is_read_to_its_end,
	    an_unfinished_file_may_have_a_feature_table_that_is_no_record,
	    a_record_shorter_than_its_header_ends_the_reading,
	    features_outside_the_file_are_skipped_and_counted,
	    id_sections_that_claim_more_than_the_file_are_refused,
	    an_event_record_longer_than_its_record_is_counted, event_updates_change_name_unit_and_scale,
	    events_of_a_stream_are_ready_when_their_record_comes, group_desc_makes_leaders,
	    payloads_behind_auxtrace_records_are_skipped, tracing_data_comes_with_its_payload,
	    damaged_compressed_data_costs_only_itself, compressed_records_are_not_nested,
	    a_compressed_flood_is_read_piece_by_piece, no_changed_byte_does_harm,
	    a_directory_is_one_recording, the_files_of_a_directory_take_turns,
	    standard_input_is_a_pipe_recording_or_a_redirected_file,
	    a_file_that_cannot_be_a_recording_is_an_error)
