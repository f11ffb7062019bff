"""Planning under constraints: the best choice is unique, and found by a solver in the builder."""
