/*
 * mkelf - ELF files for tests: made by hand in any class and byte order, or by the compiler where there is
 * one.
 *
 * A test that needs a tool asks mkelf_run() and goes on without when it says no.
 */
#ifndef PERF2TXT_MKELF_H
#define PERF2TXT_MKELF_H

#include <check.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MKELF_UNUSED __attribute__((unused))
#define MKELF_MAX 16

/* One ELF file under construction: sections in the order in which they are added, from number 1 on. */
struct mkelf {
	int class, data, machine, type;
	int nr_sections;
	struct mkelf_section {
		const char *name;
		GElf_Shdr header;  /* sh_offset 0: the next free one */
		const void *bytes; /* in the file's order; size header.sh_size */
	} sections[MKELF_MAX];
	int nr_segments;
	GElf_Phdr segments[MKELF_MAX];
};

/* A folder of this test's own, made new; removed by mkelf_remove(). */
static MKELF_UNUSED char *mkelf_folder(char *buffer)
{
	strcpy(buffer, "/tmp/perf2txt-check-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(buffer));
	return buffer;
}

/* False: the command is missing or failed. */
static MKELF_UNUSED __attribute__((format(printf, 1, 2))) int mkelf_run(const char *format, ...)
{
	char command[4096];
	va_list args;

	va_start(args, format);
	int length = vsnprintf(command, sizeof(command) - 16, format, args);
	va_end(args);
	ck_assert_int_lt(length, (int)sizeof(command) - 16);
	strcat(command, " 2>/dev/null");
	return system(command) == 0;
}

static MKELF_UNUSED void mkelf_remove(const char *folder)
{
	ck_assert(mkelf_run("rm -rf '%s'", folder));
}

static MKELF_UNUSED void mkelf_text(const char *path, const void *text, size_t size)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(text, 1, size, f), size);
	ck_assert_int_eq(fclose(f), 0);
}

/* Returns the section's number. */
static MKELF_UNUSED int mkelf_section(struct mkelf *m, const char *name, GElf_Shdr header, const void *bytes)
{
	ck_assert_int_lt(m->nr_sections, MKELF_MAX);
	m->sections[m->nr_sections++] = (struct mkelf_section){ name, header, bytes };
	return m->nr_sections;
}

static MKELF_UNUSED void mkelf_load(struct mkelf *m, uint64_t offset, uint64_t vaddr, uint64_t size,
				    uint32_t flags)
{
	m->segments[m->nr_segments++] = (GElf_Phdr){
		.p_type = PT_LOAD,
		.p_offset = offset,
		.p_vaddr = vaddr,
		.p_filesz = size,
		.p_memsz = size,
		.p_align = 0x1000,
		.p_flags = flags,
	};
}

/* @symbols in this machine's form -> in the file's; free()d by the caller. */
static MKELF_UNUSED void *mkelf_convert(const struct mkelf *m, Elf_Type type, const void *records,
					size_t count, size_t *ret_size)
{
	Elf *elf = NULL;
	char *image = calloc(1, 64);
	GElf_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', (unsigned char)m->class,
					  (unsigned char)m->data, 1 },
			     .e_version = EV_CURRENT };

	elf_version(EV_CURRENT);
	memcpy(image, &header, 16);
	elf = elf_memory(image, 64);
	size_t entry = gelf_fsize(elf, type, 1, EV_CURRENT);
	char *native = calloc(count, entry), *bytes = calloc(count, entry);
	Elf_Data from = { .d_buf = native, .d_size = count * entry, .d_type = type, .d_version = EV_CURRENT };
	Elf_Data to = { .d_buf = bytes, .d_size = count * entry, .d_version = EV_CURRENT };
	for (size_t i = 0; i < count; i++) {
		if (m->class == ELFCLASS64) {
			memcpy(native + i * entry, (const char *)records + i * entry, entry);
		} else if (type == ELF_T_SYM) {
			const GElf_Sym *s = (const GElf_Sym *)records + i;
			Elf32_Sym narrow = { s->st_name,
					     (Elf32_Addr)s->st_value,
					     (Elf32_Word)s->st_size,
					     s->st_info,
					     s->st_other,
					     s->st_shndx };
			memcpy(native + i * entry, &narrow, entry);
		} else {
			const GElf_Rel *r = (const GElf_Rel *)records + i;
			Elf32_Rel narrow = { (Elf32_Addr)r->r_offset,
					     ELF32_R_INFO(GELF_R_SYM(r->r_info), GELF_R_TYPE(r->r_info)) };
			memcpy(native + i * entry, &narrow, entry);
		}
	}
	ck_assert_ptr_nonnull(gelf_xlatetof(elf, &to, &from, (unsigned)m->data));
	elf_end(elf);
	free(image);
	free(native);
	*ret_size = count * entry;
	return bytes;
}

/* The end of the last thing in the file, rounded up. */
static MKELF_UNUSED uint64_t mkelf_place(const struct mkelf *m, GElf_Shdr *headers)
{
	uint64_t end = 64 + 64 * MKELF_MAX;

	for (int i = 0; i < m->nr_sections; i++) {
		headers[i] = m->sections[i].header;
		if (!headers[i].sh_offset)
			headers[i].sh_offset = end;
		uint64_t its_end =
			headers[i].sh_offset + (headers[i].sh_type == SHT_NOBITS ? 0 : headers[i].sh_size);
		end = its_end > end ? (its_end + 15) & ~(uint64_t)15 : end;
	}
	return end;
}

/* Write the file, with a section of the sections' names behind all others. */
static MKELF_UNUSED void mkelf_write(struct mkelf *m, const char *path)
{
	char names[1024] = "";
	size_t used = 1;
	GElf_Shdr headers[MKELF_MAX];
	GElf_Shdr strings = { .sh_type = SHT_STRTAB, .sh_addralign = 1 };

	int last = mkelf_section(m, ".shstrtab", strings, names);
	for (int i = 0; i < m->nr_sections; i++) {
		m->sections[i].header.sh_name = (GElf_Word)used;
		strcpy(names + used, m->sections[i].name);
		used += strlen(m->sections[i].name) + 1;
	}
	m->sections[last - 1].header.sh_size = used;
	uint64_t end = mkelf_place(m, headers);

	elf_version(EV_CURRENT);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
	ck_assert(elf && gelf_newehdr(elf, m->class));
	elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
	if (m->nr_segments)
		ck_assert_ptr_nonnull(gelf_newphdr(elf, (size_t)m->nr_segments));
	for (int i = 0; i < m->nr_segments; i++)
		ck_assert_int_ne(gelf_update_phdr(elf, i, &m->segments[i]), 0);
	for (int i = 0; i < m->nr_sections; i++) {
		Elf_Scn *scn = elf_newscn(elf);
		Elf_Data *data = elf_newdata(scn);
		data->d_buf = (void *)(uintptr_t)m->sections[i].bytes;
		data->d_size = headers[i].sh_size;
		data->d_type = ELF_T_BYTE;
		data->d_version = EV_CURRENT;
		data->d_align = 1;
		ck_assert_int_ne(gelf_update_shdr(scn, &headers[i]), 0);
	}
	GElf_Ehdr header;
	ck_assert_ptr_nonnull(gelf_getehdr(elf, &header));
	header.e_type = (GElf_Half)m->type;
	header.e_machine = (GElf_Half)m->machine;
	header.e_version = EV_CURRENT;
	header.e_shstrndx = (GElf_Half)last;
	header.e_ident[EI_DATA] = (unsigned char)m->data;
	header.e_shoff = (end + 15) & ~(uint64_t)15;
	header.e_phoff = m->nr_segments ? 64 : 0;
	ck_assert_int_ne(gelf_update_ehdr(elf, &header), 0);
	if (elf_update(elf, ELF_C_WRITE) < 0)
		ck_abort_msg("%s: %s", path, elf_errmsg(-1));
	elf_end(elf);
	close(fd);
}

#endif
