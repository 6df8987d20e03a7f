"""Tables in files: their formats, compression and headers, and a reader of each format."""
