/*
 * unwind_prog: a program whose call paths are known, for tests/unwind.sh. Each scenario spins for a while.
 *
 * The lines that begin with "calls:" say who calls whom: first the callee, then all its callers.
 * tests/unwind.sh holds recorded stacks against them. Names that are not in the left column are checked by
 * nobody.
 *
 * Built four times: with -DLIBRARY it is the shared library (without frame pointers: the register is left
 * alone or used for something else), with -DPLUGIN one that is opened and closed, below ld.so's and
 * crtstuff's functions, with -DSPLIT one for -fsplit-stack. Coroutines need C++20.
 */
#include <alloca.h>
#ifdef __cpp_impl_coroutine
#include <coroutine>
#endif
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
		for (int i = 0; i < 400000; i++)
			sink = sink * 5 + i;
		KEEP;
	}
} closed;
#elif defined(SPLIT)
/* calls: split_recursive split_recursive split_outer __morestack */
extern "C" NOINLINE int split_recursive(void (*callback)(int), int n)
{
	volatile char room[2000];

	room[n] = 1;
	if (n == 0)
		callback(1);
	else
		split_recursive(callback, n - 1);
	KEEP;
	return room[n];
}

/* calls: split_outer by_split_stack __morestack */
extern "C" int split_outer(void (*callback)(int), int n)
{
	int result = split_recursive(callback, n);

	KEEP;
	return result;
}
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

/* calls: spin recursive with_alloca tail_end on_signal Guard from_library from_busy worker */
/* calls: spin fiber_inner nested_fiber in_coroutine split_recursive */
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
static char fiber_stack[65536];

/* calls: fiber_inner fiber */
extern "C" NOINLINE void fiber_inner()
{
	spin(1);
	swapcontext(&inside, &outside);
	KEEP;
}

/* calls: fiber __start_context */
extern "C" NOINLINE void fiber()
{
	for (;;)
		fiber_inner();
}

/* calls: nested_fiber __start_context */
extern "C" NOINLINE void nested_fiber(int n)
{
	spin(n);
	KEEP;
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

/* calls: by_fiber main */
extern "C" NOINLINE int by_fiber(int n)
{
	swapcontext(&outside, &inside);
	KEEP;
	return n;
}

static void start_fiber(ucontext_t *context, char *stack, size_t size, void (*entry)(), int argument)
{
	getcontext(context);
	context->uc_stack.ss_sp = stack;
	context->uc_stack.ss_size = size;
	context->uc_link = &outside;
	makecontext(context, entry, 1, argument);
}

/* Its stack is a part of main's: what is above it is not its own. */
/* calls: by_nested_fiber main */
extern "C" NOINLINE int by_nested_fiber(int n)
{
	ucontext_t context;
	char stack[16384];

	start_fiber(&context, stack, sizeof(stack), reinterpret_cast<void (*)()>(nested_fiber), n);
	swapcontext(&outside, &context);
	KEEP;
	return n;
}

#ifdef __cpp_impl_coroutine
struct Task {
	struct promise_type;
	using Handle = std::coroutine_handle<promise_type>;

	/* A finished one goes back to the one that awaits it. */
	struct Final {
		bool await_ready() noexcept
		{
			return false;
		}
		std::coroutine_handle<> await_suspend(Handle finished) noexcept
		{
			return finished.promise().awaiting;
		}
		void await_resume() noexcept
		{
		}
	};
	struct promise_type {
		std::coroutine_handle<> awaiting = std::noop_coroutine();

		Task get_return_object()
		{
			return { Handle::from_promise(*this) };
		}
		std::suspend_always initial_suspend()
		{
			return {};
		}
		std::suspend_always yield_value(int)
		{
			return {};
		}
		Final final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
		}
	};

	Handle handle;

	bool await_ready()
	{
		return false;
	}
	Handle await_suspend(Handle awaiting)
	{
		handle.promise().awaiting = awaiting;
		return handle;
	}
	void await_resume()
	{
		handle.destroy();
	}
};

/* calls: in_coroutine counting awaited */
extern "C" NOINLINE void in_coroutine(int n)
{
	spin(n);
	KEEP;
}

/* Who resumes a coroutine calls it, also when it goes on to another one. Its first part calls the rest. */
/* calls: awaited awaited counting resume */
NOINLINE Task awaited(int n)
{
	in_coroutine(n);
	co_return;
}

/* calls: counting counting by_coroutine resume */
NOINLINE Task counting(int n)
{
	for (int i = 0; i < n; i++) {
		in_coroutine(1);
		co_yield i;
	}
	co_await awaited(1);
	in_coroutine(1);
}

/* calls: resume by_coroutine */
extern "C" NOINLINE void resume(std::coroutine_handle<> handle)
{
	handle.resume();
	KEEP;
}

/* calls: by_coroutine main */
extern "C" NOINLINE int by_coroutine(int n)
{
	Task task = counting(n);

	while (!task.handle.done())
		resume(task.handle);
	task.handle.destroy();
	KEEP;
	return n;
}
#else
static int by_coroutine(int n)
{
	return n;
}
#endif

static int (*split_outer)(void (*callback)(int), int n);

/* One call stays on this stack: what goes on in other pieces seldom reaches it (see unwind_dwarf.awk). */
/* calls: by_split_stack main */
extern "C" NOINLINE int by_split_stack(int n)
{
	int result = split_outer ? split_outer(spin, 1) + split_outer(spin, 20) : n;

	KEEP;
	return result;
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
	start_fiber(&inside, fiber_stack, sizeof(fiber_stack), fiber, 0);
	if (void *library = dlopen("./libunwind_split.so", RTLD_NOW))
		split_outer = reinterpret_cast<int (*)(void (*)(int), int)>(dlsym(library, "split_outer"));
}

/* calls: main __libc_start_call_main __libc_start_main */
int main()
{
	int (*const scenarios[])(int) = { by_recursion,	   by_pointer,	    by_tail_call,   by_signal,
					  by_exception,	   through_library, through_busy,   by_fiber,
					  by_nested_fiber, by_coroutine,    by_split_stack, by_closing };
	pthread_t thread;
	struct timespec begin, now;

	prepare();
	pthread_create(&thread, nullptr, worker, nullptr);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do {
		for (int (*scenario)(int) : scenarios)
			sink = scenario(1) & 1;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 1500);
	stop = true;
	pthread_join(thread, nullptr);
	return 0;
}
#endif
