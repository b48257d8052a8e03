/*
 * ask_debuginfod - binaries and debug files from debuginfod servers, by build-id.
 *
 * The servers are those of $DEBUGINFOD_URLS, what was downloaded stays in libdebuginfod's own cache. A server
 * that does not answer is not asked again: a recording has hundreds of binaries, and each would wait in vain.
 * Without libdebuginfod there is nothing here but the answer no.
 */
#ifndef PERF2TXT_ASK_DEBUGINFOD_H
#define PERF2TXT_ASK_DEBUGINFOD_H

#include <stdbool.h>

#include "util/build_id.h"

struct ask_debuginfod;

/** Can servers be asked at all? */
bool ask_debuginfod_is_there(void);

/** Does $DEBUGINFOD_URLS name any? */
bool ask_debuginfod_has_servers(void);

/** NULL: there is nobody to ask. */
struct ask_debuginfod *ask_debuginfod_new(void);
void ask_debuginfod_free(struct ask_debuginfod *a); /* NULL is fine */

/** The file with that build-id (the binary, or @debug: its debug file), free()d by the caller; NULL: there is
 * none. */
char *ask_debuginfod(struct ask_debuginfod *a, const struct build_id *id, bool debug);

#endif
