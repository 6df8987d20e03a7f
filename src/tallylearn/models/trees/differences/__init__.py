"""Where two trees decide differently."""
