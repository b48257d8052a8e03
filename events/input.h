/*
 * input - the bytes of a recording: a mapped file, a pipe or memory.
 *
 * A file and memory can be looked at anywhere and their bytes stay; a pipe is read once, forwards, and its
 * bytes are good until the next read. Knows no format.
 */
#ifndef PERF2TXT_INPUT_H
#define PERF2TXT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "util/err.h"

struct input;

/** "-" is standard input. A regular file is mapped, anything else is read as a stream. */
struct err *input_open(const char *path, struct input **ret) ERR_CHECK;

/** @data stays the caller's and must outlive the input. */
struct input *input_memory(const char *name, const void *data, size_t size);

/** The same, but read as if the bytes came through a pipe. */
struct input *input_memory_stream(const char *name, const void *data, size_t size);

void input_free(struct input *in); /* NULL is fine */

const char *input_name(const struct input *in); /* for messages */
bool input_stable(const struct input *in);	/* bytes stay until input_free(), input_at() works */
uint64_t input_size(const struct input *in);	/* of a stable input; 0 for a stream */
time_t input_mtime(const struct input *in);	/* 0 when there is none */
uint64_t input_offset(const struct input *in);	/* where input_read() goes on */

/** Go on reading at @offset; for stable inputs only, @offset may be the end. */
void input_seek(struct input *in, uint64_t offset);

/**
 * The next @size bytes. When the input ends before that, *ret is NULL and nothing was consumed but what
 * input_left() then says is there. A read that fails is an error.
 */
struct err *input_read(struct input *in, size_t size, const uint8_t **ret) ERR_CHECK;

/**
 * The next @size bytes without moving on; *ret NULL when there are fewer. input_skip() over bytes that were
 * peeked at leaves them where they are until the next peek or read.
 */
struct err *input_peek(struct input *in, size_t size, const uint8_t **ret) ERR_CHECK;

/** Bytes that could still be peeked at after a NULL: how much of a cut record is there. */
size_t input_left(const struct input *in);

/** Skip @size bytes without keeping them; *ret says whether they were all there. */
struct err *input_skip(struct input *in, uint64_t size, bool *ret) ERR_CHECK;

/** @size bytes at @offset of a stable input, lent until input_free(); NULL when they are not all inside. */
const uint8_t *input_at(const struct input *in, uint64_t offset, uint64_t size);

#endif
