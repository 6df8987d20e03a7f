"""Preparation: tables turned into the tables that learners want."""
