"""Long work and its exact undoing: in the right order, with what was overwritten as it was."""
