/*
 * maps - one address space: which file is where.
 *
 * A version of an address space is reference-counted and copied on write: a fork is one more reference, an
 * mmap changes the owner's version in place when nobody else holds it and makes a copy otherwise. A sample
 * that waits holds the version of its time. `generation` is different for every state an address space was
 * ever in, so {generation, address} is a sound cache key.
 *
 * A new map cuts what it overlaps (as in perf 7.2). Look-up is a binary search. A change costs the
 * same wherever it is, and little more when others hold the version: versions share what they have in common.
 *
 * References may be taken and given back by any thread; changes are for the owner of the reference alone.
 * Knows nothing of records, ELF or the kernel.
 */
#ifndef PERF2TXT_MAPS_H
#define PERF2TXT_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dso;

struct map {
	uint64_t start, end; /* [start, end) */
	uint64_t pgoff;      /* file offset of start */
	struct dso *dso;     /* not owned; never NULL */
	uint32_t prot;       /* PROT_FLAG_* */
	uint32_t flags;
};

struct maps;

/** An empty address space with one reference. */
struct maps *maps_new(void);
struct maps *maps_ref(struct maps *maps);
void maps_unref(struct maps *maps); /* NULL is fine */

uint64_t maps_generation(const struct maps *maps);
size_t maps_count(const struct maps *maps);

/** In address order, @index < maps_count(). Not for many: it counts from the first. */
const struct map *maps_at(const struct maps *maps, size_t index);

/**
 * Lay @map over what is there. *maps is the caller's reference and may be replaced by a changed copy. A map
 * that holds no address (end <= start) changes nothing.
 */
void maps_insert(struct maps **maps, const struct map *map);

/** Lay all maps of @top, another address space, over what is there. */
void maps_overlay(struct maps **maps, const struct maps *top);

/** Take out the map that begins at @start, if there is one. */
void maps_remove(struct maps **maps, uint64_t start);

/** The map that holds @address, lent until the next change of @maps; NULL when there is none. */
const struct map *maps_find(const struct maps *maps, uint64_t address);

#endif
