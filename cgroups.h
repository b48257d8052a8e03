/*
 * cgroups - the paths of control groups, for -F cgroup.
 *
 * Records name the groups by numbers that are never used again, samples say the number. The first path of a
 * number counts, as with perf script.
 */
#ifndef PERF2TXT_CGROUPS_H
#define PERF2TXT_CGROUPS_H

#include <stdint.h>

#include "util/hash.h"
#include "util/strtab.h"

/* All zeros knows no group. */
struct cgroups {
	struct hash numbers; /* id -> number of the path */
	struct strtab paths;
};

void cgroups_free(struct cgroups *c); /* leaves an empty one */

void cgroups_add(struct cgroups *c, uint64_t id, const char *path);

/** Lent until cgroups_free(); NULL: no record has named it. */
const char *cgroups_path(const struct cgroups *c, uint64_t id);

#endif
