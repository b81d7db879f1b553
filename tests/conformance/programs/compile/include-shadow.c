// Includes the password file: it must not be there, and its lines must not come back as error messages.
#include "/etc/shadow"

int main(void)
{
    return 0;
}
