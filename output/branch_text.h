/* branch_text - words for what the flags of a branch entry say. */
#ifndef PERF2TXT_BRANCH_TEXT_H
#define PERF2TXT_BRANCH_TEXT_H

#include <stdint.h>

/** "RET"; "" when the type is not known. */
const char *branch_type_text(uint64_t flags);

/** How it was speculated; "" when that is not known. */
const char *branch_spec_text(uint64_t flags);

#endif
