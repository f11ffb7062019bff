"""The version, apart from the public face so that what stands behind it can tell it."""

__version__ = "0.1.0"
