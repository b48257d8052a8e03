#include "events/defer.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define NONE SIZE_MAX

struct held {
	struct raw_record raw; /* data is owned; NULL: taken */
	int32_t tid;
	size_t next; /* of the same thread, or NONE */
};

struct queue_of_thread {
	size_t first, last;
};

struct defer {
	VEC(struct held) held; /* in order of arrival; emptied when nothing waits any more */
	VEC(struct queue_of_thread) threads;
	struct hash by_tid; /* tid -> index into threads */
	size_t nr_waiting;
	size_t oldest; /* nothing before it waits */
	uint8_t *lent;
};

struct defer *defer_new(void)
{
	return xcalloc(1, sizeof(struct defer));
}

void defer_free(struct defer *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->held.count; i++)
		free((void *)d->held.at[i].raw.data);
	free(d->lent);
	vec_free(&d->held);
	vec_free(&d->threads);
	hash_free(&d->by_tid);
	free(d);
}

static struct queue_of_thread *thread_queue(struct defer *d, int32_t tid)
{
	uint64_t index = hash_get(&d->by_tid, (uint32_t)tid, 0);

	if (index == HASH_NONE) {
		struct queue_of_thread empty = { NONE, NONE };
		index = d->threads.count;
		vec_push(&d->threads, empty);
		hash_put(&d->by_tid, (uint32_t)tid, 0, index);
	}
	return &d->threads.at[index];
}

static void forget_all(struct defer *d)
{
	vec_clear(&d->held);
	vec_clear(&d->threads);
	hash_clear(&d->by_tid);
	d->oldest = 0;
}

void defer_hold(struct defer *d, const struct raw_record *raw, int32_t tid)
{
	if (!d->nr_waiting)
		forget_all(d);
	struct held held = { .raw = *raw, .tid = tid, .next = NONE };
	held.raw.data = xmemdup(raw->data, raw->size);
	held.raw.stable = false;
	struct queue_of_thread *queue = thread_queue(d, tid);
	if (queue->first == NONE)
		queue->first = d->held.count;
	else
		d->held.at[queue->last].next = d->held.count;
	queue->last = d->held.count;
	vec_push(&d->held, held);
	d->nr_waiting++;
}

bool defer_take(struct defer *d, int32_t tid, struct raw_record *ret)
{
	struct queue_of_thread *queue = thread_queue(d, tid);

	if (queue->first == NONE)
		return false;
	struct held *held = &d->held.at[queue->first];
	queue->first = held->next;
	free(d->lent);
	d->lent = (uint8_t *)held->raw.data;
	*ret = held->raw;
	held->raw.data = NULL;
	d->nr_waiting--;
	return true;
}

bool defer_take_any(struct defer *d, struct raw_record *ret)
{
	if (!d->nr_waiting)
		return false;
	while (!d->held.at[d->oldest].raw.data)
		d->oldest++;
	/* The oldest of all is the oldest of its thread. */
	return defer_take(d, d->held.at[d->oldest].tid, ret);
}
