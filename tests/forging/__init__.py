"""Forging: model files as a stranger would edit them, with a digest and a checksum that fit."""
