/*
 * build_id - the number that says which build of a binary a file is.
 *
 * 1 to 20 bytes (ELF note NT_GNU_BUILD_ID); recordings pad short ones with zeros.
 */
#ifndef PERF2TXT_BUILD_ID_H
#define PERF2TXT_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX 20
#define BUILD_ID_HEX (2 * BUILD_ID_MAX + 1)

struct build_id {
	uint8_t size; /* 0: none */
	uint8_t bytes[BUILD_ID_MAX];
};

/** At most BUILD_ID_MAX bytes are taken; all zeros give none. */
struct build_id build_id_make(const void *bytes, size_t size);

/**
 * The first build-id among @size bytes of ELF notes; false when there is none. @align is what their section
 * or segment says: with 8, parts of a note begin at multiples of 8, with all else of 4. A build-id of zeros
 * only is none, and the next one counts. What is cut off is not read, but for the padding at the end.
 */
bool build_id_of_notes(const void *notes, size_t size, uint64_t align, bool big_endian, struct build_id *ret);

/** Both known and equal; zeros at the end of the longer one do not count. */
bool build_id_equal(const struct build_id *a, const struct build_id *b);

/** Both known and not equal. */
bool build_id_differs(const struct build_id *a, const struct build_id *b);

/** Lower-case hex and a NUL into @ret of BUILD_ID_HEX bytes; returns @ret. */
char *build_id_hex(const struct build_id *id, char *ret);

#endif
