/*
 * unwind_prog: a program whose call paths are known, for tests/unwind.sh. Each scenario spins for a while.
 *
 * The lines that begin with "calls:" say who calls whom: first the callee, then all its callers.
 * tests/unwind.sh holds recorded stacks against them. Names that are not in the left column are checked by
 * nobody.
 *
 * Built three times: with -DLIBRARY it is the shared library (without frame pointers: the register is left
 * alone or used for something else), with -DPLUGIN one that is opened and closed, below ld.so's and crtstuff's
 * functions.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline, noclone))
#define KEEP __asm__ volatile("" ::: "memory") /* what follows is no tail call */

extern "C" int library_outer(int (*callback)(int), int n);
extern "C" int library_busy(int (*callback)(int), int n);

#if defined(PLUGIN)
volatile int sink;

/* calls: Closed __cxa_finalize */
struct Closed {
	NOINLINE ~Closed()
	{
		for (int i = 0; i < 100000; i++)
			sink = sink * 5 + i;
		KEEP;
	}
} closed;
#elif defined(LIBRARY)
/* calls: library_inner library_outer */
extern "C" NOINLINE int library_inner(int (*callback)(int), int n)
{
	volatile char room[300];

	room[n] = 1;
	int result = callback(n) + room[n];
	KEEP;
	return result;
}

/* calls: library_outer through_library */
extern "C" NOINLINE int library_outer(int (*callback)(int), int n)
{
	int result = library_inner(callback, n + 1);

	KEEP;
	return result + n;
}

volatile int numbers[6] = { 1, 3, 5, 7, 9, 11 };

/* Six numbers that a call must not change: on x86_64 the frame pointer's register is one of them. */
/* calls: library_busy through_busy */
extern "C" NOINLINE int library_busy(int (*callback)(int), int n)
{
	int a = numbers[0], b = numbers[1], c = numbers[2], d = numbers[3], e = numbers[4], f = numbers[5];

	int result = callback(n);
	numbers[0] = a, numbers[1] = b, numbers[2] = c, numbers[3] = d, numbers[4] = e, numbers[5] = f;
	KEEP;
	return result;
}
#else
volatile int sink;

/* calls: spin recursive with_alloca tail_end on_signal Guard from_library from_busy coroutine worker */
extern "C" NOINLINE void spin(int n)
{
	for (int i = 0; i < n * 4000; i++)
		sink = sink * 5 + i;
	KEEP;
}

/* calls: recursive recursive by_recursion */
extern "C" NOINLINE int recursive(int depth)
{
	if (depth == 0)
		spin(1);
	else
		sink = sink + recursive(depth - 1);
	KEEP;
	return sink;
}

/* calls: by_recursion main */
extern "C" NOINLINE int by_recursion(int n)
{
	int result = recursive(20 + n);

	KEEP;
	return result;
}

/* calls: with_alloca by_pointer */
extern "C" NOINLINE int with_alloca(int n)
{
	volatile char *room = static_cast<volatile char *>(alloca(static_cast<size_t>(1000 + n)));

	room[n] = 1;
	spin(1);
	return room[n];
}

int (*volatile pointer)(int) = with_alloca;

/* calls: by_pointer main */
extern "C" NOINLINE int by_pointer(int n)
{
	int result = pointer(n);

	KEEP;
	return result;
}

/* calls: tail_end by_tail_call */
extern "C" NOINLINE int tail_end(int n)
{
	spin(1);
	KEEP;
	return n + sink;
}

/* calls: tail_start by_tail_call */
extern "C" NOINLINE int tail_start(int n)
{
	return tail_end(n + 1);
}

/* calls: by_tail_call main */
extern "C" NOINLINE int by_tail_call(int n)
{
	int result = tail_start(n);

	KEEP;
	return result;
}

/* calls: on_signal __restore_rt */
extern "C" NOINLINE void on_signal(int number)
{
	spin(1);
	sink = sink + number;
}

/* calls: by_signal main */
extern "C" NOINLINE int by_signal(int n)
{
	raise(SIGUSR1);
	KEEP;
	return n;
}

/* calls: Guard throwing */
struct Guard {
	NOINLINE ~Guard()
	{
		spin(1);
		KEEP;
	}
};

/* calls: throwing by_exception */
extern "C" NOINLINE int throwing(int n)
{
	Guard guard;

	if (n == sink * 2 + 1)
		return 1;
	throw n;
}

/* calls: by_exception main */
extern "C" NOINLINE int by_exception(int n)
{
	try {
		return throwing(n);
	} catch (int thrown) {
		sink = sink + thrown;
	}
	return sink;
}

/* calls: from_library library_inner */
extern "C" NOINLINE int from_library(int n)
{
	spin(1);
	KEEP;
	return n;
}

/* calls: through_library main */
extern "C" NOINLINE int through_library(int n)
{
	int result = library_outer(from_library, n);

	KEEP;
	return result;
}

/* calls: from_busy library_busy */
extern "C" NOINLINE int from_busy(int n)
{
	spin(1);
	KEEP;
	return n;
}

/* calls: through_busy main */
extern "C" NOINLINE int through_busy(int n)
{
	int result = library_busy(from_busy, n);

	KEEP;
	return result;
}

static ucontext_t outside, inside;
static char coroutine_stack[65536];

/* calls: coroutine __start_context */
extern "C" NOINLINE void coroutine()
{
	for (;;) {
		spin(1);
		swapcontext(&inside, &outside);
	}
}

/* calls: by_closing main */
extern "C" NOINLINE int by_closing(int n)
{
	static unsigned calls;
	void *plugin = calls++ % 32 ? nullptr : dlopen("./unwind_plugin.so", RTLD_NOW);

	if (plugin)
		dlclose(plugin);
	KEEP;
	return n;
}

/* calls: by_coroutine main */
extern "C" NOINLINE int by_coroutine(int n)
{
	swapcontext(&outside, &inside);
	KEEP;
	return n;
}

static volatile bool stop;

/* calls: worker start_thread */
extern "C" NOINLINE void *worker(void *argument)
{
	while (!stop)
		spin(1);
	return argument;
}

static void prepare()
{
	struct sigaction action = {};

	action.sa_handler = on_signal;
	sigaction(SIGUSR1, &action, nullptr);
	getcontext(&inside);
	inside.uc_stack.ss_sp = coroutine_stack;
	inside.uc_stack.ss_size = sizeof(coroutine_stack);
	inside.uc_link = nullptr;
	makecontext(&inside, coroutine, 0);
}

/* calls: main __libc_start_call_main __libc_start_main */
int main()
{
	int (*const scenarios[])(int) = { by_recursion, by_pointer,	 by_tail_call, by_signal,   by_exception,
					  through_library, through_busy, by_coroutine, by_closing };
	pthread_t thread;
	struct timespec begin, now;

	prepare();
	pthread_create(&thread, nullptr, worker, nullptr);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (int (*scenario)(int) : scenarios)
			sink = scenario(1) & 1;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 1500);
	stop = true;
	pthread_join(thread, nullptr);
	return 0;
}
#endif
