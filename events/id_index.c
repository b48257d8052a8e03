#include "events/id_index.h"

#include <stdlib.h>

#include "events/perf_abi.h"
#include "util/cursor.h"
#include "util/hash.h"
#include "util/xalloc.h"

struct id_index {
	struct hash guests; /* id -> machine_pid, vcpu in the low half */
};

struct id_index *id_index_new(void)
{
	return xcalloc(1, sizeof(struct id_index));
}

void id_index_free(struct id_index *index)
{
	if (!index)
		return;
	hash_free(&index->guests);
	free(index);
}

const char *id_index_add(struct id_index *index, const struct raw_record *raw, bool big_endian)
{
	struct cursor ids = cursor_make(raw->data, raw->size, big_endian), guests;

	cursor_skip(&ids, RECORD_HEADER_SIZE);
	uint64_t count = cursor_u64(&ids);
	if (cursor_bad(&ids) || count > cursor_left(&ids) / ID_INDEX_ENTRY)
		return "more ids than bytes";
	guests = ids;
	cursor_skip(&guests, count * ID_INDEX_ENTRY);
	if (cursor_left(&guests) / ID_INDEX_GUEST < count)
		return NULL;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t id = cursor_u64(&ids);
		uint64_t machine_pid = cursor_u64(&guests), vcpu = cursor_u64(&guests);
		cursor_skip(&ids, ID_INDEX_ENTRY - sizeof(id));
		if (machine_pid && machine_pid <= INT32_MAX)
			hash_put(&index->guests, id, 0, machine_pid << 32 | (uint32_t)vcpu);
	}
	return NULL;
}

bool id_index_has_guests(const struct id_index *index)
{
	return index->guests.count;
}

struct id_guest id_index_guest(const struct id_index *index, uint64_t id)
{
	uint64_t found = hash_get(&index->guests, id, 0);

	if (found == HASH_NONE)
		return (struct id_guest){ 0 };
	return (struct id_guest){ (int32_t)(found >> 32), (int32_t)(uint32_t)found };
}
