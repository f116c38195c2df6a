"""The parts that every process needs and that know nothing of a league."""
