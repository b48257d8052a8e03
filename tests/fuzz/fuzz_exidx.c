/* Unwinding instructions of 32-bit ARM -> a rule. */
#include "symbolize/exidx.h"
#include "tests/fuzz/fuzz.h"

int fuzz_one(const uint8_t *data, size_t size)
{
	union cfi_draft draft;

	if (exidx_decode(data, size, &draft))
		fuzz_use(draft.rule.nr_regs);
	return 0;
}
