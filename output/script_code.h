/*
 * script_code - the machine code in a sample's text: insnlen, insn, disasm, and brstackinsn with its kin.
 *
 * Text for text what perf script 7.2 prints. Private to output/script.
 */
#ifndef PERF2TXT_SCRIPT_CODE_H
#define PERF2TXT_SCRIPT_CODE_H

#include "output/frame_text.h"
#include "output/view.h"
#include "output/writer.h"

/** @on: FIELD_*, as below. */
void script_code_insn(struct writer *w, uint64_t on, const struct view *view);

/** @lines: texts of source lines alone; NULL: they are not printed. */
void script_code_branches(struct writer *w, uint64_t on, const struct view *view, struct frame_texts *lines);

#endif
