"""A page within another one, such as a notebook."""

import html


def framed(page: str) -> str:
    """A frame of its own for a page, which has styles for all that is in it; its links stay within the frame."""
    based = page.replace("<meta", '<base href="about:srcdoc"><meta', 1)
    return f'<iframe srcdoc="{html.escape(based)}" style="width: 100%; height: 40em; border: 0"></iframe>'
