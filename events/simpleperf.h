/*
 * simpleperf - what recordings of Android's simpleperf have that perf's have not.
 *
 * Such a recording is a perf.data file with features from SIMPLEPERF_FEATURE_FIRST on: names of events
 * (META_INFO). And with records from SIMPLEPERF_RECORD_FIRST on, of which the long ones come in pieces.
 *
 * Whether a recording is simpleperf's is the caller's to know. Bytes of features are lent and must outlive
 * the struct. What does not fit is given up, with a static reason; what was read before it stays.
 */
#ifndef PERF2TXT_SIMPLEPERF_H
#define PERF2TXT_SIMPLEPERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/raw_record.h"
#include "util/cursor.h"
#include "util/hash.h"
#include "util/vec.h"

struct simpleperf {
	bool big_endian;
	const char *event_types;   /* a line each: name,type,config; NULL: not recorded */
	struct hash event_type_at; /* by type and config: where in event_types */
	VEC(uint8_t) pieces;
};

struct simpleperf *simpleperf_new(bool big_endian);
void simpleperf_free(struct simpleperf *sp); /* NULL is fine */

/** Take in a feature section; others than simpleperf's own are left alone. */
const char *simpleperf_add_feature(struct simpleperf *sp, unsigned feature, const void *payload,
				   uint64_t size);

/** Keep the piece that a SPLIT holds. */
const char *simpleperf_add_piece(struct simpleperf *sp, const struct raw_record *raw);

/** Make the SPLIT_END @raw the record that the pieces before it are, lent until the next piece comes. */
const char *simpleperf_join(struct simpleperf *sp, struct raw_record *raw);

/** All that is behind the record's header; lent as the record is. */
struct cursor simpleperf_body(const struct simpleperf *sp, const struct raw_record *raw);

/** The size and the bytes that a TRACING_DATA holds; NULL: it does not fit. */
const uint8_t *simpleperf_contents(const struct simpleperf *sp, const struct raw_record *raw,
				   size_t *ret_size);

/** What events of that type and config are called; false: not recorded. No NUL behind it. */
bool simpleperf_event_name(const struct simpleperf *sp, uint32_t type, uint64_t config, const char **ret,
			   size_t *ret_length);

#endif
