#include "symbolize/arm_insn.h"

#include "util/cursor.h"

#define BIT(reg) ((uint16_t)(1u << (reg)))
#define ALWAYS 14

static uint32_t field(uint32_t insn, unsigned shift, unsigned bits)
{
	return insn >> shift & ((1u << bits) - 1);
}

static int32_t sign_extend(uint32_t value, unsigned bits)
{
	return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

static void set(struct arm_insn *i, unsigned reg, unsigned base, int32_t offset)
{
	i->kind = ARM_SET;
	i->reg = (uint8_t)reg;
	i->base = (uint8_t)base;
	i->offset = offset;
}

static void end(struct arm_insn *i)
{
	i->kind = ARM_END;
}

static void jump(struct arm_insn *i, uint32_t target, bool conditional)
{
	i->kind = ARM_JUMP;
	i->target = target;
	i->conditional = conditional;
}

static void jump_by_table(struct arm_insn *i, enum arm_table table, uint32_t at, uint32_t index)
{
	i->kind = ARM_TABLE;
	i->table = (uint8_t)table;
	i->target = at;
	i->reg = (uint8_t)index;
}

static void jump_to_reg(struct arm_insn *i, unsigned reg)
{
	i->kind = reg == ARM_LR ? ARM_RETURN : ARM_TAIL;
}

/* Of all loads and stores only the stack's count. A jump to what another one loads leads anywhere. */
static void transfer(struct arm_insn *i, bool load, unsigned base, uint16_t list, int32_t offset,
		     int32_t writeback)
{
	if (base == ARM_SP) {
		i->kind = load ? ARM_LOAD : ARM_STORE;
		i->base = (uint8_t)base;
		i->list = list;
		i->offset = offset;
		i->writeback = writeback;
	} else if (load && list & BIT(ARM_PC)) {
		/* That is how PLT entries jump, by a register which is theirs (AAPCS32, section 6.1.1). */
		i->kind = base == ARM_IP && writeback ? ARM_PLT : ARM_END;
	} else {
		i->lost = (load ? list : 0) | (writeback ? BIT(base) : 0);
	}
}

/* LDM, STM and their like: @up, @before and @write are the bits U, P and W. */
static void transfer_many(struct arm_insn *i, bool load, unsigned base, uint16_t list, bool up, bool before,
			  bool write)
{
	int32_t size = 4 * __builtin_popcount(list);
	int32_t offset = up ? 4 * before : 4 * !before - size;

	transfer(i, load, base, list, offset, !write ? 0 : up ? size : -size);
}

/* LDR, STR, LDRD, STRD with an immediate offset. */
static void transfer_offset(struct arm_insn *i, bool load, unsigned base, uint16_t list, int32_t offset,
			    bool before, bool write)
{
	transfer(i, load, base, list, before ? offset : 0, write || !before ? offset : 0);
}

/* VPUSH, VPOP: only their size counts. */
static void transfer_vector(struct arm_insn *i, uint32_t insn)
{
	int32_t size = (int32_t)(4 * field(insn, 0, 8));

	if (field(insn, 16, 4) == ARM_SP && field(insn, 21, 1))
		set(i, ARM_SP, ARM_SP, field(insn, 23, 1) ? size : -size);
}

static void thumb_high_register(struct arm_insn *i, uint32_t insn)
{
	unsigned from = field(insn, 3, 4), to = field(insn, 0, 3) | field(insn, 7, 1) << 3;

	switch (field(insn, 8, 2)) {
	case 0: /* ADD */
		if (to == ARM_PC)
			end(i);
		i->lost = BIT(to);
		break;
	case 1: /* CMP */
		break;
	case 2: /* MOV */
		if (to == ARM_PC)
			jump_to_reg(i, from);
		else
			set(i, to, from, 0);
		break;
	default: /* BX, BLX */
		if (field(insn, 7, 1))
			i->kind = ARM_CALL;
		else
			jump_to_reg(i, from);
	}
}

/* 1011xxxx, "miscellaneous" */
static void thumb_misc(struct arm_insn *i, uint32_t insn, uint32_t at)
{
	int32_t words = (int32_t)(4 * field(insn, 0, 7));
	uint16_t list = (uint16_t)field(insn, 0, 8);
	unsigned op = field(insn, 8, 4);

	if (op == 0)
		set(i, ARM_SP, ARM_SP, field(insn, 7, 1) ? -words : words);
	else if (op == 4 || op == 5)
		transfer_many(i, false, ARM_SP, list | (op & 1 ? BIT(ARM_LR) : 0), false, true, true);
	else if (op == 0xc || op == 0xd)
		transfer_many(i, true, ARM_SP, list | (op & 1 ? BIT(ARM_PC) : 0), true, false, true);
	else if ((op & 5) == 1) /* CBZ, CBNZ */
		jump(i, at + 4 + (field(insn, 9, 1) << 6) + (field(insn, 3, 5) << 1), true);
	else if (op == 0xe) /* BKPT */
		end(i);
	else if (op == 0xf &&
		 field(insn, 0, 4)) /* IT: one instruction and one for each bit before the last 1 */
		i->it = (uint8_t)(4 - __builtin_ctz(field(insn, 0, 4)));
}

static void decode_thumb16(struct arm_insn *i, uint32_t insn, uint32_t at)
{
	unsigned low = field(insn, 8, 3);

	if (insn >> 10 == 0x11)
		thumb_high_register(i, insn);
	else if (insn >> 11 == 0x06 || insn >> 11 == 0x07)
		set(i, low, low,
		    insn >> 11 == 0x06 ? (int32_t)field(insn, 0, 8) : -(int32_t)field(insn, 0, 8));
	else if (insn >> 11 == 0x12 || insn >> 11 == 0x13)
		transfer_offset(i, insn >> 11 & 1, ARM_SP, BIT(low), (int32_t)(4 * field(insn, 0, 8)), true,
				false);
	else if (insn >> 11 == 0x15)
		set(i, low, ARM_SP, (int32_t)(4 * field(insn, 0, 8)));
	else if (insn >> 12 == 0xb)
		thumb_misc(i, insn, at);
	else if (insn >> 12 == 0xd && field(insn, 8, 4) < ALWAYS)
		jump(i, at + 4 + (uint32_t)sign_extend(field(insn, 0, 8) << 1, 9), true);
	else if (insn >> 8 == 0xde)
		end(i);
	else if (insn >> 11 == 0x1c)
		jump(i, at + 4 + (uint32_t)sign_extend(field(insn, 0, 11) << 1, 12), false);
}

/* ADD and SUB of an immediate that matters: to or from the stack pointer or a frame pointer. */
static void add_immediate(struct arm_insn *i, unsigned to, unsigned from, uint32_t value, bool subtract)
{
	if (value > INT32_MAX)
		i->lost = BIT(to);
	else
		set(i, to, from, subtract ? -(int32_t)value : (int32_t)value);
}

static uint32_t rotate_right(uint32_t value, unsigned bits)
{
	return bits ? value >> bits | value << (32 - bits) : value;
}

/* A6.3.2, "modified immediate constants in Thumb instructions" */
static uint32_t thumb_expand(uint32_t imm12)
{
	uint32_t byte = field(imm12, 0, 8);

	if (imm12 >> 10)
		return rotate_right(0x80 | field(imm12, 0, 7), field(imm12, 7, 5));
	switch (field(imm12, 8, 2)) {
	case 0:
		return byte;
	case 1:
		return byte << 16 | byte;
	case 2:
		return byte << 24 | byte << 8;
	default:
		return byte << 24 | byte << 16 | byte << 8 | byte;
	}
}

/* 11110: data processing with immediates, branches. The second halfword is in the low half of @insn. */
static void thumb_immediate(struct arm_insn *i, uint32_t insn)
{
	uint32_t imm12 = field(insn, 26, 1) << 11 | field(insn, 12, 3) << 8 | field(insn, 0, 8);
	unsigned to = field(insn, 8, 4), from = field(insn, 16, 4), op = field(insn, 20, 6);
	bool plain = op >> 5 & 1; /* ADDW, SUBW: 12 bits as they are */

	op &= plain ? 0x3f : 0x3e;
	if (to == ARM_PC) /* CMP and others: the flags only */
		return;
	if (op == 0x10 || op == 0x20)
		add_immediate(i, to, from, plain ? imm12 : thumb_expand(imm12), false);
	else if (op == 0x1a || op == 0x2a)
		add_immediate(i, to, from, plain ? imm12 : thumb_expand(imm12), true);
	else
		i->lost = BIT(to);
}

static void thumb_branch(struct arm_insn *i, uint32_t insn, uint32_t at)
{
	uint32_t s = field(insn, 26, 1), j1 = field(insn, 13, 1), j2 = field(insn, 11, 1);
	uint32_t low = field(insn, 0, 11) << 1;

	if (field(insn, 14, 1)) {
		i->kind = ARM_CALL;
	} else if (field(insn, 12, 1)) {
		uint32_t offset =
			s << 24 | (j1 == s) << 23 | (j2 == s) << 22 | field(insn, 16, 10) << 12 | low;
		jump(i, at + 4 + (uint32_t)sign_extend(offset, 25), false);
	} else if (field(insn, 22, 4) < ALWAYS) {
		uint32_t offset = s << 20 | j2 << 19 | j1 << 18 | field(insn, 16, 6) << 12 | low;
		jump(i, at + 4 + (uint32_t)sign_extend(offset, 21), true);
	} else if (field(insn, 20, 7) == 0x7f) { /* UDF and calls of a monitor */
		end(i);
	}
}

/* 11101 00: several or two registers, exclusive ones, table branches */
static void thumb_transfer_many(struct arm_insn *i, uint32_t insn, uint32_t at)
{
	unsigned base = field(insn, 16, 4);
	bool before = field(insn, 24, 1), up = field(insn, 23, 1), write = field(insn, 21, 1);
	bool load = field(insn, 20, 1);
	int32_t offset = (int32_t)(4 * field(insn, 0, 8));

	if (!field(insn, 22, 1))
		transfer_many(i, load, base, (uint16_t)insn, up, before, write);
	else if (before || write)
		transfer_offset(i, load, base, BIT(field(insn, 12, 4)) | BIT(field(insn, 8, 4)),
				up ? offset : -offset, before, write);
	else if (up && load && field(insn, 5, 3) == 0 && base == ARM_PC) /* TBB, TBH */
		jump_by_table(i, field(insn, 4, 1) ? ARM_TABLE_HALVES : ARM_TABLE_BYTES, at + 4,
			      field(insn, 0, 4));
	else if (up && load && field(insn, 5, 3) == 0)
		end(i);
	else
		i->lost = BIT(field(insn, 12, 4)) | BIT(field(insn, 8, 4)) | BIT(field(insn, 0, 4));
}

/* 11111 00: one register */
static void thumb_transfer_one(struct arm_insn *i, uint32_t insn)
{
	unsigned base = field(insn, 16, 4), reg = field(insn, 12, 4);
	bool load = field(insn, 20, 1), whole = field(insn, 21, 2) == 2;

	if (!whole) {
		i->lost = load && reg != ARM_PC ? BIT(reg) : 0;
		if (!field(insn, 23, 1) && field(insn, 11, 1) && field(insn, 8, 1))
			i->lost |= BIT(base);
	} else if (field(insn, 23, 1)) {
		transfer_offset(i, load, base, BIT(reg), (int32_t)field(insn, 0, 12), true, false);
	} else if (field(insn, 11, 1)) {
		int32_t offset = (int32_t)field(insn, 0, 8);
		transfer_offset(i, load, base, BIT(reg), field(insn, 9, 1) ? offset : -offset,
				field(insn, 10, 1), field(insn, 8, 1));
	} else if (load && reg == ARM_PC) {
		end(i);
	} else {
		i->lost = load ? BIT(reg) : 0;
	}
}

static void decode_thumb32(struct arm_insn *i, uint32_t insn, uint32_t at)
{
	unsigned op = field(insn, 25, 4), to = field(insn, 8, 4);

	if (op >> 2 == 2) { /* 1110: 11110 */
		if (field(insn, 15, 1))
			thumb_branch(i, insn, at);
		else
			thumb_immediate(i, insn);
	} else if (op == 4) {
		thumb_transfer_many(i, insn, at);
	} else if (op == 5) {
		if (to != ARM_PC)
			i->lost = BIT(to);
		if (field(insn, 16, 9) == 0x4f && !(insn & 0x70f0)) { /* MOV */
			i->lost = 0;
			set(i, to, field(insn, 0, 4), 0);
		}
	} else if (op == 6 && field(insn, 9, 3) == 5) {
		transfer_vector(i, insn);
	} else if (op == 12) {
		if (!field(insn, 24, 1))
			thumb_transfer_one(i, insn);
		else if (field(insn, 20, 1) && field(insn, 12, 4) != ARM_PC) /* signed bytes and halfwords */
			i->lost = BIT(field(insn, 12, 4));
	} else {
		/* Multiplications, coprocessors: the first register is in one of these places. */
		i->lost = BIT(to) | BIT(field(insn, 12, 4));
	}
}

/* Data processing, and what is between it: multiplications, halfwords, pairs. */
static void arm_data(struct arm_insn *i, uint32_t insn, uint32_t at)
{
	unsigned to = field(insn, 12, 4), from = field(insn, 16, 4), op = field(insn, 21, 4);
	bool immediate = field(insn, 25, 1), flags = field(insn, 20, 1);

	if ((insn & 0x0fffffd0) == 0x012fff10) { /* BX, BLX */
		if (field(insn, 5, 1))
			i->kind = ARM_CALL;
		else
			jump_to_reg(i, field(insn, 0, 4));
	} else if (!immediate && field(insn, 4, 1) && field(insn, 7, 1)) {
		bool pair = !field(insn, 20, 1) && field(insn, 6, 1), load = !field(insn, 5, 1);
		int32_t offset = (int32_t)(field(insn, 8, 4) << 4 | field(insn, 0, 4));
		bool before = field(insn, 24, 1), write = field(insn, 21, 1);
		if (pair && field(insn, 22, 1))
			transfer_offset(i, load, from, BIT(to) | BIT(to | 1),
					field(insn, 23, 1) ? offset : -offset, before, write);
		else if (field(insn, 5, 2)) /* halfwords and signed bytes */
			i->lost = BIT(to) | (!before || write ? BIT(from) : 0);
		else /* multiplications; exclusive ones */
			i->lost = BIT(to) | (before ? 0 : BIT(from));
	} else if (op >= 8 && op <= 11) {
		if (!flags) /* MOVW, MOVT, status registers ... */
			i->lost = BIT(to);
	} else if ((insn & 0x0fef0ff0) == 0x01a00000) { /* MOV */
		if (to == ARM_PC)
			jump_to_reg(i, field(insn, 0, 4));
		else
			set(i, to, field(insn, 0, 4), 0);
	} else if ((insn & 0x0ffffff0) == 0x008ff100) { /* ADD PC, PC, index, LSL #2 */
		jump_by_table(i, ARM_TABLE_JUMPS, at + 8, field(insn, 0, 4));
	} else if (to == ARM_PC) {
		end(i);
	} else if (immediate && (op == 2 || op == 4)) {
		add_immediate(i, to, from, rotate_right(field(insn, 0, 8), 2 * field(insn, 8, 4)), op == 2);
	} else {
		i->lost = BIT(to);
	}
}

/* LDR and STR, of words and bytes; media instructions */
static void arm_transfer_one(struct arm_insn *i, uint32_t insn, uint32_t at)
{
	unsigned base = field(insn, 16, 4), reg = field(insn, 12, 4);
	bool load = field(insn, 20, 1), before = field(insn, 24, 1);
	int32_t offset = (int32_t)field(insn, 0, 12);

	if (field(insn, 25, 1) && field(insn, 4, 1)) {
		if (field(insn, 20, 8) == 0x7f && field(insn, 5, 3) == 7) /* UDF */
			end(i);
		i->lost = BIT(reg) | BIT(base);
	} else if ((insn & 0x0ffffff0) == 0x079ff100) { /* LDR PC, [PC, index, LSL #2] */
		jump_by_table(i, ARM_TABLE_WORDS, at + 8, field(insn, 0, 4));
	} else if (field(insn, 25, 1) || field(insn, 22, 1)) {
		if (load && reg == ARM_PC)
			end(i);
		i->lost = (load ? BIT(reg) : 0) | (!before || field(insn, 21, 1) ? BIT(base) : 0);
	} else {
		transfer_offset(i, load, base, BIT(reg), field(insn, 23, 1) ? offset : -offset, before,
				field(insn, 21, 1));
	}
}

static void decode_arm(struct arm_insn *i, uint32_t insn, uint32_t at)
{
	uint32_t target = at + 8 + ((uint32_t)sign_extend(field(insn, 0, 24), 24) << 2);

	i->conditional = insn >> 28 != ALWAYS;
	if (insn >> 28 == 15) { /* BLX to a label, or nothing that counts */
		i->conditional = false;
		i->kind = field(insn, 25, 3) == 5 ? ARM_CALL : ARM_OTHER;
		return;
	}
	switch (field(insn, 25, 3)) {
	case 0:
	case 1:
		arm_data(i, insn, at);
		break;
	case 2:
	case 3:
		arm_transfer_one(i, insn, at);
		break;
	case 4:
		transfer_many(i, field(insn, 20, 1), field(insn, 16, 4), (uint16_t)insn, field(insn, 23, 1),
			      field(insn, 24, 1), field(insn, 21, 1));
		break;
	case 5:
		if (field(insn, 24, 1))
			i->kind = ARM_CALL;
		else
			jump(i, target, i->conditional);
		break;
	case 6:
		if (field(insn, 9, 3) == 5)
			transfer_vector(i, insn);
		break;
	default: /* coprocessors, system calls */
		i->lost = !field(insn, 24, 1) && field(insn, 20, 1) ? BIT(field(insn, 12, 4)) : 0;
	}
}

bool arm_insn_decode(const uint8_t *bytes, size_t size, uint32_t at, struct arm_mode mode,
		     struct arm_insn *ret)
{
	size_t half = mode.thumb ? 2 : 4;

	*ret = (struct arm_insn){ .kind = ARM_OTHER, .length = (uint8_t)half };
	if (size < half)
		return false;
	uint32_t first = mode.thumb ? load_u16(bytes, mode.big_endian) : load_u32(bytes, mode.big_endian);
	if (first ==
	    0) { /* an instruction without any effect, and so what fills the space between functions */
		end(ret);
		return true;
	}
	if (!mode.thumb) {
		decode_arm(ret, first, at);
		return true;
	}
	if (first < 0xe800) {
		decode_thumb16(ret, first, at);
		return true;
	}
	ret->length = 4;
	if (size < 4)
		return false;
	decode_thumb32(ret, first << 16 | load_u16(bytes + 2, mode.big_endian), at);
	return true;
}

/* CMP index, #last; BHI default; TBB or TBH */
static uint32_t thumb_table_size(const struct arm_insn *insn, const uint8_t *bytes, size_t size,
				 bool big_endian)
{
	uint32_t halves[4] = { 0 }; /* the last one is the first */

	for (size_t i = 0; i < 4 && 2 * i + 2 <= size; i++)
		halves[i] = load_u16(bytes + size - 2 * i - 2, big_endian);
	size_t branch = halves[0] >> 8 == 0xd8						   ? 1
			: (halves[1] & 0xfbc0) == 0xf200 && (halves[0] & 0xd000) == 0x8000 ? 2
											   : 0;
	uint32_t compare = halves[branch];

	if (!branch)
		return 0;
	if (compare >> 8 == (0x28u | insn->reg))
		return field(compare, 0, 8) + 1;
	if ((halves[branch + 1] & 0xfbf0) != 0xf1b0 || field(halves[branch + 1], 0, 4) != insn->reg ||
	    (compare & 0x8f00) != 0x0f00)
		return 0;
	return thumb_expand(field(halves[branch + 1], 10, 1) << 11 | field(compare, 12, 3) << 8 |
			    field(compare, 0, 8)) +
	       1;
}

uint32_t arm_insn_table_size(const struct arm_insn *insn, const uint8_t *bytes, size_t size,
			     struct arm_mode mode)
{
	if (mode.thumb)
		return thumb_table_size(insn, bytes, size, mode.big_endian);
	/* CMP index, #last; the jump when lower or the same */
	uint32_t compare = size < 4 ? 0 : load_u32(bytes + size - 4, mode.big_endian);
	if (!insn->conditional || compare >> 12 != (0xe3500u | (uint32_t)insn->reg << 4))
		return 0;
	return rotate_right(field(compare, 0, 8), 2 * field(compare, 8, 4)) + 1;
}
