/*
 * The neighbour-exchange benchmark: each process calls a counting function, then exchanges a message with the
 * processes before and after it in an open chain, again and again.
 *
 * It decides nothing. Its arguments, KEY=VALUE each, are written by run.rs; what it prints is read by words.rs:
 *
 *   ready LIBRARY                                   once, when all ranks are pinned
 *   warm RANK STEPS TIME...                         median call in each slice from the beginning of load, ns
 *   begin STEPS CLOCK_NS PHASE                      steps of a call, what reading the clock takes, a check of phases
 *   block ROUND WORK INJECTED MEAN MAX WORK_NS DETOURS DETOUR_NS ABSORBED MOVED
 *   end
 *
 * In a block every rank does the iterations once. MEAN and MAX are the ranks' times for all of them in ns; WORK_NS is
 * the mean time in the counting function, injected detours included; DETOURS, DETOUR_NS and ABSORBED are sums over the
 * ranks; MOVED says how many ranks ended on a CPU other than their own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { SOURCES_MAX = 8, RANKS_MAX = 256, SLICES = 20, SLICE_CALLS_MAX = 65536 };
static const uint64_t SLICE_NS = 50000000;

enum work { ALONE, BARE, BLOCKING, OVERLAPPED, WORKS };
static const char *const WORK_NAMES[WORKS] = {"alone", "bare", "blocking", "overlapped"};

struct source {
	double period_ns;
	uint64_t length_ns;
	unsigned char on_rank[RANKS_MAX];
	double due_ns; /* from the beginning of the block */
};

struct tally {
	double total_ns, work_ns, detours, detour_ns, absorbed, moved;
};

static int rank, ranks, cpu = -1;
static struct source sources[SOURCES_MAX];
static int source_count;
static uint64_t block_start_ns;
static struct tally tally;
static volatile uint64_t sink;

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "exchange: rank %d: %s: %s\n", rank, what, why);
	fflush(stderr);
	MPI_Abort(MPI_COMM_WORLD, 3);
	exit(3);
}

static uint64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Fibonacci numbers, as in the article; the empty assembly keeps the compiler from leaving steps out. */
static __attribute__((noinline)) uint64_t count(uint64_t steps)
{
	uint64_t a = 0, b = 1;
	for (; steps; steps--) {
		uint64_t c = a + b;
		a = b;
		b = c;
		__asm__ volatile("" : "+r"(a), "+r"(b));
	}
	return b;
}

/* splitmix64; phases.rs has the same, so that the model knows the phases that were drawn. */
static uint64_t mix(uint64_t value)
{
	value += 0x9e3779b97f4a7c15u;
	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
	value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
	return value ^ (value >> 31);
}

static double phase(uint64_t seed, uint64_t round, uint64_t source, uint64_t of_rank)
{
	uint64_t drawn = mix(mix(mix(mix(seed) + round) + source) + of_rank);
	return (double)(drawn >> 11) / 9007199254740992.0;
}

/* Adds the detours that fall due while the function works, those during a detour included. Whatever fell due
 * since the last call did so while the rank waited or talked, and a real interrupt would have passed unnoticed. */
static uint64_t lengthen(uint64_t begin, uint64_t end)
{
	for (;;) {
		struct source *next = NULL;
		for (int at = 0; at < source_count; at++)
			if (sources[at].on_rank[rank] && (!next || sources[at].due_ns < next->due_ns))
				next = &sources[at];
		if (!next || next->due_ns >= (double)(end - block_start_ns))
			return end;
		if (next->due_ns >= (double)(begin - block_start_ns)) {
			uint64_t until = end + next->length_ns, time;
			while ((time = now()) < until)
				;
			tally.detours += 1;
			tally.detour_ns += (double)(time - end);
			end = time;
		} else {
			tally.absorbed += 1;
		}
		next->due_ns += next->period_ns;
	}
}

static void work(uint64_t steps, int injected)
{
	uint64_t begin = now();
	sink += count(steps);
	uint64_t end = now();
	if (injected)
		end = lengthen(begin, end);
	tally.work_ns += (double)(end - begin);
}

static void check(const unsigned char *message, int from, uint32_t iteration)
{
	if (from != MPI_PROC_NULL && message[0] != (unsigned char)iteration)
		fail("exchange", "a message of another iteration arrived");
}

/* Two messages to each side, since one may still be on its way when the next is written. */
struct neighbours {
	int left, right, bytes;
	unsigned char *to_left[2], *to_right[2], *from_left, *from_right;
	MPI_Request sent[2][2];
};

static void exchange(struct neighbours *with)
{
	MPI_Sendrecv(with->to_right[0], with->bytes, MPI_BYTE, with->right, 0, with->from_left, with->bytes, MPI_BYTE,
		     with->left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(with->to_left[0], with->bytes, MPI_BYTE, with->left, 0, with->from_right, with->bytes, MPI_BYTE,
		     with->right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Works while messages are on their way. Open MPI moves them only while it is called, and a send is not over before the
 * receiver has called it, too. So with tests the work is done in parts with a call between them, and what is waited
 * for is what is needed: this iteration's messages, and that those of the last have left their buffers. Without tests
 * all is waited for when the work is done. */
static void overlap(struct neighbours *with, int parity, uint64_t steps, int injected, int tests)
{
	MPI_Request *sent = with->sent[parity], *before = with->sent[!parity], all[4];
	MPI_Irecv(with->from_left, with->bytes, MPI_BYTE, with->left, 0, MPI_COMM_WORLD, &all[0]);
	MPI_Irecv(with->from_right, with->bytes, MPI_BYTE, with->right, 0, MPI_COMM_WORLD, &all[1]);
	MPI_Isend(with->to_right[parity], with->bytes, MPI_BYTE, with->right, 0, MPI_COMM_WORLD, &sent[0]);
	MPI_Isend(with->to_left[parity], with->bytes, MPI_BYTE, with->left, 0, MPI_COMM_WORLD, &sent[1]);
	for (int part = 0; part <= tests; part++) {
		int done;
		work(steps * (uint64_t)(part + 1) / (uint64_t)(tests + 1) -
			     steps * (uint64_t)part / (uint64_t)(tests + 1),
		     injected);
		if (part < tests)
			MPI_Testall(2, all, &done, MPI_STATUSES_IGNORE);
	}
	memcpy(all + 2, tests ? before : sent, 2 * sizeof *all);
	MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
	(tests ? before : sent)[0] = (tests ? before : sent)[1] = MPI_REQUEST_NULL;
}

static void block(enum work what, uint32_t iterations, uint64_t steps, uint64_t boundary, int injected, int tests,
		  struct neighbours *with)
{
	memset(&tally, 0, sizeof tally);
	MPI_Barrier(MPI_COMM_WORLD);
	block_start_ns = now();
	for (uint32_t iteration = 0; iteration < iterations; iteration++) {
		const int parity = what == OVERLAPPED ? iteration % 2 : 0;
		if (what == ALONE || what == BLOCKING)
			work(steps, injected);
		if (what == ALONE)
			continue;
		if (what == OVERLAPPED)
			work(boundary, injected);
		with->to_left[parity][0] = with->to_right[parity][0] = (unsigned char)iteration;
		if (what == OVERLAPPED)
			overlap(with, parity, steps - boundary, injected, tests);
		else
			exchange(with);
		check(with->from_left, with->left, iteration);
		check(with->from_right, with->right, iteration);
	}
	MPI_Waitall(4, with->sent[0], MPI_STATUSES_IGNORE);
	tally.total_ns = (double)(now() - block_start_ns);
	tally.moved = cpu >= 0 && sched_getcpu() != cpu;
}

static void tell_block(unsigned round, enum work what, int injected)
{
	struct tally sum, most;
	MPI_Reduce(&tally, &sum, 6, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Reduce(&tally, &most, 6, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank > 0)
		return;
	printf("block %u %s %d %.0f %.0f %.0f %.0f %.0f %.0f %.0f\n", round, WORK_NAMES[what], injected,
	       sum.total_ns / ranks, most.total_ns, sum.work_ns / ranks, sum.detours, sum.detour_ns, sum.absorbed,
	       sum.moved);
	fflush(stdout);
}

static int by_size(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
	return (a > b) - (a < b);
}

static uint32_t median(uint32_t *values, int many)
{
	qsort(values, (size_t)many, sizeof *values, by_size);
	return many ? values[many / 2] : 0;
}

static uint32_t *times;

static double step_ns(uint64_t steps, int tries)
{
	for (int at = 0; at < tries; at++) {
		uint64_t begin = now();
		sink += count(steps);
		times[at] = (uint32_t)(now() - begin);
	}
	return (double)median(times, tries) / (double)steps;
}

/* Calls from the beginning of load, which come before anything else: the article's first quarter second. */
static void warm_up(uint64_t steps)
{
	double slices[SLICES], all[SLICES];
	uint64_t start = now();
	for (int slice = 0; slice < SLICES; slice++) {
		int many = 0;
		uint64_t time = now(), end = start + SLICE_NS * (uint64_t)(slice + 1);
		while (time < end) {
			uint64_t begin = time;
			sink += count(steps);
			time = now();
			if (many < SLICE_CALLS_MAX)
				times[many++] = (uint32_t)(time - begin);
		}
		slices[slice] = median(times, many);
	}
	for (int of = 0; of < ranks; of++) {
		if (of > 0 && rank == of)
			MPI_Send(slices, SLICES, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
		if (rank > 0)
			continue;
		memcpy(all, slices, sizeof all);
		if (of > 0)
			MPI_Recv(all, SLICES, MPI_DOUBLE, of, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		printf("warm %d %llu", of, (unsigned long long)steps);
		for (int slice = 0; slice < SLICES; slice++)
			printf(" %.0f", all[slice]);
		printf("\n");
	}
}

static const char *value(int count_of, char **arguments, const char *key)
{
	size_t length = strlen(key);
	for (int at = 1; at < count_of; at++)
		if (!strncmp(arguments[at], key, length) && arguments[at][length] == '=')
			return arguments[at] + length + 1;
	fail("missing argument", key);
	return NULL;
}

static uint64_t number(int count_of, char **arguments, const char *key)
{
	return strtoull(value(count_of, arguments, key), NULL, 10);
}

/* CPUs of the ranks, in their order: 0,1,4 */
static void pin(const char *list)
{
	char *rest = (char *)list;
	for (int at = 0; at <= rank && *rest; at++) {
		cpu = (int)strtol(rest, &rest, 10);
		rest += *rest == ',';
	}
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof set, &set))
		fail("cannot stay on its CPU", strerror(errno));
}

/* PERIOD_NS:LENGTH_NS:all or PERIOD_NS:LENGTH_NS:0.2.5, with commas between sources. */
static void read_sources(const char *text)
{
	char *rest = (char *)text;
	while (*rest && source_count < SOURCES_MAX) {
		struct source *source = &sources[source_count++];
		source->period_ns = strtod(rest, &rest);
		source->length_ns = strtoull(rest + 1, &rest, 10);
		rest++;
		if (!strncmp(rest, "all", 3)) {
			memset(source->on_rank, 1, sizeof source->on_rank);
			rest += 3;
		}
		while (*rest && *rest != ',') {
			unsigned long on = strtoul(rest, &rest, 10);
			if (on < RANKS_MAX)
				source->on_rank[on] = 1;
			rest += *rest == '.';
		}
		rest += *rest == ',';
	}
}

int main(int argc, char **argv)
{
	/* mpirun is the parent; should it be killed, nobody else would end this. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (ranks > RANKS_MAX)
		fail("too many ranks", "256 at most");
	const unsigned rounds = (unsigned)number(argc, argv, "rounds");
	const uint32_t iterations = (uint32_t)number(argc, argv, "iterations");
	const uint64_t target_ns = number(argc, argv, "target_ns"), seed = number(argc, argv, "seed");
	const int common = number(argc, argv, "common") == 1, tests = (int)number(argc, argv, "tests");
	uint64_t steps = number(argc, argv, "steps");
	pin(value(argc, argv, "cpus"));
	read_sources(value(argc, argv, "inject"));
	times = malloc(SLICE_CALLS_MAX * sizeof *times);
	struct neighbours with = {.left = rank > 0 ? rank - 1 : MPI_PROC_NULL,
				  .right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL,
				  .bytes = (int)number(argc, argv, "bytes")};
	unsigned char **const buffers[6] = {&with.to_left[0], &with.to_left[1], &with.to_right[0],
					    &with.to_right[1], &with.from_left, &with.from_right};
	for (int at = 0; at < 6; at++) {
		*buffers[at] = malloc((size_t)with.bytes);
		if (!times || !*buffers[at])
			fail("no memory", "for messages");
		memset(*buffers[at], 0, (size_t)with.bytes);
	}
	for (int at = 0; at < 4; at++)
		with.sent[at / 2][at % 2] = MPI_REQUEST_NULL;
	memset(times, 0, SLICE_CALLS_MAX * sizeof *times);
	char library[MPI_MAX_LIBRARY_VERSION_STRING];
	int length;
	MPI_Get_library_version(library, &length);
	library[strcspn(library, ",\n")] = 0;
	if (rank == 0) {
		printf("ready %s\n", library);
		fflush(stdout);
	}

	/* A rough number of steps first: what is exact is found when the processors have come up to speed. */
	uint64_t rough = steps ? steps : (uint64_t)((double)target_ns / step_ns(1000, 11)) + 1;
	warm_up(rough);
	if (!steps)
		steps = (uint64_t)((double)target_ns / step_ns(rough, 501) + 0.5);
	if (steps < 1)
		steps = 1;
	MPI_Bcast(&steps, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	const uint64_t boundary = steps * number(argc, argv, "boundary_permille") / 1000;
	if (rank == 0) {
		uint64_t begin = now();
		for (int at = 0; at < 1000; at++)
			sink += now();
		printf("begin %llu %.1f %.17g\n", (unsigned long long)steps, (double)(now() - begin) / 1001,
		       phase(seed, 0, 0, (uint64_t)ranks - 1));
		fflush(stdout);
	}
	for (unsigned round = 0; round < rounds; round++) {
		const int many = (source_count ? 2 : 1) * WORKS;
		for (int turn = 0; turn < many; turn++) {
			const int at = round % 2 ? many - 1 - turn : turn;
			const enum work what = (enum work)(at % WORKS);
			const int injected = at >= WORKS;
			/* One rank has nobody to talk to, and without work nothing can be lengthened. */
			if ((what != ALONE && ranks == 1) || (what == BARE && injected))
				continue;
			for (int source = 0; source < source_count; source++)
				sources[source].due_ns = sources[source].period_ns *
					phase(seed, round, (uint64_t)source, common ? 0 : (uint64_t)rank);
			block(what, iterations, steps, boundary, injected, tests, &with);
			tell_block(round, what, injected);
		}
	}
	if (rank == 0)
		printf("end\n");
	MPI_Finalize();
	return 0;
}
