x = "abc
# -->
# [E0001] unterminated_string.py:1:5: error: syntax error: missing closing quote in string literal
# 1 | x = "abc
#   |     ^^^^
