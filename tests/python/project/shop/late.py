import shop
from shop import THREE

SIX = shop.TWO * THREE
