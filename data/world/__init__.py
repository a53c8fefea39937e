"""The embedded world: a small encyclopedia of true facts, and questions and claims over it, made from a seed.

    python -m data.world --out data --seed 0

Facts come from open packages and from the `table_` modules; every sentence, question and thought is worded here.
"""
