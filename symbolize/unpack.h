/*
 * unpack - xz, gzip, zlib and zstd data in memory, whole, within a bound.
 *
 * unpack() is for files that are small and packed as one stream: kernel modules, .gnu_debugdata. What kind it
 * is says the data itself, not a file name. unpack_sized() is for data whose kind and size somebody wrote
 * down: sections of ELF files. Knows no ELF; the only user of <lzma.h> and <zlib.h>'s inflate here.
 */
#ifndef PERF2TXT_UNPACK_H
#define PERF2TXT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nothing that becomes larger is unpacked: the largest modules are some 20 MiB. */
#define UNPACK_MAX ((size_t)256 << 20)

/** Do the first bytes say that it is one of the three? */
bool unpack_is_packed(const void *data, size_t size);

/** The unpacked bytes, to be free()d; NULL when they are damaged, cut, too large or of no known kind. */
void *unpack(const void *data, size_t size, size_t *ret_size);

enum unpack_kind { UNPACK_ZLIB, UNPACK_ZSTD };

/** Exactly @unpacked_size bytes, to be free()d; NULL when the data are damaged or give another number. */
void *unpack_sized(enum unpack_kind kind, const void *data, size_t size, uint64_t unpacked_size);

#endif
