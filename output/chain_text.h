/*
 * chain_text - the text of call chains, with what stays from one sample of a process to the next kept.
 *
 * Samples of one process share most of their outer frames. The view says how many frames at the end of its
 * chain are those of an earlier one (view->reuse); their lines are copied as one piece instead of being put
 * together again. Each recent chain's text lies at the end of a buffer of its own, so that new inner frames
 * go in front of the outer ones that stay.
 */
#ifndef PERF2TXT_CHAIN_TEXT_H
#define PERF2TXT_CHAIN_TEXT_H

#include "output/frame_text.h"
#include "output/view.h"
#include "output/writer.h"

struct chain_texts;

struct chain_texts *chain_texts_new(void);
void chain_texts_free(struct chain_texts *c); /* NULL is fine */

/** All lines of the view's frames; @texts has the tail of each, and a set of fields without --stop-bt. */
void chain_text_put(struct chain_texts *c, struct writer *w, struct frame_texts *texts,
		    const struct view *view);

#endif
