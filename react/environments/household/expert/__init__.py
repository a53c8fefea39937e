"""An expert of households: it plays as a person would who is there for the first time, and says what it thinks.

goal         the sentence of a task -> what it asks for
places       where things are kept in a house, as one knows before having looked
thinking     when an expert thinks, and in which words: the paper's sparse thoughts, Inner Monologue's, or none
policy       what has been seen so far -> the next step

It is told nothing but what a model is told: the task, and what each command brought. Its demonstrations are what
imitation learning is made of (ALFWorld's BUTLER, arXiv 2010.03768)::

    python -m react.environments.household.expert --split train --out expert.jsonl
    python -m bootstrap --environment alfworld --backend scripted --model expert.jsonl --tasks_of expert.jsonl --shots 0
"""
