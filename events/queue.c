/*
 * The records that wait lie in runs: a run is a list that is sorted by itself. A new record goes to the end
 * of the first run whose end is not younger than it, or begins a run behind the others, so the ends of
 * the runs are strictly descending (patience sorting). What follows from that:
 *
 *  - A recording drained CPU by CPU needs about as many runs as there are CPUs, and most records go where
 *    the last one went: two comparisons.
 *  - Records of equal time lie in the order of the runs as they came, so (time, run) orders them.
 *  - The last run is always the first to become empty: the runs are a stack.
 *
 * The youngest record that waits is the end of run 0. The oldest is the first of the run whose turn it is;
 * that of the run whose turn is next says until when. Two processors take turns without end, often with some
 * stray runs whose turn is far away: those wait in a heap.
 */
#include "events/queue.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define CHUNK_SIZE ((size_t)512 * 1024) /* a power of two, many times the size of a record */
#define CHUNKS_KEPT 16			/* empty ones that wait for the next records */

struct entry {
	uint64_t time;
	struct entry *next;
	struct raw_record raw; /* a copy unless stable */
	uint32_t pid;
	enum queue_kind kind;
};

struct list {
	struct entry *first, *last;
};

struct head {
	uint64_t time; /* of the first record of the run */
	size_t run;
};

#define NO_HEAD ((struct head){ UINT64_MAX, SIZE_MAX }) /* before no other */

/*
 * Entries lie in chunks in the order in which they came, each with the copy of its record behind it: a run is
 * read as it was written. Chunks are aligned to their size, so that an entry's address tells its chunk.
 */
struct chunk {
	struct chunk *next_free;
	struct chunk *prev, *next; /* all chunks there are */
	size_t live;		   /* entries that wait in it */
	size_t used;
	_Alignas(8) uint8_t data[];
};

struct queue {
	VEC(struct list) runs; /* none is empty */
	struct head turn, next; /* of the runs with the oldest records, or NO_HEAD */
	VEC(struct head) heap;	/* of the other runs */

	struct list *filled; /* the run where the last record went: the place of all of these times */
	uint64_t filled_from, filled_below;

	struct list ready; /* leaves before all that waits: no time, or of one time and put in order */
	struct list block; /* the synthesized block that is being collected */
	bool block_forks;  /* it has a FORK behind its first record */

	uint64_t limit;	     /* records up to that time may leave; 0: none */
	uint64_t next_limit; /* with the next round: the youngest that waited at the last one */
	bool shrinking;	     /* the oldest leave until half of max_bytes is free */
	uint64_t forks;	     /* FORKs in the runs */
	uint64_t youngest_left;
	uint64_t late;

	size_t max_bytes, held_bytes;
	struct entry *lent;
	struct chunk *chunks;	   /* all */
	struct chunk *filling;	   /* its end takes the next entry */
	struct chunk *free_chunks; /* nothing lives there */
	size_t nr_free_chunks;
};

struct queue *queue_new(size_t max_bytes)
{
	struct queue *q = xcalloc(1, sizeof(*q));

	q->turn = q->next = NO_HEAD;
	q->max_bytes = max_bytes ? max_bytes : SIZE_MAX;
	return q;
}

void queue_free(struct queue *q)
{
	if (!q)
		return;
	for (struct chunk *c = q->chunks, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	vec_free(&q->runs);
	vec_free(&q->heap);
	free(q);
}

/* Lists. */

static void list_append(struct list *list, struct entry *e)
{
	e->next = NULL;
	if (list->first)
		list->last->next = e;
	else
		list->first = e;
	list->last = e;
}

static struct entry *list_take(struct list *list)
{
	struct entry *e = list->first;

	if (e)
		list->first = e->next;
	return e;
}

/* Put @more behind @list; @more is empty then. */
static void list_join(struct list *list, struct list *more)
{
	if (!more->first)
		return;
	if (list->first)
		list->last->next = more->first;
	else
		list->first = more->first;
	list->last = more->last;
	more->first = NULL;
}

/* Memory of entries and copies. */

static struct chunk *chunk_of(const struct entry *e)
{
	return (struct chunk *)((uintptr_t)e & ~(uintptr_t)(CHUNK_SIZE - 1));
}

static struct chunk *make_chunk(struct queue *q)
{
	struct chunk *c = aligned_alloc(CHUNK_SIZE, CHUNK_SIZE);

	if (!c)
		xalloc_die();
	if (q->chunks) /* a small recording does not fill the first one */
		xalloc_populate(c, CHUNK_SIZE);
	c->prev = NULL;
	c->next = q->chunks;
	if (q->chunks)
		q->chunks->prev = c;
	q->chunks = c;
	return c;
}

/* What lives in the full one holds it, else it would have been reset. */
static void next_chunk(struct queue *q)
{
	struct chunk *c = q->free_chunks;

	if (c) {
		q->free_chunks = c->next_free;
		q->nr_free_chunks--;
	} else {
		c = make_chunk(q);
	}
	c->live = 0;
	c->used = 0;
	q->filling = c;
}

static void drop_chunk(struct queue *q, struct chunk *c)
{
	if (q->nr_free_chunks < CHUNKS_KEPT) {
		c->next_free = q->free_chunks;
		q->free_chunks = c;
		q->nr_free_chunks++;
		return;
	}
	if (c->prev)
		c->prev->next = c->next;
	else
		q->chunks = c->next;
	if (c->next)
		c->next->prev = c->prev;
	free(c);
}

/* The end of the chunk that is being filled. */
static inline struct entry *next_entry_of(const struct chunk *filling)
{
	return (struct entry *)(filling->data + filling->used);
}

/* The same, with room for an entry, and for @copy bytes behind it. */
static inline struct entry *entry_room(struct queue *q, size_t copy)
{
	if (!q->filling || CHUNK_SIZE - sizeof(*q->filling) - q->filling->used < sizeof(struct entry) + copy)
		next_chunk(q);
	return next_entry_of(q->filling);
}

struct raw_record *queue_room(struct queue *q)
{
	return &entry_room(q, 0)->raw;
}

/* Take the entry in queue_room(), with its record's bytes when they are only lent. */
static inline struct entry *take_room(struct queue *q)
{
	struct entry *e = next_entry_of(q->filling);
	size_t copy = 0;

	if (!e->raw.stable) {
		struct raw_record raw = e->raw;
		copy = (raw.size + (size_t)7) & ~(size_t)7;
		e = entry_room(q, copy);
		e->raw = raw;
		e->raw.data = memcpy(e + 1, raw.data, raw.size);
	}
	q->filling->used += sizeof(*e) + copy;
	q->filling->live++;
	return e;
}

static size_t held_size(const struct entry *e)
{
	return sizeof(*e) + e->raw.size;
}

static void release(struct queue *q, struct entry *e)
{
	struct chunk *c = chunk_of(e);

	if (!e->raw.stable)
		q->held_bytes -= held_size(e);
	if (--c->live)
		return;
	if (c == q->filling)
		c->used = 0;
	else
		drop_chunk(q, c);
}

/* The heads of the runs. */

static bool head_before(const struct head *a, const struct head *b)
{
	return a->time < b->time || (a->time == b->time && a->run < b->run);
}

static void heap_add(struct queue *q, struct head head)
{
	vec_push(&q->heap, head);
	struct head *heap = q->heap.at;
	size_t i = q->heap.count - 1;
	while (i && head_before(&head, &heap[(i - 1) / 2])) {
		heap[i] = heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	heap[i] = head;
}

/* Put @head where the top was and let it sink. */
static void heap_replace_top(struct queue *q, struct head head)
{
	struct head *heap = q->heap.at;
	size_t count = q->heap.count, i = 0;

	for (;;) {
		size_t child = 2 * i + 1;
		if (child >= count)
			break;
		if (child + 1 < count && head_before(&heap[child + 1], &heap[child]))
			child++;
		if (!head_before(&heap[child], &head))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = head;
}

static struct head heap_take(struct queue *q)
{
	if (!q->heap.count)
		return NO_HEAD;
	struct head head = q->heap.at[0];
	q->heap.count--;
	if (q->heap.count)
		heap_replace_top(q, q->heap.at[q->heap.count]);
	return head;
}

static void swap_heads(struct head *a, struct head *b)
{
	struct head was = *a;

	*a = *b;
	*b = was;
}

static void add_head(struct queue *q, struct head head)
{
	if (head_before(&head, &q->turn))
		swap_heads(&head, &q->turn);
	if (head_before(&head, &q->next))
		swap_heads(&head, &q->next);
	if (head.run != NO_HEAD.run)
		heap_add(q, head);
}

/* The run whose turn it is has a new first record. */
static inline void move_turn(struct queue *q, uint64_t time)
{
	q->turn.time = time;
	if (!head_before(&q->next, &q->turn))
		return;
	swap_heads(&q->turn, &q->next);
	if (q->heap.count && head_before(&q->heap.at[0], &q->next)) {
		struct head last = q->next;
		q->next = q->heap.at[0];
		heap_replace_top(q, last);
	}
}

/* The runs. */

static uint64_t run_end(const struct queue *q, size_t run)
{
	return q->runs.at[run].last->time;
}

/* The first run whose end is not younger than @time; the number of runs when all are. */
static size_t find_run(const struct queue *q, uint64_t time)
{
	size_t low = 0, high = q->runs.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (run_end(q, middle) <= time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void choose_run(struct queue *q, uint64_t time)
{
	size_t at = find_run(q, time);

	if (at == q->runs.count) {
		struct list run = { 0 };
		vec_push(&q->runs, run);
		add_head(q, (struct head){ .time = time, .run = at });
	}
	q->filled = &q->runs.at[at];
	q->filled_below = at ? run_end(q, at - 1) : UINT64_MAX;
}

static void enqueue(struct queue *q, struct entry *e)
{
	if (e->time < q->filled_from || e->time >= q->filled_below)
		choose_run(q, e->time);
	list_append(q->filled, e);
	q->filled_from = e->time;
	if (e->kind == QUEUE_FORK)
		q->forks++;
	if (e->time < q->youngest_left)
		q->late++;
}

static inline struct entry *take_oldest(struct queue *q)
{
	struct list *run = &q->runs.at[q->turn.run];
	struct entry *e = run->first, *next = e->next;

	run->first = next;
	if (!next) {
		/* Its end was the oldest of all ends, so it is the last run. */
		q->runs.count--;
		q->filled_below = 0;
		q->turn = q->next;
		q->next = heap_take(q);
		return e;
	}
	/* Its turn is near, and it was last looked at when it was pushed. */
	__builtin_prefetch(next->raw.data);
	__builtin_prefetch(next->raw.data + 64);
	__builtin_prefetch(next->next);
	move_turn(q, next->time);
	return e;
}

/* What is put in another order than that of time and arrival. */

struct pid_group {
	bool disorder; /* its FORK came behind other records */
	bool first_is_fork;
	struct list parts[3]; /* by kind when there is disorder, else all in the first */
};

struct pid_groups {
	VEC(struct pid_group) groups;
	struct hash by_pid;
};

static void pid_groups_free(struct pid_groups *all)
{
	vec_free(&all->groups);
	hash_free(&all->by_pid);
}

/* The group of the entry's pid, in order of first appearance; *added says that it is new. */
static struct pid_group *pid_group_of(struct pid_groups *all, const struct entry *e, bool *added)
{
	uint64_t index = hash_get(&all->by_pid, e->pid, 0);

	*added = index == HASH_NONE;
	if (*added) {
		struct pid_group group = { 0 };
		index = all->groups.count;
		vec_push(&all->groups, group);
		hash_put(&all->by_pid, e->pid, 0, index);
	}
	return &all->groups.at[index];
}

/* Which pids of the block have a FORK that comes too late? */
static bool find_disorder(struct pid_groups *all, const struct list *block)
{
	bool any = false;

	for (const struct entry *e = block->first; e; e = e->next) {
		bool added, fork = e->kind == QUEUE_FORK;
		struct pid_group *group = pid_group_of(all, e, &added);
		if (added)
			group->first_is_fork = fork;
		else if (fork && !group->first_is_fork)
			any = group->disorder = true;
	}
	return any;
}

/*
 * A block in which no FORK comes behind a record of its pid needs no help and
 * keeps its order, so that what perf prints of it comes in the same order (threads have FORK records of
 * their own, behind the maps of the process).
 */
static void order_block(struct list *block)
{
	struct pid_groups all = { 0 };

	if (find_disorder(&all, block)) {
		struct entry *e;
		while ((e = list_take(block))) {
			bool added;
			struct pid_group *group = pid_group_of(&all, e, &added);
			list_append(&group->parts[group->disorder ? e->kind : 0], e);
		}
		for (size_t i = 0; i < all.groups.count; i++) {
			for (size_t part = 0; part < 3; part++)
				list_join(block, &all.groups.at[i].parts[part]);
		}
	}
	pid_groups_free(&all);
}

static void close_block(struct queue *q)
{
	if (!q->block.first)
		return;
	if (q->block_forks)
		order_block(&q->block);
	q->block_forks = false;
	list_join(&q->ready, &q->block);
}

/* Rule 3: among records of one time, a FORK goes before what is there of its pid. All else stays in place. */
static void forks_first(struct list *equal)
{
	struct pid_groups all = { 0 };
	VEC(struct entry *) came = { 0 };
	struct entry *e;
	bool added;

	while ((e = list_take(equal))) {
		vec_push(&came, e);
		if (e->kind == QUEUE_FORK)
			list_append(&pid_group_of(&all, e, &added)->parts[QUEUE_FORK], e);
	}
	for (size_t i = 0; i < came.count; i++) {
		e = came.at[i];
		if (e->kind == QUEUE_OTHER) {
			list_append(equal, e);
			continue;
		}
		struct list *forks = &pid_group_of(&all, e, &added)->parts[QUEUE_FORK];
		if (e->kind != QUEUE_FORK) {
			list_join(equal, forks);
			list_append(equal, e);
		} else if (forks->first == e) { /* not moved to the front already */
			list_append(equal, list_take(forks));
		}
	}
	vec_free(&came);
	pid_groups_free(&all);
}

/* @first was taken out of the runs. Make all records of its time ready, put in order. */
static void gather_equal(struct queue *q, struct entry *first)
{
	struct list equal = { 0 };
	bool forks = false;

	list_append(&equal, first);
	while (q->runs.count && q->turn.time == first->time) {
		struct entry *e = take_oldest(q);
		if (e->kind == QUEUE_FORK) {
			forks = true;
			q->forks--;
		}
		list_append(&equal, e);
	}
	if (forks)
		forks_first(&equal);
	list_join(&q->ready, &equal);
}

/* What others call. */

static void push_block(struct queue *q, struct entry *e, bool full)
{
	q->block_forks |= e->kind == QUEUE_FORK && q->block.first;
	list_append(&q->block, e);
	if (full)
		close_block(q);
}

bool queue_push(struct queue *q, uint64_t time, enum queue_kind kind, uint32_t pid)
{
	struct entry *e = take_room(q);
	bool full = false;

	e->time = time;
	e->kind = kind;
	e->pid = pid;
	if (!e->raw.stable) {
		q->held_bytes += held_size(e);
		full = q->held_bytes > q->max_bytes;
	}
	if (!time && kind != QUEUE_OTHER) {
		push_block(q, e, full);
		return q->ready.first;
	}
	if (q->block.first)
		close_block(q);
	if (full)
		q->shrinking = true;
	if (time)
		enqueue(q, e);
	else
		list_append(&q->ready, e);
	return q->ready.first || q->shrinking;
}

void queue_round(struct queue *q)
{
	close_block(q);
	if (!q->runs.count)
		return;
	q->limit = q->next_limit;
	q->next_limit = run_end(q, 0); /* so perf counts what a round has seen (as in perf 7.2) */
}

void queue_init_end(struct queue *q)
{
	close_block(q);
}

void queue_end(struct queue *q)
{
	close_block(q);
	q->limit = UINT64_MAX;
}

static bool may_leave(struct queue *q, uint64_t time)
{
	if (time <= q->limit)
		return true;
	q->shrinking = q->shrinking && q->held_bytes > q->max_bytes / 2;
	return q->shrinking;
}

static struct entry *next_entry(struct queue *q)
{
	if (q->ready.first)
		return list_take(&q->ready);
	if (!q->runs.count || !may_leave(q, q->turn.time)) {
		/* A record that comes late now waits for the next round, as in perf. */
		q->limit = 0;
		return NULL;
	}
	struct entry *e = take_oldest(q);
	if (!q->forks || e->kind == QUEUE_OTHER)
		return e;
	if (e->kind == QUEUE_FORK) {
		q->forks--;
		return e;
	}
	gather_equal(q, e);
	return list_take(&q->ready);
}

const struct raw_record *queue_pop(struct queue *q)
{
	if (q->lent)
		release(q, q->lent);
	struct entry *e = q->lent = next_entry(q);
	if (!e)
		return NULL;
	if (e->time > q->youngest_left)
		q->youngest_left = e->time;
	return &e->raw;
}

uint64_t queue_late(const struct queue *q)
{
	return q->late;
}
