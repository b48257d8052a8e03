#include "events/features.h"

#include "tests/bytes.h"
#include "tests/check_run.h"

static struct bytes b;

static const char *add(struct features *f, unsigned feature)
{
	return features_add(f, feature, b.at, b.size, b.big_endian);
}

static void expect_good(struct features *f, unsigned feature)
{
	const char *reason = add(f, feature);

	ck_assert_msg(!reason, "feature %u: %s", feature, reason);
	ck_assert(features_has(f, feature));
	ck_assert(f->decoded[feature / 64] >> feature % 64 & 1);
}

static bool decoded(const struct features *f, unsigned feature)
{
	return f->decoded[feature / 64] >> feature % 64 & 1;
}

/* Every shorter section must be refused, but from @enough bytes on. */
static void expect_cuts_refused(unsigned feature, uint32_t nr_cpus, size_t enough)
{
	for (size_t size = 0; size < enough; size++) {
		struct features *f = features_new();
		uint8_t *part = xmemdup(b.at, size);
		f->nr_cpus_avail = f->nr_cpus_online = nr_cpus;
		ck_assert_msg(features_add(f, feature, part, size, b.big_endian), "feature %u of %zu bytes",
			      feature, size);
		ck_assert(features_has(f, feature));
		ck_assert(!decoded(f, feature));
		features_free(f);
		free(part);
	}
}

START_TEST(strings_end_at_their_first_nul)
{
	EACH_ORDER(big_endian)
	{
		struct features *f = features_new();
		bytes_start(&b, big_endian);
		put_string(&b, "aarch64");
		ck_assert(!features_has(f, FEATURE_ARCH));
		expect_good(f, FEATURE_ARCH);
		expect_good(f, FEATURE_HOSTNAME);
		expect_good(f, FEATURE_OSRELEASE);
		expect_good(f, FEATURE_VERSION);
		expect_good(f, FEATURE_CPUDESC);
		expect_good(f, FEATURE_CPUID);
		ck_assert_str_eq(f->arch, "aarch64");
		ck_assert_str_eq(f->hostname, "aarch64");
		ck_assert_str_eq(f->osrelease, "aarch64");
		ck_assert_str_eq(f->version, "aarch64");
		ck_assert_str_eq(f->cpudesc, "aarch64");
		ck_assert_str_eq(f->cpuid, "aarch64");
		expect_cuts_refused(FEATURE_ARCH, 0, 68);
		bytes_start(&b, big_endian);
		put_u32(&b, 3);
		put_bytes(&b, "arm", 3); /* none inside its length */
		expect_good(f, FEATURE_ARCH);
		ck_assert_str_eq(f->arch, "arm");
		features_free(f);
	}
}
END_TEST

START_TEST(numbers_are_read)
{
	EACH_ORDER(big_endian)
	{
		struct features *f = features_new();
		bytes_start(&b, big_endian);
		put_u32(&b, 8);
		put_u32(&b, 4);
		expect_good(f, FEATURE_NRCPUS);
		ck_assert_uint_eq(f->nr_cpus_avail, 8);
		ck_assert_uint_eq(f->nr_cpus_online, 4);
		expect_cuts_refused(FEATURE_NRCPUS, 0, 8);
		expect_good(f, FEATURE_E_MACHINE);
		ck_assert_uint_eq(f->e_machine, 8);
		ck_assert_uint_eq(f->e_flags, 4);
		expect_cuts_refused(FEATURE_E_MACHINE, 0, 8);
		expect_good(f, FEATURE_CLN_SIZE);
		ck_assert_uint_eq(f->cacheline_size, 8);
		expect_cuts_refused(FEATURE_CLN_SIZE, 0, 4);

		bytes_start(&b, big_endian);
		put_u64(&b, 0x100000002);
		put_u64(&b, 0x300000004);
		expect_good(f, FEATURE_TOTAL_MEM);
		expect_good(f, FEATURE_CLOCKID);
		expect_good(f, FEATURE_DIR_FORMAT);
		expect_good(f, FEATURE_SAMPLE_TIME);
		ck_assert_uint_eq(f->total_mem_kb, 0x100000002);
		ck_assert_uint_eq(f->clockid_res_ns, 0x100000002);
		ck_assert_uint_eq(f->dir_version, 0x100000002);
		ck_assert_uint_eq(f->first_sample_time, 0x100000002);
		ck_assert_uint_eq(f->last_sample_time, 0x300000004);
		expect_cuts_refused(FEATURE_TOTAL_MEM, 0, 8);
		expect_cuts_refused(FEATURE_CLOCKID, 0, 8);
		expect_cuts_refused(FEATURE_DIR_FORMAT, 0, 8);
		expect_cuts_refused(FEATURE_SAMPLE_TIME, 0, 16);
		features_free(f);
	}
}
END_TEST

START_TEST(processors_that_make_no_sense_are_refused)
{
	struct features *f = features_new();

	bytes_start(&b, false);
	put_u32(&b, 1);
	put_u32(&b, 2);
	ck_assert_ptr_nonnull(add(f, FEATURE_NRCPUS));
	bytes_start(&b, false);
	put_u32(&b, (1 << 20) + 1);
	put_u32(&b, 2);
	ck_assert_ptr_nonnull(add(f, FEATURE_NRCPUS));
	ck_assert_uint_eq(f->nr_cpus_avail, 0);
	ck_assert(features_has(f, FEATURE_NRCPUS));
	ck_assert(!decoded(f, FEATURE_NRCPUS));
	features_free(f);
}
END_TEST

START_TEST(the_command_line_is_a_list_and_a_bad_one_leaves_it)
{
	EACH_ORDER(big_endian)
	{
		struct features *f = features_new();
		bytes_start(&b, big_endian);
		put_u32(&b, 2);
		put_string(&b, "/usr/bin/perf");
		put_string(&b, "record");
		expect_good(f, FEATURE_CMDLINE);
		expect_good(f, FEATURE_CMDLINE);
		ck_assert_uint_eq(f->cmdline.count, 2);
		ck_assert_str_eq(f->cmdline.at[1], "record");
		expect_cuts_refused(FEATURE_CMDLINE, 0, b.size);
		bytes_start(&b, big_endian);
		put_u32(&b, 1u << 21);
		put_string(&b, "x");
		ck_assert_ptr_nonnull(add(f, FEATURE_CMDLINE));
		bytes_start(&b, big_endian);
		put_u32(&b, 2);
		put_string(&b, "x");
		ck_assert_ptr_nonnull(add(f, FEATURE_CMDLINE));
		ck_assert_uint_eq(f->cmdline.count, 2);
		ck_assert_str_eq(f->cmdline.at[0], "/usr/bin/perf");
		features_free(f);
	}
}
END_TEST

static void put_attr(uint32_t says, size_t room, uint64_t config)
{
	put_u32(&b, 4);
	put_u32(&b, says);
	put_u64(&b, config);
	put_zeros(&b, room - 16);
}

static void put_event_descs(bool big_endian, uint32_t says, size_t room)
{
	bytes_start(&b, big_endian);
	put_u32(&b, 2);
	put_u32(&b, (uint32_t)room);
	put_attr(says, room, 0xc0);
	put_u32(&b, 2);
	put_string(&b, "cycles:u");
	put_u64(&b, 11);
	put_u64(&b, 12);
	put_attr(says, room, 0xc1);
	put_u32(&b, 0);
	put_string(&b, "instructions:u");
}

START_TEST(event_descriptions_have_attr_name_and_ids)
{
	static const struct {
		uint32_t says;
		size_t room;
	} sizes[] = { { 136, 136 }, { 0, 64 }, { 96, 144 }, { 160, 160 } };

	EACH_ORDER(big_endian)
	{
		for (size_t i = 0; i < 4; i++) {
			struct features *f = features_new();
			put_event_descs(big_endian, sizes[i].says, sizes[i].room);
			expect_good(f, FEATURE_EVENT_DESC);
			ck_assert_uint_eq(f->event_descs.count, 2);
			const struct event_desc *desc = f->event_descs.at;
			ck_assert_str_eq(desc[0].name, "cycles:u");
			ck_assert_uint_eq(desc[0].attr.config, 0xc0);
			ck_assert_uint_eq(desc[0].attr.type, 4);
			ck_assert_uint_eq(desc[0].nr_ids, 2);
			ck_assert_uint_eq(desc[0].ids[1], 12);
			ck_assert_str_eq(desc[1].name, "instructions:u");
			ck_assert_uint_eq(desc[1].nr_ids, 0);
			features_free(f);
		}
		put_event_descs(big_endian, 136, 136);
		expect_cuts_refused(FEATURE_EVENT_DESC, 0, b.size);
	}
}
END_TEST

START_TEST(event_descriptions_with_a_bad_attr_are_refused)
{
	struct features *f = features_new();

	put_event_descs(false, 63, 136);
	ck_assert_ptr_nonnull(add(f, FEATURE_EVENT_DESC));
	put_event_descs(false, 144, 136);
	ck_assert_ptr_nonnull(add(f, FEATURE_EVENT_DESC));
	bytes_start(&b, false);
	put_u32(&b, UINT32_MAX);
	put_u32(&b, 0);
	put_zeros(&b, 100);
	ck_assert_ptr_nonnull(add(f, FEATURE_EVENT_DESC));
	ck_assert_uint_eq(f->event_descs.count, 0);
	features_free(f);
}
END_TEST

static void put_siblings(void)
{
	put_u32(&b, 1);
	put_string(&b, "0-1");
	put_u32(&b, 2);
	put_string(&b, "0");
	put_string(&b, "1");
}

START_TEST(cpu_topology_grew_twice)
{
	EACH_ORDER(big_endian)
	{
		struct features *f = features_new();
		f->nr_cpus_avail = 2;
		bytes_start(&b, big_endian);
		put_siblings();
		expect_good(f, FEATURE_CPU_TOPOLOGY);
		ck_assert_str_eq(f->core_siblings.at[0], "0-1");
		ck_assert_str_eq(f->thread_siblings.at[1], "1");
		ck_assert_uint_eq(f->cpu_places.count, 0);
		expect_cuts_refused(FEATURE_CPU_TOPOLOGY, 2, b.size);

		for (uint32_t cpu = 0; cpu < 2; cpu++) {
			put_u32(&b, 10 + cpu);
			put_u32(&b, 20 + cpu);
		}
		expect_good(f, FEATURE_CPU_TOPOLOGY);
		ck_assert_int_eq(f->cpu_places.at[1].core, 11);
		ck_assert_int_eq(f->cpu_places.at[1].socket, 21);
		ck_assert_int_eq(f->cpu_places.at[1].die, -1);
		ck_assert(!f->has_dies);

		size_t before_dies = b.size;
		put_u32(&b, 0); /* a pipe's padding */
		expect_good(f, FEATURE_CPU_TOPOLOGY);
		ck_assert(!f->has_dies);
		b.size = before_dies;
		put_u32(&b, 1);
		put_string(&b, "0-1");
		put_u32(&b, 30);
		put_u32(&b, 31);
		expect_good(f, FEATURE_CPU_TOPOLOGY);
		ck_assert(f->has_dies);
		ck_assert_int_eq(f->cpu_places.at[1].die, 31);
		ck_assert_str_eq(f->die_siblings.at[0], "0-1");
		b.size -= 4;
		ck_assert_ptr_nonnull(add(f, FEATURE_CPU_TOPOLOGY));
		ck_assert(f->has_dies);
		features_free(f);
	}
}
END_TEST

START_TEST(lists_of_records_are_read)
{
	EACH_ORDER(big_endian)
	{
		struct features *f = features_new();
		bytes_start(&b, big_endian);
		put_u32(&b, 1);
		put_u32(&b, 3);
		put_u64(&b, 1000);
		put_u64(&b, 500);
		put_string(&b, "0-3");
		expect_good(f, FEATURE_NUMA_TOPOLOGY);
		ck_assert_uint_eq(f->numa_nodes.at[0].node, 3);
		ck_assert_uint_eq(f->numa_nodes.at[0].total_kb, 1000);
		ck_assert_uint_eq(f->numa_nodes.at[0].free_kb, 500);
		ck_assert_str_eq(f->numa_nodes.at[0].cpus, "0-3");
		expect_cuts_refused(FEATURE_NUMA_TOPOLOGY, 0, b.size);

		bytes_start(&b, big_endian);
		put_u32(&b, 2);
		put_u32(&b, 4);
		put_string(&b, "cpu");
		put_u32(&b, 8);
		put_string(&b, "intel_pt");
		expect_good(f, FEATURE_PMU_MAPPINGS);
		ck_assert_uint_eq(f->pmu_mappings.at[1].type, 8);
		ck_assert_str_eq(f->pmu_mappings.at[1].name, "intel_pt");
		expect_cuts_refused(FEATURE_PMU_MAPPINGS, 0, b.size);

		bytes_start(&b, big_endian);
		put_u32(&b, 1);
		put_string(&b, "{anon_group}");
		put_u32(&b, 2);
		put_u32(&b, 3);
		expect_good(f, FEATURE_GROUP_DESC);
		ck_assert_str_eq(f->groups.at[0].name, "{anon_group}");
		ck_assert_uint_eq(f->groups.at[0].leader, 2);
		ck_assert_uint_eq(f->groups.at[0].nr_members, 3);
		expect_cuts_refused(FEATURE_GROUP_DESC, 0, b.size);

		bytes_start(&b, big_endian);
		put_u32(&b, 1);
		put_string(&b, "cpu_core");
		put_string(&b, "0-7");
		expect_good(f, FEATURE_HYBRID_TOPOLOGY);
		expect_good(f, FEATURE_CPU_PMU_CAPS);
		ck_assert_str_eq(f->hybrid_pmus.at[0].pmu, "cpu_core");
		ck_assert_str_eq(f->hybrid_pmus.at[0].cpus, "0-7");
		ck_assert_str_eq(f->cpu_pmu_caps.at[0].name, "cpu_core");
		ck_assert_str_eq(f->cpu_pmu_caps.at[0].value, "0-7");
		expect_cuts_refused(FEATURE_HYBRID_TOPOLOGY, 0, b.size);
		expect_cuts_refused(FEATURE_CPU_PMU_CAPS, 0, b.size);
		features_free(f);
	}
}
END_TEST

START_TEST(caches_have_a_version)
{
	EACH_ORDER(big_endian)
	{
		struct features *f = features_new();
		for (uint32_t version = 2; version > 0; version--) {
			bytes_start(&b, big_endian);
			put_u32(&b, version);
			put_u32(&b, 1);
			for (uint32_t i = 1; i <= 4; i++)
				put_u32(&b, i);
			put_string(&b, "Data");
			put_string(&b, "32K");
			put_string(&b, "0,4");
			ck_assert_int_eq(add(f, FEATURE_CACHE) == NULL, version == 1);
		}
		ck_assert_uint_eq(f->caches.at[0].level, 1);
		ck_assert_uint_eq(f->caches.at[0].line_size, 2);
		ck_assert_uint_eq(f->caches.at[0].sets, 3);
		ck_assert_uint_eq(f->caches.at[0].ways, 4);
		ck_assert_str_eq(f->caches.at[0].map, "0,4");
		expect_cuts_refused(FEATURE_CACHE, 0, b.size);
		features_free(f);
	}
}
END_TEST

START_TEST(memory_nodes_have_a_bitmap_each)
{
	EACH_ORDER(big_endian)
	{
		struct features *f = features_new();
		bytes_start(&b, big_endian);
		put_u64(&b, 1);
		put_u64(&b, 0x8000000);
		put_u64(&b, 2);
		for (uint64_t i = 0; i < 2; i++) {
			put_u64(&b, i);
			put_u64(&b, 65);
			put_u64(&b, 65);
			put_u64(&b, UINT64_MAX);
			put_u64(&b, 1);
		}
		expect_good(f, FEATURE_MEM_TOPOLOGY);
		expect_good(f, FEATURE_MEM_TOPOLOGY);
		ck_assert_uint_eq(f->memory_block_size, 0x8000000);
		ck_assert_uint_eq(f->memory_nodes.count, 2);
		ck_assert_uint_eq(f->memory_nodes.at[1].node, 1);
		ck_assert_uint_eq(f->memory_nodes.at[1].nr_bits, 65);
		ck_assert_uint_eq(f->memory_nodes.at[1].bitmap.count, 2);
		ck_assert_uint_eq(f->memory_nodes.at[1].bitmap.at[0], UINT64_MAX);
		expect_cuts_refused(FEATURE_MEM_TOPOLOGY, 0, b.size);
		bytes_start(&b, big_endian);
		put_u64(&b, 1);
		put_u64(&b, 1);
		put_u64(&b, 1);
		put_u64(&b, 0);
		put_u64(&b, 0);
		put_u64(&b, UINT64_MAX);
		put_u64(&b, 0);
		ck_assert_ptr_nonnull(add(f, FEATURE_MEM_TOPOLOGY));
		ck_assert_uint_eq(f->memory_nodes.count, 2);
		features_free(f);
	}
}
END_TEST

/*
 * struct bpf_prog_info of 192 bytes and its data: @nr functions at 0x1000, 0x1100 ... of 10, 11 ... bytes,
 * and @code_size bytes of code, "abc...".
 */
static void put_bpf_prog(uint32_t id, const char *name, uint32_t nr, uint32_t nr_lens, uint32_t code_size)
{
	size_t info = b.size + 16;

	put_u32(&b, 192);
	put_u32(&b, nr * 20 + code_size);
	put_u64(&b, 0x3f);
	put_u32(&b, 5);
	put_u32(&b, id);
	put_zeros(&b, 8);
	put_u32(&b, code_size);
	put_u32(&b, 0);
	put_u64(&b, nr * 20); /* jited_prog_insns */
	put_zeros(&b, 32);
	put_bytes(&b, name, strlen(name));
	put_zeros(&b, info + 104 - b.size);
	put_u32(&b, nr);
	put_u32(&b, nr_lens);
	put_u64(&b, 0);	     /* jited_ksyms */
	put_u64(&b, nr * 8); /* jited_func_lens */
	put_zeros(&b, info + 180 - b.size);
	put_u32(&b, nr);
	put_u64(&b, nr * 12); /* prog_tags */
	for (uint32_t i = 0; i < nr; i++)
		put_u64(&b, 0x1000 + 0x100 * i);
	for (uint32_t i = 0; i < nr; i++)
		put_u32(&b, 10 + i);
	for (uint32_t i = 0; i < nr; i++)
		put_bytes(&b, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8);
	for (uint32_t i = 0; i < code_size; i++)
		put_u8(&b, (uint8_t)('a' + i));
}

START_TEST(bpf_programs_are_listed_by_function)
{
	EACH_ORDER(big_endian)
	{
		struct features *f = features_new();
		bytes_start(&b, big_endian);
		put_u32(&b, 3);
		put_bpf_prog(7, "xdp_main", 1, 1, 0);
		put_bpf_prog(8, "sixteen_letters_", 2, 2, 20);
		put_bpf_prog(9, "odd", 1, 2, 0);
		expect_good(f, FEATURE_BPF_PROG_INFO);
		ck_assert_uint_eq(f->bpf_progs.count, 4);
		const struct bpf_prog *prog = f->bpf_progs.at;
		ck_assert_uint_eq(prog[0].id, 7);
		ck_assert_str_eq(prog[0].name, "bpf_prog_0123456789abcdef_xdp_main");
		ck_assert_uint_eq(prog[0].addr, 0x1000);
		ck_assert_uint_eq(prog[0].size, 10);
		ck_assert_ptr_null(prog[0].code);
		ck_assert_uint_eq(prog[2].id, 8);
		ck_assert_str_eq(prog[2].name, "bpf_prog_0123456789abcdef_F");
		ck_assert_uint_eq(prog[2].addr, 0x1100);
		ck_assert_uint_eq(prog[2].size, 11);
		ck_assert_mem_eq(prog[1].code, "abcdefghij", 10);
		ck_assert_ptr_null(prog[2].code); /* a byte is missing */
		ck_assert_uint_eq(prog[3].id, 9);
		ck_assert_str_eq(prog[3].name, "");
		ck_assert_uint_eq(prog[3].addr, 0);
		expect_cuts_refused(FEATURE_BPF_PROG_INFO, 0, b.size);

		bytes_start(&b, big_endian);
		put_u32(&b, 2);
		put_u32(&b, 70);
		put_u32(&b, 3);
		put_bytes(&b, "btf", 3);
		put_u32(&b, 71);
		put_u32(&b, 0);
		expect_good(f, FEATURE_BPF_BTF);
		ck_assert_uint_eq(f->bpf_btf_ids.count, 2);
		ck_assert_uint_eq(f->bpf_btf_ids.at[1], 71);
		expect_cuts_refused(FEATURE_BPF_BTF, 0, b.size);
		features_free(f);
	}
}
END_TEST

START_TEST(a_short_bpf_info_is_safe)
{
	struct features *f = features_new();

	bytes_start(&b, false);
	put_u32(&b, 1);
	put_u32(&b, 6);
	put_u32(&b, 0);
	put_u64(&b, 0);
	put_zeros(&b, 6);
	expect_good(f, FEATURE_BPF_PROG_INFO);
	ck_assert_uint_eq(f->bpf_progs.at[0].id, 0);
	ck_assert_str_eq(f->bpf_progs.at[0].name, "");
	features_free(f);
}
END_TEST

START_TEST(compression_needs_a_sensible_buffer)
{
	EACH_ORDER(big_endian)
	{
		static const uint32_t lengths[] = { 0, 100, 4097, 528384 };
		struct features *f = features_new();
		for (size_t i = 0; i < 4; i++) {
			bytes_start(&b, big_endian);
			put_u32(&b, 1);
			put_u32(&b, 1);
			put_u32(&b, 3);
			put_u32(&b, 12);
			put_u32(&b, lengths[i]);
			ck_assert_int_eq(add(f, FEATURE_COMPRESSED) == NULL, i == 3);
		}
		ck_assert_uint_eq(f->compressed.level, 3);
		ck_assert_uint_eq(f->compressed.ratio, 12);
		ck_assert_uint_eq(f->compressed.mmap_len, 528384);
		expect_cuts_refused(FEATURE_COMPRESSED, 0, b.size);
		features_free(f);
	}
}
END_TEST

START_TEST(clock_data_is_read)
{
	EACH_ORDER(big_endian)
	{
		struct features *f = features_new();
		bytes_start(&b, big_endian);
		put_u32(&b, 1);
		put_u32(&b, 4);
		put_u64(&b, 1700000000000000000);
		put_u64(&b, 12345);
		expect_good(f, FEATURE_CLOCK_DATA);
		ck_assert_uint_eq(f->clock_data.clockid, 4);
		ck_assert_uint_eq(f->clock_data.wall_ns, 1700000000000000000);
		ck_assert_uint_eq(f->clock_data.clock_ns, 12345);
		expect_cuts_refused(FEATURE_CLOCK_DATA, 0, b.size);
		features_free(f);
	}
}
END_TEST

START_TEST(pmu_caps_are_lists_in_a_list)
{
	EACH_ORDER(big_endian)
	{
		struct features *f = features_new();
		bytes_start(&b, big_endian);
		put_u32(&b, 2);
		put_u32(&b, 1);
		put_string(&b, "branches");
		put_string(&b, "32");
		put_string(&b, "cpu_core");
		put_u32(&b, 0);
		put_string(&b, "cpu_atom");
		expect_good(f, FEATURE_PMU_CAPS);
		expect_good(f, FEATURE_PMU_CAPS);
		ck_assert_uint_eq(f->pmu_caps.count, 2);
		ck_assert_str_eq(f->pmu_caps.at[0].pmu, "cpu_core");
		ck_assert_str_eq(f->pmu_caps.at[0].caps.at[0].value, "32");
		ck_assert_str_eq(f->pmu_caps.at[1].pmu, "cpu_atom");
		expect_cuts_refused(FEATURE_PMU_CAPS, 0, b.size);
		features_free(f);
	}
}
END_TEST

START_TEST(scheduler_domains_have_names_since_version_17)
{
	EACH_ORDER(big_endian)
	{
		for (uint32_t version = 16; version <= 17; version++) {
			struct features *f = features_new();
			f->nr_cpus_online = f->nr_cpus_avail = 2;
			bytes_start(&b, big_endian);
			put_u32(&b, version);
			put_u32(&b, 1);
			for (uint32_t cpu = 0; cpu < 2; cpu++) {
				put_u32(&b, cpu);
				put_u32(&b, 1);
				put_u32(&b, 0);
				if (version >= 17)
					put_string(&b, "MC");
				put_string(&b, "3");
				put_string(&b, "0-1");
			}
			size_t whole = b.size;
			put_zeros(&b, 7); /* a pipe's padding */
			expect_good(f, FEATURE_CPU_DOMAIN_INFO);
			ck_assert_uint_eq(f->schedstat_version, version);
			ck_assert_uint_eq(f->max_sched_domains, 1);
			ck_assert_uint_eq(f->cpu_domains.count, 2);
			ck_assert_uint_eq(f->cpu_domains.at[1].cpu, 1);
			const struct cpu_domain *domain = f->cpu_domains.at[1].domains.at;
			ck_assert_pstr_eq(domain->name, version >= 17 ? "MC" : NULL);
			ck_assert_str_eq(domain->cpumask, "3");
			ck_assert_str_eq(domain->cpulist, "0-1");
			b.size = whole - 1;
			ck_assert_ptr_nonnull(add(f, FEATURE_CPU_DOMAIN_INFO));
			ck_assert_uint_eq(f->cpu_domains.count, 2);
			features_free(f);
		}
	}
}
END_TEST

static void put_build_id(uint16_t misc, int32_t pid, const char *id, uint8_t size, const char *name)
{
	size_t name_room = (strlen(name) + 1 + 63) / 64 * 64;

	put_u32(&b, 0);
	put_u16(&b, misc);
	put_u16(&b, (uint16_t)(36 + name_room));
	put_u32(&b, (uint32_t)pid);
	put_bytes(&b, id, 20);
	put_u8(&b, size);
	put_zeros(&b, 3);
	put_bytes(&b, name, strlen(name));
	put_zeros(&b, name_room - strlen(name));
}

START_TEST(build_ids_are_a_run_of_records)
{
	EACH_ORDER(big_endian)
	{
		struct features *f = features_new();
		char hex[BUILD_ID_HEX];
		bytes_start(&b, big_endian);
		put_build_id(CPUMODE_KERNEL, -1, "abcdefghijklmnopqrst", 0, "[kernel.kallsyms]");
		put_build_id(CPUMODE_USER | MISC_BUILD_ID_SIZE, 5, "ABCDEFGHIJKLMNOPQRST", 3, "/bin/true");
		size_t two = b.size;
		put_build_id(CPUMODE_USER, 5, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 0, "/bin/none");
		expect_good(f, FEATURE_BUILD_ID);
		ck_assert_uint_eq(f->build_ids.count, 3);
		const struct build_id_entry *e = f->build_ids.at;
		ck_assert_uint_eq(e[0].misc, CPUMODE_KERNEL);
		ck_assert_int_eq(e[0].pid, -1);
		ck_assert_str_eq(e[0].filename, "[kernel.kallsyms]");
		ck_assert_str_eq(build_id_hex(&e[0].id, hex), "6162636465666768696a6b6c6d6e6f7071727374");
		ck_assert_int_eq(e[1].pid, 5);
		ck_assert_str_eq(build_id_hex(&e[1].id, hex), "414243");
		ck_assert_str_eq(e[1].filename, "/bin/true");
		ck_assert_uint_eq(e[2].id.size, 0);
		features_free(f);

		/* What is in front of a cut record is not lost. */
		f = features_new();
		b.size = two + 40;
		ck_assert_ptr_nonnull(add(f, FEATURE_BUILD_ID));
		ck_assert_uint_eq(f->build_ids.count, 2);
		features_free(f);
	}
}
END_TEST

START_TEST(every_cut_build_id_section_is_safe)
{
	bytes_start(&b, true);
	put_build_id(CPUMODE_KERNEL, -1, "abcdefghijklmnopqrst", 0, "[kernel.kallsyms]");
	for (size_t size = 0; size < b.size; size++) {
		struct features *f = features_new();
		uint8_t *part = xmemdup(b.at, size);
		ck_assert_int_eq(features_add(f, FEATURE_BUILD_ID, part, size, true) == NULL, size == 0);
		ck_assert_uint_eq(f->build_ids.count, 0);
		features_free(f);
		free(part);
	}
}
END_TEST

START_TEST(build_ids_of_the_first_tools_have_no_pid)
{
	EACH_ORDER(big_endian)
	{
		struct features *f = features_new();
		bytes_start(&b, big_endian);
		for (int i = 0; i < 2; i++) {
			put_u32(&b, 0);
			put_u16(&b, i ? CPUMODE_KERNEL : CPUMODE_USER);
			put_u16(&b, 32 + 64);
			put_bytes(&b, "abcdefghijklmnopqrst\0\0\0\0", 24);
			put_bytes(&b, i ? "[kernel.kallsyms]" : "/bin/true........", 17);
			put_zeros(&b, 64 - 17);
		}
		expect_good(f, FEATURE_BUILD_ID);
		ck_assert_uint_eq(f->build_ids.count, 2);
		ck_assert_str_eq(f->build_ids.at[0].filename, "/bin/true........");
		ck_assert_str_eq(f->build_ids.at[1].filename, "[kernel.kallsyms]");
		ck_assert_int_eq(f->build_ids.at[1].pid, -1);
		ck_assert_mem_eq(f->build_ids.at[1].id.bytes, "abcdefghijklmnopqrst", 20);
		features_free(f);
	}
}
END_TEST

START_TEST(a_build_id_record_adds_an_entry)
{
	EACH_ORDER(big_endian)
	{
		struct features *f = features_new();
		bytes_start(&b, big_endian);
		put_build_id(CPUMODE_USER, 5, "ABCDEFGHIJKLMNOPQRST", 0, "/bin/true");
		ck_assert_ptr_null(features_add_build_id(f, CPUMODE_USER, b.at + 8, b.size - 8, big_endian));
		ck_assert_uint_eq(f->build_ids.count, 1);
		ck_assert_int_eq(f->build_ids.at[0].pid, 5);
		ck_assert_str_eq(f->build_ids.at[0].filename, "/bin/true");
		ck_assert_ptr_nonnull(features_add_build_id(f, CPUMODE_USER, b.at + 8, 27, big_endian));
		ck_assert_uint_eq(f->build_ids.count, 1);
		features_free(f);
	}
}
END_TEST

START_TEST(tracing_data_is_lent)
{
	struct features *f = features_new();

	bytes_start(&b, false);
	put_bytes(&b, "\x17\x08\x44tracing", 10);
	expect_good(f, FEATURE_TRACING_DATA);
	ck_assert_ptr_eq(f->tracing_data, b.at);
	ck_assert_uint_eq(f->tracing_data_size, 10);
	features_free(f);
}
END_TEST

START_TEST(features_without_content_are_present)
{
	struct features *f = features_new();

	bytes_start(&b, false);
	expect_good(f, FEATURE_BRANCH_STACK);
	expect_good(f, FEATURE_STAT);
	put_u64(&b, 0);
	expect_good(f, FEATURE_AUXTRACE);
	/* Later perfs may know these. */
	ck_assert_ptr_null(add(f, 35));
	ck_assert(features_has(f, 35) && !decoded(f, 35));
	ck_assert_ptr_null(add(f, 255));
	ck_assert(features_has(f, 255) && !features_has(f, 254));
	ck_assert_ptr_nonnull(add(f, 256));
	ck_assert(!features_has(f, 256));
	features_free(f);
	features_free(NULL);
}
END_TEST

START_TEST(any_bytes_are_safe)
{
	uint32_t random = 1;

	for (int round = 0; round < 20000; round++) {
		struct features *f = features_new();
		f->nr_cpus_avail = f->nr_cpus_online = 3;
		uint8_t *block = xmalloc(200);
		for (int i = 0; i < 200; i++) {
			random = random * 1664525 + 1013904223;
			/* Small numbers, mostly: big ones are refused at once. */
			block[i] = random >> 28 ? 0 : (uint8_t)(random >> 20 & 7);
		}
		for (unsigned feature = 0; feature < FEATURE_KNOWN_END; feature++)
			(void)features_add(f, feature, block, 200, round & 1);
		features_free(f);
		free(block);
	}
}
END_TEST

CHECK_SUITE("features", strings_end_at_their_first_nul, numbers_are_read,
	    processors_that_make_no_sense_are_refused, the_command_line_is_a_list_and_a_bad_one_leaves_it,
	    event_descriptions_have_attr_name_and_ids, event_descriptions_with_a_bad_attr_are_refused,
	    cpu_topology_grew_twice, lists_of_records_are_read, caches_have_a_version,
	    memory_nodes_have_a_bitmap_each, bpf_programs_are_listed_by_function, a_short_bpf_info_is_safe,
	    compression_needs_a_sensible_buffer, clock_data_is_read, pmu_caps_are_lists_in_a_list,
	    scheduler_domains_have_names_since_version_17, build_ids_are_a_run_of_records,
	    every_cut_build_id_section_is_safe, build_ids_of_the_first_tools_have_no_pid,
	    a_build_id_record_adds_an_entry, tracing_data_is_lent, features_without_content_are_present,
	    any_bytes_are_safe)
