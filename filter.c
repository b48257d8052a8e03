#include "filter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "name_list.h"
#include "symbolize/dso.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define NS_PER_SEC UINT64_C(1000000000)

struct range {
	uint64_t first, last; /* both inside */
};

typedef VEC(struct range) range_list;

struct filter {
	range_list times, cpus, pids, tids;
	struct name_list comms, dsos, symbols, graph_function;
	range_list addresses; /* of -S 0xADDR */
	uint64_t addr_range;  /* 0: none */
};

/* SECONDS[.FRACTION], at most nine digits of it, behind blanks; no digit at all is 0: an open end. */
static bool parse_seconds(const char *text, size_t size, uint64_t *ret)
{
	uint64_t seconds = 0, ns = 0, unit = NS_PER_SEC / 10;
	size_t i = 0;

	while (i < size && text[i] == ' ')
		i++;
	for (; i < size && isdigit((unsigned char)text[i]); i++) {
		seconds = seconds * 10 + (uint64_t)(text[i] - '0');
		if (seconds > UINT64_MAX / NS_PER_SEC / 10)
			return false;
	}
	if (i < size && text[i] == '.') {
		for (i++; i < size && isdigit((unsigned char)text[i]) && unit; i++, unit /= 10)
			ns += unit * (uint64_t)(text[i] - '0');
	}
	*ret = seconds * NS_PER_SEC + ns;
	return i == size;
}

/* "START,STOP", either may be empty. */
static bool parse_seconds_range(const char *text, size_t size, struct range *ret)
{
	const char *comma = memchr(text, ',', size);
	uint64_t first, last;

	if (!comma || !parse_seconds(text, (size_t)(comma - text), &first) ||
	    !parse_seconds(comma + 1, size - (size_t)(comma - text) - 1, &last))
		return false;
	*ret = (struct range){ first, last ? last : UINT64_MAX };
	return ret->first <= ret->last;
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " ");
}

/* A number and '%'. */
static bool parse_percent(const char **text, double *ret)
{
	char *end;

	*ret = strtod(*text, &end) / 100;
	if (end == *text || *end != '%')
		return false;
	*text = skip_blanks(end + 1);
	return true;
}

/* "P%/N": the N-th slice of P percent; "A%-B%"; "P%" is "P%/1". Blanks may be between the parts. */
static bool parse_percent_range(const char *text, const char *end, double *from, double *to)
{
	double percent;
	long slice = 1;

	if (!parse_percent(&text, &percent))
		return false;
	if (*text == '-') {
		text = skip_blanks(text + 1);
		*from = percent;
		return parse_percent(&text, to) && text == end;
	}
	if (*text == '/') {
		char *behind;
		slice = strtol(text + 1, &behind, 10);
		text = behind == text + 1 ? NULL : skip_blanks(behind);
	}
	*from = percent * (double)(slice - 1);
	*to = percent * (double)slice;
	return text == end && slice > 0 && percent > 0;
}

static struct err *no_sample_time(void)
{
	return err_new("HINT: no first/last sample time found in perf data.\n"
		       "Please use latest perf binary to execute 'perf record'\n"
		       "(if '--buildid-all' is enabled, please set '--timestamp-boundary').");
}

/* A range that ends before it begins holds nothing, as with perf script. */
static struct err *add_percent(struct filter *f, const char *text, size_t size,
			       const struct features *features)
{
	uint64_t first = features->first_sample_time, last = features->last_sample_time;
	double from, to;

	if (!parse_percent_range(text, text + size, &from, &to) || from < 0 || from > 1 || to < 0 || to > 1)
		return err_new("Invalid time string");
	double total = (double)(last - first);
	struct range range = { first + (uint64_t)(from * total + 0.5), first + (uint64_t)(to * total + 0.5) };
	/* The end of a slice belongs to the next one, but for the end of the recording. */
	if (range.last != last && range.last > range.first)
		range.last--;
	vec_push(&f->times, range);
	return NULL;
}

/* @since: what the times are counted from; an open end stays open. */
static struct err *add_seconds(struct filter *f, const char *text, size_t size, uint64_t since)
{
	struct range range;

	if (!parse_seconds_range(text, size, &range))
		return err_new("Invalid time string");
	range.first += range.first ? since : 0;
	range.last += range.last < UINT64_MAX - since ? since : 0;
	vec_push(&f->times, range);
	return NULL;
}

/* Ranges in seconds are separated by blanks, those in percent by commas. One range alone may have a blank. */
static struct err *parse_times(struct filter *f, const char *text, bool reltime,
			       const struct features *features)
{
	bool percent = strchr(text, '%') != NULL;
	/* perf record notes 2^64 - 1 as the first time when that sample has none. */
	bool known = features_has(features, FEATURE_SAMPLE_TIME) && features->last_sample_time &&
		     features->first_sample_time <= features->last_sample_time;
	const char *separator = percent ? "," : " ";
	struct range alone;

	if (!percent && parse_seconds_range(text, strlen(text), &alone))
		separator = "";
	if ((percent || reltime) && !known)
		return no_sample_time();
	while (*(text += strspn(text, percent ? ", " : " "))) {
		size_t size = strcspn(text, separator);
		struct err *err =
			percent ? add_percent(f, text, size, features)
				: add_seconds(f, text, size, reltime ? features->first_sample_time : 0);
		if (err)
			return err;
		text += size;
	}
	return f->times.count ? NULL : err_new("Invalid time string");
}

/* "0,2-3"; @base 0: also 0x1 and 01. An empty list is a range that holds nothing. */
static bool parse_numbers(const char *text, int base, range_list *ranges)
{
	while (*text) {
		char *end;
		struct range range;
		if (!isdigit((unsigned char)*text))
			return false;
		range.first = range.last = strtoull(text, &end, base);
		if (*end == '-') {
			text = end + 1;
			if (!isdigit((unsigned char)*text))
				return false;
			range.last = strtoull(text, &end, base);
		}
		vec_push(ranges, range);
		if (*end && *end != ',')
			return false;
		text = *end ? end + 1 : end;
	}
	if (!ranges->count)
		vec_push(ranges, ((struct range){ 1, 0 }));
	return true;
}

/* perf's rules: a range that ends before it begins is none, and the machine must have what is asked for. */
static struct err *parse_cpus(struct filter *f, const char *text, const struct features *features)
{
	uint32_t nr_cpus = features->nr_cpus_avail;

	if (!parse_numbers(text, 0, &f->cpus))
		return err_new("--cpu: '%s' is not a list of processors", text);
	for (size_t i = 0; i < f->cpus.count; i++) {
		const struct range *range = &f->cpus.at[i];
		if (range->first > range->last)
			return err_new("--cpu: '%s' is not a list of processors", text);
		if (nr_cpus && range->last >= nr_cpus)
			return err_new("--cpu: the recorded machine has no processor %llu, only %u of them",
				       (unsigned long long)range->last, nr_cpus);
	}
	return NULL;
}

/* What reads as a hexadecimal number is an address, with or without 0x. It may be a name as well. */
static void parse_address(struct filter *f, const char *item)
{
	char *end;
	uint64_t address = strtoull(item, &end, 16);
	uint64_t more = f->addr_range ? f->addr_range - 1 : 0;
	struct range range = { address, address > UINT64_MAX - more ? UINT64_MAX : address + more };

	if (end == item)
		return;
	end += strspn(end, " \t");
	if (*end == ',' || !*end)
		vec_push(&f->addresses, range);
}

static void parse_addresses(struct filter *f)
{
	const struct name_list *l = &f->symbols;

	for (const char *item = l->text; item; item = name_list_next(item))
		parse_address(f, item);
	for (size_t i = 0; i < l->lines.count; i++)
		parse_address(f, l->lines.at[i]);
}

static struct err *read_names(struct filter *f, const struct options *o)
{
	struct err *err = name_list_read(o->comms, &f->comms);

	if (!err)
		err = name_list_read(o->dsos, &f->dsos);
	if (!err)
		err = name_list_read(o->symbols, &f->symbols);
	return err ? err : name_list_read(o->graph_function, &f->graph_function);
}

static struct err *parse_all(struct filter *f, const struct options *o, const struct features *features)
{
	struct err *err = read_names(f, o);

	if (!err && o->cpus)
		err = parse_cpus(f, o->cpus, features);
	if (err)
		return err;
	if (o->pids && !parse_numbers(o->pids, 10, &f->pids))
		return err_new("--pid: '%s' is not a list of numbers", o->pids);
	if (o->tids && !parse_numbers(o->tids, 10, &f->tids))
		return err_new("--tid: '%s' is not a list of numbers", o->tids);
	if (o->addr_range) {
		char *end;
		f->addr_range = strtoull(o->addr_range, &end, 0);
		if (!isdigit((unsigned char)*o->addr_range) || *end)
			return err_new("--addr-range: '%s' is not a number", o->addr_range);
	}
	parse_addresses(f);
	return o->time ? parse_times(f, o->time, o->reltime, features) : NULL;
}

struct err *filter_check_events(const struct options *o, const struct evlist *evlist)
{
	uint32_t seen = 0; /* bits of types */

	for (size_t i = 0; o->cpus && i < evlist->events.count; i++) {
		const struct event *event = evlist->events.at[i];
		uint32_t type = event->attr.type <= ATTR_BREAKPOINT ? 1u << event->attr.type : 0;
		if (type & ~seen && !(event->attr.sample_type & SAMPLE_CPU))
			return err_new("--cpu: samples of '%s' do not say which processor they are of",
				       event->name);
		seen |= type;
	}
	return NULL;
}

struct err *filter_new(const struct options *o, const struct features *features, const struct evlist *evlist,
		       struct filter **ret)
{
	struct filter *f = xcalloc(1, sizeof(*f));

	struct err *err = parse_all(f, o, features);
	if (!err)
		err = filter_check_events(o, evlist);
	if (err) {
		filter_free(f);
		return err;
	}
	*ret = f;
	return NULL;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	name_list_free(&f->comms);
	name_list_free(&f->dsos);
	name_list_free(&f->symbols);
	name_list_free(&f->graph_function);
	vec_free(&f->times);
	vec_free(&f->cpus);
	vec_free(&f->pids);
	vec_free(&f->tids);
	vec_free(&f->addresses);
	free(f);
}

static bool in_ranges(const range_list *ranges, uint64_t value)
{
	for (size_t i = 0; i < ranges->count; i++) {
		if (value >= ranges->at[i].first && value <= ranges->at[i].last)
			return true;
	}
	return false;
}

bool filter_any(const struct filter *f)
{
	return f && (f->times.count || f->cpus.count || f->pids.count || f->tids.count || f->comms.text ||
	       f->dsos.text || f->symbols.text || f->graph_function.text);
}

bool filter_time(const struct filter *f, uint64_t time)
{
	return !f->times.count || !time || in_ranges(&f->times, time);
}

bool filter_cpu(const struct filter *f, int32_t cpu)
{
	return !f->cpus.count || cpu < 0 || in_ranges(&f->cpus, (uint64_t)cpu);
}

bool filter_thread(const struct filter *f, const char *comm, int32_t pid, int32_t tid)
{
	if (f->comms.text && !name_list_has(&f->comms, comm))
		return false;
	if (f->pids.count && (pid < 0 || !in_ranges(&f->pids, (uint64_t)pid)))
		return false;
	return !f->tids.count || (tid >= 0 && in_ranges(&f->tids, (uint64_t)tid));
}

bool filter_wants_location(const struct filter *f)
{
	return f->dsos.text || f->symbols.text;
}

/* An address means itself, not the function that begins there, and only where something is mapped. */
static bool symbol_listed(const struct filter *f, const struct location *location, uint64_t address)
{
	if (location->name && name_list_has(&f->symbols, location->name))
		return true;
	return location->dso && in_ranges(&f->addresses, address);
}

bool filter_location(const struct filter *f, const struct location *location, uint64_t address)
{
	if (f->dsos.text && (!location->dso || (!name_list_has(&f->dsos, location->dso->short_name) &&
						!name_list_has(&f->dsos, location->dso->long_name))))
		return false;
	return !f->symbols.text || symbol_listed(f, location, address);
}

bool filter_chain(const struct filter *f, const struct view_frame *frames, size_t nr_frames)
{
	if (!f->graph_function.text)
		return true;
	for (size_t i = 0; i < nr_frames; i++) {
		if (frames[i].spot.location->name &&
		    name_list_has(&f->graph_function, frames[i].spot.location->name))
			return true;
	}
	return false;
}
