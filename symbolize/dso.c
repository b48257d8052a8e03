#include "symbolize/dso.h"

#include <stdlib.h>
#include <string.h>

#include "util/arena.h"
#include "util/hash.h"
#include "util/strtab.h"
#include "util/vec.h"
#include "util/xalloc.h"

/*
 * How many dsos of one name are compared with a new identity. Real files have one or two (a package was
 * updated); thousands (files in a tmpfs, made and deleted) are told apart by the table of identities.
 */
#define MAX_SAME_NAME 64

struct entry {
	struct dso dso;	    /* first: a struct dso * is its entry */
	struct entry *next; /* of the same name and kind, in the order in which they were made */
	struct entry *last; /* of the first one of a name only */
	unsigned nr_same;   /* of the first one of a name only */
};

/* What the dsos of a host and of its guests share. */
struct store {
	struct arena arena;
	struct strtab strings;
	VEC(struct dso *) all;
	/* Machine and number of the name, and: */
	struct hash by_name;	 /* kind and pid -> the first entry of that name */
	struct hash by_identity; /* kind, hash of what was asked for -> what it was found to be */
	struct hash by_short;	 /* machine, hash and length of the short name -> kernel's or module's dso */
	uint32_t nr_guests;
	void (*free_parts)(struct dso *dso);
};

struct dsos {
	struct store *store;
	uint32_t machine; /* 0: the host, which owns the store */
};

/* What a map or the build-id table says of a dso, besides its name. */
struct identity {
	enum dso_kind kind;
	uint32_t pid; /* of JIT code */
	struct build_id build_id;
	struct dso_inode inode;
};

struct dsos *dsos_new(void)
{
	struct dsos *dsos = xcalloc(1, sizeof(*dsos));

	dsos->store = xcalloc(1, sizeof(*dsos->store));
	return dsos;
}

struct dsos *dsos_new_guest(struct dsos *host)
{
	struct dsos *dsos = xmalloc(sizeof(*dsos));

	*dsos = (struct dsos){ host->store, ++host->store->nr_guests };
	return dsos;
}

uint32_t dsos_machine(const struct dsos *dsos)
{
	return dsos->machine;
}

void dsos_set_free_hook(struct dsos *dsos, void (*free_parts)(struct dso *dso))
{
	dsos->store->free_parts = free_parts;
}

static void store_free(struct store *store)
{
	for (size_t i = 0; store->free_parts && i < store->all.count; i++)
		store->free_parts(store->all.at[i]);
	hash_free(&store->by_name);
	hash_free(&store->by_identity);
	hash_free(&store->by_short);
	vec_free(&store->all);
	strtab_free(&store->strings);
	arena_free(&store->arena);
	free(store);
}

void dsos_free(struct dsos *dsos)
{
	if (dsos && !dsos->machine)
		store_free(dsos->store);
	free(dsos);
}

size_t dsos_count(const struct dsos *dsos)
{
	return dsos->store->all.count;
}

struct dso *dsos_at(const struct dsos *dsos, size_t index)
{
	return dsos->store->all.at[index];
}

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Names that are no paths ("[heap]", "[anon:a/b]", "//anon") have no directory to take off. */
static const char *base_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	if (name[0] == '[' || starts_with(name, "//") || !slash || !slash[1])
		return name;
	return slash + 1;
}

/* The length of "foo" in "foo.ko", "foo.ko.xz", "foo.ko.debug"; 0: no module's file. */
static size_t module_stem(const char *base)
{
	static const char *const endings[] = { ".ko", ".ko.gz", ".ko.xz", ".ko.zst", ".ko.debug" };
	size_t length = strlen(base);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t ending = strlen(endings[i]);
		if (length > ending && !strcmp(base + length - ending, endings[i]))
			return length - ending;
	}
	return 0;
}

bool dso_is_module_name(const char *name)
{
	if (name[0] == '[')
		return !starts_with(name, "[kernel.") && !starts_with(name, "[kernel]") &&
		       !starts_with(name, "[guest.") && !starts_with(name, "[vdso") &&
		       !starts_with(name, "[vsyscall]");
	return module_stem(base_name(name)) != 0;
}

/* The kernel names a module with '_' where its file may have '-'; a name in brackets is the kernel's own. */
const char *dsos_module_name(struct dsos *dsos, const char *name)
{
	if (name[0] == '[')
		return strtab_intern(&dsos->store->strings, name);
	const char *base = base_name(name);
	size_t stem = module_stem(base);
	char *text AUTOFREE = stem ? xasprintf("[%.*s]", (int)stem, base) : xstrdup(base);
	for (char *at = text; *at; at++) {
		if (*at == '-')
			*at = '_';
	}
	return strtab_intern(&dsos->store->strings, text);
}

/* perf calls the map file of a JIT compiler so where it prints no path. */
static const char *jit_short_name(struct dsos *dsos, const char *name, uint32_t pid)
{
	if (!starts_with(name, "/tmp/perf-"))
		return base_name(name);
	char *text AUTOFREE = xasprintf("[JIT] tid %d", (int32_t)pid);
	return strtab_intern(&dsos->store->strings, text);
}

static const char *short_name_of(struct dsos *dsos, const char *name, const struct identity *identity)
{
	if (identity->kind == DSO_JIT)
		return jit_short_name(dsos, name, identity->pid);
	return identity->kind == DSO_MODULE ? dsos_module_name(dsos, name) : base_name(name);
}

/* Half of a key of the shared tables. */
static uint64_t with_machine(const struct dsos *dsos, uint32_t value)
{
	return value | (uint64_t)dsos->machine << 32;
}

struct dso *dsos_find_kernel(const struct dsos *dsos, const char *short_name)
{
	size_t length = strlen(short_name);
	struct dso *dso = hash_get_ptr(&dsos->store->by_short, hash_bytes(short_name, length),
				       with_machine(dsos, (uint32_t)length));

	return dso && !strcmp(dso->short_name, short_name) ? dso : NULL;
}

/* The first one of a name stays the one that is found. */
static void add_short_name(struct dsos *dsos, struct dso *dso)
{
	size_t length = strlen(dso->short_name);
	uint64_t hash = hash_bytes(dso->short_name, length);
	uint64_t length_and_machine = with_machine(dsos, (uint32_t)length);

	if (hash_get(&dsos->store->by_short, hash, length_and_machine) == HASH_NONE)
		hash_put_ptr(&dsos->store->by_short, hash, length_and_machine, dso);
}

static struct entry *new_entry(struct dsos *dsos, const char *name, const struct identity *identity)
{
	struct entry *entry = arena_alloc(&dsos->store->arena, sizeof(*entry));
	enum dso_kind kind = identity->kind;

	memset(entry, 0, sizeof(*entry));
	entry->dso = (struct dso){
		.index = (uint32_t)dsos->store->all.count,
		.machine = dsos->machine,
		.kind = kind,
		.name = name,
		.long_name = name,
		.short_name = short_name_of(dsos, name, identity),
		.build_id = identity->build_id,
		.inode = identity->inode,
		.jit_pid = identity->pid,
		.identity = kind == DSO_JIT || kind == DSO_ANON,
	};
	vec_push(&dsos->store->all, &entry->dso);
	if (kind == DSO_KERNEL || kind == DSO_MODULE)
		add_short_name(dsos, &entry->dso);
	return entry;
}

enum likeness { OTHER, MAY_BE, SAME };

static enum likeness compare_inodes(const struct dso_inode *a, const struct dso_inode *b)
{
	if (!a->known || !b->known)
		return MAY_BE;
	if (a->maj != b->maj || a->min != b->min || a->ino != b->ino)
		return OTHER;
	return a->generation && b->generation && a->generation != b->generation ? OTHER : SAME;
}

static enum likeness compare(const struct dso *dso, const struct identity *identity)
{
	enum likeness inodes = compare_inodes(&dso->inode, &identity->inode);

	if (inodes == OTHER || build_id_differs(&dso->build_id, &identity->build_id))
		return OTHER;
	return build_id_equal(&dso->build_id, &identity->build_id) ? SAME : inodes;
}

static void adopt(struct dso *dso, const struct identity *identity)
{
	if (!dso->build_id.size)
		dso->build_id = identity->build_id;
	if (!dso->inode.known)
		dso->inode = identity->inode;
	else if (!dso->inode.generation && identity->inode.known)
		dso->inode.generation = identity->inode.generation;
}

/* One that shares a known part goes before an earlier one that merely does not contradict. */
static struct entry *find_same(struct entry *first, const struct identity *identity)
{
	struct entry *candidate = NULL;

	for (struct entry *entry = first; entry; entry = entry->next) {
		enum likeness likeness = compare(&entry->dso, identity);
		if (likeness == SAME)
			return entry;
		if (likeness == MAY_BE && !candidate)
			candidate = entry;
	}
	return candidate;
}

static struct entry *find_or_add(struct dsos *dsos, uint32_t number, const struct identity *identity)
{
	uint64_t kind_and_pid = identity->kind | (uint64_t)identity->pid << 32;
	const char *name = strtab_text(&dsos->store->strings, number);
	uint64_t name_and_machine = with_machine(dsos, number);
	struct entry *first = hash_get_ptr(&dsos->store->by_name, name_and_machine, kind_and_pid);
	struct entry *entry = find_same(first, identity);

	if (entry)
		return entry;
	entry = new_entry(dsos, name, identity);
	if (!first) {
		hash_put_ptr(&dsos->store->by_name, name_and_machine, kind_and_pid, entry);
		first = entry;
	} else if (first->nr_same < MAX_SAME_NAME) {
		first->last->next = entry;
	} else {
		return entry;
	}
	first->last = entry;
	first->nr_same++;
	return entry;
}

static uint64_t hash_identity(const struct identity *identity)
{
	const struct dso_inode *inode = &identity->inode;
	uint64_t hash = hash_bytes(identity->build_id.bytes, BUILD_ID_MAX);

	hash = hash_mix(hash, (uint64_t)inode->maj << 32 | inode->min);
	hash = hash_mix(hash, inode->ino);
	hash = hash_mix(hash, inode->generation);
	return hash_mix(hash, (uint64_t)identity->pid << 1 | inode->known);
}

/*
 * What was asked once gets the same answer at once: a dso only ever learns parts that it did not know, so the
 * answer stays right. Checked nevertheless, as somebody may make recordings with colliding hashes.
 */
static struct dso *get(struct dsos *dsos, const char *name, const struct identity *identity)
{
	uint32_t number = strtab_number(&dsos->store->strings, name, strlen(name));
	uint64_t name_and_kind = with_machine(dsos, number) ^ (uint64_t)identity->kind << 56;
	uint64_t hash = hash_identity(identity);
	struct dso *dso = hash_get_ptr(&dsos->store->by_identity, name_and_kind, hash);

	if (dso && dso->jit_pid == identity->pid && compare(dso, identity) != OTHER)
		return dso;
	dso = &find_or_add(dsos, number, identity)->dso;
	adopt(dso, identity);
	hash_put_ptr(&dsos->store->by_identity, name_and_kind, hash, dso);
	return dso;
}

struct dso *dsos_get(struct dsos *dsos, enum dso_kind kind, const char *name, const struct build_id *id,
		     const struct dso_inode *inode)
{
	struct identity identity = { .kind = kind };

	if (id)
		identity.build_id = *id;
	if (inode && inode->known)
		identity.inode = *inode;
	return get(dsos, name, &identity);
}

struct dso *dsos_get_jit(struct dsos *dsos, const char *name, uint32_t pid)
{
	struct identity identity = { .kind = DSO_JIT, .pid = pid };

	return get(dsos, name, &identity);
}

struct dso *dsos_add_jit(struct dsos *dsos, const char *name, uint32_t pid)
{
	struct identity identity = { .kind = DSO_JIT, .pid = pid };

	return &new_entry(dsos, strtab_intern(&dsos->store->strings, name), &identity)->dso;
}

void dso_set_long_name(struct dsos *dsos, struct dso *dso, const char *name)
{
	dso->long_name = strtab_intern(&dsos->store->strings, name);
}
