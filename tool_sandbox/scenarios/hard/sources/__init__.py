"""Sources that disagree: recency and authority decide, and both can be seen."""
