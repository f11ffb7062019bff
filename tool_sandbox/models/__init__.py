"""Language models behind one interface: what is asked, what comes back, what goes wrong, what it costs.

Nothing here knows of scenarios or worlds. The roles that talk to models are in ``tool_sandbox.roles``.
"""
