"""bindings.py OUTPUT HEADER... - writes the C source of the extension module.

The declarations are read from the headers themselves, so that none is repeated here.
"""

import re
import sys

import cffi

# What a header says to readers, to a C++ compiler and to the preprocessor.
NOT_DECLARED = [
    re.compile(r"/\*.*?\*/", re.DOTALL),
    re.compile(r"#ifdef __cplusplus.*?#endif", re.DOTALL),
    re.compile(r"^[ \t]*#.*$", re.MULTILINE),
    re.compile(r"\bSCT_API\b"),
]
# Functions that Python defines, in _processes.py, _dlpack.py and _interruption.py.
CALLBACKS = """
extern "Python" int bootstrap_allgather(void *, const void *, size_t, void *);
extern "Python" void dlpack_deleter(dl_managed *);
extern "Python+C" int waiting_interrupted(void *);
"""


def declarations(path: str) -> str:
    """Returns what a header declares."""
    with open(path, encoding="utf-8") as header:
        text = header.read()
    for pattern in NOT_DECLARED:
        text = pattern.sub("", text)
    return text


def main(output: str, headers: list[str]) -> None:
    ffi = cffi.FFI()
    for header in headers:
        ffi.cdef(declarations(header))
    ffi.cdef(CALLBACKS)
    ffi.set_source("sectile._native", "\n".join(f'#include "{header}"' for header in headers))
    ffi.emit_c_code(output)


main(sys.argv[1], sys.argv[2:])
