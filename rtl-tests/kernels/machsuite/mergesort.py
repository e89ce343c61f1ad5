"""Bottom-up merge sort; a merge copies out a bitonic sequence and takes from both of its ends."""

from allo import Template, i32, kernel

T = Template("T")
SIZE = Template("SIZE")


@kernel(T, SIZE)
def merge(a: "T[SIZE]", start: i32, mid: i32, stop: i32):
    temp: "T[SIZE]"
    for i in range(start, mid + 1):
        temp[i] = a[i]
    for j in range(mid + 1, stop + 1):
        temp[mid + 1 + stop - j] = a[j]
    i: i32 = start
    j: i32 = stop
    for k in range(start, stop + 1):
        right = temp[j]
        left = temp[i]
        if right < left:
            a[k] = right
            j -= 1
        else:
            a[k] = left
            i += 1


@kernel(T, SIZE)
def mergesort(a: "T[SIZE]"):
    m: i32 = 1
    while m < SIZE:
        for i in range(0, SIZE, m + m):
            merge[T, SIZE](a, i, i + m - 1, min(i + m + m - 1, SIZE - 1))
        m += m
