from ring import first

second = first + 1
