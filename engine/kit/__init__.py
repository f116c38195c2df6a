"""Parts that every game uses: cards, dice, random numbers, money and windows."""
