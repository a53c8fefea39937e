from __future__ import annotations


def demonstrate(world, questions, out, seed):
    return []
