"""Parts of bench/race."""
