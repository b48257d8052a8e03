/*
 * source - the plain records of one input.
 *
 * Compressed records come out as what they hold; a record may begin in one and end in the next. Payloads
 * behind AUXTRACE records are skipped, those behind HEADER_TRACING_DATA come with their record. Damage ends
 * the source (a record shorter than its own header) or is dropped (a cut last record), and is counted.
 * Needs to know of records their header only; what they mean is the caller's business.
 */
#ifndef PERF2TXT_SOURCE_H
#define PERF2TXT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "events/input.h"
#include "events/raw_record.h"
#include "util/diag.h"
#include "util/err.h"

struct source;

/**
 * Records from where @in stands: of a stable input to offset @end, of a stream to its end. @in and @diag stay
 * the caller's and must outlive the source. @number: what its records say in `input`.
 */
struct source *source_new(struct input *in, uint16_t number, uint64_t end, bool big_endian,
			  struct diag *diag);
void source_free(struct source *s); /* NULL is fine */

/**
 * The end of the records is not known: they end before a table of feature sections of @table_size bytes too.
 * (Its first entry tells where the table itself ends, which no record's header can say.)
 */
void source_watch_table(struct source *s, uint64_t table_size);

/** Lend the next record until the next call (longer when it is stable). *more false: there is none. */
struct err *source_next(struct source *s, struct raw_record *ret, bool *more) ERR_CHECK;

/** The records of simpleperf's own types may be longer than others: their size has 32 bits. */
void source_expect_simpleperf(struct source *s);

uint64_t source_position(const struct source *s); /* bytes of the input consumed */

#endif
