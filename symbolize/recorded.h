/*
 * recorded - symbols that a recording itself has, by the name of their file.
 *
 * The recorder of a phone looks functions up while their files are there. Only those that samples hit are
 * known, but exactly: from where to where they go. Knows no record; who fills it translates addresses into
 * those of struct dso: offsets in a file, addresses of the kernel and of code without a file.
 */
#ifndef PERF2TXT_RECORDED_H
#define PERF2TXT_RECORDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorded;
struct symtab;

struct recorded *recorded_new(void);
void recorded_free(struct recorded *r); /* NULL is fine */

/** @file: a dso's name, "[kernel.kallsyms]", "[module]". @name of @length bytes; both are copied. */
void recorded_add(struct recorded *r, const char *file, uint64_t start, uint64_t size, const char *name,
		  size_t length);

/**
 * @file's symbols were added relative to the beginning of its executable code; where in the file that is, the
 * first such map will tell.
 */
void recorded_await_map(struct recorded *r, const char *file);

/** Executable code of @file is mapped from @pgoff on. */
void recorded_map(struct recorded *r, const char *file, uint64_t pgoff);

/** Add the symbols of @file to @symtab; @r (may be NULL) lends their names. False: there are none. */
bool recorded_load(struct recorded *r, const char *file, struct symtab *symtab);

#endif
