#include "output/script_header.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events/attr.h"
#include "events/perf_abi.h"

struct out {
	struct writer *w;
	const struct features *f;
	const struct evlist *evlist;
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool has_bit(const uint64_t *bits, unsigned n)
{
	return bits[n / 64] >> (n % 64) & 1;
}

static const char *pmu_name(const struct features *f, uint64_t type)
{
	for (size_t i = 0; i < f->pmu_mappings.count; i++)
		if (f->pmu_mappings.at[i].type == type)
			return f->pmu_mappings.at[i].name;
	return NULL;
}

/* ---- event lines: the attr's fields by name ---- */

static void attr_number(struct writer *w, const char *name, uint64_t value)
{
	if (value)
		writer_printf(w, ", %s = %" PRIu64, name, value);
}

static void attr_hex(struct writer *w, const char *name, uint64_t value)
{
	if (value)
		writer_printf(w, ", %s = %#" PRIx64, name, value);
}

struct bit_name {
	unsigned bit;
	const char *name;
};

static void attr_bits(struct writer *w, const char *name, uint64_t value, const struct bit_name *names,
		      size_t count)
{
	const char *between = "";

	if (!value)
		return;
	writer_printf(w, ", %s = ", name);
	for (size_t i = 0; i < count; i++) {
		if (!(value >> names[i].bit & 1))
			continue;
		writer_text(w, between);
		writer_text(w, names[i].name);
		between = "|";
	}
}

/* In perf's order; it has no name for TRANSACTION (17). */
static const struct bit_name sample_type_names[] = {
	{ 0, "IP" },
	{ 1, "TID" },
	{ 2, "TIME" },
	{ 3, "ADDR" },
	{ 4, "READ" },
	{ 5, "CALLCHAIN" },
	{ 6, "ID" },
	{ 7, "CPU" },
	{ 8, "PERIOD" },
	{ 9, "STREAM_ID" },
	{ 10, "RAW" },
	{ 11, "BRANCH_STACK" },
	{ 12, "REGS_USER" },
	{ 13, "STACK_USER" },
	{ 16, "IDENTIFIER" },
	{ 18, "REGS_INTR" },
	{ 15, "DATA_SRC" },
	{ 14, "WEIGHT" },
	{ 19, "PHYS_ADDR" },
	{ 20, "AUX" },
	{ 21, "CGROUP" },
	{ 22, "DATA_PAGE_SIZE" },
	{ 23, "CODE_PAGE_SIZE" },
	{ 24, "WEIGHT_STRUCT" },
};

static const struct bit_name read_format_names[] = {
	{ 0, "TOTAL_TIME_ENABLED" }, { 1, "TOTAL_TIME_RUNNING" }, { 2, "ID" }, { 3, "GROUP" }, { 4, "LOST" },
};

static const struct bit_name branch_names[] = {
	{ 0, "USER" },	     { 1, "KERNEL" },	  { 2, "HV" },	       { 3, "ANY" },
	{ 4, "ANY_CALL" },   { 5, "ANY_RETURN" }, { 6, "IND_CALL" },   { 7, "ABORT_TX" },
	{ 8, "IN_TX" },	     { 9, "NO_TX" },	  { 10, "COND" },      { 11, "CALL_STACK" },
	{ 12, "IND_JUMP" },  { 13, "CALL" },	  { 14, "NO_FLAGS" },  { 15, "NO_CYCLES" },
	{ 16, "TYPE_SAVE" }, { 17, "HW_INDEX" },  { 18, "PRIV_SAVE" }, { 19, "COUNTERS" },
};

/* By bit number; NULL: not printed as one bit. */
static const char *const flag_names[] = {
	"disabled",
	"inherit",
	"pinned",
	"exclusive",
	"exclude_user",
	"exclude_kernel",
	"exclude_hv",
	"exclude_idle",
	"mmap",
	"comm",
	"freq",
	"inherit_stat",
	"enable_on_exec",
	"task",
	"watermark",
	"precise_ip",
	NULL, /* its second bit */
	"mmap_data",
	"sample_id_all",
	"exclude_host",
	"exclude_guest",
	"exclude_callchain_kernel",
	"exclude_callchain_user",
	"mmap2",
	"comm_exec",
	"use_clockid",
	"context_switch",
	"write_backward",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"aux_output",
	"cgroup",
	"text_poke",
	"build_id",
	"inherit_thread",
	"remove_on_exec",
	"sigtrap",
	"defer_callchain",
	"defer_output",
};

static const char *const type_names[] = {
	"PERF_TYPE_HARDWARE", "PERF_TYPE_SOFTWARE", "PERF_TYPE_TRACEPOINT",
	"PERF_TYPE_HW_CACHE", "PERF_TYPE_RAW",	    "PERF_TYPE_BREAKPOINT",
};

static const char *const hardware_names[] = {
	"PERF_COUNT_HW_CPU_CYCLES",
	"PERF_COUNT_HW_INSTRUCTIONS",
	"PERF_COUNT_HW_CACHE_REFERENCES",
	"PERF_COUNT_HW_CACHE_MISSES",
	"PERF_COUNT_HW_BRANCH_INSTRUCTIONS",
	"PERF_COUNT_HW_BRANCH_MISSES",
	"PERF_COUNT_HW_BUS_CYCLES",
	"PERF_COUNT_HW_STALLED_CYCLES_FRONTEND",
	"PERF_COUNT_HW_STALLED_CYCLES_BACKEND",
	"PERF_COUNT_HW_REF_CPU_CYCLES",
};

static const char *const software_names[] = {
	"PERF_COUNT_SW_CPU_CLOCK",	  "PERF_COUNT_SW_TASK_CLOCK",
	"PERF_COUNT_SW_PAGE_FAULTS",	  "PERF_COUNT_SW_CONTEXT_SWITCHES",
	"PERF_COUNT_SW_CPU_MIGRATIONS",	  "PERF_COUNT_SW_PAGE_FAULTS_MIN",
	"PERF_COUNT_SW_PAGE_FAULTS_MAJ",  "PERF_COUNT_SW_ALIGNMENT_FAULTS",
	"PERF_COUNT_SW_EMULATION_FAULTS", "PERF_COUNT_SW_DUMMY",
	"PERF_COUNT_SW_BPF_OUTPUT",	  "PERF_COUNT_SW_CGROUP_SWITCHES",
};

static const char *const cache_names[] = {
	"PERF_COUNT_HW_CACHE_L1D",  "PERF_COUNT_HW_CACHE_L1I",	"PERF_COUNT_HW_CACHE_LL",
	"PERF_COUNT_HW_CACHE_DTLB", "PERF_COUNT_HW_CACHE_ITLB", "PERF_COUNT_HW_CACHE_BPU",
	"PERF_COUNT_HW_CACHE_NODE",
};

static const char *const cache_op_names[] = {
	"PERF_COUNT_HW_CACHE_OP_READ",
	"PERF_COUNT_HW_CACHE_OP_WRITE",
	"PERF_COUNT_HW_CACHE_OP_PREFETCH",
};

static const char *const cache_result_names[] = {
	"PERF_COUNT_HW_CACHE_RESULT_ACCESS",
	"PERF_COUNT_HW_CACHE_RESULT_MISS",
};

static void event_type(const struct out *o, uint32_t type)
{
	const char *name = type == ATTR_RAW || type >= COUNT(type_names) ? pmu_name(o->f, type) : NULL;

	if (!name && type < COUNT(type_names))
		name = type_names[type];
	writer_printf(o->w, ", type = %" PRIu32, type);
	if (name)
		writer_printf(o->w, " (%s)", name);
}

static void cache_config(struct writer *w, uint32_t config)
{
	unsigned cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16;

	writer_printf(w, "%s | %s | %s", cache_result_names[result], cache_op_names[op], cache_names[cache]);
}

static bool is_cache_config(uint32_t config)
{
	return (config & 0xff) < COUNT(cache_names) && (config >> 8 & 0xff) < COUNT(cache_op_names) &&
	       config >> 16 < COUNT(cache_result_names);
}

/* The upper half of a hardware event's config is the number of the PMU that counts it, 0: any. */
static void hardware_config(const struct out *o, const struct attr *attr)
{
	const char *pmu = attr->config >> 32 ? pmu_name(o->f, attr->config >> 32) : NULL;
	uint32_t number = (uint32_t)attr->config;

	if (attr->type == ATTR_HARDWARE ? number >= COUNT(hardware_names) : !is_cache_config(number))
		return;
	writer_text(o->w, " (");
	if (pmu)
		writer_printf(o->w, "%s/", pmu);
	if (attr->type == ATTR_HARDWARE)
		writer_text(o->w, hardware_names[number]);
	else
		cache_config(o->w, number);
	writer_text(o->w, pmu ? "/)" : ")");
}

static void event_config(const struct out *o, const struct event_desc *desc)
{
	const struct attr *attr = &desc->attr;

	writer_printf(o->w, ", config = %#" PRIx64, attr->config);
	if (attr->type == ATTR_HARDWARE || attr->type == ATTR_HW_CACHE)
		hardware_config(o, attr);
	else if (attr->type == ATTR_SOFTWARE && attr->config < COUNT(software_names))
		writer_printf(o->w, " (%s)", software_names[attr->config]);
	else if (attr->type == ATTR_TRACEPOINT && desc->name && strchr(desc->name, ':'))
		writer_printf(o->w, " (%s)", desc->name);
}

static void event_flags(struct writer *w, const struct attr *attr)
{
	for (unsigned bit = 0; bit < COUNT(flag_names); bit++) {
		if (bit == ATTR_PRECISE_IP)
			attr_number(w, flag_names[bit], attr_precise_ip(attr));
		else if (flag_names[bit])
			attr_number(w, flag_names[bit], attr->flags >> bit & 1);
	}
}

static void event_attr(const struct out *o, const struct event_desc *desc)
{
	const struct attr *attr = &desc->attr;
	struct writer *w = o->w;

	event_type(o, attr->type);
	attr_number(w, "size", attr->size);
	event_config(o, desc);
	attr_number(w, "{ sample_period, sample_freq }", attr->sample_period);
	attr_bits(w, "sample_type", attr->sample_type, sample_type_names, COUNT(sample_type_names));
	attr_bits(w, "read_format", attr->read_format, read_format_names, COUNT(read_format_names));
	event_flags(w, attr);
	attr_number(w, "{ wakeup_events, wakeup_watermark }", attr->wakeup_events);
	attr_number(w, "bp_type", attr->bp_type);
	attr_hex(w, "{ bp_addr, config1 }", attr->bp_addr);
	attr_hex(w, "{ bp_len, config2 }", attr->bp_len);
	attr_bits(w, "branch_sample_type", attr->branch_sample_type, branch_names, COUNT(branch_names));
	attr_hex(w, "sample_regs_user", attr->sample_regs_user);
	attr_number(w, "sample_stack_user", attr->sample_stack_user);
	if (attr->clockid)
		writer_printf(w, ", clockid = %" PRId32, attr->clockid);
	attr_hex(w, "sample_regs_intr", attr->sample_regs_intr);
	attr_number(w, "aux_watermark", attr->aux_watermark);
	attr_number(w, "sample_max_stack", attr->sample_max_stack);
	attr_number(w, "aux_sample_size", attr->aux_sample_size);
	attr_number(w, "sig_data", attr->sig_data);
	attr_number(w, "aux_start_paused", attr->aux_action & 1);
	attr_number(w, "aux_pause", attr->aux_action >> 1 & 1);
	attr_number(w, "aux_resume", attr->aux_action >> 2 & 1);
}

void script_header_attr(struct writer *w, const struct features *features, const struct event *event)
{
	const struct out o = { .w = w, .f = features };
	struct event_desc desc = { .attr = event->attr, .name = event->name };

	event_attr(&o, &desc);
}

static void print_event(const struct out *o, const struct event_desc *desc)
{
	writer_printf(o->w, "# event : name = %s, ", desc->name ? desc->name : "");
	for (uint32_t i = 0; i < desc->nr_ids; i++)
		writer_printf(o->w, "%s%" PRIu64, i ? ", " : ", id = { ", desc->ids[i]);
	if (desc->nr_ids)
		writer_text(o->w, " }");
	event_attr(o, desc);
	writer_char(o->w, '\n');
}

static void print_event_desc(const struct out *o)
{
	if (!has_bit(o->f->decoded, FEATURE_EVENT_DESC)) {
		writer_text(o->w, "# event desc: not available or unable to read\n");
		return;
	}
	for (size_t i = 0; i < o->f->event_descs.count; i++)
		print_event(o, &o->f->event_descs.at[i]);
}

/* ---- the other features, by number ---- */

static void line(const struct out *o, const char *what, const char *value)
{
	if (value)
		writer_printf(o->w, "# %s : %s\n", what, value);
}

static void print_hostname(const struct out *o)
{
	line(o, "hostname", o->f->hostname);
}

static void print_osrelease(const struct out *o)
{
	line(o, "os release", o->f->osrelease);
}

static void print_version(const struct out *o)
{
	line(o, "perf version", o->f->version);
}

static void print_arch(const struct out *o)
{
	line(o, "arch", o->f->arch);
}

static void print_cpudesc(const struct out *o)
{
	line(o, "cpudesc", o->f->cpudesc);
}

static void print_cpuid(const struct out *o)
{
	line(o, "cpuid", o->f->cpuid);
}

static void print_nrcpus(const struct out *o)
{
	writer_printf(o->w, "# nrcpus online : %" PRIu32 "\n# nrcpus avail : %" PRIu32 "\n",
		      o->f->nr_cpus_online, o->f->nr_cpus_avail);
}

static void print_total_mem(const struct out *o)
{
	writer_printf(o->w, "# total memory : %" PRIu64 " kB\n", o->f->total_mem_kb);
}

static void print_cmdline(const struct out *o)
{
	writer_text(o->w, "# cmdline : ");
	for (size_t i = 0; i < o->f->cmdline.count; i++) {
		for (const char *c = o->f->cmdline.at[i]; *c; c++) {
			if (*c == '\'')
				writer_char(o->w, '\\');
			writer_char(o->w, *c);
		}
		writer_char(o->w, ' ');
	}
	writer_char(o->w, '\n');
}

static void print_cpu_places(const struct out *o)
{
	const struct features *f = o->f;

	if (!f->cpu_places.count) {
		writer_printf(o->w, "# Core ID%s and Socket ID information is not available\n",
			      f->has_dies ? ", Die ID" : "");
		return;
	}
	for (size_t i = 0; i < f->cpu_places.count; i++) {
		const struct cpu_place *place = &f->cpu_places.at[i];

		writer_printf(o->w, "# CPU %zu: Core ID %" PRId32, i, place->core);
		if (f->has_dies)
			writer_printf(o->w, ", Die ID %" PRId32, place->die);
		writer_printf(o->w, ", Socket ID %" PRId32 "\n", place->socket);
	}
}

static void print_cpu_topology(const struct out *o)
{
	for (size_t i = 0; i < o->f->core_siblings.count; i++)
		line(o, "sibling sockets", o->f->core_siblings.at[i]);
	for (size_t i = 0; i < o->f->die_siblings.count; i++)
		line(o, "sibling dies   ", o->f->die_siblings.at[i]);
	for (size_t i = 0; i < o->f->thread_siblings.count; i++)
		line(o, "sibling threads", o->f->thread_siblings.at[i]);
	print_cpu_places(o);
}

static void print_numa_topology(const struct out *o)
{
	for (size_t i = 0; i < o->f->numa_nodes.count; i++) {
		const struct numa_node *node = &o->f->numa_nodes.at[i];

		writer_printf(o->w,
			      "# node%" PRIu32 " meminfo  : total = %" PRIu64 " kB, free = %" PRIu64 " kB\n",
			      node->node, node->total_kb, node->free_kb);
		writer_printf(o->w, "# node%" PRIu32 " cpu list : %s\n", node->node, node->cpus);
	}
}

static void print_branch_stack(const struct out *o)
{
	writer_text(o->w, "# contains samples with branch stack\n");
}

static void print_pmu_mappings(const struct out *o)
{
	if (!o->f->pmu_mappings.count) {
		writer_text(o->w, "# pmu mappings: not available\n");
		return;
	}
	for (size_t i = 0; i < o->f->pmu_mappings.count; i++)
		writer_printf(o->w, "%s%s = %" PRIu32,
			      i ? ", " : "# pmu mappings: ", o->f->pmu_mappings.at[i].name,
			      o->f->pmu_mappings.at[i].type);
	writer_char(o->w, '\n');
}

static void print_group_desc(const struct out *o)
{
	for (size_t i = 0; i < o->f->groups.count; i++) {
		const struct group_desc *group = &o->f->groups.at[i];
		bool named = group->name && strcmp(group->name, "{anon_group}");

		writer_printf(o->w, "# group: %s{", named ? group->name : "");
		for (uint64_t k = 0; k < group->nr_members && group->leader + k < o->evlist->events.count;
		     k++)
			writer_printf(o->w, "%s%s", k ? "," : "",
				      o->evlist->events.at[group->leader + k]->name);
		writer_text(o->w, "}\n");
	}
}

static void print_auxtrace(const struct out *o)
{
	writer_text(o->w, "# contains AUX area data (e.g. instruction trace)\n");
}

static void print_stat(const struct out *o)
{
	writer_text(o->w, "# contains stat data\n");
}

static void print_cache(const struct out *o)
{
	writer_text(o->w, "# CPU cache info:\n");
	for (size_t i = 0; i < o->f->caches.count; i++) {
		const struct cpu_cache *cache = &o->f->caches.at[i];

		writer_printf(o->w, "#  L%" PRIu32 " %-15s %8s [%s]\n", cache->level, cache->type,
			      cache->size, cache->map);
	}
}

static void print_time(const struct out *o, const char *what, uint64_t ns)
{
	writer_printf(o->w, "# %s : %" PRIu64 ".%06" PRIu64 "\n", what, ns / 1000000000, ns / 1000 % 1000000);
}

static void print_sample_time(const struct out *o)
{
	uint64_t first = o->f->first_sample_time, last = o->f->last_sample_time;

	print_time(o, "time of first sample", first);
	print_time(o, "time of last sample", last);
	writer_printf(o->w, "# sample duration : %10.3f ms\n", (double)(last - first) / 1e6);
}

static bool node_bit(const struct memory_node *node, uint64_t n)
{
	return n < node->nr_bits && n / 64 < node->bitmap.count && has_bit(node->bitmap.at, n);
}

/* What the recorded bits stand for: the section's own size counts the holes between them too. */
static uint64_t node_blocks(const struct memory_node *node)
{
	uint64_t blocks = 0;

	for (size_t i = 0; i < node->bitmap.count; i++)
		blocks += (uint64_t)__builtin_popcountll(node->bitmap.at[i]);
	return blocks;
}

/* "0-23,32" */
static void print_node_blocks(struct writer *w, const struct memory_node *node)
{
	uint64_t end = node->nr_bits < 64 * (uint64_t)node->bitmap.count ? node->nr_bits
									 : 64 * (uint64_t)node->bitmap.count;
	const char *between = "";

	for (uint64_t n = 0; n < end; n++) {
		if (!node_bit(node, n))
			continue;
		uint64_t first = n;

		while (node_bit(node, n + 1))
			n++;
		writer_printf(w, "%s%" PRIu64, between, first);
		if (n > first)
			writer_printf(w, "-%" PRIu64, n);
		between = ",";
	}
}

/* perf keeps the unit until the number would be 1: 1 GiB is 1024M. */
static void print_bytes(struct writer *w, uint64_t bytes)
{
	unsigned unit = 0;

	for (; bytes / 1024 > 1 && unit < 3; unit++)
		bytes /= 1024;
	writer_printf(w, "%" PRIu64 "%c", bytes, "BKMG"[unit]);
}

static void print_mem_topology(const struct out *o)
{
	const struct features *f = o->f;

	writer_printf(o->w, "# memory nodes (nr %zu, block size 0x%" PRIx64 "):\n", f->memory_nodes.count,
		      f->memory_block_size);
	for (size_t i = 0; i < f->memory_nodes.count; i++) {
		const struct memory_node *node = &f->memory_nodes.at[i];

		writer_printf(o->w, "#  %3" PRIu64 " [", node->node);
		print_bytes(o->w, node_blocks(node) * f->memory_block_size);
		writer_text(o->w, "]: ");
		print_node_blocks(o->w, node);
		writer_char(o->w, '\n');
	}
}

/* The resolution in ns times 1000, whatever that has to do with MHz. */
static void print_clockid(const struct out *o)
{
	writer_printf(o->w, "# clockid frequency: %" PRIu64 " MHz\n", o->f->clockid_res_ns * 1000);
}

static void print_dir_format(const struct out *o)
{
	writer_printf(o->w, "# directory data version : %" PRIu64 "\n", o->f->dir_version);
}

/* " NAME addr 0x.. size N" */
static void print_bpf_function(const struct out *o, const struct bpf_prog *prog)
{
	writer_printf(o->w, " %s addr 0x%" PRIx64 " size %" PRIu32, prog->name, prog->addr, prog->size);
}

static void print_bpf_prog(const struct out *o, const struct bpf_prog *progs, size_t nr_functions)
{
	writer_printf(o->w, "# bpf_prog_info %" PRIu32 ":", progs->id);
	for (size_t i = 0; i < nr_functions; i++) {
		if (nr_functions > 1)
			writer_printf(o->w, "\n# \tsub_prog %zu:", i);
		if (*progs[i].name)
			print_bpf_function(o, &progs[i]);
	}
	writer_char(o->w, '\n');
}

static void print_bpf_prog_info(const struct out *o)
{
	const struct bpf_prog *progs = o->f->bpf_progs.at;
	size_t nr_functions;

	if (!o->f->bpf_progs.count)
		writer_text(o->w, "# bpf_prog_info empty\n");
	for (size_t i = 0; i < o->f->bpf_progs.count; i += nr_functions) {
		for (nr_functions = 1; i + nr_functions < o->f->bpf_progs.count; nr_functions++)
			if (progs[i + nr_functions].id != progs[i].id)
				break;
		print_bpf_prog(o, &progs[i], nr_functions);
	}
}

static void print_bpf_btf(const struct out *o)
{
	if (!o->f->bpf_btf_ids.count)
		writer_text(o->w, "# btf info empty\n");
	for (size_t i = 0; i < o->f->bpf_btf_ids.count; i++)
		writer_printf(o->w, "# btf info of id %" PRIu32 "\n", o->f->bpf_btf_ids.at[i]);
}

static void print_compressed(const struct out *o)
{
	writer_printf(o->w, "# compressed : %s, level = %" PRIu32 ", ratio = %" PRIu32 "\n",
		      o->f->compressed.type == 1 ? "Zstd" : "Unknown", o->f->compressed.level,
		      o->f->compressed.ratio);
}

static void print_caps(const struct out *o, const char *pmu, const struct name_value *caps, size_t count)
{
	writer_printf(o->w, "# %s pmu capabilities: ", pmu);
	for (size_t i = 0; i < count; i++)
		writer_printf(o->w, "%s%s=%s", i ? ", " : "", caps[i].name, caps[i].value);
	writer_text(o->w, count ? "\n" : "not available\n");
}

static void print_cpu_pmu_caps(const struct out *o)
{
	print_caps(o, "cpu", o->f->cpu_pmu_caps.at, o->f->cpu_pmu_caps.count);
}

/* On AMD's processors precise events are counted by the ibs_op PMU: the cpu PMU has none. */
static bool is_precise_by_ibs(const struct features *f)
{
	bool has_ibs = false;

	for (size_t i = 0; i < f->pmu_mappings.count; i++)
		has_ibs |= !strcmp(f->pmu_mappings.at[i].name, "ibs_op");
	for (size_t i = 0; has_ibs && i < f->cpu_pmu_caps.count; i++)
		if (!strcmp(f->cpu_pmu_caps.at[i].name, "max_precise"))
			return atoi(f->cpu_pmu_caps.at[i].value) == 0;
	return false;
}

static void print_pmu_caps(const struct out *o)
{
	for (size_t i = 0; i < o->f->pmu_caps.count; i++) {
		const struct pmu_caps *pmu = &o->f->pmu_caps.at[i];

		print_caps(o, pmu->pmu, pmu->caps.at, pmu->caps.count);
	}
	if (is_precise_by_ibs(o->f))
		writer_text(o->w, "# AMD systems uses ibs_op// PMU for some precise events, e.g.: cycles:p, "
				  "see the 'perf list' man page for further details.\n");
}

static const char *clock_name(uint32_t clockid)
{
	switch (clockid) {
	case 0:
		return "realtime";
	case 1:
		return "monotonic";
	case 2:
		return "process_cputime_id";
	case 3:
		return "thread_cputime_id";
	case 4:
		return "monotonic_raw";
	case 7:
		return "boottime";
	case 11:
		return "tai";
	default:
		return "(not found)";
	}
}

static void print_clock_data(const struct out *o)
{
	const char *name = clock_name(o->f->clock_data.clockid);
	uint64_t wall = o->f->clock_data.wall_ns, clock = o->f->clock_data.clock_ns;
	time_t seconds = (time_t)(wall / 1000000000);
	unsigned micros = (unsigned)(wall / 1000 % 1000000);
	char date[64] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm);
	writer_printf(o->w, "# clockid: %s (%" PRIu32 ")\n", name, o->f->clock_data.clockid);
	writer_printf(o->w,
		      "# reference time: %s.%06u = %" PRIu64 ".%06u (TOD) = %" PRIu64 ".%09" PRIu64 " (%s)\n",
		      date, micros, wall / 1000000000, micros, clock / 1000000000, clock % 1000000000, name);
}

static void print_hybrid_topology(const struct out *o)
{
	writer_text(o->w, "# hybrid cpu system:\n");
	for (size_t i = 0; i < o->f->hybrid_pmus.count; i++)
		writer_printf(o->w, "# %s cpu list : %s\n", o->f->hybrid_pmus.at[i].pmu,
			      o->f->hybrid_pmus.at[i].cpus);
}

/* Schedstat version 17 gave the domains names. */
static void print_cpu_domain(const struct out *o, const struct cpu_domain *domain)
{
	writer_printf(o->w, "# Domain\t\t: %" PRIu32 "\n", domain->domain);
	if (o->f->schedstat_version >= 17 && domain->name)
		writer_printf(o->w, "# Domain name\t: %s\n", domain->name);
	writer_printf(o->w, "# Domain cpu map\t: %s\n", domain->cpumask);
	writer_printf(o->w, "# Domain cpu list\t: %s\n", domain->cpulist);
}

static void print_cpu_domain_info(const struct out *o)
{
	writer_printf(o->w, "# schedstat version\t: %" PRIu32 "\n", o->f->schedstat_version);
	writer_printf(o->w, "# Maximum sched domains\t: %" PRIu32 "\n", o->f->max_sched_domains);
	for (size_t i = 0; i < o->f->cpu_domains.count; i++) {
		const struct cpu_domains *cpu = &o->f->cpu_domains.at[i];

		writer_printf(o->w, "# cpu\t\t: %" PRIu32 "\n# nr_domains\t: %zu\n", cpu->cpu,
			      cpu->domains.count);
		for (size_t k = 0; k < cpu->domains.count; k++)
			print_cpu_domain(o, &cpu->domains.at[k]);
	}
}

static void print_e_machine(const struct out *o)
{
	writer_printf(o->w, "# e_machine : %" PRIu32 "\n#   e_flags : %" PRIu32 "\n", o->f->e_machine,
		      o->f->e_flags);
}

static void print_cln_size(const struct out *o)
{
	writer_printf(o->w, "# cacheline size: %" PRIu32 "\n", o->f->cacheline_size);
}

static const struct {
	const char *name;
	void (*print)(const struct out *o); /* NULL: nothing to print */
	bool only_full;
} known[FEATURE_KNOWN_END] = {
	[FEATURE_TRACING_DATA] = { "TRACING_DATA", NULL, false },
	[FEATURE_BUILD_ID] = { "BUILD_ID", NULL, false },
	[FEATURE_HOSTNAME] = { "HOSTNAME", print_hostname, false },
	[FEATURE_OSRELEASE] = { "OSRELEASE", print_osrelease, false },
	[FEATURE_VERSION] = { "VERSION", print_version, false },
	[FEATURE_ARCH] = { "ARCH", print_arch, false },
	[FEATURE_NRCPUS] = { "NRCPUS", print_nrcpus, false },
	[FEATURE_CPUDESC] = { "CPUDESC", print_cpudesc, false },
	[FEATURE_CPUID] = { "CPUID", print_cpuid, false },
	[FEATURE_TOTAL_MEM] = { "TOTAL_MEM", print_total_mem, false },
	[FEATURE_CMDLINE] = { "CMDLINE", print_cmdline, false },
	[FEATURE_EVENT_DESC] = { "EVENT_DESC", print_event_desc, false },
	[FEATURE_CPU_TOPOLOGY] = { "CPU_TOPOLOGY", print_cpu_topology, true },
	[FEATURE_NUMA_TOPOLOGY] = { "NUMA_TOPOLOGY", print_numa_topology, true },
	[FEATURE_BRANCH_STACK] = { "BRANCH_STACK", print_branch_stack, false },
	[FEATURE_PMU_MAPPINGS] = { "PMU_MAPPINGS", print_pmu_mappings, false },
	[FEATURE_GROUP_DESC] = { "GROUP_DESC", print_group_desc, false },
	[FEATURE_AUXTRACE] = { "AUXTRACE", print_auxtrace, false },
	[FEATURE_STAT] = { "STAT", print_stat, false },
	[FEATURE_CACHE] = { "CACHE", print_cache, true },
	[FEATURE_SAMPLE_TIME] = { "SAMPLE_TIME", print_sample_time, false },
	[FEATURE_MEM_TOPOLOGY] = { "MEM_TOPOLOGY", print_mem_topology, true },
	[FEATURE_CLOCKID] = { "CLOCKID", print_clockid, false },
	[FEATURE_DIR_FORMAT] = { "DIR_FORMAT", print_dir_format, false },
	[FEATURE_BPF_PROG_INFO] = { "BPF_PROG_INFO", print_bpf_prog_info, false },
	[FEATURE_BPF_BTF] = { "BPF_BTF", print_bpf_btf, false },
	[FEATURE_COMPRESSED] = { "COMPRESSED", print_compressed, false },
	[FEATURE_CPU_PMU_CAPS] = { "CPU_PMU_CAPS", print_cpu_pmu_caps, false },
	[FEATURE_CLOCK_DATA] = { "CLOCK_DATA", print_clock_data, false },
	[FEATURE_HYBRID_TOPOLOGY] = { "HYBRID_TOPOLOGY", print_hybrid_topology, true },
	[FEATURE_PMU_CAPS] = { "PMU_CAPS", print_pmu_caps, false },
	[FEATURE_CPU_DOMAIN_INFO] = { "CPU_DOMAIN_INFO", print_cpu_domain_info, true },
	[FEATURE_E_MACHINE] = { "E_MACHINE", print_e_machine, false },
	[FEATURE_CLN_SIZE] = { "CLN_SIZE", print_cln_size, false },
};

void script_header_feature(struct writer *w, const struct features *features, const struct evlist *evlist,
			   unsigned feature, bool full)
{
	const struct out o = { .w = w, .f = features, .evlist = evlist };

	if (feature >= FEATURE_KNOWN_END || !known[feature].print)
		return;
	if (known[feature].only_full && !full) {
		writer_printf(w, "# %s info available, use -I to display\n", known[feature].name);
		return;
	}
	/* perf has a line of its own for event descriptions that it cannot read. */
	if (!has_bit(features->decoded, feature) && feature != FEATURE_EVENT_DESC)
		return;
	known[feature].print(&o);
}

void script_header_arrived(struct writer *w, const struct features *features, const struct evlist *evlist,
			   unsigned feature, bool full)
{
	if (feature < FEATURE_KNOWN_END && has_bit(features->decoded, feature))
		script_header_feature(w, features, evlist, feature, full);
}

static void print_file_header(struct writer *w, const struct script_header *about)
{
	const struct header *header = about->header;
	struct tm tm;
	char date[64] = "";

	if (localtime_r(&about->mtime, &tm))
		strftime(date, sizeof(date), "%a %b %e %H:%M:%S %Y", &tm);
	writer_printf(w, "# captured on    : %s\n", date);
	writer_printf(w, "# header version : %d\n", header->version - 1);
	/* As the file says, also when it was cut or not finished. */
	uint64_t offset = header->pipe ? 0 : header->data.offset;
	uint64_t size = header->pipe || header->unfinished ? 0 : header->data.size + header->cut;
	writer_printf(w, "# data offset    : %" PRIu64 "\n", offset);
	writer_printf(w, "# data size      : %" PRIu64 "\n", size);
	writer_printf(w, "# feat offset    : %" PRIu64 "\n", offset + size);
}

static void print_missing(struct writer *w, const struct header *header)
{
	writer_text(w, "# missing features: ");
	for (unsigned n = FEATURE_TRACING_DATA; n < FEATURE_KNOWN_END; n++)
		if (!has_bit(header->features, n))
			writer_printf(w, "%s ", known[n].name);
	writer_char(w, '\n');
}

void script_header_write(struct writer *w, const struct script_header *about, bool full)
{
	const struct header *header = about->header;

	writer_text(w, "# ========\n");
	print_file_header(w, about);
	if (!header->pipe) {
		for (unsigned n = FEATURE_TRACING_DATA; n < FEATURE_KNOWN_END; n++)
			if (has_bit(header->features, n))
				script_header_feature(w, about->features, about->evlist, n, full);
		print_missing(w, header);
	}
	writer_text(w, "# ========\n#\n");
}
