/* Reset and interrupts of PicoRV32, which has instructions of its own for these (opcode 0x0b, told apart by funct7). */
    .section .start, "ax"
    .global _start
_start:
    lui sp, 0x10
    call main
    j stop

    .balign 16
interrupt_entry: /* at 0x10: q0 holds where to return to, q1 the bits of what interrupts */
    addi sp, sp, -64
    sw ra, 0(sp)
    sw t0, 4(sp)
    sw t1, 8(sp)
    sw t2, 12(sp)
    sw t3, 16(sp)
    sw t4, 20(sp)
    sw t5, 24(sp)
    sw t6, 28(sp)
    sw a0, 32(sp)
    sw a1, 36(sp)
    sw a2, 40(sp)
    sw a3, 44(sp)
    sw a4, 48(sp)
    sw a5, 52(sp)
    sw a6, 56(sp)
    sw a7, 60(sp)
    .insn r 0x0b, 4, 0, a0, x1, x0 /* getq a0, q1 */
    call on_interrupt
    lw ra, 0(sp)
    lw t0, 4(sp)
    lw t1, 8(sp)
    lw t2, 12(sp)
    lw t3, 16(sp)
    lw t4, 20(sp)
    lw t5, 24(sp)
    lw t6, 28(sp)
    lw a0, 32(sp)
    lw a1, 36(sp)
    lw a2, 40(sp)
    lw a3, 44(sp)
    lw a4, 48(sp)
    lw a5, 52(sp)
    lw a6, 56(sp)
    lw a7, 60(sp)
    addi sp, sp, 64
    .insn r 0x0b, 0, 2, x0, x0, x0 /* retirq */

    .global set_interrupt_mask
set_interrupt_mask:
    .insn r 0x0b, 6, 3, a0, a0, x0 /* maskirq a0, a0 */
    ret

    .global wait_for_interrupt
wait_for_interrupt:
    .insn r 0x0b, 4, 4, a0, x0, x0 /* waitirq a0 */
    ret

    .global stop
stop: /* a0 is what the program ends with */
    lui a1, 0x80000
    sw a0, 0(a1)
1:  j 1b
