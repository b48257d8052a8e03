/*
 * queue - put records into time order.
 *
 * perf drains one CPU buffer after the other, so a file is sorted only piece by piece. When
 * FINISHED_ROUND n has been read, nothing older than the newest record of round n-1 can come:
 *
 *   round 1   |-----------|                 nothing may leave yet
 *   round 2          |------------|         queue_round(): what is <= max of round 1 may leave
 *   round 3                     |-------|   queue_round(): what is <= max of round 2 may leave
 *
 * Equal times leave in arrival order, except that the FORK which creates a pid goes first. Records without
 * a time (0) leave before all that wait: a run of records of tasks is a synthesized block and leaves pid by
 * pid (pids in order of first appearance), within a pid whose FORK came behind others of its records FORK
 * first, then COMM, then the rest as they came. A block in which no FORK comes late leaves as it came. A
 * record of no task ends the block and leaves behind it.
 *
 * Records of type < 64 only: a payload behind a record does not come out.
 *
 * Knows times, pids and bytes only, not what a record means.
 */
#ifndef PERF2TXT_QUEUE_H
#define PERF2TXT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/raw_record.h"

enum queue_kind {
	QUEUE_FORK, /* creates @pid */
	QUEUE_COMM,
	QUEUE_TASK,  /* anything else that belongs to @pid: maps, namespaces */
	QUEUE_OTHER, /* samples, switches, kernel-wide records ... */
};

struct queue;

/**
 * Above @max_bytes of copied records (with what the queue needs for each; 0: no limit) the oldest leave
 * early, until half of it is free; stragglers count in queue_late().
 */
struct queue *queue_new(size_t max_bytes);
void queue_free(struct queue *q); /* NULL is fine */

/** Room for a record to be filled in, which queue_push() takes; good until any other call. */
struct raw_record *queue_room(struct queue *q);

/**
 * Take the record in queue_room(). Its bytes are copied unless it is stable. @pid matters unless QUEUE_OTHER.
 * True: records may leave, ask queue_pop().
 */
bool queue_push(struct queue *q, uint64_t time, enum queue_kind kind, uint32_t pid);
void queue_round(struct queue *q);
void queue_init_end(struct queue *q); /* FINISHED_INIT: the synthesized block ends */
void queue_end(struct queue *q);      /* no push may follow */

/**
 * Lend the next record that may leave, until the next queue_pop(). NULL: none may yet. Ask until then when
 * queue_push() says so and after each round and end: a record that comes late waits for the next
 * round once the last one's have left.
 */
const struct raw_record *queue_pop(struct queue *q);

/** Records that came after younger ones had left already. */
uint64_t queue_late(const struct queue *q);

#endif
