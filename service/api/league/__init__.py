"""Routes for leagues and their seasons."""
