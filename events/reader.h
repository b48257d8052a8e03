/*
 * reader - plain records one after another, whatever they came from.
 *
 * A perf.data file of version 1 or 2, a pipe stream, a directory of perf record --threads; both byte
 * orders; COMPRESSED and COMPRESSED2 records come out as what they hold, also where a record is split over
 * two of them. Payloads behind AUXTRACE records are skipped. The last, cut record of a damaged recording is
 * counted and dropped. A header whose data size is 0 (the recorder was killed) is read up to the file's end.
 * Unknown record types come out too: their size is all the reader needs. Those that Android's simpleperf cut
 * up come out whole; what it says of its events by records is taken in.
 *
 * The reader takes in the file's header, attrs and features. What a pipe says by records (HEADER_ATTR,
 * HEADER_FEATURE, EVENT_UPDATE, ...) it takes in as well before it yields the record, so that
 * reader_recording() is up to date; events have their names and layouts. Only what changes with many events
 * at once (name_width after EVENT_UPDATE) is put off until the first record behind a run of such records,
 * or the end. What is wrong with the recording is counted in the diag.
 */
#ifndef PERF2TXT_READER_H
#define PERF2TXT_READER_H

#include "events/evlist.h"
#include "events/features.h"
#include "events/header.h"
#include "events/id_index.h"
#include "events/raw_record.h"
#include "events/simpleperf.h"
#include "util/diag.h"
#include "util/err.h"
#include "util/vec.h"

struct recording {
	const char *name; /* of the file or directory, for messages */
	VEC(const char *) inputs; /* names of its files, by raw_record.input; one, unless it is a directory */
	struct header header;
	bool big_endian;
	struct features *features;
	struct evlist *evlist;
	struct id_index *id_index;
	struct simpleperf *simpleperf; /* NULL: it is not by Android's simpleperf */
	time_t mtime; /* of the file; 0 for a pipe */
	bool directory;
};

struct reader;

/** @path: a file, a directory, "-" for standard input. @diag must outlive the reader. */
struct err *reader_open(const char *path, struct diag *diag, struct reader **ret) ERR_CHECK;

/** The same for bytes in memory; @stream: read them as if they came through a pipe. */
struct err *reader_open_memory(const char *name, const void *data, size_t size, bool stream,
			       struct diag *diag, struct reader **ret) ERR_CHECK;

void reader_free(struct reader *r); /* NULL is fine */

/** Lent until reader_free(). */
const struct recording *reader_recording(const struct reader *r);

/** Lend the next record until the next call (longer when it is stable). *more false: there is none. */
struct err *reader_next(struct reader *r, struct raw_record *ret, bool *more) ERR_CHECK;

/** Bytes of all inputs consumed so far, for a progress bar. */
uint64_t reader_position(const struct reader *r);
uint64_t reader_total(const struct reader *r); /* 0: not known */

#endif
