#include "output/script.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "events/perf_abi.h"
#include "output/branch_text.h"
#include "output/data_src.h"
#include "output/script_code.h"
#include "symbolize/dso.h"
#include "util/blocks.h"
#include "util/digits.h"
#include "util/noinline.h"
#include "util/xalloc.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define COMM_WIDTH 16

/* What is decided once per event. */
struct plan {
	bool ready;
	bool branch_trace;
	bool branch_to; /* a branch trace that prints addr */
	bool addr_has_symbol;
	uint64_t on, ip_part; /* FIELD_* */
	uint64_t before_ip, behind_ip; /* those of `on` that few events have */
	char *event;		       /* "  cycles: " and blanks for blocks_copy(); owned */
	size_t event_size;
	struct frame_texts *texts;
	unsigned needs;	    /* NEED_* */
	uint32_t task_form; /* as in struct task_text */
};

/* The columns of a task: most samples are of tasks that had one just before. */
#define TASK_TEXTS 64
#define TASK_FIELDS (FIELD_COMM | FIELD_PID | FIELD_TID | FIELD_CPU)
#define TASK_COMM_BARE FIELD_IP /* the comm is not padded: the event has chains */
struct task_text {
	const char *comm; /* NULL: the slot is free */
	int32_t pid, tid, cpu;
	uint32_t form; /* some of TASK_FIELDS and TASK_COMM_BARE */
	uint32_t size;
	char text[48]; /* longer ones are not kept */
};

/* The text of a number that is mostly the one of the sample before: the second, the period. */
struct known_number {
	uint64_t value;
	size_t size;
	char text[DIGITS_MAX];
};

struct script {
	struct writer *writer;
	const struct fields *fields;
	const struct evlist *evlist;
	struct script_options options;
	VEC(struct plan) plans;		 /* by event->index */
	VEC(struct frame_texts *) texts; /* one for each set of ip_part fields in use */
	struct task_text tasks[TASK_TEXTS]; /* by tid and cpu: swapper is on all of them */
	int name_width;			    /* -1: no line printed yet */
	uint64_t first_time, previous_time; /* 0: none yet */
	struct known_number second;	    /* its value: where the second starts, in nanoseconds */
	struct known_number period;
	size_t data_src_width;
	uint64_t tod_second; /* of tod_text */
	char tod_text[32];
	size_t tod_size;
};

/* Stands for an address that was not looked up. */
static struct location nothing;
static const struct spot nowhere = { &nothing, 0 };

/* @behind stands behind the number. */
static NOINLINE void know_number(struct known_number *known, uint64_t value, uint64_t shown, int width,
				 char behind)
{
	char *end = digits_dec(known->text, shown, width);

	*end++ = behind;
	known->value = value;
	known->size = (size_t)(end - known->text);
}

/* A copy of a fixed size is a few moves. */
static char *put_known(char *at, const struct known_number *known)
{
	memcpy(at, known->text, sizeof(known->text));
	return at + known->size;
}

static const struct spot *spot_or_nowhere(const struct spot *spot)
{
	return spot->location ? spot : &nowhere;
}

struct script *script_new(struct writer *writer, const struct fields *fields,
			  const struct script_options *options, const struct evlist *evlist)
{
	struct script *s = xcalloc(1, sizeof(*s));

	s->writer = writer;
	s->fields = fields;
	s->options = *options;
	s->evlist = evlist;
	s->name_width = -1;
	s->tod_second = UINT64_MAX;
	know_number(&s->second, 0, 0, 5, '.');
	know_number(&s->period, 0, 0, 10, ' ');
	return s;
}

void script_free(struct script *s)
{
	if (!s)
		return;
	script_changed(s);
	for (size_t i = 0; i < s->texts.count; i++) {
		frame_texts_deinit(s->texts.at[i]);
		free(s->texts.at[i]);
	}
	vec_free(&s->texts);
	vec_free(&s->plans);
	free(s);
}

void script_set_writer(struct script *s, struct writer *writer)
{
	s->writer = writer;
}

struct writer *script_writer(const struct script *s)
{
	return s->writer;
}

void script_changed(struct script *s)
{
	for (size_t i = 0; i < s->plans.count; i++)
		free(s->plans.at[i].event);
	vec_clear(&s->plans);
}

/* Plans */

static struct frame_texts *texts_for(struct script *s, uint64_t parts)
{
	for (size_t i = 0; i < s->texts.count; i++) {
		if (s->texts.at[i]->parts == parts)
			return s->texts.at[i];
	}
	struct frame_texts *texts = xmalloc(sizeof(*texts));
	frame_texts_init(texts, parts, &s->options.frames);
	vec_push(&s->texts, texts);
	return texts;
}

/* perf takes the width of the longest name when it prints the first sample, and keeps it. */
static NOINLINE void make_event_text(struct script *s, struct plan *plan, const char *name)
{
	if (s->name_width < 0)
		s->name_width = s->evlist->name_width;
	plan->event = xasprintf("%*s: %*s", s->name_width, name, BLOCK, "");
	plan->event_size = strlen(plan->event) - BLOCK;
}

static void make_plan(struct script *s, struct plan *plan, const struct event *event)
{
	const struct fields_of_type *of = fields_of(s->fields, event);
	const struct attr *attr = &event->attr;
	bool bpf_output = attr->type == ATTR_SOFTWARE && attr->config == SW_BPF_OUTPUT &&
			  strcmp(event->name, "offcpu-time") != 0;

	plan->on = of->on;
	plan->ip_part = of->ip_part;
	plan->before_ip = of->on & (FIELD_TRACE | FIELD_ADDR | FIELD_DATA_SRC | FIELD_WEIGHT | FIELD_INS_LAT |
				    FIELD_RETIRE_LAT | FIELD_CGROUP);
	plan->behind_ip =
		of->on & (FIELD_IREGS | FIELD_UREGS | FIELD_BRSTACK | FIELD_BRSTACKSYM | FIELD_BRSTACKOFF |
			  (bpf_output ? FIELD_BPF_OUTPUT : 0) | FIELD_INSN | FIELD_INSNLEN | FIELD_DISASM |
			  FIELD_BRSTACKINSN | FIELD_BRSTACKINSNLEN | FIELD_BRSTACKDISASM | FIELD_PHYS_ADDR |
			  FIELD_DATA_PAGE_SIZE | FIELD_CODE_PAGE_SIZE);
	plan->task_form = of->on & TASK_FIELDS;
	if (fields_print_chain(s->fields, event))
		plan->task_form |= TASK_COMM_BARE;
	plan->branch_trace = attr_is_branch_trace(attr);
	plan->branch_to = of->on & FIELD_ADDR || (attr->sample_type & SAMPLE_ADDR && !of->touched);
	plan->addr_has_symbol = attr_addr_has_symbol(attr);
	plan->texts = texts_for(s, of->ip_part);
	plan->needs = fields_needs(s->fields, event);
	plan->ready = true;
}

static NOINLINE struct plan *add_plan(struct script *s, const struct event *event)
{
	if (event->index >= s->plans.count) {
		size_t old = s->plans.count;
		vec_reserve(&s->plans, (size_t)event->index + 1);
		s->plans.count = (size_t)event->index + 1;
		memset(s->plans.at + old, 0, (s->plans.count - old) * sizeof(*s->plans.at));
	}
	struct plan *plan = &s->plans.at[event->index];
	make_plan(s, plan, event);
	return plan;
}

static inline struct plan *plan_of(struct script *s, const struct event *event)
{
	if (event->index < s->plans.count && s->plans.at[event->index].ready)
		return &s->plans.at[event->index];
	return add_plan(s, event);
}

unsigned script_needs(struct script *s, const struct event *event)
{
	return plan_of(s, event)->needs;
}

/* The columns in front */

static char *put_comm(char *at, const struct script *s, uint32_t form, const char *comm)
{
	size_t size = strlen(comm);
	int width = form & TASK_COMM_BARE ? 0 : COMM_WIDTH;

	if (s->options.latency) {
		width = 8;
		size = size < 8 ? size : 8;
	}
	at = digits_pad(at, width - (int)size);
	memcpy(at, comm, size);
	at[size] = ' ';
	return at + size + 1;
}

static char *put_ids(char *at, uint32_t on, int32_t pid, int32_t tid)
{
	if (!(on & (FIELD_PID | FIELD_TID)))
		return at;
	at = digits_sdec(at, on & FIELD_PID ? pid : tid, 7);
	if (on & FIELD_PID && on & FIELD_TID) {
		*at++ = '/';
		char *from = at;
		at = digits_sdec(at, tid, 0);
		at = digits_pad(at, 7 - (int)(at - from));
	}
	*at++ = ' ';
	return at;
}

static char *put_cpu(char *at, int32_t cpu, bool latency)
{
	if (latency) {
		at = digits_sdec(at, cpu, 3);
		*at++ = ' ';
		return at;
	}
	*at++ = '[';
	if (cpu < 0)
		*at++ = '-';
	uint64_t number = cpu < 0 ? 0 - (uint64_t)cpu : (uint64_t)cpu;
	int least = cpu < 0 ? 2 : 3;
	at = number < 100 ? digits_fixed(at, number, least) : digits_dec(at, number, 0);
	*at++ = ']';
	*at++ = ' ';
	return at;
}

static NOINLINE char *put_misc(char *at, uint16_t misc, uint32_t type)
{
	char *from = at;

	if (misc & CPUMODE_KERNEL)
		*at++ = 'K';
	if (misc & CPUMODE_USER)
		*at++ = 'U';
	if ((misc & CPUMODE_HYPERVISOR) == CPUMODE_HYPERVISOR)
		*at++ = 'H';
	if (misc & CPUMODE_GUEST_KERNEL)
		*at++ = 'G';
	if ((misc & CPUMODE_GUEST_USER) == CPUMODE_GUEST_USER)
		*at++ = 'g';
	if ((type == RECORD_MMAP || type == RECORD_MMAP2) && misc & MISC_MMAP_DATA)
		*at++ = 'M';
	if (type == RECORD_COMM && misc & MISC_COMM_EXEC)
		*at++ = 'E';
	if ((type == RECORD_SWITCH || type == RECORD_SWITCH_CPU_WIDE) && misc & MISC_SWITCH_OUT) {
		*at++ = 'S';
		if (misc & MISC_SWITCH_OUT_PREEMPT)
			*at++ = 'p';
	}
	int left = 6 - (int)(at - from);
	return digits_pad(at, left > 1 ? left : 1);
}

/* Local time, as perf: the process's time zone. The text of a second is kept. */
static NOINLINE char *put_tod(struct script *s, char *at, uint64_t time)
{
	const struct features *f = s->options.features;
	if (!features_has(f, FEATURE_CLOCK_DATA))
		return mempcpy(at, "disabled ", strlen("disabled "));
	uint64_t wall = f->clock_data.wall_ns + (time - f->clock_data.clock_ns);
	uint64_t second = wall / NS_PER_SECOND;

	if (second != s->tod_second) {
		time_t when = (time_t)second;
		struct tm tm = { 0 };
		localtime_r(&when, &tm);
		s->tod_size = strftime(s->tod_text, sizeof(s->tod_text), "%Y-%m-%d %H:%M:%S.", &tm);
		s->tod_second = second;
	}
	memcpy(at, s->tod_text, s->tod_size);
	at += s->tod_size;
	uint32_t ns = (uint32_t)(wall % NS_PER_SECOND);
	at = s->options.ns ? digits_fixed(at, ns, 9) : digits_six(at, ns / 1000);
	*at++ = ' ';
	return at;
}

/* With --reltime and --deltatime a time of 0 counts as "none yet", as in perf. */
static NOINLINE uint64_t shown_time(struct script *s, uint64_t time)
{
	uint64_t shown = time;

	if (!s->first_time)
		s->first_time = time;
	if (s->options.reltime)
		shown = time - s->first_time;
	if (s->options.deltatime)
		shown = s->previous_time ? time - s->previous_time : 0;
	s->previous_time = time;
	return shown;
}

static inline char *put_time(struct script *s, char *at, uint64_t time)
{
	uint64_t shown = s->options.reltime || s->options.deltatime ? shown_time(s, time) : time;

	/* %12s with six digits and the point behind; %5lu with nine */
	if (shown < s->second.value || shown - s->second.value >= NS_PER_SECOND)
		know_number(&s->second, shown - shown % NS_PER_SECOND, shown / NS_PER_SECOND, 5, '.');
	uint32_t ns = (uint32_t)(shown - s->second.value);
	at = put_known(at, &s->second);
	at = s->options.ns ? digits_fixed(at, ns, 9) : digits_six(at, ns / 1000);
	*at++ = ':';
	*at++ = ' ';
	return at;
}

static char *put_period(struct script *s, char *at, uint64_t period)
{
	if (period != s->period.value)
		know_number(&s->period, period, period, 10, ' ');
	return put_known(at, &s->period);
}

/* comm, pid, tid and cpu. Kept in @task, when it has room for the text. */
static NOINLINE char *put_new_task(struct script *s, struct task_text *task)
{
	char *from = writer_room(s->writer, strlen(task->comm) + WRITER_SMALL), *at = from;

	if (task->form & FIELD_COMM)
		at = put_comm(at, s, task->form, task->comm);
	at = put_ids(at, task->form, task->pid, task->tid);
	if (task->form & FIELD_CPU)
		at = put_cpu(at, task->cpu, s->options.latency);
	task->size = (uint32_t)(at - from);
	if (task->size <= sizeof(task->text))
		memcpy(task->text, from, task->size);
	else
		task->comm = NULL;
	return at;
}

static inline char *put_task(struct script *s, const struct plan *plan, const struct script_prefix *p)
{
	struct task_text *task = &s->tasks[((uint32_t)p->tid + (uint32_t)p->cpu) % TASK_TEXTS];

	if (task->comm != p->comm || task->tid != p->tid || task->pid != p->pid || task->cpu != p->cpu ||
	    task->form != plan->task_form) {
		*task = (struct task_text){ p->comm, p->pid, p->tid, p->cpu, plan->task_form, 0, "" };
		return put_new_task(s, task);
	}
	char *at = writer_reserve(s->writer);
	memcpy(at, task->text, sizeof(task->text));
	return at + task->size;
}

static NOINLINE void put_guest(struct script *s, uint64_t on, struct id_guest guest)
{
	if (on & FIELD_MACHINE_PID)
		writer_printf(s->writer, "VM:%5d ", guest.machine_pid);
	if (on & FIELD_VCPU)
		writer_printf(s->writer, "VCPU:%03d ", guest.vcpu);
}

/* Returns the place behind it, where the numbers that may follow have room. */
static inline char *put_prefix(struct script *s, const struct plan *plan, const struct script_prefix *p)
{
	if (p->guest.machine_pid)
		put_guest(s, plan->on, p->guest);
	char *at = put_task(s, plan, p);
	if (plan->on & FIELD_MISC)
		at = put_misc(at, p->misc, p->record_type);
	if (plan->on & FIELD_TOD)
		at = put_tod(s, at, p->time);
	if (plan->on & FIELD_TIME)
		at = put_time(s, at, p->time);
	return at;
}

void script_put_prefix(struct script *s, const struct event *event, const struct script_prefix *prefix)
{
	writer_advance(s->writer, put_prefix(s, plan_of(s, event), prefix));
}

/* Addresses */

static void put_text(struct writer *w, const struct frame_text *text, const struct spot *spot)
{
	writer_advance(w, frame_text_put(writer_room(w, text->room), text, spot));
}

/* A deferred call chain that never came: its cookie stands where its frames would. */
static void put_cookie(struct script *s, const struct plan *plan, uint64_t cookie)
{
	if (plan->ip_part & FIELD_IP)
		writer_advance(s->writer, frame_ip_put(writer_reserve(s->writer), cookie));
	if (plan->ip_part & FIELD_SYM)
		writer_text(s->writer, " (cookie)");
	if (plan->ip_part & FIELD_DSO)
		writer_text(s->writer, " ([unknown])");
	writer_char(s->writer, '\n');
}

/* The texts of frames are all over memory: ask for all at once. */
static void fetch_texts(const struct view *view)
{
	for (size_t i = 0; i < view->nr_frames; i++) {
		if (!view->frames[i].is_cookie)
			location_fetch_text(view->frames[i].spot.location);
	}
}

static NOINLINE void put_chain(struct script *s, const struct plan *plan, const struct view *view)
{
	struct writer *w = s->writer;
	struct frame_texts *texts = plan->texts;
	const struct view_frame *frame = view->frames, *end = frame + view->nr_frames;

	writer_char(w, '\n');
	fetch_texts(view);
	for (; frame < end; frame++) {
		if (frame->is_cookie) {
			put_cookie(s, plan, frame->ip);
			continue;
		}
		const struct frame_text *text = frame_text_of(texts, &frame->spot);
		char *at = writer_room(w, text->room);
		writer_advance(w, frame_lines_put(at, texts, text, frame->ip, &frame->spot));
		if (text->stop)
			return;
	}
}

static bool has_chain(const struct script *s, const struct view *view)
{
	return view->has_chain && s->fields->use_callchain;
}

/* The single form. */
static inline void put_ip(struct script *s, const struct plan *plan, const struct view *view)
{
	const struct spot *spot = spot_or_nowhere(&view->ip);
	const struct frame_text *text = frame_line_of(plan->texts, spot);
	char *at = writer_room(s->writer, text->room);

	*at++ = ' ';
	if (plan->ip_part & FIELD_IP)
		at = digits_hex16(at, view->sample->ip);
	writer_advance(s->writer, frame_text_put(at, text, spot));
}

static inline void put_ip_part(struct script *s, const struct plan *plan, const struct view *view)
{
	if (has_chain(s, view))
		put_chain(s, plan, view);
	else
		put_ip(s, plan, view);
}

static void put_symbol(struct script *s, const struct spot *spot, bool offset)
{
	const char *name = spot->location->name;

	writer_text(s->writer, name ? name : "[unknown]");
	if (!name || !offset)
		return;
	writer_bytes(s->writer, "+0x", 3);
	writer_hex(s->writer, spot_symoff(spot), 0);
}

static void put_dso(struct script *s, const struct plan *plan, const struct spot *spot)
{
	const char *name = plan->on & FIELD_DSOFF ? frame_dsoff_name(spot->location->dso) : NULL;

	writer_bytes(s->writer, " (", 2);
	if (name) {
		writer_text(s->writer, name);
		writer_bytes(s->writer, "+0x", 3);
		writer_hex(s->writer, frame_dsoff(spot), 0);
	} else {
		writer_text(s->writer, frame_dso_name(spot->location, s->options.frames.show_kernel_path));
	}
	writer_char(s->writer, ')');
}

static void put_addr(struct script *s, const struct plan *plan, const struct view *view)
{
	const struct spot *spot = spot_or_nowhere(&view->addr);

	writer_hex(s->writer, view->sample->addr, 16);
	if (!plan->addr_has_symbol)
		return;
	if (plan->on & FIELD_SYM) {
		writer_char(s->writer, ' ');
		put_symbol(s, spot, plan->on & FIELD_SYMOFF);
	}
	if (plan->on & FIELD_DSO)
		put_dso(s, plan, spot);
}

/* Memory accesses */

/* Padded to the longest that was printed so far. */
static void put_data_src(struct script *s, uint64_t value)
{
	char text[DATA_SRC_MAX];
	size_t size = data_src_text(value, text);

	if (size > s->data_src_width)
		s->data_src_width = size;
	writer_bytes(s->writer, text, size);
	for (size_t i = size; i < s->data_src_width; i++)
		writer_char(s->writer, ' ');
}

static NOINLINE void put_before_ip(struct script *s, const struct plan *plan, const struct view *view)
{
	const struct sample *sample = view->sample;

	if (plan->on & FIELD_TRACE && view->trace.size)
		writer_bytes(s->writer, view->trace.text, view->trace.size);
	if (plan->on & FIELD_ADDR)
		put_addr(s, plan, view);
	if (plan->on & FIELD_DATA_SRC)
		put_data_src(s, sample->data_src);
	if (plan->on & FIELD_WEIGHT)
		writer_dec(s->writer, sample->weight, 16);
	if (plan->on & FIELD_INS_LAT)
		writer_dec(s->writer, sample->ins_lat, 16);
	if (plan->on & FIELD_RETIRE_LAT)
		writer_dec(s->writer, sample->retire_lat, 16);
	if (plan->on & FIELD_CGROUP) {
		writer_char(s->writer, ' ');
		writer_text(s->writer, view->cgroup ? view->cgroup : "unknown");
	}
}

/* Behind the ip */

static void put_regs(struct script *s, const struct sample_regs *regs, const struct arch *arch)
{
	uint64_t index = 0;

	if (!regs->abi || !regs->values)
		return;
	writer_text(s->writer, " ABI:");
	writer_dec(s->writer, regs->abi, 0);
	writer_char(s->writer, ' ');
	for (unsigned number = 0; number < 64; number++) {
		if (!(regs->mask >> number & 1))
			continue;
		const char *name = arch && number < arch->nr_regs ? arch->regs[number].name : NULL;
		writer_text_right(s->writer, name ? name : "unknown", 5);
		writer_bytes(s->writer, ":0x", 3);
		writer_hex(s->writer, regs->values[index++], 0);
		writer_char(s->writer, ' ');
	}
}

/* "/P/-/-/4/RET/- " */
static void put_branch_flags(struct script *s, uint64_t flags)
{
	const char *spec = branch_spec_text(flags);
	bool mispredicted = flags & 1, predicted = flags >> 1 & 1, not_taken = flags >> 33 & 1;
	char *at = writer_reserve(s->writer);

	*at++ = '/';
	*at++ = predicted ? 'P' : mispredicted || not_taken ? 'M' : '-';
	if (not_taken)
		*at++ = 'N';
	*at++ = '/';
	*at++ = flags & 4 ? 'X' : '-';
	*at++ = '/';
	*at++ = flags & 8 ? 'A' : '-';
	*at++ = '/';
	at = digits_dec(at, flags >> 4 & 0xffff, 0);
	*at++ = '/';
	writer_advance(s->writer, at);
	writer_text(s->writer, branch_type_text(flags));
	writer_char(s->writer, '/');
	writer_text(s->writer, *spec ? spec : "-");
	writer_char(s->writer, ' ');
}

/* @form: the one field of the three that is printed. */
static void put_branch_end(struct script *s, const struct plan *plan, uint64_t form, uint64_t address,
			   const struct spot *spot)
{
	const struct dso *dso = spot->location->dso;

	if (form == FIELD_BRSTACKSYM) {
		put_symbol(s, spot, true);
	} else {
		/* brstackoff: the place in the file, unless an ELF image told that addresses are to be kept.
		 */
		bool offset = form == FIELD_BRSTACKOFF && dso && !dso->binary;
		writer_bytes(s->writer, "0x", 2);
		writer_hex(s->writer, offset ? spot->offset : address, 0);
	}
	if (plan->on & FIELD_DSO)
		put_dso(s, plan, spot);
}

/* Only the first of brstack, brstacksym and brstackoff that is on. brstacksym has no blank in front. */
static void put_branches(struct script *s, const struct plan *plan, const struct view *view)
{
	uint64_t form = plan->on & FIELD_BRSTACK      ? FIELD_BRSTACK
			: plan->on & FIELD_BRSTACKSYM ? FIELD_BRSTACKSYM
						      : FIELD_BRSTACKOFF;

	for (uint64_t i = 0; view->sample->branches && i < view->sample->nr_branches; i++) {
		const struct branch_entry *branch = &view->sample->branches[i];
		const struct spot *from = view->branches ? &view->branches[2 * i] : &nowhere;
		const struct spot *to = view->branches ? &view->branches[2 * i + 1] : &nowhere;
		if (form != FIELD_BRSTACKSYM)
			writer_char(s->writer, ' ');
		put_branch_end(s, plan, form, branch->from, from);
		writer_char(s->writer, '/');
		put_branch_end(s, plan, form, branch->to, to);
		put_branch_flags(s, branch->flags);
	}
}

#define BPF_LINE 8

static void put_bpf_line(struct script *s, const uint8_t *raw, uint32_t size, uint32_t from)
{
	writer_text_right(s->writer, from ? "" : "BPF output:", 17);
	char *at = writer_reserve(s->writer);
	*at++ = ' ';
	if (from <= 0xffff) {
		at = digits_hex2(at, (uint8_t)(from >> 8));
		at = digits_hex2(at, (uint8_t)from);
	} else {
		at = digits_hex_any(at, from);
	}
	*at++ = ':';
	for (uint32_t i = from; i < from + BPF_LINE; i++) {
		*at++ = ' ';
		at = i < size ? digits_hex2(at, raw[i]) : digits_pad(at, 2);
	}
	at = digits_pad(at, 2);
	for (uint32_t i = from; i < from + BPF_LINE; i++)
		*at++ = i >= size ? ' ' : raw[i] >= 0x20 && raw[i] < 0x7f ? (char)raw[i] : '.';
	*at++ = '\n';
	writer_advance(s->writer, at);
}

/* Printable text, then nothing but NULs, of which there is one. */
static bool is_padded_text(const uint8_t *raw, uint32_t size)
{
	uint32_t i = 0;

	while (i < size && raw[i] >= 0x20 && raw[i] < 0x7f)
		i++;
	bool nul = i < size;
	while (i < size && !raw[i])
		i++;
	return nul && i == size;
}

static void put_bpf_output(struct script *s, const uint8_t *raw, uint32_t size)
{
	writer_char(s->writer, '\n');
	if (!raw)
		return;
	for (uint32_t from = 0; from < size; from += BPF_LINE)
		put_bpf_line(s, raw, size, from);
	if (!is_padded_text(raw, size))
		return;
	writer_text_right(s->writer, "BPF string:", 17);
	writer_bytes(s->writer, " \"", 2);
	writer_text(s->writer, (const char *)raw);
	writer_bytes(s->writer, "\"\n", 2);
}

static void put_code(struct script *s, const struct plan *plan, const struct view *view)
{
	if (plan->on & (FIELD_INSN | FIELD_INSNLEN | FIELD_DISASM))
		script_code_insn(s->writer, plan->on, view);
	if (plan->on & (FIELD_BRSTACKINSN | FIELD_BRSTACKINSNLEN | FIELD_BRSTACKDISASM))
		script_code_branches(s->writer, plan->on, view,
				     plan->on & FIELD_SRCLINE ? texts_for(s, FIELD_SRCLINE) : NULL);
}

/* 4096 is "4K", 2^30 is "1024M": a unit is left only for a quotient above 1. */
void script_put_page_size(struct writer *w, uint64_t size)
{
	int unit = 0;

	writer_char(w, ' ');
	if (!size) {
		writer_bytes(w, "N/A", 3);
		return;
	}
	while (size / 1024 > 1 && unit < 3) {
		size /= 1024;
		unit++;
	}
	writer_dec(w, size, 0);
	writer_char(w, "BKMG"[unit]);
}

static NOINLINE void put_behind_ip(struct script *s, const struct plan *plan, const struct view *view)
{
	const struct sample *sample = view->sample;

	if (plan->on & FIELD_IREGS)
		put_regs(s, &sample->intr_regs, view->arch);
	if (plan->on & FIELD_UREGS)
		put_regs(s, &sample->user_regs, view->arch);
	if (plan->on & (FIELD_BRSTACK | FIELD_BRSTACKSYM | FIELD_BRSTACKOFF))
		put_branches(s, plan, view);
	if (plan->behind_ip & FIELD_BPF_OUTPUT)
		put_bpf_output(s, sample->raw, sample->raw_size);
	put_code(s, plan, view);
	if (plan->on & FIELD_PHYS_ADDR)
		writer_hex(s->writer, sample->phys_addr, 16);
	if (plan->on & FIELD_DATA_PAGE_SIZE)
		script_put_page_size(s->writer, sample->data_page_size);
	if (plan->on & FIELD_CODE_PAGE_SIZE)
		script_put_page_size(s->writer, sample->code_page_size);
}

/* "ip => addr". The source line of the ip comes last, unless there is a chain. */
static NOINLINE void put_branch_trace(struct script *s, const struct plan *plan, const struct view *view)
{
	bool chain = has_chain(s, view), ip = plan->on & FIELD_IP;
	struct plan without = *plan;

	without.ip_part &= ~FIELD_SRCLINE;
	without.texts = texts_for(s, without.ip_part);
	if (ip)
		put_ip_part(s, chain ? plan : &without, view);
	if (plan->branch_to) {
		writer_bytes(s->writer, " => ", 4);
		put_addr(s, plan, view);
	}
	if (ip && !chain && plan->ip_part & FIELD_SRCLINE) {
		const struct spot *spot = spot_or_nowhere(&view->ip);
		put_text(s->writer, frame_line_of(texts_for(s, FIELD_SRCLINE), spot), spot);
	}
	put_code(s, plan, view);
}

/* Flags of AUX-decoded samples, which are none: "  %-21s ". */
static void put_flags(struct script *s)
{
	writer_advance(s->writer, digits_pad(writer_reserve(s->writer), 24));
}

/* Which letter stands for which event in the counters of a branch (brstackinsn): before each sample. */
static NOINLINE void put_counter_names(struct script *s)
{
	char letter = 'A';

	writer_text(s->writer, "# Branch counter abbr list:\n");
	for (size_t i = 0; i < s->evlist->events.count; i++) {
		const struct event *event = s->evlist->events.at[i];
		if (!(event->attr.branch_sample_type & BRANCH_COUNTERS))
			continue;
		writer_text(s->writer, "# ");
		writer_text(s->writer, event->name);
		writer_text(s->writer, " = ");
		writer_char(s->writer, letter);
		writer_char(s->writer, '\n');
		letter = letter == 'Z' ? 'A' : (char)(letter + 1);
	}
	writer_text(s->writer, "# '-' No event occurs\n"
			       "# '+' Event occurrences may be lost due to branch counter saturated\n");
}

static NOINLINE void put_source(struct script *s, const struct view *view)
{
	writer_printf(s->writer, "|%-8u ", view->source_line);
	writer_bytes(s->writer, view->source.text, view->source.size);
	writer_char(s->writer, '\n');
}

static void put_event(struct script *s, struct plan *plan, const char *name)
{
	if (!plan->event)
		make_event_text(s, plan, name);
	char *at = writer_room(s->writer, plan->event_size + BLOCK);
	writer_advance(s->writer, blocks_copy(at, plan->event, plan->event_size));
}

void script_sample(struct script *s, const struct view *view)
{
	struct plan *plan = plan_of(s, view->event);
	const struct sample *sample = view->sample;
	const struct script_prefix prefix = { view->comm,   sample->pid,   sample->tid, sample->cpu,
					      sample->misc, RECORD_SAMPLE, view->time,	view->guest };

	if (!plan->on)
		return;
	if (plan->on & FIELD_BRCNTR)
		put_counter_names(s);
	char *at = put_prefix(s, plan, &prefix);
	if (plan->on & FIELD_PERIOD)
		at = put_period(s, at, sample->period);
	writer_advance(s->writer, at);
	if (plan->on & FIELD_EVENT)
		put_event(s, plan, view->event->name);
	if (s->fields->flags)
		put_flags(s);
	if (plan->branch_trace) {
		put_branch_trace(s, plan, view);
		writer_char(s->writer, '\n');
		return;
	}
	if (plan->before_ip)
		put_before_ip(s, plan, view);
	if (plan->on & FIELD_IP)
		put_ip_part(s, plan, view);
	if (plan->behind_ip)
		put_behind_ip(s, plan, view);
	writer_char(s->writer, '\n');
	if (plan->on & FIELD_SRCCODE && view->source.text)
		put_source(s, view);
}

void script_late_chain(struct script *s, const struct view *view, uint64_t cookie)
{
	const struct plan *plan = plan_of(s, view->event);
	const struct sample *sample = view->sample;
	const struct script_prefix prefix = { view->comm,  sample->pid,	 sample->tid,
					      sample->cpu, sample->misc, RECORD_CALLCHAIN_DEFERRED,
					      view->time,  view->guest };

	if (!plan->on)
		return;
	writer_advance(s->writer, put_prefix(s, plan, &prefix));
	writer_text(s->writer, "DEFERRED CALLCHAIN [cookie: ");
	writer_hex(s->writer, cookie, 0);
	writer_char(s->writer, ']');
	if (plan->on & FIELD_IP)
		put_ip_part(s, plan, view);
	writer_char(s->writer, '\n');
}
