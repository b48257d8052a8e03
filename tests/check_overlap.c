#include "symbolize/overlap.h"

#include <stdio.h>

#include "tests/check_run.h"

/* The layers of @count ranges as text. */
static const char *layers(const struct overlap_range *ranges, size_t count)
{
	static char text[256];
	uint32_t *found = overlap_layers(ranges, count);
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%u ", found[i]);
	free(found);
	return text;
}

START_TEST(ranges_that_touch_do_not_overlap)
{
	struct overlap_range ranges[] = { { 10, 20 }, { 20, 30 }, { 0, 10 }, { UINT64_MAX - 1, UINT64_MAX } };

	ck_assert_str_eq(layers(ranges, 4), "0 0 0 0 ");
	ck_assert_str_eq(layers(ranges, 0), "");
	ck_assert_str_eq(layers(ranges, 1), "0 ");
}
END_TEST

START_TEST(a_range_lies_above_all_that_it_overlaps)
{
	struct overlap_range ranges[] = {
		{ 10, 20 }, { 15, 16 }, { 15, 16 }, { 0, 11 }, { 19, 30 }, { 12, 14 }, { 0, 100 }, { 50, 60 },
	};

	ck_assert_str_eq(layers(ranges, 8), "0 1 2 1 1 1 3 4 ");
}
END_TEST

/* Slow and simple. */
static uint32_t layer_of(const struct overlap_range *ranges, const uint32_t *layer, size_t index)
{
	uint32_t found = 0;

	for (size_t i = 0; i < index; i++) {
		if (ranges[i].start < ranges[index].end && ranges[index].start < ranges[i].end &&
		    layer[i] >= found)
			found = layer[i] + 1;
	}
	return found;
}

START_TEST(random_ranges)
{
	struct overlap_range ranges[60];
	unsigned seed = 12345;

	for (int round = 0; round < 200; round++) {
		for (size_t i = 0; i < 60; i++) {
			seed = seed * 1103515245 + 12345;
			ranges[i].start = seed >> 16 & 127;
			ranges[i].end = ranges[i].start + 1 + (seed >> 24 & 15);
		}
		uint32_t *found = overlap_layers(ranges, 60);
		for (size_t i = 0; i < 60; i++)
			ck_assert_uint_eq(found[i], layer_of(ranges, found, i));
		free(found);
	}
}
END_TEST

CHECK_SUITE("overlap", ranges_that_touch_do_not_overlap, a_range_lies_above_all_that_it_overlaps,
	    random_ranges)
