// SPDX-License-Identifier: MIT
//
// A second plugin for QEMU's user-mode emulator: how often each block of a program runs and, if asked for, which of its
// accesses two simulated levels of cache would miss. For programs of one's own: the file that it writes is a program's to
// change as well.
//
// The file (profile.rs has the same layout): a page with the numbers in use, pages of mappings, then blocks.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>

typedef uint64_t plugin_id;
struct block;
struct instruction;
enum { INLINE_ADD = 0, NO_REGISTERS = 0, READ_AND_WRITE = 3 };

extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct block *));
extern size_t qemu_plugin_tb_n_insns(const struct block *);
extern uint64_t qemu_plugin_tb_vaddr(const struct block *);
extern struct instruction *qemu_plugin_tb_get_insn(const struct block *, size_t);
extern void *qemu_plugin_insn_haddr(const struct instruction *);
extern size_t qemu_plugin_insn_size(const struct instruction *);
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct block *, int, void *, uint64_t);
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct block *, void (*)(unsigned, void *), int, void *);
extern void qemu_plugin_register_vcpu_mem_cb(
    struct instruction *, void (*)(unsigned, uint32_t, uint64_t, void *), int, int, void *);
extern unsigned qemu_plugin_mem_size_shift(uint32_t);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int qemu_plugin_version = 1;

#define PAGE 4096
#define MAPPINGS 512
#define LINE 64
#define WAYS_MAX 32

struct header {
    uint64_t mappings, blocks;
    // Instructions of blocks that found no place.
    uint64_t lost;
};
// A file that the program has in memory.
struct mapping {
    uint64_t begin, end, offset;
    char path[PAGE / 8 - 24];
};
struct counted {
    uint64_t address, bytes, instructions, executions;
    // Of the first level for instructions, for data, and of the last one.
    uint64_t first_instructions, first_data, last;
    uint64_t unused;
};
_Static_assert(sizeof(struct mapping) * 8 == PAGE && sizeof(struct counted) == 64, "profile.rs has this layout");

// The least recently used line of a set is the last of its ways.
struct cache {
    uint64_t sets, ways;
    uint64_t *lines;
};

static struct header *header;
static struct mapping *mappings;
static struct counted *counted, nowhere;
static uint64_t blocks_max;
static struct cache first_instructions, first_data, last;
static char lock;

// Returns whether a line was there; it is the most recently used one then.
static bool touch(struct cache *cache, uint64_t line) {
    uint64_t *ways = cache->lines + line % cache->sets * cache->ways;
    uint64_t at = 0, stored = line + 1;
    while (at < cache->ways - 1 && ways[at] != stored)
        at++;
    bool hit = ways[at] == stored;
    memmove(ways + 1, ways, at * sizeof *ways);
    ways[0] = stored;
    return hit;
}

static void access_memory(struct cache *first, uint64_t address, uint64_t bytes, uint64_t *missed, struct counted *block) {
    // Threads share the caches, as on one core.
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
        ;
    for (uint64_t line = address / LINE; line <= (address + bytes - 1) / LINE; line++)
        if (!touch(first, line)) {
            ++*missed;
            block->last += !touch(&last, line);
        }
    __atomic_clear(&lock, __ATOMIC_RELEASE);
}

static void executed(unsigned cpu, void *of) {
    (void)cpu;
    struct counted *block = of;
    block->executions++;
    access_memory(&first_instructions, block->address, block->bytes, &block->first_instructions, block);
}

static void accessed(unsigned cpu, uint32_t info, uint64_t address, void *of) {
    (void)cpu;
    struct counted *block = of;
    access_memory(&first_data, address, 1ULL << qemu_plugin_mem_size_shift(info), &block->first_data, block);
}

// Notes which files are in memory, unless this address is in one of them.
static void know(uint64_t address) {
    for (uint64_t at = 0; at < header->mappings; at++)
        if (mappings[at].begin <= address && address < mappings[at].end)
            return;
    static uint64_t unknown;
    // Code that is made at run time is in no file: it is looked for once in a while.
    if (address / PAGE == unknown)
        return;
    unknown = address / PAGE;
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return;
    char line[1024];
    while (fgets(line, sizeof line, maps)) {
        unsigned long long begin, end, offset;
        int path = 0;
        if (sscanf(line, "%llx-%llx %*4s %llx %*s %*s %n", &begin, &end, &offset, &path) < 3 || line[path] != '/')
            continue;
        if (begin <= address && address < end && header->mappings < MAPPINGS) {
            struct mapping *mapping = &mappings[header->mappings++];
            *mapping = (struct mapping){.begin = begin, .end = end, .offset = offset};
            line[strcspn(line, "\n")] = 0;
            strncpy(mapping->path, line + path, sizeof mapping->path - 1);
        }
    }
    fclose(maps);
}

static struct counted *take(void) {
    uint64_t at = __atomic_fetch_add(&header->blocks, 1, __ATOMIC_RELAXED);
    return at < blocks_max ? &counted[at] : &nowhere;
}

static void translated(plugin_id id, struct block *block) {
    (void)id;
    struct counted *own = take();
    size_t count = qemu_plugin_tb_n_insns(block);
    if (own == &nowhere) {
        qemu_plugin_register_vcpu_tb_exec_inline(block, INLINE_ADD, &header->lost, count);
        return;
    }
    struct instruction *first = qemu_plugin_tb_get_insn(block, 0);
    own->address = (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(first);
    own->instructions = count;
    for (size_t at = 0; at < count; at++)
        own->bytes += qemu_plugin_insn_size(qemu_plugin_tb_get_insn(block, at));
    know(own->address);
    if (!last.lines) {
        qemu_plugin_register_vcpu_tb_exec_inline(block, INLINE_ADD, &own->executions, 1);
        return;
    }
    qemu_plugin_register_vcpu_tb_exec_cb(block, executed, NO_REGISTERS, own);
    for (size_t at = 0; at < count; at++)
        qemu_plugin_register_vcpu_mem_cb(
            qemu_plugin_tb_get_insn(block, at), accessed, NO_REGISTERS, READ_AND_WRITE, own);
}

static bool make(struct cache *cache, uint64_t bytes, uint64_t ways) {
    if (ways == 0 || ways > WAYS_MAX || bytes < LINE * ways)
        return false;
    *cache = (struct cache){bytes / LINE / ways, ways, calloc(bytes / LINE, sizeof *cache->lines)};
    return cache->lines != NULL;
}

// Arguments: into=PATH, blocks=N, and for caches each first=BYTES:WAYS and last=BYTES:WAYS.
EXPORTED int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv) {
    (void)info;
    const char *path = "";
    for (int i = 0; i < argc; i++) {
        unsigned long long bytes, ways;
        if (!strncmp(argv[i], "into=", 5))
            path = argv[i] + 5;
        else if (sscanf(argv[i], "blocks=%llu", &bytes) == 1)
            blocks_max = bytes;
        else if (sscanf(argv[i], "first=%llu:%llu", &bytes, &ways) == 2) {
            if (!make(&first_instructions, bytes, ways) || !make(&first_data, bytes, ways))
                return 1;
        } else if (sscanf(argv[i], "last=%llu:%llu", &bytes, &ways) == 2 && !make(&last, bytes, ways))
            return 1;
    }
    int file = open(path, O_RDWR | O_CLOEXEC);
    uint64_t size = PAGE + MAPPINGS * sizeof *mappings + blocks_max * sizeof *counted;
    uint8_t *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || memory == MAP_FAILED)
        return 1;
    header = (struct header *)memory;
    mappings = (struct mapping *)(memory + PAGE);
    counted = (struct counted *)(mappings + MAPPINGS);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
