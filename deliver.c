#include "deliver.h"

#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "cgroups.h"
#include "event_switch.h"
#include "events/counter.h"
#include "events/defer.h"
#include "events/tracepoint.h"
#include "guests.h"
#include "output/script_dump.h"
#include "output/script_dump_tool.h"
#include "output/script_header.h"
#include "output/script_record.h"
#include "recorded_functions.h"
#include "resolve.h"
#include "resolve_code.h"
#include "setup.h"
#include "source_code.h"
#include "symbolize/cfi.h"
#include "symbolize/dwarf.h"
#include "symbolize/image.h"
#include "symbolize/jit.h"
#include "symbolize/symtab.h"
#include "util/clear.h"
#include "util/noinline.h"
#include "util/xalloc.h"

/*
 * Samples that wait for each other, so that what their addresses mean, which is all over memory, is fetched
 * for all of them at once. They are of events that may_wait: nothing but the ip is looked up.
 */
#define MOST_WAITING 16
struct waiting {
	struct sample samples[MOST_WAITING];
	struct view views[MOST_WAITING];
	struct resolve_asked asked[MOST_WAITING];
	size_t count;
};

struct deliver {
	struct deliver_to to;
	struct dsos *dsos;
	struct machine *machine; /* the host */
	size_t nr_build_ids;	 /* of the recording's table that it and its guests know */
	bool prepared;		 /* the rest, but for counter to scratch, is there */
	struct recorded *recorded; /* NULL: the recording has no symbols itself */
	struct dso_find *find;
	struct kernel *kernel;
	struct symbolizer *symbolizer;
	struct guests *guests;
	struct jit *jit;
	struct resolve *resolve;
	struct resolve_code *code;
	struct counter *counter;
	struct defer *defer;
	struct sample_decoder *decoder;
	struct tracepoint *tracepoint; /* NULL: the recording has no formats */
	struct event_switch event_switch;
	struct source_code *source_code;
	struct cgroups cgroups;
	const struct arch *arch;  /* the recording's */
	VEC(uint64_t) late_chain; /* of a CALLCHAIN_DEFERRED that is printed by itself */
	unsigned shown;		  /* SHOW_* */
	bool dumps;		  /* -D */
	bool filters;		  /* not all samples are wanted */
	const struct event *needs_are_of; /* that of the last sample; NULL: to be asked for */
	unsigned needs;			  /* NEED_* */
	bool may_wait;			  /* as needs */
	struct sample sample;	  /* that was decoded last and did not wait */
	struct view view;	  /* of the sample that is printed now */
	bool view_has_more;	  /* than resolve_begin() and resolve_ip() fill */
	struct waiting waiting;
	uint64_t nr_samples, nr_passed; /* passed: when there are filters */
};

static unsigned shown(const struct options *o)
{
	return (o->show_task ? SHOW_TASK : 0) | (o->show_mmap ? SHOW_MMAP : 0) |
	       (o->show_switch ? SHOW_SWITCH : 0) | (o->show_namespace ? SHOW_NAMESPACE : 0) |
	       (o->show_lost ? SHOW_LOST : 0) | (o->show_bpf ? SHOW_BPF : 0) |
	       (o->show_cgroup ? SHOW_CGROUP : 0) | (o->show_text_poke ? SHOW_TEXT_POKE : 0);
}

/* dso.c knows none of the modules whose things a dso holds. */
static void free_dso_parts(struct dso *dso)
{
	symtab_free(dso->symtab);
	cfi_free(dso->cfi);
	dwarf_info_free(dso->dwarf);
	image_free(dso->binary);
	image_free(dso->debug);
	image_free(dso->names);
}

struct deliver *deliver_new(const struct deliver_to *to)
{
	struct deliver *d = xcalloc(1, sizeof(*d));

	d->to = *to;
	d->shown = shown(to->options);
	d->dumps = to->options->dump_raw && to->script;
	d->filters = filter_any(to->filter) || to->options->switch_on || to->options->switch_off;
	d->event_switch = event_switch_make(to->options);
	d->source_code = source_code_new(to->options->sysroot);
	d->dsos = dsos_new();
	dsos_set_free_hook(d->dsos, free_dso_parts);
	d->machine = machine_new(d->dsos);
	d->counter = counter_new(to->recording->evlist);
	d->defer = defer_new();
	d->decoder = xcalloc(1, sizeof(*d->decoder));
	deliver_tracing_data(d);
	return d;
}

void deliver_free(struct deliver *d)
{
	if (!d)
		return;
	free(d->decoder);
	vec_free(&d->late_chain);
	cgroups_free(&d->cgroups);
	source_code_free(d->source_code);
	tracepoint_free(d->tracepoint);
	defer_free(d->defer);
	counter_free(d->counter);
	resolve_code_free(d->code);
	resolve_free(d->resolve);
	symbolizer_free(d->symbolizer);
	guests_free(d->guests);
	jit_free(d->jit);
	kernel_free(d->kernel);
	dso_find_free(d->find);
	machine_free(d->machine);
	dsos_free(d->dsos);
	recorded_free(d->recorded);
	free(d);
}

/* Of --stitch-lbr; perf says that there is nothing to stitch, too. */
static uint32_t lbr_registers(const struct deliver *d)
{
	if (!d->to.options->stitch_lbr)
		return 0;
	uint32_t nr = setup_lbr_registers(d->to.recording->features, d->to.recording->evlist);
	if (!nr)
		diag_note(d->to.diag, "options without effect", 1,
			  "--stitch-lbr: no call stacks of branches (perf record --call-graph lbr) with "
			  "hardware indexes, or the number of branches (CPU_PMU_CAPS) is not recorded");
	return nr;
}

static struct guests *make_guests(const struct deliver *d)
{
	struct guests_of of = {
		.options = d->to.options,
		.arch = d->arch,
		.id_index = d->to.recording->id_index,
		.dsos = d->dsos,
		.host = d->machine,
		.symbolizer = d->symbolizer,
	};

	return guests_new(&of);
}

/* What has to be known before the first sample: the reader has read the header of a file, and of a pipe what
 * comes before the first record of the kernel. */
static void prepare(struct deliver *d)
{
	const struct features *features = d->to.recording->features;
	unsigned needs = fields_needs_any(d->to.fields, d->to.recording->evlist);
	struct symbolizer_options symbolizer_options = {
		.inlines = !d->to.options->no_inline,
		.lines = needs & NEED_SRCLINE || (d->to.folded && folded_wants_lines(d->to.folded)),
		.file_offsets = needs & (NEED_SRCLINE | NEED_DSOFF),
	};
	struct resolve_options resolve_options = {
		.max_stack = d->to.options->max_stack < 0 ? CALLCHAIN_MAX_STACK
							  : (unsigned)d->to.options->max_stack,
		.arch = setup_arch(d->to.options, features),
		.big_endian = d->to.recording->big_endian,
		.lbr_registers = lbr_registers(d),
		.guest_code = d->to.options->guest_code,
		/* What it unwound itself (libunwindstack), and what the kernel did: it lowers those, too. */
		.chains_of_calls = d->to.recording->simpleperf,
	};
	struct resolve_code_options code_options = {
		.arch = resolve_options.arch,
		.big_endian = d->to.recording->big_endian,
		.features = features,
		.disasm = needs & NEED_DISASM,
		.max_blocks = (unsigned)d->to.options->max_blocks,
	};

	d->arch = resolve_options.arch;
	if (d->to.recording->simpleperf)
		d->recorded = recorded_functions(d->to.recording->simpleperf);
	d->find = setup_dso_find(d->to.options, d->to.recording, d->recorded, resolve_options.arch);
	d->kernel = setup_kernel(d->to.options, d->to.recording, d->recorded, d->find);
	d->symbolizer = symbolizer_new(d->machine, d->find, d->kernel, &symbolizer_options);
	d->guests = make_guests(d);
	d->jit = jit_new(d->dsos, d->machine, d->find, setup_is_monotonic(d->to.recording->evlist));
	d->resolve = resolve_new(d->machine, d->symbolizer, &resolve_options);
	d->code = resolve_code_new(d->resolve, d->symbolizer, &code_options);
	d->prepared = true;
	deliver_build_ids(d);
}

/* Build-ids come in a feature of a file, or record by record in a pipe. */
void deliver_build_ids(struct deliver *d)
{
	const struct features *features = d->to.recording->features;

	for (; d->prepared && d->nr_build_ids < features->build_ids.count; d->nr_build_ids++) {
		const struct build_id_entry *entry = &features->build_ids.at[d->nr_build_ids];
		unsigned cpumode = entry->misc & MISC_CPUMODE_MASK;
		/* perf inject -b (7.2) calls files of the host that only call chains lead to a guest's. */
		bool of_guest = cpumode_is_guest(cpumode) &&
				!(cpumode == CPUMODE_GUEST_USER && entry->pid == BUILD_ID_OF_HOST);
		if (of_guest)
			guests_build_id(d->guests, entry->pid, cpumode == CPUMODE_GUEST_KERNEL,
					entry->filename, &entry->id);
		else
			machine_build_id(d->machine, cpumode == CPUMODE_KERNEL, entry->filename, &entry->id);
	}
}

/* Kernel functions in the text of a tracepoint have the names that samples would have. */
static const char *name_kernel_function(void *context, uint64_t *address)
{
	struct deliver *d = context;
	const struct maps *maps = symbolizer_kernel_maps(d->symbolizer, d->machine);
	struct spot spot = symbolizer_at(d->symbolizer, maps, *address, false);

	if (spot.location->name)
		*address -= spot_symoff(&spot);
	return spot.location->name;
}

/* Tracepoints that the recording gives no name are called as their format says. */
static void name_tracepoints(struct deliver *d)
{
	struct evlist *evlist = d->to.recording->evlist;

	for (size_t i = 0; i < evlist->events.count; i++) {
		struct event *event = evlist->events.at[i];
		if (event->attr.type != ATTR_TRACEPOINT || event->name_recorded)
			continue;
		const char *name = tracepoint_event_name(d->tracepoint, event->attr.config);
		if (name)
			event_set_name(event, name);
	}
	evlist_finish(evlist);
}

void deliver_tracing_data(struct deliver *d)
{
	const struct features *features = d->to.recording->features;
	const char *why;

	if (d->tracepoint || !features->tracing_data)
		return;
	d->tracepoint = tracepoint_new(features->tracing_data, features->tracing_data_size, &why);
	if (why)
		diag_note(d->to.diag, "formats of tracepoints that cannot be read", 1, "%s", why);
	if (!d->tracepoint)
		return;
	tracepoint_set_resolver(d->tracepoint, name_kernel_function, d);
	name_tracepoints(d);
}

static const char *file_of(const struct deliver *d, const struct raw_record *raw)
{
	return d->to.recording->inputs.at[raw->input];
}

static void bad_record(struct deliver *d, const struct raw_record *raw, const char *why)
{
	diag_note(d->to.diag, "damaged records skipped", 1, "%s: offset 0x%llx: %s: %s", file_of(d, raw),
		  (unsigned long long)raw->offset, record_type_name(raw->type), why);
}

/* perf clamps a processor that the recording says not to have. */
static bool has_cpu(const struct deliver *d, int32_t cpu)
{
	uint32_t nr_cpus = d->to.recording->features->nr_cpus_avail;

	return (uint32_t)cpu < nr_cpus || !nr_cpus || cpu < 0;
}

static void check_cpu(struct deliver *d, int32_t *cpu)
{
	if (has_cpu(d, *cpu))
		return;
	diag_note(d->to.diag,
		  "records of a processor that the recording does not have, taken for processor 0", 1,
		  "processor %d of %u", *cpu, d->to.recording->features->nr_cpus_avail);
	*cpu = 0;
}

/*
 * perf numbers the bytes of a stream from behind its header, and dumps an ATTR before it knows the event. A
 * file is called as on the command line.
 */
static void dump_raw(struct deliver *d, const struct raw_record *raw, int32_t cpu, uint64_t time)
{
	const struct recording *recording = d->to.recording;
	const struct evlist *evlist = recording->evlist;
	size_t known = evlist->events.count - (raw->type == RECORD_HEADER_ATTR && evlist->events.count);
	const struct event *first = known ? evlist->events.at[0] : NULL;
	uint64_t sample_types = 0;

	for (size_t i = 0; i < known; i++)
		sample_types |= evlist->events.at[i]->attr.sample_type;
	const struct script_dump_stamp stamp = {
		.unknown =
			raw->type != RECORD_SAMPLE && !(first && attr_flag(&first->attr, ATTR_SAMPLE_ID_ALL)),
		.with_cpu = sample_types & SAMPLE_CPU,
		.with_time = sample_types & SAMPLE_TIME,
		.cpu = has_cpu(d, cpu) ? (uint32_t)cpu : 0,
		.time = time,
	};

	const char *file = recording->directory ? file_of(d, raw) : d->to.input;
	script_dump_raw(script_writer(d->to.script), recording->header.pipe ? "pipe" : file,
			raw->offset - (recording->header.pipe ? recording->header.size : 0), raw, &stamp);
}

void deliver_dump_tool_record(struct deliver *d, const struct raw_record *raw)
{
	const struct recording *recording = d->to.recording;
	const struct evlist *evlist = recording->evlist;

	if (!d->dumps)
		return;
	struct writer *w = script_writer(d->to.script);
	dump_raw(d, raw, 0, 0);
	if (raw->type == RECORD_FINISHED_ROUND)
		script_dump_round(w, !d->to.options->dump_unsorted || d->to.options->show_round);
	else if (raw->type != RECORD_BPF_METADATA) /* see dump_metadata() */
		script_dump_tool_record(w, raw, recording->big_endian);
	if (raw->type == RECORD_HEADER_ATTR && evlist->events.count)
		script_header_attr(w, recording->features, evlist->events.at[evlist->events.count - 1]);
}

/* The one of perf's own records that may be shown without -D too: then all but its name is left to that. */
static void dump_metadata(struct deliver *d, const struct record *record)
{
	struct writer *w = script_writer(d->to.script);

	if (d->shown & script_record_shown_by(record->type))
		writer_printf(w, "PERF_RECORD_%s", record_type_name(record->type));
	else
		script_dump_record(w, NULL, record, NULL);
}

static bool is_shown(const struct deliver *d, const struct record *record)
{
	return script_record_shown_by(record->type) & d->shown && filter_cpu(d->to.filter, record->sid.cpu);
}

/* perf shows an EXIT before it dumps more than its name: the rest of the dump is behind what is shown. */
static bool ends_behind_shown(const struct deliver *d, const struct record *record)
{
	return d->dumps && record->type == RECORD_EXIT && is_shown(d, record);
}

static void dump_record(struct deliver *d, struct event *event, const struct raw_record *raw,
			const struct record *record)
{
	struct view_record view;

	if (!d->dumps)
		return;
	if (raw->type >= RECORD_USER_FIRST) { /* its bytes are there, see deliver_dump_tool_record() */
		if (raw->type == RECORD_BPF_METADATA)
			dump_metadata(d, record);
		return;
	}
	struct writer *w = script_writer(d->to.script);
	dump_raw(d, raw, record->sid.cpu, record->sid.time);
	if (record->type == RECORD_CALLCHAIN_DEFERRED) {
		script_dump_late_chain(w, event, record, d->to.recording->big_endian);
		return;
	}
	if (ends_behind_shown(d, record)) {
		writer_text(w, "PERF_RECORD_EXIT");
		return;
	}
	struct machine *machine = guests_machine_of_record(d->guests, record);
	resolve_record(d->resolve, machine, event, record, &view);
	script_dump_record(w, event, record, &view.addr);
}

static void dump_sample(struct deliver *d, const struct event *event, const struct sample *sample,
			const struct raw_record *raw)
{
	dump_raw(d, raw, sample->cpu, sample->time);
	script_dump_sample(script_writer(d->to.script), event, sample, raw, d->arch);
}

static void resolve_trace(struct deliver *d, struct view *view)
{
	const struct sample *sample = view->sample;

	if (d->tracepoint && sample->raw)
		view->trace.text =
			tracepoint_format(d->tracepoint, sample->raw, sample->raw_size, &view->trace.size);
}

/* Of the innermost call, where calls were inlined. */
static void resolve_source(struct deliver *d, struct view *view)
{
	const struct location *location = view->ip.location;
	const char *file = location->nr_inlines ? location->inlines[0].file : location->file;
	uint32_t line = location->nr_inlines ? location->inlines[0].line : location->line;

	if (!file)
		return;
	view->source = source_code_of_thread(d->source_code, view->tid, file, line);
	view->source_line = line;
}

static unsigned find_needs(const struct deliver *d, const struct event *event)
{
	if (!d->to.folded)
		return script_needs(d->to.script, event);
	bool chain = event->attr.sample_type & SAMPLE_CALLCHAIN && !d->to.options->hide_call_graph;
	return chain ? NEED_CHAIN : NEED_IP;
}

static NOINLINE void know_event(struct deliver *d, const struct event *event)
{
	d->needs_are_of = event;
	d->needs = find_needs(d, event);
	d->may_wait = d->needs == NEED_IP && sample_is_plain(event) && !counter_applies(event) &&
		      !d->filters && !d->dumps;
}

/* NEED_* of the formatter there is. */
static inline unsigned needs_of(struct deliver *d, const struct event *event)
{
	if (d->needs_are_of != event)
		know_event(d, event);
	return d->needs;
}

static inline bool may_wait(struct deliver *d, const struct event *event)
{
	needs_of(d, event);
	return d->may_wait;
}

void deliver_events_changed(struct deliver *d)
{
	d->needs_are_of = NULL;
	if (d->to.script)
		script_changed(d->to.script);
}

static void print_view(struct deliver *d, const struct view *view, const struct record *late)
{
	if (late)
		script_late_chain(d->to.script, view, late->deferred.cookie);
	else
		script_sample(d->to.script, view);
}

/* --per-event-dump */
static NOINLINE void dump_view(struct deliver *d, const struct view *view, const struct record *late)
{
	struct writer *all = script_writer(d->to.script), *own = event_dumps_sample(d->to.dumps, view->event);

	if (!own)
		return;
	script_set_writer(d->to.script, own);
	print_view(d, view, late);
	script_set_writer(d->to.script, all);
}

static inline void put_view(struct deliver *d, const struct view *view, const struct record *late)
{
	if (d->to.folded)
		folded_sample(d->to.folded, view);
	else if (d->to.dumps)
		dump_view(d, view, late);
	else
		print_view(d, view, late);
}

/* Does the sample pass the filters, of which there are some? Those that ask for what is looked up come late;
 * the last of all, as with perf, are the switches. */
static NOINLINE bool passes(struct deliver *d, struct view *view)
{
	if (!filter_thread(d->to.filter, view->comm, view->pid, view->tid))
		return false;
	if (filter_wants_location(d->to.filter) && !view->ip.location)
		resolve_ip(d->resolve, view);
	if (!filter_location(d->to.filter, view->ip.location, view->sample->ip))
		return false;
	if (d->to.options->graph_function) {
		d->view_has_more = true;
		resolve_chain(d->resolve, view);
		if (!filter_chain(d->to.filter, view->frames, view->nr_frames))
			return false;
	}
	if (!event_switch_passes(&d->event_switch, view->event))
		return false;
	d->nr_passed++;
	return true;
}

static NOINLINE void resolve_rare_fields(struct deliver *d, struct view *view, unsigned needs)
{
	if (needs & NEED_ADDR)
		resolve_addr(d->resolve, view);
	if (needs & NEED_BRANCHES)
		resolve_branches(d->resolve, view);
	if (needs & NEED_SRCCODE)
		resolve_source(d, view);
	if (needs & NEED_TRACE)
		resolve_trace(d, view);
	if (needs & NEED_CGROUP)
		view->cgroup = cgroups_path(&d->cgroups, view->sample->cgroup);
	if (needs & NEED_INSN)
		resolve_code_insn(d->code, view);
	if (needs & NEED_CODE)
		resolve_code_branches(d->code, view);
}

/* What has not been looked up already. */
static void resolve_fields(struct deliver *d, struct view *view)
{
	unsigned needs = needs_of(d, view->event);

	if (needs & (NEED_IP | NEED_INSN) && !view->ip.location)
		resolve_ip(d->resolve, view);
	if (!(needs & ~NEED_IP))
		return;
	d->view_has_more = true;
	if (needs & NEED_CHAIN && !view->has_chain)
		resolve_chain(d->resolve, view);
	if (needs & ~(NEED_IP | NEED_CHAIN))
		resolve_rare_fields(d, view, needs);
}

/* False: as with resolve_begin(). */
static bool begin_view(struct deliver *d, const struct event *event, const struct sample *sample,
		       struct view *view)
{
	bool shown = resolve_begin(d->resolve, guests_machine_of_sample(d->guests, sample), event, sample,
				   view);
	view->guest = id_index_guest(d->to.recording->id_index, sample->id);
	if (!shown)
		diag_count(d->to.diag,
			   "samples of virtual machines not shown (--guestmount, --guestkallsyms, "
			   "--guest-code)",
			   1);
	return shown;
}

/* @late: a CALLCHAIN_DEFERRED that @sample stands for; NULL: it is a sample. */
static void print_sample(struct deliver *d, const struct event *event, const struct sample *sample,
			 const struct record *late)
{
	struct view *view = &d->view;

	if (d->filters &&
	    (!filter_time(d->to.filter, sample->time) || !filter_cpu(d->to.filter, sample->cpu)))
		return;
	if (d->view_has_more)
		clear_bytes(view, sizeof(*view));
	d->view_has_more = false;
	bool shown = begin_view(d, event, sample, view);
	if (d->dumps) {
		resolve_ip(d->resolve, view);
		script_dump_task(script_writer(d->to.script), view);
	}
	if (!shown || (d->filters && !passes(d, view)))
		return;
	resolve_fields(d, view);
	put_view(d, view, late);
}

/* A sample with counts stands for one delivery of each count that moved. */
static void deliver_counts(struct deliver *d, struct event *event, const struct sample *sample)
{
	struct counter_delivery delivery;
	uint64_t index = 0;

	while (counter_next(d->counter, event, sample, &index, &delivery)) {
		struct sample one = *sample;
		one.period = delivery.period;
		one.id = delivery.id;
		print_sample(d, delivery.event, &one, NULL);
	}
}

/* Code that was compiled before is where it was. */
static void advance(struct deliver *d, uint64_t time)
{
	jit_advance(d->jit, time == UINT64_MAX ? 0 : time);
}

static inline void count_sample(struct deliver *d, struct sample *sample)
{
	d->nr_samples++;
	advance(d, sample->time);
	check_cpu(d, &sample->cpu);
}

static void deliver_decoded(struct deliver *d, struct event *event, struct sample *sample)
{
	count_sample(d, sample);
	if (counter_applies(event))
		deliver_counts(d, event, sample);
	else
		print_sample(d, event, sample, NULL);
}

/* NULL: it was counted. */
static struct event *event_of_sample(struct deliver *d, const struct raw_record *raw)
{
	struct event *event = evlist_of(d->to.recording->evlist, raw);

	if (!event)
		diag_note(d->to.diag, "samples of an event that the recording does not describe, skipped", 1,
			  "%s: offset 0x%llx", file_of(d, raw), (unsigned long long)raw->offset);
	return event;
}

/* False: it was counted as damaged. */
static bool decode_sample(struct deliver *d, const struct event *event, const struct raw_record *raw,
			  struct sample *sample)
{
	const char *why = sample_decode(d->decoder, event, raw, d->to.recording->big_endian, sample);

	if (why)
		bad_record(d, raw, why);
	return !why;
}

/* Waiting samples */

void deliver_flush(struct deliver *d)
{
	struct waiting *w = &d->waiting;

	if (!w->count)
		return;
	resolve_answer_ips(d->resolve, w->asked, w->count);
	for (size_t i = 0; i < w->count; i++)
		put_view(d, w->asked[i].view, NULL);
	w->count = 0;
}

static void wait_for_others(struct deliver *d, const struct event *event, const struct raw_record *raw)
{
	struct waiting *w = &d->waiting;
	struct sample *sample = &w->samples[w->count];
	struct view *view = &w->views[w->count];

	if (!decode_sample(d, event, raw, sample))
		return;
	count_sample(d, sample);
	if (!begin_view(d, event, sample, view))
		return;
	w->asked[w->count++] = resolve_ask_ip(d->resolve, view);
	if (w->count == MOST_WAITING)
		deliver_flush(d);
}

/* Records */

/* @held: it has waited for its user call chain already. */
static void deliver_sample(struct deliver *d, struct event *event, const struct raw_record *raw, bool held)
{
	struct sample *sample = &d->sample;
	uint64_t cookie;

	if (!decode_sample(d, event, raw, sample))
		return;
	if (d->dumps && !held)
		dump_sample(d, event, sample, raw);
	if (!held && attr_flag(&event->attr, ATTR_DEFER_CALLCHAIN) && !d->to.options->no_merge_callchains &&
	    callchain_is_deferred(sample->chain, sample->nr_chain, &cookie))
		defer_hold(d->defer, raw, sample->tid);
	else
		deliver_decoded(d, event, sample);
}

static void deliver_held(struct deliver *d, const struct raw_record *held)
{
	struct event *event = event_of_sample(d, held);

	if (event)
		deliver_sample(d, event, held, true);
}

/* A thread came back to user mode: all its samples that wait for the rest of their chain can go. */
static void deliver_deferred(struct deliver *d, const struct record *record)
{
	struct raw_record held;

	resolve_set_late_chain(d->resolve, record, d->to.recording->big_endian);
	while (defer_take(d->defer, record->sid.tid, &held))
		deliver_held(d, &held);
	resolve_set_late_chain(d->resolve, NULL, false);
}

/* --no-merge-callchains: the late part of a chain has a place of its own. */
static void print_deferred(struct deliver *d, struct event *event, const struct record *record)
{
	struct sample sample = {
		.misc = record->misc,
		.cpumode = record->misc & MISC_CPUMODE_MASK,
		.pid = record->sid.pid,
		.tid = record->sid.tid,
		.cpu = record->sid.cpu,
		.time = record->sid.time,
	};

	if (!event || d->to.folded)
		return;
	vec_clear(&d->late_chain);
	for (uint64_t i = 0; i < record->deferred.nr; i++)
		vec_push(&d->late_chain, record_deferred_ip(record, i, d->to.recording->big_endian));
	sample.chain = d->late_chain.at;
	sample.nr_chain = d->late_chain.count;
	print_sample(d, event, &sample, record);
}

/* Nothing printed does not say why. */
static void tell_silence(struct deliver *d)
{
	if (!d->nr_samples && !d->shown && !d->dumps)
		diag_count(d->to.diag, "recording without a readable sample", 1);
	else if (d->nr_samples && d->filters && !d->nr_passed)
		diag_count(d->to.diag, "samples, none of which is one that was asked for (--time, --pid ...)",
			   d->nr_samples);
}

void deliver_end(struct deliver *d)
{
	struct raw_record held;

	deliver_flush(d);
	while (defer_take_any(d->defer, &held))
		deliver_held(d, &held);
	const char *doubt = d->kernel ? kernel_doubt(d->kernel) : NULL;
	if (doubt)
		diag_note(d->to.diag, "kallsyms of another kernel, whose names are wrong here", 1, "%s",
			  doubt);
	tell_silence(d);
}

static void count_record(struct deliver *d, const struct raw_record *raw, const struct record *record)
{
	if (record->type == RECORD_LOST)
		diag_count(d->to.diag, "events lost by the kernel while recording", record->lost.lost);
	else if (record->type == RECORD_LOST_SAMPLES)
		diag_count(d->to.diag, "samples lost by the kernel while recording", record->lost.lost);
	else if (!strcmp(record_type_name(record->type), "UNKNOWN"))
		diag_note(d->to.diag, "records of unknown type skipped", 1, "%s: offset 0x%llx: type %u",
			  file_of(d, raw), (unsigned long long)raw->offset, raw->type);
}

static void show_record(struct deliver *d, struct event *event, const struct record *record)
{
	struct view_record view;

	if (d->to.folded)
		return;
	if (record->type == RECORD_AUXTRACE_ERROR) {
		script_auxtrace_error(d->to.script, record);
		return;
	}
	if (!is_shown(d, record))
		return;
	resolve_record(d->resolve, guests_machine_of_record(d->guests, record), event, record, &view);
	view.guest = id_index_guest(d->to.recording->id_index, record->sid.id);
	script_record(d->to.script, &view);
}

/* Of the host. */
static void map_came(struct deliver *d, const struct record_mmap *mmap)
{
	jit_mmap(d->jit, (int32_t)mmap->pid, mmap->filename);
	if (d->recorded && mmap->prot & PROT_FLAG_EXEC)
		recorded_map(d->recorded, mmap->filename, mmap->pgoff);
}

static void deliver_other(struct deliver *d, const struct raw_record *raw)
{
	struct event *event = evlist_of(d->to.recording->evlist, raw);
	struct record record;
	const char *why = record_decode(raw, event, d->to.recording->big_endian, &record);

	if (why) {
		bad_record(d, raw, why);
		return;
	}
	count_record(d, raw, &record);
	check_cpu(d, &record.sid.cpu);
	dump_record(d, event, raw, &record);
	if (record.type == RECORD_CALLCHAIN_DEFERRED && d->to.options->no_merge_callchains)
		print_deferred(d, event, &record);
	else if (record.type == RECORD_CALLCHAIN_DEFERRED)
		deliver_deferred(d, &record);
	advance(d, record.sid.time);
	struct machine *machine = guests_machine_of_record(d->guests, &record);
	apply_record(machine, &record);
	if ((record.type == RECORD_MMAP || record.type == RECORD_MMAP2) && machine == d->machine)
		map_came(d, &record.mmap);
	if (record.type == RECORD_CGROUP)
		cgroups_add(&d->cgroups, record.cgroup.id, record.cgroup.path);
	if (record.type == RECORD_TEXT_POKE &&
	    fields_needs_any(d->to.fields, d->to.recording->evlist) & (NEED_INSN | NEED_CODE))
		resolve_code_poke(d->code, machine, &record);
	show_record(d, event, &record);
	if (ends_behind_shown(d, &record))
		script_record_task(script_writer(d->to.script), &record);
}

void deliver_record(struct deliver *d, const struct raw_record *raw)
{
	if (!d->prepared)
		prepare(d);
	struct event *event = raw->type == RECORD_SAMPLE ? event_of_sample(d, raw) : NULL;
	if (event && may_wait(d, event)) {
		wait_for_others(d, event, raw);
		return;
	}
	deliver_flush(d);
	if (event)
		deliver_sample(d, event, raw, false);
	else if (raw->type != RECORD_SAMPLE)
		deliver_other(d, raw);
}

uint64_t deliver_nr_samples(const struct deliver *d)
{
	return d->nr_samples;
}

const struct dsos *deliver_dsos(const struct deliver *d)
{
	return d->dsos;
}

struct symbolizer_stats deliver_stats(const struct deliver *d)
{
	return d->prepared ? symbolizer_stats(d->symbolizer) : (struct symbolizer_stats){ 0 };
}

const struct user_stack_stats *deliver_stack_stats(const struct deliver *d)
{
	return d->prepared ? resolve_stack_stats(d->resolve) : NULL;
}
