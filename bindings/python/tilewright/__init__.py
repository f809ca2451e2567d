"""Looks up and launches tuned CUDA kernels. _public.py has the names, and an example."""

import importlib
import importlib.util


# The library is loaded by the first name that needs it. Evaluators do without.
def __getattr__(name):
    if name.startswith("__") and name not in ("__all__", "__version__"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    spec = importlib.util.find_spec(f"{__name__}.{name}")
    if spec and spec.origin:  # a folder of data has none
        return importlib.import_module(f"{__name__}.{name}")
    public = importlib.import_module(f"{__name__}._public")
    globals().update({one: getattr(public, one) for one in public.__all__})
    globals().update(__all__=public.__all__, __version__=public.__version__)
    try:
        return globals()[name]
    except KeyError:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'") from None


def __dir__():
    return sorted({*globals(), *__getattr__("__all__")})
