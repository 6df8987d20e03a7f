"""The functions that exported programs call, one file a language."""
