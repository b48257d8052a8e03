/*
 * script_dump_tool - -D: what records say that perf wrote itself.
 *
 * Their bytes are printed before (script_dump_raw()). Lists that a record is too short for end with it. What
 * a record describes elsewhere (events, features, errors of traces) is printed behind it by those who do so.
 */
#ifndef PERF2TXT_SCRIPT_DUMP_TOOL_H
#define PERF2TXT_SCRIPT_DUMP_TOOL_H

#include <stdbool.h>

#include "events/record.h"
#include "output/writer.h"

/** The name and text of a record of type >= RECORD_USER_FIRST. */
void script_dump_tool_record(struct writer *w, const struct raw_record *raw, bool big_endian);

/** That of FINISHED_ROUND. @used: records wait for it, or it is shown (--show-round-events). */
void script_dump_round(struct writer *w, bool used);

#endif
