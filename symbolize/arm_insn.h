/*
 * arm_insn - what an instruction of 32-bit ARM or Thumb code does to the stack and to the flow of control.
 *
 * "Arm Architecture Reference Manual, ARMv7-A and ARMv7-R edition" (DDI 0406C), A5 and A6. Everything else
 * that instructions do is left out: a register of the stack's that is changed in another way is only called
 * lost. Knows no file and no addresses but the instruction's own.
 */
#ifndef PERF2TXT_ARM_INSN_H
#define PERF2TXT_ARM_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARM_IP 12
#define ARM_SP 13
#define ARM_LR 14
#define ARM_PC 15

enum arm_insn_kind {
	ARM_OTHER, /* nothing that counts here, but for `lost` */
	ARM_END,   /* never goes on here: undefined, or a jump to what a register says */
	ARM_CALL,
	ARM_JUMP,   /* to target */
	ARM_RETURN, /* to the link register */
	ARM_PLT,    /* jumps to another function, which returns for this one */
	ARM_TAIL,   /* jumps to a register's value: the function's end, or a jump table */
	ARM_TABLE,  /* jumps to one of several places, by entry `reg` of the table at target */
	ARM_SET,    /* reg = base + offset */
	ARM_LOAD,   /* list, from base + offset on, the lowest register first; then base += writeback */
	ARM_STORE,
};

enum arm_table {
	ARM_TABLE_BYTES, /* distances from the table in halfwords */
	ARM_TABLE_HALVES,
	ARM_TABLE_WORDS, /* addresses */
	ARM_TABLE_JUMPS, /* instructions */
};

struct arm_insn {
	uint8_t kind;
	uint8_t length;
	bool conditional;
	uint8_t reg, base;
	uint8_t it;	     /* so many instructions behind this one are conditional */
	uint8_t table;	     /* enum arm_table, of ARM_TABLE */
	uint16_t list, lost; /* a bit a register */
	int32_t offset, writeback;
	uint32_t target;
};

/* In which set and byte order instructions are. */
struct arm_mode {
	bool thumb, big_endian;
};

/** False: @size bytes are no whole instruction. @at is its address. */
bool arm_insn_decode(const uint8_t *bytes, size_t size, uint32_t at, struct arm_mode mode,
		     struct arm_insn *ret);

/**
 * How many entries the table of an ARM_TABLE has, by the comparison before it. 0: that is not known. @bytes:
 * the @size bytes before the instruction.
 */
uint32_t arm_insn_table_size(const struct arm_insn *insn, const uint8_t *bytes, size_t size,
			     struct arm_mode mode);

#endif
