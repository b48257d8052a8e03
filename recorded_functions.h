/*
 * recorded_functions - the functions that a recording of Android's simpleperf names, as symbols.
 *
 * Translates the addresses that simpleperf wrote down, which count differently for each type of file, into
 * those of symbolize/recorded.h. Knows nothing of maps: where an old recording's files begin is left to
 * recorded_map().
 */
#ifndef PERF2TXT_RECORDED_FUNCTIONS_H
#define PERF2TXT_RECORDED_FUNCTIONS_H

#include "events/simpleperf.h"
#include "symbolize/recorded.h"

/** For recorded_free(); it may outlive @sp. */
struct recorded *recorded_functions(const struct simpleperf *sp);

#endif
