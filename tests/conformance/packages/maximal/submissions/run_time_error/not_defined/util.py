from aid import present
