#include "symbolize/debug_others.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/dso_find.h"
#include "util/xalloc.h"

struct other {
	struct image *image;
	struct debug_file *file;
};

struct debug_others {
	struct dso_find *find;
	struct image *image;
	const struct image *binary;
	VEC(struct other) opened;
	struct hash by_path; /* {hash of the path, its length} -> debug_file of a .dwo */
	struct hash by_id;   /* {the file, id} -> debug_unit of a .dwo */
	bool package_tried;
	struct debug_file *package; /* NULL: none */
};

struct debug_others *debug_others_new(struct dso_find *find, struct image *image, const struct image *binary)
{
	struct debug_others *others = xcalloc(1, sizeof(*others));

	others->find = find;
	others->image = image;
	others->binary = binary ? binary : image;
	return others;
}

void debug_others_free(struct debug_others *others)
{
	if (!others)
		return;
	for (size_t i = 0; i < others->opened.count; i++) {
		debug_file_free(others->opened.at[i].file);
		image_free(others->opened.at[i].image);
	}
	vec_free(&others->opened);
	hash_free(&others->by_path);
	hash_free(&others->by_id);
	free(others);
}

/* @image becomes others'. */
static struct debug_file *keep(struct debug_others *others, struct image *image, bool split)
{
	struct other other = { image, debug_file_new(image, split) };

	vec_push(&others->opened, other);
	return other.file;
}

/* ---- the supplementary file ---- */

/* .gnu_debugaltlink: a name, NUL, the build-id. */
static const char *read_link(struct image *image, struct build_id *ret)
{
	size_t size;
	const char *data = image_section_data(image, ".gnu_debugaltlink", &size);
	size_t length = data ? strnlen(data, size) : 0;

	if (!length || length == size || size - length - 1 > BUILD_ID_MAX)
		return NULL;
	*ret = build_id_make((const uint8_t *)data + length + 1, size - length - 1);
	return ret->size ? data : NULL;
}

static struct image *open_proven(const char *path, const struct build_id *id)
{
	const char *why;
	struct image *image = image_open(path, &why);

	if (image && build_id_equal(&image->build_id, id))
		return image;
	image_free(image);
	return NULL;
}

struct debug_file *debug_others_supplement(struct debug_others *others)
{
	struct build_id id;
	struct dso_places places = { 0 };
	const struct dso_place *place;
	struct image *found = NULL;
	const char *name = read_link(others->image, &id);

	if (!name || !others->find)
		return NULL;
	dso_find_named(others->find, others->image->path, name, &id, &places);
	for (size_t i = 0; !found && (place = dso_places_at(&places, i)); i++)
		found = open_proven(place->path, &id);
	dso_places_free(&places);
	const char *downloaded = found ? NULL : dso_find_download(others->find, &id, true);
	if (downloaded)
		found = open_proven(downloaded, &id);
	return found ? keep(others, found, false) : NULL;
}

/* ---- split units ---- */

static void open_package(struct debug_others *others, const char *path)
{
	const char *slash = strrchr(path, '/'), *why;
	AUTOFREE char *name = xasprintf("%s.dwp", slash ? slash + 1 : path);
	struct dso_places places = { 0 };
	const struct dso_place *place;

	dso_find_named(others->find, path, name, NULL, &places);
	for (size_t i = 0; !others->package && (place = dso_places_at(&places, i)); i++) {
		struct image *image = image_open(place->path, &why);
		if (image && debug_file_has(image, ".debug_cu_index"))
			others->package = keep(others, image, true);
		else
			image_free(image);
	}
	dso_places_free(&places);
}

static struct debug_file *package_of(struct debug_others *others)
{
	if (others->package_tried)
		return others->package;
	others->package_tried = true;
	open_package(others, others->binary->path);
	if (!others->package && others->binary != others->image)
		open_package(others, others->image->path);
	return others->package;
}

/* The id that a unit has, in its header (DWARF 5) or its first entry. */
static bool read_id(struct debug_unit *unit, uint64_t *ret)
{
	struct debug_entry first;

	if (unit->type != DW_UT_compile && unit->type != DW_UT_split_compile)
		return false;
	*ret = unit->dwo_id;
	if (unit->version == 5)
		return true;
	if (!debug_unit_open(unit, &first) || !debug_has(&first, ATTR_DWO_ID))
		return false;
	*ret = debug_number(&first, ATTR_DWO_ID);
	return true;
}

/* A .dwo: its units go into the table. The first one of an id counts. */
static struct debug_file *read_split(struct debug_others *others, const char *path)
{
	const char *why;
	struct image *image = image_open(path, &why);
	uint64_t id;

	if (!image)
		return NULL;
	struct debug_file *file = keep(others, image, true);
	debug_file_list(file);
	for (size_t i = 0; i < file->units.count; i++) {
		if (read_id(file->units.at[i], &id) && !hash_get_ptr(&others->by_id, (uintptr_t)file, id))
			hash_put_ptr(&others->by_id, (uintptr_t)file, id, file->units.at[i]);
	}
	return file;
}

/* Each is opened once. */
static struct debug_unit *find_in_file(struct debug_others *others, const char *path, uint64_t id)
{
	size_t length = strlen(path);
	uint64_t hash = hash_bytes(path, length);
	struct debug_file *file = hash_get_ptr(&others->by_path, hash, length);

	if (!file) {
		file = read_split(others, path);
		if (file)
			hash_put_ptr(&others->by_path, hash, length, file);
	}
	return file ? hash_get_ptr(&others->by_id, (uintptr_t)file, id) : NULL;
}

static struct debug_unit *find_named(struct debug_others *others, const char *from, const char *name,
				     uint64_t id)
{
	struct dso_places places = { 0 };
	const struct dso_place *place;
	struct debug_unit *found = NULL;

	dso_find_named(others->find, from, name, NULL, &places);
	for (size_t i = 0; !found && (place = dso_places_at(&places, i)); i++)
		found = find_in_file(others, place->path, id);
	dso_places_free(&places);
	return found;
}

/* As the compiler named it, from the binary's folder or from where it ran; else in the binary's folder. */
static struct debug_unit *find_split(struct debug_others *others, const struct debug_entry *first,
				     uint64_t id)
{
	const char *name = debug_string(first, ATTR_DWO_NAME), *from = others->image->path;
	const char *comp_dir = debug_string(first, ATTR_COMP_DIR);
	struct debug_unit *found;

	if (!name)
		return NULL;
	const char *base = strrchr(name, '/');
	found = find_named(others, from, name, id);
	if (!found && name[0] != '/' && comp_dir) {
		AUTOFREE char *path = xasprintf("%s/%s", comp_dir, name);
		found = find_named(others, from, path, id);
	}
	if (!found && base)
		found = find_named(others, from, base + 1, id);
	if (!found && others->binary != others->image)
		found = find_named(others, others->binary->path, base ? base + 1 : name, id);
	return found;
}

struct debug_unit *debug_others_split(struct debug_others *others, struct debug_unit *skeleton,
				      const struct debug_entry *first)
{
	uint64_t id = skeleton->version == 5 ? skeleton->dwo_id : debug_number(first, ATTR_DWO_ID);
	struct debug_entry split_first;

	if (!debug_has(first, ATTR_DWO_NAME) || !others->find)
		return NULL;
	struct debug_file *package = package_of(others);
	struct debug_unit *found = package ? debug_file_packed_unit(package, id) : NULL;
	if (!found)
		found = find_split(others, first, id);
	/* Of two skeletons with one id the first has it: they would give it two meanings. */
	if (!found || (found->skeleton && found->skeleton != skeleton))
		return NULL;
	found->skeleton = skeleton;
	return debug_unit_open(found, &split_first) ? found : NULL;
}
