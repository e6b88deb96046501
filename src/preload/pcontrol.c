/* MPI_Pcontrol(level, ...): the core wants to know where it stands, and the next library, a tool's or MPI's, gets the
 * call whole. What follows the level has any number and type, so all registers that may hold arguments are kept, and
 * the call goes on by a jump, with the caller's stack. */
#include <stdatomic.h>
#include <stddef.h>

#include "preload/counting.h"
#include "preload/symbols.h"

/* The core is told of a call from `caller`; MPICH's procedure for Fortran calls C's function: that is no call more. */
static void control(int level, const void *caller)
{
    KNOWN_CORE(call, "topo_core_pcontrol")
    if (call && !topo_program_is_mpis(caller))
        ((void (*)(int, const void *))call)(level, caller);
}

/* What C's function goes on to; called from below alone. */
__attribute__((used, visibility("hidden"))) topo_symbol *topo_pcontrol(int level, const void *caller);
topo_symbol *topo_pcontrol(int level, const void *caller)
{
    static struct topo_call known = {.name = "MPI_Pcontrol"};
    topo_symbol *next = topo_program_call(&known, caller);
    control(level, caller);
    if (topo_counting_begin(TOPO_FUNCTION_Pcontrol, true) != TOPO_COUNTING_NESTED)
        topo_counting_end(TOPO_FUNCTION_Pcontrol, TOPO_COUNTING_UNTIMED);
    return next;
}

#define FUNCTION(...) /* the instructions of MPI_Pcontrol */ \
    __asm__(".text\n\t.globl MPI_Pcontrol\n\t.type MPI_Pcontrol, %function\n\t.p2align " \
            "4\nMPI_Pcontrol:\n\t.cfi_startproc\n\t" __VA_ARGS__ \
            "\n\t.cfi_endproc\n\t.size MPI_Pcontrol, .-MPI_Pcontrol\n")

#if defined __x86_64__ && defined __LP64__
FUNCTION(
    "endbr64; push %rbp; .cfi_def_cfa_offset 16; .cfi_offset %rbp, -16; mov %rsp, %rbp; .cfi_def_cfa_register %rbp\n\t"
    "sub $192, %rsp; mov %rdi, (%rsp); mov %rsi, 8(%rsp); mov %rdx, 16(%rsp); mov %rcx, 24(%rsp)\n\t"
    "mov %r8, 32(%rsp); mov %r9, 40(%rsp); mov %rax, 48(%rsp)\n\t" /* %al: how many of the following have arguments */
    "movaps %xmm0, 64(%rsp); movaps %xmm1, 80(%rsp); movaps %xmm2, 96(%rsp); movaps %xmm3, 112(%rsp)\n\t"
    "movaps %xmm4, 128(%rsp); movaps %xmm5, 144(%rsp); movaps %xmm6, 160(%rsp); movaps %xmm7, 176(%rsp)\n\t"
    "mov 8(%rbp), %rsi; call topo_pcontrol; mov %rax, %r11\n\t"
    "mov (%rsp), %rdi; mov 8(%rsp), %rsi; mov 16(%rsp), %rdx; mov 24(%rsp), %rcx\n\t"
    "mov 32(%rsp), %r8; mov 40(%rsp), %r9; mov 48(%rsp), %rax\n\t"
    "movaps 64(%rsp), %xmm0; movaps 80(%rsp), %xmm1; movaps 96(%rsp), %xmm2; movaps 112(%rsp), %xmm3\n\t"
    "movaps 128(%rsp), %xmm4; movaps 144(%rsp), %xmm5; movaps 160(%rsp), %xmm6; movaps 176(%rsp), %xmm7\n\t"
    "leave; .cfi_def_cfa %rsp, 8; jmp *%r11");
#elif defined __aarch64__ && defined __LP64__
FUNCTION("hint #34; stp x29, x30, [sp, #-224]!; .cfi_def_cfa_offset 224; .cfi_offset 29, -224; .cfi_offset 30, -216\n\t"
         "mov x29, sp; stp x0, x1, [sp, #16]; stp x2, x3, [sp, #32]; stp x4, x5, [sp, #48]; stp x6, x7, [sp, #64]\n\t"
         "str x8, [sp, #80]; stp q0, q1, [sp, #96]; stp q2, q3, [sp, #128]; stp q4, q5, [sp, #160]\n\t"
         "stp q6, q7, [sp, #192]; mov x1, x30; bl topo_pcontrol; mov x16, x0\n\t"
         "ldp x0, x1, [sp, #16]; ldp x2, x3, [sp, #32]; ldp x4, x5, [sp, #48]; ldp x6, x7, [sp, #64]\n\t"
         "ldr x8, [sp, #80]; ldp q0, q1, [sp, #96]; ldp q2, q3, [sp, #128]; ldp q4, q5, [sp, #160]\n\t"
         "ldp q6, q7, [sp, #192]; ldp x29, x30, [sp], #224; .cfi_restore 29; .cfi_restore 30\n\t"
         ".cfi_def_cfa_offset 0; br x16");
#elif defined __powerpc64__ && defined __LITTLE_ENDIAN__
FUNCTION("0: addis 2, 12, .TOC.-0b@ha; addi 2, 2, .TOC.-0b@l; .localentry MPI_Pcontrol, .-MPI_Pcontrol\n\t"
         "mflr 0; std 0, 16(1); stdu 1, -112(1); .cfi_def_cfa_offset 112; .cfi_offset lr, 16\n\t"
         "std 3, 32(1); std 4, 40(1); std 5, 48(1); std 6, 56(1); std 7, 64(1); std 8, 72(1); std 9, 80(1)\n\t"
         "std 10, 88(1)\n\t"
         "mr 4, 0; bl topo_pcontrol; nop; mr 12, 3\n\t" /* floating-point arguments after the level are in these, too */
         "ld 3, 32(1); ld 4, 40(1); ld 5, 48(1); ld 6, 56(1); ld 7, 64(1); ld 8, 72(1); ld 9, 80(1); ld 10, 88(1)\n\t"
         "addi 1, 1, 112; .cfi_def_cfa_offset 0; ld 0, 16(1); mtlr 0; .cfi_restore lr; mtctr 12; bctr");
#elif defined __riscv && __riscv_xlen == 64
FUNCTION("addi sp, sp, -80; .cfi_def_cfa_offset 80; sd ra, 64(sp); .cfi_offset ra, -16\n\t"
         "sd a0, 0(sp); sd a1, 8(sp); sd a2, 16(sp); sd a3, 24(sp); sd a4, 32(sp); sd a5, 40(sp); sd a6, 48(sp)\n\t"
         "sd a7, 56(sp); mv a1, ra; call topo_pcontrol; mv t1, a0\n\t" /* variable arguments are in these alone */
         "ld a0, 0(sp); ld a1, 8(sp); ld a2, 16(sp); ld a3, 24(sp); ld a4, 32(sp); ld a5, 40(sp); ld a6, 48(sp)\n\t"
         "ld a7, 56(sp); ld ra, 64(sp); .cfi_restore ra; addi sp, sp, 80; .cfi_def_cfa_offset 0; jr t1");
#else
/* Elsewhere the level alone. */
TOPO_EXPORT int MPI_Pcontrol(const int level, ...);
TOPO_EXPORT int MPI_Pcontrol(const int level, ...)
{
    return ((int (*)(const int, ...))topo_pcontrol(level, __builtin_return_address(0)))(level);
}
#endif

/* MPI says of no ierror, but MPICH has an optional one in mpi_f08. */
#define FORTRAN_PCONTROL(symbol) \
    TOPO_EXPORT void symbol(const int *level, void *ierror); \
    TOPO_EXPORT void symbol(const int *level, void *ierror) \
    { \
        static struct topo_call known = {.name = #symbol}; \
        topo_symbol *call = topo_program_call(&known, __builtin_return_address(0)); \
        control(*level, __builtin_return_address(0)); \
        const bool nested = topo_counting_begin(TOPO_FUNCTION_Pcontrol, true) == TOPO_COUNTING_NESTED; \
        ((void (*)(const int *, void *))call)(level, ierror); \
        if (!nested) \
            topo_counting_end(TOPO_FUNCTION_Pcontrol, TOPO_COUNTING_UNTIMED); \
    }
FORTRAN_PCONTROL(mpi_pcontrol_)
FORTRAN_PCONTROL(mpi_pcontrol_f08_)
FORTRAN_ALIASES(MPI_PCONTROL, mpi_pcontrol)
