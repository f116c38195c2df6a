"""The read models, one file each, and the list of them."""
