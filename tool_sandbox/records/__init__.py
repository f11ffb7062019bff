"""The records of a run as typed dictionaries: what its files hold, key by key, each with its meaning.

JSON Schemas and the checks of what is read (``tool_sandbox.runner.schema``) and the
dtypes of frames are made from these classes. A new key is one line here and its documentation.
"""
