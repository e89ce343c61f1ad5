"""Loops whose iterations take thousands of cycles, with every operation waiting for the one before."""

from allo import apint, kernel, range

u128 = apint(128)


#: chain {"a": [340282366920938463463374607431768211297, 170141183460469231731687303715884105727]} -> {"return": 65}
@kernel
def chain(a: "u128[2]") -> u128:
    x: u128 = 987654321987654321987654321
    for i in range(2):
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
        x = a[i] % (x | 1)
        x = (a[i] ^ x) % (x | 64)
    return x
