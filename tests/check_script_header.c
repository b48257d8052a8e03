#include "output/script_header.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check_run.h"

#define CLEANUP_FEATURES __attribute__((cleanup(free_vectors)))

static void free_vectors(struct features *f)
{
	vec_free(&f->cmdline);
	vec_free(&f->event_descs);
	vec_free(&f->core_siblings);
	vec_free(&f->die_siblings);
	vec_free(&f->thread_siblings);
	vec_free(&f->cpu_places);
	vec_free(&f->numa_nodes);
	vec_free(&f->pmu_mappings);
	vec_free(&f->groups);
	vec_free(&f->caches);
	for (size_t i = 0; i < f->memory_nodes.count; i++)
		vec_free(&f->memory_nodes.at[i].bitmap);
	vec_free(&f->memory_nodes);
	vec_free(&f->bpf_progs);
	vec_free(&f->bpf_btf_ids);
	vec_free(&f->cpu_pmu_caps);
	for (size_t i = 0; i < f->pmu_caps.count; i++)
		vec_free(&f->pmu_caps.at[i].caps);
	vec_free(&f->pmu_caps);
	vec_free(&f->hybrid_pmus);
	for (size_t i = 0; i < f->cpu_domains.count; i++)
		vec_free(&f->cpu_domains.at[i].domains);
	vec_free(&f->cpu_domains);
}

static void set_bit(uint64_t *bits, unsigned n)
{
	bits[n / 64] |= UINT64_C(1) << (n % 64);
}

/* What a writer got, from its start; lent until the next call. */
static const char *text_of(int fd)
{
	static char text[8192];
	ssize_t size = pread(fd, text, sizeof(text) - 1, 0);

	ck_assert_int_ge(size, 0);
	text[size] = '\0';
	close(fd);
	return text;
}

static const char *feature_text(struct features *f, const struct evlist *evlist, unsigned feature, bool full)
{
	int fd = memfd_create("text", 0);
	struct writer *w = writer_new(fd, "text");

	set_bit(f->present, feature);
	set_bit(f->decoded, feature);
	script_header_feature(w, f, evlist, feature, full);
	ck_assert_ptr_null(writer_close(w));
	return text_of(fd);
}

static const char *header_text(const struct script_header *about, bool full)
{
	int fd = memfd_create("text", 0);
	struct writer *w = writer_new(fd, "text");

	script_header_write(w, about, full);
	ck_assert_ptr_null(writer_close(w));
	return text_of(fd);
}

static const char *event_line(struct features *f, const struct event_desc *desc)
{
	vec_clear(&f->event_descs);
	vec_push(&f->event_descs, *desc);
	return feature_text(f, NULL, FEATURE_EVENT_DESC, false);
}

START_TEST(a_file_lists_its_features_and_what_is_missing)
{
	CLEANUP_FEATURES struct features f = {
		.hostname = "vm", .arch = "x86_64", .nr_cpus_avail = 4, .nr_cpus_online = 2
	};
	struct header header = { .version = 2, .data = { 424, 1000 }, .feature_offset = 1424 };
	const unsigned present[] = { FEATURE_BUILD_ID, FEATURE_HOSTNAME, FEATURE_ARCH, FEATURE_NRCPUS,
				     FEATURE_CPU_TOPOLOGY };

	for (size_t i = 0; i < sizeof(present) / sizeof(present[0]); i++) {
		set_bit(header.features, present[i]);
		set_bit(f.decoded, present[i]);
	}
	setenv("TZ", "UTC", 1);
	const struct script_header about = { .header = &header, .features = &f, .mtime = 1600000000 };

	ck_assert_str_eq(header_text(&about, false), "# ========\n"
						     "# captured on    : Sun Sep 13 12:26:40 2020\n"
						     "# header version : 1\n"
						     "# data offset    : 424\n"
						     "# data size      : 1000\n"
						     "# feat offset    : 1424\n"
						     "# hostname : vm\n"
						     "# arch : x86_64\n"
						     "# nrcpus online : 2\n"
						     "# nrcpus avail : 4\n"
						     "# CPU_TOPOLOGY info available, use -I to display\n"
						     "# missing features: TRACING_DATA OSRELEASE VERSION "
						     "CPUDESC CPUID TOTAL_MEM CMDLINE EVENT_DESC "
						     "NUMA_TOPOLOGY BRANCH_STACK PMU_MAPPINGS GROUP_DESC "
						     "AUXTRACE STAT CACHE SAMPLE_TIME MEM_TOPOLOGY "
						     "CLOCKID DIR_FORMAT BPF_PROG_INFO BPF_BTF COMPRESSED "
						     "CPU_PMU_CAPS CLOCK_DATA HYBRID_TOPOLOGY PMU_CAPS "
						     "CPU_DOMAIN_INFO E_MACHINE CLN_SIZE \n"
						     "# ========\n"
						     "#\n");
}
END_TEST

START_TEST(the_size_of_data_is_what_the_file_says)
{
	CLEANUP_FEATURES struct features f = { 0 };
	struct header header = { .version = 2, .data = { 424, 1000 }, .cut = 24 };
	const struct script_header about = { .header = &header, .features = &f };

	ck_assert_ptr_nonnull(
		strstr(header_text(&about, false), "size      : 1024\n# feat offset    : 1448\n"));
	header = (struct header){ .version = 2, .data = { 424, 1000 }, .unfinished = true };
	ck_assert_ptr_nonnull(strstr(header_text(&about, false), "size      : 0\n# feat offset    : 424\n"));
}
END_TEST

START_TEST(a_stream_has_zeros_and_no_features)
{
	CLEANUP_FEATURES struct features f = { .hostname = "vm" };
	struct header header = { .pipe = true, .version = 2, .data = { 16, 5 }, .feature_offset = 7 };

	set_bit(f.decoded, FEATURE_HOSTNAME);
	setenv("TZ", "UTC", 1);
	ck_assert_str_eq(
		header_text(&(struct script_header){ .header = &header, .features = &f, .mtime = 1600000000 },
			    true),
		"# ========\n"
		"# captured on    : Sun Sep 13 12:26:40 2020\n"
		"# header version : 1\n"
		"# data offset    : 0\n"
		"# data size      : 0\n"
		"# feat offset    : 0\n"
		"# ========\n"
		"#\n");
}
END_TEST

START_TEST(an_event_is_all_its_fields_by_name)
{
	CLEANUP_FEATURES struct features f = { .hostname = NULL };
	const uint64_t ids[] = { 6, 7 };
	struct event_desc desc = { .name = "cycles", .ids = ids, .nr_ids = 2 };

	desc.attr = (struct attr){ .size = 128,
				   .sample_period = 99,
				   .sample_type = 0x111af,
				   .read_format = 0x14,
				   .flags = 0x158403,
				   .sample_regs_user = 0x40000000 };
	ck_assert_str_eq(
		event_line(&f, &desc),
		"# event : name = cycles, , id = { 6, 7 }, type = 0 (PERF_TYPE_HARDWARE), size = 128, "
		"config = 0 (PERF_COUNT_HW_CPU_CYCLES), { sample_period, sample_freq } = 99, "
		"sample_type = IP|TID|TIME|ADDR|CALLCHAIN|CPU|PERIOD|REGS_USER|IDENTIFIER, read_format = "
		"ID|LOST, "
		"disabled = 1, inherit = 1, freq = 1, precise_ip = 3, sample_id_all = 1, exclude_guest = 1, "
		"sample_regs_user = 0x40000000\n");
}
END_TEST

START_TEST(rare_fields_of_an_event_come_in_perfs_order)
{
	CLEANUP_FEATURES struct features f = { .hostname = NULL };
	struct event_desc desc = { .name = "mem" };

	desc.attr = (struct attr){ .type = ATTR_BREAKPOINT,
				   .size = 144,
				   .wakeup_events = 1,
				   .bp_type = 3,
				   .bp_addr = 0x1000,
				   .bp_len = 4,
				   .branch_sample_type = 0x9,
				   .sample_stack_user = 8192,
				   .clockid = 1,
				   .sample_regs_intr = 0xff,
				   .aux_watermark = 2,
				   .sample_max_stack = 127,
				   .aux_sample_size = 4096,
				   .sig_data = 5,
				   .aux_action = 6 };
	ck_assert_str_eq(
		event_line(&f, &desc),
		"# event : name = mem, , type = 5 (PERF_TYPE_BREAKPOINT), size = 144, config = 0, "
		"{ wakeup_events, wakeup_watermark } = 1, bp_type = 3, { bp_addr, config1 } = 0x1000, "
		"{ bp_len, config2 } = 0x4, branch_sample_type = USER|ANY, sample_stack_user = 8192, clockid "
		"= 1, "
		"sample_regs_intr = 0xff, aux_watermark = 2, sample_max_stack = 127, aux_sample_size = 4096, "
		"sig_data = 5, aux_pause = 1, aux_resume = 1\n");
}
END_TEST

static void expect_kind(struct features *f, uint32_t type, uint64_t config, const char *name,
			const char *expected)
{
	struct event_desc desc = { .name = name, .attr = { .type = type, .size = 64, .config = config } };
	char line[512];

	snprintf(line, sizeof(line), "# event : name = %s, , %s\n", name, expected);
	ck_assert_str_eq(event_line(f, &desc), line);
}

START_TEST(types_and_configs_are_named_by_the_recording_not_by_this_machine)
{
	CLEANUP_FEATURES struct features f = { .hostname = NULL };
	const struct pmu_mapping pmus[] = {
		{ 4, "cpu_core" }, { 7, "cpu_atom" }, { 8, "cs_etm" }, { 1, "software" }
	};

	expect_kind(&f, 4, 0x1b1, "raw", "type = 4 (PERF_TYPE_RAW), size = 64, config = 0x1b1");
	for (size_t i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++)
		vec_push(&f.pmu_mappings, pmus[i]);
	expect_kind(&f, 4, 0x1b1, "raw", "type = 4 (cpu_core), size = 64, config = 0x1b1");
	expect_kind(&f, 8, 1, "etm", "type = 8 (cs_etm), size = 64, config = 0x1");
	expect_kind(&f, 99, 1, "x", "type = 99, size = 64, config = 0x1");
	expect_kind(&f, 0, 0x700000000, "c",
		    "type = 0 (PERF_TYPE_HARDWARE), size = 64, config = 0x700000000 "
		    "(cpu_atom/PERF_COUNT_HW_CPU_CYCLES/)");
	expect_kind(&f, 0, 0x500000001, "c",
		    "type = 0 (PERF_TYPE_HARDWARE), size = 64, config = 0x500000001 "
		    "(PERF_COUNT_HW_INSTRUCTIONS)");
	expect_kind(&f, 0, 10, "c", "type = 0 (PERF_TYPE_HARDWARE), size = 64, config = 0xa");
	expect_kind(&f, 1, 9, "d",
		    "type = 1 (PERF_TYPE_SOFTWARE), size = 64, config = 0x9 (PERF_COUNT_SW_DUMMY)");
	expect_kind(&f, 1, 12, "d", "type = 1 (PERF_TYPE_SOFTWARE), size = 64, config = 0xc");
	expect_kind(&f, 2, 372, "sched:sched_switch",
		    "type = 2 (PERF_TYPE_TRACEPOINT), size = 64, config = 0x174 (sched:sched_switch)");
	expect_kind(&f, 3, 0x10000, "l",
		    "type = 3 (PERF_TYPE_HW_CACHE), size = 64, config = 0x10000 "
		    "(PERF_COUNT_HW_CACHE_RESULT_MISS | "
		    "PERF_COUNT_HW_CACHE_OP_READ | PERF_COUNT_HW_CACHE_L1D)");
	expect_kind(&f, 3, 0x20000, "l", "type = 3 (PERF_TYPE_HW_CACHE), size = 64, config = 0x20000");
}
END_TEST

START_TEST(the_last_feature_of_a_stream_is_none)
{
	CLEANUP_FEATURES struct features f = { .hostname = NULL };
	int fd = memfd_create("text", 0);
	struct writer *w = writer_new(fd, "text");

	for (unsigned n = 0; n < FEATURE_BITS + 10; n++)
		script_header_arrived(w, &f, NULL, n, false);
	set_bit(f.decoded, FEATURE_BRANCH_STACK);
	script_header_arrived(w, &f, NULL, FEATURE_BRANCH_STACK, false);
	ck_assert_ptr_null(writer_close(w));
	ck_assert_str_eq(text_of(fd), "# contains samples with branch stack\n");
}
END_TEST

START_TEST(an_unreadable_feature_prints_nothing_but_for_events)
{
	CLEANUP_FEATURES struct features f = { .hostname = "half" };
	int fd = memfd_create("text", 0);
	struct writer *w = writer_new(fd, "text");

	for (unsigned n = 0; n < FEATURE_BITS + 10; n++)
		script_header_feature(w, &f, NULL, n, true);
	ck_assert_ptr_null(writer_close(w));
	ck_assert_str_eq(text_of(fd), "# event desc: not available or unable to read\n");
}
END_TEST

START_TEST(simple_features_are_a_line_each)
{
	CLEANUP_FEATURES struct features f = {
		.osrelease = "6.1", .version = "7.2", .cpudesc = "AMD EPYC", .cpuid = "A,25"
	};

	f.total_mem_kb = 2029440;
	f.clockid_res_ns = 1;
	f.dir_version = 1;
	f.compressed.type = 1;
	f.compressed.level = 1;
	f.compressed.ratio = 7;
	f.e_machine = 62;
	f.cacheline_size = 64;
	f.first_sample_time = 101132490000;
	f.last_sample_time = 111132592999;
	vec_push(&f.cmdline, "perf");
	vec_push(&f.cmdline, "it's");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_OSRELEASE, false), "# os release : 6.1\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_VERSION, false), "# perf version : 7.2\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_CPUDESC, false), "# cpudesc : AMD EPYC\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_CPUID, false), "# cpuid : A,25\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_TOTAL_MEM, false), "# total memory : 2029440 kB\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_CMDLINE, false), "# cmdline : perf it\\'s \n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_BRANCH_STACK, false),
			 "# contains samples with branch stack\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_AUXTRACE, false),
			 "# contains AUX area data (e.g. instruction trace)\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_STAT, false), "# contains stat data\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_CLOCKID, false), "# clockid frequency: 1000 MHz\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_DIR_FORMAT, false), "# directory data version : 1\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_COMPRESSED, false),
			 "# compressed : Zstd, level = 1, ratio = 7\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_E_MACHINE, false),
			 "# e_machine : 62\n#   e_flags : 0\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_CLN_SIZE, false), "# cacheline size: 64\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_SAMPLE_TIME, false),
			 "# time of first sample : 101.132490\n"
			 "# time of last sample : 111.132592\n"
			 "# sample duration :  10000.103 ms\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_TRACING_DATA, true), "");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_BUILD_ID, true), "");
}
END_TEST

START_TEST(what_is_empty_says_so)
{
	CLEANUP_FEATURES struct features f = { .hostname = NULL };

	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_PMU_MAPPINGS, false),
			 "# pmu mappings: not available\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_BPF_PROG_INFO, false), "# bpf_prog_info empty\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_BPF_BTF, false), "# btf info empty\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_CPU_PMU_CAPS, false),
			 "# cpu pmu capabilities: not available\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_CPU_TOPOLOGY, true),
			 "# Core ID and Socket ID information is not available\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_CACHE, true), "# CPU cache info:\n");
}
END_TEST

START_TEST(the_machine_is_laid_out_when_asked_for_in_full)
{
	CLEANUP_FEATURES struct features f = { .has_dies = true, .memory_block_size = 0x8000000 };
	struct memory_node node = { .node = 0, .size_blocks = 200, .nr_bits = 200 };

	vec_push(&f.core_siblings, "0-1");
	vec_push(&f.die_siblings, "0-1");
	vec_push(&f.thread_siblings, "0");
	vec_push(&f.thread_siblings, "1");
	vec_push(&f.cpu_places, ((struct cpu_place){ 0, 0, 0 }));
	vec_push(&f.cpu_places, ((struct cpu_place){ .core = 1, .socket = 2, .die = 3 }));
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_CPU_TOPOLOGY, true),
			 "# sibling sockets : 0-1\n"
			 "# sibling dies    : 0-1\n"
			 "# sibling threads : 0\n"
			 "# sibling threads : 1\n"
			 "# CPU 0: Core ID 0, Die ID 0, Socket ID 0\n"
			 "# CPU 1: Core ID 1, Die ID 3, Socket ID 2\n");
	vec_push(&f.numa_nodes, ((struct numa_node){ 0, 10578136, 7900872, "0-1" }));
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_NUMA_TOPOLOGY, true),
			 "# node0 meminfo  : total = 10578136 kB, free = 7900872 kB\n"
			 "# node0 cpu list : 0-1\n");
	vec_push(&f.caches, ((struct cpu_cache){ .level = 1, .type = "Data", .size = "32K", .map = "0" }));
	vec_push(&f.caches,
		 ((struct cpu_cache){ .level = 3, .type = "Unified", .size = "32768K", .map = "0-1" }));
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_CACHE, true),
			 "# CPU cache info:\n"
			 "#  L1 Data                 32K [0]\n"
			 "#  L3 Unified           32768K [0-1]\n");
	vec_push(&node.bitmap, 0xffffffff00ffffff);
	vec_push(&node.bitmap, UINT64_MAX);
	vec_push(&node.bitmap, UINT64_MAX);
	vec_push(&node.bitmap, 0xff);
	vec_push(&f.memory_nodes, node);
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_MEM_TOPOLOGY, true),
			 "# memory nodes (nr 1, block size 0x8000000):\n"
			 "#    0 [24G]: 0-23,32-199\n");
	vec_push(&f.hybrid_pmus, ((struct hybrid_pmu){ "cpu_core", "0-3" }));
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_HYBRID_TOPOLOGY, true),
			 "# hybrid cpu system:\n# cpu_core cpu list : 0-3\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_HYBRID_TOPOLOGY, false),
			 "# HYBRID_TOPOLOGY info available, use -I to display\n");
}
END_TEST

START_TEST(scheduling_domains_have_names_since_schedstat_17)
{
	CLEANUP_FEATURES struct features f = { .schedstat_version = 17, .max_sched_domains = 2 };
	struct cpu_domains cpu = { .cpu = 3 };

	vec_push(&cpu.domains, ((struct cpu_domain){ 0, "SMT", "00000003", "0-1" }));
	vec_push(&f.cpu_domains, cpu);
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_CPU_DOMAIN_INFO, true),
			 "# schedstat version\t: 17\n"
			 "# Maximum sched domains\t: 2\n"
			 "# cpu\t\t: 3\n"
			 "# nr_domains\t: 1\n"
			 "# Domain\t\t: 0\n"
			 "# Domain name\t: SMT\n"
			 "# Domain cpu map\t: 00000003\n"
			 "# Domain cpu list\t: 0-1\n");
}
END_TEST

START_TEST(a_group_names_its_members_and_stays_inside_the_list)
{
	CLEANUP_FEATURES struct features f = { .hostname = NULL };
	struct event a = { .name = (char *)"cycles" }, b = { .name = (char *)"instructions" };
	struct evlist evlist = { .big_endian = false };

	vec_push(&evlist.events, &a);
	vec_push(&evlist.events, &b);
	vec_push(&f.groups, ((struct group_desc){ "{anon_group}", 0, 2 }));
	vec_push(&f.groups, ((struct group_desc){ "mine", 1, 1000 }));
	vec_push(&f.groups, ((struct group_desc){ "far", UINT32_MAX, UINT32_MAX }));
	ck_assert_str_eq(feature_text(&f, &evlist, FEATURE_GROUP_DESC, false),
			 "# group: {cycles,instructions}\n"
			 "# group: mine{instructions}\n"
			 "# group: far{}\n");
	vec_free(&evlist.events);
}
END_TEST

START_TEST(capabilities_are_listed_by_pmu)
{
	CLEANUP_FEATURES struct features f = { .hostname = NULL };
	struct pmu_caps arm = { .pmu = "armv8_pmuv3" };

	vec_push(&f.cpu_pmu_caps, ((struct name_value){ "branches", "32" }));
	vec_push(&f.cpu_pmu_caps, ((struct name_value){ "max_precise", "0" }));
	vec_push(&arm.caps, ((struct name_value){ "slots", "0x0" }));
	vec_push(&f.pmu_caps, arm);
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_CPU_PMU_CAPS, false),
			 "# cpu pmu capabilities: branches=32, max_precise=0\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_PMU_CAPS, false),
			 "# armv8_pmuv3 pmu capabilities: slots=0x0\n");
	vec_push(&f.pmu_mappings, ((struct pmu_mapping){ 11, "ibs_op" }));
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_PMU_CAPS, false),
			 "# armv8_pmuv3 pmu capabilities: slots=0x0\n"
			 "# AMD systems uses ibs_op// PMU for some precise events, e.g.: cycles:p, see the "
			 "'perf list' man page "
			 "for further details.\n");
}
END_TEST

START_TEST(the_clock_is_named_and_related_to_the_wall_clock)
{
	CLEANUP_FEATURES struct features f = { .hostname = NULL };

	setenv("TZ", "UTC", 1);
	f.clock_data.clockid = 1;
	f.clock_data.wall_ns = 1762604578422622999;
	f.clock_data.clock_ns = 3693142112758;
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_CLOCK_DATA, false),
			 "# clockid: monotonic (1)\n"
			 "# reference time: 2025-11-08 12:22:58.422622 = 1762604578.422622 (TOD) = "
			 "3693.142112758 (monotonic)\n");
}
END_TEST

START_TEST(bpf_programs_are_listed)
{
	CLEANUP_FEATURES struct features f = { .hostname = NULL };

	vec_push(&f.bpf_progs,
		 ((struct bpf_prog){ 28, "bpf_prog_ee0e253c78993a24", 0xffff8000816cdd24, 424, NULL }));
	vec_push(&f.bpf_progs, ((struct bpf_prog){ 29, "", 0, 0, NULL }));
	vec_push(&f.bpf_progs, ((struct bpf_prog){ 30, "bpf_prog_0101010101010101_F", 0x1000, 2, NULL }));
	vec_push(&f.bpf_progs, ((struct bpf_prog){ 30, "bpf_prog_0202020202020202_F", 0x1100, 3, NULL }));
	vec_push(&f.bpf_btf_ids, 2);
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_BPF_PROG_INFO, false),
			 "# bpf_prog_info 28: bpf_prog_ee0e253c78993a24 addr 0xffff8000816cdd24 size 424\n"
			 "# bpf_prog_info 29:\n"
			 "# bpf_prog_info 30:\n"
			 "# \tsub_prog 0: bpf_prog_0101010101010101_F addr 0x1000 size 2\n"
			 "# \tsub_prog 1: bpf_prog_0202020202020202_F addr 0x1100 size 3\n");
	ck_assert_str_eq(feature_text(&f, NULL, FEATURE_BPF_BTF, false), "# btf info of id 2\n");
}
END_TEST

CHECK_SUITE("script_header", a_file_lists_its_features_and_what_is_missing,
	    the_size_of_data_is_what_the_file_says, a_stream_has_zeros_and_no_features,
	    an_event_is_all_its_fields_by_name, rare_fields_of_an_event_come_in_perfs_order,
	    types_and_configs_are_named_by_the_recording_not_by_this_machine,
	    the_last_feature_of_a_stream_is_none, an_unreadable_feature_prints_nothing_but_for_events,
	    simple_features_are_a_line_each, what_is_empty_says_so,
	    the_machine_is_laid_out_when_asked_for_in_full, scheduling_domains_have_names_since_schedstat_17,
	    a_group_names_its_members_and_stays_inside_the_list, capabilities_are_listed_by_pmu,
	    the_clock_is_named_and_related_to_the_wall_clock, bpf_programs_are_listed)
