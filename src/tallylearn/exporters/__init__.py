"""Models as programs and documents: printers of one expression tree."""
