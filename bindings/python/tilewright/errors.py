"""The exceptions of the package. Each message is one sentence."""


class TilewrightError(Exception):
    """The base of all exceptions below."""


class NothingFound(TilewrightError, LookupError):
    """There is no result on record that the request accepts."""


class InputError(TilewrightError, ValueError):
    """What the caller gave cannot be used: a name, a file, a size, an array."""


class MachineError(TilewrightError, RuntimeError):
    """No such device, no driver, no compiler, a database that cannot be used, out of memory."""


class LaunchError(TilewrightError, RuntimeError):
    """The driver refused a launch, or an earlier one has faulted."""


class InternalError(TilewrightError, RuntimeError):
    """A defect of tilewright: please report it."""
