/*
 * @EXPECTED_RESULTS@: COMPILER-ERROR
 */
int main(void) {
    return the_difference_of(a, b)
}
