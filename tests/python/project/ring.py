from ring_two import other

value = other + 1
