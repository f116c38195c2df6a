"""Routes for leagues and their people."""
