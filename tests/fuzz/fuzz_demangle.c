/* A symbol's name -> a readable one. */
#include <stdlib.h>

#include "symbolize/demangle.h"
#include "tests/fuzz/fuzz.h"
#include "util/xalloc.h"

int fuzz_one(const uint8_t *data, size_t size)
{
	AUTOFREE char *name = xstrndup((const char *)data, size);
	AUTOFREE char *text = demangle_symbol(name);

	fuzz_use_text(text);
	return 0;
}
