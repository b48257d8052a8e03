/* Bytes of code -> the lengths and texts of their instructions, for every architecture, and ARM's returns. */
#include "arch/arch.h"
#include "symbolize/arm_code.h"
#include "symbolize/disasm.h"
#include "tests/fuzz/fuzz.h"

#define MAX_INSNS 64

static void measure(const struct arch *arch, bool alternate, const uint8_t *data, size_t size)
{
	for (unsigned n = 0; size && n < MAX_INSNS; n++) {
		bool leaves = false;
		unsigned length = arch->insn_length(data, size, alternate, &leaves);
		fuzz_use(length + leaves);
		if (!length || length > size)
			return;
		data += length;
		size -= length;
	}
}

static void print(struct disasm *d, const struct arch *arch, bool big_endian, const uint8_t *data,
		  size_t size)
{
	struct disasm_mode mode = { .arch = arch, .big_endian = big_endian };
	struct disasm_insn insn;

	if (!disasm_insn(d, &mode, data, size, 0x401000, &insn))
		return;
	fuzz_use_text(insn.mnemonic);
	fuzz_use_text(insn.operands);
}

static void follow(const uint8_t *data, size_t size)
{
	const struct arm_code code = { .bytes = data,
				       .size = size,
				       .start = 0x401000,
				       .big_endian_data = size & 1,
				       .big_endian_code = size & 2 };
	union cfi_draft draft;

	for (unsigned i = 0; i < 4; i++)
		if (arm_code_find(&code, code.start, i & 1, i & 2, &draft))
			fuzz_use(draft.rule.nr_regs);
	for (unsigned i = 0; i < 4 && size < UINT16_MAX; i++)
		if (arm_code_find_from(&code, code.start, code.start + (uint32_t)size,
				       code.start + (uint32_t)size / 8 * 4, i & 1, i & 2, &draft))
			fuzz_use(draft.rule.nr_regs);
	for (uint32_t at = 0; at <= size && at < MAX_INSNS; at += 2)
		fuzz_use(arm_code_is_call_before(&code, code.start + at, at & 2));
}

int fuzz_one(const uint8_t *data, size_t size)
{
	static struct disasm *d; /* its handles are kept for all inputs */

	if (!d)
		d = disasm_new();
	follow(data, size);
	for (size_t i = 0; arch_get(i); i++) {
		const struct arch *arch = arch_get(i);
		if (arch->insn_length) {
			measure(arch, false, data, size);
			measure(arch, true, data, size);
		}
		print(d, arch, false, data, size);
		print(d, arch, true, data, size);
	}
	return 0;
}
