"""Small helpers for paths, texts and data that are not trusted. None knows the world."""
