value = (1 +
