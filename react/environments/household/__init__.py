"""A household as a text game: the games of ALFWorld (arXiv 2010.03768), played without TextWorld.

release      the texts that all game files of a data release share -> the dialect that it speaks
problem      the PDDL of one game -> what is true at its beginning, and the conditions of winning
game         game file -> Game: everything about it that never changes
play         Game -> Play: commands, what each of them brings, and whether the game is won
words        what a receptacle, an object or the room looks like
folder       the official folder layout -> splits of games in a fixed order
crosscheck   the same commands here and in TextWorld, where that is installed

The texts, the admissible commands and the win flag are those of TextWorld 1.7 with the wrapper of ALFWorld 0.4, to the
letter. Game files are read as data: nothing in them is evaluated, and what is not known is refused.
"""
