#include "symbolize/maps.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "util/vec.h"
#include "util/xalloc.h"

/*
 * An address space is an index of leaves, each a few maps in address order. Two versions share the leaves in
 * which they do not differ. One sorted array would do for the usual hundred maps; but Linux gives out
 * addresses from the top downwards, so that a process with 50,000 maps inserts each new one before nearly all
 * others, and every version that a waiting sample holds would be a copy of 2 MB.
 */
#define LEAF_MAPS 32

struct leaf {
	atomic_uint refs; /* versions that hold it; it changes only when there is one */
	unsigned count;	  /* never 0 in an index */
	struct map at[LEAF_MAPS];
};

struct branch {
	uint64_t start; /* of the leaf's first map */
	struct leaf *leaf;
};

struct maps {
	atomic_uint refs;
	uint64_t generation;
	size_t count;
	VEC(struct branch) index; /* no map overlaps another, so maps are in order by end too */
};

/* A map's place; {number of leaves, 0} is behind the last. No place has a slot behind its leaf's last. */
struct place {
	size_t leaf;
	unsigned slot;
};

static uint64_t next_generation(void)
{
	static atomic_uint_fast64_t last;

	return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

static void add_ref(atomic_uint *refs)
{
	atomic_fetch_add_explicit(refs, 1, memory_order_relaxed);
}

/* True: it was the last one. */
static bool drop_ref(atomic_uint *refs)
{
	return atomic_fetch_sub_explicit(refs, 1, memory_order_acq_rel) == 1;
}

static bool is_shared(atomic_uint *refs)
{
	return atomic_load_explicit(refs, memory_order_acquire) != 1;
}

static struct leaf *leaf_new(const struct map *with, unsigned count)
{
	struct leaf *leaf = xmalloc(sizeof(*leaf));

	atomic_init(&leaf->refs, 1);
	leaf->count = count;
	memcpy(leaf->at, with, count * sizeof(*with));
	return leaf;
}

static void leaf_unref(struct leaf *leaf)
{
	if (drop_ref(&leaf->refs))
		free(leaf);
}

struct maps *maps_new(void)
{
	struct maps *maps = xcalloc(1, sizeof(*maps));

	atomic_init(&maps->refs, 1);
	maps->generation = next_generation();
	return maps;
}

struct maps *maps_ref(struct maps *maps)
{
	add_ref(&maps->refs);
	return maps;
}

void maps_unref(struct maps *maps)
{
	if (!maps || !drop_ref(&maps->refs))
		return;
	for (size_t i = 0; i < maps->index.count; i++)
		leaf_unref(maps->index.at[i].leaf);
	vec_free(&maps->index);
	free(maps);
}

uint64_t maps_generation(const struct maps *maps)
{
	return maps->generation;
}

size_t maps_count(const struct maps *maps)
{
	return maps->count;
}

const struct map *maps_at(const struct maps *maps, size_t index)
{
	const struct branch *branch = maps->index.at;

	for (; index >= branch->leaf->count; branch++)
		index -= branch->leaf->count;
	return &branch->leaf->at[index];
}

/* NULL: behind the last. */
static const struct map *map_at(const struct maps *maps, struct place place)
{
	return place.leaf == maps->index.count ? NULL : &maps->index.at[place.leaf].leaf->at[place.slot];
}

static bool same_place(struct place a, struct place b)
{
	return a.leaf == b.leaf && a.slot == b.slot;
}

static struct place place_before(const struct maps *maps, struct place place)
{
	if (place.slot)
		return (struct place){ place.leaf, place.slot - 1 };
	return (struct place){ place.leaf - 1, maps->index.at[place.leaf - 1].leaf->count - 1 };
}

/* How many leaves begin before @address. */
static size_t leaves_before(const struct maps *maps, uint64_t address)
{
	size_t low = 0, high = maps->index.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (maps->index.at[middle].start < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first map that does not begin before @address. */
static struct place first_from(const struct maps *maps, uint64_t address)
{
	size_t next = leaves_before(maps, address);

	if (next == 0)
		return (struct place){ 0, 0 };
	const struct leaf *leaf = maps->index.at[next - 1].leaf;
	unsigned low = 1, high = leaf->count;
	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		if (leaf->at[middle].start < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < leaf->count ? (struct place){ next - 1, low } : (struct place){ next, 0 };
}

/* The first map that ends behind @address: it holds it, or it is the next one. */
static struct place first_behind(const struct maps *maps, uint64_t address)
{
	struct place place = first_from(maps, address);

	if (place.leaf == 0 && place.slot == 0)
		return place;
	struct place before = place_before(maps, place);
	return map_at(maps, before)->end > address ? before : place;
}

const struct map *maps_find(const struct maps *maps, uint64_t address)
{
	const struct map *map = map_at(maps, first_behind(maps, address));

	return map && map->start <= address ? map : NULL;
}

static struct maps *copy_of(const struct maps *maps)
{
	struct maps *copy = maps_new();
	size_t leaves = maps->index.count;

	copy->count = maps->count;
	vec_reserve(&copy->index, leaves + 1);
	for (size_t i = 0; i < leaves; i++) {
		add_ref(&maps->index.at[i].leaf->refs);
		vec_push(&copy->index, maps->index.at[i]);
	}
	return copy;
}

/* Make *maps one that nobody else holds, in a new state. */
static struct maps *begin_change(struct maps **maps)
{
	struct maps *old = *maps;

	if (!is_shared(&old->refs)) {
		old->generation = next_generation();
		return old;
	}
	*maps = copy_of(old);
	maps_unref(old);
	return *maps;
}

/* Make the leaf one that no other version holds. */
static struct leaf *begin_leaf_change(struct maps *maps, size_t index)
{
	struct leaf *old = maps->index.at[index].leaf;

	if (!is_shared(&old->refs))
		return old;
	maps->index.at[index].leaf = leaf_new(old->at, old->count);
	leaf_unref(old);
	return maps->index.at[index].leaf;
}

static void set_leaf_start(struct maps *maps, size_t index)
{
	maps->index.at[index].start = maps->index.at[index].leaf->at[0].start;
}

static void add_leaf(struct maps *maps, size_t index, const struct map *with, unsigned count)
{
	struct branch branch = { with->start, leaf_new(with, count) };

	vec_insert(&maps->index, index, branch);
}

/* Take @n maps out of one leaf, which keeps at least one. */
static void cut_leaf(struct maps *maps, struct place from, unsigned n)
{
	struct leaf *leaf = begin_leaf_change(maps, from.leaf);
	unsigned behind = leaf->count - from.slot - n;

	memmove(&leaf->at[from.slot], &leaf->at[from.slot + n], behind * sizeof(leaf->at[0]));
	leaf->count -= n;
	maps->count -= n;
	set_leaf_start(maps, from.leaf);
}

static void drop_leaves(struct maps *maps, size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i++) {
		maps->count -= maps->index.at[i].leaf->count;
		leaf_unref(maps->index.at[i].leaf);
	}
	vec_remove(&maps->index, first, n);
}

/* Take out what lies from @from on and before @to. Returns the place where that was. */
static struct place erase(struct maps *maps, struct place from, struct place to)
{
	if (same_place(from, to))
		return from;
	if (from.leaf == to.leaf) {
		cut_leaf(maps, from, to.slot - from.slot);
		return from;
	}
	if (to.slot)
		cut_leaf(maps, (struct place){ to.leaf, 0 }, to.slot);
	size_t first_whole = from.leaf;
	if (from.slot) {
		cut_leaf(maps, from, maps->index.at[from.leaf].leaf->count - from.slot);
		first_whole++;
	}
	drop_leaves(maps, first_whole, to.leaf - first_whole);
	return (struct place){ first_whole, 0 };
}

static bool is_full(const struct maps *maps, size_t index)
{
	return maps->index.at[index].leaf->count == LEAF_MAPS;
}

/* Split a full leaf; @place goes where its map went. */
static void split_leaf(struct maps *maps, struct place *place)
{
	struct leaf *leaf = begin_leaf_change(maps, place->leaf);
	unsigned half = LEAF_MAPS / 2;

	add_leaf(maps, place->leaf + 1, &leaf->at[half], LEAF_MAPS - half);
	leaf->count = half;
	if (place->slot > half)
		*place = (struct place){ place->leaf + 1, place->slot - half };
}

/* Move @place to one beside it that has room, maybe behind a leaf's last map. False: it needs a new leaf. */
static bool find_room(struct maps *maps, struct place *place)
{
	if (place->slot == 0 && place->leaf && !is_full(maps, place->leaf - 1)) {
		place->leaf--;
		place->slot = maps->index.at[place->leaf].leaf->count;
		return true;
	}
	if (place->leaf == maps->index.count || (place->slot == 0 && is_full(maps, place->leaf)))
		return false;
	if (is_full(maps, place->leaf))
		split_leaf(maps, place);
	return true;
}

/* Returns the place behind it. */
static struct place insert(struct maps *maps, struct place place, const struct map *map)
{
	maps->count++;
	if (!find_room(maps, &place)) {
		add_leaf(maps, place.leaf, map, 1);
		return (struct place){ place.leaf + 1, 0 };
	}
	struct leaf *leaf = begin_leaf_change(maps, place.leaf);
	unsigned behind = leaf->count - place.slot;
	memmove(&leaf->at[place.slot + 1], &leaf->at[place.slot], behind * sizeof(*map));
	leaf->at[place.slot] = *map;
	leaf->count++;
	set_leaf_start(maps, place.leaf);
	return behind ? (struct place){ place.leaf, place.slot + 1 } : (struct place){ place.leaf + 1, 0 };
}

static struct map part_of(const struct map *map, uint64_t start, uint64_t end)
{
	struct map part = *map;

	part.start = start;
	part.end = end;
	part.pgoff = map->pgoff + (start - map->start);
	return part;
}

static bool same_map(const struct map *a, const struct map *b)
{
	return a->start == b->start && a->end == b->end && a->pgoff == b->pgoff && a->dso == b->dso &&
	       a->prot == b->prot && a->flags == b->flags;
}

/* @map with what it leaves of the maps from @from on and before @to, which it cuts. Returns how many. */
static unsigned cut_overlapped(const struct maps *maps, struct place from, struct place to,
			       const struct map *map, struct map ret[3])
{
	unsigned nr = 0;

	if (same_place(from, to)) {
		ret[0] = *map;
		return 1;
	}
	const struct map *first = map_at(maps, from);
	const struct map *last = map_at(maps, place_before(maps, to));
	if (first->start < map->start)
		ret[nr++] = part_of(first, first->start, map->start);
	ret[nr++] = *map;
	if (last->end > map->end)
		ret[nr++] = part_of(last, map->end, last->end);
	return nr;
}

void maps_insert(struct maps **maps, const struct map *map)
{
	struct map parts[3];

	if (map->end <= map->start)
		return;
	struct place from = first_behind(*maps, map->start);
	const struct map *first = map_at(*maps, from);
	if (first && same_map(first, map))
		return;
	struct place to = first_from(*maps, map->end);
	unsigned nr = cut_overlapped(*maps, from, to, map, parts);
	struct maps *own = begin_change(maps);
	struct place place = erase(own, from, to);
	for (unsigned i = 0; i < nr; i++)
		place = insert(own, place, &parts[i]);
}

void maps_overlay(struct maps **maps, const struct maps *top)
{
	for (size_t i = 0; i < top->index.count; i++) {
		const struct leaf *leaf = top->index.at[i].leaf;
		for (unsigned slot = 0; slot < leaf->count; slot++)
			maps_insert(maps, &leaf->at[slot]);
	}
}

void maps_remove(struct maps **maps, uint64_t start)
{
	struct place place = first_from(*maps, start);
	const struct map *map = map_at(*maps, place);

	if (!map || map->start != start)
		return;
	struct maps *own = begin_change(maps);
	if (own->index.at[place.leaf].leaf->count == 1)
		drop_leaves(own, place.leaf, 1);
	else
		cut_leaf(own, place, 1);
}
