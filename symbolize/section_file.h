/*
 * section_file - one section as an ELF file of its own, for libraries that read nothing but ELF files.
 *
 * The file is made in memory and has no segments. Knows no contents.
 */
#ifndef PERF2TXT_SECTION_FILE_H
#define PERF2TXT_SECTION_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

struct section_file {
	const char *path; /* for messages */
	uint16_t machine;
	bool big_endian;
	unsigned word_size; /* 4 or 8 */
	const char *name;   /* of the section; at most 15 characters */
	uint64_t address;   /* 0: the section is not loaded */
	const void *data;   /* is copied */
	size_t size;
};

/** To be freed with image_free(); NULL: libelf cannot read it. */
struct image *section_file_image(const struct section_file *f);

#endif
