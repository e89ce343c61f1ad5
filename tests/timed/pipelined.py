from allo import *

# In each iteration one element, if there is one, and one put, if there is room; what is left over is counted.
@kernel
def drop(a: "Stream[i8]", s: "Stream[i8, 4]", lost: "i32[2]"):
    here: i32 = 0
    gone: i32 = 0
    for i in range(40):
        ok, v = a.try_get()
        if ok:
            done: u1 = s.try_put(v + 1)
            if done:
                here += 1
            else:
                gone += 1
    s.put(-1)
    lost[0] = here
    lost[1] = gone

@kernel
def slow(s: "Stream[i8, 4]", o: "Stream[i8]"):
    v: i8 = 0
    while v != -1:
        v = s.get()
        for k in range(5):
            v = v ^ 1
        v = v ^ 1
        o.put(v)

@kernel
def top(a: "Stream[i8]", o: "Stream[i8]", lost: "i32[2]"):
    s: Stream[i8, 4]
    drop(a, s, lost)
    slow(s, o)
