"""What is measured: confusion, losses, and each with its interval."""
