"""An expert of the shop: it searches, reads, compares, chooses and buys as a person would, and says what it thinks.

reading      an instruction -> the words that count; a page of the notebook's form -> what it offers
judging      what a product has of what is wanted
thinking     when an expert thinks, and in which words; or never
policy       what has been seen so far -> the next step
play         an expert's episode, as a record
logs         the pages that a person saw -> what was done
human        the logs of the people who shopped for the official data, as records of the same kind

It is told nothing but what a model is told: the instruction, and what each action brought. Its demonstrations are what
imitation learning is made of (paper, section 4)::

    python -m react.environments.shop.expert --split train --out expert.jsonl
    python -m bootstrap --environment webshop --backend scripted --model expert.jsonl --tasks_of expert.jsonl --shots 0
"""
