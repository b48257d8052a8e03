/*
 * mkperf - builds any perf.data recording in memory, for the tests of all modules.
 *
 *	struct mkperf *m = mkperf_new((struct mkperf_options){ .big_endian = true, .pipe = true });
 *	mkperf_event(m, .attr = { .sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD,
 *				  .flags = MK_SAMPLE_ID_ALL }, .name = "cycles");
 *	mkperf_string_feature(m, FEATURE_ARCH, "x86_64");
 *	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "spin");
 *	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = 0x1000, .len = 0x1000, .filename = "/bin/spin");
 *	mkperf_sample(m, .ip = 0x1234, .pid = 100, .tid = 100, .time = 5, .period = 10);
 *	mkperf_round(m);
 *	size_t size;
 *	const uint8_t *bytes = mkperf_bytes(m, &size);	(or mkperf_write(m, path))
 *	mkperf_free(m);
 *
 * The same calls make the recording in either byte order, as a file or as a pipe stream, plain or compressed:
 * only the options differ. What kernel and perf would write is written (facts: the kernel's uapi header and
 * perf's file format documentation), big-endian attr flags included. Every macro takes the fields of a
 * struct literal; what is not named is 0. Events come first, then features, then records.
 *
 * Sample fields are written as the event's sample_type says, trailers of other records if the event has
 * sample_id_all. For damaged recordings: mkperf_record() and mkperf_raw() write anything, and the bytes
 * may be changed after mkperf_bytes(). Fails by abort(): it has no user but tests. Needs libzstd.
 */
#ifndef PERF2TXT_MKPERF_H
#define PERF2TXT_MKPERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/attr.h"
#include "events/perf_abi.h"
#include "events/raw_record.h"
#include "util/vec.h"

#define MK_SAMPLE_ID_ALL (UINT64_C(1) << ATTR_SAMPLE_ID_ALL)

/* Growing bytes in one byte order: for payloads of features, bodies of records. All zeros is empty. */
struct mkbytes {
	VEC(uint8_t) bytes;
	bool big_endian;
};

void mkbytes_free(struct mkbytes *b);
void mkbytes_data(struct mkbytes *b, const void *data, size_t size);
void mkbytes_zeros(struct mkbytes *b, size_t size);
void mkbytes_u8(struct mkbytes *b, uint8_t v);
void mkbytes_u16(struct mkbytes *b, uint16_t v);
void mkbytes_u32(struct mkbytes *b, uint32_t v);
void mkbytes_u64(struct mkbytes *b, uint64_t v);
/** A string of a feature: u32 length, the text and zeros up to a multiple of 64 bytes. */
void mkbytes_feature_string(struct mkbytes *b, const char *text);
/** A struct perf_event_attr of attr->size bytes (0: ATTR_MAX_SIZE). */
void mkbytes_attr(struct mkbytes *b, const struct attr *attr);

/** The header of a record of @size bytes, whose body is to be put behind it. */
struct mkbytes mkbytes_record(uint32_t type, unsigned size, bool big_endian);
/** All of @b as a record, lent. */
struct raw_record mkbytes_raw(const struct mkbytes *b, uint32_t type, uint16_t misc);

struct mkperf_options {
	bool big_endian;
	bool pipe;
	bool version1;   /* magic PERFFILE */
	bool no_bitmap;  /* file header of 72 bytes: no features */
	bool unfinished; /* data size 0, no features: the recorder was killed */
	bool bitmap32;   /* big-endian: the feature bitmap of a 32-bit machine */
	/* COMPRESSED or COMPRESSED2: all records but the header's are packed; 0: plain. */
	unsigned compress;
	size_t piece; /* plain bytes in one compressed record (at most 32000, which is the default) */
};

struct mkperf;

struct mkperf *mkperf_new(struct mkperf_options options);
void mkperf_free(struct mkperf *m); /* NULL is fine */

/** The whole recording, lent until the next call on @m. */
const uint8_t *mkperf_bytes(struct mkperf *m, size_t *size);

/** The records alone, without any header: what a data.N file of a directory holds. */
const uint8_t *mkperf_records(struct mkperf *m, size_t *size);

/** Where in mkperf_bytes() the next (plain) record will begin. */
size_t mkperf_offset(struct mkperf *m);

/** mkperf_bytes() or mkperf_records() into a file. */
void mkperf_write(struct mkperf *m, const char *path);
void mkperf_write_records(struct mkperf *m, const char *path);

/* Events. */

struct mkperf_event {
	struct attr attr; /* size 0: ATTR_MAX_SIZE */
	uint64_t ids[8];  /* up to the first 0; none: number of the event + 1 */
	bool no_ids;
	const char *name; /* NULL: no name is recorded */
};
/** Returns the number of the event, from 0 on. */
unsigned mkperf_add_event(struct mkperf *m, const struct mkperf_event *event);
#define mkperf_event(m, ...) mkperf_add_event((m), &(struct mkperf_event){ __VA_ARGS__ })

/* Features, each once, in any order. EVENT_DESC and COMPRESSED come by themselves where needed. */

void mkperf_feature(struct mkperf *m, unsigned feature, const void *payload, size_t size);
void mkperf_bytes_feature(struct mkperf *m, unsigned feature, struct mkbytes *payload); /* frees @payload */
void mkperf_string_feature(struct mkperf *m, unsigned feature, const char *text);
void mkperf_nrcpus(struct mkperf *m, uint32_t avail, uint32_t online);
/** An entry of BUILD_ID; in a pipe a HEADER_BUILD_ID record. @id of 20 bytes. */
void mkperf_build_id(struct mkperf *m, uint16_t misc, int32_t pid, const void *id, const char *filename);

/* Records. */

/* What the sample_id trailer holds; pid and tid are those of the record. id 0: the event's first. */
struct mkperf_trailer {
	unsigned event;
	uint64_t time, id, stream_id;
	uint32_t pid, tid, cpu;
};

struct mkperf_mmap {
	uint16_t misc; /* 0: CPUMODE_USER */
	uint32_t pid, tid, cpu;
	uint64_t time, start, len, pgoff;
	const char *filename;
	/* MMAP2 */
	uint32_t maj, min, prot, flags; /* prot 0: READ and EXEC */
	uint64_t ino, ino_generation;
	const uint8_t *build_id; /* 20 bytes instead of the inode, sets MISC_MMAP_BUILD_ID */
	unsigned event;
};
void mkperf_add_mmap(struct mkperf *m, const struct mkperf_mmap *mmap);
void mkperf_add_mmap2(struct mkperf *m, const struct mkperf_mmap *mmap);
#define mkperf_mmap(m, ...) mkperf_add_mmap((m), &(struct mkperf_mmap){ __VA_ARGS__ })
#define mkperf_mmap2(m, ...) mkperf_add_mmap2((m), &(struct mkperf_mmap){ __VA_ARGS__ })

struct mkperf_comm {
	uint16_t misc;
	uint32_t pid, tid, cpu;
	uint64_t time;
	const char *comm;
	unsigned event;
};
void mkperf_add_comm(struct mkperf *m, const struct mkperf_comm *comm);
#define mkperf_comm(m, ...) mkperf_add_comm((m), &(struct mkperf_comm){ __VA_ARGS__ })

struct mkperf_task {
	uint16_t misc;
	uint32_t pid, ppid, tid, ptid, cpu;
	uint64_t time;
	unsigned event;
};
void mkperf_add_task(struct mkperf *m, uint32_t type, const struct mkperf_task *task);
#define mkperf_fork(m, ...) mkperf_add_task((m), RECORD_FORK, &(struct mkperf_task){ __VA_ARGS__ })
#define mkperf_exit(m, ...) mkperf_add_task((m), RECORD_EXIT, &(struct mkperf_task){ __VA_ARGS__ })

struct mkperf_read {
	uint64_t value, id, lost;
};

struct mkperf_branch {
	uint64_t from, to, flags; /* bit numbers as on a little-endian machine */
};

struct mkperf_regs {
	uint64_t abi; /* 0: nothing was recorded */
	const uint64_t *values; /* as many as the event's mask has bits */
};

struct mkperf_sample {
	unsigned event;
	uint16_t misc; /* 0: CPUMODE_USER */
	uint32_t pid, tid, cpu;
	uint64_t id; /* 0: the event's first */
	uint64_t ip, time, addr, stream_id, period;
	const struct mkperf_read *reads; /* one, or nr_reads with READ_GROUP */
	uint64_t nr_reads, time_enabled, time_running;
	const uint64_t *chain;
	uint64_t nr_chain;
	const void *raw; /* of raw_size bytes; padded so that the record's size is a multiple of 8 */
	uint32_t raw_size;
	const struct mkperf_branch *branches;
	uint64_t nr_branches, branch_hw_idx;
	const uint64_t *branch_counters;
	struct mkperf_regs user_regs, intr_regs;
	const void *stack;
	uint64_t stack_size;     /* a multiple of 8 */
	uint64_t stack_dyn_size; /* 0: stack_size */
	uint64_t weight; /* the whole field, also of WEIGHT_STRUCT */
	uint64_t data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	const void *aux;
	uint64_t aux_size; /* a multiple of 8 */
};
void mkperf_add_sample(struct mkperf *m, const struct mkperf_sample *sample);
#define mkperf_sample(m, ...) mkperf_add_sample((m), &(struct mkperf_sample){ __VA_ARGS__ })

/** The chain of a sample from numbers: mkperf_sample(m, MK_CHAIN(CHAIN_USER, 1, 2), .ip = 1). */
#define MK_CHAIN(...)                                  \
	.chain = (const uint64_t[]){ __VA_ARGS__ },    \
	.nr_chain = sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)

void mkperf_round(struct mkperf *m);
void mkperf_finished_init(struct mkperf *m);

/** EVENT_UPDATE of the event that has @id: 0 UNIT, 1 SCALE (as its 64 bits), 2 NAME. */
void mkperf_update_text(struct mkperf *m, uint64_t id, uint64_t what, const char *text);
void mkperf_update_scale(struct mkperf *m, uint64_t id, double scale);

/** HEADER_TRACING_DATA with @size bytes behind it; in a file that is a feature, a record in a pipe. */
void mkperf_tracing_data(struct mkperf *m, const void *data, size_t size);

/** Any record: header and @body; a trailer behind it when @trailer is not NULL. Not padded. */
void mkperf_record(struct mkperf *m, uint32_t type, uint16_t misc, const void *body, size_t size,
		   const struct mkperf_trailer *trailer);

/** A body built with mkbytes; frees it. */
void mkperf_bytes_record(struct mkperf *m, uint32_t type, uint16_t misc, struct mkbytes *body,
			 const struct mkperf_trailer *trailer);

/** A record of Android's simpleperf, with its header of a 32-bit size. Frees @body. */
void mkperf_simpleperf_record(struct mkperf *m, uint32_t type, struct mkbytes *body);

/** The same cut up as SPLIT records with @piece bytes of it each, and a SPLIT_END. */
void mkperf_split_record(struct mkperf *m, uint32_t type, struct mkbytes *body, size_t piece);

/** An empty mkbytes in the recording's byte order. */
struct mkbytes mkperf_body(const struct mkperf *m);

/** Bytes as they are, in place of a record. */
void mkperf_raw(struct mkperf *m, const void *data, size_t size);

/** From here on records are packed as the options' compress says, or (false) not. */
void mkperf_compress(struct mkperf *m, bool on);

#endif
