# Quotients in two loops whose intervals are long: they share one divider that is rolled, which begins when either asks.
from allo import *


@kernel
def top(x: "f64[40]", y: "f64[40]", s: f64) -> f64:
    t: f64 = s
    for i in range(40):
        y[i] = t / x[i]
        t = ((((t + x[i]) * s + x[i]) * s + x[i]) * s + x[i]) * s + x[i]
    u: f64 = s
    for j in range(40):
        x[j] = u / y[j]
        u = ((((u * y[j] + s) * y[j] + s) * y[j] + s) * y[j] + s) * y[j] + s
    return t - u
