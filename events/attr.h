/*
 * attr - struct perf_event_attr: what an event measures and what its samples hold.
 *
 * Any size that a kernel or perf ever wrote is read (fields that are missing are 0, longer ones are
 * cut), in both byte orders. Facts: include/uapi/linux/perf_event.h.
 */
#ifndef PERF2TXT_ATTR_H
#define PERF2TXT_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attr {
	uint32_t type; /* enum attr_type, or the number of a PMU */
	uint32_t size; /* as the file says; 64 when it says 0 */
	uint64_t config;
	uint64_t sample_period; /* or frequency */
	uint64_t sample_type;   /* SAMPLE_* */
	uint64_t read_format;   /* READ_* */
	uint64_t flags;         /* bit numbers as on a little-endian machine: ATTR_FLAG_* */
	uint32_t wakeup_events;
	uint32_t bp_type;
	uint64_t bp_addr; /* config1 */
	uint64_t bp_len;  /* config2 */
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint32_t aux_sample_size;
	uint32_t aux_action;
	uint64_t sig_data;
	uint64_t config3;
	uint64_t config4;
};

enum attr_flag {
	ATTR_DISABLED = 0,
	ATTR_INHERIT = 1,
	ATTR_EXCLUDE_USER = 4,
	ATTR_EXCLUDE_KERNEL = 5,
	ATTR_EXCLUDE_HV = 6,
	ATTR_EXCLUDE_IDLE = 7,
	ATTR_FREQ = 10,
	ATTR_PRECISE_IP = 15, /* two bits wide */
	ATTR_SAMPLE_ID_ALL = 18,
	ATTR_EXCLUDE_HOST = 19,
	ATTR_EXCLUDE_GUEST = 20,
	ATTR_USE_CLOCKID = 25,
	ATTR_WRITE_BACKWARD = 27,
	ATTR_DEFER_CALLCHAIN = 38,
};

static inline bool attr_flag(const struct attr *attr, enum attr_flag flag)
{
	return attr->flags >> flag & 1;
}

static inline unsigned attr_precise_ip(const struct attr *attr)
{
	return attr->flags >> ATTR_PRECISE_IP & 3;
}

/** The size that the attr at @data says it has (64 for 0), or 0 when @size cannot hold that many bytes. */
size_t attr_size(const void *data, size_t size, bool big_endian);

/** Decode the attr of attr_size() bytes at @data. NULL when fine, else a static reason and @ret as it was. */
const char *attr_decode(const void *data, size_t size, bool big_endian, struct attr *ret);

#endif
