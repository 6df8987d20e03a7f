"""Reporting: charts as SVG."""
