// A program whose count is the same wherever instructions are counted alike. It uses no library, and in machine code no compiler
// chooses what it executes: integers, memory, calls, floating point, and repeated string instructions, 100,000 times.

#define ROUNDS 100000

.globl _start
.bss
.balign 64
numbers:
    .skip 4096

.text
#if defined(__x86_64__)
_start:
    mov $ROUNDS, %ebx
    lea numbers(%rip), %rsi
    mov $1, %eax
    cvtsi2sd %eax, %xmm0
1:
    call round
    dec %ebx
    jnz 1b
    mov $231, %eax
    xor %edi, %edi
    syscall

round:
    imul $1664525, %eax, %eax
    add $1013904223, %eax
    mov %eax, %edx
    and $1023, %edx
    mov %eax, (%rsi,%rdx,4)
    mulsd %xmm0, %xmm0
    mov %rsi, %rdi
    mov $3, %ecx
    mov %eax, %edx
    rep stosb
    mov %edx, %eax
    ret
#elif defined(__aarch64__)
_start:
    ldr w19, =ROUNDS
    adrp x1, numbers
    add x1, x1, :lo12:numbers
    mov w0, #1
    ldr w4, =1664525
    ldr w5, =1013904223
    scvtf d0, w0
1:
    bl round
    subs w19, w19, #1
    b.ne 1b
    mov x8, #94
    mov x0, #0
    svc #0

round:
    madd w0, w0, w4, w5
    and w2, w0, #1023
    str w0, [x1, w2, uxtw #2]
    fmul d0, d0, d0
    ret
#else
#error "there is no program with a known count for this processor"
#endif

.section .note.GNU-stack, "", @progbits
