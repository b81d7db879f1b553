/* The decisions of a fleet: which node a pod gets, and which cores of it. Link with libtautochrone.a, -lpthread -ldl -lm.
 *
 * Messages and answers are JSON; crates/fleet/decisions describes their fields. No function fails otherwise than by its
 * answer: {"error": "..."} for what cannot be done, {"lost": "..."} for a desk that failed inside and answers no more.
 */
#ifndef TAUTOCHRONE_H
#define TAUTOCHRONE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the messages that this header is about; compare it with tautochrone_version(). */
#define TAUTOCHRONE_VERSION 1

/* A fleet's or a node's decisions. One thread at a time may use it. */
typedef struct TautochroneDesk TautochroneDesk;

/* An answer; give it to tautochrone_free once. */
typedef struct TautochroneBytes {
    uint8_t *data;
    size_t length;
} TautochroneBytes;

uint32_t tautochrone_version(void);
TautochroneDesk *tautochrone_open_fleet(void);
TautochroneDesk *tautochrone_open_node(void);
/* Answers a message of `length` bytes. */
TautochroneBytes tautochrone_call(TautochroneDesk *desk, const uint8_t *message, size_t length);
void tautochrone_free(TautochroneBytes answer);
void tautochrone_close(TautochroneDesk *desk);

#ifdef __cplusplus
}
#endif

#endif
