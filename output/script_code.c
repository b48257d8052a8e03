#include "output/script_code.h"

#include <string.h>

#include "output/fields.h"
#include "util/digits.h"

#define BRANCH_WIDTH 30 /* of a branching instruction, so that what is said of it stands in a column */

/* Returns how much was printed, as all that print an instruction do. */
static size_t put_text(struct writer *w, const char *text)
{
	size_t size = strlen(text);

	writer_bytes(w, text, size);
	return size;
}

static size_t put_hex(struct writer *w, uint64_t value)
{
	char *from = writer_reserve(w);
	char *at = digits_hex_any(from, value);

	writer_advance(w, at);
	return (size_t)(at - from);
}

/* " 55 48", as insn and disasm print bytes, or "55 48 ". */
static size_t put_bytes(struct writer *w, const uint8_t *bytes, size_t size, bool blank_first)
{
	for (size_t i = 0; i < size; i++) {
		char *at = writer_reserve(w);
		if (blank_first)
			*at++ = ' ';
		at = digits_hex2(at, bytes[i]);
		if (!blank_first)
			*at++ = ' ';
		writer_advance(w, at);
	}
	return 3 * size;
}

/* "callq main+0x0", or as the disassembler says. */
static size_t put_disasm(struct writer *w, const struct view_insn *insn, const struct spot *target)
{
	size_t size = put_text(w, insn->mnemonic);

	size += put_text(w, " ");
	if (!target->location)
		return size + put_text(w, insn->operands);
	size += put_text(w, target->location->name);
	size += put_text(w, "+0x");
	return size + put_hex(w, spot_symoff(target));
}

void script_code_insn(struct writer *w, uint64_t on, const struct view *view)
{
	const struct view_insn *insn = view->insn;
	size_t size = insn ? insn->size : 0;

	if (on & FIELD_INSNLEN) {
		writer_text(w, " ilen: ");
		writer_dec(w, size, 0);
	}
	if (!size)
		return;
	if (on & FIELD_INSN) {
		writer_text(w, " insn:");
		put_bytes(w, insn->bytes, size, true);
	}
	if (!(on & FIELD_DISASM))
		return;
	writer_text(w, "\t\t");
	if (insn->mnemonic) {
		put_disasm(w, insn, &view->insn_target);
		return;
	}
	put_bytes(w, insn->bytes, 1, false);
	w->at--;
	put_bytes(w, insn->bytes + 1, size - 1, true);
}

/* Branch stacks */

static size_t put_branch_insn(struct writer *w, uint64_t on, const struct view_code_line *line)
{
	const struct view_insn *insn = line->insn;

	if (!insn)
		return put_text(w, "<bad>");
	if (!(on & FIELD_BRSTACKDISASM) || !insn->mnemonic)
		return put_text(w, "insn: ") + put_bytes(w, insn->bytes, insn->length, false);
	size_t size = put_disasm(w, insn, &line->target);
	if (!line->target.location)
		return size;
	size += put_text(w, " [0x");
	size += put_hex(w, insn->target);
	return size + put_text(w, "]");
}

/* %016llx */
static void put_insn_start(struct writer *w, uint64_t ip)
{
	char *at = writer_reserve(w);

	*at++ = '\t';
	for (int shift = 56; shift >= 0; shift -= 8)
		at = digits_hex2(at, (uint8_t)(ip >> shift));
	*at++ = '\t';
	writer_advance(w, at);
}

static void put_length(struct writer *w, const struct view_code_line *line)
{
	writer_text(w, "ilen: ");
	writer_dec(w, line->insn ? line->insn->length : 0, 0);
}

/* "busy.cpp:134": what stands behind an ip, without the line break and the two blanks in front of it. */
static void put_source_line(struct writer *w, struct frame_texts *lines, const struct spot *spot)
{
	const struct frame_text *text = frame_line_of(lines, spot);

	if (text->size > 3)
		writer_bytes(w, text->text + 3, text->size - 3);
}

/* "main+31:". perf takes the distance for a 32-bit number. */
static void put_symbol_line(struct writer *w, const struct view_code_line *line, struct frame_texts *lines)
{
	int32_t offset = (int32_t)spot_symoff(&line->spot);

	writer_char(w, '\t');
	writer_text(w, line->spot.location->name);
	if (offset > 0)
		writer_char(w, '+');
	if (offset)
		writer_sdec(w, offset, 0);
	writer_char(w, ':');
	if (lines) {
		writer_char(w, '\t');
		put_source_line(w, lines, &line->spot);
	}
	writer_char(w, '\n');
}

static void put_insn_line(struct writer *w, uint64_t on, const struct view_code_line *line)
{
	put_insn_start(w, line->ip);
	put_branch_insn(w, on, line);
	if (on & FIELD_BRSTACKINSNLEN) {
		writer_char(w, '\t');
		put_length(w, line);
	}
	writer_char(w, '\n');
}

/* Instructions per cycle as printf's %.2f rounds the quotient of two floats: exactly, ties to even. */
static void put_ipc(struct writer *w, uint32_t nr_insns, uint32_t cycles)
{
	double hundredths = (double)((float)nr_insns / (float)cycles) * 100;
	uint64_t number = (uint64_t)hundredths;
	double rest = hundredths - (double)number;

	number += rest > 0.5 || (rest == 0.5 && number & 1);
	char *at = writer_reserve(w);
	*at++ = ' ';
	at = digits_dec(at, number / 100, 0);
	*at++ = '.';
	writer_advance(w, digits_fixed(at, number % 100, 2));
	writer_text(w, " IPC");
}

static void put_cycles(struct writer *w, uint32_t cycles, uint64_t total, uint32_t nr_insns)
{
	writer_char(w, ' ');
	writer_dec(w, cycles, 0);
	writer_text(w, " cycles [");
	writer_dec(w, total, 0);
	writer_char(w, ']');
	if (nr_insns)
		put_ipc(w, nr_insns, cycles);
}

static void put_branch_line(struct writer *w, uint64_t on, const struct view_code_line *line, uint64_t flags,
			    uint64_t *total_cycles, struct frame_texts *lines)
{
	uint32_t cycles = flags >> 4 & 0xffff;

	put_insn_start(w, line->ip);
	size_t size = put_branch_insn(w, on, line);
	if (size < BRANCH_WIDTH)
		writer_advance(w, digits_pad(writer_reserve(w), (int)(BRANCH_WIDTH - size)));
	writer_char(w, '\t');
	if (on & FIELD_BRSTACKINSNLEN) {
		put_length(w, line);
		writer_char(w, '\t');
	}
	if (lines) {
		writer_text(w, " srcline: ");
		put_source_line(w, lines, &line->spot);
		writer_char(w, '\t');
	}
	writer_char(w, '#');
	writer_text(w, flags & 2 ? " PRED" : "");
	writer_text(w, flags & 1 ? " MISPRED" : "");
	writer_text(w, flags & 4 ? " INTX" : "");
	writer_text(w, flags & 8 ? " ABORT" : "");
	*total_cycles += cycles;
	if (cycles)
		put_cycles(w, cycles, *total_cycles, line->nr_insns);
	writer_char(w, '\n');
}

void script_code_branches(struct writer *w, uint64_t on, const struct view *view, struct frame_texts *lines)
{
	uint64_t total_cycles = 0;

	if (!view->has_code)
		return;
	writer_char(w, '\n');
	for (size_t i = 0; i < view->nr_code; i++) {
		const struct view_code_line *line = &view->code[i];
		switch (line->kind) {
		case VIEW_CODE_SYMBOL:
			put_symbol_line(w, line, lines);
			break;
		case VIEW_CODE_INSN:
			put_insn_line(w, on, line);
			break;
		case VIEW_CODE_BRANCH:
			put_branch_line(w, on, line, view->sample->branches[line->branch].flags,
					&total_cycles, lines);
			break;
		case VIEW_CODE_MISMATCH:
			writer_text(w, "\tmismatch of LBR data and executable\n");
			break;
		case VIEW_CODE_NOT_REACHED:
			writer_text(w, "\t... not reaching sample ...\n");
			break;
		}
	}
}
