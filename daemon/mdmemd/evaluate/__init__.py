"""Golden sets to figures: how well the daemon answers the questions that somebody has labelled."""
