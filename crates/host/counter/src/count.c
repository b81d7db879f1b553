// SPDX-License-Identifier: MIT
//
// A plugin for QEMU's user-mode emulator that counts the instructions of a program.
//
// Each process of the program counts on a page of its own, in memory that it shares with the supervisor (counts.rs has
// the same layout). A process with one thread counts by an addition that QEMU puts into the code of each block; with more
// threads these additions, which are not atomic, would lose some, so that each thread then has a number of its own. QEMU
// translates all code again for threads when the second one begins, or earlier: when memory is shared with others.
//
// It is also preloaded, so that the emulator's calls for the time and for random numbers are answered here: a program with one
// thread that asks for them gets the same answers in every run.
//
// QEMU's interface, as far as it is used, is declared here (docs.qemu.org, "QEMU TCG Plugins", version 1 of the API:
// QEMU 6.0 to 8.2).

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t plugin_id;
struct block;
enum { INLINE_ADD = 0, NO_REGISTERS = 0 };

extern void qemu_plugin_register_vcpu_init_cb(plugin_id, void (*)(plugin_id, unsigned));
extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct block *));
extern void qemu_plugin_register_vcpu_syscall_cb(
    plugin_id, void (*)(plugin_id, unsigned, int64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t));
extern size_t qemu_plugin_tb_n_insns(const struct block *);
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct block *, int, void *, uint64_t);
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct block *, void (*)(unsigned, void *), int, void *);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int qemu_plugin_version = 1;

#define PAGE 4096
#define THREADS 448

// The first page of the shared memory.
struct header {
    // How many of the following pages are in use.
    uint64_t pages;
};

// The page of a process.
struct page {
    // While its code is for one thread.
    uint64_t one_thread;
    // Threads without a number below.
    uint64_t other_threads;
    // Bytes of memory that are the emulator's and not the program's.
    uint64_t emulator;
    // That of one_thread and 1, once there are several threads: what was added there from then on would be lost in part.
    uint64_t one_thread_end;
    uint64_t unused[4];
    uint64_t threads[THREADS];
};
_Static_assert(sizeof(struct page) <= PAGE, "a page holds it");

static uint8_t *shared;
static uint64_t shared_pages;
// Always at the same address: blocks that were translated before a fork go on to count there.
static struct page *own;
static bool many_threads;
// Whether code may be translated for several threads already.
static bool is_parallel;
static uint64_t per_nanosecond = 1;

// Takes a page for this process. One that cannot be counted does not go on.
static void take_page(void) {
    struct header *header = (struct header *)shared;
    uint64_t page = __atomic_add_fetch(&header->pages, 1, __ATOMIC_SEQ_CST);
    if (page >= shared_pages)
        _exit(127);
    // Of length 0, the old mapping stays and gets a second address (mremap(2)).
    if (mremap(shared + page * PAGE, 0, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, own) == MAP_FAILED)
        _exit(127);
    if (many_threads)
        own->one_thread_end = own->one_thread + 1;
}

// The memory for translated code, which QEMU fills from its beginning, and how far it was filled when last looked at.
static uint8_t *code_end, *code_filled;

// Finds the only private mapping that can be written and executed. Later ones may be the program's.
static void find_code(void) {
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return;
    char line[512], mode[5];
    unsigned long long begin, end;
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%llx-%llx %4s", &begin, &end, mode) == 3 && !strcmp(mode, "rwxp")) {
            code_filled = (uint8_t *)(uintptr_t)begin;
            code_end = (uint8_t *)(uintptr_t)end;
            break;
        }
    }
    fclose(maps);
}

// Counts the pages of translated code. Not at each block: a look costs a call of the kernel.
static void look_at_memory(void) {
    static unsigned blocks;
    if (blocks++ % 64)
        return;
    if (!code_end)
        find_code();
    unsigned char resident = 1;
    while (code_filled < code_end && mincore(code_filled, PAGE, &resident) == 0 && resident & 1) {
        code_filled += PAGE;
        own->emulator += PAGE;
    }
}

// What the emulator has before there is a program, less what files have of it.
static uint64_t memory_now(void) {
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long long resident = 0, of_files = 0;
    if (file && fscanf(file, "%*u %llu %llu", &resident, &of_files) != 2)
        resident = of_files = 0;
    if (file)
        fclose(file);
    return (resident - of_files) * PAGE;
}

static void executed(unsigned thread, void *instructions) {
    uint64_t count = (uintptr_t)instructions;
    if (thread < THREADS)
        own->threads[thread] += count;
    else
        __atomic_fetch_add(&own->other_threads, count, __ATOMIC_RELAXED);
}

static void translated(plugin_id id, struct block *block) {
    (void)id;
    look_at_memory();
    size_t count = qemu_plugin_tb_n_insns(block);
    if (is_parallel)
        qemu_plugin_register_vcpu_tb_exec_cb(block, executed, NO_REGISTERS, (void *)(uintptr_t)count);
    else
        qemu_plugin_register_vcpu_tb_exec_inline(block, INLINE_ADD, &own->one_thread, count);
}

// Called before the second thread begins; QEMU then translates all code again, for threads (CF_PARALLEL).
static void thread_begins(plugin_id id, unsigned thread) {
    (void)id;
    if (thread == 0 || many_threads)
        return;
    many_threads = is_parallel = true;
    own->one_thread_end = own->one_thread + 1;
}

// Called before a system call. QEMU translates all code for threads from the first memory on that other processes may share, and
// not again when the second thread begins.
static void system_call(plugin_id id, unsigned thread, int64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t flags, uint64_t e,
                        uint64_t f, uint64_t g, uint64_t h) {
    (void)id, (void)thread, (void)a, (void)b, (void)c, (void)e, (void)f, (void)g, (void)h;
    if ((number == SYS_mmap && flags & MAP_SHARED) || number == SYS_shmat)
        is_parallel = true;
}

// The C library's own function, which this file preloads another for.
static long kernel(long number, long a, long b, long c, long d, long e, long f) {
    static long (*next)(long, ...);
    if (!next)
        next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return next(number, a, b, c, d, e, f);
}

// When programs begin, by their own clocks: 2000-01-01 00:00 UTC.
#define EPOCH 946684800
#define SECOND 1000000000

// Returns whether the clocks of this process show what it has executed. Those of several threads stay the machine's, since they
// wait for each other until an instant.
static bool has_own_clock(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME:
    case CLOCK_TAI:
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        return own && !many_threads;
    default:
        return false;
    }
}

static struct timespec own_time(clockid_t clock) {
    bool is_date = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
    uint64_t ns = (own->one_thread + own->threads[0]) / per_nanosecond;
    return (struct timespec){(is_date ? EPOCH : 0) + ns / SECOND, ns % SECOND};
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec *now) {
    if (!has_own_clock(clock))
        return kernel(SYS_clock_gettime, clock, (long)now, 0, 0, 0, 0);
    *now = own_time(clock);
    return 0;
}

EXPORTED int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    if (!has_own_clock(CLOCK_REALTIME))
        return kernel(SYS_gettimeofday, (long)now, (long)zone, 0, 0, 0, 0);
    struct timespec time = own_time(CLOCK_REALTIME);
    *now = (struct timeval){time.tv_sec, time.tv_nsec / 1000};
    return 0;
}

EXPORTED time_t time(time_t *stored) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (stored)
        *stored = now.tv_sec;
    return now.tv_sec;
}

// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
static void own_random(uint8_t *bytes, size_t length) {
    static uint64_t state;
    for (size_t at = 0; at < length; at++) {
        uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        bytes[at] = z ^ z >> 31;
    }
}

// QEMU asks for random numbers by their number, as for many other calls.
EXPORTED long syscall(long number, ...) {
    va_list rest;
    va_start(rest, number);
    long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long);
    long d = va_arg(rest, long), e = va_arg(rest, long), f = va_arg(rest, long);
    va_end(rest);
    // The kernel checks the program's address before they are written there.
    long result = kernel(number, a, b, c, d, e, f);
    if (number == SYS_getrandom && result > 0 && own && !many_threads)
        own_random((uint8_t *)a, result);
    return result;
}

// Arguments: rate=N, instructions in a nanosecond of the program's clocks; fd=N, the shared memory; pages=N, its pages; code=N, the descriptor of this file. The program gets neither.
EXPORTED int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv) {
    (void)info;
    int memory = -1, code = -1;
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "fd=", 3))
            memory = atoi(argv[i] + 3);
        else if (!strncmp(argv[i], "pages=", 6))
            shared_pages = strtoull(argv[i] + 6, NULL, 10);
        else if (!strncmp(argv[i], "rate=", 5))
            per_nanosecond = strtoull(argv[i] + 5, NULL, 10);
        else if (!strncmp(argv[i], "code=", 5))
            code = atoi(argv[i] + 5);
    }
    shared = mmap(NULL, shared_pages * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    own = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || own == MAP_FAILED)
        return 1;
    close(memory);
    close(code);
    take_page();
    own->emulator = memory_now();
    if (pthread_atfork(NULL, NULL, take_page) != 0)
        return 1;
    qemu_plugin_register_vcpu_init_cb(id, thread_begins);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_vcpu_syscall_cb(id, system_call);
    return 0;
}
