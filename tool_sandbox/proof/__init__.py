"""The proof of every scenario: what its reference solution earns, and what everything else does not.

`play` runs a scenario with any agent and records the reference solution as data. `controls` are agents
that should fail, `mutants` near misses of the reference, `paraphrases` other wordings of its answer,
`orders` the same calls in another order, `lint` what can be said without playing. `check` puts them
together for one scenario, `limits` for the whole suite.
"""
