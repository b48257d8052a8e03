#include "symbolize/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolize/unpack.h"
#include "util/cursor.h"
#include "util/xalloc.h"

struct unpacked_section {
	Elf_Scn *scn;
	void *data; /* owned; NULL: damaged */
	size_t size;
};

struct image_unpacked {
	VEC(struct unpacked_section) list;
};

#define NOT_ELF "no ELF file"
#define DAMAGED "damaged ELF file"

/* Do @count entries of @entry_size bytes from @offset on lie inside of @size bytes? */
static bool table_fits(uint64_t offset, uint64_t count, uint64_t entry_size, uint64_t size)
{
	return !count || (offset <= size && count <= (size - offset) / entry_size);
}

static const char *check_tables(struct image *image, const GElf_Ehdr *ehdr, size_t size)
{
	size_t sections, segments;
	bool wide = image->word_size == 8;
	size_t section_size = wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	size_t segment_size = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);

	if (elf_getshdrnum(image->elf, &sections) || elf_getphdrnum(image->elf, &segments))
		return DAMAGED;
	/* libelf 0.188 counts no sections where their table lies behind the end of the file. */
	if (ehdr->e_shoff && sections < ehdr->e_shnum)
		return DAMAGED;
	if ((sections && ehdr->e_shentsize != section_size) ||
	    (segments && ehdr->e_phentsize != segment_size))
		return DAMAGED;
	if (!table_fits(ehdr->e_shoff, sections, section_size, size) ||
	    !table_fits(ehdr->e_phoff, segments, segment_size, size))
		return DAMAGED;
	return NULL;
}

/* The ELF header and notes may be left of it. Code that is writable may just have .bss behind it. */
static bool lacks_code(const struct image_segment *segment)
{
	return segment->flags & PF_X && segment->filesz < segment->memsz &&
	       (!segment->filesz || !(segment->flags & PF_W));
}

/*
 * In a file of debug information alone a segment of code has no bytes. Linkers lay segments out one behind
 * the other, each at the next offset that equals its address modulo its alignment: so its offset is known.
 */
static void mend_segment_offsets(struct image *image)
{
	bool debug_only = false;

	for (size_t i = 0; i < image->segments.count; i++)
		debug_only |= lacks_code(&image->segments.at[i]);
	if (!debug_only)
		return;
	for (size_t i = 1; i < image->segments.count; i++) {
		struct image_segment *segment = &image->segments.at[i];
		const struct image_segment *before = segment - 1;
		uint64_t end = before->offset + before->memsz;
		uint64_t align = segment->align ? segment->align : 1;
		segment->offset = end + (segment->vaddr - end) % align;
	}
}

static void read_segments(struct image *image)
{
	size_t count;

	if (elf_getphdrnum(image->elf, &count))
		return;
	for (size_t i = 0; i < count && image->segments.count < IMAGE_MAX_SEGMENTS; i++) {
		GElf_Phdr phdr;
		if (!gelf_getphdr(image->elf, (int)i, &phdr))
			return;
		if (phdr.p_type != PT_LOAD)
			continue;
		struct image_segment segment = { phdr.p_offset, phdr.p_vaddr, phdr.p_filesz,
						 phdr.p_memsz,	phdr.p_align, phdr.p_flags };
		/* Modulo arithmetic above needs a power of two, and the ELF ABI wants one. */
		if (segment.align & (segment.align - 1))
			segment.align = 0;
		vec_push(&image->segments, segment);
	}
}

/* Sections first: files of debug information keep them, while their PT_NOTE may point anywhere. */
static void read_build_id(struct image *image)
{
	Elf_Scn *scn = NULL;
	size_t count;

	while ((scn = elf_nextscn(image->elf, scn))) {
		GElf_Shdr shdr;
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_NOTE)
			continue;
		Elf_Data *data = elf_rawdata(scn, NULL);
		if (data && data->d_buf &&
		    build_id_of_notes(data->d_buf, data->d_size, shdr.sh_addralign, image->big_endian,
				      &image->build_id))
			return;
	}
	if (elf_getphdrnum(image->elf, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr phdr;
		if (!gelf_getphdr(image->elf, (int)i, &phdr))
			return;
		if (phdr.p_type != PT_NOTE)
			continue;
		size_t size;
		const uint8_t *notes = image_bytes(image, phdr.p_offset, phdr.p_filesz, &size);
		if (notes &&
		    build_id_of_notes(notes, size, phdr.p_align, image->big_endian, &image->build_id))
			return;
	}
}

/* @elf and @memory become the image's. */
static struct image *make(const char *path, Elf *elf, void *memory, size_t size, const char **why)
{
	struct image *image = xcalloc(1, sizeof(*image));
	GElf_Ehdr ehdr;

	image->path = xstrdup(path);
	image->unpacked = xcalloc(1, sizeof(*image->unpacked));
	image->elf = elf;
	image->memory = memory;
	*why = NOT_ELF;
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr))
		goto refuse;
	image->machine = ehdr.e_machine;
	image->type = ehdr.e_type;
	image->word_size = gelf_getclass(elf) == ELFCLASS64 ? 8 : 4;
	image->big_endian = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	*why = check_tables(image, &ehdr, size);
	if (*why)
		goto refuse;
	read_segments(image);
	mend_segment_offsets(image);
	read_build_id(image);
	return image;
refuse:
	image_free(image);
	return NULL;
}

struct image *image_memory(const char *path, void *data, size_t size, const char **why)
{
	elf_version(EV_CURRENT);
	return make(path, data ? elf_memory(data, size) : NULL, data, size, why);
}

static struct image *open_packed(const char *path, int fd, size_t size, const char **why)
{
	char *packed = xmalloc(size);
	size_t used = 0, unpacked_size = 0;

	while (used < size) {
		ssize_t got = pread(fd, packed + used, size - used, (off_t)used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	void *unpacked = unpack(packed, used, &unpacked_size);
	free(packed);
	if (!unpacked) {
		*why = "damaged compressed file";
		return NULL;
	}
	return image_memory(path, unpacked, unpacked_size, why);
}

static struct image *open_fd(const char *path, int fd, const char **why)
{
	struct stat st;
	char head[8];

	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		*why = "no regular file";
		return NULL;
	}
	size_t size = (size_t)st.st_size;
	ssize_t got = pread(fd, head, sizeof(head), 0);
	if (got > 0 && size <= UNPACK_MAX && unpack_is_packed(head, (size_t)got))
		return open_packed(path, fd, size, why);
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	/* Nothing more is read through the descriptor; where mapping failed this reads the whole file. */
	if (elf && elf_cntl(elf, ELF_C_FDREAD)) {
		elf_end(elf);
		elf = NULL;
	}
	return make(path, elf, NULL, size, why);
}

struct image *image_open(const char *path, const char **why)
{
	struct stat st;

	/* Looked at before it is opened: opening a device can have effects. */
	if (stat(path, &st)) {
		*why = errno == ENOENT || errno == ENOTDIR ? "not found" : "not readable";
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		*why = "no regular file";
		return NULL;
	}
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		*why = "not readable";
		return NULL;
	}
	struct image *image = open_fd(path, fd, why);
	close(fd);
	if (image) {
		image->device = st.st_dev;
		image->inode = st.st_ino;
	}
	return image;
}

bool image_is_at(const struct image *image, const char *path)
{
	struct stat st;

	return image->inode && !stat(path, &st) && st.st_dev == image->device && st.st_ino == image->inode;
}

void image_free(struct image *image)
{
	if (!image)
		return;
	elf_end(image->elf);
	for (size_t i = 0; i < image->unpacked->list.count; i++)
		free(image->unpacked->list.at[i].data);
	vec_free(&image->unpacked->list);
	free(image->unpacked);
	vec_free(&image->segments);
	free(image->memory);
	free(image->path);
	free(image);
}

Elf_Scn *image_section(const struct image *image, const char *name, GElf_Shdr *ret_header)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(image->elf, &names))
		return NULL;
	while ((scn = elf_nextscn(image->elf, scn))) {
		GElf_Shdr shdr;
		const char *its_name =
			gelf_getshdr(scn, &shdr) ? elf_strptr(image->elf, names, shdr.sh_name) : NULL;
		if (!its_name || strcmp(its_name, name))
			continue;
		if (ret_header)
			*ret_header = shdr;
		return scn;
	}
	return NULL;
}

/* ELFCOMPRESS_ZSTD, which elf.h has since glibc 2.36 only */
#define COMPRESSED_ZSTD 2

static void *unpack_compressed(const struct image *image, struct cursor c, size_t *ret_size)
{
	bool wide = image->word_size == 8;
	uint32_t type = cursor_u32(&c);

	cursor_skip(&c, wide ? 4 : 0);
	uint64_t size = wide ? cursor_u64(&c) : cursor_u32(&c);
	cursor_skip(&c, wide ? 8 : 4); /* the alignment */
	if (cursor_bad(&c) || (type != ELFCOMPRESS_ZLIB && type != COMPRESSED_ZSTD))
		return NULL;
	*ret_size = (size_t)size;
	return unpack_sized(type == COMPRESSED_ZSTD ? UNPACK_ZSTD : UNPACK_ZLIB, c.at, cursor_left(&c), size);
}

/* .zdebug_*: "ZLIB", the size as a big-endian number, the data. */
static void *unpack_gnu(struct cursor c, size_t *ret_size)
{
	const uint8_t *magic = cursor_bytes(&c, 4);

	c.big_endian = true;
	uint64_t size = cursor_u64(&c);
	if (cursor_bad(&c) || memcmp(magic, "ZLIB", 4) != 0)
		return NULL;
	*ret_size = (size_t)size;
	return unpack_sized(UNPACK_ZLIB, c.at, cursor_left(&c), size);
}

static const struct unpacked_section *find_unpacked(const struct image *image, Elf_Scn *scn)
{
	for (size_t i = 0; i < image->unpacked->list.count; i++) {
		if (image->unpacked->list.at[i].scn == scn)
			return &image->unpacked->list.at[i];
	}
	return NULL;
}

const void *image_section_data(const struct image *image, const char *name, size_t *ret_size)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = image_section(image, name, &shdr);

	if (!scn || shdr.sh_type == SHT_NOBITS)
		return NULL;
	const struct unpacked_section *before = find_unpacked(image, scn);
	if (before) {
		*ret_size = before->size;
		return before->data;
	}
	Elf_Data *data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || !data->d_size)
		return NULL;
	bool compressed = shdr.sh_flags & SHF_COMPRESSED;
	if (!compressed && strncmp(name, ".zdebug", 7) != 0) {
		*ret_size = data->d_size;
		return data->d_buf;
	}
	struct cursor c = cursor_make(data->d_buf, data->d_size, image->big_endian);
	struct unpacked_section unpacked = { .scn = scn };
	unpacked.data =
		compressed ? unpack_compressed(image, c, &unpacked.size) : unpack_gnu(c, &unpacked.size);
	vec_push(&image->unpacked->list, unpacked);
	*ret_size = unpacked.size;
	return unpacked.data;
}

const void *image_debug_data(const struct image *image, const char *name, size_t *ret_size)
{
	AUTOFREE char *packed = xasprintf(".z%s", name + 1);
	const void *data = image_section_data(image, name, ret_size);

	return data ? data : image_section_data(image, packed, ret_size);
}

bool image_vaddr_of(const struct image *image, uint64_t offset, uint64_t *ret_vaddr)
{
	const struct image_segment *found = NULL;

	for (size_t i = 0; i < image->segments.count; i++) {
		const struct image_segment *segment = &image->segments.at[i];
		uint64_t inside = offset - segment->offset;
		if (offset < segment->offset || (inside >= segment->filesz && inside >= segment->memsz))
			continue;
		/* Bytes that are in the file beat what only memory has (.bss, or all in a debug file). */
		if (!found || inside < segment->filesz)
			found = segment;
		if (inside < segment->filesz)
			break;
	}
	if (!found)
		return false;
	*ret_vaddr = offset - found->offset + found->vaddr;
	return true;
}

bool image_offset_of(const struct image *image, uint64_t vaddr, uint64_t *ret_offset)
{
	for (size_t i = 0; i < image->segments.count; i++) {
		const struct image_segment *segment = &image->segments.at[i];
		uint64_t inside = vaddr - segment->vaddr;
		if (vaddr < segment->vaddr || (inside >= segment->filesz && inside >= segment->memsz))
			continue;
		*ret_offset = inside + segment->offset;
		return true;
	}
	return false;
}

const uint8_t *image_bytes(const struct image *image, uint64_t offset, size_t size, size_t *ret_size)
{
	size_t file_size;
	const char *file = elf_rawfile(image->elf, &file_size);

	if (!file || offset >= file_size || !size)
		return NULL;
	size_t left = file_size - (size_t)offset;
	*ret_size = size < left ? size : left;
	return (const uint8_t *)file + offset;
}

const char *image_debuglink(const struct image *image, uint32_t *ret_crc)
{
	size_t size;
	const char *data = image_section_data(image, ".gnu_debuglink", &size);

	if (!data)
		return NULL;
	size_t length = strnlen(data, size);
	size_t crc_at = (length + 4) & ~(size_t)3; /* behind the NUL, aligned */
	if (length == size || !length || crc_at > size || size - crc_at < 4)
		return NULL;
	*ret_crc = load_u32(data + crc_at, image->big_endian);
	return data;
}
