#include "events/evlist.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

#define SAMPLE_FIXED                                                                                         \
	(SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR | SAMPLE_ID |                \
	 SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_PERIOD)
#define SAMPLE_TRAILER                                                                                       \
	(SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_IDENTIFIER)

struct evlist *evlist_new(bool big_endian)
{
	struct evlist *evlist = xcalloc(1, sizeof(*evlist));

	evlist->big_endian = big_endian;
	evlist->sample_id = evlist->trailer_id = -1;
	return evlist;
}

static void event_free(struct event *event)
{
	free(event->name);
	free(event->unit);
	free(event->group_name);
	vec_free(&event->ids);
	free(event);
}

void evlist_free(struct evlist *evlist)
{
	if (!evlist)
		return;
	for (size_t i = 0; i < evlist->events.count; i++)
		event_free(evlist->events.at[i]);
	vec_free(&evlist->events);
	hash_free(&evlist->by_id);
	free(evlist);
}

struct event *evlist_add(struct evlist *evlist, const struct attr *attr, const uint64_t *ids, size_t nr_ids,
			 const char *name)
{
	struct event *event = xcalloc(1, sizeof(*event));

	event->attr = *attr;
	event->index = (uint32_t)evlist->events.count;
	event->scale = 1;
	event->leader = event;
	event->sample_time = event->trailer_time = -1;
	vec_push(&evlist->events, event);
	evlist->first = evlist->events.at[0];
	for (size_t i = 0; i < nr_ids; i++)
		evlist_add_id(evlist, event, ids[i]);
	if (name)
		event_set_name(event, name);
	return event;
}

void evlist_add_id(struct evlist *evlist, struct event *event, uint64_t id)
{
	/* ID_INDEX repeats what the attrs said already. */
	if (evlist_by_id(evlist, id) == event)
		return;
	vec_push(&event->ids, id);
	hash_put_ptr(&evlist->by_id, id, 0, event);
	memset(evlist->recent, 0, sizeof(evlist->recent));
}

void event_set_name(struct event *event, const char *name)
{
	char *copy = xstrdup(name);

	free(event->name);
	event->name = copy;
	event->name_recorded = true;
}

/* How many bytes the 8-byte fields of a record take that @bits of the sample type select. */
static int field_bytes(uint64_t sample_type, uint64_t bits)
{
	return 8 * __builtin_popcountll(sample_type & bits);
}

static void decide_layout(struct event *event)
{
	uint64_t type = event->attr.sample_type;

	event->sample_fixed = (uint32_t)field_bytes(type, SAMPLE_FIXED);
	event->sample_time = event->trailer_time = -1;
	event->trailer_size = 0;
	if (type & SAMPLE_TIME)
		event->sample_time = (int16_t)(RECORD_HEADER_SIZE +
					       field_bytes(type, SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID));
	if (!attr_flag(&event->attr, ATTR_SAMPLE_ID_ALL))
		return;
	event->trailer_size = (uint16_t)field_bytes(type, SAMPLE_TRAILER);
	if (type & SAMPLE_TIME)
		event->trailer_time = (int16_t)field_bytes(type, SAMPLE_TRAILER & ~SAMPLE_TID);
}

/* IDENTIFIER was made to be found without knowing the event: first in a sample, last in other records. */
static void decide_id_places(struct evlist *evlist)
{
	uint64_t type = evlist->first->attr.sample_type;

	evlist->sample_id = evlist->trailer_id = -1;
	if (evlist->events.count == 1)
		return;
	if (type & SAMPLE_IDENTIFIER) {
		evlist->sample_id = RECORD_HEADER_SIZE;
		evlist->trailer_id = 8;
	} else if (type & SAMPLE_ID) {
		evlist->sample_id =
			(int16_t)(RECORD_HEADER_SIZE +
				  field_bytes(type, SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR));
		evlist->trailer_id = (int16_t)field_bytes(type, SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU);
	}
	if (!attr_flag(&evlist->first->attr, ATTR_SAMPLE_ID_ALL))
		evlist->trailer_id = -1;
}

/* perf's marks behind a name: ":" and what is counted (k u h), how precise (p), where (H G). */
static char *with_modifiers(char *name, const struct attr *attr)
{
	char marks[12] = ":";
	size_t n = 1;
	bool no_kernel = attr_flag(attr, ATTR_EXCLUDE_KERNEL);
	bool no_user = attr_flag(attr, ATTR_EXCLUDE_USER);
	bool no_hv = attr_flag(attr, ATTR_EXCLUDE_HV);
	bool no_host = attr_flag(attr, ATTR_EXCLUDE_HOST);
	bool no_guest = attr_flag(attr, ATTR_EXCLUDE_GUEST);

	if (no_kernel || no_user || no_hv) {
		if (!no_kernel)
			marks[n++] = 'k';
		if (!no_user)
			marks[n++] = 'u';
		if (!no_hv)
			marks[n++] = 'h';
	}
	for (unsigned i = 0; i < attr_precise_ip(attr); i++)
		marks[n++] = 'p';
	if (no_host || no_guest) {
		if (!no_host)
			marks[n++] = 'H';
		if (!no_guest)
			marks[n++] = 'G';
	}
	if (n == 1)
		return name;
	marks[n] = '\0';
	char *whole = xasprintf("%s%s", name, marks);
	free(name);
	return whole;
}

void event_set_type_name(struct event *event, const char *name, size_t length)
{
	AUTOFREE char *whole = with_modifiers(xstrndup(name, length), &event->attr);

	event_set_name(event, whole);
}

#define NAME_AT(names, i, otherwise) ((i) < sizeof(names) / sizeof((names)[0]) ? (names)[i] : (otherwise))

/* Machines with several kinds of cores have the number of the core's PMU in the config's upper half. */
static char *hardware_name(uint64_t config)
{
	static const char *const names[] = {
		"cycles",
		"instructions",
		"cache-references",
		"cache-misses",
		"branches",
		"branch-misses",
		"bus-cycles",
		"stalled-cycles-frontend",
		"stalled-cycles-backend",
		"ref-cycles",
	};
	const char *name = NAME_AT(names, config & UINT32_MAX, "unknown-hardware");

	return config >> 32 ? xasprintf("cpu/%s/", name) : xstrdup(name);
}

static char *software_name(uint64_t config)
{
	static const char *const names[] = {
		"cpu-clock",	"task-clock",	"page-faults",	    "context-switches", "cpu-migrations",
		"minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy",
	};

	return xstrdup(NAME_AT(names, config, "unknown-software"));
}

static char *cache_name(uint64_t config)
{
	enum { READ = 1, WRITE = 2, PREFETCH = 4 };
	static const struct {
		const char *name;
		uint8_t ops;
	} caches[] = {
		{ "L1-dcache", READ | WRITE | PREFETCH },
		{ "L1-icache", READ | PREFETCH },
		{ "LLC", READ | WRITE | PREFETCH },
		{ "dTLB", READ | WRITE | PREFETCH },
		{ "iTLB", READ },
		{ "branch", READ },
		{ "node", READ | WRITE | PREFETCH },
	};
	static const char *const one[] = { "load", "store", "prefetch" };
	static const char *const many[] = { "loads", "stores", "prefetches" };
	unsigned cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (cache >= sizeof(caches) / sizeof(caches[0]))
		return xstrdup("unknown-ext-hardware-cache-type");
	if (op >= sizeof(one) / sizeof(one[0]))
		return xstrdup("unknown-ext-hardware-cache-op");
	if (result > 1)
		return xstrdup("unknown-ext-hardware-cache-result");
	if (!(caches[cache].ops >> op & 1))
		return xstrdup("invalid-cache");
	if (result)
		return xasprintf("%s-%s-misses", caches[cache].name, one[op]);
	return xasprintf("%s-%s", caches[cache].name, many[op]);
}

static char *breakpoint_name(const struct attr *attr)
{
	return xasprintf("mem:0x%" PRIx64 ":%s%s%s", attr->bp_addr, attr->bp_type & 1 ? "r" : "",
			 attr->bp_type & 2 ? "w" : "", attr->bp_type & 4 ? "x" : "");
}

static char *make_up_name(const struct attr *attr)
{
	switch (attr->type) {
	case ATTR_HARDWARE:
		return with_modifiers(hardware_name(attr->config), attr);
	case ATTR_SOFTWARE:
		return with_modifiers(software_name(attr->config), attr);
	case ATTR_HW_CACHE:
		return with_modifiers(cache_name(attr->config), attr);
	case ATTR_RAW:
		return with_modifiers(xasprintf("raw 0x%" PRIx64, attr->config), attr);
	case ATTR_BREAKPOINT:
		return with_modifiers(breakpoint_name(attr), attr);
	case ATTR_TRACEPOINT:
		return xasprintf("unknown tracepoint id=0x%" PRIx64, attr->config);
	default:
		return xasprintf("unknown event PMU=%" PRId32 " config=0x%" PRIx64, (int32_t)attr->type,
				 attr->config);
	}
}

void evlist_finish_event(struct evlist *evlist, struct event *event)
{
	decide_layout(event);
	if (!event->name)
		event->name = make_up_name(&event->attr);
	int width = (int)strlen(event->name);
	if (width > evlist->name_width)
		evlist->name_width = width;
	decide_id_places(evlist);
}

void evlist_finish(struct evlist *evlist)
{
	evlist->name_width = 0;
	for (size_t i = 0; i < evlist->events.count; i++)
		evlist_finish_event(evlist, evlist->events.at[i]);
}

struct event *evlist_by_id(const struct evlist *evlist, uint64_t id)
{
	return hash_get_ptr(&evlist->by_id, id, 0);
}

void evlist_renew_recent(struct evlist *evlist, uint64_t id)
{
	evlist->recent[id % EVLIST_RECENT].id = id;
	evlist->recent[id % EVLIST_RECENT].event = evlist_by_id(evlist, id);
}
