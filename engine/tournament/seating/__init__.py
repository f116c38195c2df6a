"""Who sits where: draws, moves, balance, breaking tables."""
