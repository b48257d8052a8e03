/*
 * Lengths of x86 instructions: prefixes, opcode, ModRM, SIB, displacement, immediate (Intel SDM volume 2,
 * chapter 2 and appendix A; REX2 and EVEX map 4: Intel APX; XOP: AMD APM volume 6).
 * Only lengths: whether an opcode means something to a processor is not asked. What means nothing in the old
 * maps is taken for an instruction without operands, as perf's decoder does.
 */
#include <string.h>

#include "arch/arch_tables.h"

#define MAX_SIZE 15

/*
 * What follows the opcode, a letter for each:
 *   .  nothing            M  ModRM                  x  no map
 *   b  imm8               B  ModRM, imm8            w  imm16               e  imm16, imm8
 *   z  imm16/32           Z  ModRM, imm16/32        v  imm16/32/64         p  far pointer
 *   o  an address         t  ModRM, imm8 when its reg is 0 or 1            T  the same, imm16/32
 *   j  rel32; rel16 with 16-bit operands outside 64-bit mode
 *   P  a prefix, or an escape to another map: never looked up
 */
static const char one_byte[256 + 1] = "MMMMbz..MMMMbz.P" /* 00 */
				      "MMMMbz..MMMMbz.."
				      "MMMMbzP.MMMMbzP."
				      "MMMMbzP.MMMMbzP."
				      "................" /* 40 */
				      "................"
				      "..MMPPPPzZbB...."
				      "bbbbbbbbbbbbbbbb"
				      "BZBBMMMMMMMMMMMM" /* 80 */
				      "..........p....."
				      "oooo....bz......"
				      "bbbbbbbbvvvvvvvv"
				      "BBw.MMBZe.w..b.." /* c0 */
				      "MMMMbb..MMMMMMMM"
				      "bbbbbbbbjjpb...."
				      "P.PP..tT......MM";

static const char two_byte[256 + 1] = "MMMM.........M.B" /* 0f 00 */
				      "MMMMMMMMMMMMMMMM"
				      "MMMM....MMMMMMMM"
				      "........P.P....."
				      "MMMMMMMMMMMMMMMM" /* 40 */
				      "MMMMMMMMMMMMMMMM"
				      "MMMMMMMMMMMMMMMM"
				      "BBBBMMM.MM..MMMM"
				      "jjjjjjjjjjjjjjjj" /* 80 */
				      "MMMMMMMMMMMMMMMM"
				      "...MBMMM...MBMMM"
				      "MMMMMMMMMMBMMMMM"
				      "MMBMBBBM........" /* c0 */
				      "MMMMMMMMMMMMMMMM"
				      "MMMMMMMMMMMMMMMM"
				      "MMMMMMMMMMMMMMM.";

/* Of the one-byte map, what 64-bit mode has no more. */
static bool is_not_in_64(uint8_t opcode)
{
	return opcode && strchr("\x06\x07\x0e\x16\x17\x1e\x1f\x27\x2f\x37\x3f\x60\x61\x62\x82\x9a"
				"\xce\xd4\xd5\xd6\xea",
				opcode);
}

enum map { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A, MAP_VEX_7 = 7, MAP_XOP_8, MAP_XOP_9, MAP_XOP_A };

/* Reading stops at the first byte that is not there. */
struct decode {
	const uint8_t *bytes;
	unsigned size, at;
	bool is_64, bad;
	bool operand_16, address_short, repeat, rex_w;
	bool vector; /* VEX, EVEX or XOP */
	enum map map;
	uint8_t opcode, modrm;
};

static uint8_t peek(const struct decode *d, unsigned ahead)
{
	return d->at + ahead < d->size ? d->bytes[d->at + ahead] : 0;
}

static uint8_t next(struct decode *d)
{
	if (d->at >= d->size) {
		d->bad = true;
		return 0;
	}
	return d->bytes[d->at++];
}

static bool is_legacy_prefix(uint8_t byte)
{
	return byte && strchr("\x66\x67\xf2\xf3\xf0\x2e\x36\x3e\x26\x64\x65", byte);
}

static bool is_rex(const struct decode *d, uint8_t byte)
{
	return d->is_64 && (byte & 0xf0) == 0x40;
}

/* A REX that is not the last of the prefixes counts for nothing. */
static bool take_legacy_prefix(struct decode *d)
{
	uint8_t first = peek(d, 0), second = peek(d, 1);

	if (!is_legacy_prefix(first) &&
	    !(is_rex(d, first) && (is_legacy_prefix(second) || is_rex(d, second))))
		return false;
	d->operand_16 |= first == 0x66;
	d->address_short |= first == 0x67;
	d->repeat |= first == 0xf2 || first == 0xf3;
	d->at++;
	return true;
}

/* The last payload byte but for EVEX's third says the mandatory prefix in its low bits: 1 is 66. */
static void set_vector(struct decode *d, enum map map, uint8_t last)
{
	d->vector = true;
	d->map = map;
	d->rex_w = last & 0x80;
	d->operand_16 = (last & 3) == 1;
}

static bool take_vex(struct decode *d, uint8_t first)
{
	/* Outside 64-bit mode these bytes are LES, LDS and BOUND unless the next could be no memory operand.
	 */
	if ((first != 0xc4 && first != 0xc5 && first != 0x62) || (!d->is_64 && peek(d, 1) < 0xc0))
		return false;
	d->at++;
	uint8_t map = next(d);
	if (first == 0xc5) {
		set_vector(d, MAP_0F, map & 0x7f);
		return true;
	}
	if (first == 0x62) {
		set_vector(d, map & 7, next(d));
		next(d);
		return true;
	}
	map &= 31;
	set_vector(d, map <= MAP_0F3A || map == MAP_VEX_7 ? map : MAP_ONE, next(d));
	return true;
}

/* POP r/m has 0 in the place of XOP's maps 8 to 10. */
static bool take_xop(struct decode *d, uint8_t first)
{
	uint8_t map = peek(d, 1) & 31;

	if (first != 0x8f || map < MAP_XOP_8 || map > MAP_XOP_A)
		return false;
	d->at += 2;
	set_vector(d, map, next(d));
	return true;
}

static bool take_rex(struct decode *d)
{
	uint8_t first = peek(d, 0);

	if (is_rex(d, first)) {
		d->rex_w = first & 8;
		d->at++;
	} else if (d->is_64 && first == 0xd5) {
		uint8_t rex2 = peek(d, 1);
		d->at += 2;
		d->rex_w = rex2 & 8;
		d->map = rex2 & 0x80 ? MAP_0F : MAP_ONE;
		return true;
	}
	return false;
}

static void take_opcode(struct decode *d)
{
	while (take_legacy_prefix(d))
		;
	bool has_map = take_vex(d, peek(d, 0)) || take_xop(d, peek(d, 0)) || take_rex(d);
	d->opcode = next(d);
	if (has_map || d->opcode != 0x0f)
		return;
	d->map = MAP_0F;
	d->opcode = next(d);
	if (d->opcode != 0x38 && d->opcode != 0x3a)
		return;
	d->map = d->opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
	d->opcode = next(d);
}

/* EVEX map 4 has one-byte opcodes of old, all with a ModRM byte. */
static char promoted_kind(uint8_t opcode)
{
	char kind = one_byte[opcode];

	return strchr("BZtT", kind) ? kind : 'M';
}

static char vector_kind(const struct decode *d)
{
	char kind = two_byte[d->opcode];

	switch ((unsigned)d->map) {
	case MAP_0F:
		return kind == 'B' || kind == '.' ? kind : 'M';
	case MAP_0F3A:
	case MAP_XOP_8:
		return 'B';
	case 4:
		return promoted_kind(d->opcode);
	case MAP_0F38:
	case 5:
	case 6:
	case MAP_XOP_9:
		return 'M';
	case MAP_VEX_7:
	case MAP_XOP_A:
		return 'Z';
	default:
		return 'x';
	}
}

static char kind_of(const struct decode *d)
{
	if (d->vector)
		return vector_kind(d);
	switch (d->map) {
	case MAP_ONE:
		return d->is_64 && is_not_in_64(d->opcode) ? '.' : one_byte[d->opcode];
	case MAP_0F:
		/* AMD's EXTRQ and INSERTQ with immediates */
		return d->opcode == 0x78 && (d->operand_16 || d->repeat) ? 'E' : two_byte[d->opcode];
	case MAP_0F38:
		return 'M';
	default:
		return 'B';
	}
}

static void take_modrm(struct decode *d)
{
	d->modrm = next(d);
	unsigned mod = d->modrm >> 6, rm = d->modrm & 7;

	/* The moves from and to control and debug registers take any mod for 3. */
	if (mod == 3 || (d->map == MAP_0F && !d->vector && d->opcode >= 0x20 && d->opcode <= 0x23))
		return;
	if (d->address_short && !d->is_64) {
		d->at += mod == 1 ? 1 : mod == 2 || rm == 6 ? 2 : 0;
		return;
	}
	unsigned base = rm == 4 ? next(d) & 7 : rm;
	d->at += mod == 1 ? 1 : mod == 2 || base == 5 ? 4 : 0;
}

static unsigned immediate_size(const struct decode *d, char kind)
{
	unsigned word = d->operand_16 && !d->rex_w ? 2 : 4;
	bool is_test = (d->modrm >> 3 & 7) < 2; /* of group 3 */

	switch (kind) {
	case 'b':
	case 'B':
		return 1;
	case 'w':
	case 'E':
		return 2;
	case 'e':
		return 3;
	case 'z':
	case 'Z':
		return d->vector && d->map != 4 ? 4 : word;
	case 'v':
		return d->rex_w ? 8 : word;
	case 'j': /* Intel's processors ignore the operand size here in 64-bit mode */
		return d->is_64 ? 4 : word;
	case 'o':
		return d->is_64 ? (d->address_short ? 4 : 8) : (d->address_short ? 2 : 4);
	case 'p':
		return word + 2;
	case 't':
		return is_test ? 1 : 0;
	case 'T':
		return is_test ? word : 0;
	default:
		return 0;
	}
}

/* Jumps, calls, returns, interrupts and system calls; not conditional jumps. */
static bool leaves(const struct decode *d)
{
	unsigned reg = d->modrm >> 3 & 7;

	if (d->vector || d->map > MAP_0F)
		return false;
	if (d->map == MAP_0F)
		return d->opcode == 0x05 || d->opcode == 0x07 || d->opcode == 0x34 || d->opcode == 0x35 ||
		       (d->opcode == 0x01 && (d->modrm == 0xc2 || d->modrm == 0xc3)); /* VMLAUNCH, VMRESUME */
	if (d->opcode == 0xff)
		return reg >= 2 && reg <= 5;
	return d->opcode && strchr("\xe8\xe9\xea\xeb\xc2\xc3\xca\xcb\xcc\xcd\xce\xcf\x9a", d->opcode);
}

static unsigned decode(struct decode *d, bool *ret_leaves)
{
	take_opcode(d);
	char kind = kind_of(d);
	if (strchr("MBZtTE", kind))
		take_modrm(d);
	d->at += immediate_size(d, kind);
	*ret_leaves = leaves(d);
	return d->bad || kind == 'x' || kind == 'P' || d->at > d->size ? 0 : d->at;
}

unsigned x86_insn_length_64(const uint8_t *bytes, size_t size, bool alternate, bool *ret_leaves)
{
	struct decode d = { .bytes = bytes,
			    .size = size < MAX_SIZE ? (unsigned)size : MAX_SIZE,
			    .is_64 = true };

	(void)alternate;
	return decode(&d, ret_leaves);
}

unsigned x86_insn_length_32(const uint8_t *bytes, size_t size, bool alternate, bool *ret_leaves)
{
	struct decode d = { .bytes = bytes, .size = size < MAX_SIZE ? (unsigned)size : MAX_SIZE };

	(void)alternate;
	return decode(&d, ret_leaves);
}
