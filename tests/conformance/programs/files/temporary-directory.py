# The standard library finds a place for temporary files by itself.
import tempfile

with tempfile.NamedTemporaryFile("w+") as file:
    file.write("kept")
    file.flush()
    file.seek(0)
    print(file.read())
