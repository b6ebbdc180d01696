"""Doudizhu."""
