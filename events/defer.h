/*
 * defer - samples that wait for their user call chain.
 *
 * With attr.defer_callchain a sample taken in the kernel ends in a cookie; the user part of its chain comes
 * in a later CALLCHAIN_DEFERRED record of the same thread. Held samples leave thread by thread, oldest first,
 * when the thread's record comes, or all in order of arrival at the end of the data (as in perf 7.2).
 * Knows no layout: who holds a sample says whose it is.
 */
#ifndef PERF2TXT_DEFER_H
#define PERF2TXT_DEFER_H

#include <stdbool.h>
#include <stdint.h>

#include "events/raw_record.h"

struct defer;

struct defer *defer_new(void);
void defer_free(struct defer *d); /* NULL is fine */

/** Keep a copy of @raw until it is taken. */
void defer_hold(struct defer *d, const struct raw_record *raw, int32_t tid);

/** Take the oldest held sample of that thread; lent until the next call on @d. False: none waits. */
bool defer_take(struct defer *d, int32_t tid, struct raw_record *ret);

/** Take the oldest held sample of any thread. */
bool defer_take_any(struct defer *d, struct raw_record *ret);

#endif
