#include "symbolize/overlap.h"

#include <stdlib.h>

#include "util/xalloc.h"

/*
 * A segment tree over the pieces between all starts and ends: node 1 is the whole, 2n and 2n + 1 are the
 * halves of node n, from `size` on come the pieces themselves. Heights are layers + 1.
 */
struct tree {
	uint64_t *points; /* all starts and ends, sorted */
	size_t nr_points;
	size_t size;	   /* a power of two */
	uint32_t *whole;   /* how high what covers all of the node is */
	uint32_t *highest; /* the highest in any part of the node */
};

static int by_number(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void tree_init(struct tree *t, const struct overlap_range *ranges, size_t count)
{
	size_t unique = 1;

	t->points = xreallocarray(NULL, 2 * count, sizeof(*t->points));
	for (size_t i = 0; i < count; i++) {
		t->points[2 * i] = ranges[i].start;
		t->points[2 * i + 1] = ranges[i].end;
	}
	qsort(t->points, 2 * count, sizeof(*t->points), by_number);
	for (size_t i = 1; i < 2 * count; i++) {
		if (t->points[i] != t->points[unique - 1])
			t->points[unique++] = t->points[i];
	}
	t->nr_points = unique;
	for (t->size = 1; t->size < unique; t->size *= 2)
		;
	t->whole = xcalloc(2 * t->size, sizeof(*t->whole));
	t->highest = xcalloc(2 * t->size, sizeof(*t->highest));
}

static void tree_deinit(struct tree *t)
{
	free(t->points);
	free(t->whole);
	free(t->highest);
}

/* The piece that begins at a point that is there. */
static size_t piece_at(const struct tree *t, uint64_t point)
{
	const uint64_t *found = bsearch(&point, t->points, t->nr_points, sizeof(point), by_number);

	return (size_t)(found - t->points);
}

static uint32_t higher(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* The highest in the pieces [first, end). */
static uint32_t height(const struct tree *t, size_t first, size_t end)
{
	size_t left = first + t->size, right = end + t->size;
	uint32_t found = 0;

	for (size_t node = left; node; node /= 2)
		found = higher(found, t->whole[node]);
	for (size_t node = right - 1; node; node /= 2)
		found = higher(found, t->whole[node]);
	for (; left < right; left /= 2, right /= 2) {
		if (left & 1)
			found = higher(found, t->highest[left++]);
		if (right & 1)
			found = higher(found, t->highest[--right]);
	}
	return found;
}

static void cover(struct tree *t, size_t first, size_t end, uint32_t value)
{
	size_t left = first + t->size, right = end + t->size;

	for (size_t node = left; node; node /= 2)
		t->highest[node] = higher(t->highest[node], value);
	for (size_t node = right - 1; node; node /= 2)
		t->highest[node] = higher(t->highest[node], value);
	for (; left < right; left /= 2, right /= 2) {
		if (left & 1) {
			t->highest[left] = higher(t->highest[left], value);
			t->whole[left++] = value;
		}
		if (right & 1) {
			right--;
			t->highest[right] = higher(t->highest[right], value);
			t->whole[right] = value;
		}
	}
}

uint32_t *overlap_layers(const struct overlap_range *ranges, size_t count)
{
	uint32_t *layers = xcalloc(count + 1, sizeof(*layers));
	struct tree tree;

	if (!count)
		return layers;
	tree_init(&tree, ranges, count);
	for (size_t i = 0; i < count; i++) {
		size_t first = piece_at(&tree, ranges[i].start), end = piece_at(&tree, ranges[i].end);
		layers[i] = height(&tree, first, end);
		cover(&tree, first, end, layers[i] + 1);
	}
	tree_deinit(&tree);
	return layers;
}
