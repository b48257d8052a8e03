/*
 * fuzz - what a fuzz target is: one function that takes any bytes and must come back.
 *
 * tests/fuzz/fuzz_STAGE.c is one target each, for one stage of the program. driver.c gives it a main() that
 * replays the files in tests/fuzz/corpus/STAGE (inputs that once failed, and seeds) and then tries changed
 * ones; `make fuzz` links the same targets with libFuzzer.
 */
#ifndef PERF2TXT_TESTS_FUZZ_H
#define PERF2TXT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/** Always 0. @data is in a block of its own size, so that a sanitizer sees a read behind it. */
int fuzz_one(const uint8_t *data, size_t size);

/** The name of a regular file that holds @data, for modules that open files; good until the next call. */
const char *fuzz_file(const uint8_t *data, size_t size);

/** Look at a value so that it must have been computed, and at every byte of a text. */
void fuzz_use(uint64_t value);
void fuzz_use_text(const char *text); /* NULL is fine */

#endif
