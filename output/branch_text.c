#include "output/branch_text.h"

#include <stddef.h>

const char *branch_type_text(uint64_t flags)
{
	static const char *const types[16] = { "",	 "COND",      "UNCOND",	  "IND",
					       "CALL",	 "IND_CALL",  "RET",	  "SYSCALL",
					       "SYSRET", "COND_CALL", "COND_RET", "ERET",
					       "IRQ",	 "SERROR",    "NO_TX",	  NULL };
	static const char *const more[16] = { "FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
					      "ARCH_2",	    "ARCH_3",	  "ARCH_4",	"ARCH_5" };
	const char *name = types[flags >> 20 & 15];

	if (!name)
		name = more[flags >> 26 & 15];
	return name ? name : "";
}

const char *branch_spec_text(uint64_t flags)
{
	static const char *const specs[] = { "", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH",
					     "SPEC_CORRECT_PATH" };

	return specs[flags >> 24 & 3];
}
