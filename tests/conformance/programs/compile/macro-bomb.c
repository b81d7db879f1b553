// Thirty macros, each the previous one ten times: more text than there are atoms.
#define A(x) x x x x x x x x x x
#define B(x) A(A(A(A(A(A(x))))))
#define C(x) B(B(B(B(B(x)))))

int main(void)
{
    int i = 0;
    C(i++;)
    return i;
}
