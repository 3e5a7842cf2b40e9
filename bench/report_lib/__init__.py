"""What bench/report is made of: run (reads a file), table, difference (of two runs), roofline (a figure)."""
