from allo import *


T = Template("T")


@kernel
def f(x: T) -> T:
    return x
# -->
# [E0206] template_not_own.py:8:10: error: template 'T' is not one of this kernel's templates
# 8 | def f(x: T) -> T:
#   |          ^
