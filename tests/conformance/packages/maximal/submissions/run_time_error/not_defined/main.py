from util import *

missing()
