"""What in the environment lets us in to Gemini: a key of its API, or a project and a region on Vertex AI."""

from tool_sandbox.models.provider import CloudAccess

GEMINI_KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
"""Environment variables that may hold the key of the Gemini API."""

VERTEX_PROJECT = ("GOOGLE_CLOUD_PROJECT", "CLOUD_ML_PROJECT_ID")
"""Environment variables that may hold the project on Vertex AI."""

VERTEX_REGION = ("GOOGLE_CLOUD_REGION", "CLOUD_ML_REGION", "GOOGLE_CLOUD_LOCATION")
"""Environment variables that may hold the region on Vertex AI."""

VERTEX = CloudAccess("Vertex AI", (VERTEX_PROJECT, VERTEX_REGION))
