#include "symbolize/maps.h"

#include <stdio.h>
#include <string.h>

#include "tests/check_run.h"
#include "util/vec.h"

/* Only their addresses matter. */
static char dso_a, dso_b;
#define A ((struct dso *)&dso_a)
#define B ((struct dso *)&dso_b)

static void lay(struct maps **maps, uint64_t start, uint64_t end, uint64_t pgoff, struct dso *dso)
{
	struct map map = { .start = start, .end = end, .pgoff = pgoff, .dso = dso };

	maps_insert(maps, &map);
}

/* "10-20a0 30-40b5": start, end, dso and pgoff of all maps, in hex */
static const char *text_of(const struct maps *maps)
{
	static char text[4096];
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < maps_count(maps) && at < sizeof(text) - 80; i++) {
		const struct map *map = maps_at(maps, i);
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%llx-%llx%c%llx", i ? " " : "",
				       (unsigned long long)map->start, (unsigned long long)map->end,
				       map->dso == A ? 'a' : 'b', (unsigned long long)map->pgoff);
	}
	return text;
}

START_TEST(look_up_finds_the_map_that_holds_the_address)
{
	struct maps *maps = maps_new();

	ck_assert_ptr_null(maps_find(maps, 0));
	lay(&maps, 0x1000, 0x2000, 0, A);
	lay(&maps, 0x3000, 0x4000, 0x700, B);
	ck_assert_ptr_null(maps_find(maps, 0xfff));
	ck_assert_ptr_eq(maps_find(maps, 0x1000)->dso, A);
	ck_assert_ptr_eq(maps_find(maps, 0x1fff)->dso, A);
	ck_assert_ptr_null(maps_find(maps, 0x2000));
	ck_assert_uint_eq(maps_find(maps, 0x3000)->pgoff, 0x700);
	ck_assert_ptr_null(maps_find(maps, 0x4000));
	ck_assert_ptr_null(maps_find(maps, UINT64_MAX));
	maps_unref(maps);
	maps_unref(NULL);
}
END_TEST

/* Each over the same two maps: 10-20 of a at file offset 100, 30-40 of a at 200. */
static const struct {
	uint64_t start, end;
	const char *expected;
} cuts[] = {
	{ 0x05, 0x08, "5-8b0 10-20a100 30-40a200" },
	{ 0x05, 0x10, "5-10b0 10-20a100 30-40a200" },
	{ 0x05, 0x11, "5-11b0 11-20a101 30-40a200" },
	{ 0x10, 0x20, "10-20b0 30-40a200" },
	{ 0x10, 0x14, "10-14b0 14-20a104 30-40a200" },
	{ 0x14, 0x18, "10-14a100 14-18b0 18-20a108 30-40a200" },
	{ 0x18, 0x20, "10-18a100 18-20b0 30-40a200" },
	{ 0x18, 0x38, "10-18a100 18-38b0 38-40a208" },
	{ 0x20, 0x30, "10-20a100 20-30b0 30-40a200" },
	{ 0x10, 0x40, "10-40b0" },
	{ 0x00, 0xff, "0-ffb0" },
	{ 0x3f, 0xff, "10-20a100 30-3fa200 3f-ffb0" },
	{ 0x40, 0xff, "10-20a100 30-40a200 40-ffb0" },
	{ 0x14, 0x14, "10-20a100 30-40a200" },
	{ 0x14, 0x04, "10-20a100 30-40a200" },
};

START_TEST(a_new_map_cuts_what_it_overlaps)
{
	for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		struct maps *maps = maps_new();
		lay(&maps, 0x30, 0x40, 0x200, A);
		lay(&maps, 0x10, 0x20, 0x100, A);
		lay(&maps, cuts[i].start, cuts[i].end, 0, B);
		ck_assert_str_eq(text_of(maps), cuts[i].expected);
		maps_unref(maps);
	}
}
END_TEST

START_TEST(overlay_is_the_same_as_laying_one_after_the_other)
{
	for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		struct maps *maps = maps_new(), *top = maps_new();
		lay(&maps, 0x10, 0x20, 0x100, A);
		lay(&maps, 0x30, 0x40, 0x200, A);
		lay(&top, cuts[i].start, cuts[i].end, 0, B);
		maps_overlay(&maps, top);
		ck_assert_str_eq(text_of(maps), cuts[i].expected);
		maps_unref(maps);
		maps_unref(top);
	}
	struct maps *maps = maps_new(), *top = maps_new();
	lay(&maps, 0x10, 0x80, 0, A);
	lay(&maps, 0x90, 0xa0, 0, A);
	lay(&top, 0x08, 0x18, 0, B);
	lay(&top, 0x20, 0x30, 0, B);
	lay(&top, 0x30, 0x40, 0, B);
	lay(&top, 0x70, 0x98, 0, B);
	lay(&top, 0xc0, 0xd0, 0, B);
	maps_overlay(&maps, top);
	ck_assert_str_eq(text_of(maps), "8-18b0 18-20a8 20-30b0 30-40b0 40-70a30 70-98b0 98-a0a8 c0-d0b0");
	maps_unref(maps);
	maps_unref(top);
}
END_TEST

START_TEST(an_address_space_ends_at_the_last_address_but_one)
{
	struct maps *maps = maps_new();

	lay(&maps, 0, UINT64_MAX, 0, A);
	lay(&maps, UINT64_MAX - 16, UINT64_MAX, 0, B);
	lay(&maps, 0, 16, 0, B);
	ck_assert_str_eq(text_of(maps), "0-10b0 10-ffffffffffffffefa10 ffffffffffffffef-ffffffffffffffffb0");
	ck_assert_ptr_null(maps_find(maps, UINT64_MAX));
	maps_unref(maps);
}
END_TEST

START_TEST(a_change_of_a_shared_version_leaves_the_other_holder_alone)
{
	struct maps *parent = maps_new();
	lay(&parent, 0x10, 0x20, 0, A);
	struct maps *child = maps_ref(parent);
	uint64_t generation = maps_generation(parent);

	ck_assert_ptr_eq(child, parent);
	lay(&child, 0x18, 0x28, 0, B);
	ck_assert_str_eq(text_of(parent), "10-20a0");
	ck_assert_str_eq(text_of(child), "10-18a0 18-28b0");
	ck_assert_uint_eq(maps_generation(parent), generation);
	struct maps *again = maps_ref(child);
	maps_remove(&child, 0x10);
	ck_assert_str_eq(text_of(child), "18-28b0");
	ck_assert_str_eq(text_of(again), "10-18a0 18-28b0");
	struct maps *third = maps_ref(again);
	maps_overlay(&third, child);
	ck_assert_str_eq(text_of(again), "10-18a0 18-28b0");
	maps_unref(parent);
	maps_unref(child);
	maps_unref(again);
	maps_unref(third);
}
END_TEST

START_TEST(the_owner_alone_changes_in_place)
{
	struct maps *maps = maps_new();
	const struct maps *before = maps;

	for (uint64_t i = 0; i < 100; i++)
		lay(&maps, 0x1000 * i, 0x1000 * (i + 1), 0, A);
	ck_assert_ptr_eq(maps, before);
	maps_unref(maps);
}
END_TEST

START_TEST(each_state_has_its_own_generation)
{
	struct maps *maps = maps_new(), *other = maps_new();
	uint64_t seen[6] = { maps_generation(other), maps_generation(maps) };

	lay(&maps, 0x10, 0x20, 0, A);
	seen[2] = maps_generation(maps);
	lay(&maps, 0x30, 0x40, 0, A);
	seen[3] = maps_generation(maps);
	maps_remove(&maps, 0x30);
	seen[4] = maps_generation(maps);
	maps_overlay(&other, maps);
	seen[5] = maps_generation(other);
	for (size_t i = 0; i < 6; i++) {
		for (size_t j = 0; j < i; j++)
			ck_assert_uint_ne(seen[i], seen[j]);
	}
	maps_unref(maps);
	maps_unref(other);
}
END_TEST

START_TEST(what_changes_nothing_is_no_new_state)
{
	struct maps *maps = maps_new();
	lay(&maps, 0x10, 0x20, 0, A);
	lay(&maps, 0x30, 0x40, 0, A);
	struct maps *held = maps_ref(maps);
	uint64_t generation = maps_generation(maps);

	lay(&maps, 0x10, 0x20, 0, A); /* perf synthesizes the maps of a process for each of its threads */
	lay(&maps, 0x50, 0x50, 0, A);
	maps_remove(&maps, 0x11);
	maps_remove(&maps, 0x20);
	ck_assert_ptr_eq(maps, held);
	ck_assert_uint_eq(maps_generation(maps), generation);
	lay(&maps, 0x10, 0x20, 1, A);
	ck_assert_ptr_ne(maps, held);
	maps_unref(maps);
	maps_unref(held);
}
END_TEST

START_TEST(a_map_of_the_list_itself_may_be_laid_again)
{
	struct maps *maps = maps_new();

	lay(&maps, 0x10, 0x20, 0, A);
	struct map map = *maps_at(maps, 0);
	map.end = 0x18;
	map.pgoff = 7;
	maps_insert(&maps, &map);
	ck_assert_str_eq(text_of(maps), "10-18a7 18-20a8");
	maps_unref(maps);
}
END_TEST

#define SPACE 2048

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* The plainest model of an address space: one entry an address. */
struct model {
	struct dso *dso[SPACE];
	uint64_t offset[SPACE];
};

static void change_both(struct maps **maps, struct model *model, uint32_t *state)
{
	uint64_t start = next_random(state) % SPACE;
	uint64_t longest = next_random(state) % 128 ? 8 : SPACE; /* mostly short, so that there are many */
	uint64_t end = start + next_random(state) % longest;
	struct dso *dso = next_random(state) & 1 ? A : B;
	uint64_t pgoff = next_random(state);
	const struct map *found = maps_find(*maps, start);

	if (next_random(state) % 5 == 0 && found) {
		for (uint64_t i = found->start; i < found->end && i < SPACE; i++)
			model->dso[i] = NULL;
		maps_remove(maps, found->start);
		return;
	}
	lay(maps, start, end < SPACE ? end : SPACE, pgoff, dso);
	for (uint64_t i = start; i < end && i < SPACE; i++) {
		model->dso[i] = dso;
		model->offset[i] = pgoff + i - start;
	}
}

static bool agree(const struct maps *maps, const struct model *model)
{
	for (uint64_t i = 0; i < SPACE; i++) {
		const struct map *map = maps_find(maps, i);
		if ((map ? map->dso : NULL) != model->dso[i])
			return false;
		if (map && map->pgoff + i - map->start != model->offset[i])
			return false;
	}
	return true;
}

static bool in_order(const struct maps *maps)
{
	uint64_t end = 0;

	for (size_t i = 0; i < maps_count(maps); i++) {
		const struct map *map = maps_at(maps, i);
		if (map->start < end || map->end <= map->start)
			return false;
		end = map->end;
	}
	return true;
}

START_TEST(random_changes_agree_with_an_array_of_addresses)
{
	struct maps *maps = maps_new(), *held = maps_ref(maps);
	struct model model = { 0 }, model_held = { 0 };
	size_t most = 0;
	uint32_t state = 1;

	for (int round = 0; round < 4000; round++) {
		change_both(&maps, &model, &state);
		ck_assert_msg(agree(maps, &model) && in_order(maps), "round %d", round);
		most = maps_count(maps) > most ? maps_count(maps) : most;
		if (round % 7)
			continue;
		ck_assert_msg(agree(held, &model_held), "version held at round %d", round);
		maps_unref(held);
		held = maps_ref(maps);
		model_held = model;
	}
	ck_assert_uint_gt(most, 200); /* several leaves */
	maps_unref(maps);
	maps_unref(held);
}
END_TEST

#define MANY 50000

/* Downwards is how Linux gives out addresses. */
START_TEST(fifty_thousand_maps_are_laid_in_any_order)
{
	struct maps *up = maps_new(), *down = maps_new(), *mixed = maps_new();
	uint32_t state = 7;

	for (uint64_t i = 0; i < MANY; i++) {
		lay(&up, 0x1000 * i, 0x1000 * i + 0x800, 0, A);
		lay(&down, 0x1000 * (MANY - i), 0x1000 * (MANY - i) + 0x800, 0, A);
		uint64_t at = 0x1000 * (next_random(&state) % MANY);
		lay(&mixed, at, at + 0x800, 0, B);
	}
	ck_assert_uint_eq(maps_count(up), MANY);
	ck_assert_uint_eq(maps_count(down), MANY);
	maps_overlay(&up, mixed);
	ck_assert_uint_eq(maps_count(up), MANY);
	uint64_t found = 0;
	for (uint64_t i = 1; i <= MANY; i++)
		found += maps_find(down, 0x1000 * i + 0x7ff)->start == 0x1000 * i;
	ck_assert_uint_eq(found, MANY);
	maps_unref(up);
	maps_unref(down);
	maps_unref(mixed);
}
END_TEST

/* Samples that wait hold the version of their time. */
START_TEST(versions_of_a_large_address_space_share_what_they_have_in_common)
{
	static struct maps *held[2000];
	struct maps *maps = maps_new();

	for (uint64_t i = 0; i < MANY; i++)
		lay(&maps, 0x1000 * i, 0x1000 * i + 0x800, 0, A);
	for (uint64_t i = 0; i < 2000; i++) {
		held[i] = maps_ref(maps);
		lay(&maps, 0x1000 * i, 0x1000 * i + 0x800, 0, B);
	}
	for (uint64_t i = 0; i < 2000; i++) {
		ck_assert_ptr_eq(maps_find(held[i], 0x1000 * i)->dso, A);
		ck_assert(i == 0 || maps_find(held[i], 0x1000 * (i - 1))->dso == B);
		maps_unref(held[i]);
	}
	maps_unref(maps);
}
END_TEST

START_TEST(one_map_replaces_thousands)
{
	struct maps *maps = maps_new();

	for (uint64_t i = 0; i < 1000; i++)
		lay(&maps, 0x10 * i, 0x10 * i + 0x10, 0, A);
	lay(&maps, 0x18, 0x3e68, 5, B);
	ck_assert_str_eq(text_of(maps), "0-10a0 10-18a0 18-3e68b5 3e68-3e70a8 3e70-3e80a0");
	lay(&maps, 0, 0x10000, 6, B);
	ck_assert_str_eq(text_of(maps), "0-10000b6");
	maps_remove(&maps, 0);
	ck_assert_uint_eq(maps_count(maps), 0);
	ck_assert_ptr_null(maps_find(maps, 0));
	maps_unref(maps);
}
END_TEST

CHECK_SUITE("maps", look_up_finds_the_map_that_holds_the_address, a_new_map_cuts_what_it_overlaps,
	    overlay_is_the_same_as_laying_one_after_the_other,
	    an_address_space_ends_at_the_last_address_but_one,
	    a_change_of_a_shared_version_leaves_the_other_holder_alone, the_owner_alone_changes_in_place,
	    each_state_has_its_own_generation, what_changes_nothing_is_no_new_state,
	    a_map_of_the_list_itself_may_be_laid_again, random_changes_agree_with_an_array_of_addresses,
	    fifty_thousand_maps_are_laid_in_any_order,
	    versions_of_a_large_address_space_share_what_they_have_in_common, one_map_replaces_thousands)
