"""Who is out, in which place, and when it is over."""
