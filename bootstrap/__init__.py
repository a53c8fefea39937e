"""The first stage: a prompted teacher solves tasks; its correct trajectories are kept."""
