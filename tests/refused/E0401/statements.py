import allo
from allo import *

@kernel
def f(x: i32) -> i32:
    for i in range(4):
        break
    while x > 0:
        continue
    try:
        pass
    except E:
        pass
    with x:
        pass
    del x
    import os
    global g
    assert x
    raise x
    class C:
        pass
    return x
# -->
# [E0401] statements.py:7:9: error: 'break' is not supported in a kernel
# 7 |         break
#   |         ^^^^^
# help: use a while loop whose condition says when to go on
# [E0401] statements.py:9:9: error: 'continue' is not supported in a kernel
# 9 |         continue
#   |         ^^^^^^^^
# help: put the rest of the loop's body under an if
# [E0401] statements.py:10:5: error: 'try' is not supported in a kernel
# 10 |     try:
#    |     ^^^^
# [E0401] statements.py:14:5: error: 'with' is not supported in a kernel
# 14 |     with x:
#    |     ^^^^^^^
# [E0401] statements.py:16:5: error: 'del' is not supported in a kernel
# 16 |     del x
#    |     ^^^^^
# [E0401] statements.py:17:5: error: 'import' is not supported in a kernel
# 17 |     import os
#    |     ^^^^^^^^^
# help: write it at module level
# [E0401] statements.py:18:5: error: 'global' is not supported in a kernel
# 18 |     global g
#    |     ^^^^^^^^
# help: constants of the module are visible as they are; pass anything else as an argument
# [E0401] statements.py:19:5: error: 'assert' is not supported in a kernel
# 19 |     assert x
#    |     ^^^^^^^^
# help: use static_assert for what is known at compile time
# [E0401] statements.py:20:5: error: 'raise' is not supported in a kernel
# 20 |     raise x
#    |     ^^^^^^^
# [E0401] statements.py:21:5: error: a class is not supported in a kernel
# 21 |     class C:
#    |     ^^^^^^^^
# help: write it at module level
