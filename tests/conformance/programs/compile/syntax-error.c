// A mistake in the second line.
int main(void) { return 0 }
