/* Has the block run what the reference ran, by its driver, and ends with 0 or the number of the check that failed. */
#include "blend.h"
#include "vectors.h"

#include <stddef.h>
#include <stdint.h>

#define BLOCK ((volatile void *)0x40000000)
enum { BLOCK_INTERRUPT = 1u << 3, NO_INTERRUPTS = ~0u };
enum { BAD_START = 1, BAD_ELEMENT, BAD_GUARD, BAD_RESULT, BAD_STATUS, NO_DONE, EARLY_INTERRUPT, STRAY_INTERRUPT };

void set_interrupt_mask(uint32_t mask);
uint32_t wait_for_interrupt(void);
void stop(uint32_t code) __attribute__((noreturn));

static blend_t block;
static volatile uint32_t interrupts;
/* With room for bases that are in the middle of a beat, and for elements beyond the arrays that stay as they are. */
static volatile int32_t a[LENGTH + 4], b[LENGTH + 4] __attribute__((aligned(8)));
static const int32_t GUARD = 0x5a5a1234;

void on_interrupt(uint32_t pending) {
    if (pending != BLOCK_INTERRUPT) stop(STRAY_INTERRUPT);
    interrupts += blend_interrupt_clear(&block);
}

static void check(int holds, uint32_t code) {
    if (!holds) stop(code);
}

/* Sleeps until the interrupt came. It is masked while that is decided, so that it cannot come in between. */
static void sleep_until_interrupt(void) {
    set_interrupt_mask(NO_INTERRUPTS);
    while (!interrupts) {
        wait_for_interrupt();
        set_interrupt_mask(~(uint32_t)BLOCK_INTERRUPT);
        set_interrupt_mask(NO_INTERRUPTS);
    }
}

static void give(volatile int32_t *place, const int32_t *values) {
    size_t i;
    place[-1] = GUARD;
    for (i = 0; i < LENGTH; ++i) place[i] = values[i];
    place[LENGTH] = GUARD;
}

static void run(const struct vector *vector, int by_interrupt, size_t shift) {
    volatile int32_t *from = a + 1 + shift, *both = b + 2 - shift;
    size_t i;
    give(from, vector->a);
    give(both, vector->b);
    blend_set_weight(&block, vector->weight);
    blend_set_a(&block, (uintptr_t)from);
    blend_set_b(&block, (uintptr_t)both);
    interrupts = 0;
    blend_interrupt_enable(&block, by_interrupt);
    check(blend_is_idle(&block), BAD_START);
    blend_start(&block);
    if (by_interrupt) {
        sleep_until_interrupt();
        check(interrupts == 1, EARLY_INTERRUPT);
        check(blend_is_done(&block), NO_DONE);
    } else {
        while (!blend_is_done(&block)) {}
        check(interrupts == 0, STRAY_INTERRUPT);
    }
    for (i = 0; i < LENGTH; ++i) check(both[i] == vector->after[i], BAD_ELEMENT);
    check(both[-1] == GUARD && both[LENGTH] == GUARD && from[-1] == GUARD && from[LENGTH] == GUARD, BAD_GUARD);
    check(blend_get_return(&block) == vector->total, BAD_RESULT);
    check(blend_errors(&block) == 0, BAD_STATUS);
}

int main(void) {
    size_t i;
    blend_init(&block, BLOCK);
    for (i = 0; i < sizeof vectors / sizeof *vectors; ++i) run(&vectors[i], i % 2 == 0, i / 2 % 2);
    return 0;
}
