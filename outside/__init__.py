"""What is checked with tools beyond Python: `make outside`."""
