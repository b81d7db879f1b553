// A program of one gibibyte from one line: larger than the box.
char huge[1ul << 30] = {1};

int main(void)
{
    return huge[12345];
}
