/*
 * evlist - the events of a recording, and which one a record belongs to.
 *
 * Where the id of a record is, is decided once per event list, not per record (as in perf 7.2).
 * Names come from the recording or are made up as perf does (as in perf 7.2).
 */
#ifndef PERF2TXT_EVLIST_H
#define PERF2TXT_EVLIST_H

#include "events/attr.h"
#include "events/perf_abi.h"
#include "events/raw_record.h"
#include "util/cursor.h"
#include "util/hash.h"
#include "util/vec.h"

struct event {
	struct attr attr;
	uint32_t index;	    /* place in the list */
	char *name;	    /* never NULL after evlist_finish(); owned */
	bool name_recorded; /* the recording says it, else it was made up */
	char *unit;	    /* of EVENT_UPDATE, or NULL */
	double scale;	    /* 1 unless the recording says otherwise */
	VEC(uint64_t) ids;
	char *group_name;     /* of GROUP_DESC, or NULL */
	struct event *leader; /* itself unless GROUP_DESC says otherwise */
	/* Decided once by evlist_finish(): */
	uint32_t sample_fixed; /* bytes of the fixed part of a sample behind the record header */
	int16_t sample_time;   /* offset of TIME in a sample from the record's start; -1: no time */
	int16_t trailer_time;  /* offset of TIME from the record's end in other records; -1: no time */
	uint16_t trailer_size; /* of the sample_id trailer, 0 without sample_id_all */
};

#define EVLIST_RECENT 16

struct evlist {
	VEC(struct event *) events;
	struct hash by_id;
	/* What evlist_of() was asked for last, by id: an event has one for each processor. 0: nothing. */
	struct {
		uint64_t id;
		struct event *event;
	} recent[EVLIST_RECENT];
	bool big_endian;
	struct event *first; /* of events; NULL: there is none */
	/* Of the first event, for evlist_of(): offsets in bytes; -1: nothing tells the events apart. */
	int16_t sample_id;  /* from the record's start */
	int16_t trailer_id; /* from the record's end */
	int name_width;	    /* of the longest name */
};

struct evlist *evlist_new(bool big_endian);
void evlist_free(struct evlist *evlist); /* NULL is fine */

/** Add an event; @ids are copied. @name may be NULL (made up later). The event is the list's. */
struct event *evlist_add(struct evlist *evlist, const struct attr *attr, const uint64_t *ids, size_t nr_ids,
			 const char *name);

/** One more id of an event that is there (ID_INDEX, EVENT_UPDATE). */
void evlist_add_id(struct evlist *evlist, struct event *event, uint64_t id);

/** Give the event the name that the recording says (copied). */
void event_set_name(struct event *event, const char *name);

/** Name it by its type (@length bytes), behind which comes what is counted (":u") as with names made up. */
void event_set_type_name(struct event *event, const char *name, size_t length);

/** Decide what is decided once, make up missing names. Call again after each change. */
void evlist_finish(struct evlist *evlist);

/** The same when only @event, one of the list's, is new. */
void evlist_finish_event(struct evlist *evlist, struct event *event);

/** NULL when no event has that id. */
struct event *evlist_by_id(const struct evlist *evlist, uint64_t id);

/** For evlist_of() alone: have @id among the recent ones. */
void evlist_renew_recent(struct evlist *evlist, uint64_t id);

/** For evlist_of() alone: @place is what of it has to be in the record, @at where the id is then. */
static inline struct event *evlist_by_id_at(struct evlist *evlist, const struct raw_record *raw, int place,
					    int at)
{
	if (place < 0)
		return evlist->first;
	if (raw->size < place + 8)
		return NULL;
	uint64_t id = load_u64(raw->data + at, evlist->big_endian);
	if (!id)
		return evlist->first; /* what perf synthesized at the start of the recording */
	if (id != evlist->recent[id % EVLIST_RECENT].id)
		evlist_renew_recent(evlist, id);
	return evlist->recent[id % EVLIST_RECENT].event;
}

/**
 * The event of a kernel record (type < RECORD_USER_FIRST); NULL when it names an id that no event has, or is
 * too short, or the list is empty.
 */
static inline struct event *evlist_of(struct evlist *evlist, const struct raw_record *raw)
{
	/* Either way 8 bytes of id: behind a place from the front, or reaching back to the header at most. */
	if (raw->type == RECORD_SAMPLE)
		return evlist_by_id_at(evlist, raw, evlist->sample_id, evlist->sample_id);
	return evlist_by_id_at(evlist, raw, evlist->trailer_id, raw->size - evlist->trailer_id);
}

/** For event_time() alone. */
static inline uint64_t event_time_at(const struct raw_record *raw, int place, int at, bool big_endian)
{
	uint64_t time = place < 0 || raw->size < place + 8 ? 0 : load_u64(raw->data + at, big_endian);

	/* All ones is what a field holds that was not recorded. */
	return time == UINT64_MAX ? 0 : time;
}

/** The time of a kernel record in ns; 0 when it has none. @event is the one of evlist_of(). */
static inline uint64_t event_time(const struct event *event, const struct raw_record *raw, bool big_endian)
{
	if (raw->type == RECORD_SAMPLE)
		return event_time_at(raw, event->sample_time, event->sample_time, big_endian);
	return event_time_at(raw, event->trailer_time, raw->size - event->trailer_time, big_endian);
}

#endif
