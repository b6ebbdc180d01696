"""Adapters to other frameworks; each module needs the package it is named after (the extra
``interop``).
"""
