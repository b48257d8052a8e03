/* The bytes of a jit-PID.dump file -> functions. */
#include "symbolize/load_jitdump.h"
#include "tests/fuzz/fuzz.h"

int fuzz_one(const uint8_t *data, size_t size)
{
	struct jitdump dump = { 0 };

	fuzz_use_text(load_jitdump(fuzz_file(data, size), &dump));
	for (size_t i = 0; i < dump.codes.count; i++) {
		fuzz_use_text(dump.codes.at[i].name);
		fuzz_use(dump.codes.at[i].end - dump.codes.at[i].start);
	}
	jitdump_free(&dump);
	return 0;
}
