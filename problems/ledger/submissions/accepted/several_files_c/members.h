#ifndef MEMBERS_H
#define MEMBERS_H

enum { NAME_BYTES = 11, MEMBERS_MAX = 6000 };

/* Returns the balance of a member, who is added with 0 if new. */
long long *balance_of(const char *name);

#endif
