/*
 * record - every record but SAMPLE as values, with its sample_id trailer.
 *
 * Layouts: include/uapi/linux/perf_event.h and perf 7.2. Strings are lent by the record and end inside it;
 * what does not fit makes the record bad. Works on records of both byte orders and any alignment.
 */
#ifndef PERF2TXT_RECORD_H
#define PERF2TXT_RECORD_H

#include "events/evlist.h"
#include "events/features.h"
#include "events/perf_abi.h"

/* The trailer; what is not recorded: pid, tid and cpu -1, time and ids UINT64_MAX. */
struct sample_id {
	int32_t pid, tid, cpu;
	uint64_t time, id, stream_id;
};

struct record_mmap {
	uint32_t pid, tid;
	uint64_t start, len, pgoff;
	bool has_inode, has_build_id; /* MMAP2 has one of the two */
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	struct build_id build_id;
	uint32_t prot, flags; /* MMAP: EXEC unless MISC_MMAP_DATA; 0 */
	const char *filename;
};
struct record_comm { uint32_t pid, tid; const char *comm; bool exec; };
struct record_task { uint32_t pid, ppid, tid, ptid; uint64_t time; }; /* FORK, EXIT */
struct record_lost { uint64_t id, lost; };                            /* LOST, LOST_SAMPLES (id 0) */
struct record_read { uint32_t pid, tid; uint64_t value, time_enabled, time_running, id, lost; };
struct record_throttle { uint64_t time, id, stream_id; };
struct record_aux { uint64_t offset, size, flags; };
struct record_itrace { uint32_t pid, tid; };
struct record_switch { bool wide, out, preempt; uint32_t next_prev_pid, next_prev_tid; };
struct record_namespaces {
	uint32_t pid, tid;
	uint64_t nr; /* what the record says; at most 7 are kept */
	struct { uint64_t dev, ino; } at[7];
};
struct record_ksymbol { uint64_t addr; uint32_t len; uint16_t ksym_type, flags; const char *name; };
struct record_bpf { uint16_t bpf_type, flags; uint32_t id; uint8_t tag[8]; };
struct record_cgroup { uint64_t id; const char *path; };
struct record_text_poke { uint64_t addr; uint16_t old_len, new_len; const uint8_t *old_bytes, *new_bytes; };
/* The words may be unaligned and in the recording's order: record_deferred_ip() reads one. */
struct record_deferred { uint64_t cookie, nr; const uint8_t *_ips; };
struct record_auxtrace_error {
	uint32_t error_type, code, cpu, pid, tid, fmt, machine_pid, vcpu;
	uint64_t ip, time;
	char msg[65];
};
struct record_bpf_metadata { const char *prog; uint64_t nr; const uint8_t *_entries; };

struct record {
	uint32_t type;
	uint16_t misc;
	struct sample_id sid;
	union {
		struct record_mmap mmap; /* MMAP and MMAP2 */
		struct record_comm comm;
		struct record_task task;
		struct record_lost lost;
		struct record_read read; /* what the event's read_format leaves out is 0 */
		struct record_throttle throttle;
		struct record_aux aux;
		struct record_itrace itrace;
		struct record_switch sw;
		struct record_namespaces namespaces;
		struct record_ksymbol ksymbol;
		struct record_bpf bpf;
		struct record_cgroup cgroup;
		struct record_text_poke text_poke;
		uint64_t hw_id; /* AUX_OUTPUT_HW_ID */
		struct record_deferred deferred;
		struct record_auxtrace_error auxtrace_error;
		struct record_bpf_metadata bpf_metadata;
	};
};

/**
 * Decode a record that is neither SAMPLE nor one of the header records. @event (for the trailer) may be NULL
 * for records of type >= RECORD_USER_FIRST. NULL when fine, else a static reason. A type that has no layout
 * here gets its trailer only.
 */
const char *record_decode(const struct raw_record *raw, const struct event *event, bool big_endian,
			  struct record *ret);

uint64_t record_deferred_ip(const struct record *record, uint64_t index, bool big_endian);

/** Key and value of the @index-th entry of BPF_METADATA; not terminated within 64 and 256 bytes. */
void record_bpf_metadata_entry(const struct record *record, uint64_t index, const char **key,
			       const char **value);

/** "MMAP2"; "UNKNOWN" for numbers that have no name. */
const char *record_type_name(uint32_t type);

#endif
