#include "progress.h"

#include <unistd.h>

/* About a second of work. */
#define LARGE ((uint64_t)64 << 20)

struct progress progress_start(const struct options *o, uint64_t total, int out_fd)
{
	bool wanted = !o->quiet && !o->no_progress && total >= LARGE;

	return (struct progress){
		.to = wanted && isatty(STDERR_FILENO) && !isatty(out_fd) ? stderr : NULL,
		.total = total,
	};
}

void progress_at(struct progress *p, uint64_t position)
{
	if (!p->to || position > p->total)
		return;
	unsigned percent = (unsigned)(100 * (double)position / (double)p->total);
	if (percent == p->percent)
		return;
	p->percent = percent;
	fprintf(p->to, "\rperf2txt: %u %%", percent);
	fflush(p->to);
}

void progress_end(struct progress *p)
{
	if (p->to && p->percent)
		fprintf(p->to, "\r%*s\r", (int)sizeof("perf2txt: 100 %"), "");
	p->to = NULL;
}
