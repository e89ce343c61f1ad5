from allo import *

# Each kernel needs several elements of one stream in an iteration, or an answer to what it put.

@kernel
def source(x: "f32[48]", s: Stream[f32]):
    for i in range(48):
        s.put(x[i])

@kernel
def products(s: Stream[f32], o: Stream[f32]):
    for i in range(24):
        a = s.get()
        b = s.get()
        o.put(a * b + a)

@kernel
def asking(o: Stream[f32], ask: Stream[i32], answer: Stream[i32], m: "i32[8, 3]", y: "f32[8]") -> i32:
    sum: i32 = 0
    for i in range(8):
        y[i] = (o.get() + o.get()) * o.get()
        ask.put(i)
        ask.put(m[i, 0] + sum)
        w = m[i, 1]
        if w > 3:
            m[i, 2] = w
        sum += answer.get() * w
    return sum

@kernel
def answering(ask: Stream[i32], answer: Stream[i32]):
    for i in range(8):
        answer.put(ask.get() - ask.get())

@kernel
def top(x: "f32[48]", m: "i32[8, 3]", y: "f32[8]") -> i32:
    s: Stream[f32]
    o: Stream[f32]
    ask: Stream[i32]
    answer: Stream[i32]
    source(x, s)
    products(s, o)
    sum = asking(o, ask, answer, m, y)
    answering(ask, answer)
    return sum
