from ring_two import second

first = second + 1
