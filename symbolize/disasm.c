#include "symbolize/disasm.h"

#include "config.h"

#include <stdlib.h>

#include "arch/arch.h"
#include "arch/arch_tables.h"
#include "util/library.h"
#include "util/vec.h"
#include "util/xalloc.h"

#ifdef HAVE_CAPSTONE

#include <capstone/capstone.h>

#define STRING(x) #x
#define LIBRARY(version) "libcapstone.so." STRING(version)

_Static_assert((int)CAPSTONE_ARM == CS_ARCH_ARM && (int)CAPSTONE_ARM64 == CS_ARCH_ARM64 &&
		       (int)CAPSTONE_MIPS == CS_ARCH_MIPS && (int)CAPSTONE_X86 == CS_ARCH_X86 &&
		       (int)CAPSTONE_PPC == CS_ARCH_PPC && (int)CAPSTONE_SPARC == CS_ARCH_SPARC &&
		       (int)CAPSTONE_SYSZ == CS_ARCH_SYSZ,
	       "arch_tables.h has capstone's numbers");
_Static_assert((int)CAPSTONE_MODE_32 == CS_MODE_32 && (int)CAPSTONE_MODE_64 == CS_MODE_64 &&
		       (int)CAPSTONE_MODE_ARM_V8 == CS_MODE_V8 &&
		       (int)CAPSTONE_MODE_ARM_THUMB == CS_MODE_THUMB &&
		       (int)CAPSTONE_MODE_SPARC_V9 == CS_MODE_V9,
	       "arch_tables.h has capstone's mode bits");
#if CS_API_MAJOR >= 5
_Static_assert((int)CAPSTONE_RISCV == CS_ARCH_RISCV && (int)CAPSTONE_MODE_RISCV32 == CS_MODE_RISCV32 &&
		       (int)CAPSTONE_MODE_RISCV64 == CS_MODE_RISCV64 &&
		       (int)CAPSTONE_MODE_RISCVC == CS_MODE_RISCVC,
	       "arch_tables.h has capstone's numbers of RISC-V");
#endif

/*
 * The library is loaded when instructions are to be disassembled: the addresses in its tables, which have to
 * be set for where it is loaded, take half of the time of a run without them (1.9 ms of 3.4).
 */
static struct {
	__typeof__(&cs_support) support;
	__typeof__(&cs_open) open;
	__typeof__(&cs_close) close;
	__typeof__(&cs_option) option;
	__typeof__(&cs_malloc) new_insn;
	__typeof__(&cs_free) free_insn;
	__typeof__(&cs_disasm_iter) disasm_iter;
} capstone;

static const struct library_function functions[] = {
	{ "cs_support", (void **)&capstone.support },
	{ "cs_open", (void **)&capstone.open },
	{ "cs_close", (void **)&capstone.close },
	{ "cs_option", (void **)&capstone.option },
	{ "cs_malloc", (void **)&capstone.new_insn },
	{ "cs_free", (void **)&capstone.free_insn },
	{ "cs_disasm_iter", (void **)&capstone.disasm_iter },
};

bool disasm_is_there(void)
{
	static struct library library = {
		.file = LIBRARY(CS_API_MAJOR),
		.functions = functions,
		.nr_functions = sizeof(functions) / sizeof(functions[0]),
	};

	return library_is_there(&library);
}

struct handle {
	struct disasm_mode mode;
	csh cs;
	cs_insn *insn; /* NULL: capstone does not know this mode */
};

struct disasm {
	VEC(struct handle) handles; /* a few: one for each instruction set in the recording */
};

struct disasm *disasm_new(void)
{
	return xcalloc(1, sizeof(struct disasm));
}

void disasm_free(struct disasm *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->handles.count; i++) {
		struct handle *handle = &d->handles.at[i];
		if (!handle->insn)
			continue;
		capstone.free_insn(handle->insn, 1);
		capstone.close(&handle->cs);
	}
	vec_free(&d->handles);
	free(d);
}

/* RISC-V is not among the processors of capstone 4. */
static bool is_known(const struct arch *arch)
{
	return arch->capstone_arch != CAPSTONE_NONE && disasm_is_there() &&
	       capstone.support(arch->capstone_arch) &&
	       (CS_API_MAJOR >= 5 || arch->capstone_arch != CAPSTONE_RISCV);
}

static void open_handle(struct handle *handle)
{
	const struct arch *arch = handle->mode.arch;
	int mode = handle->mode.alternate ? arch->capstone_alternate_mode : arch->capstone_mode;

	if (handle->mode.big_endian)
		mode |= (int)CS_MODE_BIG_ENDIAN;
	if (!is_known(arch) ||
	    capstone.open((cs_arch)arch->capstone_arch, (cs_mode)mode, &handle->cs) != CS_ERR_OK)
		return;
	if (arch->capstone_arch == CAPSTONE_X86) {
		capstone.option(handle->cs, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
		capstone.option(handle->cs, CS_OPT_DETAIL, CS_OPT_ON);
	}
	handle->insn = capstone.new_insn(handle->cs);
	if (!handle->insn)
		capstone.close(&handle->cs);
}

static struct handle *handle_for(struct disasm *d, const struct disasm_mode *mode)
{
	for (size_t i = 0; i < d->handles.count; i++) {
		const struct disasm_mode *has = &d->handles.at[i].mode;
		if (has->arch == mode->arch && has->big_endian == mode->big_endian &&
		    has->alternate == mode->alternate)
			return &d->handles.at[i];
	}
	struct handle handle = { .mode = *mode };
	open_handle(&handle);
	vec_push(&d->handles, handle);
	return &d->handles.at[d->handles.count - 1];
}

static void find_target(const cs_insn *insn, struct disasm_insn *ret)
{
	const cs_x86 *x86 = insn->detail ? &insn->detail->x86 : NULL;

	ret->has_target = x86 && x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM;
	ret->target = ret->has_target ? (uint64_t)x86->operands[0].imm : 0;
}

bool disasm_insn(struct disasm *d, const struct disasm_mode *mode, const uint8_t *bytes, size_t size,
		 uint64_t address, struct disasm_insn *ret)
{
	struct handle *handle = handle_for(d, mode);

	if (!handle->insn || !capstone.disasm_iter(handle->cs, &bytes, &size, &address, handle->insn))
		return false;
	*ret = (struct disasm_insn){ .mnemonic = handle->insn->mnemonic, .operands = handle->insn->op_str };
	if (mode->arch->capstone_arch == CAPSTONE_X86)
		find_target(handle->insn, ret);
	return true;
}

#else

struct disasm {
	char nothing;
};

bool disasm_is_there(void)
{
	return false;
}

struct disasm *disasm_new(void)
{
	return xcalloc(1, sizeof(struct disasm));
}

void disasm_free(struct disasm *d)
{
	free(d);
}

bool disasm_insn(struct disasm *d, const struct disasm_mode *mode, const uint8_t *bytes, size_t size,
		 uint64_t address, struct disasm_insn *ret)
{
	(void)d, (void)mode, (void)bytes, (void)size, (void)address, (void)ret;
	return false;
}

#endif
