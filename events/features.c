#include "events/features.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cursor.h"
#include "util/xalloc.h"

#define MAX_CPUS (1u << 20) /* more than any kernel can be built for */
#define MAX_ARGS (1u << 20)

static const char cut[] = "the feature is cut short";
static const char odd_version[] = "the feature has a version that is not known";

static const char *verdict(const struct cursor *c)
{
	return cursor_bad(c) ? cut : NULL;
}

/* Read @n elements by the expression @read into @list; ends at the first that does not fit. */
#define READ_LIST(c, list, n, read)                                                                          \
	do {                                                                                                 \
		uint64_t _n = (n);                                                                           \
		for (uint64_t _i = 0; _i < _n && !cursor_bad(c); _i++)                                       \
			vec_push(&(list), (read));                                                           \
	} while (0)

/* When all could be read @list becomes @field, which is given back; else @list is. */
#define KEEP_LIST(c, field, list)                                                                            \
	do {                                                                                                 \
		if (cursor_bad(c)) {                                                                         \
			vec_free(&(list));                                                                   \
		} else {                                                                                     \
			vec_free(&(field));                                                                  \
			(field) = (list);                                                                    \
		}                                                                                            \
	} while (0)

struct features *features_new(void)
{
	return xcalloc(1, sizeof(struct features));
}

static void free_pmu_caps(struct pmu_caps *at, size_t count)
{
	for (size_t i = 0; i < count; i++)
		vec_free(&at[i].caps);
}

static void free_memory_nodes(struct memory_node *at, size_t count)
{
	for (size_t i = 0; i < count; i++)
		vec_free(&at[i].bitmap);
}

static void free_cpu_domains(struct cpu_domains *at, size_t count)
{
	for (size_t i = 0; i < count; i++)
		vec_free(&at[i].domains);
}

void features_free(struct features *f)
{
	if (!f)
		return;
	free_pmu_caps(f->pmu_caps.at, f->pmu_caps.count);
	free_memory_nodes(f->memory_nodes.at, f->memory_nodes.count);
	free_cpu_domains(f->cpu_domains.at, f->cpu_domains.count);
	vec_free(&f->cmdline);
	vec_free(&f->build_ids);
	vec_free(&f->event_descs);
	vec_free(&f->core_siblings);
	vec_free(&f->die_siblings);
	vec_free(&f->thread_siblings);
	vec_free(&f->cpu_places);
	vec_free(&f->numa_nodes);
	vec_free(&f->pmu_mappings);
	vec_free(&f->groups);
	vec_free(&f->caches);
	vec_free(&f->memory_nodes);
	vec_free(&f->bpf_progs);
	vec_free(&f->bpf_btf_ids);
	vec_free(&f->cpu_pmu_caps);
	vec_free(&f->pmu_caps);
	vec_free(&f->hybrid_pmus);
	vec_free(&f->cpu_domains);
	arena_free(&f->arena);
	free(f);
}

/* A text of at most @size bytes, which ends at its first NUL. */
static const char *keep_text(struct features *f, const uint8_t *bytes, size_t size)
{
	return arena_strndup(&f->arena, (const char *)bytes, strnlen((const char *)bytes, size));
}

/* perf pads strings with NULs up to the length in front of them. */
static const char *read_string(struct features *f, struct cursor *c)
{
	uint32_t size = cursor_u32(c);
	const uint8_t *bytes = cursor_bytes(c, size);

	return bytes ? keep_text(f, bytes, size) : "";
}

static const char **string_field(struct features *f, unsigned feature)
{
	switch (feature) {
	case FEATURE_HOSTNAME:
		return &f->hostname;
	case FEATURE_OSRELEASE:
		return &f->osrelease;
	case FEATURE_VERSION:
		return &f->version;
	case FEATURE_ARCH:
		return &f->arch;
	case FEATURE_CPUDESC:
		return &f->cpudesc;
	case FEATURE_CPUID:
		return &f->cpuid;
	default:
		return NULL;
	}
}

static const char *add_string(struct features *f, struct cursor *c, const char **field)
{
	const char *text = read_string(f, c);

	if (!cursor_bad(c))
		*field = text;
	return verdict(c);
}

static const char *add_u64(struct cursor *c, uint64_t *field)
{
	uint64_t value = cursor_u64(c);

	if (!cursor_bad(c))
		*field = value;
	return verdict(c);
}

static const char *add_nrcpus(struct features *f, struct cursor *c)
{
	uint32_t avail = cursor_u32(c);
	uint32_t online = cursor_u32(c);

	if (cursor_bad(c))
		return cut;
	if (online > avail || avail > MAX_CPUS)
		return "the numbers of processors make no sense";
	f->nr_cpus_avail = avail;
	f->nr_cpus_online = online;
	return NULL;
}

static const char *add_total_mem(struct features *f, struct cursor *c)
{
	return add_u64(c, &f->total_mem_kb);
}

static const char *add_cmdline(struct features *f, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	__typeof__(f->cmdline) args = { 0 };

	if (n > MAX_ARGS)
		return "the command line has too many arguments";
	READ_LIST(c, args, n, read_string(f, c));
	KEEP_LIST(c, f->cmdline, args);
	return verdict(c);
}

static struct event_desc read_event_desc(struct features *f, struct cursor *c, uint32_t attr_bytes,
					 const char **reason)
{
	struct event_desc desc = { 0 };
	const uint8_t *attr = cursor_bytes(c, attr_bytes);

	if (attr && !*reason)
		*reason = attr_decode(attr, attr_bytes, c->big_endian, &desc.attr);
	desc.nr_ids = cursor_u32(c);
	desc.name = read_string(f, c);
	if (desc.nr_ids > cursor_left(c) / 8) {
		c->bad = true;
		return desc;
	}
	uint64_t *ids = desc.nr_ids ? arena_alloc(&f->arena, (size_t)desc.nr_ids * 8) : NULL;
	for (uint32_t i = 0; i < desc.nr_ids; i++)
		ids[i] = cursor_u64(c);
	desc.ids = ids;
	return desc;
}

static const char *add_event_desc(struct features *f, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	uint32_t attr_bytes = cursor_u32(c);
	const char *reason = NULL;
	__typeof__(f->event_descs) descs = { 0 };

	READ_LIST(c, descs, n, read_event_desc(f, c, attr_bytes, &reason));
	/* An event list with a hole would give its names to the wrong events. */
	if (reason)
		c->bad = true;
	KEEP_LIST(c, f->event_descs, descs);
	return reason ? reason : verdict(c);
}

static struct cpu_place read_cpu_place(struct cursor *c)
{
	struct cpu_place place = { .die = -1 };

	place.core = (int32_t)cursor_u32(c);
	place.socket = (int32_t)cursor_u32(c);
	return place;
}

/*
 * Grew twice: old perf wrote the siblings only, later the place of every processor too, then the dies. In a
 * pipe up to 7 bytes of padding may follow, which are not the start of the next part.
 */
static const char *add_cpu_topology(struct features *f, struct cursor *c)
{
	__typeof__(f->core_siblings) cores = { 0 };
	__typeof__(f->thread_siblings) threads = { 0 };
	__typeof__(f->die_siblings) dies = { 0 };
	__typeof__(f->cpu_places) places = { 0 };

	READ_LIST(c, cores, cursor_u32(c), read_string(f, c));
	READ_LIST(c, threads, cursor_u32(c), read_string(f, c));
	bool has_places = cursor_left(c) >= 8;
	if (has_places)
		READ_LIST(c, places, f->nr_cpus_avail, read_cpu_place(c));
	bool has_dies = has_places && f->nr_cpus_avail && cursor_left(c) >= 8;
	if (has_dies)
		READ_LIST(c, dies, cursor_u32(c), read_string(f, c));
	for (size_t i = 0; has_dies && i < places.count; i++)
		places.at[i].die = (int32_t)cursor_u32(c);
	if (!cursor_bad(c))
		f->has_dies = has_dies;
	KEEP_LIST(c, f->core_siblings, cores);
	KEEP_LIST(c, f->thread_siblings, threads);
	KEEP_LIST(c, f->die_siblings, dies);
	KEEP_LIST(c, f->cpu_places, places);
	return verdict(c);
}

static struct numa_node read_numa_node(struct features *f, struct cursor *c)
{
	struct numa_node node;

	node.node = cursor_u32(c);
	node.total_kb = cursor_u64(c);
	node.free_kb = cursor_u64(c);
	node.cpus = read_string(f, c);
	return node;
}

static const char *add_numa_topology(struct features *f, struct cursor *c)
{
	__typeof__(f->numa_nodes) nodes = { 0 };

	READ_LIST(c, nodes, cursor_u32(c), read_numa_node(f, c));
	KEEP_LIST(c, f->numa_nodes, nodes);
	return verdict(c);
}

static struct pmu_mapping read_pmu_mapping(struct features *f, struct cursor *c)
{
	struct pmu_mapping mapping;

	mapping.type = cursor_u32(c);
	mapping.name = read_string(f, c);
	return mapping;
}

static const char *add_pmu_mappings(struct features *f, struct cursor *c)
{
	__typeof__(f->pmu_mappings) mappings = { 0 };

	READ_LIST(c, mappings, cursor_u32(c), read_pmu_mapping(f, c));
	KEEP_LIST(c, f->pmu_mappings, mappings);
	return verdict(c);
}

static struct group_desc read_group(struct features *f, struct cursor *c)
{
	struct group_desc group;

	group.name = read_string(f, c);
	group.leader = cursor_u32(c);
	group.nr_members = cursor_u32(c);
	return group;
}

static const char *add_group_desc(struct features *f, struct cursor *c)
{
	__typeof__(f->groups) groups = { 0 };

	READ_LIST(c, groups, cursor_u32(c), read_group(f, c));
	KEEP_LIST(c, f->groups, groups);
	return verdict(c);
}

static struct cpu_cache read_cache(struct features *f, struct cursor *c)
{
	struct cpu_cache cache;

	cache.level = cursor_u32(c);
	cache.line_size = cursor_u32(c);
	cache.sets = cursor_u32(c);
	cache.ways = cursor_u32(c);
	cache.type = read_string(f, c);
	cache.size = read_string(f, c);
	cache.map = read_string(f, c);
	return cache;
}

static const char *add_cache(struct features *f, struct cursor *c)
{
	uint32_t version = cursor_u32(c);
	__typeof__(f->caches) caches = { 0 };

	if (!cursor_bad(c) && version != 1)
		return odd_version;
	READ_LIST(c, caches, cursor_u32(c), read_cache(f, c));
	KEEP_LIST(c, f->caches, caches);
	return verdict(c);
}

static const char *add_sample_time(struct features *f, struct cursor *c)
{
	uint64_t first = cursor_u64(c);
	uint64_t last = cursor_u64(c);

	if (cursor_bad(c))
		return cut;
	f->first_sample_time = first;
	f->last_sample_time = last;
	return NULL;
}

static struct memory_node read_memory_node(struct cursor *c)
{
	struct memory_node node = { 0 };

	node.node = cursor_u64(c);
	node.size_blocks = cursor_u64(c);
	node.nr_bits = cursor_u64(c);
	READ_LIST(c, node.bitmap, node.nr_bits / 64 + (node.nr_bits % 64 != 0), cursor_u64(c));
	return node;
}

static const char *add_mem_topology(struct features *f, struct cursor *c)
{
	uint64_t version = cursor_u64(c);
	uint64_t block_size = cursor_u64(c);
	__typeof__(f->memory_nodes) nodes = { 0 };

	if (!cursor_bad(c) && version != 1)
		return odd_version;
	READ_LIST(c, nodes, cursor_u64(c), read_memory_node(c));
	if (cursor_bad(c)) {
		free_memory_nodes(nodes.at, nodes.count);
	} else {
		free_memory_nodes(f->memory_nodes.at, f->memory_nodes.count);
		f->memory_block_size = block_size;
	}
	KEEP_LIST(c, f->memory_nodes, nodes);
	return verdict(c);
}

static const char *add_clockid(struct features *f, struct cursor *c)
{
	return add_u64(c, &f->clockid_res_ns);
}

static const char *add_dir_format(struct features *f, struct cursor *c)
{
	return add_u64(c, &f->dir_version);
}

/* Offsets in struct bpf_prog_info (linux/bpf.h); perf made its pointers offsets into the data behind it. */
enum bpf_info_offset {
	BPF_INFO_ID = 4,
	BPF_INFO_JITED_LEN = 16,
	BPF_INFO_JITED = 24,
	BPF_INFO_NAME = 64,
	BPF_INFO_NR_KSYMS = 104,
	BPF_INFO_NR_LENS = 108,
	BPF_INFO_KSYMS = 112,
	BPF_INFO_LENS = 120,
	BPF_INFO_NR_TAGS = 180,
	BPF_INFO_TAGS = 184,
};
#define BPF_NAME_BYTES 16
#define BPF_TAG_BYTES 8

struct bytes {
	const uint8_t *at;
	size_t size;
	bool big_endian;
};

struct bpf_info_parts {
	struct bytes info, data;
	uint64_t ksyms, lens, tags; /* offsets in data */
	struct bytes code;	    /* of the functions that are still to come */
};

/* The @i-th element of @size bytes of an array at @offset; NULL when it is not all inside. */
static const uint8_t *element(const struct bytes *b, uint64_t offset, uint64_t i, size_t size)
{
	if (offset > b->size || (b->size - offset) / size <= i)
		return NULL;
	return b->at + offset + i * size;
}

static uint32_t info_u32(const struct bytes *info, enum bpf_info_offset offset)
{
	const uint8_t *at = element(info, offset, 0, 4);

	return at ? load_u32(at, info->big_endian) : 0;
}

static uint64_t info_u64(const struct bytes *info, enum bpf_info_offset offset)
{
	const uint8_t *at = element(info, offset, 0, 8);

	return at ? load_u64(at, info->big_endian) : 0;
}

/* The kernel's name of the function: bpf_prog_, its tag, and the program's name; F for what has none. */
static const char *bpf_prog_name(struct features *f, const struct bytes *info, const uint8_t *tag, bool only)
{
	char text[sizeof("bpf_prog__") + 2 * BPF_TAG_BYTES + BPF_NAME_BYTES] = "bpf_prog_";
	size_t size = strlen(text);
	const uint8_t *name = element(info, BPF_INFO_NAME, 0, BPF_NAME_BYTES);

	for (size_t i = 0; i < BPF_TAG_BYTES; i++)
		size += (size_t)snprintf(text + size, sizeof(text) - size, "%02x", tag[i]);
	if (!only)
		size += (size_t)snprintf(text + size, sizeof(text) - size, "_F");
	else if (name && *name)
		size += (size_t)snprintf(text + size, sizeof(text) - size, "_%.*s", BPF_NAME_BYTES,
					 (const char *)name);
	return arena_strndup(&f->arena, text, size);
}

static struct bytes read_bytes(struct cursor *c, uint32_t size)
{
	struct bytes b = { .at = cursor_bytes(c, size), .size = size, .big_endian = c->big_endian };

	if (!b.at)
		b.size = 0;
	return b;
}

static struct bpf_info_parts read_bpf_parts(struct cursor *c)
{
	struct bpf_info_parts parts = { 0 };
	uint32_t info_size = cursor_u32(c);
	uint32_t data_size = cursor_u32(c);

	cursor_skip(c, 8); /* which arrays data holds: the counts say it too */
	parts.info = read_bytes(c, info_size);
	parts.data = read_bytes(c, data_size);
	parts.ksyms = info_u64(&parts.info, BPF_INFO_KSYMS);
	parts.lens = info_u64(&parts.info, BPF_INFO_LENS);
	parts.tags = info_u64(&parts.info, BPF_INFO_TAGS);
	parts.code.size = info_u32(&parts.info, BPF_INFO_JITED_LEN);
	uint64_t code = info_u64(&parts.info, BPF_INFO_JITED);
	parts.code.at = parts.code.size ? element(&parts.data, code, 0, parts.code.size) : NULL;
	return parts;
}

/* How many functions are wholly described; 0 when the counts contradict each other or the data. */
static uint32_t count_bpf_functions(const struct bpf_info_parts *p)
{
	uint32_t n = info_u32(&p->info, BPF_INFO_NR_KSYMS);

	if (!n || n != info_u32(&p->info, BPF_INFO_NR_LENS) || n != info_u32(&p->info, BPF_INFO_NR_TAGS))
		return 0;
	bool fits = element(&p->data, p->ksyms, n - 1, 8) && element(&p->data, p->lens, n - 1, 4) &&
		    element(&p->data, p->tags, n - 1, BPF_TAG_BYTES);
	return fits ? n : 0;
}

/* The code of a program's functions stands one behind the other; NULL where it was not recorded. */
static const uint8_t *take_code(struct features *f, struct bytes *code, uint32_t size)
{
	const uint8_t *at = code->at;

	if (!at || !size || size > code->size)
		return NULL;
	code->at += size;
	code->size -= size;
	return (const uint8_t *)arena_strndup(&f->arena, (const char *)at, size);
}

static struct bpf_prog bpf_function(struct features *f, struct bpf_info_parts *p, uint32_t i, bool only)
{
	uint32_t size = load_u32(element(&p->data, p->lens, i, 4), p->data.big_endian);

	return (struct bpf_prog){
		.id = info_u32(&p->info, BPF_INFO_ID),
		.name = bpf_prog_name(f, &p->info, element(&p->data, p->tags, i, BPF_TAG_BYTES), only),
		.addr = load_u64(element(&p->data, p->ksyms, i, 8), p->data.big_endian),
		.size = size,
		.code = take_code(f, &p->code, size),
	};
}

static const char *add_bpf_prog_info(struct features *f, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	__typeof__(f->bpf_progs) progs = { 0 };

	for (uint32_t i = 0; i < n && !cursor_bad(c); i++) {
		struct bpf_info_parts parts = read_bpf_parts(c);
		uint32_t functions = count_bpf_functions(&parts);
		for (uint32_t k = 0; k < functions; k++)
			vec_push(&progs, bpf_function(f, &parts, k, functions == 1));
		if (!functions)
			vec_push(&progs,
				 ((struct bpf_prog){ .id = info_u32(&parts.info, BPF_INFO_ID), .name = "" }));
	}
	KEEP_LIST(c, f->bpf_progs, progs);
	return verdict(c);
}

static uint32_t read_btf_id(struct cursor *c)
{
	uint32_t id = cursor_u32(c);

	cursor_skip(c, cursor_u32(c));
	return id;
}

static const char *add_bpf_btf(struct features *f, struct cursor *c)
{
	__typeof__(f->bpf_btf_ids) ids = { 0 };

	READ_LIST(c, ids, cursor_u32(c), read_btf_id(c));
	KEEP_LIST(c, f->bpf_btf_ids, ids);
	return verdict(c);
}

static const char *add_compressed(struct features *f, struct cursor *c)
{
	__typeof__(f->compressed) compressed;

	compressed.version = cursor_u32(c);
	compressed.type = cursor_u32(c);
	compressed.level = cursor_u32(c);
	compressed.ratio = cursor_u32(c);
	compressed.mmap_len = cursor_u32(c);
	if (cursor_bad(c))
		return cut;
	if (!compressed.mmap_len || compressed.mmap_len % 4096)
		return "the buffer size of the compression makes no sense";
	f->compressed = compressed;
	return NULL;
}

static struct name_value read_name_value(struct features *f, struct cursor *c)
{
	struct name_value pair;

	pair.name = read_string(f, c);
	pair.value = read_string(f, c);
	return pair;
}

static const char *add_cpu_pmu_caps(struct features *f, struct cursor *c)
{
	__typeof__(f->cpu_pmu_caps) caps = { 0 };

	READ_LIST(c, caps, cursor_u32(c), read_name_value(f, c));
	KEEP_LIST(c, f->cpu_pmu_caps, caps);
	return verdict(c);
}

static const char *add_clock_data(struct features *f, struct cursor *c)
{
	uint32_t version = cursor_u32(c);
	__typeof__(f->clock_data) data;

	if (!cursor_bad(c) && version != 1)
		return odd_version;
	data.clockid = cursor_u32(c);
	data.wall_ns = cursor_u64(c);
	data.clock_ns = cursor_u64(c);
	if (!cursor_bad(c))
		f->clock_data = data;
	return verdict(c);
}

static struct hybrid_pmu read_hybrid_pmu(struct features *f, struct cursor *c)
{
	struct hybrid_pmu pmu;

	pmu.pmu = read_string(f, c);
	pmu.cpus = read_string(f, c);
	return pmu;
}

static const char *add_hybrid_topology(struct features *f, struct cursor *c)
{
	__typeof__(f->hybrid_pmus) pmus = { 0 };

	READ_LIST(c, pmus, cursor_u32(c), read_hybrid_pmu(f, c));
	KEEP_LIST(c, f->hybrid_pmus, pmus);
	return verdict(c);
}

static struct pmu_caps read_pmu_caps(struct features *f, struct cursor *c)
{
	struct pmu_caps pmu = { 0 };

	READ_LIST(c, pmu.caps, cursor_u32(c), read_name_value(f, c));
	pmu.pmu = read_string(f, c);
	return pmu;
}

static const char *add_pmu_caps(struct features *f, struct cursor *c)
{
	__typeof__(f->pmu_caps) pmus = { 0 };

	READ_LIST(c, pmus, cursor_u32(c), read_pmu_caps(f, c));
	if (cursor_bad(c))
		free_pmu_caps(pmus.at, pmus.count);
	else
		free_pmu_caps(f->pmu_caps.at, f->pmu_caps.count);
	KEEP_LIST(c, f->pmu_caps, pmus);
	return verdict(c);
}

/* schedstat 17 was the first version that named its domains. */
#define SCHEDSTAT_WITH_NAMES 17

static struct cpu_domain read_cpu_domain(struct features *f, struct cursor *c, uint32_t version)
{
	struct cpu_domain domain;

	domain.domain = cursor_u32(c);
	domain.name = version >= SCHEDSTAT_WITH_NAMES ? read_string(f, c) : NULL;
	domain.cpumask = read_string(f, c);
	domain.cpulist = read_string(f, c);
	return domain;
}

static struct cpu_domains read_cpu_domains(struct features *f, struct cursor *c, uint32_t version)
{
	struct cpu_domains cpu = { 0 };

	cpu.cpu = cursor_u32(c);
	READ_LIST(c, cpu.domains, cursor_u32(c), read_cpu_domain(f, c, version));
	return cpu;
}

/* There is one entry a processor that was online; in a pipe up to 7 bytes of padding follow. */
static const char *add_cpu_domain_info(struct features *f, struct cursor *c)
{
	uint32_t version = cursor_u32(c);
	uint32_t max_domains = cursor_u32(c);
	uint32_t most = f->nr_cpus_online ? f->nr_cpus_online : MAX_CPUS;
	__typeof__(f->cpu_domains) cpus = { 0 };

	while (cursor_left(c) >= 8 && cpus.count < most)
		vec_push(&cpus, read_cpu_domains(f, c, version));
	if (cursor_bad(c)) {
		free_cpu_domains(cpus.at, cpus.count);
	} else {
		free_cpu_domains(f->cpu_domains.at, f->cpu_domains.count);
		f->schedstat_version = version;
		f->max_sched_domains = max_domains;
	}
	KEEP_LIST(c, f->cpu_domains, cpus);
	return verdict(c);
}

static const char *add_e_machine(struct features *f, struct cursor *c)
{
	uint32_t e_machine = cursor_u32(c);
	uint32_t e_flags = cursor_u32(c);

	if (cursor_bad(c))
		return cut;
	f->e_machine = e_machine;
	f->e_flags = e_flags;
	return NULL;
}

static const char *add_cln_size(struct features *f, struct cursor *c)
{
	uint32_t size = cursor_u32(c);

	if (!cursor_bad(c))
		f->cacheline_size = size;
	return verdict(c);
}

/* Of a build-id record behind its header: s32 pid, 20 bytes of build-id, u8 size, 3 reserved, the name. */
#define BUILD_ID_FIELD 20
#define BUILD_ID_AND_SIZE 24

/* Without pid: records of the first perf tools, whose build-id lies where the pid is now. */
static const char *read_build_id(struct features *f, struct cursor *body, uint16_t misc, bool with_pid,
				 struct build_id_entry *ret)
{
	struct build_id_entry entry = { .misc = misc, .pid = -1 };

	if (with_pid)
		entry.pid = (int32_t)cursor_u32(body);
	const uint8_t *id = cursor_bytes(body, BUILD_ID_AND_SIZE);
	if (!id)
		return "the build-id record is too short";
	entry.id = build_id_make(id,
				 with_pid && misc & MISC_BUILD_ID_SIZE ? id[BUILD_ID_FIELD] : BUILD_ID_FIELD);
	entry.filename = keep_text(f, body->at, cursor_left(body));
	*ret = entry;
	return NULL;
}

/* The next record of a BUILD_ID section: its body, and misc. False when it does not fit. */
static bool next_build_id_record(struct cursor *c, struct cursor *body, uint16_t *misc)
{
	cursor_skip(c, 4); /* type: 0 */
	*misc = cursor_u16(c);
	uint16_t size = cursor_u16(c);
	const uint8_t *at = size < RECORD_HEADER_SIZE ? NULL : cursor_bytes(c, size - RECORD_HEADER_SIZE);

	if (!at)
		return false;
	*body = cursor_make(at, size - RECORD_HEADER_SIZE, c->big_endian);
	return true;
}

/*
 * Records without a pid show by the kernel's name: read with a pid it has lost its first 4 letters, and no
 * file is called like the rest (perf tests for the same).
 */
static bool records_lack_pid(struct cursor c)
{
	static const char rest[] = "nel.kallsyms]";
	struct cursor body;
	uint16_t misc;

	while (cursor_left(&c) && next_build_id_record(&c, &body, &misc)) {
		cursor_skip(&body, 4 + BUILD_ID_AND_SIZE);
		const uint8_t *name = cursor_bytes(&body, sizeof(rest) - 1);
		if (name && !memcmp(name, rest, sizeof(rest) - 1))
			return true;
	}
	return false;
}

/* What was read before a record that does not fit stays. */
static const char *add_build_ids(struct features *f, struct cursor *c)
{
	bool with_pid = !records_lack_pid(*c);
	struct cursor body;
	uint16_t misc;

	while (cursor_left(c)) {
		struct build_id_entry entry;
		if (!next_build_id_record(c, &body, &misc))
			return cut;
		const char *reason = read_build_id(f, &body, misc, with_pid, &entry);
		if (reason)
			return reason;
		vec_push(&f->build_ids, entry);
	}
	return NULL;
}

const char *features_add_build_id(struct features *f, uint16_t misc, const void *body, uint64_t size,
				  bool big_endian)
{
	struct cursor c = cursor_make(body, size, big_endian);
	struct build_id_entry entry;
	const char *reason = read_build_id(f, &c, misc, true, &entry);

	if (!reason)
		vec_push(&f->build_ids, entry);
	return reason;
}

static const char *add_tracing_data(struct features *f, struct cursor *c)
{
	f->tracing_data = c->at;
	f->tracing_data_size = cursor_left(c);
	return NULL;
}

typedef const char *feature_decoder(struct features *f, struct cursor *c);

/* What has no decoder says all by being there, or is not known. */
static feature_decoder *const decoders[FEATURE_KNOWN_END] = {
	[FEATURE_TRACING_DATA] = add_tracing_data,
	[FEATURE_BUILD_ID] = add_build_ids,
	[FEATURE_NRCPUS] = add_nrcpus,
	[FEATURE_TOTAL_MEM] = add_total_mem,
	[FEATURE_CMDLINE] = add_cmdline,
	[FEATURE_EVENT_DESC] = add_event_desc,
	[FEATURE_CPU_TOPOLOGY] = add_cpu_topology,
	[FEATURE_NUMA_TOPOLOGY] = add_numa_topology,
	[FEATURE_PMU_MAPPINGS] = add_pmu_mappings,
	[FEATURE_GROUP_DESC] = add_group_desc,
	[FEATURE_CACHE] = add_cache,
	[FEATURE_SAMPLE_TIME] = add_sample_time,
	[FEATURE_MEM_TOPOLOGY] = add_mem_topology,
	[FEATURE_CLOCKID] = add_clockid,
	[FEATURE_DIR_FORMAT] = add_dir_format,
	[FEATURE_BPF_PROG_INFO] = add_bpf_prog_info,
	[FEATURE_BPF_BTF] = add_bpf_btf,
	[FEATURE_COMPRESSED] = add_compressed,
	[FEATURE_CPU_PMU_CAPS] = add_cpu_pmu_caps,
	[FEATURE_CLOCK_DATA] = add_clock_data,
	[FEATURE_HYBRID_TOPOLOGY] = add_hybrid_topology,
	[FEATURE_PMU_CAPS] = add_pmu_caps,
	[FEATURE_CPU_DOMAIN_INFO] = add_cpu_domain_info,
	[FEATURE_E_MACHINE] = add_e_machine,
	[FEATURE_CLN_SIZE] = add_cln_size,
};

const char *features_add(struct features *f, unsigned feature, const void *payload, uint64_t size,
			 bool big_endian)
{
	if (feature >= FEATURE_BITS)
		return "there is no feature of this number";
	struct cursor c = cursor_make(payload, size, big_endian);
	const uint64_t bit = (uint64_t)1 << feature % 64;
	const char **text = string_field(f, feature);
	const char *reason = NULL;

	f->present[feature / 64] |= bit;
	if (text)
		reason = add_string(f, &c, text);
	else if (feature < FEATURE_KNOWN_END && decoders[feature])
		reason = decoders[feature](f, &c);
	if (!reason && feature < FEATURE_KNOWN_END)
		f->decoded[feature / 64] |= bit;
	return reason;
}
