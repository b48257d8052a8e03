#include "symbolize/symbolizer.h"

#include "tests/check_run.h"
#include "tests/naming.h"

#define BASE UINT64_C(0x555500001000) /* of a map with pgoff 0x1000 */
#define AT(function) (BASE - 0x1000 + SPIN_AT(function))

static struct naming n;

/* Process 100 runs /spin: leaf, mid, main. */
static void begin(void)
{
	naming_begin(&n, NULL);
	naming_file(&n, "/spin", (struct mkspin){ .bias = 0x3000 });
	naming_map(&n, 100, BASE, 0x1000, 0x1000, "/spin");
}

static struct spot spot_at(int32_t pid, uint64_t address, bool is_return)
{
	return symbolizer_at(n.symbolizer, machine_thread(n.machine, pid, pid)->maps, address, is_return);
}

static const struct location *look_up(int32_t pid, uint64_t address, bool is_return)
{
	return spot_at(pid, address, is_return).location;
}

static const char *name_at(uint64_t address, bool is_return)
{
	const struct location *location = look_up(100, address, is_return);

	return location->name ? location->name : "";
}

START_TEST(an_address_has_a_name_an_offset_and_a_place_in_its_file)
{
	begin();
	struct spot spot = spot_at(100, AT(1) + 5, false);
	ck_assert_str_eq(spot.location->name, "mid");
	ck_assert_uint_eq(spot_symoff(&spot), 5);
	ck_assert_uint_eq(spot.offset, SPIN_MID + 5);
	ck_assert_str_eq(spot.location->dso->name, "/spin");
	naming_end(&n);
}
END_TEST

START_TEST(all_addresses_of_a_function_are_one_location)
{
	begin();
	const struct location *mid = look_up(100, AT(1) + 5, false);
	ck_assert_ptr_eq(look_up(100, AT(1), false), mid);
	ck_assert_ptr_eq(look_up(100, AT(2) - 1, true), mid);
	ck_assert(!mid->one_address);
	ck_assert_ptr_ne(look_up(100, AT(2), false), mid);
	/* So are those that are in none, before and behind all of them. */
	ck_assert_ptr_eq(look_up(100, AT(0) - 1, false), look_up(100, AT(3) + 7, false));
	naming_end(&n);
}
END_TEST

/* Without debug information its text has the link-time address in it. */
START_TEST(a_source_line_is_of_one_address)
{
	begin();
	symbolizer_free(n.symbolizer);
	n.symbolizer =
		symbolizer_new(n.machine, n.find, n.kernel, &(struct symbolizer_options){ .lines = true });
	const struct location *exact = look_up(100, AT(2), false), *call = look_up(100, AT(2), true);
	ck_assert(exact->one_address && call->one_address);
	ck_assert_str_eq(exact->name, "main");
	ck_assert_str_eq(call->name, "mid");
	ck_assert_uint_eq(exact->vaddr, SPIN_MAIN + 0x3000);
	ck_assert_uint_eq(call->vaddr, SPIN_MAIN + 0x3000);
	ck_assert_ptr_eq(look_up(100, AT(2), false), exact);
	ck_assert_ptr_eq(look_up(100, AT(2), true), call);
	ck_assert_ptr_ne(look_up(100, AT(2) + 1, true), exact);
	/* Also where no symbol says how the file's addresses are counted. */
	naming_file(&n, "/bare", (struct mkspin){ .bias = 0x400000, .stripped = true });
	naming_map(&n, 101, BASE, 0x1000, 0x1000, "/bare");
	const struct location *bare = look_up(101, AT(2), false);
	ck_assert_ptr_null(bare->name);
	ck_assert_uint_eq(bare->vaddr, SPIN_MAIN + 0x400000);
	naming_end(&n);
}
END_TEST

START_TEST(a_return_address_behind_a_function_is_in_the_function)
{
	begin();
	struct spot spot = spot_at(100, AT(2), true);
	ck_assert_str_eq(spot.location->name, "mid");
	ck_assert_uint_eq(spot_symoff(&spot), SPIN_SIZE);
	ck_assert_uint_eq(spot.offset, SPIN_MAIN);
	/* The same address as one where code ran, before and after. */
	ck_assert_str_eq(name_at(AT(2), false), "main");
	ck_assert_str_eq(name_at(AT(2), true), "mid");
	/* The last function ends where nothing begins. */
	ck_assert_str_eq(name_at(AT(3), false), "");
	ck_assert_str_eq(name_at(AT(3), true), "main");
	/* Anywhere else nothing changes: it is the very same answer. */
	ck_assert_ptr_eq(look_up(100, AT(1) + 1, true), look_up(100, AT(1) + 1, false));
	ck_assert_str_eq(name_at(AT(1) + 1, true), "mid");
	naming_end(&n);
}
END_TEST

START_TEST(a_return_address_with_nothing_before_it_is_taken_as_it_is)
{
	begin();
	ck_assert_str_eq(name_at(AT(0), true), "leaf");
	ck_assert_str_eq(name_at(AT(0) - 1, true), "");
	ck_assert_str_eq(name_at(AT(3) + 1, true), "");
	/* The first byte of a file. */
	naming_map(&n, 100, 0x10000, 0x1000, 0, "/spin");
	ck_assert_str_eq(name_at(0x10000, true), "");
	naming_end(&n);
}
END_TEST

START_TEST(the_same_code_is_one_answer_in_all_processes)
{
	begin();
	naming_map(&n, 200, 0x7000, 0x1000, 0x1000, "/spin");
	naming_map(&n, 300, 0x9000, 0x800, 0x1100, "/spin");
	const struct location *location = look_up(100, AT(1) + 5, false);
	ck_assert_ptr_eq(look_up(200, 0x6000 + SPIN_MID + 5, false), location);
	ck_assert_ptr_eq(look_up(300, 0x9000 - 0x1100 + SPIN_MID + 5, false), location);
	ck_assert_uint_eq(dsos_count(n.dsos), 1);
	/* What nothing maps, and what this one does. */
	ck_assert_uint_eq(symbolizer_stats(n.symbolizer).locations, 2);
	ck_assert_uint_eq(location->id, 1);
	naming_end(&n);
}
END_TEST

START_TEST(an_answer_is_good_until_the_map_changes)
{
	begin();
	naming_file(&n, "/other", (struct mkspin){ .names = { "uno", "due", "tre" } });
	ck_assert_str_eq(name_at(AT(1), false), "mid");
	naming_map(&n, 100, BASE, 0x1000, 0x1000, "/other");
	ck_assert_str_eq(name_at(AT(1), false), "due");
	ck_assert_str_eq(name_at(AT(2), true), "due");
	/* A part of it anew, moved by a function. */
	naming_map(&n, 100, AT(1), SPIN_SIZE, SPIN_MAIN, "/spin");
	ck_assert_str_eq(name_at(AT(1), false), "main");
	ck_assert_str_eq(name_at(AT(0), false), "uno");
	ck_assert_str_eq(name_at(AT(2), false), "tre");
	/* A child has what its parent had then. */
	machine_fork(n.machine, 200, 100, 200, 100, false);
	naming_map(&n, 100, BASE, 0x1000, 0x1000, "/spin");
	ck_assert_str_eq(look_up(200, AT(0), false)->name, "uno");
	ck_assert_str_eq(look_up(200, AT(1), false)->name, "main");
	ck_assert_str_eq(name_at(AT(0), false), "leaf");
	ck_assert_str_eq(look_up(200, AT(0), false)->name, "uno");
	naming_end(&n);
}
END_TEST

/* Many more addresses than the small cache has room for, again and again. */
START_TEST(no_address_gets_the_answer_of_another)
{
	struct mkspin spin = { 0 };
	char names[SPIN_MAX][8];
	uint64_t seed = 1;

	naming_begin(&n, NULL);
	for (size_t i = 0; i < 40; i++) {
		snprintf(names[i], sizeof(names[i]), "f%zu", i);
		spin.names[i] = names[i];
	}
	naming_file(&n, "/spin", spin);
	for (int32_t pid = 1; pid <= 200; pid++)
		naming_map(&n, pid, BASE + 0x1000 * (uint64_t)pid, 0x1000, 0x1000, "/spin");
	for (unsigned i = 0; i < 200000; i++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		int32_t pid = (int32_t)(seed >> 33) % 200 + 1;
		uint64_t offset = (seed >> 20) % (40 * SPIN_SIZE);
		bool is_return = seed >> 62 & 1;
		struct spot spot = spot_at(pid, BASE + 0x1000 * (uint64_t)pid + offset + 0x100, is_return);
		size_t expected = (offset - (is_return && offset)) / SPIN_SIZE;
		ck_assert_str_eq(spot.location->name, names[expected]);
		ck_assert_uint_eq(spot.offset, 0x1100 + offset);
	}
	struct symbolizer_stats stats = symbolizer_stats(n.symbolizer);
	ck_assert_uint_eq(stats.lookups, 200000);
	ck_assert_uint_eq(stats.locations, 40 + 2);
	naming_end(&n);
}
END_TEST

START_TEST(an_address_that_nothing_maps_is_nowhere)
{
	begin();
	const struct location *nowhere = look_up(100, 0x10, false);
	ck_assert_ptr_eq(look_up(100, BASE + 0x1000, true), nowhere);
	ck_assert_ptr_eq(look_up(100, UINT64_MAX, true), nowhere);
	ck_assert_ptr_eq(symbolizer_at(n.symbolizer, NULL, AT(0), false).location, nowhere);
	ck_assert_uint_eq(nowhere->id, 0);
	ck_assert(!nowhere->dso && !nowhere->name);
	naming_end(&n);
}
END_TEST

START_TEST(what_is_unknown_counts_once_a_sample)
{
	begin();
	naming_map(&n, 100, 0x10000, 0x1000, 0, "/gone");
	const struct dso *gone = look_up(100, 0x10010, false)->dso, *spin = look_up(100, AT(0), false)->dso;
	symbolizer_next_sample(n.symbolizer);
	uint64_t before = gone->nr_unknown;
	look_up(100, 0x10010, false);
	look_up(100, 0x10010, true);
	look_up(100, 0x10020, false);
	ck_assert_uint_eq(gone->nr_unknown, before + 1);
	symbolizer_next_sample(n.symbolizer);
	look_up(100, 0x10010, true);
	ck_assert_uint_eq(gone->nr_unknown, before + 2);
	ck_assert_str_eq(gone->missing ? "a reason" : "none", "a reason");
	/* An address between functions counts for its own binary only. */
	ck_assert_uint_eq(spin->nr_unknown, 0);
	look_up(100, AT(3) + 1, false);
	ck_assert_uint_eq(spin->nr_unknown, 1);
	/* As a return address it is the last function's. */
	symbolizer_next_sample(n.symbolizer);
	look_up(100, AT(3), true);
	ck_assert_uint_eq(spin->nr_unknown, 1);
	naming_end(&n);
}
END_TEST

START_TEST(a_file_is_opened_when_the_first_address_in_it_is_asked_for)
{
	begin();
	const struct map *map = maps_find(machine_thread(n.machine, 100, 100)->maps, AT(0));
	ck_assert(!map->dso->loaded);
	ck_assert_ptr_eq(symbolizer_map(n.symbolizer, machine_thread(n.machine, 100, 100)->maps, AT(0)), map);
	ck_assert(map->dso->loaded && map->dso->symtab && map->dso->binary);
	ck_assert_ptr_null(symbolizer_map(n.symbolizer, NULL, AT(0)));
	naming_end(&n);
}
END_TEST

START_TEST(the_kernel_and_its_modules)
{
	static const char kallsyms[] =
		"ffff800008000000 T _text\nffff800008001000 T do_work\nffff800008001100 T next\n"
		"ffff800008002000 T _etext\nffff80000a000100 t modfn\t[mymod]\n";
	const uint64_t kernel = UINT64_C(0xffff800008000000), module = UINT64_C(0xffff80000a000000);

	naming_begin(&n, kallsyms);
	/* Nothing is known of a kernel without a record of its map. */
	const struct maps *maps = symbolizer_kernel_maps(n.symbolizer, n.machine);
	struct spot spot = symbolizer_at(n.symbolizer, maps, kernel + 0x1000, false);
	ck_assert_ptr_null(spot.location->dso);
	naming_map_kernel(&n, kernel, 0x1000000, kernel, "[kernel.kallsyms]_text");
	naming_map_kernel(&n, module, 0x1000, 0, "[mymod]");
	maps = symbolizer_kernel_maps(n.symbolizer, n.machine);
	spot = symbolizer_at(n.symbolizer, maps, kernel + 0x1010, false);
	ck_assert_str_eq(spot.location->name, "do_work");
	ck_assert_uint_eq(spot_symoff(&spot), 0x10);
	spot = symbolizer_at(n.symbolizer, maps, module + 0x110, false);
	ck_assert_str_eq(spot.location->name, "modfn");
	ck_assert_str_eq(spot.location->dso->name, "[mymod]");
	naming_end(&n);
}
END_TEST

START_TEST(a_guests_names_are_from_its_own_files)
{
	static const char host_kallsyms[] = "ffff800008000000 T _text\nffff800008001000 T host_work\n";
	static const char guest_kallsyms[] = "ffff800008000000 T _text\nffff800008000800 T guest_work\n"
					     "ffff80000a000100 t modfn\t[mymod]\n";
	const uint64_t kernel = UINT64_C(0xffff800008000000), module = UINT64_C(0xffff80000a000000);
	char path[128];

	naming_begin(&n, host_kallsyms);
	snprintf(path, sizeof(path), "%s/guest", n.root);
	mkelf_text(path, guest_kallsyms, strlen(guest_kallsyms));
	struct dsos *dsos = dsos_new_guest(n.dsos);
	struct machine *guest = machine_new_guest(dsos, 500), *host = n.machine;
	struct dso_find *find = dso_find_new(&(struct dso_find_options){ .sysroot = "/nowhere" });
	struct kernel *guest_kernel = kernel_new(&(struct kernel_options){ .kallsyms = path, .guest = true });
	symbolizer_add_machine(n.symbolizer, guest, find, guest_kernel);
	for (unsigned i = 0; i < 2; i++, n.machine = guest) {
		naming_map_kernel(&n, kernel, 0x1000000, kernel, "[kernel.kallsyms]_text");
		naming_map_kernel(&n, module, 0x1000, 0, "[mymod]");
	}
	n.machine = host;
	const struct maps *maps = symbolizer_kernel_maps(n.symbolizer, guest);
	struct spot spot = symbolizer_at(n.symbolizer, maps, kernel + 0x1010, false);
	ck_assert_str_eq(spot.location->name, "guest_work");
	spot = symbolizer_at(n.symbolizer, maps, module + 0x110, false);
	ck_assert_str_eq(spot.location->name, "modfn");
	maps = symbolizer_kernel_maps(n.symbolizer, host);
	spot = symbolizer_at(n.symbolizer, maps, kernel + 0x1010, false);
	ck_assert_str_eq(spot.location->name, "host_work");
	spot = symbolizer_at(n.symbolizer, maps, module + 0x110, false);
	ck_assert_ptr_null(spot.location->name);
	symbolizer_free(n.symbolizer);
	n.symbolizer = NULL;
	kernel_free(guest_kernel);
	dso_find_free(find);
	machine_free(guest);
	dsos_free(dsos);
	naming_end(&n);
}
END_TEST

START_TEST(memory_without_a_file_has_plain_addresses)
{
	char path[160];

	begin();
	ck_assert(mkelf_run("mkdir '%s/tmp'", n.root));
	snprintf(path, sizeof(path), "%s/tmp/perf-100.map", n.root);
	static const char map[] = "20010 10 jitted\n20020 10 exit\n";
	mkelf_text(path, map, sizeof(map) - 1);
	naming_map(&n, 100, 0x20000, 0x1000, 0, "//anon");
	struct spot spot = spot_at(100, 0x20018, false);
	ck_assert_str_eq(spot.location->name, "jitted");
	ck_assert_uint_eq(spot.offset, 0x20018);
	ck_assert_uint_eq(spot_symoff(&spot), 8);
	/* What begins a function was put there to be returned to. */
	ck_assert_str_eq(name_at(0x20020, true), "exit");
	ck_assert_str_eq(name_at(0x20030, true), "exit");
	naming_end(&n);
}
END_TEST

CHECK_SUITE("symbolizer", an_address_has_a_name_an_offset_and_a_place_in_its_file,
	    all_addresses_of_a_function_are_one_location, a_source_line_is_of_one_address,
	    a_return_address_behind_a_function_is_in_the_function,
	    a_return_address_with_nothing_before_it_is_taken_as_it_is,
	    the_same_code_is_one_answer_in_all_processes, an_answer_is_good_until_the_map_changes,
	    no_address_gets_the_answer_of_another, an_address_that_nothing_maps_is_nowhere,
	    what_is_unknown_counts_once_a_sample, a_file_is_opened_when_the_first_address_in_it_is_asked_for,
	    the_kernel_and_its_modules, a_guests_names_are_from_its_own_files,
	    memory_without_a_file_has_plain_addresses)
