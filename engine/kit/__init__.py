"""What every game is played with: cards, dice, chance, money, windows of time."""
