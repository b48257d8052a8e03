#include "symbolize/jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "symbolize/load_jitdump.h"
#include "symbolize/overlap.h"
#include "util/hash.h"
#include "util/strtab.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define MAX_DUMPS 1000	   /* processes with a JIT compiler */
#define MAX_CODES 20000000 /* of all of them */
#define MAX_LAYERS 1000	   /* times that an address was used again; more are one layer */

/* What is left to be mapped of one process. */
struct replay {
	int32_t pid;
	struct jitdump dump;
	uint32_t *layer_of; /* of each code */
	size_t next;	    /* code */
	struct jitdump_layer *layers;
	struct dso **dsos; /* of the layers */
	size_t nr_layers;
};

struct jit {
	struct dsos *dsos;
	struct machine *machine;
	struct dso_find *find;
	bool timed;
	struct strtab names;
	struct hash seen; /* {pid, name of the dump} */
	VEC(struct replay *) all;
	size_t nr_codes;
	uint64_t next; /* time of the first code that is not mapped; UINT64_MAX: none */
};

struct jit *jit_new(struct dsos *dsos, struct machine *machine, struct dso_find *find, bool timed)
{
	struct jit *j = xcalloc(1, sizeof(*j));

	*j = (struct jit){ .dsos = dsos, .machine = machine, .find = find, .timed = timed };
	j->next = UINT64_MAX;
	return j;
}

static void replay_free(struct replay *r)
{
	for (size_t i = 0; i < r->nr_layers; i++)
		vec_free(&r->layers[i].codes);
	jitdump_free(&r->dump);
	free(r->layer_of);
	free(r->layers);
	free(r->dsos);
	free(r);
}

void jit_free(struct jit *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->all.count; i++)
		replay_free(j->all.at[i]);
	vec_free(&j->all);
	hash_free(&j->seen);
	strtab_free(&j->names);
	free(j);
}

/* Threads write one after the other what they compiled at the same time. */
static int by_time(const void *left, const void *right)
{
	const struct jitdump_code *a = left, *b = right;

	if (a->time != b->time)
		return a->time > b->time ? 1 : -1;
	return (a->serial > b->serial) - (a->serial < b->serial);
}

/* Of code that overlaps only the last is left, and its time is no matter. */
static void keep_last(struct jitdump *dump)
{
	size_t count = dump->codes.count, kept = 0;
	struct overlap_range *ranges AUTOFREE = xreallocarray(NULL, count, sizeof(*ranges));

	for (size_t i = 0; i < count; i++)
		ranges[count - 1 - i] =
			(struct overlap_range){ dump->codes.at[i].start, dump->codes.at[i].end };
	uint32_t *layers AUTOFREE = overlap_layers(ranges, count);
	for (size_t i = 0; i < count; i++) {
		if (layers[count - 1 - i])
			continue;
		dump->codes.at[kept] = dump->codes.at[i];
		dump->codes.at[kept++].time = 0;
	}
	dump->codes.count = kept;
}

static void make_layers(struct replay *r)
{
	size_t count = r->dump.codes.count;
	struct overlap_range *ranges AUTOFREE = xreallocarray(NULL, count, sizeof(*ranges));

	for (size_t i = 0; i < count; i++)
		ranges[i] = (struct overlap_range){ r->dump.codes.at[i].start, r->dump.codes.at[i].end };
	r->layer_of = overlap_layers(ranges, count);
	r->layers = xcalloc(MAX_LAYERS, sizeof(*r->layers));
	for (size_t i = 0; i < count; i++) {
		if (r->layer_of[i] >= MAX_LAYERS)
			r->layer_of[i] = MAX_LAYERS - 1;
		size_t layer = r->layer_of[i];
		vec_push(&r->layers[layer].codes, (uint32_t)i);
		r->nr_layers = layer >= r->nr_layers ? layer + 1 : r->nr_layers;
	}
}

/* The first layer is the process's anonymous code, unless that has its names already. */
static void make_dsos(struct jit *j, struct replay *r, struct dso *anonymous)
{
	r->dsos = xcalloc(r->nr_layers, sizeof(struct dso *));
	for (size_t i = 0; i < r->nr_layers; i++) {
		bool first = !i && !anonymous->loaded && !anonymous->jit;
		r->layers[i].dump = &r->dump;
		r->dsos[i] = first ? anonymous : dsos_add_jit(j->dsos, anonymous->name, (uint32_t)r->pid);
		r->dsos[i]->jit = &r->layers[i];
	}
}

/* NULL, or why it is not used. */
static const char *read_dump(struct jit *j, struct replay *r, const char *path)
{
	const struct arch *arch = dso_find_options(j->find)->arch;
	const char *reason = path ? load_jitdump(path, &r->dump) : "not found";

	if (reason)
		return reason;
	if (arch && arch != &arch_unknown && !arch_runs(arch, r->dump.machine))
		return "other machine";
	if (r->dump.codes.count > MAX_CODES - j->nr_codes)
		return "too much code";
	if (j->timed && !r->dump.arch_timestamps)
		qsort(r->dump.codes.at, r->dump.codes.count, sizeof(*r->dump.codes.at), by_time);
	else
		keep_last(&r->dump);
	return NULL;
}

static void update_next(struct jit *j, const struct replay *r)
{
	uint64_t time = r->next < r->dump.codes.count ? r->dump.codes.at[r->next].time : UINT64_MAX;

	j->next = time < j->next ? time : j->next;
}

static void add_dump(struct jit *j, int32_t pid, const char *recorded)
{
	struct replay *r = xcalloc(1, sizeof(*r));
	struct dso *anonymous = machine_jit_dso(j->machine, pid);

	r->pid = pid;
	const char *expected, *path = dso_find_jitdump(j->find, (uint32_t)pid, recorded, &expected);
	const char *reason = read_dump(j, r, path);
	if (reason) {
		anonymous->jit_expected = path ? path : expected;
		anonymous->jit_missing = reason;
		replay_free(r);
		return;
	}
	j->nr_codes += r->dump.codes.count;
	make_layers(r);
	make_dsos(j, r, anonymous);
	vec_push(&j->all, r);
	update_next(j, r);
}

void jit_mmap(struct jit *j, int32_t pid, const char *filename)
{
	if (!jitdump_is_name(filename) || j->all.count >= MAX_DUMPS)
		return;
	uint32_t number = strtab_number(&j->names, filename, strlen(filename));
	if (hash_get(&j->seen, (uint32_t)pid, number) != HASH_NONE)
		return;
	hash_put(&j->seen, (uint32_t)pid, number, 1);
	add_dump(j, pid, filename);
}

static void replay_until(struct jit *j, struct replay *r, uint64_t time)
{
	for (; r->next < r->dump.codes.count; r->next++) {
		const struct jitdump_code *code = &r->dump.codes.at[r->next];
		if (code->time > time)
			break;
		machine_map_code(j->machine, r->pid, code->start, code->end, r->dsos[r->layer_of[r->next]]);
	}
	update_next(j, r);
}

void jit_advance(struct jit *j, uint64_t time)
{
	if (time < j->next)
		return;
	j->next = UINT64_MAX;
	for (size_t i = 0; i < j->all.count; i++)
		replay_until(j, j->all.at[i], time);
}
