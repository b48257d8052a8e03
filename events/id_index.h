/*
 * id_index - which ids of events count in a guest, and on which of its processors.
 *
 * perf inject --guest-data puts the records of a guest, which recorded itself, among those of its host. They
 * have ids of their own, and an ID_INDEX record says whose these are. What else it says is known from the
 * events.
 */
#ifndef PERF2TXT_ID_INDEX_H
#define PERF2TXT_ID_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "events/raw_record.h"

/* id, idx, cpu, tid; behind all of these, if any is a guest's, for each of them machine_pid, vcpu. */
#define ID_INDEX_ENTRY 32
#define ID_INDEX_GUEST 16

struct id_index;

struct id_guest {
	int32_t machine_pid; /* of the guest's process on the host; 0: the id is none of a guest */
	int32_t vcpu;
};

struct id_index *id_index_new(void);
void id_index_free(struct id_index *index); /* NULL is fine */

/** Take in an ID_INDEX record. Returns NULL, or why it is damaged; what is whole counts. */
const char *id_index_add(struct id_index *index, const struct raw_record *raw, bool big_endian);

/** Is any id a guest's? */
bool id_index_has_guests(const struct id_index *index);

struct id_guest id_index_guest(const struct id_index *index, uint64_t id);

#endif
