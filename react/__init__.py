"""The paper itself: environments, methods, models and trajectories, shared by the three stages."""
