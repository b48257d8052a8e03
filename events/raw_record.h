/*
 * raw_record - one record as it lies in the recording, not yet decoded.
 *
 * What reader_next() yields, what the queue orders, what record_decode() and sample_decode() read.
 */
#ifndef PERF2TXT_RAW_RECORD_H
#define PERF2TXT_RAW_RECORD_H

#include <stdbool.h>
#include <stdint.h>

struct raw_record {
	const uint8_t *data; /* the whole record, in the recording's byte order; any alignment */
	uint64_t offset; /* of the record in its file, for messages; of the compressed record it came in */
	uint32_t type;
	uint16_t misc;
	uint16_t size;	       /* of data, at least RECORD_HEADER_SIZE */
	/* Of what lies behind the data: of a HEADER_TRACING_DATA, or of a record of simpleperf's whose size
	 * has more than 16 bits; else 0. */
	uint32_t payload_size;
	uint16_t input;	       /* the file that it is in: its number in recording.inputs */
	bool stable; /* data stays where it is until the reader is freed; else until its next call */
};

#endif
