/*
 * overlap - how ranges lie over each other that came one after the other.
 *
 * Costs n log n, whatever they look like. Knows not what is in them.
 */
#ifndef PERF2TXT_OVERLAP_H
#define PERF2TXT_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

struct overlap_range {
	uint64_t start, end; /* [start, end), not empty */
};

/**
 * The layer of each of @count (at most UINT32_MAX / 8) ranges: 0 when it overlaps none before it, else one
 * above the highest that it overlaps, so that in a layer nothing overlaps. free()d by the caller.
 */
uint32_t *overlap_layers(const struct overlap_range *ranges, size_t count);

#endif
