/*
 * apply - tell the machine what a record says of tasks and maps.
 *
 * The one place that knows both struct record and struct machine. Records that change nothing are ignored.
 */
#ifndef PERF2TXT_APPLY_H
#define PERF2TXT_APPLY_H

#include "events/queue.h"
#include "events/record.h"
#include "symbolize/machine.h"

/** How the queue has to treat the record, and whose it is (*pid matters unless QUEUE_OTHER). */
enum queue_kind apply_queue_kind(const struct raw_record *raw, bool big_endian, uint32_t *pid);

/** @machine: the host, or the guest that the record is of. What a guest does changes nothing of the host. */
void apply_record(struct machine *machine, const struct record *record);

#endif
