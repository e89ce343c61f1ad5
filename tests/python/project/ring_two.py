import ring

other = 1
