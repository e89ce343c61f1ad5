/* Drives the block @block@. Arrays behind masters take the bus address of a buffer. */
#ifndef @guard@_H
#define @guard@_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    volatile uint32_t *base;
    int file;
    /* Bits that a read of the control register clears, and that nobody has asked for. */
    uint32_t seen;
} @block@_t;

/* The block whose control slave is mapped at an address. */
void @block@_init(@block@_t *self, volatile void *base);
/* The block behind a Linux UIO device, such as /dev/uio0; 0, or -1 with errno. */
int @block@_open(@block@_t *self, const char *device);
/* Gives the UIO device back. */
void @block@_close(@block@_t *self);
/* Starts an invocation. */
void @block@_start(@block@_t *self);
/* Whether an invocation ended since this was last asked. */
int @block@_is_done(@block@_t *self);
/* Whether nothing runs. */
int @block@_is_idle(@block@_t *self);
/* Starts invocations that follow one another, or has the one that runs be the last. */
void @block@_auto_restart(@block@_t *self, int on);
/* Interrupts: events is 1 for done, 2 for ready. */
void @block@_interrupt_enable(@block@_t *self, uint32_t events);
/* Takes back the interrupts that are pending; which they were. */
uint32_t @block@_interrupt_clear(@block@_t *self);
/* Waits for an interrupt of a UIO device; 0, or -1 with errno. */
int @block@_wait(@block@_t *self);
/* Bits of the status register, which are cleared. */
uint32_t @block@_errors(@block@_t *self);

/* Arguments, results and local arrays. */
@own@
#ifdef __cplusplus
}
#endif

#endif
