/*
 * sample - PERF_RECORD_SAMPLE as values.
 *
 * The layout is that of include/uapi/linux/perf_event.h. Every count is checked against the record; what does
 * not fit makes the sample bad, never a read outside. No allocation: arrays point into the record, or into
 * the caller's decoder when the record is of the other byte order or not aligned.
 */
#ifndef PERF2TXT_SAMPLE_H
#define PERF2TXT_SAMPLE_H

#include "events/evlist.h"
#include "events/perf_abi.h"

struct branch_entry {
	uint64_t from, to;
	uint64_t flags; /* bit numbers as on a little-endian machine (as in perf 7.2) */
};

struct read_value {
	uint64_t value, id, lost; /* without READ_ID the id is UINT64_MAX, without READ_LOST lost is 0 */
};

/* Registers that were recorded: values[k] belongs to the k-th set bit of mask. */
struct sample_regs {
	uint64_t abi; /* 0 none, 1 32-bit, 2 64-bit */
	uint64_t mask;
	const uint64_t *values;
};

/* Fields that the event does not record have those that perf 7.2 gives them: -1, all ones, the attr's period,
 * or 0. */
struct sample {
	uint16_t misc;
	uint8_t cpumode;
	int32_t pid, tid; /* -1: not recorded, or an exited task */
	int32_t cpu;      /* -1: not recorded */
	uint64_t ip, time, addr, id, stream_id, period;
	uint64_t weight; /* the 32-bit part of WEIGHT_STRUCT */
	uint16_t ins_lat, retire_lat;
	uint64_t data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	uint64_t nr_read; /* READ: values of the group, or 1 */
	uint64_t time_enabled, time_running;
	const uint64_t *chain; /* CALLCHAIN with its markers; NULL when not recorded */
	uint64_t nr_chain;
	const uint8_t *raw; /* RAW: in the recording's byte order */
	uint32_t raw_size;
	const struct branch_entry *branches; /* NULL when not recorded */
	uint64_t nr_branches;
	uint64_t branch_hw_idx;           /* UINT64_MAX: not recorded */
	const uint64_t *branch_counters;  /* nr_branches of them, or NULL */
	struct sample_regs user_regs, intr_regs;
	const uint8_t *stack; /* STACK_USER: in the recording's byte order */
	uint64_t stack_size;  /* what was really copied (dyn_size); 0: none */
	const uint8_t *aux;
	uint64_t aux_size;
	/* READ: the values as they lie in the record, for sample_read_value() */
	const uint64_t *_read;
	uint8_t _read_stride; /* words a value */
	/* Decoding one with these fields alone leaves the defaults of the others as they are. */
	bool _has_defaults;
	uint64_t _has_defaults_of;
};

/* Room for one record put into this machine's order. */
struct sample_decoder {
	uint64_t _words[(RECORD_MAX_SIZE + 1) / 8];
	struct branch_entry _branches[RECORD_MAX_SIZE / sizeof(struct branch_entry)];
};

/**
 * Decode @raw, a SAMPLE of @event (after evlist_finish()), into @s, which is all zeros or the result of the
 * last time, not changed where it was not recorded. NULL when fine, else a static reason and nothing of use
 * there. What the sample points to is lent by the record and @d; see sample_is_plain().
 */
const char *sample_decode(struct sample_decoder *d, const struct event *event, const struct raw_record *raw,
			  bool big_endian, struct sample *s);

/** A sample of @event is nothing but numbers: it points nowhere. */
bool sample_is_plain(const struct event *event);

/** The @index-th value of READ, index < nr_read. */
struct read_value sample_read_value(const struct sample *sample, const struct event *event, uint64_t index);

#endif
