"""The blocks of Python in README.md and docs/, which tests run."""

import doctest
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
PAGES = sorted(
    str(page.relative_to(ROOT))
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
    if "```python\n" in page.read_text()
)


def blocks(page):
    """Returns the line and the text of each block."""
    text = (ROOT / page).read_text()
    found = re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [(text.count("\n", 0, each.start(1)), each[1]) for each in found]


def run(page, line, block, names):
    """Runs a block: as a program, or as examples that print what they say. Returns their number."""
    if ">>> " not in block:
        exec(compile("\n" * line + block, page, "exec"), names)
        return 1
    example = doctest.DocTestParser().get_doctest(block, {}, f"{page}:{line}", page, line)
    example.globs = names
    runner, said = doctest.DocTestRunner(), []
    failed, tried = runner.run(example, out=said.append, clear_globs=False)
    assert failed == 0, "".join(said)
    return tried
