"""The balances of all members and the transfers that failed."""
from collections import defaultdict


class Book:
    def __init__(self):
        self.balances = defaultdict(int)
        self.refused = 0

    def deposit(self, name, amount):
        self.balances[name] += amount

    def transfer(self, giver, taker, amount):
        if self.balances[giver] < amount:
            self.refused += 1
            return
        self.balances[giver] -= amount
        self.balances[taker] += amount
