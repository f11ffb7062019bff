"""Published paths of modules that live elsewhere: each offers what its module does."""
