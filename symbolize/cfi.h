/*
 * cfi - how to get from a function to its caller, for each address of one binary.
 *
 * Rules come from the binary's .eh_frame, from .debug_frame (its own or its debug file's) and, for 32-bit
 * ARM, from .ARM.exidx and the code itself; those of JIT code from its jitdump. They belong to the binary,
 * not to a process: a few bytes each, equal ones kept once, found by libdw when an address of their range is
 * first asked for and from then on without it.
 *
 * The only user of libdw's CFI interface. Knows no process, no registers' contents, no stack: unwind does.
 * One thread at a time may ask a struct cfi.
 */
#ifndef PERF2TXT_CFI_H
#define PERF2TXT_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;
struct image;
struct jitdump_layer;

/* DWARF register numbers from here on are not followed. */
#define CFI_MAX_REGS 128

enum cfi_kind {
	CFI_AT_CFA,   /* saved in memory at CFA + offset */
	CFI_CFA_PLUS, /* the value CFA + offset */
	CFI_REGISTER, /* the value that register `offset` has in this frame; as a CFA: that + cfa_offset */
	CFI_AT_EXPRESSION, /* saved in memory where expression `offset` says */
	CFI_EXPRESSION,	   /* the value of expression `offset` */
};

/* Where the caller's value of one register is. */
struct cfi_reg {
	uint8_t reg; /* DWARF number */
	uint8_t kind;
	uint16_t unused;
	int32_t offset;
};

/* A register that is neither in regs nor undefined has the same value in the caller. */
struct cfi_rule {
	uint64_t undefined[CFI_MAX_REGS / 64]; /* a bit each: the caller's value is lost */
	uint64_t saved[CFI_MAX_REGS / 64];     /* a bit for each in regs */
	int32_t cfa_offset;
	uint8_t cfa_kind; /* CFI_REGISTER: cfa_reg + cfa_offset; CFI_EXPRESSION: number cfa_offset */
	uint8_t cfa_reg;
	uint8_t return_reg; /* holds the return address in the caller's registers */
	uint8_t nr_regs;
	bool root;	   /* the return address is undefined: there is no caller */
	bool signal_frame; /* "returns" to where a signal interrupted, not behind a call */
	bool simple;	   /* the CFA is a register + offset, and all in regs depend on nothing but it */
	bool from_code;	   /* found by symbolize/arm_code: to be checked with cfi_is_call_before() */
	uint8_t unused[4];
	struct cfi_reg regs[];
};

/* A rule under construction, with room for all registers. */
union cfi_draft {
	struct cfi_rule rule;
	uint8_t room[sizeof(struct cfi_rule) + CFI_MAX_REGS * sizeof(struct cfi_reg)];
};

/* One operation of a DWARF expression, as libdw's Dwarf_Op: branches go by the operations' own offsets. */
struct cfi_op {
	uint64_t number, number2;
	uint32_t offset;
	uint32_t atom; /* DW_OP_* */
};

struct cfi;

/** @binary and @debug (which may be NULL) must outlive it. Nothing is read yet. */
struct cfi *cfi_new(struct image *binary, struct image *debug, const struct arch *arch);

/** The same for code of a jitdump, which must outlive it. NULL: there are no rules. */
struct cfi *cfi_new_jit(const struct jitdump_layer *layer);

void cfi_free(struct cfi *cfi); /* NULL is fine */

/** The rule for a link-time address of the binary; NULL: there is none. Lent until cfi_free(). */
const struct cfi_rule *cfi_find(struct cfi *cfi, uint64_t vaddr);

/** The same for a file offset, as it comes out of a map; of JIT code that is the address. */
const struct cfi_rule *cfi_find_offset(struct cfi *cfi, uint64_t offset);

/**
 * Is the instruction before a file offset a call? @alternate: it is of the second instruction set. Of code
 * whose rules may come from the code itself only.
 */
bool cfi_is_call_before(const struct cfi *cfi, uint64_t offset, bool alternate);

/** May the instruction before a file offset be a call? Of processors of which that is not known: yes. */
bool cfi_may_be_call_before(const struct cfi *cfi, uint64_t offset);

/** Do the bytes before a file offset look like a call's? Where they are not known: no. */
bool cfi_looks_like_call_before(const struct cfi *cfi, uint64_t offset);

/** The operations of expression @number of one of the rules. */
const struct cfi_op *cfi_expression(const struct cfi *cfi, int32_t number, size_t *ret_nr);

#endif
