/*
 * session - one conversion: open, read, order, apply, resolve, print, sum up.
 *
 * Wires the stages and nothing else: knows no bytes, no ELF, no layout of text.
 */
#ifndef PERF2TXT_SESSION_H
#define PERF2TXT_SESSION_H

#include "options.h"

/** Convert what @o says; messages go to stderr. The result is the program's exit status. */
enum exit_status session_run(const struct options *o);

#endif
