#include "setup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "symbolize/ask_debuginfod.h"
#include "symbolize/demangle.h"
#include "symbolize/disasm.h"
#include "util/xalloc.h"

static struct err *check_debuginfod(const struct options *o)
{
	if (!o->debuginfod)
		return NULL;
	if (!ask_debuginfod_is_there())
		return err_new("--debuginfod: no libdebuginfod, here or when perf2txt was built");
	return ask_debuginfod_has_servers() ? NULL
					    : err_new("--debuginfod: $DEBUGINFOD_URLS names no server");
}

static struct err *check_disasm(const struct fields *fields)
{
	for (unsigned type = 0; type < OUTPUT_TYPES; type++) {
		if (fields->types[type].on & FIELD_DISASM && !disasm_is_there())
			return err_new(
				"-F disasm: no libcapstone of the version that perf2txt was built with");
	}
	return NULL;
}

/* Who is asked to count one event and prints all would have a wrong answer, or who leaves out the files. */
static struct err *check_folded(const struct options *o)
{
	const char *name = o->event_filters.count ? "event-filter"
			   : o->weight		  ? "weight"
			   : o->incomplete	  ? "incomplete"
						  : NULL;

	if (o->folded && o->per_event_dump)
		return err_new(
			"--per-event-dump is for the text: with --folded, --event-filter chooses an event");
	return name && !o->folded ? err_new("--%s goes with --folded only", name) : NULL;
}

struct err *setup_check_options(const struct options *o, const struct fields *fields)
{
	if (o->reltime && o->deltatime)
		return err_new("--reltime and --deltatime exclude each other");
	if (o->arch && arch_by_name(o->arch) == &arch_unknown)
		return err_new("--arch: '%s' is not known", o->arch);
	if (o->stats_form && strcmp(o->stats_form, "json"))
		return err_new("--stats: '%s' is not json", o->stats_form);
	struct err *err = check_folded(o);
	if (!err)
		err = check_disasm(fields);
	return err ? err : check_debuginfod(o);
}

/* A mistyped folder looks like one that lacks every file. @dir: NULL: was not given. */
static void check_folder(struct diag *diag, const char *option, const char *dir)
{
	AUTOFREE char *inside = dir ? xasprintf("%s/.", dir) : NULL;

	if (inside && access(inside, X_OK))
		diag_note(diag, "folders of options that cannot be searched", 1, "--%s %s: %s", option, dir,
			  strerror(errno));
}

/* A --sysroot that is nowhere is a usual way to use no file of this machine: the run goes on. */
static void check_folders(const struct options *o, struct diag *diag)
{
	check_folder(diag, "sysroot", o->sysroot);
	for (size_t i = 0; i < o->debug_dirs.count; i++)
		check_folder(diag, "debug-dir", o->debug_dirs.at[i]);
	for (size_t i = 0; i < o->extra_dirs.count; i++) {
		if (o->extra_dirs.at[i] != o->sysroot) /* --symfs DIR,flat is both */
			check_folder(diag, "extra-dir", o->extra_dirs.at[i]);
	}
	check_folder(diag, "buildid-dir", o->buildid_dir);
	check_folder(diag, "perf-map-dir", o->perf_map_dir);
}

/* What the recording's own machine is without goes without a name; what the user names has to be there. */
static struct err *check_given(const char *path, bool is_folder)
{
	struct stat st;

	if (access(path, R_OK) || stat(path, &st))
		return err_sys(path, "open");
	if (S_ISDIR(st.st_mode) != is_folder)
		return err_file(path, is_folder ? "not a directory" : "a directory, not a file");
	return NULL;
}

struct err *setup_check_files(const struct options *o, struct diag *diag)
{
	const char *const files[] = { o->vmlinux, o->kallsyms, o->guestvmlinux, o->guestkallsyms,
				      o->guestmodules };
	struct err *err = o->guestmount ? check_given(o->guestmount, true) : NULL;

	for (size_t i = 0; !err && i < sizeof(files) / sizeof(files[0]); i++)
		err = files[i] ? check_given(files[i], false) : NULL;
	if (!err)
		check_folders(o, diag);
	return err;
}

static bool is_same_file(const char *output, const char *input)
{
	bool is_stdin = !strcmp(input, "-");
	struct stat to, from;

	return !stat(output, &to) && S_ISREG(to.st_mode) &&
	       !(is_stdin ? fstat(STDIN_FILENO, &from) : stat(input, &from)) && to.st_dev == from.st_dev &&
	       to.st_ino == from.st_ino;
}

struct err *setup_open_output(const struct options *o, const char *input, int *ret_fd)
{
	*ret_fd = STDOUT_FILENO;
	if (!o->output)
		return NULL;
	if (is_same_file(o->output, input))
		return err_new("-o: %s is the recording itself", o->output);
	*ret_fd = open(o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return *ret_fd < 0 ? err_sys(o->output, "create the file") : NULL;
}

const struct arch *setup_arch(const struct options *o, const struct features *features)
{
	if (o->arch)
		return arch_by_name(o->arch);
	/* A 32-bit perf on a 64-bit kernel has the smaller ELF machine; uname -m is the kernel's. */
	if (features->arch && arch_by_name(features->arch) != &arch_unknown)
		return arch_by_name(features->arch);
	return features->e_machine ? arch_by_elf((uint16_t)features->e_machine, 0) : &arch_unknown;
}

bool setup_is_monotonic(const struct evlist *evlist)
{
	for (size_t i = 0; i < evlist->events.count; i++) {
		const struct attr *attr = &evlist->events.at[i]->attr;
		if (!(attr->sample_type & SAMPLE_TIME) || !attr_flag(attr, ATTR_USE_CLOCKID) ||
		    attr->clockid != CLOCK_MONOTONIC)
			return false;
	}
	return evlist->events.count;
}

struct fields_recording setup_fields_recording(const struct features *features, bool is_stream)
{
	return (struct fields_recording){
		.has_auxtrace = features_has(features, FEATURE_AUXTRACE),
		.has_stat = features_has(features, FEATURE_STAT),
		.has_clock_data = is_stream || features_has(features, FEATURE_CLOCK_DATA),
	};
}

static bool has_call_stacks(const struct evlist *evlist)
{
	const uint64_t wanted = BRANCH_CALL_STACK | BRANCH_HW_INDEX;

	for (size_t i = 0; i < evlist->events.count; i++) {
		if ((evlist->events.at[i]->attr.branch_sample_type & wanted) == wanted)
			return true;
	}
	return false;
}

uint32_t setup_lbr_registers(const struct features *features, const struct evlist *evlist)
{
	for (size_t i = 0; has_call_stacks(evlist) && i < features->cpu_pmu_caps.count; i++) {
		const struct name_value *cap = &features->cpu_pmu_caps.at[i];
		if (!strcmp(cap->name, "branches"))
			return (uint32_t)strtoul(cap->value, NULL, 10);
	}
	return 0;
}

static bool same(const char *recorded, const char *here)
{
	return recorded && !strcmp(recorded, here);
}

/* A recording without build-ids is believed to be this machine's when all that it says of itself fits. */
static bool host_is_recorded(const struct features *features)
{
	struct utsname here;

	return !uname(&here) && same(features->hostname, here.nodename) &&
	       same(features->osrelease, here.release) && same(features->arch, here.machine);
}

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xstrndup(path, (size_t)(slash - path) + (slash == path)) : xstrdup(".");
}

struct dso_find *setup_dso_find(const struct options *o, const struct recording *recording,
				struct recorded *recorded, const struct arch *arch)
{
	char *folder AUTOFREE = folder_of(o->input ? o->input : "perf.data");
	struct dso_find_options options = {
		.beside = o->input && !strcmp(o->input, "-") ? NULL : folder,
		.sysroot = o->sysroot,
		.debug_dirs = o->debug_dirs.at,
		.nr_debug_dirs = o->debug_dirs.count,
		.extra_dirs = o->extra_dirs.at,
		.nr_extra_dirs = o->extra_dirs.count,
		.buildid_dir = o->buildid_dir,
		.perf_map_dir = o->perf_map_dir,
		.debuginfod = o->debuginfod,
		.arch = arch,
		.host_is_recorded = host_is_recorded(recording->features),
		.host_is_unsaid = !recording->features->hostname,
		.recorded = recorded,
		.demangle = o->no_demangle ? NULL : demangle_symbol,
	};

	return dso_find_new(&options);
}

/* With a sysroot nothing of this machine is used. */
static struct kernel_host kernel_host(const struct options *o, const struct features *features)
{
	struct kernel_host host = { 0 };

	if (o->sysroot)
		return host;
	host.kallsyms = "/proc/kallsyms";
	host.same_machine = host_is_recorded(features);
	kernel_host_build_id(&host.id);
	return host;
}

/* Before 4.18 it was where the next map begins, mostly that of the modules. */
static bool kernel_ends_by_symbol(const struct features *features)
{
	return features->version && strtoul(features->version, NULL, 10) >= 5;
}

struct kernel *setup_kernel(const struct options *o, const struct recording *recording,
			    struct recorded *recorded, struct dso_find *find)
{
	const struct simpleperf *sp = recording->simpleperf;
	struct kernel_options options = {
		.kallsyms = o->kallsyms,
		.vmlinux = o->vmlinux,
		.sysroot = o->sysroot,
		.osrelease = recording->features->osrelease,
		.servers = find,
		.host = kernel_host(o, recording->features),
		.recorded_kallsyms = sp ? sp->kallsyms : NULL,
		.recorded_size = sp ? sp->kallsyms_size : 0,
		.recorded = recorded,
		.ends_by_symbol = kernel_ends_by_symbol(recording->features),
		.demangle = o->demangle_kernel && !o->no_demangle ? demangle_symbol : NULL,
	};

	options.buildid_dirs = dso_find_caches(find, &options.nr_buildid_dirs);
	return kernel_new(&options);
}

/* A guest's processor is the host's: its programs are too. */
struct dso_find *setup_guest_find(const struct options *o, const struct arch *arch, const char *root)
{
	struct dso_find_options options = {
		.sysroot = root,
		.debug_dirs = o->debug_dirs.at,
		.nr_debug_dirs = o->debug_dirs.count,
		.buildid_dir = o->buildid_dir,
		.debuginfod = o->debuginfod,
		.arch = arch,
		.demangle = o->no_demangle ? NULL : demangle_symbol,
	};

	return dso_find_new(&options);
}

/* With a vmlinux perf looks at no kallsyms. */
struct kernel *setup_guest_kernel(const struct options *o, const char *root, const char *kallsyms,
				  struct dso_find *find)
{
	struct kernel_options options = {
		.kallsyms = root	      ? kallsyms
			    : o->guestvmlinux ? NULL
					      : o->guestkallsyms,
		.vmlinux = root ? NULL : o->guestvmlinux,
		.sysroot = root,
		.servers = find,
		.guest = true,
		.demangle = o->demangle_kernel && !o->no_demangle ? demangle_symbol : NULL,
	};

	options.buildid_dirs = dso_find_caches(find, &options.nr_buildid_dirs);
	return kernel_new(&options);
}

static bool *folded_switch(struct folded_options *f, const char *word, size_t length)
{
	const struct {
		const char *word;
		bool *on;
	} words[] = {
		{ "pid", &f->pid },	    { "tid", &f->tid },	       { "kernel", &f->kernel },
		{ "jit", &f->jit },	    { "inline", &f->inlines }, { "addrs", &f->addrs },
		{ "srcline", &f->srcline },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i].word) == length && !memcmp(words[i].word, word, length))
			return words[i].on;
	}
	return NULL;
}

static struct err *parse_folded_list(const char *list, struct folded_options *ret)
{
	while (*list) {
		size_t length = strcspn(list, ",");
		bool *on = folded_switch(ret, list, length);
		if (on)
			*on = true;
		else if (length == 3 && !memcmp(list, "all", 3))
			ret->kernel = ret->jit = true;
		else
			return err_new("--folded: '%.*s' is none of pid, tid, kernel, jit, inline, all, "
				       "addrs, srcline",
				       (int)length, list);
		list += length + (list[length] == ',');
	}
	return NULL;
}

static struct err *parse_incomplete(const char *word, struct folded_options *ret)
{
	if (!strcmp(word, "keep"))
		ret->incomplete = FOLDED_KEEP;
	else if (!strcmp(word, "mark"))
		ret->incomplete = FOLDED_MARK;
	else if (!strcmp(word, "drop"))
		ret->incomplete = FOLDED_DROP;
	else
		return err_new("--incomplete: '%s' is none of keep, mark, drop", word);
	return NULL;
}

struct err *setup_folded(const struct options *o, struct folded_options *ret)
{
	*ret = (struct folded_options){
		.full_source_path = o->full_source_path,
		.events = o->event_filters.at,
		.nr_events = o->event_filters.count,
	};
	for (size_t i = 0; i < o->event_filters.count; i++)
		ret->all_events |= !strcmp(o->event_filters.at[i], "all");
	if (o->weight && strcmp(o->weight, "period") && strcmp(o->weight, "samples"))
		return err_new("--weight: '%s' is neither period nor samples", o->weight);
	ret->by_samples = o->weight && !strcmp(o->weight, "samples");
	struct err *err = o->incomplete ? parse_incomplete(o->incomplete, ret) : NULL;
	return err || !o->folded_list ? err : parse_folded_list(o->folded_list, ret);
}

void setup_list(const char *list, text_list *ret, char **keep)
{
	char *rest = *keep = list ? xstrdup(list) : NULL;

	while (rest)
		vec_push(ret, strsep(&rest, ","));
}
