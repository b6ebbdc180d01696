"""Doors to the environments of others; each module needs the package that it is named after (the
extra ``interop``).
"""
