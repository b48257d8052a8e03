/*
 * features - what a recording says about the machine and the run: hostname, build-ids, topology ...
 *
 * Filled from the feature sections of a file or from HEADER_FEATURE records of a pipe, one by one.
 * Decodes everything up to perf 7.2; a feature that cannot be decoded costs that
 * feature only. Strings and arrays are the features' own. Prints nothing: output/script_header does.
 */
#ifndef PERF2TXT_FEATURES_H
#define PERF2TXT_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "events/attr.h"
#include "events/perf_abi.h"
#include "util/arena.h"
#include "util/build_id.h"
#include "util/vec.h"

#define BUILD_ID_OF_HOST (-1)

struct build_id_entry {
	uint16_t misc; /* cpumode in the low bits */
	int32_t pid;   /* of the guest, or BUILD_ID_OF_HOST */
	struct build_id id;
	const char *filename;
};

struct event_desc {
	struct attr attr;
	const char *name;
	const uint64_t *ids;
	uint32_t nr_ids;
};

struct pmu_mapping { uint32_t type; const char *name; };
struct group_desc { const char *name; uint32_t leader, nr_members; };
struct name_value { const char *name, *value; };
struct pmu_caps { const char *pmu; VEC(struct name_value) caps; };
struct numa_node { uint32_t node; uint64_t total_kb, free_kb; const char *cpus; };
struct cpu_place { int32_t core, socket, die; }; /* die -1: not recorded */
struct cpu_cache { uint32_t level, line_size, sets, ways; const char *type, *size, *map; };
struct memory_node { uint64_t node, size_blocks; VEC(uint64_t) bitmap; uint64_t nr_bits; };
struct hybrid_pmu { const char *pmu, *cpus; };
/* One a function: those of a program have its id and follow each other. Name "": its functions are not known;
 * code NULL: it was not recorded. */
struct bpf_prog { uint32_t id; const char *name; uint64_t addr; uint32_t size; const uint8_t *code; };
struct cpu_domain { uint32_t domain; const char *name, *cpumask, *cpulist; };
struct cpu_domains { uint32_t cpu; VEC(struct cpu_domain) domains; };

struct features {
	struct arena arena;
	uint64_t present[FEATURE_BITS / 64]; /* bit n: feature n is in the recording */
	uint64_t decoded[FEATURE_BITS / 64]; /* bit n: and could be read */
	const char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid; /* NULL: not there */
	uint32_t nr_cpus_avail, nr_cpus_online; /* 0: not known */
	uint64_t total_mem_kb;
	VEC(const char *) cmdline;
	VEC(struct build_id_entry) build_ids;
	VEC(struct event_desc) event_descs;
	VEC(const char *) core_siblings, die_siblings, thread_siblings;
	VEC(struct cpu_place) cpu_places; /* by cpu number */
	bool has_dies;
	VEC(struct numa_node) numa_nodes;
	VEC(struct pmu_mapping) pmu_mappings;
	VEC(struct group_desc) groups;
	VEC(struct cpu_cache) caches;
	uint64_t first_sample_time, last_sample_time; /* ns */
	uint64_t memory_block_size;
	VEC(struct memory_node) memory_nodes;
	uint64_t clockid_res_ns;
	uint64_t dir_version;
	VEC(struct bpf_prog) bpf_progs;
	VEC(uint32_t) bpf_btf_ids;
	struct { uint32_t version, type, level, ratio, mmap_len; } compressed;
	VEC(struct name_value) cpu_pmu_caps;
	VEC(struct pmu_caps) pmu_caps;
	struct { uint32_t clockid; uint64_t wall_ns, clock_ns; } clock_data;
	VEC(struct hybrid_pmu) hybrid_pmus;
	uint32_t schedstat_version, max_sched_domains;
	VEC(struct cpu_domains) cpu_domains;
	uint32_t e_machine, e_flags; /* e_machine 0: not known */
	uint32_t cacheline_size;
	/* TRACING_DATA: the bytes, for events/tracepoint. Lent by the file, or a copy of the pipe's. */
	const uint8_t *tracing_data;
	uint64_t tracing_data_size;
};

struct features *features_new(void);
void features_free(struct features *f); /* NULL is fine */

static inline bool features_has(const struct features *f, unsigned feature)
{
	return feature < FEATURE_BITS && (f->present[feature / 64] >> (feature % 64) & 1);
}

/**
 * Take in one feature section or HEADER_FEATURE payload of @size bytes (copied but for TRACING_DATA, whose
 * bytes must outlive @f). NULL when fine, else a static reason; the rest of @f is not touched then but
 * for its bit in present, and but for the build-ids in front of one that does not fit.
 */
const char *features_add(struct features *f, unsigned feature, const void *payload, uint64_t size,
			 bool big_endian);

/** A HEADER_BUILD_ID record's body (behind the 8-byte record header) -> one more entry of build_ids. */
const char *features_add_build_id(struct features *f, uint16_t misc, const void *body, uint64_t size,
				  bool big_endian);

#endif
