"""A guild and its ledger."""
from .book import Book

__all__ = ["Book"]
