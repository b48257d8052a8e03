/*
 * diag - what is worth telling the user at the end, each kind once, with its count.
 *
 * Whoever meets something odd counts it under a kind; the first text of a kind is kept as the example.
 * Nothing is printed here: output/report does, when the run is over. Knows nothing of what is counted.
 */
#ifndef PERF2TXT_DIAG_H
#define PERF2TXT_DIAG_H

#include <stddef.h>
#include <stdint.h>

struct diag;

struct diag_entry {
	const char *kind;    /* what was counted: "records of unknown type skipped" */
	const char *example; /* the first one, or NULL */
	uint64_t count;
};

struct diag *diag_new(void);
void diag_free(struct diag *d); /* NULL is fine */

/** Count @n more of @kind (copied, compared by content). */
void diag_count(struct diag *d, const char *kind, uint64_t n);

/** The same; the text is kept when it is the first of its kind. */
void diag_note(struct diag *d, const char *kind, uint64_t n, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/** Kinds in the order in which they first came; lent until the next call that counts. NULL past the last. */
const struct diag_entry *diag_entry(const struct diag *d, size_t index);

/** How often @kind was counted. */
uint64_t diag_total(const struct diag *d, const char *kind);

#endif
