/*
 * mkseeds - what the fuzz targets start from: small recordings, binaries and texts.
 *
 *	mkseeds tests/fuzz/corpus	(writes corpus/STAGE/seed-*)
 *
 * The files are in the tree, so that a target needs nothing but them; this is how they were made.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/mkcfi.h"
#include "tests/mkjitdump.h"
#include "tests/mkperf.h"

static const char *corpus;

static const char *place(const char *stage, const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", corpus, stage);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/%s/seed-%s", corpus, stage, name);
	return path;
}

static void write_seed(const char *stage, const char *name, const void *data, size_t size)
{
	mkelf_text(place(stage, name), data, size);
}

static void write_text(const char *stage, const char *name, const char *text)
{
	write_seed(stage, name, text, strlen(text));
}

/* ---- recordings ---- */

#define ALL_SAMPLE ((UINT64_C(1) << 25) - 1)

static void put_features(struct mkperf *m)
{
	const uint8_t id[20] = { 1, 2, 3 };
	struct mkbytes topology = mkperf_body(m);

	mkperf_string_feature(m, FEATURE_HOSTNAME, "board");
	mkperf_string_feature(m, FEATURE_ARCH, "x86_64");
	mkperf_nrcpus(m, 2, 2);
	mkperf_build_id(m, 2, -1, id, "/bin/spin");
	for (int n = 0; n < 2; n++) {
		mkbytes_u32(&topology, 1);
		mkbytes_feature_string(&topology, "0-1");
	}
	mkbytes_u32(&topology, 0);
	mkbytes_u32(&topology, 0);
	mkperf_bytes_feature(m, FEATURE_CPU_TOPOLOGY, &topology);
}

static void put_tasks(struct mkperf *m)
{
	mkperf_fork(m, .pid = 100, .ppid = 1, .tid = 100, .ptid = 1);
	mkperf_comm(m, .pid = 100, .tid = 100, .comm = "spin");
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = 0x1000, .len = 0x1000, .filename = "/bin/spin");
	mkperf_mmap(m, .misc = 1, .pid = UINT32_MAX, .start = 0xffffffff81000000, .len = 0x1000000,
		    .pgoff = 0xffffffff81000000, .filename = "[kernel.kallsyms]_text");
	mkperf_round(m);
}

static void put_samples(struct mkperf *m)
{
	static const uint64_t regs[24] = { 7 }, stack[4] = { 0x1010 };
	static const struct mkperf_branch branches[2] = { { 0x1010, 0x1020, 1 }, { 0x1030, 0x1040, 2 } };

	mkperf_sample(m, .ip = 0x1234, .pid = 100, .tid = 100, .time = 5, .period = 10,
		      MK_CHAIN((uint64_t)-512, 0x1234, 0x1300, 0x1400));
	mkperf_sample(m, .event = 1, .ip = 0x1238, .pid = 100, .tid = 100, .time = 6, .period = 10,
		      .raw = "abcdefgh", .raw_size = 8, .branches = branches, .nr_branches = 2,
		      .user_regs = { 2, regs }, .stack = stack, .stack_size = sizeof(stack),
		      MK_CHAIN((uint64_t)-128, 0xffffffff81000010));
	mkperf_round(m);
	mkperf_exit(m, .pid = 100, .tid = 100, .time = 9);
}

static void put_recording(struct mkperf *m)
{
	mkperf_event(m,
		     .attr = { .sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD |
					      SAMPLE_CALLCHAIN | SAMPLE_IDENTIFIER,
			       .flags = MK_SAMPLE_ID_ALL },
		     .name = "cycles");
	mkperf_event(m,
		     .attr = { .sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD |
					      SAMPLE_CALLCHAIN | SAMPLE_IDENTIFIER | SAMPLE_RAW |
					      SAMPLE_BRANCH_STACK | SAMPLE_REGS_USER | SAMPLE_STACK_USER,
			       .sample_regs_user = 0xff0fff,
			       .sample_stack_user = 32,
			       .flags = MK_SAMPLE_ID_ALL },
		     .name = "instructions");
	put_features(m);
	put_tasks(m);
	put_samples(m);
}

static void recording(const char *name, struct mkperf_options options)
{
	struct mkperf *m = mkperf_new(options);
	size_t size;

	put_recording(m);
	const uint8_t *bytes = mkperf_bytes(m, &size);
	write_seed("reader", name, bytes, size);
	write_seed("session", name, bytes, size);
	mkperf_free(m);
}

/* Of Android's simpleperf: events named and told apart by what only it has, records cut up. */
static void simpleperf_recording(void)
{
	static const char info[] = "simpleperf_version\0001\0event_type_info\0cpu-cycles,0,0\nalarm,1,0";
	struct mkperf *m = mkperf_new((struct mkperf_options){ 0 });
	struct attr attr = { .sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_PERIOD |
					    SAMPLE_CALLCHAIN,
			     .flags = MK_SAMPLE_ID_ALL };
	struct mkbytes ids = mkperf_body(m), kallsyms = mkperf_body(m);
	static const char lines[] = "ffffffc008000000 T _text\nffffffc008000020 t busy\n";
	size_t size;

	/* FileFeature: path, type, min_vaddr, one symbol, where min_vaddr is in the file. */
	static const char message[] = "\x0a\x09/bin/spin\x10\x02\x18\x80\x20"
				      "\x22\x0b\x08\xb0\x24\x10\x20\x1a\x04"
				      "busy\x32\x00";
	struct mkbytes old = mkperf_body(m), new = mkperf_body(m);

	mkperf_event(m, .attr = attr, .no_ids = true);
	mkperf_event(m, .attr = attr, .no_ids = true);
	put_features(m);
	mkbytes_u32(&new, sizeof(message) - 1);
	mkbytes_data(&new, message, sizeof(message) - 1);
	mkperf_bytes_feature(m, SIMPLEPERF_FEATURE_FILE2, &new);
	mkbytes_u32(&old, 18 + 4 + 8 + 4 + 8 + 4 + 9);
	mkbytes_data(&old, "[kernel.kallsyms]", 18);
	mkbytes_u32(&old, 0);
	mkbytes_u64(&old, 0);
	mkbytes_u32(&old, 1);
	mkbytes_u64(&old, 0xffffffff81000010);
	mkbytes_u32(&old, 16);
	mkbytes_data(&old, "poll [a]", 9);
	mkperf_bytes_feature(m, SIMPLEPERF_FEATURE_FILE, &old);
	mkperf_feature(m, SIMPLEPERF_FEATURE_META_INFO, info, sizeof(info));
	mkbytes_u64(&ids, 2);
	for (uint64_t n = 0; n < 2; n++) {
		mkbytes_u64(&ids, n);
		mkbytes_u64(&ids, n + 7);
	}
	mkperf_simpleperf_record(m, SIMPLEPERF_RECORD_EVENT_ID, &ids);
	mkbytes_u32(&kallsyms, sizeof(lines) - 1);
	mkbytes_data(&kallsyms, lines, sizeof(lines) - 1);
	mkperf_split_record(m, SIMPLEPERF_RECORD_KERNEL_SYMBOL, &kallsyms, 40);
	put_tasks(m);
	mkperf_sample(m, .id = 8, .ip = 0x1234, .pid = 100, .tid = 100, .time = 5, .period = 10,
		      MK_CHAIN(0x1234, 0x1300, 0x1400));
	const uint8_t *bytes = mkperf_bytes(m, &size);
	write_seed("reader", "simpleperf", bytes, size);
	write_seed("session", "simpleperf", bytes, size);
	mkperf_free(m);
}

/* A first sample whose chain is a mark and no address, as s390x writes them: nothing is there to keep. */
static void chain_of_nothing(void)
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ 0 });
	size_t size;

	mkperf_event(m, .attr = { .sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CALLCHAIN });
	mkperf_sample(m, .ip = 0x1234, .pid = 100, .tid = 100, .time = 5, MK_CHAIN((uint64_t)-512));
	const uint8_t *bytes = mkperf_bytes(m, &size);
	write_seed("session", "chain-of-nothing", bytes, size);
	mkperf_free(m);
}

static void recordings(void)
{
	simpleperf_recording();
	chain_of_nothing();
	recording("file", (struct mkperf_options){ 0 });
	recording("file-be", (struct mkperf_options){ .big_endian = true });
	recording("pipe", (struct mkperf_options){ .pipe = true });
	recording("pipe-be", (struct mkperf_options){ .pipe = true, .big_endian = true });
	recording("zstd", (struct mkperf_options){ .compress = RECORD_COMPRESSED, .piece = 200 });
	recording("zstd-pipe", (struct mkperf_options){ .pipe = true, .compress = RECORD_COMPRESSED2 });
	recording("v1", (struct mkperf_options){ .version1 = true });
	recording("unfinished", (struct mkperf_options){ .unfinished = true });
}

/* ---- one record ---- */

static void record(const char *name, bool big_endian, struct attr attr, void (*put)(struct mkperf *m))
{
	struct mkperf *m = mkperf_new((struct mkperf_options){ .big_endian = big_endian });
	struct mkbytes b = { .big_endian = big_endian };
	size_t size;

	attr.size = ATTR_MAX_SIZE;
	mkbytes_u8(&b, big_endian);
	mkbytes_attr(&b, &attr);
	mkperf_event(m, .attr = attr);
	put(m);
	const uint8_t *bytes = mkperf_records(m, &size);
	mkbytes_data(&b, bytes, size);
	write_seed("record", name, b.bytes.at, b.bytes.count);
	mkbytes_free(&b);
	mkperf_free(m);
}

static void put_full_sample(struct mkperf *m)
{
	static const uint64_t regs[24] = { 7 }, words[4] = { 0x1010 };
	static const struct mkperf_branch branches[2] = { { 0x1010, 0x1020, 1 }, { 0x1030, 0x1040, 2 } };
	static const struct mkperf_read reads[2] = { { 5, 1, 0 }, { 6, 1, 0 } };

	mkperf_sample(m, .ip = 0x1234, .pid = 100, .tid = 100, .time = 5, .period = 10,
		      MK_CHAIN((uint64_t)-512, 0x1234, 0x1300), .raw = "abcdefgh", .raw_size = 8,
		      .branches = branches, .nr_branches = 2, .user_regs = { 2, regs },
		      .intr_regs = { 2, regs }, .stack = words, .stack_size = sizeof(words), .reads = reads,
		      .nr_reads = 2, .aux = words, .aux_size = sizeof(words));
}

static void put_mmap2(struct mkperf *m)
{
	mkperf_mmap2(m, .pid = 100, .tid = 100, .start = 0x1000, .len = 0x1000, .filename = "/bin/spin");
}

static void put_cgroup(struct mkperf *m)
{
	struct mkbytes body = mkperf_body(m);

	mkbytes_u64(&body, 7);
	mkbytes_data(&body, "/sys\0\0\0", 8);
	mkperf_bytes_record(m, RECORD_CGROUP, 0, &body, &(struct mkperf_trailer){ .time = 3 });
}

static void put_deferred(struct mkperf *m)
{
	struct mkbytes body = mkperf_body(m);

	for (uint64_t i = 0; i < 5; i++)
		mkbytes_u64(&body, i == 1 ? 3 : i);
	mkperf_bytes_record(m, RECORD_CALLCHAIN_DEFERRED, 0, &body, &(struct mkperf_trailer){ .time = 3 });
}

static void put_bpf_metadata(struct mkperf *m)
{
	struct mkbytes body = mkperf_body(m);

	mkbytes_zeros(&body, 64);
	mkbytes_u64(&body, 1);
	mkbytes_zeros(&body, 64 + 256);
	mkperf_bytes_record(m, RECORD_BPF_METADATA, 0, &body, NULL);
}

static void records(void)
{
	const struct attr wide = { .sample_type = ALL_SAMPLE,
				   .read_format = 0x1f,
				   .sample_regs_user = 0xff0fff,
				   .sample_regs_intr = 0xff0fff,
				   .branch_sample_type = 1,
				   .flags = MK_SAMPLE_ID_ALL };
	const struct attr narrow = { .sample_type =
					     SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_ID,
				     .flags = MK_SAMPLE_ID_ALL };

	for (int big_endian = 0; big_endian < 2; big_endian++) {
		char name[64];
		snprintf(name, sizeof(name), "sample%s", big_endian ? "-be" : "");
		record(name, big_endian, wide, put_full_sample);
		snprintf(name, sizeof(name), "mmap2%s", big_endian ? "-be" : "");
		record(name, big_endian, narrow, put_mmap2);
		snprintf(name, sizeof(name), "deferred%s", big_endian ? "-be" : "");
		record(name, big_endian, narrow, put_deferred);
	}
	record("cgroup", false, narrow, put_cgroup);
	record("bpf-metadata", false, narrow, put_bpf_metadata);
}

/* ---- binaries ---- */

static void unwind_binary(const char *name, int machine, int class, int data, unsigned sp, unsigned ra)
{
	struct mkcfi m;

	mkcfi_start(&m, machine, class, data);
	mkcfi_cie(&m, "zS", -(int)mkcfi_word(&m), (uint8_t)ra,
		  OPS(DW_CFA_def_cfa, (uint8_t)sp, 8, DW_CFA_nop));
	mkcfi_fde(&m, true, MKCFI_CODE, 0x40,
		  OPS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2,
		      DW_CFA_advance_loc | 3, DW_CFA_def_cfa_expression, 3, DW_OP_breg7, 8, DW_OP_deref,
		      DW_CFA_remember_state, DW_CFA_advance_loc | 1, DW_CFA_restore_state, DW_CFA_val_offset,
		      3, 1));
	mkcfi_fde(&m, true, MKCFI_CODE + 0x40, 0x40,
		  OPS(DW_CFA_expression, 3, 2, DW_OP_breg7, 16, DW_CFA_val_expression, 4, 1, DW_OP_lit5,
		      DW_CFA_undefined, (uint8_t)ra));
	image_free(mkcfi_open(&m, place("unwind", name), m.b.size, 0));
}

static void exidx_binary(void)
{
	static const uint32_t table[] = { 0x7ffff000, 0x80b0b0b0, 0x7ffff018, 1, 0x7ffff038, 0x80a8b0b0 };
	struct mkcfi m;

	mkcfi_start(&m, EM_ARM, ELFCLASS32, ELFDATA2LSB);
	m.exidx = table;
	m.exidx_size = sizeof(table);
	image_free(mkcfi_open(&m, place("unwind", "exidx"), 0, 0));
}

#define SECTION(kind, flag_bits, address, at, bytes, entry, link_to, about)                                  \
	(GElf_Shdr)                                                                                          \
	{                                                                                                    \
		.sh_type = (kind), .sh_flags = (flag_bits), .sh_addr = (address), .sh_offset = (at),         \
		.sh_size = (bytes), .sh_addralign = 1, .sh_entsize = (entry), .sh_link = (link_to),          \
		.sh_info = (about)                                                                           \
	}

/* Code, a PLT, symbols of both kinds, a build-id and a debug link. */
static void symbol_binary(const char *name, int machine, int class, int data)
{
	static const char strings[] = "\0_ZN1a1bEv\0memcpy\0object\0$x";
	static const uint8_t zeros[0x100], debuglink[] = "a.debug\0\1\2\3";
	static const uint32_t note[] = { 4, 8, 3, 0x554e47, 0x04030201, 0x08070605 };
	const GElf_Sym symbols[] = {
		{ 0 },
		{ 1, GELF_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0x401000, 0x20 },
		{ 11, GELF_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 0, 0, 0 },
		{ 18, GELF_ST_INFO(STB_LOCAL, STT_OBJECT), 0, 1, 0x401040, 8 },
		{ 25, GELF_ST_INFO(STB_LOCAL, STT_NOTYPE), 0, 1, 0x401000, 0 },
	};
	const GElf_Rel relocations[] = { { 0x402000, GELF_R_INFO(2, 7) } };
	struct mkelf m = { .class = class, .data = data, .machine = machine, .type = ET_DYN };
	size_t size, rel_size;
	void *table = mkelf_convert(&m, ELF_T_SYM, symbols, 5, &size);
	void *rel = mkelf_convert(&m, ELF_T_REL, relocations, 1, &rel_size);

	mkelf_section(&m, ".text", SECTION(SHT_PROGBITS, 6, 0x401000, 0x800, 0x80, 0, 0, 0), zeros);
	mkelf_section(&m, ".plt", SECTION(SHT_PROGBITS, 6, 0x401080, 0x880, 0x40, 16, 0, 0), zeros);
	mkelf_section(&m, ".symtab", SECTION(SHT_SYMTAB, 0, 0, 0, size, size / 5, 5, 1), table);
	mkelf_section(&m, ".dynsym", SECTION(SHT_DYNSYM, 2, 0, 0, size, size / 5, 5, 1), table);
	mkelf_section(&m, ".strtab", SECTION(SHT_STRTAB, 0, 0, 0, sizeof(strings), 0, 0, 0), strings);
	mkelf_section(&m, ".rel.plt", SECTION(SHT_REL, 2, 0, 0, rel_size, rel_size, 4, 2), rel);
	mkelf_section(&m, ".note.gnu.build-id", SECTION(SHT_NOTE, 2, 0, 0, sizeof(note), 0, 0, 0), note);
	mkelf_section(&m, ".gnu_debuglink", SECTION(SHT_PROGBITS, 0, 0, 0, 12, 0, 0, 0), debuglink);
	mkelf_load(&m, 0x800, 0x401000, 0x100, PF_R | PF_X);
	mkelf_write(&m, place("elf", name));
	free(table);
	free(rel);
}

/* The smallest program that has lines and an inlined call. */
static void dwarf_binary(const char *name, const char *options)
{
	static const char source[] =
		"static inline __attribute__((always_inline)) int in(int x) { return x * 3; }\n"
		"int sink;\n"
		"void _start(void) { sink = in(sink) + 1; }\n";
	char path[] = "/tmp/perf2txt-seed-XXXXXX";

	if (!mkdtemp(path))
		exit(1);
	place("dwarf", name);
	if (!mkelf_run("cd %s && printf '%%s' '%s' >a.c && gcc -O2 -nostdlib -static -Wl,-z,noseparate-code "
		       "-Wl,--build-id=none -fno-ident -fno-asynchronous-unwind-tables "
		       "-ffile-prefix-map=$PWD=. %s a.c -o a && cp a %s",
		       path, source, options, place("dwarf", name)))
		fprintf(stderr, "%s: no compiler that can\n", name);
	mkelf_run("rm -rf %s", path);
}

static void binaries(void)
{
	unwind_binary("x86_64", EM_X86_64, ELFCLASS64, ELFDATA2LSB, 7, 16);
	unwind_binary("arm", EM_ARM, ELFCLASS32, ELFDATA2LSB, 13, 14);
	unwind_binary("s390x", EM_S390, ELFCLASS64, ELFDATA2MSB, 15, 14);
	exidx_binary();
	symbol_binary("x86_64", EM_X86_64, ELFCLASS64, ELFDATA2LSB);
	symbol_binary("arm", EM_ARM, ELFCLASS32, ELFDATA2LSB);
	symbol_binary("aarch64", EM_AARCH64, ELFCLASS64, ELFDATA2LSB);
	symbol_binary("ppc", EM_PPC, ELFCLASS32, ELFDATA2MSB);
	dwarf_binary("4", "-gdwarf-4");
	dwarf_binary("5", "-gdwarf-5");
	write_seed("insn", "x86", "\x55\x48\x89\xe5\xe8\x10\0\0\0\xc4\xe2\x7d\x18\x05\0\0\0\0\xc3", 19);
	write_seed("insn", "arm", "\x00\x48\x2d\xe9\x04\xb0\x8d\xe2\x1e\xff\x2f\xe1\x80\xb5\xdf\xf8\0\0", 18);
	write_seed("exidx", "frame", "\x9b\x47\xb1\x0f\xc9\x83\x80\x01\xb0", 9);
	write_seed("exidx", "large", "\xb2\x80\x10\xa8\xb0", 5);
}

/* ---- texts ---- */

static void texts(void)
{
	static const char *const names[] = { "_ZN1a1bIiSt6vectorIcSaIcEEEEvT_RKT0_",
					     "_RNvNtCs1234_7mycrate3foo3bar",
					     "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
					     "camlStdlib__List__map_123",
					     "_ZNK3foo3barEPFivE@plt",
					     "Java_java_lang_Object" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char name[8];
		snprintf(name, sizeof(name), "%zu", i);
		write_text("demangle", name, names[i]);
	}
	write_text("kallsyms", "small",
		   "ffffffff81000000 T _stext\nffffffff81000000 T _text\nffffffff81000100 t do_it\n"
		   "ffffffff81000200 W weak\nffffffff81001000 T _etext\nffffffffc0000000 t m_start\t[m]\n"
		   "ffffffffc0000100 t m_end\t[m]\nffffffffc0010000 t bpf_prog_1234\t[bpf]\n");
	write_text("perfmap", "small",
		   "1000 20 LazyCompile:*f /a.js:1\n1010 8 two words\n0x2000 0x10 hex\n\nbad line\n");
}

static void jitdumps(void)
{
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		struct mkbytes b = { .big_endian = big_endian };
		static const struct mkjit_rule rule = { 0, 0x20, 31, 16, 30 };
		mkjit_header(&b, EM_AARCH64, 0);
		mkjit_unwinding(&b, 0x20, &rule);
		mkjit_load(&b, 10, 0x1000, 0x20, 1, "main");
		mkjit_other(&b, 2, 33);
		mkjit_move(&b, 12, 0x1000, 0x3000, 0x20, 1);
		write_seed("jitdump", big_endian ? "be" : "le", b.bytes.at, b.bytes.count);
		mkbytes_free(&b);
	}
}

static const char format[] = "name: ev\nID: 7\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			     "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			     "\tfield:u64 n;\toffset:24;\tsize:8;\tsigned:0;\n"
			     "\tfield:__data_loc char[] name;\toffset:32;\tsize:4;\tsigned:0;\n"
			     "\tfield:u32 arr[3];\toffset:36;\tsize:12;\tsigned:0;\n\n"
			     "print fmt: \"comm=%s n=%llu %08lx %s name=%s %s %s\", REC->comm, REC->n, "
			     "REC->n & 0xff ? 1 << 3 : 0, "
			     "__print_flags(REC->n, \"|\", { 1, \"A\" }, { 2, \"B\" }), __get_str(name), "
			     "__print_symbolic(REC->n, { 0, \"zero\" }), __print_array(REC->arr, 3, 4)\n";

static void tracepoints(void)
{
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		struct mkbytes b = { .big_endian = big_endian };
		mkbytes_data(&b, "\x17\x08\x44tracing0.6", 14);
		mkbytes_u8(&b, (uint8_t)big_endian);
		mkbytes_u8(&b, 8);
		mkbytes_u32(&b, 4096);
		mkbytes_data(&b, "header_page", 12);
		mkbytes_u64(&b, 0);
		mkbytes_data(&b, "header_event", 13);
		mkbytes_u64(&b, 0);
		mkbytes_u32(&b, 0);
		mkbytes_u32(&b, 1);
		mkbytes_data(&b, "sys", 4);
		mkbytes_u32(&b, 1);
		mkbytes_u64(&b, strlen(format));
		mkbytes_data(&b, format, strlen(format));
		mkbytes_u32(&b, 0);
		mkbytes_u32(&b, 0);
		mkbytes_u64(&b, 0);
		mkbytes_zeros(&b, 8);
		mkbytes_data(&b, "command\0\0\0\0\0\0\0\0", 16);
		mkbytes_u64(&b, 3);
		mkbytes_u32(&b, 48 | 8 << 16);
		mkbytes_zeros(&b, 12);
		mkbytes_data(&b, "a name\0", 8);
		mkbytes_data(&b, "\x38", 2);
		write_seed("tracepoint", big_endian ? "be" : "le", b.bytes.at, b.bytes.count);
		mkbytes_free(&b);
	}
}

START_TEST(write_all)
{
	recordings();
	records();
	binaries();
	texts();
	jitdumps();
	tracepoints();
}
END_TEST

/* mkelf.h checks as unit tests do, which works inside of a test only. */
int main(int argc, char **argv)
{
	Suite *suite = suite_create("mkseeds");
	TCase *tcase = tcase_create("mkseeds");

	if (argc != 2) {
		fprintf(stderr, "usage: mkseeds FOLDER\n");
		return 2;
	}
	corpus = argv[1];
	tcase_add_test(tcase, write_all);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_set_fork_status(runner, CK_NOFORK);
	srunner_run_all(runner, CK_SILENT);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
