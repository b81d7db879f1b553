# The module that it imports was never submitted.
from abacus import Abacus

print(Abacus())
