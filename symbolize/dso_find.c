#include "symbolize/dso_find.h"

#include <dirent.h>
#include <fts.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolize/ask_debuginfod.h"
#include "symbolize/container.h"
#include "util/strtab.h"
#include "util/xalloc.h"

#define MAX_LINKS 40	    /* as Linux: MAXSYMLINKS */
#define MAX_INDEXED 1000000 /* files of the extra folders */
#define MAX_DEPTH 64	    /* of them */
#define MAX_PLACES 256	    /* of one binary: no more files of one name are worth opening */

struct folder {
	char *path;
	bool confined; /* a path in the sysroot, to be followed inside of it */
	bool given;    /* the user named it, or it is the sysroot's */
};

/* A file below an extra folder. */
struct indexed {
	char *path;
	const char *base; /* in it */
};

struct dso_find {
	struct dso_find_options options;
	char *sysroot;
	VEC(struct folder) debug_dirs;
	VEC(struct folder) caches;
	char *beside;		       /* the recording's folder, or NULL */
	VEC(const char *) cache_paths; /* made for dso_find_caches() */
	VEC(struct folder) extra_dirs;
	struct folder perf_map_dir;
	bool perf_map_dir_named;	/* by the user */
	struct ask_debuginfod *servers; /* NULL: none */
	bool has_index;
	VEC(struct indexed) index; /* by base name, then path */
	struct strtab texts;
};

/* Following paths inside of the sysroot */

/* Take the last component off; the root stays. */
static void go_up(char *path, size_t root_length)
{
	char *slash = strrchr(path + root_length, '/');

	if (slash)
		*slash = '\0';
}

/* The rest of the way when the link @path is met: where it points, then @rest. NULL: it cannot be read. */
static char *behind_link(const char *path, const char *rest)
{
	char target[PATH_MAX];
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (length <= 0)
		return NULL;
	target[length] = '\0';
	return xasprintf("%s/%s", target, rest);
}

/* Add the component at @rest to @path; false when that becomes too long. */
static bool append(char *path, const char *component, size_t length)
{
	size_t used = strlen(path);

	if (used + 1 + length >= PATH_MAX)
		return false;
	path[used] = '/';
	memcpy(path + used + 1, component, length);
	path[used + 1 + length] = '\0';
	return true;
}

char *dso_find_inside(const char *root, const char *path)
{
	size_t root_length = strlen(root);
	char *rest = xstrdup(path), *at = rest;
	char *found = xmalloc(PATH_MAX);
	struct stat st;
	int links = 0;

	if (root_length + 1 >= PATH_MAX)
		goto nothing;
	strcpy(found, root);
	while (*(at += strspn(at, "/"))) {
		size_t length = strcspn(at, "/");
		const char *component = at;
		at += length;
		if (length == 1 && component[0] == '.')
			continue;
		if (length == 2 && component[0] == '.' && component[1] == '.') {
			go_up(found, root_length);
			continue;
		}
		if (!append(found, component, length) || lstat(found, &st))
			goto nothing;
		if (!S_ISLNK(st.st_mode))
			continue;
		char *onward = ++links <= MAX_LINKS ? behind_link(found, at) : NULL;
		if (!onward || strlen(onward) >= (size_t)2 * PATH_MAX) {
			free(onward);
			goto nothing;
		}
		if (onward[0] == '/')
			found[root_length] = '\0';
		else
			go_up(found, root_length);
		free(rest);
		rest = at = onward;
	}
	free(rest);
	return found;
nothing:
	free(rest);
	free(found);
	return NULL;
}

/* Options */

static char *without_end_slashes(const char *path)
{
	size_t length = strlen(path);

	while (length && path[length - 1] == '/')
		length--;
	return xstrndup(path, length);
}

static struct folder given_folder(const char *path)
{
	return (struct folder){ .path = without_end_slashes(path), .given = true };
}

/* A folder that nobody named: @path of the sysroot, else of this machine. */
static struct folder usual_folder(const struct dso_find *find, const char *path)
{
	return (struct folder){ .path = xstrdup(path), .confined = find->sysroot, .given = find->sysroot };
}

static void make_caches(struct dso_find *find, const char *buildid_dir, const char *beside)
{
	const char *home = getenv("HOME");

	if (buildid_dir) {
		vec_push(&find->caches, given_folder(buildid_dir));
	} else if (find->sysroot) {
		vec_push(&find->caches, usual_folder(find, "/.debug"));
		vec_push(&find->caches, usual_folder(find, "/root/.debug"));
	} else if (home) {
		struct folder folder = { .path = xasprintf("%s/.debug", home) };
		vec_push(&find->caches, folder);
	}
	if (!beside)
		return;
	char *debug AUTOFREE = xasprintf("%s/.debug", beside);
	vec_push(&find->caches, given_folder(debug));
	vec_push(&find->caches, given_folder(beside));
}

struct dso_find *dso_find_new(const struct dso_find_options *options)
{
	struct dso_find *find = xcalloc(1, sizeof(*find));

	find->options = *options;
	find->sysroot = options->sysroot ? without_end_slashes(options->sysroot) : NULL;
	find->options.sysroot = find->sysroot;
	for (size_t i = 0; i < options->nr_debug_dirs; i++)
		vec_push(&find->debug_dirs, given_folder(options->debug_dirs[i]));
	if (!options->nr_debug_dirs)
		vec_push(&find->debug_dirs, usual_folder(find, "/usr/lib/debug"));
	for (size_t i = 0; i < options->nr_extra_dirs; i++)
		vec_push(&find->extra_dirs, given_folder(options->extra_dirs[i]));
	make_caches(find, options->buildid_dir, options->beside);
	find->beside = options->beside ? without_end_slashes(options->beside) : NULL;
	find->perf_map_dir =
		options->perf_map_dir ? given_folder(options->perf_map_dir) : usual_folder(find, "/tmp");
	find->perf_map_dir_named = options->perf_map_dir;
	find->servers = options->debuginfod ? ask_debuginfod_new() : NULL;
	/* The caller's arrays are not kept. */
	find->options.debug_dirs = find->options.extra_dirs = NULL;
	find->options.nr_debug_dirs = find->options.nr_extra_dirs = 0;
	find->options.buildid_dir = find->options.perf_map_dir = find->options.beside = NULL;
	return find;
}

void dso_find_free(struct dso_find *find)
{
	if (!find)
		return;
	for (size_t i = 0; i < find->debug_dirs.count; i++)
		free(find->debug_dirs.at[i].path);
	for (size_t i = 0; i < find->caches.count; i++)
		free(find->caches.at[i].path);
	for (size_t i = 0; i < find->extra_dirs.count; i++)
		free(find->extra_dirs.at[i].path);
	for (size_t i = 0; i < find->index.count; i++)
		free(find->index.at[i].path);
	vec_free(&find->debug_dirs);
	vec_free(&find->caches);
	vec_free(&find->cache_paths);
	vec_free(&find->extra_dirs);
	vec_free(&find->index);
	ask_debuginfod_free(find->servers);
	free(find->perf_map_dir.path);
	free(find->sysroot);
	free(find->beside);
	strtab_free(&find->texts);
	free(find);
}

const struct dso_find_options *dso_find_options(const struct dso_find *find)
{
	return &find->options;
}

static const char *path_of(struct dso_find *find, const struct folder *folder)
{
	if (!folder->confined)
		return dso_find_keep(find, folder->path);
	char *inside AUTOFREE = dso_find_inside(find->sysroot, folder->path);
	char *outside AUTOFREE = xasprintf("%s%s", find->sysroot, folder->path);
	return dso_find_keep(find, inside ? inside : outside);
}

const char *const *dso_find_caches(struct dso_find *find, size_t *ret_count)
{
	for (size_t i = find->cache_paths.count; i < find->caches.count; i++)
		vec_push(&find->cache_paths, path_of(find, &find->caches.at[i]));
	*ret_count = find->cache_paths.count;
	return find->cache_paths.at;
}

const char *dso_find_keep(struct dso_find *find, const char *path)
{
	return strtab_intern(&find->texts, path);
}

/* Lists of places */

/* @length bytes of @start, and what follows; free()d by the caller. */
static char *join(const char *start, size_t length, const char *middle, const char *end)
{
	size_t middle_length = strlen(middle), end_length = strlen(end);
	char *text = xmalloc(length + middle_length + end_length + 1);

	memcpy(text, start, length);
	memcpy(text + length, middle, middle_length);
	memcpy(text + length + middle_length, end, end_length + 1);
	return text;
}

void dso_places_free(struct dso_places *places)
{
	for (size_t i = 0; i < places->list.count; i++) {
		if (i < places->nr_found || i >= places->next)
			free(places->list.at[i].path);
	}
	vec_free(&places->list);
	*places = (struct dso_places){ 0 };
}

static bool is_found(const struct dso_places *places, const char *path)
{
	for (size_t i = 0; i < places->nr_found; i++) {
		if (places->list.at[i].path && !strcmp(places->list.at[i].path, path))
			return true;
	}
	return false;
}

static bool look(const struct dso_places *places, struct dso_place *place)
{
	struct stat st;

	if (place->inside) {
		char *inside = dso_find_inside(places->find->sysroot, place->path);
		free(place->path);
		place->path = inside;
		place->inside = false;
		if (!inside)
			return false;
	}
	if (!place->path)
		return true;
	return places->nr_found < MAX_PLACES && !is_found(places, place->path) && !stat(place->path, &st) &&
	       S_ISREG(st.st_mode);
}

struct dso_place *dso_places_at(struct dso_places *places, size_t index)
{
	while (places->nr_found <= index && places->next < places->list.count) {
		struct dso_place *place = &places->list.at[places->next++];
		if (look(places, place))
			places->list.at[places->nr_found++] = *place;
		else
			free(place->path);
	}
	return index < places->nr_found ? &places->list.at[index] : NULL;
}

/* @path becomes the list's. NULL: none. */
static void add_path(struct dso_places *places, enum dso_place_kind kind, bool given, char *path)
{
	if (path)
		vec_push(&places->list, ((struct dso_place){ .kind = kind, .given = given, .path = path }));
}

/* @path of the sysroot; it becomes the list's. */
static void add_inside(const struct dso_find *find, struct dso_places *places, enum dso_place_kind kind,
		       char *path)
{
	places->find = find;
	vec_push(&places->list,
		 ((struct dso_place){ .kind = kind, .given = true, .inside = true, .path = path }));
}

/* @rest begins with '/'. */
static void add_in_folder(struct dso_find *find, struct dso_places *places, enum dso_place_kind kind,
			  const struct folder *folder, const char *rest)
{
	char *path = join(folder->path, strlen(folder->path), rest, "");

	if (folder->confined)
		add_inside(find, places, kind, path);
	else
		add_path(places, kind, folder->given, path);
}

static void add_in_folders(struct dso_find *find, struct dso_places *places, enum dso_place_kind kind,
			   const struct folder *folders, size_t count, const char *rest)
{
	for (size_t i = 0; i < count; i++)
		add_in_folder(find, places, kind, &folders[i], rest);
}

/* Names */

/* " (deleted)" is the kernel's remark on a file that has no name any more. */
static char *plain_name(const char *name)
{
	static const char deleted[] = " (deleted)";
	size_t length = strlen(name), ending = sizeof(deleted) - 1;

	if (length > ending && !strcmp(name + length - ending, deleted))
		length -= ending;
	return xstrndup(name, length);
}

/* A path of the recorded machine that is safe to put behind a folder's: absolute, no "..". */
static bool is_path(const char *name)
{
	size_t length = strlen(name);

	if (name[0] != '/' || strstr(name, "/../") || length >= PATH_MAX)
		return false;
	return length < 3 || strcmp(name + length - 3, "/..") != 0;
}

static bool is_below(const char *path, const char *folder)
{
	size_t length = folder ? strlen(folder) : 0;

	return folder && !strncmp(path, folder, length) && path[length] == '/';
}

/* Systems that keep /bin, /lib ... as links to /usr: the other spelling of a path, or NULL. */
static char *other_spelling(const char *path)
{
	static const char *const merged[] = { "/bin/", "/sbin/", "/lib/", "/lib32/", "/lib64/", "/libx32/" };
	bool in_usr = !strncmp(path, "/usr/", 5);
	const char *rest = in_usr ? path + 4 : path;

	for (size_t i = 0; i < sizeof(merged) / sizeof(merged[0]); i++) {
		if (!strncmp(rest, merged[i], strlen(merged[i])))
			return join("/usr", in_usr ? 0 : 4, rest, "");
	}
	return NULL;
}

/* All names under which a file may be kept. */
struct names {
	VEC(char *) list;
};

static void add_name(struct names *names, const char *path)
{
	char *other = other_spelling(path);

	vec_push(&names->list, xstrdup(path));
	if (other)
		vec_push(&names->list, other);
}

static void names_free(struct names *names)
{
	for (size_t i = 0; i < names->list.count; i++)
		free(names->list.at[i]);
	vec_free(&names->list);
}

static const char *const module_packings[] = { "", ".xz", ".zst", ".gz" };
#define NR_MODULE_PACKINGS (sizeof(module_packings) / sizeof(module_packings[0]))

/* Cut a module's name behind ".ko". */
static void cut_packing(char *name)
{
	size_t length = strlen(name);

	for (size_t i = 1; i < NR_MODULE_PACKINGS; i++) {
		size_t ending = strlen(module_packings[i]);
		if (length > ending + 3 && !strcmp(name + length - ending, module_packings[i]) &&
		    !strncmp(name + length - ending - 3, ".ko", 3)) {
			name[length - ending] = '\0';
			return;
		}
	}
}

/* As recorded, in both spellings; a module as it may be packed where we look. Empty: the name is no path. */
static void names_of(const struct dso *dso, struct names *ret)
{
	char *plain AUTOFREE = plain_name(dso->long_name);

	if (!is_path(plain))
		return;
	add_name(ret, plain);
	if (dso->kind != DSO_MODULE)
		return;
	cut_packing(plain);
	for (size_t i = 0; i < NR_MODULE_PACKINGS; i++) {
		char *packed AUTOFREE = join(plain, strlen(plain), module_packings[i], "");
		add_name(ret, packed);
	}
}

/* Of debug files: never packed themselves. */
static void debug_names_of(const struct dso *dso, struct names *ret)
{
	char *plain AUTOFREE = plain_name(dso->long_name);

	if (dso->kind == DSO_MODULE)
		cut_packing(plain);
	if (is_path(plain))
		add_name(ret, plain);
}

/* The extra folders */

static int by_base(const void *a, const void *b)
{
	const struct indexed *x = a, *y = b;
	int order = strcmp(x->base, y->base);

	return order ? order : strcmp(x->path, y->path);
}

static void index_folder(struct dso_find *find, const char *path)
{
	char *start AUTOFREE = xstrdup(path[0] ? path : "/");
	char *starts[] = { start, NULL };
	FTS *walk = fts_open(starts, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;

	while (walk && find->index.count < MAX_INDEXED && (entry = fts_read(walk))) {
		if (entry->fts_info == FTS_D && entry->fts_level > MAX_DEPTH)
			fts_set(walk, entry, FTS_SKIP);
		if (entry->fts_info != FTS_F && entry->fts_info != FTS_SL)
			continue;
		struct indexed indexed = { .path = xstrdup(entry->fts_path) };
		const char *slash = strrchr(indexed.path, '/');
		indexed.base = slash ? slash + 1 : indexed.path;
		vec_push(&find->index, indexed);
	}
	if (walk)
		fts_close(walk);
}

static void make_index(struct dso_find *find)
{
	if (find->has_index)
		return;
	find->has_index = true;
	for (size_t i = 0; i < find->extra_dirs.count; i++)
		index_folder(find, find->extra_dirs.at[i].path);
	if (find->index.count)
		qsort(find->index.at, find->index.count, sizeof(*find->index.at), by_base);
}

/* The first file of that name in the index, or where it would be. */
static size_t index_of(struct dso_find *find, const char *base)
{
	size_t low = 0, high = find->index.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(find->index.at[middle].base, base) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many components, back from the end, both paths share. */
static size_t common_end(const char *a, const char *b)
{
	size_t length_a = strlen(a), length_b = strlen(b), components = 0;

	for (size_t n = 1; n <= length_a && n <= length_b && a[length_a - n] == b[length_b - n]; n++)
		components += a[length_a - n] == '/';
	return components;
}

static bool names_file(const struct dso_find *find, size_t index, const char *base)
{
	return index < find->index.count && !strcmp(find->index.at[index].base, base);
}

/* Files of that name anywhere below the extra folders: the one whose folders resemble the recorded ones most.
 */
static void add_most_alike(struct dso_find *find, struct dso_places *places, const char *path)
{
	const char *base = strrchr(path, '/') + 1;
	size_t best = SIZE_MAX, best_common = 0;
	bool tie = false;

	for (size_t i = index_of(find, base); names_file(find, i, base); i++) {
		size_t common = common_end(find->index.at[i].path, path);
		if (best != SIZE_MAX && common < best_common)
			continue;
		tie = best != SIZE_MAX && common == best_common;
		best = i;
		best_common = common;
	}
	/* Of two that are equally likely either may be the wrong one. */
	if (best != SIZE_MAX && !tie)
		add_path(places, DSO_PLACE_EXTRA, true, xstrdup(find->index.at[best].path));
}

static void add_all_named(struct dso_find *find, struct dso_places *places, enum dso_place_kind kind,
			  const char *base)
{
	size_t first = index_of(find, base);

	for (size_t i = first; i - first < MAX_PLACES && names_file(find, i, base); i++)
		add_path(places, kind, true, xstrdup(find->index.at[i].path));
}

static void add_extra(struct dso_find *find, const struct names *names, bool proof, struct dso_places *ret)
{
	if (!find->extra_dirs.count)
		return;
	make_index(find);
	for (size_t i = 0; i < names->list.count; i++)
		add_in_folders(find, ret, DSO_PLACE_EXTRA, find->extra_dirs.at, find->extra_dirs.count,
			       names->list.at[i]);
	for (size_t i = 0; i < names->list.count; i++) {
		const char *base = strrchr(names->list.at[i], '/') + 1;
		if (!*base)
			continue;
		if (proof) /* by build-id: all may be tried */
			add_all_named(find, ret, DSO_PLACE_EXTRA, base);
		else
			add_most_alike(find, ret, names->list.at[i]);
	}
}

/* By build-id */

/* Older recordings keep ids in 20 bytes: of those that end in zeros the common shorter forms are meant too,
 * and the one without the zeros. */
#define MAX_SPELLINGS 4
static bool is_spelled(const struct build_id *ids, size_t count, size_t size)
{
	while (count && ids[count - 1].size != size)
		count--;
	return count;
}

static size_t id_spellings(const struct build_id *id, struct build_id ret[MAX_SPELLINGS])
{
	size_t count = 0, bare = id->size;

	while (bare && !id->bytes[bare - 1])
		bare--;
	const size_t sizes[MAX_SPELLINGS] = { id->size, 16, 8, bare };
	for (size_t i = 0; i < MAX_SPELLINGS; i++) {
		bool possible = sizes[i] >= bare && sizes[i] <= id->size;
		if (bare && possible && !is_spelled(ret, count, sizes[i]))
			ret[count++] = build_id_make(id->bytes, sizes[i]);
	}
	return count;
}

/* DIR/.build-id/xx/yyyy and @ending */
static void add_by_id(struct dso_find *find, struct dso_places *places, const struct folder *folders,
		      size_t count, const struct build_id *id, const char *ending)
{
	struct build_id ids[MAX_SPELLINGS];
	size_t nr_ids = id_spellings(id, ids);
	char name[1 + BUILD_ID_HEX];

	for (size_t i = 0; i < nr_ids; i++) {
		/* xx/yyyy */
		build_id_hex(&ids[i], name + 1);
		name[0] = name[1];
		name[1] = name[2];
		name[2] = '/';
		char *rest AUTOFREE = join("/.build-id/", strlen("/.build-id/"), name, ending);
		add_in_folders(find, places, DSO_PLACE_ID, folders, count, rest);
	}
}

/* DIR/PATH/HASH and @ending: where the links of .build-id point, for copies that lost them. */
static void add_by_path_and_id(struct dso_find *find, struct dso_places *places, const char *path,
			       const struct build_id *id, const char *ending)
{
	struct build_id ids[MAX_SPELLINGS];
	size_t nr_ids = id_spellings(id, ids);
	char *start AUTOFREE = join("/", path[0] != '/', path, "/");
	char hex[BUILD_ID_HEX];

	for (size_t i = 0; i < nr_ids; i++) {
		char *rest AUTOFREE = join(start, strlen(start), build_id_hex(&ids[i], hex), ending);
		add_in_folders(find, places, DSO_PLACE_ID, find->caches.at, find->caches.count, rest);
	}
}

/*
 * perf's cache: .build-id/xx/yyyy is a link to the folder PATH/HASH with "elf", "debug", "vdso" in it, or
 * (before Linux 4.6) to the file PATH/HASH itself.
 */
static void add_cached(struct dso_find *find, struct dso_places *places, const struct dso *dso,
		       const struct build_id *id, const char *file)
{
	char *ending AUTOFREE = join("/", 1, file, "");
	char *plain AUTOFREE = plain_name(dso->long_name);
	bool has_path = dso->kind == DSO_VDSO || is_path(plain);

	add_by_id(find, places, find->caches.at, find->caches.count, id, ending);
	if (has_path)
		add_by_path_and_id(find, places, plain, id, ending);
	if (!strcmp(file, "debug"))
		return;
	add_by_id(find, places, find->caches.at, find->caches.count, id, "");
	if (has_path)
		add_by_path_and_id(find, places, plain, id, "");
}

/* The vdso */

static const char *const vdso_files[] = { "vdso.so", "vdso64.so", "vdso32.so", "vdsox32.so" };
#define NR_VDSO_FILES (sizeof(vdso_files) / sizeof(vdso_files[0]))

static int not_dotted(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* `make vdso_install` puts it into lib/modules/RELEASE/vdso. */
static void add_installed_vdsos(struct dso_find *find, struct dso_places *ret)
{
	char *modules AUTOFREE = dso_find_inside(find->sysroot, "/lib/modules");
	if (!modules)
		modules = dso_find_inside(find->sysroot, "/usr/lib/modules");
	struct dirent **releases = NULL;
	int count = modules ? scandir(modules, &releases, not_dotted, alphasort) : 0;

	for (int i = 0; i < count; i++) {
		for (size_t j = 0; j < NR_VDSO_FILES; j++) {
			char *path = xasprintf("%s/%s/vdso/%s", modules + strlen(find->sysroot),
					       releases[i]->d_name, vdso_files[j]);
			add_inside(find, ret, DSO_PLACE_VDSO, path);
		}
		free(releases[i]);
	}
	free(releases);
}

/* This machine's own is in no file: dso_load looks at it. */
static void find_vdso(struct dso_find *find, const struct dso *dso, struct dso_places *ret)
{
	add_cached(find, ret, dso, &dso->build_id, "vdso");
	for (size_t i = 0; find->beside && i < NR_VDSO_FILES; i++)
		add_path(ret, DSO_PLACE_EXTRA, true, xasprintf("%s/%s", find->beside, vdso_files[i]));
	if (dso->build_id.size && find->extra_dirs.count) {
		make_index(find);
		for (size_t i = 0; i < NR_VDSO_FILES; i++)
			add_all_named(find, ret, DSO_PLACE_EXTRA, vdso_files[i]);
	}
	if (find->sysroot)
		add_installed_vdsos(find, ret);
}

/* The two questions */

void dso_find_binary(struct dso_find *find, const struct dso *dso, struct dso_places *ret)
{
	struct names names = { 0 };
	bool has_id = dso->build_id.size;

	if (dso->kind == DSO_VDSO) {
		find_vdso(find, dso, ret);
		return;
	}
	names_of(dso, &names);
	for (size_t i = 0; i < names.list.count; i++) {
		const char *name = names.list.at[i];
		if (find->sysroot)
			add_inside(find, ret, DSO_PLACE_SYSROOT, xstrdup(name));
		else if (has_id || find->options.host_is_recorded)
			add_path(ret, DSO_PLACE_HOST, false, xstrdup(name));
	}
	add_extra(find, &names, has_id, ret);
	add_cached(find, ret, dso, &dso->build_id, "elf");
	names_free(&names);
}

/* A file in the folder of @name (a path of the recorded machine) or in its .debug. */
static void add_beside(struct dso_find *find, struct dso_places *places, enum dso_place_kind kind,
		       const char *name, const char *file, bool in_dot_debug_only)
{
	size_t length = (size_t)(strrchr(name, '/') + 1 - name);

	for (int i = in_dot_debug_only; i < 2; i++) {
		char *path = join(name, length, i ? ".debug/" : "", file);
		if (find->sysroot)
			add_inside(find, places, kind, path);
		else
			add_path(places, kind, false, path);
	}
}

/* Beside the file where it really is, which a link in the recorded path or an extra folder may have hidden.
 */
static void add_beside_binary(struct dso_find *find, struct dso_places *places, enum dso_place_kind kind,
			      const struct dso_place *binary, const char *file, bool in_dot_debug_only)
{
	if (!binary ||
	    (find->sysroot && binary->kind != DSO_PLACE_SYSROOT && binary->kind != DSO_PLACE_EXTRA))
		return;
	if (binary->kind == DSO_PLACE_SYSROOT) {
		const char *inner = binary->path + strlen(find->sysroot);
		add_beside(find, places, kind, inner, file, in_dot_debug_only);
		return;
	}
	size_t length = (size_t)(strrchr(binary->path, '/') + 1 - binary->path);
	for (int i = in_dot_debug_only; i < 2; i++)
		add_path(places, kind, binary->given,
			 join(binary->path, length, i ? ".debug/" : "", file));
}

static void add_debuglinked(struct dso_find *find, const struct names *names, const char *link,
			    const struct dso_place *binary, struct dso_places *ret)
{
	/* A file name, not a way out of the folder. */
	if (strchr(link, '/') || !strcmp(link, "..") || !strcmp(link, "."))
		return;
	for (size_t i = 0; i < names->list.count; i++)
		add_beside(find, ret, DSO_PLACE_DEBUGLINK, names->list.at[i], link, false);
	add_beside_binary(find, ret, DSO_PLACE_DEBUGLINK, binary, link, false);
	for (size_t i = 0; i < names->list.count; i++) {
		const char *name = names->list.at[i];
		char *rest AUTOFREE = join(name, (size_t)(strrchr(name, '/') + 1 - name), link, "");
		add_in_folders(find, ret, DSO_PLACE_DEBUGLINK, find->debug_dirs.at, find->debug_dirs.count,
			       rest);
	}
	if (find->extra_dirs.count) {
		make_index(find);
		add_all_named(find, ret, DSO_PLACE_DEBUGLINK, link);
	}
}

static void add_debug_dirs(struct dso_find *find, const struct names *names, const struct build_id *id,
			   struct dso_places *ret)
{
	for (size_t i = 0; i < find->debug_dirs.count; i++) {
		const struct folder *folder = &find->debug_dirs.at[i];
		for (size_t j = 0; j < names->list.count; j++) {
			const char *name = names->list.at[j];
			char *rest AUTOFREE = join(name, strlen(name), ".debug", "");
			add_in_folder(find, ret, DSO_PLACE_NAME, folder, rest);
		}
		for (size_t j = 0; j < names->list.count; j++)
			add_in_folder(find, ret, DSO_PLACE_NAME, folder, names->list.at[j]);
		add_by_id(find, ret, folder, 1, id, ".debug");
	}
}

void dso_find_symbols(struct dso_find *find, const struct dso *dso, const struct dso_symbol_query *known,
		      struct dso_places *ret)
{
	struct names names = { 0 };
	bool is_vdso = dso->kind == DSO_VDSO;

	debug_names_of(dso, &names);
	if (known->debuglink)
		add_debuglinked(find, &names, known->debuglink, known->binary, ret);
	add_cached(find, ret, dso, &known->id, is_vdso ? "vdso" : "elf");
	add_cached(find, ret, dso, &known->id, "debug");
	add_debug_dirs(find, &names, &known->id, ret);
	vec_push(&ret->list, ((struct dso_place){ .kind = DSO_PLACE_GNU_DEBUGDATA }));
	vec_push(&ret->list, ((struct dso_place){ .kind = DSO_PLACE_OWN }));
	for (size_t i = 0; i < names.list.count; i++) {
		const char *base = strrchr(names.list.at[i], '/') + 1;
		add_beside(find, ret, DSO_PLACE_NAME, names.list.at[i], base, true);
		add_beside_binary(find, ret, DSO_PLACE_NAME, known->binary, base, true);
	}
	names_free(&names);
}

/* Files that other files name */

/* The longest of the user's folders, the sysroot among them, that @path is in; NULL. */
static const char *root_of(const struct dso_find *find, const char *path)
{
	const struct folder *lists[] = { find->debug_dirs.at, find->caches.at, find->extra_dirs.at };
	const size_t counts[] = { find->debug_dirs.count, find->caches.count, find->extra_dirs.count };
	const char *best = is_below(path, find->sysroot) ? find->sysroot : NULL;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		for (size_t j = 0; j < counts[i]; j++) {
			const struct folder *folder = &lists[i][j];
			bool better = !best || strlen(folder->path) > strlen(best);
			if (!folder->confined && better && is_below(path, folder->path))
				best = folder->path;
		}
	}
	return best;
}

/* @name from the folder of @from on; the caller's. NULL: that would leave what the user allows. */
static char *join_paths(const struct dso_find *find, const char *from, const char *name)
{
	const char *slash = strrchr(from, '/');
	char *path = xasprintf("%.*s%s", slash ? (int)(slash + 1 - from) : 0, from, name);

	if (!find->sysroot)
		return path;
	const char *root = root_of(find, from);
	char *inside = root ? dso_find_inside(root, path + strlen(root)) : NULL;
	free(path);
	return inside;
}

void dso_find_named(struct dso_find *find, const char *from, const char *name, const struct build_id *id,
		    struct dso_places *ret)
{
	static const char debug[] = "/usr/lib/debug/";
	const char *base = strrchr(name, '/');

	if (!*name || strlen(name) >= PATH_MAX)
		return;
	if (is_path(name) && !strncmp(name, debug, strlen(debug)))
		add_in_folders(find, ret, DSO_PLACE_NAME, find->debug_dirs.at, find->debug_dirs.count,
			       name + strlen(debug) - 1);
	if (name[0] != '/')
		add_path(ret, DSO_PLACE_NAME, find->sysroot, join_paths(find, from, name));
	else if (find->sysroot)
		add_inside(find, ret, DSO_PLACE_NAME, xstrdup(name));
	else
		add_path(ret, DSO_PLACE_NAME, false, xstrdup(name));
	if (id)
		add_by_id(find, ret, find->debug_dirs.at, find->debug_dirs.count, id, ".debug");
	if (find->extra_dirs.count) {
		make_index(find);
		add_all_named(find, ret, DSO_PLACE_EXTRA, base ? base + 1 : name);
	}
}

const char *dso_find_download(struct dso_find *find, const struct build_id *id, bool debug)
{
	struct build_id ids[MAX_SPELLINGS];
	size_t nr_ids = id_spellings(id, ids);

	for (size_t i = 0; i < nr_ids; i++) {
		char *path AUTOFREE = ask_debuginfod(find->servers, &ids[i], debug);
		if (path)
			return dso_find_keep(find, path);
	}
	return NULL;
}

static int is_perf_map(const struct dirent *entry)
{
	const char *name = entry->d_name;
	size_t digits = strncmp(name, "perf-", 5) ? 0 : strspn(name + 5, "0123456789");

	return digits && !strcmp(name + 5 + digits, ".map");
}

/* In a container the process has another number, which the recording does not say: DIR/PID/perf-*.map, if it
 * is the only one. */
static char *copied_perf_map(const struct dso_find *find, uint32_t pid)
{
	char *folder AUTOFREE = xasprintf("%s/%d", find->perf_map_dir.path, (int32_t)pid);
	struct dirent **entries = NULL;
	int count = find->perf_map_dir_named ? scandir(folder, &entries, is_perf_map, alphasort) : 0;
	char *found = count == 1 ? xasprintf("%s/%s", folder, entries[0]->d_name) : NULL;

	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	return found;
}

/* Nobody says where else to look, and here it was: a process that still runs can be asked. */
static bool can_ask_process(const struct dso_find *find)
{
	return !find->perf_map_dir.given && find->options.host_is_recorded;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat of_a, of_b;

	return !stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

const char *dso_find_perf_map(struct dso_find *find, uint32_t pid)
{
	char *path AUTOFREE = xasprintf("%s/perf-%d.map", find->perf_map_dir.path, (int32_t)pid);
	struct folder folder = { .path = path, .confined = find->perf_map_dir.confined };

	char *running AUTOFREE = can_ask_process(find) ? container_perf_map(pid) : NULL;
	if (running && !is_same_file(running, path))
		return dso_find_keep(find, running);
	char *copied AUTOFREE = access(path, F_OK) ? copied_perf_map(find, pid) : NULL;
	return copied ? dso_find_keep(find, copied) : path_of(find, &folder);
}

bool dso_find_perf_map_is_recorded(const struct dso_find *find)
{
	return find->perf_map_dir.given || find->options.host_is_recorded;
}

/* Named by the user, in the sysroot, in an extra folder; or where it was written, on the recorded machine
 * itself, in the process's container first. */
static void find_jitdump(struct dso_find *find, uint32_t pid, const char *recorded, struct dso_places *ret)
{
	const char *base = strrchr(recorded, '/');
	char *own AUTOFREE = xasprintf("/%d%s", (int32_t)pid, base);
	struct names names = { 0 };

	if (find->perf_map_dir_named) {
		add_in_folder(find, ret, DSO_PLACE_NAME, &find->perf_map_dir, own);
		add_in_folder(find, ret, DSO_PLACE_NAME, &find->perf_map_dir, base);
	}
	if (find->sysroot) {
		add_inside(find, ret, DSO_PLACE_SYSROOT, xstrdup(recorded));
	} else if (find->options.host_is_recorded) {
		add_path(ret, DSO_PLACE_HOST, false, container_file(pid, recorded));
		add_path(ret, DSO_PLACE_HOST, false, xstrdup(recorded));
	}
	add_name(&names, recorded);
	add_extra(find, &names, false, ret);
	names_free(&names);
}

const char *dso_find_jitdump(struct dso_find *find, uint32_t pid, const char *recorded,
			     const char **ret_expected)
{
	struct dso_places places = { 0 };
	char *expected AUTOFREE = NULL;

	*ret_expected = NULL;
	if (!is_path(recorded))
		return NULL;
	find_jitdump(find, pid, recorded, &places);
	if (find->perf_map_dir_named)
		expected = xasprintf("%s%s", find->perf_map_dir.path, strrchr(recorded, '/'));
	else
		expected = xasprintf("%s%s", find->sysroot ? find->sysroot : "", recorded);
	*ret_expected = dso_find_keep(find, expected);
	const struct dso_place *first = dso_places_at(&places, 0);
	const char *found = first ? dso_find_keep(find, first->path) : NULL;
	dso_places_free(&places);
	return found;
}

const char *dso_find_expected(struct dso_find *find, const struct dso *dso)
{
	char *plain AUTOFREE = plain_name(dso->long_name);

	if (!is_path(plain))
		return NULL;
	char *path AUTOFREE = xasprintf("%s%s", find->sysroot ? find->sysroot : "", plain);
	return dso_find_keep(find, path);
}
