#include "symbolize/dso_find.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/check_run.h"
#include "tests/mkelf.h"

static char folder[64], root[80];

static void set_up(void)
{
	mkelf_folder(folder);
	snprintf(root, sizeof(root), "%s/root", folder);
	ck_assert_int_eq(mkdir(root, 0755), 0);
}

static void tear_down(void)
{
	mkelf_remove(folder);
}

/* A file below the test's folder, and the folders that it is in. */
static void touch(const char *name)
{
	ck_assert(mkelf_run("cd '%s' && mkdir -p \"$(dirname '%s')\" && : > '%s'", folder, name, name));
}

static void link_to(const char *target, const char *name)
{
	ck_assert(mkelf_run("cd '%s' && mkdir -p \"$(dirname '%s')\" && ln -s '%s' '%s'", folder, name,
			    target, name));
}

/* @path followed in the root, without the root; "-": nothing is there. */
static const char *inside(const char *path)
{
	static char text[512];
	char *found = dso_find_inside(root, path);

	if (!found)
		return "-";
	ck_assert(!strncmp(found, root, strlen(root)));
	snprintf(text, sizeof(text), "%s", found + strlen(root));
	free(found);
	return text;
}

START_TEST(links_are_followed_inside_of_the_sysroot)
{
	touch("root/usr/lib/x/libc.so");
	touch("outside");
	link_to("usr/lib", "root/lib");
	link_to("/usr/lib/x", "root/absolute");
	link_to("../../../../../../usr/lib/x/../x/libc.so", "root/usr/up");
	link_to("../outside", "root/escape");
	link_to("loop2", "root/loop1");
	link_to("loop1", "root/loop2");
	link_to("/absolute/libc.so", "root/chain");
	link_to("grow/grow", "root/grow");

	ck_assert_str_eq(inside("/usr/lib/x/libc.so"), "/usr/lib/x/libc.so");
	ck_assert_str_eq(inside("//usr/./lib//x/libc.so"), "/usr/lib/x/libc.so");
	ck_assert_str_eq(inside("/lib/x/libc.so"), "/usr/lib/x/libc.so");
	ck_assert_str_eq(inside("/absolute/libc.so"), "/usr/lib/x/libc.so");
	ck_assert_str_eq(inside("/usr/up"), "/usr/lib/x/libc.so");
	ck_assert_str_eq(inside("/chain"), "/usr/lib/x/libc.so");
	ck_assert_str_eq(inside("/../../usr/lib/x/libc.so"), "/usr/lib/x/libc.so");
	ck_assert_str_eq(inside("/../outside"), "-");
	ck_assert_str_eq(inside("/escape"), "-");
	ck_assert_str_eq(inside("/loop1"), "-");
	ck_assert_str_eq(inside("/grow"), "-");
	ck_assert_str_eq(inside("/usr/lib/x/libc.so/more"), "-");
	ck_assert_str_eq(inside("/nothing"), "-");
	char *long_path = malloc(10001);
	memset(long_path, 'a', 10000);
	long_path[0] = '/';
	long_path[10000] = '\0';
	ck_assert_str_eq(inside(long_path), "-");
	free(long_path);
}
END_TEST

static struct dso make_dso(enum dso_kind kind, const char *name)
{
	return (struct dso){ .kind = kind, .name = name, .long_name = name, .short_name = name };
}

static struct build_id make_id(void)
{
	static const uint8_t bytes[20] = { 0xab, 0xcd, 0xef, 1,	 2,  3,	 4,  5,	 6,  7,
					   8,	 9,    10,   11, 12, 13, 14, 15, 16, 17 };

	return build_id_make(bytes, sizeof(bytes));
}
#define HEX "abcdef0102030405060708090a0b0c0d0e0f1011"
#define ID "ab/cdef0102030405060708090a0b0c0d0e0f1011"

/* The list as "KIND:path ..." with paths below the test's folder; frees both. */
static const char *text_of(struct dso_find *find, struct dso_places *places)
{
	static const char *const kinds[] = { "host", "sysroot", "extra", "id", "link",
					     "name", "vdso",	"data",	 "own" };
	static char text[4096];
	size_t used = 0;

	text[0] = '\0';
	const struct dso_place *place;
	for (size_t i = 0; (place = dso_places_at(places, i)); i++) {
		const char *path = place->path ? place->path : "";
		if (!strncmp(path, folder, strlen(folder)))
			path += strlen(folder);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s%s%s", i ? " " : "",
					 kinds[place->kind], *path ? ":" : "", path);
	}
	dso_places_free(places);
	dso_find_free(find);
	return text;
}

static const char *binary(const struct dso_find_options *options, const struct dso *dso)
{
	struct dso_find *find = dso_find_new(options);
	struct dso_places places = { 0 };

	dso_find_binary(find, dso, &places);
	return text_of(find, &places);
}

static struct dso_find_options in_root(void)
{
	return (struct dso_find_options){ .sysroot = root };
}

START_TEST(a_path_is_looked_for_in_the_sysroot_only)
{
	struct dso_find_options options = in_root();
	struct dso bin_true = make_dso(DSO_FILE, "/bin/true"), dso = make_dso(DSO_FILE, "/lib/a.so");

	ck_assert_str_eq(binary(&options, &bin_true), "");
	touch("root/usr/lib/a.so");
	ck_assert_str_eq(binary(&options, &dso), "sysroot:/root/usr/lib/a.so");
	touch("root/lib/a.so");
	ck_assert_str_eq(binary(&options, &dso), "sysroot:/root/lib/a.so sysroot:/root/usr/lib/a.so");
	dso = make_dso(DSO_FILE, "/usr/lib/a.so");
	ck_assert_str_eq(binary(&options, &dso), "sysroot:/root/usr/lib/a.so sysroot:/root/lib/a.so");
	dso = make_dso(DSO_FILE, "/usr/lib/a.so (deleted)");
	ck_assert_str_eq(binary(&options, &dso), "sysroot:/root/usr/lib/a.so sysroot:/root/lib/a.so");
	touch("outside");
	dso = make_dso(DSO_FILE, "/../outside");
	ck_assert_str_eq(binary(&options, &dso), "");
	dso = make_dso(DSO_FILE, "[uprobes]");
	ck_assert_str_eq(binary(&options, &dso), "");
	/* A slash at the end of the option changes nothing. */
	char slashed[96];
	snprintf(slashed, sizeof(slashed), "%s//", root);
	options.sysroot = slashed;
	dso = make_dso(DSO_FILE, "/lib/a.so");
	ck_assert_str_eq(binary(&options, &dso), "sysroot:/root/lib/a.so sysroot:/root/usr/lib/a.so");
}
END_TEST

START_TEST(this_machine_is_asked_when_something_can_prove_the_file)
{
	struct dso_find_options options = { .buildid_dir = folder };
	char name[128];
	snprintf(name, sizeof(name), "%s/program", folder);
	struct dso dso = make_dso(DSO_FILE, name);

	touch("program");
	ck_assert_str_eq(binary(&options, &dso), "");
	options.host_is_recorded = true;
	ck_assert_str_eq(binary(&options, &dso), "host:/program");
	options.host_is_recorded = false;
	dso.build_id = make_id();
	ck_assert_str_eq(binary(&options, &dso), "host:/program");
}
END_TEST

START_TEST(extra_folders_are_searched_by_path_then_by_name)
{
	char extra[96];
	snprintf(extra, sizeof(extra), "%s/extra", folder);
	const char *dirs[] = { extra };
	struct dso_find_options options = { .sysroot = root, .extra_dirs = dirs, .nr_extra_dirs = 1 };
	struct dso dso = make_dso(DSO_FILE, "/opt/app/lib/a.so");

	touch("extra/other/a.so");
	ck_assert_str_eq(binary(&options, &dso), "extra:/extra/other/a.so");
	/* The one whose folders are more alike. */
	touch("extra/deep/down/lib/a.so");
	ck_assert_str_eq(binary(&options, &dso), "extra:/extra/deep/down/lib/a.so");
	touch("extra/deep/up/lib/a.so");
	ck_assert_str_eq(binary(&options, &dso), ""); /* two that are: neither */
	dso.build_id = make_id();
	ck_assert_str_eq(binary(&options, &dso),
			 "extra:/extra/deep/down/lib/a.so extra:/extra/deep/up/lib/a.so "
			 "extra:/extra/other/a.so");
	dso.build_id.size = 0;
	touch("extra/opt/app/lib/a.so");
	ck_assert_str_eq(binary(&options, &dso), "extra:/extra/opt/app/lib/a.so");
}
END_TEST

START_TEST(all_layouts_of_the_build_id_cache_are_known)
{
	char cache[96];
	snprintf(cache, sizeof(cache), "%s/cache", folder);
	struct dso_find_options options = { .sysroot = root, .buildid_dir = cache };
	struct dso dso = make_dso(DSO_FILE, "/opt/a");
	dso.build_id = make_id();

	/* As a copy that lost its links; as perf writes it now; as it did before Linux 4.6. */
	touch("cache/opt/a/" HEX "/elf");
	ck_assert_str_eq(binary(&options, &dso), "id:/cache/opt/a/" HEX "/elf");
	link_to("../../opt/a/" HEX, "cache/.build-id/" ID);
	ck_assert_str_eq(binary(&options, &dso),
			 "id:/cache/.build-id/" ID "/elf id:/cache/opt/a/" HEX "/elf");
	ck_assert(mkelf_run("rm -r '%s/opt'", cache));
	touch("cache/opt/a/" HEX);
	ck_assert_str_eq(binary(&options, &dso), "id:/cache/.build-id/" ID " id:/cache/opt/a/" HEX);
	ck_assert(mkelf_run("mv '%s' '%s/.debug'", cache, root));
	options.buildid_dir = NULL;
	ck_assert_str_eq(binary(&options, &dso), "id:/root/.debug/opt/a/" HEX);
}
END_TEST

START_TEST(an_id_that_was_padded_with_zeros_is_found_by_its_short_form)
{
	static const uint8_t bytes[20] = { 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0 };
	char cache[96];
	snprintf(cache, sizeof(cache), "%s/cache", folder);
	struct dso_find_options options = { .sysroot = root, .buildid_dir = cache };
	struct dso dso = make_dso(DSO_FILE, "/opt/a");
	dso.build_id = build_id_make(bytes, sizeof(bytes));

	touch("cache/.build-id/12/3456789abcdef0/elf");
	ck_assert_str_eq(binary(&options, &dso), "id:/cache/.build-id/12/3456789abcdef0/elf");
}
END_TEST

/* What perf archive packs, unpacked: links of .build-id to folders, or copies without them. */
START_TEST(ids_of_any_size_in_both_layouts)
{
	static const uint8_t bytes[20] = { 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 1,  2,
					   3,	 4,    5,    6,	   7,	 8,    9,    10,   11, 12 };
	char cache[96], hex[BUILD_ID_HEX], want[300], file[200];
	struct dso_find_options options = { .sysroot = root, .buildid_dir = cache };

	snprintf(cache, sizeof(cache), "%s/cache", folder);
	for (size_t size = 1; size <= 20; size++) {
		struct dso dso = make_dso(DSO_FILE, "/opt/a");
		dso.build_id = build_id_make(bytes, size);
		build_id_hex(&dso.build_id, hex);
		snprintf(file, sizeof(file), "cache/opt/a/%s/elf", hex);
		touch(file);
		snprintf(want, sizeof(want), "id:/cache/opt/a/%s/elf", hex);
		ck_assert_str_eq(binary(&options, &dso), want);
		if (size == 1) /* .build-id/12/ is not one file's */
			continue;
		snprintf(file, sizeof(file), "cache/.build-id/12/%s", hex + 2);
		snprintf(want, sizeof(want), "../../opt/a/%s", hex);
		link_to(want, file);
		snprintf(want, sizeof(want), "id:/cache/.build-id/12/%s/elf id:/cache/opt/a/%s/elf", hex + 2,
			 hex);
		ck_assert_str_eq(binary(&options, &dso), want);
		/* An older perf pads it. */
		uint8_t padded[20] = { 0 };
		memcpy(padded, bytes, size);
		dso.build_id = build_id_make(padded, sizeof(padded));
		ck_assert_str_eq(binary(&options, &dso), want);
	}
}
END_TEST

START_TEST(what_was_unpacked_beside_the_recording_comes_last)
{
	char cache[96];
	struct dso_find_options options = { .sysroot = root, .beside = folder };
	struct dso dso = make_dso(DSO_FILE, "/opt/a");
	size_t count;

	dso.build_id = make_id();
	touch(".build-id/" ID "/elf");
	ck_assert_str_eq(binary(&options, &dso), "id:/.build-id/" ID "/elf");
	touch(".debug/.build-id/" ID "/elf");
	ck_assert_str_eq(binary(&options, &dso), "id:/.debug/.build-id/" ID "/elf id:/.build-id/" ID "/elf");
	snprintf(cache, sizeof(cache), "%s/cache", folder);
	options.buildid_dir = cache;
	touch("cache/.build-id/" ID "/elf");
	ck_assert_str_eq(binary(&options, &dso), "id:/cache/.build-id/" ID "/elf id:/.debug/.build-id/" ID
						 "/elf id:/.build-id/" ID "/elf");
	struct dso_find *find = dso_find_new(&options);
	const char *const *caches = dso_find_caches(find, &count);
	ck_assert_uint_eq(count, 3);
	ck_assert_str_eq(caches[0], cache);
	ck_assert_str_eq(caches[2], folder);
	dso_find_free(find);
}
END_TEST

START_TEST(a_module_may_be_packed_in_another_way)
{
	struct dso_find_options options = in_root();
	struct dso dso = make_dso(DSO_MODULE, "/lib/modules/6.1/kernel/fs/a.ko");

	touch("root/usr/lib/modules/6.1/kernel/fs/a.ko.zst");
	ck_assert_str_eq(binary(&options, &dso), "sysroot:/root/usr/lib/modules/6.1/kernel/fs/a.ko.zst");
	dso = make_dso(DSO_MODULE, "/lib/modules/6.1/kernel/fs/a.ko.xz");
	touch("root/lib/modules/6.1/kernel/fs/a.ko");
	ck_assert_str_eq(binary(&options, &dso), "sysroot:/root/lib/modules/6.1/kernel/fs/a.ko "
						 "sysroot:/root/usr/lib/modules/6.1/kernel/fs/a.ko.zst");
	dso = make_dso(DSO_MODULE, "[a]");
	ck_assert_str_eq(binary(&options, &dso), "");
}
END_TEST

START_TEST(a_vdso_is_never_this_machines)
{
	struct dso_find_options options = in_root();
	struct dso dso = make_dso(DSO_VDSO, "[vdso]");

	options.host_is_recorded = true;
	ck_assert_str_eq(binary(&options, &dso), "");
	touch("root/lib/modules/6.1/vdso/vdso64.so");
	touch("root/lib/modules/6.1/vdso/vdso32.so");
	ck_assert_str_eq(binary(&options, &dso), "vdso:/root/lib/modules/6.1/vdso/vdso64.so "
						 "vdso:/root/lib/modules/6.1/vdso/vdso32.so");
	dso.build_id = make_id();
	touch("root/.debug/[vdso]/" HEX "/vdso");
	touch("vdso.so");
	options.beside = folder;
	ck_assert_str_eq(binary(&options, &dso), "id:/root/.debug/[vdso]/" HEX "/vdso extra:/vdso.so "
						 "vdso:/root/lib/modules/6.1/vdso/vdso64.so "
						 "vdso:/root/lib/modules/6.1/vdso/vdso32.so");
}
END_TEST

static const char *symbols(const struct dso_find_options *options, const struct dso *dso, const char *link,
			   bool id_known)
{
	struct dso_find *find = dso_find_new(options);
	struct dso_places places = { 0 };
	struct dso_symbol_query known = { .debuglink = link };

	if (id_known)
		known.id = make_id();
	dso_find_symbols(find, dso, &known, &places);
	return text_of(find, &places);
}

START_TEST(debug_files_are_tried_in_the_order_of_perf)
{
	struct dso_find_options options = in_root();
	struct dso dso = make_dso(DSO_FILE, "/usr/bin/a");

	ck_assert_str_eq(symbols(&options, &dso, "x.debug", true), "data own");
	touch("root/usr/bin/.debug/a");
	touch("root/usr/lib/debug/.build-id/" ID ".debug");
	touch("root/usr/lib/debug/bin/a");
	touch("root/usr/lib/debug/usr/bin/a.debug");
	touch("root/.debug/.build-id/" ID "/debug");
	touch("root/.debug/.build-id/" ID "/elf");
	touch("root/usr/lib/debug/usr/bin/x.debug");
	touch("root/usr/bin/.debug/x.debug");
	touch("root/usr/bin/x.debug");
	ck_assert_str_eq(symbols(&options, &dso, "x.debug", true),
			 "link:/root/usr/bin/x.debug link:/root/usr/bin/.debug/x.debug "
			 "link:/root/usr/lib/debug/usr/bin/x.debug "
			 "id:/root/.debug/.build-id/" ID "/elf id:/root/.debug/.build-id/" ID "/debug "
			 "name:/root/usr/lib/debug/usr/bin/a.debug name:/root/usr/lib/debug/bin/a "
			 "id:/root/usr/lib/debug/.build-id/" ID
			 ".debug data own name:/root/usr/bin/.debug/a");
	ck_assert_str_eq(symbols(&options, &dso, NULL, false),
			 "name:/root/usr/lib/debug/usr/bin/a.debug name:/root/usr/lib/debug/bin/a data own "
			 "name:/root/usr/bin/.debug/a");
	/* A link is a file's name, not a way to somewhere else. */
	touch("root/secret");
	ck_assert_ptr_null(strstr(symbols(&options, &dso, "../../secret", true), "secret"));
}
END_TEST

START_TEST(debug_folders_that_were_named_replace_the_usual_one)
{
	char debug[96];
	snprintf(debug, sizeof(debug), "%s/debug", folder);
	const char *dirs[] = { debug };
	struct dso_find_options options = { .sysroot = root, .debug_dirs = dirs, .nr_debug_dirs = 1 };
	struct dso dso = make_dso(DSO_FILE, "/usr/bin/a");

	touch("root/usr/lib/debug/usr/bin/a.debug");
	touch("debug/.build-id/" ID ".debug");
	touch("debug/usr/bin/a");
	ck_assert_str_eq(symbols(&options, &dso, NULL, true),
			 "name:/debug/usr/bin/a id:/debug/.build-id/" ID ".debug data own");
}
END_TEST

static void expect_perf_map(const struct dso_find_options *options, const char *path, bool recorded)
{
	struct dso_find *find = dso_find_new(options);

	ck_assert_str_eq(dso_find_perf_map(find, 42), path);
	ck_assert_int_eq(dso_find_perf_map_is_recorded(find), recorded);
	dso_find_free(find);
}

START_TEST(perf_maps_are_in_tmp_or_where_the_user_says)
{
	char path[160];
	struct dso_find_options options = { 0 };

	expect_perf_map(&options, "/tmp/perf-42.map", false);
	options.host_is_recorded = true;
	expect_perf_map(&options, "/tmp/perf-42.map", true);
	options.perf_map_dir = "/maps/";
	options.host_is_recorded = false;
	expect_perf_map(&options, "/maps/perf-42.map", true);
	options = in_root();
	snprintf(path, sizeof(path), "%s/tmp/perf-42.map", root);
	expect_perf_map(&options, path, true);
	touch("root/var/perf-42.map");
	link_to("/var", "root/tmp");
	snprintf(path, sizeof(path), "%s/var/perf-42.map", root);
	expect_perf_map(&options, path, true);
}
END_TEST

START_TEST(the_perf_map_of_a_container)
{
	char maps[96], path[160];
	struct dso_find_options options = { .perf_map_dir = maps };

	snprintf(maps, sizeof(maps), "%s/maps", folder);
	snprintf(path, sizeof(path), "%s/maps/42/perf-1.map", folder);
	touch("maps/42/perf-1.map");
	touch("maps/42/perf-x.map");
	touch("maps/42/perf-1.map.old");
	touch("maps/43/perf-2.map");
	expect_perf_map(&options, path, true);
	touch("maps/42/perf-2.map"); /* which of the two? */
	snprintf(path, sizeof(path), "%s/maps/perf-42.map", folder);
	expect_perf_map(&options, path, true);
	ck_assert(mkelf_run("rm '%s/maps/42/perf-2.map'", folder));
	touch("maps/perf-42.map");
	expect_perf_map(&options, path, true);
}
END_TEST

/* A process whose root folder is ours, and which is number 1 to itself. */
struct container {
	pid_t outer, inner; /* the inner one is in it */
	bool failed, ready; /* one of them, sooner or later */
};

static void live_in_container(struct container *c)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (chroot(root))
		c->failed = true;
	c->ready = true;
	pause();
	_exit(0);
}

static void make_container(volatile struct container *c)
{
	pid_t pid;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (unshare(CLONE_NEWUSER | CLONE_NEWPID) || (pid = fork()) < 0)
		c->failed = true;
	else if (!pid)
		live_in_container((struct container *)c);
	else
		c->inner = pid;
	pause();
	_exit(0);
}

static volatile struct container *start_container(void)
{
	volatile struct container *c =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ck_assert(c != MAP_FAILED);
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		make_container(c);
	c->outer = pid;
	for (int i = 0; i < 1000 && !c->failed && !(c->ready && c->inner); i++)
		usleep(10000);
	return c;
}

static void stop_container(volatile struct container *c)
{
	if (c->inner)
		kill(c->inner, SIGKILL);
	kill(c->outer, SIGKILL);
	waitpid(c->outer, NULL, 0);
}

static const char *perf_map_of(const struct dso_find_options *options, pid_t pid)
{
	static char text[256];
	struct dso_find *find = dso_find_new(options);

	snprintf(text, sizeof(text), "%s", dso_find_perf_map(find, (uint32_t)pid));
	dso_find_free(find);
	return text;
}

START_TEST(a_process_that_still_runs_is_asked_for_its_files)
{
	struct dso_find_options options = { .host_is_recorded = true };
	volatile struct container *c = start_container();
	pid_t pid = c->inner;
	char map[128], dump[128], plain[64];
	const char *expected;

	if (c->failed || !c->ready) {
		printf("SKIP: no containers can be made here\n");
		stop_container(c);
		return;
	}
	snprintf(plain, sizeof(plain), "/tmp/perf-%d.map", (int)pid);
	snprintf(map, sizeof(map), "/proc/%d/root/tmp/perf-1.map", (int)pid);
	snprintf(dump, sizeof(dump), "/proc/%d/root/var/jit-7.dump", (int)pid);
	ck_assert_str_eq(perf_map_of(&options, pid), plain);
	touch("root/tmp/perf-1.map");
	ck_assert_str_eq(perf_map_of(&options, pid), map);
	options.host_is_recorded = false;
	ck_assert_str_eq(perf_map_of(&options, pid), plain);
	options.host_is_recorded = true;
	options.perf_map_dir = "/maps";
	ck_assert_str_ne(perf_map_of(&options, pid), map);
	options.perf_map_dir = NULL;

	/* Its links lead to nothing of ours. */
	ck_assert(mkelf_run("cd '%s' && rm root/tmp/perf-1.map && : >secret", folder));
	link_to("../../secret", "root/tmp/perf-1.map");
	ck_assert_str_eq(perf_map_of(&options, pid), plain);

	touch("root/var/jit-7.dump");
	struct dso_find *find = dso_find_new(&options);
	ck_assert_str_eq(dso_find_jitdump(find, (uint32_t)pid, "/var/jit-7.dump", &expected), dump);
	ck_assert_str_eq(expected, "/var/jit-7.dump");
	dso_find_free(find);
	stop_container(c);
}
END_TEST

static const char *jitdump(const struct dso_find_options *options, const char **expected)
{
	static struct dso_find *find;

	dso_find_free(find);
	find = options ? dso_find_new(options) : NULL;
	const char *found =
		find ? dso_find_jitdump(find, 42, "/root/.debug/jit/x/jit-7.dump", expected) : NULL;
	return found ? found + strlen(folder) : "-";
}

START_TEST(jitdumps_are_where_they_were_written_or_where_the_user_says)
{
	const char *expected;
	char extra[96];
	const char *const extra_dirs[] = { extra };
	struct dso_find_options options = { 0 };

	snprintf(extra, sizeof(extra), "%s/extra", folder);
	ck_assert_str_eq(jitdump(&options, &expected), "-");
	ck_assert_str_eq(expected, "/root/.debug/jit/x/jit-7.dump");
	options.sysroot = root;
	ck_assert_str_eq(jitdump(&options, &expected), "-");
	ck_assert_str_eq(expected + strlen(folder), "/root/root/.debug/jit/x/jit-7.dump");
	options.extra_dirs = extra_dirs;
	options.nr_extra_dirs = 1;
	touch("extra/dumps/jit-7.dump");
	ck_assert_str_eq(jitdump(&options, &expected), "/extra/dumps/jit-7.dump");
	touch("root/root/.debug/jit/x/jit-7.dump");
	ck_assert_str_eq(jitdump(&options, &expected), "/root/root/.debug/jit/x/jit-7.dump");
	options.perf_map_dir = folder;
	touch("jit-7.dump");
	ck_assert_str_eq(jitdump(&options, &expected), "/jit-7.dump");
	ck_assert_str_eq(expected + strlen(folder), "/jit-7.dump");
	touch("42/jit-7.dump");
	ck_assert_str_eq(jitdump(&options, &expected), "/42/jit-7.dump");
	jitdump(NULL, NULL);
}
END_TEST

static const char *named(const struct dso_find_options *options, const char *from, const char *name,
			 const struct build_id *id)
{
	struct dso_find *find = dso_find_new(options);
	struct dso_places places = { 0 };
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, from);
	dso_find_named(find, path, name, id, &places);
	return text_of(find, &places);
}

START_TEST(files_that_a_file_names_are_in_the_same_sysroot)
{
	struct dso_find_options options = in_root(), none = { 0 };
	char named_dir[128], absolute[160];
	const char *named_dirs[] = { named_dir };
	struct build_id id = build_id_make("\x12\x34\x56", 3);

	snprintf(named_dir, sizeof(named_dir), "%s/given", folder);
	snprintf(absolute, sizeof(absolute), "%s/src/x.dwo", folder);
	touch("secret");
	touch("src/x.dwo");
	touch("root/bin/x.dwo");
	touch("root/usr/lib/debug/.dwz/x");
	touch("root/usr/lib/debug/.build-id/12/3456.debug");
	link_to("../../secret", "root/bin/link");
	ck_assert_str_eq(named(&options, "root/bin/a", "x.dwo", NULL), "name:/root/bin/x.dwo");
	ck_assert_str_eq(named(&options, "root/bin/a", "../usr/lib/debug/.dwz/x", NULL),
			 "name:/root/usr/lib/debug/.dwz/x");
	ck_assert_str_eq(named(&options, "root/bin/a", "../../../../usr/lib/debug/.dwz/x", NULL),
			 "name:/root/usr/lib/debug/.dwz/x");
	ck_assert_str_eq(named(&options, "root/bin/a", "/usr/lib/debug/.dwz/x", &id),
			 "name:/root/usr/lib/debug/.dwz/x id:/root/usr/lib/debug/.build-id/12/3456.debug");
	/* The ways out. */
	ck_assert_str_eq(named(&options, "root/bin/a", "../../secret", NULL), "");
	ck_assert_str_eq(named(&options, "root/bin/a", "link", NULL), "");
	ck_assert_str_eq(named(&options, "root/bin/a", absolute, NULL), "");
	ck_assert_str_eq(named(&options, "src/a", "x.dwo", NULL), "");
	ck_assert_str_eq(named(&options, "root/bin/a", "", NULL), "");
	/* Without a sysroot it is this machine's file. */
	ck_assert_str_eq(named(&none, "root/bin/a", "x.dwo", NULL), "name:/root/bin/x.dwo");
	ck_assert_str_eq(named(&none, "root/bin/a", "../../secret", NULL), "name:/root/bin/../../secret");
	ck_assert_str_eq(named(&none, "root/bin/a", absolute, NULL), "name:/src/x.dwo");
	/* A folder that the user named stands for /usr/lib/debug, and is not left either. */
	touch("given/.dwz/x");
	touch("given/12/a.debug");
	options.debug_dirs = named_dirs;
	options.nr_debug_dirs = 1;
	ck_assert_str_eq(named(&options, "root/bin/a", "/usr/lib/debug/.dwz/x", NULL),
			 "name:/given/.dwz/x name:/root/usr/lib/debug/.dwz/x");
	ck_assert_str_eq(named(&options, "given/12/a.debug", "../.dwz/x", NULL), "name:/given/.dwz/x");
	ck_assert_str_eq(named(&options, "given/12/a.debug", "../../secret", NULL), "");
}
END_TEST

START_TEST(the_user_is_told_the_first_place)
{
	struct dso_find_options options = in_root();
	struct dso_find *find = dso_find_new(&options);
	struct dso dso = make_dso(DSO_FILE, "/usr/bin/a (deleted)");
	char path[128];

	snprintf(path, sizeof(path), "%s/usr/bin/a", root);
	ck_assert_str_eq(dso_find_expected(find, &dso), path);
	dso = make_dso(DSO_FILE, "[uprobes]");
	ck_assert_ptr_null(dso_find_expected(find, &dso));
	dso_find_free(find);
	dso_find_free(NULL);
}
END_TEST

CHECK_SUITE_WITH("dso_find", set_up, tear_down, links_are_followed_inside_of_the_sysroot,
		 a_path_is_looked_for_in_the_sysroot_only,
		 this_machine_is_asked_when_something_can_prove_the_file,
		 extra_folders_are_searched_by_path_then_by_name, all_layouts_of_the_build_id_cache_are_known,
		 an_id_that_was_padded_with_zeros_is_found_by_its_short_form, ids_of_any_size_in_both_layouts,
		 what_was_unpacked_beside_the_recording_comes_last, a_module_may_be_packed_in_another_way,
		 a_vdso_is_never_this_machines, debug_files_are_tried_in_the_order_of_perf,
		 debug_folders_that_were_named_replace_the_usual_one,
		 perf_maps_are_in_tmp_or_where_the_user_says, the_perf_map_of_a_container,
		 a_process_that_still_runs_is_asked_for_its_files,
		 jitdumps_are_where_they_were_written_or_where_the_user_says,
		 files_that_a_file_names_are_in_the_same_sysroot, the_user_is_told_the_first_place)
