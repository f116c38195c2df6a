"""The console: web pages for people, built from the API's answers."""
