"""Lets balances fall below zero."""
from collections import defaultdict

balances = defaultdict(int)


def transfer(giver, taker, amount):
    balances[giver] -= amount
    balances[taker] += amount
