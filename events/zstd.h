/*
 * zstd - the compressed stream of one recording file.
 *
 * perf compresses a recording as one stream cut into many records: the decoder's state goes on from one
 * record to the next (as in perf 7.2). Output comes in pieces of the size that the caller has
 * room for, so that no input can fill the memory. The only user of <zstd.h>.
 */
#ifndef PERF2TXT_ZSTD_H
#define PERF2TXT_ZSTD_H

#include <stddef.h>
#include <stdint.h>

struct zstd;

struct zstd *zstd_new(void);
void zstd_free(struct zstd *z); /* NULL is fine */

/** The next part of the stream. The bytes stay the caller's, until zstd_pull() has given 0 bytes or failed.
 */
void zstd_feed(struct zstd *z, const uint8_t *data, size_t size);

/**
 * Write the next decoded bytes, at most @room, to @out; *ret says how many. 0: all that was fed is out.
 * NULL when fine, else a reason that stays; the rest of what was fed is forgotten then, and the next feed
 * must begin a frame.
 */
const char *zstd_pull(struct zstd *z, uint8_t *out, size_t room, size_t *ret);

#endif
