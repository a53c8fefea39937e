"""Household games of our own making, in the layout and the formats of ALFWorld's (arXiv 2010.03768), made from a seed.

    python -m data.households --out data --seed 0

rooms      what a room has: receptacles, where they stand, and a lamp
things     what may lie in them, what can be done to it, and where one would look for it
chores     the six kinds of task -> a sentence, and a condition in PDDL
choosing   which task is asked for in which room
problem    a room, what lies in it, and a task -> PDDL
plan       the shortest way to do a task, for one who knows where everything is
games      a room, things and a task -> a game that is won by its walkthrough
language   the PDDL domain and the text grammar, from one table of actions
files      a game -> game.tw-pddl and traj_data.json
"""
