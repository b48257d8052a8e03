#include "output/fields.h"

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "events/perf_abi.h"
#include "util/xalloc.h"

/* attr.type of events that perf makes up while it decodes AUX data (INT_MAX + 1). */
#define ATTR_TYPE_SYNTH 0x80000000u

#ifdef HAVE_CAPSTONE
#define HAS_DISASM true
#else
#define HAS_DISASM false
#endif

static const struct {
	const char *prefix; /* of -F; NULL: none */
	const char *name;   /* in messages */
} type_names[OUTPUT_TYPES] = {
	[OUTPUT_HARDWARE] = { "hw", "hardware" },
	[OUTPUT_SOFTWARE] = { "sw", "software" },
	[OUTPUT_TRACEPOINT] = { "trace", "tracepoint" },
	[OUTPUT_HW_CACHE] = { NULL, "hardware-cache" },
	[OUTPUT_RAW] = { "raw", "raw" },
	[OUTPUT_BREAKPOINT] = { "break", "breakpoint" },
	[OUTPUT_SYNTH] = { "synth", "unknown" },
	[OUTPUT_OTHER] = { NULL, "unknown" },
};

static const struct {
	const char *name;
	uint64_t field;
} field_names[] = {
	{ "comm", FIELD_COMM },
	{ "tid", FIELD_TID },
	{ "pid", FIELD_PID },
	{ "time", FIELD_TIME },
	{ "cpu", FIELD_CPU },
	{ "event", FIELD_EVENT },
	{ "trace", FIELD_TRACE },
	{ "ip", FIELD_IP },
	{ "sym", FIELD_SYM },
	{ "dso", FIELD_DSO },
	{ "dsoff", FIELD_DSOFF },
	{ "addr", FIELD_ADDR },
	{ "symoff", FIELD_SYMOFF },
	{ "srcline", FIELD_SRCLINE },
	{ "period", FIELD_PERIOD },
	{ "iregs", FIELD_IREGS },
	{ "uregs", FIELD_UREGS },
	{ "brstack", FIELD_BRSTACK },
	{ "brstacksym", FIELD_BRSTACKSYM },
	{ "brstackoff", FIELD_BRSTACKOFF },
	{ "brstackinsn", FIELD_BRSTACKINSN },
	{ "brstackinsnlen", FIELD_BRSTACKINSNLEN },
	{ "brstackdisasm", FIELD_BRSTACKDISASM },
	{ "brcntr", FIELD_BRCNTR },
	{ "data_src", FIELD_DATA_SRC },
	{ "weight", FIELD_WEIGHT },
	{ "bpf-output", FIELD_BPF_OUTPUT },
	{ "callindent", FIELD_CALLINDENT },
	{ "insn", FIELD_INSN },
	{ "insnlen", FIELD_INSNLEN },
	{ "disasm", FIELD_DISASM },
	{ "synth", FIELD_SYNTH },
	{ "phys_addr", FIELD_PHYS_ADDR },
	{ "metric", FIELD_METRIC },
	{ "misc", FIELD_MISC },
	{ "srccode", FIELD_SRCCODE },
	{ "ipc", FIELD_IPC },
	{ "tod", FIELD_TOD },
	{ "data_page_size", FIELD_DATA_PAGE_SIZE },
	{ "code_page_size", FIELD_CODE_PAGE_SIZE },
	{ "ins_lat", FIELD_INS_LAT },
	{ "retire_lat", FIELD_RETIRE_LAT },
	{ "machine_pid", FIELD_MACHINE_PID },
	{ "vcpu", FIELD_VCPU },
	{ "cgroup", FIELD_CGROUP },
};
#define NR_FIELDS (sizeof(field_names) / sizeof(field_names[0]))

#define DEFAULT_HEAD (FIELD_COMM | FIELD_TID | FIELD_CPU | FIELD_TIME | FIELD_EVENT)
#define DEFAULT_ADDRESS (FIELD_IP | FIELD_SYM | FIELD_SYMOFF | FIELD_DSO)
#define DEFAULT_HARDWARE (DEFAULT_HEAD | FIELD_PERIOD | DEFAULT_ADDRESS)
#define DEFAULT_MEMORY                                                                                       \
	(FIELD_ADDR | FIELD_DATA_SRC | FIELD_WEIGHT | FIELD_INS_LAT | FIELD_RETIRE_LAT | FIELD_PHYS_ADDR |   \
	 FIELD_DATA_PAGE_SIZE | FIELD_CODE_PAGE_SIZE)

static const uint64_t defaults[OUTPUT_TYPES] = {
	[OUTPUT_HARDWARE] = DEFAULT_HARDWARE,
	[OUTPUT_SOFTWARE] = DEFAULT_HARDWARE | FIELD_BPF_OUTPUT,
	[OUTPUT_TRACEPOINT] = DEFAULT_HEAD | FIELD_TRACE,
	[OUTPUT_HW_CACHE] = DEFAULT_HARDWARE,
	[OUTPUT_RAW] = DEFAULT_HARDWARE | DEFAULT_MEMORY,
	[OUTPUT_BREAKPOINT] = DEFAULT_HARDWARE,
	[OUTPUT_SYNTH] = DEFAULT_HEAD | DEFAULT_ADDRESS | FIELD_SYNTH,
	[OUTPUT_OTHER] = DEFAULT_HARDWARE,
};

static bool field_is_valid(enum output_type type, uint64_t field)
{
	if (field == FIELD_TRACE)
		return type == OUTPUT_TRACEPOINT;
	if (field == FIELD_BPF_OUTPUT)
		return type == OUTPUT_SOFTWARE || type == OUTPUT_TRACEPOINT;
	return true;
}

enum output_type output_type_of(const struct attr *attr)
{
	if (attr->type <= ATTR_BREAKPOINT)
		return (enum output_type)attr->type;
	return attr->type == ATTR_TYPE_SYNTH ? OUTPUT_SYNTH : OUTPUT_OTHER;
}

const char *output_type_name(enum output_type type)
{
	return type_names[type].name;
}

void fields_init(struct fields *fields, bool hide_callchain)
{
	memset(fields, 0, sizeof(*fields));
	for (int type = 0; type < OUTPUT_TYPES; type++)
		fields->types[type].on = defaults[type];
	fields->use_callchain = !hide_callchain;
}

void fields_deinit(struct fields *fields)
{
	for (size_t i = 0; i < fields->warnings.count; i++)
		free(fields->warnings.at[i]);
	vec_free(&fields->warnings);
}

/* -F: reading */

enum change { CHANGE_NONE, CHANGE_SET, CHANGE_ADD, CHANGE_REMOVE };

static void change_field(struct fields_of_type *of, uint64_t field, enum change change)
{
	if (change == CHANGE_REMOVE)
		of->on &= ~field;
	else
		of->on |= field;
	of->touched = true;
	of->emptied_by_name = false;
}

/* Only here is remembered that the user wants the field: perf 7.2 takes "-F hw:addr" for a mere default. */
static void change_field_of_all(struct fields *fields, const char *name, uint64_t field, enum change change)
{
	for (int type = 0; type < OUTPUT_TYPES; type++) {
		struct fields_of_type *of = &fields->types[type];
		if (!field_is_valid((enum output_type)type, field)) {
			vec_push(&fields->warnings, xasprintf("'%s' not valid for %s events. Ignoring.", name,
							      type_names[type].name));
			continue;
		}
		change_field(of, field, change);
		of->asked = change == CHANGE_REMOVE ? of->asked & ~field : of->asked | field;
		of->refused = change == CHANGE_REMOVE ? of->refused | field : of->refused & ~field;
	}
}

static uint64_t field_of(const char *name)
{
	for (size_t i = 0; i < NR_FIELDS; i++) {
		if (!strcmp(field_names[i].name, name))
			return field_names[i].field;
	}
	return 0;
}

/* @type: OUTPUT_TYPES means all. */
static struct err *take_field(struct fields *fields, enum output_type type, const char *name,
			      enum change change)
{
	uint64_t field = field_of(name);

	if (field == FIELD_METRIC && change != CHANGE_REMOVE)
		return err_new("'metric' needs tables of the processor's events, which only perf has.");
	if (!field && !strcmp(name, "flags")) {
		fields->flags = change != CHANGE_REMOVE;
		return NULL;
	}
	if (!field)
		return err_new("Invalid field requested. ('%s')", name);
	if (field == FIELD_DISASM && !HAS_DISASM)
		return err_new("Field \"disasm\" requires perf2txt to be built with libcapstone support.");
	if (type == OUTPUT_TYPES) {
		change_field_of_all(fields, name, field, change);
		return NULL;
	}
	if (!field_is_valid(type, field))
		return err_new("'%s' not valid for %s events.", name, type_names[type].name);
	change_field(&fields->types[type], field, change);
	return NULL;
}

static struct err *take_list(struct fields *fields, enum output_type type, char *list)
{
	enum change change = CHANGE_NONE;
	char *rest;

	for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
		bool is_change = *name == '+' || *name == '-';
		if (is_change ? change == CHANGE_SET : change == CHANGE_ADD || change == CHANGE_REMOVE)
			return err_new("Cannot mix +-field with overridden fields");
		change = *name == '+' ? CHANGE_ADD : *name == '-' ? CHANGE_REMOVE : CHANGE_SET;
		struct err *err = take_field(fields, type, name + is_change, change);
		if (err)
			return err;
	}
	return NULL;
}

static bool any_touched(const struct fields *fields)
{
	for (int type = 0; type < OUTPUT_TYPES; type++) {
		if (fields->types[type].touched)
			return true;
	}
	return false;
}

/* A list without any + and - replaces the defaults. Synthesized events keep theirs unless they are named. */
static void clear_all(struct fields *fields)
{
	if (any_touched(fields))
		vec_push(&fields->warnings, xstrdup("Overriding previous field request for all events."));
	for (int type = 0; type < OUTPUT_TYPES; type++) {
		if (type == OUTPUT_SYNTH)
			continue;
		fields->types[type].on = 0;
		fields->types[type].touched = true;
		fields->types[type].emptied_by_name = false;
	}
}

static void clear_type(struct fields *fields, enum output_type type)
{
	fields->types[type].on = 0;
	fields->types[type].touched = true;
	fields->types[type].emptied_by_name = true;
}

static struct err *parse_typed(struct fields *fields, const char *prefix, size_t length, char *list)
{
	int type = 0;

	while (type < OUTPUT_TYPES) {
		const char *own = type_names[type].prefix;
		if (own && strlen(own) == length && !memcmp(own, prefix, length))
			break;
		type++;
	}
	if (type == OUTPUT_TYPES)
		return err_new("Invalid event type in field string.");
	if (fields->types[type].touched)
		vec_push(&fields->warnings, xasprintf("Overriding previous field request for %s events.",
						      type_names[type].name));
	if (!strpbrk(list, "+-"))
		clear_type(fields, (enum output_type)type);
	return take_list(fields, (enum output_type)type, list);
}

struct err *fields_parse(struct fields *fields, const char *argument)
{
	AUTOFREE char *text = xstrdup(argument);
	char *colon = strchr(text, ':');

	if (colon)
		return parse_typed(fields, text, (size_t)(colon - text), colon + 1);
	if (!*text)
		return err_new("Cannot set fields to 'none' for all event types.");
	/* "comm,bpf-output" has a '-' and so adds to the defaults: as perf does. */
	if (!strpbrk(text, "+-"))
		clear_all(fields);
	return take_list(fields, OUTPUT_TYPES, text);
}

/* Checks against the attrs */

/* What a field needs in sample_type, in the order in which it is asked about. */
static const struct requirement {
	uint64_t fields;
	uint32_t sample_type;
	const char *attribute; /* as messages name it */
	bool from_aux;	       /* decoding AUX data may supply it */
} early_requirements[] = {
	{ FIELD_IP, SAMPLE_IP, "IP", false },
	{ FIELD_ADDR, SAMPLE_ADDR, "ADDR", true },
	{ FIELD_DATA_SRC, SAMPLE_DATA_SRC, "DATA_SRC", true },
	{ FIELD_WEIGHT, SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT, "WEIGHT", true },
}, late_requirements[] = {
	{ FIELD_PID | FIELD_TID, SAMPLE_TID, "TID", false },
	{ FIELD_TIME, SAMPLE_TIME, "TIME", false },
	{ FIELD_CPU, SAMPLE_CPU, "CPU", true },
	{ FIELD_IREGS, SAMPLE_REGS_INTR, "IREGS", true },
	{ FIELD_UREGS, SAMPLE_REGS_USER, "UREGS", false },
	{ FIELD_PHYS_ADDR, SAMPLE_PHYS_ADDR, "PHYS_ADDR", true },
	{ FIELD_DATA_PAGE_SIZE, SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE", false },
	{ FIELD_CODE_PAGE_SIZE, SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE", false },
	{ FIELD_INS_LAT, SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", false },
	{ FIELD_CGROUP, SAMPLE_CGROUP, "CGROUP", false },
	{ FIELD_RETIRE_LAT, SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", false },
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *first_name(uint64_t fields)
{
	for (size_t i = 0; i < NR_FIELDS; i++) {
		if (field_names[i].field & fields)
			return field_names[i].name;
	}
	return "";
}

static struct err *check_requirement(struct fields_of_type *of, const struct event *event,
				     const struct requirement *need, const struct fields_recording *recording)
{
	uint64_t wanted = of->on & need->fields;

	if (!wanted || event->attr.sample_type & need->sample_type)
		return NULL;
	if (!(wanted & of->asked)) {
		of->on &= ~need->fields;
		return NULL;
	}
	if (need->from_aux && recording->has_auxtrace)
		return NULL;
	return err_new("Samples for '%s' event do not have %s attribute set. Cannot print '%s' field.%s",
		       event->name, need->attribute, first_name(wanted & of->asked),
		       need->fields == FIELD_CGROUP ? "\nHint: run 'perf record --all-cgroups ...'" : "");
}

static struct err *check_requirements(struct fields_of_type *of, const struct event *event,
				      const struct requirement *needs, size_t nr,
				      const struct fields_recording *recording)
{
	for (size_t i = 0; i < nr; i++) {
		struct err *err = check_requirement(of, event, &needs[i], recording);
		if (err)
			return err;
	}
	return NULL;
}

static bool any_branch_type(const struct evlist *evlist, uint64_t bits)
{
	for (size_t i = 0; i < evlist->events.count; i++) {
		const struct attr *attr = &evlist->events.at[i]->attr;
		if (attr->sample_type & SAMPLE_BRANCH_STACK && attr->branch_sample_type & bits)
			return true;
	}
	return false;
}

static struct err *check_addresses(const struct fields_of_type *of, const struct event *event)
{
	bool has_address = event->attr.sample_type & (SAMPLE_IP | SAMPLE_ADDR);

	if (of->on & FIELD_SYM && !has_address)
		return err_new("Display of symbols requested but neither sample IP nor sample address\n"
			       "available. Hence, no addresses to convert to symbols.");
	if (of->on & FIELD_SYMOFF && !(of->on & FIELD_SYM))
		return err_new("Display of offsets requested but symbol is notselected.");
	if (of->on & FIELD_DSO && !has_address)
		return err_new("Display of DSO requested but no address to convert.");
	if (of->on & (FIELD_SRCLINE | FIELD_SRCCODE) && !(of->on & FIELD_IP))
		return err_new("Display of source line number requested but sample IP is not\n"
			       "selected. Hence, no address to lookup the source line number.");
	return NULL;
}

static struct err *check_branches(const struct fields_of_type *of, const struct evlist *evlist)
{
	if (of->on & (FIELD_BRSTACKINSN | FIELD_BRSTACKINSNLEN | FIELD_BRSTACKDISASM) &&
	    !any_branch_type(evlist, BRANCH_ANY))
		return err_new("Display of branch stack assembler requested, but non all-branch filter set\n"
			       "Hint: run 'perf record -b ...'");
	if (of->on & FIELD_BRCNTR && !any_branch_type(evlist, BRANCH_COUNTERS))
		return err_new("Display of branch counter requested but it's not enabled\n"
			       "Hint: run 'perf record -j any,counter ...'");
	return NULL;
}

static bool is_dummy(const struct attr *attr)
{
	return attr->type == ATTR_SOFTWARE && attr->config == SW_DUMMY;
}

static struct err *check_event(struct fields *fields, const struct evlist *evlist, const struct event *event,
			       const struct fields_recording *recording)
{
	struct fields_of_type *of = &fields->types[output_type_of(&event->attr)];

	if (is_dummy(&event->attr) || recording->has_stat)
		return NULL;
	struct err *err =
		check_requirements(of, event, early_requirements, COUNT(early_requirements), recording);
	if (!err)
		err = check_addresses(of, event);
	if (!err)
		err = check_branches(of, evlist);
	if (!err)
		err = check_requirements(of, event, late_requirements, COUNT(late_requirements), recording);
	if (!err && of->on & FIELD_TOD && !recording->has_clock_data)
		err = err_new("Can't provide 'tod' time, missing clock data. "
			      "Please record with -k/--clockid option.");
	return err;
}

static void settle_ip_part(struct fields_of_type *of)
{
	of->ip_part = of->on & FIELDS_IP_PART;
}

static const struct event *first_of_type(const struct evlist *evlist, enum output_type type)
{
	for (size_t i = 0; i < evlist->events.count; i++) {
		const struct event *event = evlist->events.at[i];
		if (output_type_of(&event->attr) == type && !is_dummy(&event->attr))
			return event;
	}
	return NULL;
}

static bool is_offcpu(const struct event *event)
{
	return event->attr.type == ATTR_SOFTWARE && event->attr.config == SW_BPF_OUTPUT &&
	       !strcmp(event->name, "offcpu-time");
}

static bool any_callchain(const struct evlist *evlist)
{
	for (size_t i = 0; i < evlist->events.count; i++) {
		const struct event *event = evlist->events.at[i];
		if (event->attr.sample_type & SAMPLE_CALLCHAIN || is_offcpu(event))
			return true;
	}
	return false;
}

/* Tracepoints print where they were hit only when some tracepoint has a chain, and nobody said otherwise. */
static void add_tracepoint_addresses(struct fields *fields, const struct evlist *evlist)
{
	struct fields_of_type *of = &fields->types[OUTPUT_TRACEPOINT];

	if (!fields->use_callchain || of->touched)
		return;
	for (size_t i = 0; i < evlist->events.count; i++) {
		const struct attr *attr = &evlist->events.at[i]->attr;
		if (attr->type != ATTR_TRACEPOINT || !(attr->sample_type & SAMPLE_CALLCHAIN))
			continue;
		of->on |= DEFAULT_ADDRESS;
		settle_ip_part(of);
		return;
	}
}

struct err *fields_check_file(struct fields *fields, const struct evlist *evlist,
			      const struct fields_recording *recording)
{
	for (int type = 0; type < OUTPUT_TYPES; type++) {
		struct fields_of_type *of = &fields->types[type];
		const struct event *event = first_of_type(evlist, (enum output_type)type);
		if (!event && of->emptied_by_name && type != OUTPUT_SYNTH)
			return err_new("%s events do not exist. Remove corresponding -F option to proceed.",
				       type_names[type].name);
		if (!event)
			continue;
		struct err *err = of->on ? check_event(fields, evlist, event, recording) : NULL;
		if (err)
			return err;
		if (of->on & FIELD_DSOFF)
			of->on |= FIELD_DSO;
		settle_ip_part(of);
	}
	if (!any_callchain(evlist))
		fields->use_callchain = false;
	add_tracepoint_addresses(fields, evlist);
	return NULL;
}

static bool is_first_of_attr_type(const struct evlist *evlist, const struct event *event)
{
	for (size_t i = 0; i < evlist->events.count && evlist->events.at[i] != event; i++) {
		if (evlist->events.at[i]->attr.type == event->attr.type)
			return false;
	}
	return true;
}

static bool chains_so_far(const struct evlist *evlist)
{
	uint64_t all = 0;

	for (size_t i = 0; i < evlist->events.count; i++)
		all |= evlist->events.at[i]->attr.sample_type;
	return all & (SAMPLE_CALLCHAIN | SAMPLE_BRANCH_STACK) ||
	       (all & SAMPLE_REGS_USER && all & SAMPLE_STACK_USER);
}

struct err *fields_check_pipe(struct fields *fields, const struct evlist *evlist, const struct event *event,
			      const struct fields_recording *recording)
{
	enum output_type type = output_type_of(&event->attr);
	struct fields_of_type *of = &fields->types[type];

	/* A PMU's own events (type > 5) are never looked at, so that their ip part stays empty. */
	if (type == OUTPUT_OTHER || !is_first_of_attr_type(evlist, event))
		return NULL;
	struct err *err = event->attr.sample_type ? check_event(fields, evlist, event, recording) : NULL;
	if (err)
		return err;
	/* Not before the check: perf refuses "-F sw:-sym" for the offset that has no symbol. */
	if (fields->use_callchain && chains_so_far(evlist))
		of->on |= (FIELD_IP | FIELD_SYM) & ~of->refused;
	settle_ip_part(of);
	return NULL;
}

/* What the fields need */

bool attr_is_branch_trace(const struct attr *attr)
{
	/* config & 4: hardware events 4 to 7, of which branch-instructions is the one that was meant. */
	return attr->type == ATTR_HARDWARE && attr->config & 4 && attr->sample_period == 1;
}

bool attr_addr_has_symbol(const struct attr *attr)
{
	if (attr->type != ATTR_SOFTWARE)
		return attr_is_branch_trace(attr);
	return attr->config == SW_PAGE_FAULTS || attr->config == SW_PAGE_FAULTS_MIN ||
	       attr->config == SW_PAGE_FAULTS_MAJ;
}

bool fields_print_chain(const struct fields *fields, const struct event *event)
{
	return fields->use_callchain && event->attr.sample_type & SAMPLE_CALLCHAIN &&
	       fields_of(fields, event)->on & FIELD_IP;
}

static unsigned ip_needs(const struct fields *fields, const struct event *event)
{
	const struct fields_of_type *of = fields_of(fields, event);
	unsigned needs = 0;

	if (!(of->on & FIELD_IP))
		return 0;
	/* Without a chain array in a sample, or when it cannot be resolved, its ip is printed instead. */
	if (of->ip_part & ~FIELD_IP)
		needs |= NEED_IP;
	if (fields->use_callchain && (event->attr.sample_type & SAMPLE_CALLCHAIN || is_offcpu(event)))
		needs |= NEED_CHAIN;
	if (of->ip_part & FIELD_SRCLINE)
		needs |= NEED_SRCLINE;
	if (of->on & FIELD_DSOFF)
		needs |= NEED_DSOFF;
	if (of->on & FIELD_SRCCODE)
		needs |= NEED_IP | NEED_SRCLINE | NEED_SRCCODE;
	return needs;
}

static unsigned addr_needs(const struct fields_of_type *of, const struct attr *attr)
{
	bool printed = of->on & FIELD_ADDR ||
		       (attr_is_branch_trace(attr) && attr->sample_type & SAMPLE_ADDR && !of->touched);

	return printed && attr_addr_has_symbol(attr) && of->on & (FIELD_SYM | FIELD_DSO) ? NEED_ADDR : 0;
}

static unsigned branch_needs(const struct fields_of_type *of)
{
	bool plain_with_dso = of->on & FIELD_BRSTACK && of->on & FIELD_DSO;

	return plain_with_dso || of->on & (FIELD_BRSTACKSYM | FIELD_BRSTACKOFF) ? NEED_BRANCHES : 0;
}

unsigned fields_needs(const struct fields *fields, const struct event *event)
{
	const struct fields_of_type *of = fields_of(fields, event);
	static const struct {
		uint64_t fields;
		unsigned need;
	} plain[] = {
		{ FIELD_TRACE, NEED_TRACE },
		{ FIELD_INSN | FIELD_INSNLEN | FIELD_DISASM, NEED_INSN },
		{ FIELD_DISASM | FIELD_BRSTACKDISASM, NEED_DISASM },
		{ FIELD_BRSTACKINSN | FIELD_BRSTACKINSNLEN | FIELD_BRSTACKDISASM, NEED_CODE },
		{ FIELD_CGROUP, NEED_CGROUP },
		{ FIELD_IREGS | FIELD_UREGS, NEED_ARCH },
		{ FIELD_TOD, NEED_TOD },
	};
	unsigned needs = ip_needs(fields, event) | addr_needs(of, &event->attr) | branch_needs(of);

	for (size_t i = 0; i < COUNT(plain); i++) {
		if (of->on & plain[i].fields)
			needs |= plain[i].need;
	}
	return needs;
}

unsigned fields_needs_any(const struct fields *fields, const struct evlist *evlist)
{
	unsigned needs = 0;

	for (size_t i = 0; i < evlist->events.count; i++)
		needs |= fields_needs(fields, evlist->events.at[i]);
	return needs;
}
