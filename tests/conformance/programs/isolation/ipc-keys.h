// Names under which one run leaves things and the next one looks for them.
#ifndef IPC_KEYS_H
#define IPC_KEYS_H
#define LEFT_KEY 0x1ef7
#define LEFT_QUEUE "/left-behind"
#define LEFT_SOCKET "left-behind"
#endif
