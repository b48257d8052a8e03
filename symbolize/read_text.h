/*
 * read_text - a text file, whole, in memory.
 *
 * For kallsyms, which has no size to map, and for perf-PID.map files, which anybody may have put into /tmp.
 * Knows nothing of what is in it.
 */
#ifndef PERF2TXT_READ_TEXT_H
#define PERF2TXT_READ_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * The file's bytes and a NUL behind them, which *ret_size does not count; free()d by the caller. NULL with
 * errno set on failure. @regular_only: refuse (EINVAL) what is no regular file, without waiting for a writer.
 */
char *read_text(const char *path, bool regular_only, size_t *ret_size);

/** The line that begins at *at without its end ("\n", "\r\n", or none before @end); *at goes behind it. */
char *read_text_line(char **at, char *end);

#endif
