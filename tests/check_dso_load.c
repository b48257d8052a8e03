#include "symbolize/dso_load.h"

#include "arch/arch.h"
#include "symbolize/ask_debuginfod.h"
#include "symbolize/dso.h"
#include "symbolize/dso_find.h"
#include "symbolize/host_vdso.h"
#include "symbolize/image.h"
#include "symbolize/symtab.h"
#include "tests/bytes.h"
#include "tests/check_run.h"
#include "tests/mkelf.h"

static char folder[64], root[80], cache[80];
static bool have_tools;

/* Static functions, so that stripping loses a name. */
static const char source[] =
	"static __attribute__((noinline)) int hidden(int x)\n{\n\treturn x * 3;\n}\n"
	"__attribute__((visibility(\"default\"))) int shown(int x)\n{\n\treturn hidden(x) + 1;\n}\n";

#define SH(...)                                                                                              \
	mkelf_run("cd '"                                                                                     \
		  "%s"                                                                                       \
		  "' && " __VA_ARGS__)

/* The same code for another machine in name only. */
static void set_machine(const char *path, uint16_t machine)
{
	static struct bytes b;
	uint8_t order;
	int fd = open(path, O_RDWR);

	ck_assert_int_eq(pread(fd, &order, 1, EI_DATA), 1);
	bytes_start(&b, order == ELFDATA2MSB);
	put_u16(&b, machine);
	ck_assert_int_eq(pwrite(fd, b.at, b.size, offsetof(Elf64_Ehdr, e_machine)), 2);
	close(fd);
}

static void set_up(void)
{
	char path[128];

	mkelf_folder(folder);
	snprintf(root, sizeof(root), "%s/root", folder);
	snprintf(cache, sizeof(cache), "%s/cache", folder);
	snprintf(path, sizeof(path), "%s/a.c", folder);
	mkelf_text(path, source, strlen(source));
	have_tools = mkelf_run(
		"cd '%s' && mkdir -p root/opt cache && gcc -O1 -g -shared -fPIC -Wl,--build-id a.c -o a.so "
		"&& gcc -O1 -g -shared -fPIC -Wl,--build-id=none a.c -o no-id.so && cp a.so root/opt && "
		"objcopy --only-keep-debug a.so a.debug && strip a.so -o stripped.so",
		folder);
}

static void tear_down(void)
{
	mkelf_remove(folder);
}

static struct build_id id_of(const char *name)
{
	char path[160];
	const char *why;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	struct image *image = image_open(path, &why);
	ck_assert_ptr_nonnull(image);
	struct build_id id = image->build_id;
	image_free(image);
	return id;
}

/* What became of a dso, as text: "NAMES binary=PATH debug=PATH missing", without the test's folder. */
static const char *load(const struct dso_find_options *options, struct dso *dso)
{
	static char text[2048];
	static const char *const wanted[] = { "shown", "hidden" };
	struct dso_find *find = dso_find_new(options);
	size_t used = 0, skip = strlen(folder);

	dso_load(find, dso);
	ck_assert(dso->loaded);
	text[0] = '\0';
	for (size_t i = 0; i < 2; i++) {
		const struct symbol *s = dso->symtab ? symtab_by_name(dso->symtab, wanted[i]) : NULL;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s ", s ? wanted[i] : "-");
	}
	if (dso->binary)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "binary=%s ",
					 dso->binary->path + skip);
	if (dso->debug)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "debug=%s ",
					 dso->debug->path + skip);
	snprintf(text + used, sizeof(text) - used, "%s", dso->missing ? dso->missing : "ok");
	symtab_free(dso->symtab);
	image_free(dso->binary);
	image_free(dso->debug);
	image_free(dso->names);
	dso_find_free(find);
	return text;
}

static struct dso make_dso(enum dso_kind kind, const char *name)
{
	return (struct dso){ .kind = kind, .name = name, .long_name = name, .short_name = name };
}

static const char *load_path(const struct dso_find_options *options, const char *name,
			     const struct build_id *id)
{
	struct dso dso = make_dso(DSO_FILE, name);

	if (id)
		dso.build_id = *id;
	return load(options, &dso);
}

static struct dso_find_options in_root(void)
{
	return (struct dso_find_options){ .sysroot = root, .buildid_dir = cache };
}

START_TEST(the_build_id_decides)
{
	if (!have_tools)
		return;
	struct dso_find_options options = in_root();
	struct build_id id = id_of("a.so"), other = { .size = 4, .bytes = { 1, 2, 3, 4 } };

	ck_assert_str_eq(load_path(&options, "/opt/a.so", &id), "shown hidden binary=/root/opt/a.so ok");
	ck_assert_str_eq(load_path(&options, "/opt/a.so", NULL), "shown hidden binary=/root/opt/a.so ok");
	ck_assert_str_eq(load_path(&options, "/opt/a.so (deleted)", NULL),
			 "shown hidden binary=/root/opt/a.so ok");
	ck_assert_str_eq(load_path(&options, "/opt/a.so", &other), "- - other build-id");
	ck_assert_str_eq(load_path(&options, "/opt/b.so", &id), "- - not found");
	ck_assert(SH("cp no-id.so root/opt/a.so", folder));
	ck_assert_str_eq(load_path(&options, "/opt/a.so", &id), "- - other build-id");
	/* The wrong file is there, the right one elsewhere. */
	char hex[BUILD_ID_HEX];
	build_id_hex(&id, hex);
	ck_assert(SH("mkdir -p cache/.build-id/%.2s/%s && cp a.so cache/.build-id/%.2s/%s/elf", folder, hex,
		     hex + 2, hex, hex + 2));
	char want[256];
	snprintf(want, sizeof(want), "shown hidden binary=/cache/.build-id/%.2s/%s/elf ok", hex, hex + 2);
	ck_assert_str_eq(load_path(&options, "/opt/a.so", &id), want);
}
END_TEST

START_TEST(a_file_of_another_machine_is_not_used)
{
	if (!have_tools)
		return;
	struct dso_find_options options = in_root();
	struct build_id id = id_of("a.so");
	char path[128];

	options.arch = arch_by_name("aarch64");
	snprintf(path, sizeof(path), "%s/opt/a.so", root);
	set_machine(path, EM_S390);
	ck_assert_str_eq(load_path(&options, "/opt/a.so", NULL), "- - other machine");
	ck_assert_str_eq(load_path(&options, "/opt/a.so", &id), "- - other machine");
	set_machine(path, EM_AARCH64);
	ck_assert_str_eq(load_path(&options, "/opt/a.so", NULL), "shown hidden binary=/root/opt/a.so ok");
	set_machine(path, EM_ARM);
	ck_assert_str_eq(load_path(&options, "/opt/a.so", NULL), "shown hidden binary=/root/opt/a.so ok");
	mkelf_text(path, "#!/bin/sh\n", 10);
	ck_assert_str_eq(load_path(&options, "/opt/a.so", NULL), "- - no ELF file");
}
END_TEST

START_TEST(this_machines_file_is_believed_by_its_build_id_only)
{
	if (!have_tools)
		return;
	struct dso_find_options options = { .buildid_dir = cache };
	struct build_id id = id_of("a.so"), other = { .size = 4, .bytes = { 1, 2, 3, 4 } };
	char path[128], deleted[160];

	snprintf(path, sizeof(path), "%s/a.so", folder);
	snprintf(deleted, sizeof(deleted), "%s (deleted)", path);
	ck_assert_str_eq(load_path(&options, path, &id), "shown hidden binary=/a.so ok");
	ck_assert_str_eq(load_path(&options, deleted, &id), "shown hidden binary=/a.so ok");
	ck_assert_str_eq(load_path(&options, path, &other), "- - other build-id");
	ck_assert_str_eq(load_path(&options, path, NULL),
			 "- - this machine is not the recorded one (--sysroot)");
	options.host_is_unsaid = true;
	ck_assert_str_eq(load_path(&options, path, NULL),
			 "- - the recording does not say which machine it was (if this one: --sysroot /)");
	ck_assert_str_eq(load_path(&options, "[uprobes]", NULL), "- - not found");
	ck_assert_str_eq(load_path(&options, "/nowhere/a.so", &other),
			 "- - not found on this machine (--sysroot)");
	options.host_is_recorded = true;
	ck_assert_str_eq(load_path(&options, "/nowhere/a.so", &other), "- - not found");
	ck_assert_str_eq(load_path(&options, path, NULL), "shown hidden binary=/a.so ok");
	ck_assert_str_eq(load_path(&options, deleted, NULL), "- - deleted when it was recorded");
	set_machine(path, EM_S390);
	options.arch = arch_by_name("aarch64");
	ck_assert_str_eq(load_path(&options, path, NULL), "- - other machine");
}
END_TEST

START_TEST(a_debug_file_needs_a_proof)
{
	if (!have_tools)
		return;
	struct dso_find_options options = in_root();
	struct build_id id = id_of("a.so");
	char hex[BUILD_ID_HEX];
	build_id_hex(&id, hex);

	ck_assert(SH("cp stripped.so root/opt/a.so", folder));
	ck_assert_str_eq(load_path(&options, "/opt/a.so", NULL), "shown - binary=/root/opt/a.so stripped");
	/* By build-id; alone too. */
	ck_assert(SH("mkdir -p root/usr/lib/debug/.build-id/%.2s && cp a.debug "
		     "root/usr/lib/debug/.build-id/%.2s/%s.debug",
		     folder, hex, hex, hex + 2));
	char want[256];
	snprintf(want, sizeof(want),
		 "shown hidden binary=/root/opt/a.so debug=/root/usr/lib/debug/.build-id/%.2s/%s.debug ok",
		 hex, hex + 2);
	ck_assert_str_eq(load_path(&options, "/opt/a.so", NULL), want);
	snprintf(want, sizeof(want), "shown hidden debug=/root/usr/lib/debug/.build-id/%.2s/%s.debug ok", hex,
		 hex + 2);
	ck_assert_str_eq(load_path(&options, "/other/name", &id), want);
	ck_assert(SH("rm -r root/usr", folder));

	/* By the link's checksum, when there is no build-id. */
	ck_assert(SH(
		"objcopy --only-keep-debug no-id.so root/opt/n.debug && strip no-id.so -o root/opt/n.so && "
		"cd root/opt && objcopy --add-gnu-debuglink=n.debug n.so",
		folder));
	ck_assert_str_eq(load_path(&options, "/opt/n.so", NULL),
			 "shown hidden binary=/root/opt/n.so debug=/root/opt/n.debug ok");
	ck_assert(SH("printf x >> root/opt/n.debug", folder));
	ck_assert_str_eq(load_path(&options, "/opt/n.so", NULL), "shown - binary=/root/opt/n.so stripped");

	/* By name: the build-id must fit, or without one the segments. */
	ck_assert(SH("mkdir -p root/usr/lib/debug/opt && cp a.debug root/usr/lib/debug/opt/a.so.debug",
		     folder));
	ck_assert_str_eq(load_path(&options, "/opt/a.so", NULL),
			 "shown hidden binary=/root/opt/a.so debug=/root/usr/lib/debug/opt/a.so.debug ok");
	ck_assert(SH("cp root/opt/n.debug root/usr/lib/debug/opt/a.so.debug", folder));
	ck_assert_str_eq(load_path(&options, "/opt/a.so", NULL), "shown - binary=/root/opt/a.so stripped");
	ck_assert(SH("cp root/opt/n.debug root/usr/lib/debug/opt/n.so.debug", folder));
	ck_assert_str_eq(load_path(&options, "/opt/n.so", NULL),
			 "shown hidden binary=/root/opt/n.so debug=/root/usr/lib/debug/opt/n.so.debug ok");
	ck_assert(
		SH("echo 'int more[9999];' >>a.c && gcc -O1 -g -shared -fPIC -Wl,--build-id=none a.c -o b.so "
		   "&& objcopy --only-keep-debug b.so root/usr/lib/debug/opt/n.so.debug",
		   folder));
	ck_assert_str_eq(load_path(&options, "/opt/n.so", NULL), "shown - binary=/root/opt/n.so stripped");
}
END_TEST

/* Where hidden() begins in a file; 0: it has no name. */
static uint64_t start_of_hidden(const char *name)
{
	struct dso_find_options options = in_root();
	struct dso_find *find = dso_find_new(&options);
	struct dso dso = make_dso(DSO_FILE, name);

	dso_load(find, &dso);
	const struct symbol *hidden = dso.symtab ? symtab_by_name(dso.symtab, "hidden") : NULL;
	uint64_t start = hidden ? hidden->start : 0;
	symtab_free(dso.symtab);
	image_free(dso.binary);
	image_free(dso.debug);
	image_free(dso.names);
	dso_find_free(find);
	return start;
}

/* The sections of a debug file without contents are elsewhere in it, and a static program has no symbols. */
START_TEST(symbols_of_a_debug_file_are_where_the_program_has_its_code)
{
	if (!have_tools ||
	    !SH("gcc -O1 -g -static -nostdlib -no-pie -Wl,-e,shown a.c -o root/opt/whole && cd root/opt && "
		"objcopy --only-keep-debug whole bare.debug && strip whole -o bare && "
		"objcopy --add-gnu-debuglink=bare.debug bare",
		folder))
		return;
	ck_assert_uint_ne(start_of_hidden("/opt/whole"), 0);
	ck_assert_uint_eq(start_of_hidden("/opt/bare"), start_of_hidden("/opt/whole"));
}
END_TEST

START_TEST(a_debug_file_in_place_of_the_binary_gives_names)
{
	if (!have_tools)
		return;
	struct dso_find_options options = in_root();
	struct build_id id = id_of("a.so");

	ck_assert(SH("cp a.debug root/opt/a.so", folder));
	ck_assert_str_eq(load_path(&options, "/opt/a.so", &id), "shown hidden debug=/root/opt/a.so ok");
	ck_assert(SH("mkdir -p extra/x && cp stripped.so extra/x/a.so", folder));
	char extra[96];
	snprintf(extra, sizeof(extra), "%s/extra", folder);
	const char *dirs[] = { extra };
	options.extra_dirs = dirs;
	options.nr_extra_dirs = 1;
	ck_assert_str_eq(load_path(&options, "/opt/a.so", &id),
			 "shown hidden binary=/extra/x/a.so debug=/root/opt/a.so ok");
}
END_TEST

START_TEST(packed_symbols_count_where_the_binary_has_fewer)
{
	if (!have_tools)
		return;
	struct dso_find_options options = in_root();

	/* As Fedora's packages: the debug file's functions that .dynsym lacks, and their sections' headers.
	 */
	if (!SH("objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbol=hidden "
		"a.debug mini && "
		"xz mini && objcopy --add-section .gnu_debugdata=mini.xz stripped.so root/opt/a.so",
		folder))
		return;
	ck_assert_str_eq(load_path(&options, "/opt/a.so", NULL), "shown hidden binary=/root/opt/a.so ok");
	ck_assert(SH("objcopy --add-section .gnu_debugdata=mini.xz a.so root/opt/a.so", folder));
	ck_assert_str_eq(load_path(&options, "/opt/a.so", NULL), "shown hidden binary=/root/opt/a.so ok");
	ck_assert(SH("head -c 100 mini.xz > cut.xz && objcopy --add-section .gnu_debugdata=cut.xz "
		     "stripped.so root/opt/a.so",
		     folder));
	ck_assert_str_eq(load_path(&options, "/opt/a.so", NULL), "shown - binary=/root/opt/a.so stripped");
}
END_TEST

START_TEST(a_module_counts_from_the_beginning_of_its_file)
{
	struct dso dso = make_dso(DSO_MODULE, "/lib/modules/6.1/kernel/a.ko");
	struct dso_find_options options = in_root();

	if (!have_tools || !SH("mkdir -p root/lib/modules/6.1/kernel && gcc -O1 -c a.c -o "
			       "root/lib/modules/6.1/kernel/a.ko && "
			       "gzip root/lib/modules/6.1/kernel/a.ko",
			       folder))
		return;
	struct dso_find *find = dso_find_new(&options);
	dso_load(find, &dso);
	ck_assert(dso.binary && dso.symtab && !dso.missing);
	const struct symbol *hidden = symtab_by_name(dso.symtab, "hidden");
	ck_assert_ptr_nonnull(hidden);
	/* The first function of .text */
	ck_assert_uint_ne(dso_load_text_offset(&dso), 0);
	ck_assert_uint_eq(hidden->start, dso_load_text_offset(&dso));
	symtab_free(dso.symtab);
	image_free(dso.binary);
	dso_find_free(find);
	dso = make_dso(DSO_FILE, "/lib/modules/6.1/kernel/a.ko.gz");
	ck_assert_str_eq(load(&options, &dso), "- - another file of that name");
	ck_assert_uint_eq(dso_load_text_offset(&dso), 0);
}
END_TEST

START_TEST(a_vdso_without_a_build_id_must_be_the_only_one)
{
	if (!have_tools)
		return;
	struct dso_find_options options = in_root();
	struct dso dso = make_dso(DSO_VDSO, "[vdso]");

	ck_assert(SH(
		"mkdir -p root/lib/modules/6.1/vdso root/lib/modules/6.2/vdso && cp stripped.so "
		"root/lib/modules/6.1/vdso/vdso64.so && cp stripped.so root/lib/modules/6.1/vdso/vdso32.so",
		folder));
	char path[128];
	snprintf(path, sizeof(path), "%s/lib/modules/6.1/vdso/vdso32.so", root);
	set_machine(path, EM_ARM);
	snprintf(path, sizeof(path), "%s/lib/modules/6.1/vdso/vdso64.so", root);
	set_machine(path, EM_AARCH64);
	options.arch = arch_by_name("aarch64");
	ck_assert_str_eq(load(&options, &dso), "shown - binary=/root/lib/modules/6.1/vdso/vdso64.so ok");
	ck_assert(SH("cp root/lib/modules/6.1/vdso/* root/lib/modules/6.2/vdso", folder));
	dso = make_dso(DSO_VDSO, "[vdso]");
	ck_assert_str_eq(load(&options, &dso), "- - several kernels' files and no build-id recorded");
}
END_TEST

START_TEST(jit_code_is_named_by_its_map_file)
{
	struct dso_find_options options = { .perf_map_dir = folder };
	struct dso dso = make_dso(DSO_JIT, "/tmp/perf-7.map");
	char path[128];

	dso.jit_pid = 7;
	dso.identity = true;
	snprintf(path, sizeof(path), "%s/perf-7.map", folder);
	mkelf_text(path, "1000 20 hidden\n1020 20 shown\n", 29);
	ck_assert_str_eq(load(&options, &dso), "shown hidden ok");
	/* Another machine's process of that number is none of ours. */
	options.perf_map_dir = NULL;
	dso.loaded = false;
	dso.symtab = NULL;
	ck_assert_str_eq(load(&options, &dso), "- - this machine is not the recorded one (--sysroot)");
}
END_TEST

START_TEST(this_kernels_vdso_is_in_memory)
{
	struct dso_find_options options = { .buildid_dir = folder };
	struct dso dso = make_dso(DSO_VDSO, "[vdso]");
	size_t size;
	const char *why;
	void *bytes = host_vdso(&size);
	struct image *image = bytes ? image_memory("[vdso]", bytes, size, &why) : NULL;

	if (!image || !image->build_id.size) {
		image_free(image);
		return;
	}
	struct build_id id = image->build_id;
	image_free(image);
	dso.build_id = id;
	struct dso_find *find = dso_find_new(&options);
	dso_load(find, &dso);
	ck_assert_ptr_null(dso.missing);
	ck_assert_ptr_nonnull(dso.symtab);
	ck_assert_str_eq(dso.looked_at, "[vdso]");
	ck_assert_str_eq(dso.long_name, "[vdso]");
	symtab_free(dso.symtab);
	image_free(dso.binary);
	dso_find_free(find);
	/* Another kernel's; nothing known; a sysroot. */
	dso = make_dso(DSO_VDSO, "[vdso]");
	dso.build_id = id;
	dso.build_id.bytes[0] ^= 1;
	ck_assert_str_eq(load(&options, &dso), "- - not found");
	dso = make_dso(DSO_VDSO, "[vdso]");
	ck_assert_str_eq(load(&options, &dso), "- - not found");
	options = in_root();
	dso = make_dso(DSO_VDSO, "[vdso]");
	dso.build_id = id;
	ck_assert_str_eq(load(&options, &dso), "- - not found");
}
END_TEST

START_TEST(the_debug_file_of_a_stripped_binary_is_downloaded)
{
	struct dso_find_options options = in_root();
	char url[128], hex[BUILD_ID_HEX];

	if (!have_tools || !ask_debuginfod_is_there())
		return;
	struct build_id id = id_of("a.so");
	snprintf(url, sizeof(url), "file://%s/server", folder);
	setenv("DEBUGINFOD_URLS", url, 1);
	snprintf(url, sizeof(url), "%s/downloads", folder);
	setenv("DEBUGINFOD_CACHE_PATH", url, 1);
	ck_assert(SH("cp stripped.so root/opt/a.so && mkdir -p server/buildid/%s && cp a.debug "
		     "server/buildid/%s/debuginfo",
		     folder, build_id_hex(&id, hex), hex));
	ck_assert_str_eq(load_path(&options, "/opt/a.so", &id), "shown - binary=/root/opt/a.so stripped");
	options.debuginfod = true;
	const char *text = load_path(&options, "/opt/a.so", &id);
	ck_assert_int_eq(strncmp(text, "shown hidden binary=/root/opt/a.so debug=/downloads/", 52), 0);
	ck_assert_str_eq(text + strlen(text) - 3, " ok");
	/* A short build-id, which an older perf padded. */
	ck_assert(SH("gcc -O1 -shared -fPIC -Wl,--build-id=0x0102030405060708 a.c -o short.so && "
		     "mkdir server/buildid/0102030405060708 && "
		     "cp short.so server/buildid/0102030405060708/executable",
		     folder));
	id = build_id_make("\1\2\3\4\5\6\7\10\0\0\0\0\0\0\0\0\0\0\0", 20);
	text = load_path(&options, "/opt/short.so", &id);
	ck_assert_int_eq(strncmp(text, "shown hidden binary=/downloads/", 31), 0);
	unsetenv("DEBUGINFOD_URLS");
}
END_TEST

START_TEST(kinds_without_files)
{
	struct dso_find_options options = { .host_is_recorded = true };
	struct dso heap = make_dso(DSO_ANON, "[heap]"), program = make_dso(DSO_KSYMBOL, "shown");

	ck_assert_str_eq(load(&options, &heap), "- - ok");
	struct dso_find *find = dso_find_new(&options);
	dso_load(find, &program);
	ck_assert_str_eq(symtab_find(program.symtab, 0)->name, "shown");
	ck_assert_str_eq(symtab_find(program.symtab, 0xffffffff)->name, "shown");
	symtab_free(program.symtab);
	dso_find_free(find);
}
END_TEST

CHECK_SUITE_WITH("dso_load", set_up, tear_down, the_build_id_decides,
		 a_file_of_another_machine_is_not_used,
		 this_machines_file_is_believed_by_its_build_id_only, a_debug_file_needs_a_proof,
		 symbols_of_a_debug_file_are_where_the_program_has_its_code,
		 a_debug_file_in_place_of_the_binary_gives_names,
		 packed_symbols_count_where_the_binary_has_fewer,
		 a_module_counts_from_the_beginning_of_its_file,
		 a_vdso_without_a_build_id_must_be_the_only_one, jit_code_is_named_by_its_map_file,
		 the_debug_file_of_a_stripped_binary_is_downloaded, this_kernels_vdso_is_in_memory,
		 kinds_without_files)
