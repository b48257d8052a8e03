/* The bytes of a jit-PID.dump file -> functions, and their unwind rules. */
#include "symbolize/cfi.h"
#include "symbolize/load_jitdump.h"
#include "tests/fuzz/fuzz.h"

#define MAX_ASKED 100

static void use_rules(const struct jitdump *dump)
{
	struct jitdump_layer layer = { .dump = dump };

	for (uint32_t i = 0; i < dump->codes.count; i++)
		vec_push(&layer.codes, i);
	struct cfi *cfi = cfi_new_jit(&layer);
	for (size_t i = 0; cfi && i < dump->codes.count && i < MAX_ASKED; i++)
		for (uint64_t n = 0; n < 3; n++)
			fuzz_use(!!cfi_find_offset(cfi, dump->codes.at[i].start + 8 * n));
	cfi_free(cfi);
	vec_free(&layer.codes);
}

int fuzz_one(const uint8_t *data, size_t size)
{
	struct jitdump dump = { 0 };

	fuzz_use_text(load_jitdump(fuzz_file(data, size), &dump));
	for (size_t i = 0; i < dump.codes.count; i++) {
		fuzz_use_text(dump.codes.at[i].name);
		fuzz_use(dump.codes.at[i].end - dump.codes.at[i].start);
	}
	use_rules(&dump);
	jitdump_free(&dump);
	return 0;
}
