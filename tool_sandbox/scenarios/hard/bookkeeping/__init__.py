"""Bookkeeping over many rows with exceptions: page through, keep apart, do all and nothing else."""
