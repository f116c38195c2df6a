"""Who gets into a tournament: drafts, places, waiting, checking in, coming late."""
