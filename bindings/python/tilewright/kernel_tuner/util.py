"""What scripts use of kernel_tuner.util."""


def get_config_string(params, keys=None, units=None):
    """A configuration or a result in one line: "block_size_x=64, time=1.250"."""
    units = units or {}
    return ", ".join(
        f"{name}={f'{value:.3f}' if isinstance(value, float) else value}{units.get(name, '')}"
        for name, value in params.items()
        if not keys or name in keys
    )
