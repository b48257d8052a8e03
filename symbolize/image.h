/*
 * image - an ELF file that is open: its segments, its build-id, its bytes.
 *
 * Opening checks that it is an ELF file of a size that holds its tables. Everything that is read from it is
 * checked against the file. Other modules get the Elf handle from here (load_elf, cfi, dwarf); nobody else
 * opens one. Section contents that are compressed (zlib, zstd) are unpacked when they are asked for. A file
 * that is packed as a whole
 * (.ko.xz, .ko.gz, .ko.zst) is unpacked into memory, within a bound.
 *
 * Files are mapped and their descriptors closed again: a recording may name more binaries than a process may
 * have open files. libelf reads lazily and has no locks: an image is for one thread at a time.
 *
 * objcopy --only-keep-debug leaves offsets in the program headers that were never the binary's
 * (binutils 2.40: the code of a `-z separate-code` program moves to offset 0); image_open() puts back those
 * that the linker must have given, so that such a file alone names the right functions.
 */
#ifndef PERF2TXT_IMAGE_H
#define PERF2TXT_IMAGE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/build_id.h"
#include "util/vec.h"

struct image_segment { /* a PT_LOAD */
	uint64_t offset, vaddr, filesz, memsz, align;
	uint32_t flags; /* PF_* */
};

struct image_unpacked;

struct image {
	char *path;   /* on this machine; owned */
	void *memory; /* unpacked ELF (.ko.xz, .gnu_debugdata) or NULL; owned */
	Elf *elf;
	dev_t device; /* of the file, with its inode; inode 0: of none */
	ino_t inode;
	uint16_t machine, type; /* EM_*, ET_* */
	uint8_t word_size;	/* 4 or 8 */
	bool big_endian;
	struct build_id build_id;
	struct image_unpacked *unpacked;    /* the compressed sections that were asked for; owned */
	VEC(struct image_segment) segments; /* PT_LOAD in file order; at most IMAGE_MAX_SEGMENTS */
};

/* Linkers make a handful of PT_LOADs, core files thousands; look-ups go through them one by one. */
#define IMAGE_MAX_SEGMENTS 256

/** NULL when @path is no regular file or no ELF file; *why then says so (a static text). */
struct image *image_open(const char *path, const char **why);

/** Is the file at @path that of the image, under whatever name? */
bool image_is_at(const struct image *image, const char *path);

/** An ELF file in memory, which the image takes over (free()d also on failure). @path is for messages. */
struct image *image_memory(const char *path, void *data, size_t size, const char **why);

void image_free(struct image *image); /* NULL is fine */

/** A section by name; NULL. @ret_header may be NULL. */
Elf_Scn *image_section(const struct image *image, const char *name, GElf_Shdr *ret_header);

/**
 * A section's contents in the file's byte order, unpacked when compressed; lent until image_free(). NULL when
 * it has none.
 */
const void *image_section_data(const struct image *image, const char *name, size_t *ret_size);

/** The same for a section of debug information: that of the name (".debug_frame"), or its old packed form
 * (".zdebug_frame") when that has nothing. */
const void *image_debug_data(const struct image *image, const char *name, size_t *ret_size);

/** File offset <-> link-time address by the PT_LOAD that holds it. False when none does. */
bool image_vaddr_of(const struct image *image, uint64_t offset, uint64_t *ret_vaddr);
bool image_offset_of(const struct image *image, uint64_t vaddr, uint64_t *ret_offset);

/** Up to @size bytes at a file offset, lent until image_free(); *ret_size says how many. NULL: none. */
const uint8_t *image_bytes(const struct image *image, uint64_t offset, size_t size, size_t *ret_size);

/** The file name in .gnu_debuglink and its CRC; NULL when there is none. Lent until image_free(). */
const char *image_debuglink(const struct image *image, uint32_t *ret_crc);

#endif
