#ifdef __linux__
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif
#include "@file@.h"

#include <stddef.h>

enum { CONTROL = 0, GLOBAL_ENABLE = 1, EVENT_ENABLE = 2, PENDING = 3, STATUS = @status@, SPAN = @span@ };
enum { START = 1, DONE = 2, IDLE = 4, AUTO_RESTART = 0x80 };

void @block@_init(@block@_t *self, volatile void *base) {
    self->base = (volatile uint32_t *)base;
    self->file = -1;
    self->seen = 0;
}

int @block@_open(@block@_t *self, const char *device) {
#ifdef __linux__
    void *base;
    self->file = open(device, O_RDWR | O_SYNC);
    if (self->file < 0) return -1;
    base = mmap(NULL, SPAN, PROT_READ | PROT_WRITE, MAP_SHARED, self->file, 0);
    if (base == MAP_FAILED) {
        close(self->file);
        return -1;
    }
    self->base = (volatile uint32_t *)base;
    self->seen = 0;
    return 0;
#else
    (void)self;
    (void)device;
    return -1;
#endif
}

void @block@_close(@block@_t *self) {
#ifdef __linux__
    munmap((void *)self->base, SPAN);
    close(self->file);
#endif
    self->base = NULL;
}

void @block@_start(@block@_t *self) {
    self->base[CONTROL] = START;
}

static uint32_t control(@block@_t *self) {
    uint32_t now = self->base[CONTROL];
    self->seen |= now & DONE;
    return now;
}

int @block@_is_done(@block@_t *self) {
    int done;
    control(self);
    done = (self->seen & DONE) != 0;
    self->seen &= ~(uint32_t)DONE;
    return done;
}

int @block@_is_idle(@block@_t *self) {
    return (control(self) & IDLE) != 0;
}

void @block@_auto_restart(@block@_t *self, int on) {
    self->base[CONTROL] = on ? START | AUTO_RESTART : 0;
}

void @block@_interrupt_enable(@block@_t *self, uint32_t events) {
    self->base[EVENT_ENABLE] = events;
    self->base[GLOBAL_ENABLE] = events != 0;
}

uint32_t @block@_interrupt_clear(@block@_t *self) {
    uint32_t pending = self->base[PENDING];
    self->base[PENDING] = pending;
    return pending;
}

int @block@_wait(@block@_t *self) {
#ifdef __linux__
    uint32_t count = 1;
    if (write(self->file, &count, sizeof count) != sizeof count) return -1;
    return read(self->file, &count, sizeof count) == sizeof count ? 0 : -1;
#else
    (void)self;
    return -1;
#endif
}

uint32_t @block@_errors(@block@_t *self) {
    uint32_t errors = self->base[STATUS];
    self->base[STATUS] = errors;
    return errors;
}

@own@
