"""Finetunes a student on the trajectories that a teacher was right with (paper, section 3.2)."""
