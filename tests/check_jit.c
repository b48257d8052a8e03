#include "symbolize/jit.h"

#include <elf.h>
#include <unistd.h>

#include "arch/arch.h"
#include "symbolize/dso_load.h"
#include "symbolize/symtab.h"
#include "tests/check_run.h"
#include "tests/mkjitdump.h"

#define EXEC 4u
#define DUMP "/home/me/.debug/jit/jit-7.dump"

static char folder[64], path[128], map_path[128];
static struct dsos *dsos;
static struct machine *machine;
static struct dso_find *find;
static struct jit *jit;

static void free_parts(struct dso *dso)
{
	symtab_free(dso->symtab);
}

static void begin(bool timed)
{
	strcpy(folder, "/tmp/check_jit.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/jit-7.dump", folder);
	snprintf(map_path, sizeof(map_path), "%s/perf-7.map", folder);
	struct dso_find_options options = { .perf_map_dir = folder, .arch = arch_by_name("aarch64") };
	dsos = dsos_new();
	dsos_set_free_hook(dsos, free_parts);
	machine = machine_new(dsos);
	find = dso_find_new(&options);
	jit = jit_new(dsos, machine, find, timed);
}

static void end(void)
{
	jit_free(jit);
	dso_find_free(find);
	machine_free(machine);
	dsos_free(dsos);
	unlink(path);
	unlink(map_path);
	rmdir(folder);
}

static void lay(uint64_t start, uint64_t len, const char *filename)
{
	struct machine_mmap mmap = {
		.pid = 7, .tid = 7, .start = start, .len = len, .prot = EXEC, .filename = filename
	};

	machine_mmap(machine, &mmap);
	jit_mmap(jit, 7, filename);
}

/* "DSO:FUNCTION" at an address of process 7. */
static const char *at(uint64_t address)
{
	static char text[200];
	const struct map *map = maps_find(machine_thread(machine, 7, 7)->maps, address);

	if (!map)
		return "-";
	dso_load(find, map->dso);
	const struct symbol *symbol = map->dso->symtab ? symtab_find(map->dso->symtab, address) : NULL;
	snprintf(text, sizeof(text), "%s:%s", map->dso->name, symbol ? symbol->name : "-");
	return text;
}

/* f, then at its place g, then h over the end of g. */
static void write_dump(uint64_t flags, uint32_t elf_machine)
{
	struct mkbytes b = { 0 };

	mkjit_header(&b, elf_machine, flags);
	mkjit_load(&b, 10, 0x1000, 0x100, 1, "f");
	mkjit_load(&b, 30, 0x1080, 0x40, 3, "h"); /* written too early */
	mkjit_load(&b, 20, 0x1000, 0x100, 2, "g");
	mkjit_load(&b, 20, 0x5000, 0x100, 4, "elsewhere");
	mkjit_write(path, &b, b.bytes.count);
	mkbytes_free(&b);
}

START_TEST(code_is_known_by_its_time)
{
	begin(true);
	write_dump(0, EM_AARCH64);
	lay(0x100000, 0x1000, DUMP);
	lay(0x1000, 0x1000, "//anon");
	jit_advance(jit, 5);
	ck_assert_str_eq(at(0x1000), "/tmp/perf-7.map:f"); /* told of late */
	ck_assert_str_eq(at(0x5000), "-");
	jit_advance(jit, 19);
	ck_assert_str_eq(at(0x10ff), "/tmp/perf-7.map:f");
	jit_advance(jit, 20);
	ck_assert_str_eq(at(0x1000), "/tmp/perf-7.map:g");
	ck_assert_str_eq(at(0x1090), "/tmp/perf-7.map:g");
	ck_assert_str_eq(at(0x1100), "/tmp/perf-7.map:-");
	ck_assert_str_eq(at(0x5010), "/tmp/perf-7.map:elsewhere"); /* memory that no record tells of */
	jit_advance(jit, 100);
	ck_assert_str_eq(at(0x1090), "/tmp/perf-7.map:h");
	ck_assert_str_eq(at(0x1000), "/tmp/perf-7.map:g");
	lay(0x1000, 0x1000, "//anon"); /* mprotect() */
	ck_assert_str_eq(at(0x1090), "/tmp/perf-7.map:h");
	ck_assert_str_eq(at(0x1000), "/tmp/perf-7.map:g");
	lay(0x1000, 0x100, "/bin/new");
	ck_assert_str_eq(at(0x1090), "/bin/new:-");
	jit_advance(jit, 200);
	ck_assert_str_eq(at(0x1090), "/bin/new:-");
	end();
}
END_TEST

START_TEST(without_a_common_clock_the_last_counts)
{
	for (int i = 0; i < 2; i++) {
		begin(i);
		write_dump(i ? MKJIT_ARCH_TIMESTAMPS : 0, EM_AARCH64);
		lay(0x1000, 0x1000, "//anon");
		lay(0x100000, 0x1000, DUMP);
		jit_advance(jit, 0);
		ck_assert_str_eq(at(0x1000), "/tmp/perf-7.map:g");
		ck_assert_str_eq(at(0x1090), "/tmp/perf-7.map:g");
		ck_assert_str_eq(at(0x5000), "/tmp/perf-7.map:elsewhere");
		end();
	}
}
END_TEST

START_TEST(code_over_files)
{
	begin(false);
	write_dump(0, EM_AARCH64);
	lay(0x1000, 0x1000, "/lib/libc.so");
	lay(0x5000, 0x1000, "/tmp/.jit-1234 (deleted)");
	lay(0x100000, 0x1000, DUMP);
	jit_advance(jit, 0);
	ck_assert_str_eq(at(0x1000), "/lib/libc.so:-");
	ck_assert_str_eq(at(0x5000), "/tmp/perf-7.map:elsewhere");
	end();
}
END_TEST

START_TEST(memory_with_a_name_has_the_same_functions)
{
	begin(false);
	write_dump(0, EM_AARCH64);
	lay(0x100000, 0x1000, DUMP);
	lay(0x5000, 0x1000, "[anon:v8]");
	jit_advance(jit, 0);
	ck_assert_str_eq(at(0x5000), "[anon:v8]:elsewhere");
	end();
}
END_TEST

START_TEST(names_of_the_map_file_are_kept_beside_it)
{
	begin(true);
	write_dump(0, EM_AARCH64);
	FILE *file = fopen(map_path, "w");
	fputs("1000 200 old\n1800 20 other\n4f00 100 before\n", file);
	fclose(file);
	lay(0x100000, 0x1000, DUMP);
	lay(0x1000, 0x1000, "//anon");
	lay(0x4000, 0x1000, "//anon");
	jit_advance(jit, 10);
	ck_assert_str_eq(at(0x1010), "/tmp/perf-7.map:f");
	ck_assert_str_eq(at(0x1110), "/tmp/perf-7.map:-");
	ck_assert_str_eq(at(0x1810), "/tmp/perf-7.map:other");
	ck_assert_str_eq(at(0x4fff), "/tmp/perf-7.map:before");
	end();
}
END_TEST

START_TEST(a_dump_that_comes_late)
{
	begin(true);
	write_dump(0, EM_AARCH64);
	lay(0x1000, 0x1000, "//anon");
	ck_assert_str_eq(at(0x1000), "/tmp/perf-7.map:-");
	lay(0x100000, 0x1000, DUMP);
	lay(0x100000, 0x1000, DUMP);
	jit_advance(jit, 10);
	ck_assert_str_eq(at(0x1000), "/tmp/perf-7.map:f");
	end();
}
END_TEST

START_TEST(a_dump_that_is_not_used)
{
	begin(false);
	write_dump(0, EM_X86_64); /* of another machine */
	lay(0x1000, 0x1000, "//anon");
	lay(0x100000, 0x1000, DUMP);
	jit_advance(jit, 0);
	ck_assert_str_eq(at(0x1000), "/tmp/perf-7.map:-");
	const struct dso *dso = maps_find(machine_thread(machine, 7, 7)->maps, 0x1000)->dso;
	ck_assert_str_eq(dso->looked_at, path);
	ck_assert_str_eq(dso->missing, "other machine");
	end();

	begin(false);
	lay(0x1000, 0x1000, "//anon");
	lay(0x100000, 0x1000, DUMP);
	jit_advance(jit, 0);
	ck_assert_str_eq(at(0x1000), "/tmp/perf-7.map:-");
	dso = maps_find(machine_thread(machine, 7, 7)->maps, 0x1000)->dso;
	ck_assert_str_eq(dso->looked_at, path);
	ck_assert_str_eq(dso->missing, "not found");
	end();
}
END_TEST

CHECK_SUITE("jit", code_is_known_by_its_time, without_a_common_clock_the_last_counts, code_over_files,
	    memory_with_a_name_has_the_same_functions, names_of_the_map_file_are_kept_beside_it,
	    a_dump_that_comes_late, a_dump_that_is_not_used)
