#include "symbolize/kernel.h"

#include <string.h>

#include "symbolize/ask_debuginfod.h"
#include "symbolize/dso_find.h"
#include "tests/check_run.h"
#include "tests/mkelf.h"
#include "util/xalloc.h"

/* Linked at LINK, loaded at RUN when it was recorded. */
#define LINK 0xffffffff81000000ull
#define RUN 0xffffffff9c000000ull
#define MODULE 0xffffffffc0000000ull

static const char id_bytes[20] =
	"\xab\x88\x22\x53\x67\x53\x6b\xf6\x92\x3c\x02\x91\x68\xac\xa9\x36\xcf\x3f\x34\x01";
#define ID_HEAD "ab"
#define ID_TAIL "88225367536bf6923c029168aca936cf3f3401"

static char folder[64];
static struct dsos *dsos;
static struct machine_kernel recorded;
static struct kernel_options options;
static struct kernel *kernel;

static char *in_folder(const char *name)
{
	static char path[4][256];
	static int next;

	next = (next + 1) % 4;
	snprintf(path[next], sizeof(path[next]), "%s/%s", folder, name);
	return path[next];
}

static void write_text(const char *name, const char *text)
{
	mkelf_text(in_folder(name), text, strlen(text));
}

static void free_parts(struct dso *dso)
{
	symtab_free(dso->symtab);
}

/* A recording with a build-id and a reference symbol, and no source of symbols at all. */
static void start(void)
{
	struct build_id id = build_id_make(id_bytes, sizeof(id_bytes));

	mkelf_folder(folder);
	dsos = dsos_new();
	dsos_set_free_hook(dsos, free_parts);
	recorded = (struct machine_kernel){
		.known = true,
		.dso = dsos_get(dsos, DSO_KERNEL, "[kernel.kallsyms]", &id, NULL),
		.start = RUN,
		.end = RUN + 0x1000000,
		.ref_name = "_text",
		.ref_addr = RUN,
	};
	/* An empty sysroot: no test depends on the kernel of the machine that it runs on. */
	options = (struct kernel_options){ .sysroot = in_folder("root"), .osrelease = "6.1.0-test" };
	ck_assert(mkelf_run("mkdir '%s/root'", folder));
}

static void stop(void)
{
	kernel_free(kernel);
	kernel = NULL;
	dsos_free(dsos);
	mkelf_remove(folder);
}

static const char *load_into(uint64_t *start_address, uint64_t *end_address)
{
	kernel_free(kernel);
	symtab_free(recorded.dso->symtab);
	recorded.dso->symtab = NULL;
	kernel = kernel_new(&options);
	return kernel_load(kernel, &recorded, start_address, end_address);
}

static void expect_loaded(void)
{
	uint64_t first, end;
	const char *reason = load_into(&first, &end);

	ck_assert_msg(!reason, "%s", reason);
	ck_assert(recorded.dso->identity);
}

static void expect_reason(const char *part)
{
	uint64_t first, end;
	const char *reason = load_into(&first, &end);

	ck_assert_msg(reason && strstr(reason, part), "%s", reason ? reason : "loaded");
	ck_assert_ptr_null(recorded.dso->symtab);
}

static void expect(const struct dso *dso, uint64_t address, const char *name)
{
	struct symbol *symbol = symtab_find(dso->symtab, address);

	ck_assert_str_eq(symbol ? symtab_name(dso->symtab, symbol) : "-", name);
}

static const char shifted[] = "ffffffff81000000 T _stext\n"
			      "ffffffff81000000 T _text\n"
			      "ffffffff81000100 t do_work\n"
			      "ffffffff81000180 t $x\n"
			      "ffffffff81001000 D data\n"
			      "ffffffffc0000020 t modfn\t[my_mod]\n"
			      "ffffffffc0000030 t $x\t[my_mod]\n";

static const char in_place[] = "ffffffff9c000000 T _text\n"
			       "ffffffff9c000100 t here\n";

START_TEST(nothing_given_is_a_reason)
{
	start();
	expect_reason("no kernel symbols given (--kallsyms, --vmlinux)");
	ck_assert_ptr_null(recorded.dso->looked_at);
	recorded.dso->build_id.size = 0;
	expect_reason("the recording does not say which kernel it was (--kallsyms, --vmlinux)");
	struct dso *module = dsos_get(dsos, DSO_MODULE, "[my_mod]", NULL, NULL);
	ck_assert(!kernel_load_module(kernel, module, MODULE));
	ck_assert(!module->identity);
	stop();
}
END_TEST

static const char running[] = "ffffffff9c000000 T _text\n"
			      "ffffffff9c000100 t do_work\n"
			      "ffffffff9d000000 T _etext\n";

START_TEST(this_machines_kernel_has_to_be_the_recorded_one)
{
	start();
	write_text("kallsyms", running);
	options.host.kallsyms = in_folder("kallsyms");
	expect_reason("no kernel symbols given");
	options.host.id = recorded.dso->build_id;
	expect_loaded();
	expect(recorded.dso, RUN + 0x100, "do_work");
	options.host.id.bytes[0] ^= 1;
	options.host.same_machine = true;
	expect_reason("no kernel symbols given");
	recorded.dso->build_id.size = 0;
	expect_loaded();
	expect(recorded.dso, RUN + 0x100, "do_work");
	recorded.end++;
	expect_reason("it was not the one that runs now");
	ck_assert_str_eq(recorded.dso->looked_at, in_folder("kallsyms"));
	recorded.end--;
	recorded.ref_addr++;
	expect_reason("it was not the one that runs now");
	recorded.ref_addr--;
	options.host.same_machine = false;
	expect_reason("the recording does not say which kernel it was");
	stop();
}
END_TEST

static void expect_doubt(const char *part)
{
	expect_loaded();
	const char *doubt = kernel_doubt(kernel);
	ck_assert_msg(part ? doubt && strstr(doubt, part) : !doubt, "%s", doubt ? doubt : "no doubt");
}

/* perf's text has its names, but they are those of other functions. */
START_TEST(a_kallsyms_of_another_kernel_is_told)
{
	start();
	options.kallsyms = in_folder("kallsyms");
	options.ends_by_symbol = true;
	write_text("kallsyms", running);
	expect_doubt(NULL);
	recorded.end++;
	expect_doubt("kallsyms: its code ends 16777216 bytes behind _text, the recorded kernel's 16777217");
	options.ends_by_symbol = false;
	expect_doubt(NULL);
	options.ends_by_symbol = true;
	recorded.end = UINT64_MAX;
	expect_doubt("kallsyms: it has a function _etext, which the recorded kernel has not");
	/* The same kernel, booted elsewhere. */
	recorded.end = RUN + 0x1000000;
	write_text("kallsyms", "ffffffff81000000 T _text\nffffffff82000000 T _etext\n");
	expect_doubt(NULL);
	/* The map of some versions of perf ends at the kernel's data. */
	write_text("kallsyms",
		   "ffffffff81000000 T _text\nffffffff81800000 T _etext\nffffffff82000000 D _edata\n");
	expect_doubt(NULL);
	/* To arm64's kallsyms _etext is data. */
	recorded.end = UINT64_MAX;
	write_text("kallsyms", "ffffffff81000000 T _text\nffffffff81800000 D _etext\n");
	expect_doubt(NULL);
	stop();
}
END_TEST

START_TEST(kallsyms_is_shifted_to_where_the_kernel_was)
{
	uint64_t first, end;

	start();
	write_text("kallsyms", shifted);
	options.kallsyms = in_folder("kallsyms");
	ck_assert_ptr_null(load_into(&first, &end));
	expect(recorded.dso, RUN + 0x80, "_text");
	expect(recorded.dso, RUN + 0x180, "do_work");
	expect(recorded.dso, RUN + 0x1000, "data");
	expect(recorded.dso, LINK, "-");
	ck_assert_uint_eq(first, RUN);
	ck_assert_uint_eq(end, RUN + 0x2000);
	ck_assert_ptr_null(kernel_vmlinux(kernel));
	stop();
}
END_TEST

START_TEST(without_a_reference_nothing_is_shifted)
{
	start();
	write_text("kallsyms", shifted);
	options.kallsyms = in_folder("kallsyms");
	recorded.ref_name = NULL;
	recorded.ref_addr = 0;
	expect_loaded();
	expect(recorded.dso, LINK + 0x100, "do_work");
	recorded.ref_name = "_text"; /* perf wrote no address: kptr_restrict */
	expect_loaded();
	expect(recorded.dso, LINK + 0x100, "do_work");
	stop();
}
END_TEST

/* The symbols are moved to the dso, so the file is read again for the next one. */
START_TEST(a_second_kernel_has_its_symbols_too)
{
	struct dso *first, *second;
	uint64_t start_address, end_address;

	start();
	write_text("kallsyms", shifted);
	options.kallsyms = in_folder("kallsyms");
	expect_loaded();
	first = recorded.dso;
	recorded.dso = second = dsos_get(dsos, DSO_KERNEL, "[guest.kernel.kallsyms]", NULL, NULL);
	recorded.ref_addr = 0xffffffff81000000;
	ck_assert_ptr_null(kernel_load(kernel, &recorded, &start_address, &end_address));
	expect(first, RUN + 0x100, "do_work");
	expect(second, RUN + 0x100, "-");
	expect(second, 0xffffffff81000100, "do_work");
	struct dso *module = dsos_get(dsos, DSO_MODULE, "[my_mod]", NULL, NULL);
	ck_assert(kernel_load_module(kernel, module, MODULE));
	stop();
}
END_TEST

START_TEST(a_source_without_the_reference_is_refused)
{
	start();
	write_text("kallsyms", shifted);
	options.kallsyms = in_folder("kallsyms");
	recorded.ref_name = "_nowhere";
	expect_reason("has no symbol _nowhere");
	ck_assert_str_eq(recorded.dso->looked_at, in_folder("kallsyms"));
	stop();
}
END_TEST

START_TEST(hidden_addresses_are_refused)
{
	start();
	write_text("kallsyms", "0000000000000000 T _text\n0000000000000000 t do_work\n");
	options.kallsyms = in_folder("kallsyms");
	expect_reason("kptr_restrict");
	options.kallsyms = in_folder("nothing");
	expect_reason("cannot read");
	stop();
}
END_TEST

START_TEST(module_lines_are_where_the_module_was)
{
	start();
	write_text("kallsyms", "ffffffff9c000000 T _text\nffffffffc0000020 t modfn\t[my_mod]\n");
	options.kallsyms = in_folder("kallsyms");
	expect_loaded();
	struct dso *module = dsos_get(dsos, DSO_MODULE, "[my_mod]", NULL, NULL);
	struct dso *dashed = dsos_get(dsos, DSO_MODULE, "[my-mod]", NULL, NULL);
	struct dso *other = dsos_get(dsos, DSO_MODULE, "[other]", NULL, NULL);
	ck_assert(kernel_load_module(kernel, module, MODULE));
	ck_assert(module->identity && module->loaded);
	ck_assert_uint_eq(module->text_start, MODULE);
	ck_assert_uint_eq(module->file_start, MODULE); /* its file was not opened */
	expect(module, MODULE + 0x20, "modfn");
	expect(module, MODULE + 0x1f, "-");
	ck_assert(kernel_load_module(kernel, dashed, MODULE));
	ck_assert(!kernel_load_module(kernel, other, MODULE));
	ck_assert_ptr_null(other->symtab);
	stop();
}
END_TEST

START_TEST(modules_of_another_boot_are_refused)
{
	start();
	write_text("kallsyms", shifted);
	options.kallsyms = in_folder("kallsyms");
	expect_loaded();
	struct dso *module = dsos_get(dsos, DSO_MODULE, "[my_mod]", NULL, NULL);
	ck_assert(!kernel_load_module(kernel, module, MODULE + 0x5000));
	ck_assert(!kernel_load_module(kernel, module, MODULE - 0x5000));
	ck_assert(kernel_load_module(kernel, module, MODULE)); /* it lies where it lay */
	expect(module, MODULE + 0x31, "modfn");
	stop();
}
END_TEST

/* A vmlinux with per-cpu variables at 0, as x86 has, and the build-id that was recorded, or another. */
static void write_vmlinux(const char *name, int class, int data, const char *id, bool with_symbols)
{
	static const char names[] = "\0_text\0_stext\0do_work\0label\0percpu\0.Lmark\0absolute\0data";
	uint64_t link = class == ELFCLASS64 ? LINK : (uint32_t)LINK;
	const GElf_Sym symbols[] = {
		{ .st_shndx = SHN_UNDEF },
		{ 1, GELF_ST_INFO(STB_GLOBAL, STT_NOTYPE), 0, 2, link, 0 },
		{ 7, GELF_ST_INFO(STB_GLOBAL, STT_NOTYPE), 0, 2, link, 0 },
		{ 14, GELF_ST_INFO(STB_LOCAL, STT_FUNC), 0, 2, link + 0x100, 0x80 },
		{ 22, GELF_ST_INFO(STB_GLOBAL, STT_NOTYPE), 0, 2, link + 0x200, 0 },
		{ 28, GELF_ST_INFO(STB_GLOBAL, STT_OBJECT), 0, 3, 0x40, 8 },
		{ 35, GELF_ST_INFO(STB_LOCAL, STT_NOTYPE), 0, 2, link + 0x110, 0 },
		{ 42, GELF_ST_INFO(STB_GLOBAL, STT_NOTYPE), 0, SHN_ABS, link + 0x120, 0 },
		{ 51, GELF_ST_INFO(STB_GLOBAL, STT_OBJECT), 0, 4, link + 0x1000, 0x10 },
	};
	struct mkelf m = { .class = class, .data = data, .machine = EM_X86_64, .type = ET_EXEC };
	unsigned char note[36] = "\4\0\0\0\24\0\0\0\3\0\0\0GNU";
	static const char zeros[0x2000];
	size_t size;

	if (data == ELFDATA2MSB)
		memcpy(note, "\0\0\0\4\0\0\0\24\0\0\0\3", 12);
	memcpy(note + 16, id, 20);
	void *records = mkelf_convert(&m, ELF_T_SYM, symbols, sizeof(symbols) / sizeof(symbols[0]), &size);
	mkelf_section(&m, ".notes", (GElf_Shdr){ .sh_type = SHT_NOTE, .sh_size = 36, .sh_addralign = 4 },
		      note);
	mkelf_section(&m, ".text",
		      (GElf_Shdr){ .sh_type = SHT_PROGBITS,
				   .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				   .sh_addr = link,
				   .sh_offset = 0x1000,
				   .sh_size = 0x1000 },
		      zeros);
	mkelf_section(&m, ".data..percpu",
		      (GElf_Shdr){ .sh_type = SHT_PROGBITS,
				   .sh_flags = SHF_ALLOC,
				   .sh_offset = 0x2000,
				   .sh_size = 0x100 },
		      zeros);
	mkelf_section(&m, ".data",
		      (GElf_Shdr){ .sh_type = SHT_PROGBITS,
				   .sh_flags = SHF_ALLOC,
				   .sh_addr = link + 0x1000,
				   .sh_offset = 0x3000,
				   .sh_size = 0x100 },
		      zeros);
	if (with_symbols)
		mkelf_section(&m, ".symtab",
			      (GElf_Shdr){ .sh_type = SHT_SYMTAB,
					   .sh_link = 6,
					   .sh_size = size,
					   .sh_addralign = 8,
					   .sh_entsize = class == ELFCLASS64 ? 24 : 16 },
			      records);
	mkelf_section(&m, ".strtab", (GElf_Shdr){ .sh_type = SHT_STRTAB, .sh_size = sizeof(names) }, names);
	mkelf_load(&m, 0x1000, link, 0x1000, PF_R | PF_X);
	mkelf_load(&m, 0x2000, 0, 0x100, PF_R | PF_W);
	mkelf_load(&m, 0x3000, link + 0x1000, 0x100, PF_R | PF_W);
	mkelf_write(&m, in_folder(name));
	free(records);
}

START_TEST(vmlinux_is_shifted_to_where_the_kernel_was)
{
	start();
	for (int i = 0; i < 4; i++) {
		uint64_t first, end, run = i & 1 ? RUN : (uint32_t)RUN;
		write_vmlinux("vmlinux", i & 1 ? ELFCLASS64 : ELFCLASS32, i & 2 ? ELFDATA2MSB : ELFDATA2LSB,
			      id_bytes, true);
		options.vmlinux = in_folder("vmlinux");
		recorded.start = recorded.ref_addr = run;
		const char *reason = load_into(&first, &end);
		ck_assert_msg(!reason, "%d: %s", i, reason);
		expect(recorded.dso, run + 0x80, "_stext"); /* the longer name of two labels */
		expect(recorded.dso, run + 0x110, "do_work");
		expect(recorded.dso, run + 0x200, "label");
		expect(recorded.dso, run + 0x1008, "data");
		expect(recorded.dso, 0x40, "-");
		ck_assert_uint_eq(symtab_count(recorded.dso->symtab), 4);
		ck_assert_uint_eq(first, run);
		ck_assert_uint_eq(end, run + 0x1010);
		ck_assert_str_eq(kernel_vmlinux(kernel), options.vmlinux);
		ck_assert_str_eq(recorded.dso->long_name, options.vmlinux);
	}
	stop();
}
END_TEST

START_TEST(a_wrong_vmlinux_is_refused)
{
	static const char other_id[20] = "another";

	start();
	options.vmlinux = in_folder("vmlinux");
	expect_reason("not found");
	write_vmlinux("vmlinux", ELFCLASS64, ELFDATA2LSB, other_id, true);
	expect_reason("other build-id");
	write_vmlinux("vmlinux", ELFCLASS64, ELFDATA2LSB, id_bytes, false);
	expect_reason("no symbol table");
	write_vmlinux("vmlinux", ELFCLASS64, ELFDATA2LSB, id_bytes, true);
	recorded.ref_name = "_nowhere";
	expect_reason("has no symbol _nowhere");
	recorded.ref_name = "_text";
	expect_loaded();
	recorded.dso->build_id.size = 0; /* not recorded: believed */
	write_vmlinux("vmlinux", ELFCLASS64, ELFDATA2LSB, other_id, true);
	expect_loaded();
	stop();
}
END_TEST

START_TEST(every_truncation_of_a_vmlinux_is_survived)
{
	static char bytes[0x4000], cut[0x4000];

	start();
	write_vmlinux("vmlinux", ELFCLASS64, ELFDATA2LSB, id_bytes, true);
	FILE *file = fopen(in_folder("vmlinux"), "r");
	size_t size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	ck_assert_uint_lt(size, sizeof(bytes));
	options.vmlinux = in_folder("cut");
	for (size_t length = 0; length < size; length += length < 0x1000 || length > 0x3000 ? 7 : 0x333) {
		uint64_t first, end;
		memcpy(cut, bytes, length);
		mkelf_text(options.vmlinux, cut, length);
		load_into(&first, &end);
	}
	stop();
}
END_TEST

START_TEST(a_vmlinux_is_found_in_the_sysroot)
{
	static const char *const places[] = { "root/boot/vmlinux-6.1.0-test",
					      "root/usr/lib/debug/boot/vmlinux-6.1.0-test",
					      "root/lib/modules/6.1.0-test/build/vmlinux",
					      "root/usr/lib/debug/lib/modules/6.1.0-test/vmlinux",
					      "root/boot/vmlinux" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		start();
		ck_assert(mkelf_run("mkdir -p \"$(dirname '%s')\"", in_folder(places[i])));
		write_vmlinux(places[i], ELFCLASS64, ELFDATA2LSB, id_bytes, true);
		expect_loaded();
		expect(recorded.dso, RUN + 0x100, "do_work");
		/* the release of a recording leads nowhere else */
		options.osrelease = "../../6.1.0-test";
		if (strstr(places[i], "6.1.0"))
			expect_reason("no kernel symbols given");
		stop();
	}
}
END_TEST

START_TEST(links_in_the_sysroot_stay_inside_of_it)
{
	start();
	ck_assert(mkelf_run("mkdir -p '%s/root/boot' '%s/root/images'", folder, folder));
	write_vmlinux("root/images/v", ELFCLASS64, ELFDATA2LSB, id_bytes, true);
	write_vmlinux("outside", ELFCLASS64, ELFDATA2LSB, id_bytes, true);
	ck_assert(mkelf_run("ln -s /images/v '%s/root/boot/vmlinux-6.1.0-test'", folder));
	expect_loaded();
	ck_assert(mkelf_run("ln -sf '%s/outside' '%s/root/boot/vmlinux-6.1.0-test'", folder, folder));
	expect_reason("no kernel symbols given");
	stop();
}
END_TEST

START_TEST(the_build_id_cache_is_searched)
{
	static const char *const vmlinux_places[] = { "cache/.build-id/" ID_HEAD "/" ID_TAIL "/elf",
						      "cache/.build-id/" ID_HEAD "/" ID_TAIL };
	static const char *const kallsyms_places[] = { "cache/.build-id/" ID_HEAD "/" ID_TAIL "/kallsyms",
						       "cache/[kernel.kallsyms]/" ID_HEAD ID_TAIL "/kallsyms",
						       "cache/.build-id/" ID_HEAD "/" ID_TAIL };

	for (size_t i = 0; i < 5; i++) {
		start();
		char empty[160], cache[160];
		const char *const caches[] = { empty, cache };
		snprintf(empty, sizeof(empty), "%s", in_folder("empty"));
		snprintf(cache, sizeof(cache), "%s", in_folder("cache"));
		options.buildid_dirs = caches;
		options.nr_buildid_dirs = 2;
		const char *place = i < 2 ? vmlinux_places[i] : kallsyms_places[i - 2];
		ck_assert(mkelf_run("mkdir -p \"$(dirname '%s')\"", in_folder(place)));
		if (i < 2)
			write_vmlinux(place, ELFCLASS64, ELFDATA2LSB, id_bytes, true);
		else
			write_text(place, in_place);
		expect_loaded();
		expect(recorded.dso, RUN + 0x100, i < 2 ? "do_work" : "here");
		recorded.dso->build_id.bytes[0] ^= 1;
		expect_reason("no kernel symbols given");
		stop();
	}
}
END_TEST

START_TEST(what_is_given_is_the_only_source)
{
	start();
	ck_assert(mkelf_run("mkdir -p '%s/root/boot'", folder));
	write_vmlinux("root/boot/vmlinux-6.1.0-test", ELFCLASS64, ELFDATA2LSB, id_bytes, true);
	write_text("kallsyms", in_place);
	options.kallsyms = in_folder("kallsyms");
	options.vmlinux = in_folder("nothing");
	expect_loaded();
	expect(recorded.dso, RUN + 0x100, "here");
	options.kallsyms = NULL;
	expect_reason("not found");
	options.vmlinux = NULL;
	options.kallsyms = in_folder("nothing");
	expect_reason("cannot read");
	stop();
}
END_TEST

static char *fake_demangle(const char *raw)
{
	return strcmp(raw, "_ZN1aE") ? NULL : xstrdup("demangled");
}

START_TEST(names_are_demangled_when_asked)
{
	start();
	write_text("kallsyms", "ffffffff9c000000 T _text\nffffffff9c000100 t _ZN1aE\n");
	options.kallsyms = in_folder("kallsyms");
	expect_loaded();
	expect(recorded.dso, RUN + 0x100, "_ZN1aE");
	options.demangle = fake_demangle;
	expect_loaded();
	expect(recorded.dso, RUN + 0x100, "demangled");
	stop();
}
END_TEST

START_TEST(a_vmlinux_comes_from_a_server)
{
	char hex[BUILD_ID_HEX];
	static const char other_id[20] = "another";

	if (!ask_debuginfod_is_there())
		return;
	for (int debug = 0; debug < 2; debug++) {
		start();
		AUTOFREE char *folder_url = xasprintf("file://%s/server", folder);
		setenv("DEBUGINFOD_URLS", folder_url, 1);
		setenv("DEBUGINFOD_CACHE_PATH", in_folder("downloads"), 1);
		build_id_hex(&recorded.dso->build_id, hex);
		AUTOFREE char *name =
			xasprintf("server/buildid/%s/%s", hex, debug ? "debuginfo" : "executable");
		ck_assert(mkelf_run("mkdir -p '%s/server/buildid/%s'", folder, hex));
		struct dso_find *find = dso_find_new(&(struct dso_find_options){ .debuginfod = true });
		options.servers = find;
		write_vmlinux(name, ELFCLASS64, ELFDATA2LSB, other_id, true);
		expect_reason("other build-id");
		ck_assert(mkelf_run("rm -r '%s/downloads'", folder));
		write_vmlinux(name, ELFCLASS64, ELFDATA2LSB, id_bytes, true);
		expect_loaded();
		expect(recorded.dso, RUN + 0x110, "do_work");
		/* What is given is the only source. */
		write_text("kallsyms", shifted);
		options.kallsyms = in_folder("kallsyms");
		expect_loaded();
		expect(recorded.dso, RUN + 0x100, "do_work");
		ck_assert_ptr_null(kernel_vmlinux(kernel));
		stop();
		dso_find_free(find);
	}
	unsetenv("DEBUGINFOD_URLS");
	unsetenv("DEBUGINFOD_CACHE_PATH");
}
END_TEST

CHECK_SUITE("kernel", nothing_given_is_a_reason, this_machines_kernel_has_to_be_the_recorded_one,
	    a_kallsyms_of_another_kernel_is_told, kallsyms_is_shifted_to_where_the_kernel_was,
	    without_a_reference_nothing_is_shifted, a_second_kernel_has_its_symbols_too,
	    a_source_without_the_reference_is_refused, hidden_addresses_are_refused,
	    module_lines_are_where_the_module_was, modules_of_another_boot_are_refused,
	    vmlinux_is_shifted_to_where_the_kernel_was, a_wrong_vmlinux_is_refused,
	    every_truncation_of_a_vmlinux_is_survived, a_vmlinux_is_found_in_the_sysroot,
	    links_in_the_sysroot_stay_inside_of_it, the_build_id_cache_is_searched,
	    what_is_given_is_the_only_source, names_are_demangled_when_asked, a_vmlinux_comes_from_a_server)
