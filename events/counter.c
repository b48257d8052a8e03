#include "events/counter.h"

#include <stdlib.h>

#include "util/hash.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* The second key: counts of all threads together, of a thread, or of an event whose counts have no id. */
#define KEY_ALL_THREADS 0
#define KEY_THREAD ((uint64_t)1 << 32)
#define KEY_EVENT ((uint64_t)2 << 32)

struct counter {
	const struct evlist *evlist;
	struct hash places; /* {id, thread} -> place in last */
	VEC(uint64_t) last; /* any value may occur, so they cannot be the hash's own */
	uint64_t unknown;
};

struct counter *counter_new(const struct evlist *evlist)
{
	struct counter *counter = xcalloc(1, sizeof(*counter));

	counter->evlist = evlist;
	return counter;
}

void counter_free(struct counter *counter)
{
	if (!counter)
		return;
	hash_free(&counter->places);
	vec_free(&counter->last);
	free(counter);
}

/* The last count of the key, which starts at 0; good until the next call. */
static uint64_t *last_count(struct counter *counter, uint64_t id, uint64_t key)
{
	uint64_t place = hash_get(&counter->places, id, key);

	if (place == HASH_NONE) {
		place = counter->last.count;
		hash_put(&counter->places, id, key, place);
		vec_push(&counter->last, 0);
	}
	return &counter->last.at[place];
}

/* With attr.inherit the kernel writes the sampled thread's own count, and wants TID together with READ. */
static uint64_t thread_key(const struct event *event, const struct sample *sample)
{
	if (!attr_flag(&event->attr, ATTR_INHERIT) || !(event->attr.sample_type & SAMPLE_TID))
		return KEY_ALL_THREADS;
	return KEY_THREAD | (uint32_t)sample->tid;
}

/* False: no event owns the count. */
static bool take_count(struct counter *counter, struct event *event, const struct sample *sample,
		       const struct read_value *value, struct counter_delivery *ret)
{
	uint64_t key = thread_key(event, sample);
	uint64_t id = value->id;

	ret->event = evlist_by_id(counter->evlist, id);
	ret->id = id;
	if (!(event->attr.read_format & READ_ID)) {
		/* Without ids only a lone count says whose it is. */
		ret->event = event->attr.read_format & READ_GROUP ? NULL : event;
		ret->id = sample->id;
		id = event->index;
		key |= KEY_EVENT;
	}
	if (!ret->event)
		return false;
	uint64_t *last = last_count(counter, id, key);
	ret->period = value->value - *last;
	*last = value->value;
	return true;
}

bool counter_next(struct counter *counter, struct event *event, const struct sample *sample, uint64_t *index,
		  struct counter_delivery *ret)
{
	while (*index < sample->nr_read) {
		struct read_value value = sample_read_value(sample, event, (*index)++);
		if (!take_count(counter, event, sample, &value, ret))
			counter->unknown++;
		else if (ret->period)
			return true;
	}
	return false;
}

uint64_t counter_unknown(const struct counter *counter)
{
	return counter->unknown;
}
