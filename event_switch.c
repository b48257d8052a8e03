#include "event_switch.h"

#include <string.h>

struct event_switch event_switch_make(const struct options *o)
{
	return (struct event_switch){ o->switch_on, o->switch_off, o->show_on_off, o->switch_on != NULL };
}

static struct err *check_name(const char *option, const char *name, const struct evlist *evlist)
{
	for (size_t i = 0; name && i < evlist->events.count; i++) {
		if (!strcmp(evlist->events.at[i]->name, name))
			return NULL;
	}
	return name ? err_new("%s: the recording has no event '%s'", option, name) : NULL;
}

struct err *event_switch_check(const struct options *o, const struct evlist *evlist)
{
	struct err *err = check_name("--switch-on", o->switch_on, evlist);

	return err ? err : check_name("--switch-off", o->switch_off, evlist);
}

bool event_switch_passes(struct event_switch *s, const struct event *event)
{
	const char *awaited = s->closed ? s->on : s->off;

	if (!awaited || strcmp(event->name, awaited))
		return !s->closed || !s->on;
	s->closed = !s->closed;
	return s->show;
}
