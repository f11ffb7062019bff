"""Estimators and intervals for results of which some belong together."""
