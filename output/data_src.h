/*
 * data_src - PERF_SAMPLE_DATA_SRC in words: "|OP LOAD|LVL L1 hit|SNP None|TLB L1 hit|LCK No|BLK  N/A".
 *
 * Bits: union perf_mem_data_src of include/uapi/linux/perf_event.h. Wording is perf script's.
 */
#ifndef PERF2TXT_DATA_SRC_H
#define PERF2TXT_DATA_SRC_H

#include <stddef.h>
#include <stdint.h>

/* perf formats into a buffer of 100 bytes and cuts what is longer. */
#define DATA_SRC_MAX 99

/** The value, right-aligned to 16 hex digits, a blank and the words into @ret; returns the length. Not
 * terminated. */
size_t data_src_text(uint64_t value, char ret[DATA_SRC_MAX]);

#endif
