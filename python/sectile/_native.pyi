# The extension module, which cffi makes of the C headers.
from typing import Any

ffi: Any
lib: Any
