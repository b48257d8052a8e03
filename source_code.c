#include "source_code.h"

#include <stdlib.h>
#include <string.h>

#include "symbolize/dso_find.h"
#include "symbolize/read_text.h"
#include "util/hash.h"
#include "util/strtab.h"
#include "util/vec.h"
#include "util/xalloc.h"

struct source_file {
	char *text; /* NULL: not there */
	size_t size;
	VEC(size_t) lines; /* where they begin */
};

struct source_code {
	const char *sysroot;
	struct strtab names;
	VEC(struct source_file) files; /* by number of the name */
	struct hash last;	       /* {tid} -> number of the name, and line, that were shown last */
};

struct source_code *source_code_new(const char *sysroot)
{
	struct source_code *s = xcalloc(1, sizeof(*s));

	s->sysroot = sysroot;
	return s;
}

void source_code_free(struct source_code *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->files.count; i++) {
		free(s->files.at[i].text);
		vec_free(&s->files.at[i].lines);
	}
	vec_free(&s->files);
	strtab_free(&s->names);
	hash_free(&s->last);
	free(s);
}

static struct source_file read_file(const char *path)
{
	struct source_file file = { 0 };

	file.text = read_text(path, true, &file.size);
	if (!file.text)
		return file;
	for (size_t at = 0; at < file.size;) {
		vec_push(&file.lines, at);
		char *end = memchr(file.text + at, '\n', file.size - at);
		at = end ? (size_t)(end - file.text) + 1 : file.size;
	}
	return file;
}

static const struct source_file *file_of(struct source_code *s, const char *name)
{
	uint32_t number = strtab_number(&s->names, name, strlen(name));

	if (number < s->files.count)
		return &s->files.at[number];
	AUTOFREE char *inside = s->sysroot ? dso_find_inside(s->sysroot, name) : NULL;
	const char *path = s->sysroot ? inside : name;
	vec_push(&s->files, path ? read_file(path) : (struct source_file){ 0 });
	return &s->files.at[number];
}

static struct view_text line_of(const struct source_file *file, uint32_t line)
{
	if (!file->text || !line || line > file->lines.count)
		return (struct view_text){ 0 };
	size_t start = file->lines.at[line - 1];
	size_t end = line < file->lines.count ? file->lines.at[line] : file->size;
	if (file->text[end - 1] == '\n')
		end--;
	return (struct view_text){ file->text + start, end - start };
}

struct view_text source_code_line(struct source_code *s, const char *name, uint32_t line)
{
	return line_of(file_of(s, name), line);
}

struct view_text source_code_of_thread(struct source_code *s, int32_t tid, const char *name, uint32_t line)
{
	const struct source_file *file = file_of(s, name);
	struct view_text text = line_of(file, line);
	uint64_t now = (uint64_t)(file - s->files.at) << 32 | line;

	if (!text.text)
		return text;
	if (hash_get(&s->last, (uint32_t)tid, 0) == now)
		return (struct view_text){ 0 };
	hash_put(&s->last, (uint32_t)tid, 0, now);
	return text;
}
