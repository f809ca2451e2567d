# SPDX-FileCopyrightText: 2026 The tilewright authors
# SPDX-License-Identifier: MIT
"""What the package raises. Each message is one sentence."""


class TilewrightError(Exception):
    """Any of the below."""


class NothingFound(TilewrightError, LookupError):
    """Nothing on record that the question accepts."""


class InputError(TilewrightError, ValueError):
    """What the caller gave cannot be used: a name, a file, a size, an array."""


class MachineError(TilewrightError, RuntimeError):
    """No such device, no driver, no compiler, a database that cannot be used, out of memory."""


class LaunchError(TilewrightError, RuntimeError):
    """The driver refused a launch, or an earlier one has faulted."""


class InternalError(TilewrightError, RuntimeError):
    """A mistake of tilewright's: please report it."""
