#include "guests.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "setup.h"
#include "util/hash.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* A host has as many guests as it has memory for; a forged recording's are all one beyond this. */
#define MAX_GUESTS 4096

struct guest {
	struct dsos *dsos;
	struct machine *machine;
	char *root;	/* of its files, or NULL */
	char *kallsyms; /* in there, or NULL */
	struct dso_find *find;
	struct kernel *kernel;
};

struct guests {
	struct guests_of of;
	VEC(struct guest) all;
	struct hash by_pid; /* pid -> machine of the guest */
};

struct guests *guests_new(const struct guests_of *of)
{
	struct guests *g = xcalloc(1, sizeof(*g));

	g->of = *of;
	return g;
}

void guests_free(struct guests *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->all.count; i++) {
		struct guest *guest = &g->all.at[i];
		kernel_free(guest->kernel);
		dso_find_free(guest->find);
		machine_free(guest->machine);
		dsos_free(guest->dsos);
		free(guest->root);
		free(guest->kallsyms);
	}
	vec_free(&g->all);
	hash_free(&g->by_pid);
	free(g);
}

bool guests_are_shown(const struct guests *g)
{
	const struct options *o = g->of.options;

	return o->guestmount || o->guestkallsyms || o->guestvmlinux || o->guestmodules || o->guest_code ||
	       id_index_has_guests(g->of.id_index);
}

/* Takes over @path; NULL when nothing can be read there. */
static char *if_readable(char *path)
{
	if (!access(path, R_OK))
		return path;
	free(path);
	return NULL;
}

/* --guestmount DIR: DIR/PID is the root folder of a guest; NULL: there is none. */
static char *root_of(const struct options *o, int32_t pid)
{
	return o->guestmount && pid ? if_readable(xasprintf("%s/%d", o->guestmount, pid)) : NULL;
}

static char *kallsyms_in(const char *root)
{
	return root ? if_readable(xasprintf("%s/proc/kallsyms", root)) : NULL;
}

static struct machine *add_guest(struct guests *g, int32_t pid)
{
	struct guest guest = { .dsos = dsos_new_guest(g->of.dsos), .root = root_of(g->of.options, pid) };

	guest.machine = machine_new_guest(guest.dsos, pid);
	guest.kallsyms = kallsyms_in(guest.root);
	guest.find = setup_guest_find(g->of.options, g->of.arch, guest.root);
	guest.kernel = setup_guest_kernel(g->of.options, guest.root, guest.kallsyms, guest.find);
	symbolizer_add_machine(g->of.symbolizer, guest.machine, guest.find, guest.kernel);
	vec_push(&g->all, guest);
	hash_put_ptr(&g->by_pid, (uint32_t)pid, 0, guest.machine);
	return guest.machine;
}

/* @told: the recording says that it is a guest. */
static struct machine *guest_of(struct guests *g, int32_t pid, bool told)
{
	struct machine *machine = hash_get_ptr(&g->by_pid, (uint32_t)pid, 0);

	if (machine)
		return machine;
	if (pid > 0 && told && g->all.count < MAX_GUESTS)
		return add_guest(g, pid);
	machine = hash_get_ptr(&g->by_pid, 0, 0);
	return machine ? machine : add_guest(g, 0);
}

static struct machine *guest_by_id(struct guests *g, uint64_t id, int32_t pid, bool told)
{
	struct id_guest guest = id_index_guest(g->of.id_index, id);

	return guest.machine_pid ? guest_of(g, guest.machine_pid, true) : guest_of(g, pid, told);
}

struct machine *guests_machine_of_sample(struct guests *g, const struct sample *sample)
{
	if (!cpumode_is_guest(sample->cpumode) || !guests_are_shown(g))
		return g->of.host;
	return guest_by_id(g, sample->id, sample->pid, g->of.options->guest_code);
}

struct machine *guests_machine_of_record(struct guests *g, const struct record *record)
{
	if (!cpumode_is_guest(record->misc & MISC_CPUMODE_MASK) || !guests_are_shown(g))
		return g->of.host;
	if (record->type == RECORD_MMAP || record->type == RECORD_MMAP2)
		return guest_by_id(g, record->sid.id, (int32_t)record->mmap.pid, true);
	return guest_by_id(g, record->sid.id, record->sid.pid, g->of.options->guest_code);
}

void guests_build_id(struct guests *g, int32_t pid, bool kernel, const char *filename,
		     const struct build_id *id)
{
	machine_build_id(guest_of(g, pid, true), kernel, filename, id);
}
