/*
 * deep: a program without a library that writes its own registers and stack as they are in a function deep
 * down.
 *
 * The path, as tests/snapshots.sh expects it: _start, start, by_pointer, with_alloca, recursive (3 times, but
 * the last one jumps on and leaves no frame), big_frame, many_registers, leaf. leaf writes to an address that
 * is not mapped, and the handler of that signal writes what it gets to stdout: a 64-bit word with perf's mask
 * of registers, the registers, the number of bytes of stack, the stack. All in the byte order of the machine.
 * tests/snapshots/make builds and runs it for each.
 */
#include <alloca.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline, noclone))

uintptr_t stack_top; /* set by start */
volatile int zero;
char *volatile nowhere = (char *)8;

#if defined(__aarch64__)
__asm__(".globl _start\n.type _start,%function\n_start:\n.cfi_startproc\n.cfi_undefined x30\n"
	"mov x29, #0\nmov x0, sp\nbl start\nbrk #0\n.cfi_endproc\n.size _start, .-_start\n");
#define NR_REGS 33
static uint64_t reg(const mcontext_t *m, int i)
{
	return i < 31 ? m->regs[i] : i == 31 ? m->sp : m->pc;
}
#define SP 31

static long call4(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b,
			 x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}
#elif defined(__arm__)
/* The unwind tables name these two. */
void __aeabi_unwind_cpp_pr0(void)
{
}
void __aeabi_unwind_cpp_pr1(void)
{
}
__asm__(".arm\n.globl _start\n.type _start,%function\n_start:\n.fnstart\n.cantunwind\n"
	"mov r11, #0\nmov r0, sp\nbl start\nudf #0\n.fnend\n.size _start, .-_start\n.thumb\n");
#define NR_REGS 16
static uint64_t reg(const mcontext_t *m, int i)
{
	return (&m->arm_r0)[i];
}
#define SP 13

static long call4(long number, long a, long b, long c, long d)
{
	register long r0 __asm__("r0") = a, r1 __asm__("r1") = b, r2 __asm__("r2") = c, r3 __asm__("r3") = d;

	__asm__ volatile("push {r7}\nmov r7, %1\nsvc #0\npop {r7}"
			 : "+r"(r0)
			 : "r"(number), "r"(r1), "r"(r2), "r"(r3)
			 : "memory");
	return r0;
}
#elif defined(__riscv)
__asm__(".globl _start\n.type _start,%function\n_start:\n.cfi_startproc\n.cfi_undefined ra\n"
	".option push\n.option norelax\nla gp, __global_pointer$\n.option pop\n"
	"mv a0, sp\ncall start\nebreak\n.cfi_endproc\n.size _start, .-_start\n");
#define NR_REGS 32
static uint64_t reg(const mcontext_t *m, int i)
{
	return m->__gregs[i];
}
#define SP 2

static long call4(long number, long a, long b, long c, long d)
{
	register long a7 __asm__("a7") = number, a0 __asm__("a0") = a, a1 __asm__("a1") = b,
			 a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3) : "memory");
	return a0;
}
#elif defined(__powerpc64__)
__asm__(".globl _start\n.type _start,@function\n_start:\n.cfi_startproc\n.cfi_undefined lr\n"
	"lis 2, .TOC.@ha\naddi 2, 2, .TOC.@l\nmr 3, 1\nli 0, 0\nstdu 1, -64(1)\n.cfi_adjust_cfa_offset 64\n"
	"mtlr 0\nbl start\nnop\ntrap\n.cfi_endproc\n.size _start, .-_start\n");
#define NR_REGS 39
static uint64_t reg(const mcontext_t *m, int i)
{
	return m->gp_regs[i];
}
#define SP 1

static long call4(long number, long a, long b, long c, long d)
{
	register long r0 __asm__("r0") = number, r3 __asm__("r3") = a, r4 __asm__("r4") = b,
			 r5 __asm__("r5") = c;
	register long r6 __asm__("r6") = d;

	__asm__ volatile("sc"
			 : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6)
			 :
			 : "memory", "cr0", "ctr", "r7", "r8", "r9", "r10", "r11", "r12");
	return r3;
}
#elif defined(__s390x__)
__asm__(".globl _start\n.type _start,@function\n_start:\n.cfi_startproc\n.cfi_undefined r14\n"
	"lgr %r2, %r15\naghi %r15, -160\n.cfi_adjust_cfa_offset 160\nbrasl %r14, start\nj .+2\n"
	".cfi_endproc\n.size _start, .-_start\n");
#define NR_REGS 34
static uint64_t reg(const mcontext_t *m, int i)
{
	if (i < 16)
		return m->gregs[i];
	if (i < 32) {
		union {
			double d;
			uint64_t bits;
		} fpr = { m->fpregs.fprs[i - 16].d };
		return fpr.bits;
	}
	return i == 32 ? m->psw.mask : m->psw.addr;
}
#define SP 15

static long call4(long number, long a, long b, long c, long d)
{
	register long r1 __asm__("r1") = number, r2 __asm__("r2") = a, r3 __asm__("r3") = b,
			 r4 __asm__("r4") = c;
	register long r5 __asm__("r5") = d;

	__asm__ volatile("svc 0" : "+d"(r2) : "d"(r1), "d"(r3), "d"(r4), "d"(r5) : "memory");
	return r2;
}
#endif

static void put(const void *data, size_t size)
{
	call4(SYS_write, 1, (long)data, (long)size, 0);
}

static void put_word(uint64_t word)
{
	put(&word, sizeof(word));
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	const mcontext_t *m = &((const ucontext_t *)context)->uc_mcontext;

	put_word((UINT64_C(1) << NR_REGS) - 1);
	for (int i = 0; i < NR_REGS; i++)
		put_word(reg(m, i));
	uintptr_t sp = (uintptr_t)reg(m, SP);
	size_t size = (stack_top - sp) & ~(size_t)7;
	put_word(size);
	put((const void *)sp, size);
	call4(SYS_exit_group, number == 0 || !info, 0, 0, 0);
}

NOINLINE int leaf(int x)
{
	*nowhere = (char)x;
	return x + 1;
}

/* More values than there are registers that a call does not change. */
NOINLINE int many_registers(int n)
{
	int v[16];

	for (int i = 0; i < 16; i++)
		v[i] = n * i + zero;
	__asm__ volatile("" : : "r"(v) : "memory");
	int a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6], h = v[7];
	int sum = leaf(n);
	return sum + a + b + c + d + e + f + g + h + leaf(n + 1) + a * b + c * d + e * f + g * h;
}

NOINLINE int big_frame(int n)
{
	volatile char room[9000];

	room[zero] = (char)n;
	int sum = many_registers(n) + 1;
	return sum + room[n & 7];
}

NOINLINE int recursive(int depth)
{
	if (depth == 0)
		return big_frame(zero);
	int below = recursive(depth - 1);
	__asm__ volatile("" : "+r"(below)); /* or gcc makes a loop of it */
	return below + depth;
}

NOINLINE int with_alloca(int n)
{
	volatile char *room = alloca((size_t)(100 + n));

	room[0] = (char)n;
	int sum = recursive(2 + zero);
	return sum + room[0];
}

int (*volatile pointer)(int);

NOINLINE int by_pointer(int n)
{
	pointer = with_alloca;
	return pointer(n) + 1;
}

/* As the kernel's struct sigaction begins everywhere here. */
struct action {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	unsigned long rest[4];
};

__attribute__((used)) void start(uintptr_t sp)
{
	volatile struct action action = { on_signal, SA_SIGINFO | SA_NODEFER, { 0 } };

	stack_top = sp + 64;
	call4(SYS_rt_sigaction, SIGSEGV, (long)&action, 0, 8);
	call4(SYS_exit_group, by_pointer(zero) == 0, 0, 0, 0);
}
