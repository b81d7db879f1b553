"""Present, and not what main.py asks for."""
