"""The kinds of exercises, by the part of the notes that they belong to."""
