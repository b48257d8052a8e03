#include "symbolize/dso.h"

#include <stdio.h>

#include "tests/check_run.h"

static struct build_id id_of(uint8_t byte)
{
	uint8_t bytes[20] = { byte, 1 };

	return build_id_make(bytes, sizeof(bytes));
}

static struct dso_inode inode_of(uint64_t ino, uint64_t generation)
{
	return (struct dso_inode){ .known = true, .maj = 8, .min = 1, .ino = ino, .generation = generation };
}

START_TEST(a_name_and_kind_is_one_dso)
{
	struct dsos *dsos = dsos_new();
	char name[] = "/usr/lib/libc.so.6";
	struct dso *libc = dsos_get(dsos, DSO_FILE, name, NULL, NULL);

	name[1] = 'X'; /* names are copied */
	ck_assert_str_eq(libc->name, "/usr/lib/libc.so.6");
	ck_assert_str_eq(libc->long_name, "/usr/lib/libc.so.6");
	ck_assert_str_eq(libc->short_name, "libc.so.6");
	ck_assert(!libc->identity && !libc->loaded && !libc->inode.known && !libc->build_id.size);
	ck_assert_ptr_eq(dsos_get(dsos, DSO_FILE, "/usr/lib/libc.so.6", NULL, NULL), libc);
	struct dso *heap = dsos_get(dsos, DSO_ANON, "[heap]", NULL, NULL);
	ck_assert(heap->identity);
	ck_assert_ptr_ne(dsos_get(dsos, DSO_FILE, "[heap]", NULL, NULL), heap);
	ck_assert_uint_eq(dsos_count(dsos), 3);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(dsos_at(dsos, i)->index, i);
	dsos_free(dsos);
	dsos_free(NULL);
}
END_TEST

START_TEST(what_both_sides_know_tells_dsos_apart)
{
	struct dsos *dsos = dsos_new();
	struct build_id id1 = id_of(1), id2 = id_of(2);
	struct dso_inode ino1 = inode_of(1, 0), ino2 = inode_of(2, 0), none = { 0 };
	struct dso *first = dsos_get(dsos, DSO_FILE, "/a", NULL, &ino1);

	ck_assert_ptr_ne(dsos_get(dsos, DSO_FILE, "/a", NULL, &ino2), first);
	ck_assert_ptr_eq(dsos_get(dsos, DSO_FILE, "/a", NULL, &none), first);
	ck_assert_ptr_eq(dsos_get(dsos, DSO_FILE, "/a", &id1, &ino1), first); /* learns its build-id */
	ck_assert(build_id_equal(&first->build_id, &id1));
	ck_assert_ptr_ne(dsos_get(dsos, DSO_FILE, "/a", &id2, &ino1), first);
	ck_assert_ptr_eq(dsos_get(dsos, DSO_FILE, "/a", &id1, NULL), first);
	ck_assert_ptr_ne(dsos_get(dsos, DSO_FILE, "/a", &id1, &ino2), first);
	dsos_free(dsos);
}
END_TEST

START_TEST(an_equal_part_goes_before_an_unknown_one)
{
	struct dsos *dsos = dsos_new();
	struct build_id id = id_of(1);
	struct dso_inode ino = inode_of(5, 0);
	struct dso *by_inode = dsos_get(dsos, DSO_FILE, "/a", NULL, &ino);
	struct build_id other = id_of(2);
	struct dso_inode other_ino = inode_of(6, 0);

	dsos_get(dsos, DSO_FILE, "/a", &other, &ino);
	ck_assert(build_id_equal(&by_inode->build_id, &other));
	struct dso *unknown_id = dsos_get(dsos, DSO_FILE, "/a", NULL, &other_ino);
	struct dso_inode third = inode_of(7, 0);
	struct dso *by_id = dsos_get(dsos, DSO_FILE, "/a", &id, &third);
	ck_assert_ptr_eq(dsos_get(dsos, DSO_FILE, "/a", &id, NULL), by_id);
	ck_assert(!unknown_id->build_id.size);
	dsos_free(dsos);
}
END_TEST

START_TEST(generation_zero_is_not_known)
{
	struct dsos *dsos = dsos_new();
	struct dso_inode synthesized = inode_of(1, 0), recorded = inode_of(1, 77), other = inode_of(1, 78);
	struct dso *dso = dsos_get(dsos, DSO_FILE, "/a", NULL, &synthesized);

	ck_assert_ptr_eq(dsos_get(dsos, DSO_FILE, "/a", NULL, &recorded), dso);
	ck_assert_uint_eq(dso->inode.generation, 77);
	ck_assert_ptr_eq(dsos_get(dsos, DSO_FILE, "/a", NULL, &synthesized), dso);
	ck_assert_ptr_ne(dsos_get(dsos, DSO_FILE, "/a", NULL, &other), dso);
	dsos_free(dsos);
}
END_TEST

START_TEST(jit_code_belongs_to_its_process)
{
	struct dsos *dsos = dsos_new();
	struct dso *one = dsos_get_jit(dsos, "/memfd:jit (deleted)", 100);
	struct dso *two = dsos_get_jit(dsos, "/memfd:jit (deleted)", 101);

	ck_assert_ptr_ne(one, two);
	ck_assert_ptr_eq(dsos_get_jit(dsos, "/memfd:jit (deleted)", 100), one);
	ck_assert_uint_eq(two->jit_pid, 101);
	ck_assert(one->identity && one->kind == DSO_JIT);
	dsos_free(dsos);
}
END_TEST

START_TEST(thousands_of_files_of_one_name_are_told_apart)
{
	struct dsos *dsos = dsos_new();

	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 20000; i++) {
			struct dso_inode inode = inode_of(1000 + i, 1);
			ck_assert_uint_eq(dsos_get(dsos, DSO_FILE, "/tmp/x (deleted)", NULL, &inode)->index,
					  i);
		}
	}
	ck_assert_uint_eq(dsos_count(dsos), 20000);
	dsos_free(dsos);
}
END_TEST

START_TEST(a_module_is_called_by_its_file)
{
	static const char *const names[][2] = {
		{ "/lib/modules/6.1/kernel/fs/foo.ko", "[foo]" },
		{ "/lib/modules/6.1/kernel/foo-bar.ko", "[foo_bar]" },
		{ "/x-y/foo-bar.ko.gz", "[foo_bar]" },
		{ "/foo-bar.ko.xz", "[foo_bar]" },
		{ "/foo-bar.ko.zst", "[foo_bar]" },
		{ "/usr/lib/debug/foo.ko.debug", "[foo]" },
		{ "[foo-bar]", "[foo-bar]" },
		{ "[foo]", "[foo]" },
		{ "/foo-bar.ko.bz2", "foo_bar.ko.bz2" },
		{ "/x/.ko", ".ko" },
		{ "/x/", "/x/" },
	};
	struct dsos *dsos = dsos_new();

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_str_eq(dsos_module_name(dsos, names[i][0]), names[i][1]);
	dsos_free(dsos);
}
END_TEST

START_TEST(module_names_are_known_from_the_kernels)
{
	ck_assert(dso_is_module_name("[foo]"));
	ck_assert(dso_is_module_name("/lib/modules/6.1/foo.ko.xz"));
	ck_assert(!dso_is_module_name("[kernel.kallsyms]"));
	ck_assert(!dso_is_module_name("[kernel.kallsyms]_text"));
	ck_assert(!dso_is_module_name("[guest.kernel.kallsyms]"));
	ck_assert(!dso_is_module_name("[vdso]"));
	ck_assert(!dso_is_module_name("[vsyscall]"));
	ck_assert(!dso_is_module_name("/boot/vmlinux-6.1"));
	ck_assert(!dso_is_module_name(""));
}
END_TEST

START_TEST(kernel_dsos_are_found_by_short_name)
{
	struct dsos *dsos = dsos_new();
	struct dso *module = dsos_get(dsos, DSO_MODULE, "/lib/modules/6.1/foo-bar.ko.xz", NULL, NULL);

	ck_assert_str_eq(module->name, "/lib/modules/6.1/foo-bar.ko.xz");
	ck_assert_str_eq(module->short_name, "[foo_bar]");
	ck_assert_ptr_eq(dsos_find_kernel(dsos, "[foo_bar]"), module);
	dsos_get(dsos, DSO_MODULE, "/other/foo_bar.ko", NULL, NULL);
	ck_assert_ptr_eq(dsos_find_kernel(dsos, "[foo_bar]"), module); /* the first one stays */
	dsos_get(dsos, DSO_FILE, "/usr/bin/true", NULL, NULL);
	ck_assert_ptr_null(dsos_find_kernel(dsos, "true"));
	ck_assert_ptr_null(dsos_find_kernel(dsos, ""));
	dso_set_long_name(dsos, module, "/root/foo-bar.ko");
	ck_assert_str_eq(module->long_name, "/root/foo-bar.ko");
	ck_assert_str_eq(module->name, "/lib/modules/6.1/foo-bar.ko.xz");
	dsos_free(dsos);
}
END_TEST

START_TEST(short_names_of_what_is_no_path)
{
	struct dsos *dsos = dsos_new();

	ck_assert_str_eq(dsos_get(dsos, DSO_ANON, "//anon", NULL, NULL)->short_name, "//anon");
	ck_assert_str_eq(dsos_get_jit(dsos, "[anon:dalvik/x]", 1)->short_name, "[anon:dalvik/x]");
	ck_assert_str_eq(dsos_get_jit(dsos, "/tmp/perf-1.map", 1)->short_name, "[JIT] tid 1");
	ck_assert_str_eq(dsos_get(dsos, DSO_FILE, "/", NULL, NULL)->short_name, "/");
	ck_assert_str_eq(dsos_get(dsos, DSO_FILE, "", NULL, NULL)->short_name, "");
	ck_assert_str_eq(dsos_get(dsos, DSO_KERNEL, "/boot/vmlinux", NULL, NULL)->short_name, "vmlinux");
	dsos_free(dsos);
}
END_TEST

static unsigned nr_freed;

static void count_freed(struct dso *dso)
{
	ck_assert_uint_eq(dso->index, nr_freed);
	nr_freed++;
}

START_TEST(the_free_hook_sees_every_dso_once)
{
	struct dsos *dsos = dsos_new();

	dsos_set_free_hook(dsos, count_freed);
	dsos_get(dsos, DSO_FILE, "/a", NULL, NULL);
	dsos_get(dsos, DSO_FILE, "/b", NULL, NULL);
	nr_freed = 0;
	dsos_free(dsos);
	ck_assert_uint_eq(nr_freed, 2);
}
END_TEST

START_TEST(a_guests_dsos_are_its_own)
{
	struct dsos *host = dsos_new(), *guest = dsos_new_guest(host), *other = dsos_new_guest(host);
	struct build_id id = id_of(1);
	struct dso *dso[] = {
		dsos_get(host, DSO_FILE, "/a", &id, NULL),
		dsos_get(guest, DSO_FILE, "/a", &id, NULL),
		dsos_get(other, DSO_FILE, "/a", &id, NULL),
		dsos_get(host, DSO_MODULE, "[m]", NULL, NULL),
		dsos_get(guest, DSO_MODULE, "[m]", NULL, NULL),
		dsos_get_jit(host, "j", 1),
		dsos_get_jit(guest, "j", 1),
	};

	ck_assert_uint_eq(dsos_machine(host), 0);
	ck_assert_uint_eq(dsos_machine(other), 2);
	ck_assert_uint_eq(dso[2]->machine, 2);
	for (size_t i = 0; i < sizeof(dso) / sizeof(dso[0]); i++) {
		ck_assert_ptr_eq(dsos_at(guest, i), dso[i]);
		ck_assert_uint_eq(dso[i]->index, i);
	}
	ck_assert_ptr_eq(dsos_get(guest, DSO_FILE, "/a", &id, NULL), dso[1]);
	ck_assert_ptr_eq(dsos_find_kernel(host, "[m]"), dso[3]);
	ck_assert_ptr_eq(dsos_find_kernel(guest, "[m]"), dso[4]);
	ck_assert_ptr_null(dsos_find_kernel(other, "[m]"));
	dsos_free(guest);
	dsos_free(other);
	ck_assert_str_eq(dso[2]->name, "/a");
	dsos_free(host);
}
END_TEST

CHECK_SUITE("dso", a_name_and_kind_is_one_dso, what_both_sides_know_tells_dsos_apart,
	    an_equal_part_goes_before_an_unknown_one, generation_zero_is_not_known,
	    jit_code_belongs_to_its_process, thousands_of_files_of_one_name_are_told_apart,
	    a_module_is_called_by_its_file, module_names_are_known_from_the_kernels,
	    kernel_dsos_are_found_by_short_name, short_names_of_what_is_no_path,
	    the_free_hook_sees_every_dso_once, a_guests_dsos_are_its_own)
