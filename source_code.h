/*
 * source_code - the text of source lines, for -F srccode.
 *
 * Files are read whole when they are first asked for: on this machine, or with a sysroot inside it. What is
 * not there is silently without text.
 */
#ifndef PERF2TXT_SOURCE_CODE_H
#define PERF2TXT_SOURCE_CODE_H

#include <stdint.h>

#include "output/view.h"

struct source_code;

/** @sysroot NULL: this machine's files. */
struct source_code *source_code_new(const char *sysroot);
void source_code_free(struct source_code *s); /* NULL is fine */

/** Line @line (from 1 on) of @file without its end, lent until source_code_free(); text NULL: there is none.
 */
struct view_text source_code_line(struct source_code *s, const char *file, uint32_t line);

/** The same, but no text for the line that thread @tid got last: perf prints each only when it changes, and
 * code whose source is not there does not count. */
struct view_text source_code_of_thread(struct source_code *s, int32_t tid, const char *file, uint32_t line);

#endif
