// Package decisions asks the placement and the allocator of tauto, which are linked into the program: the same code decides
// in a cluster, in `tauto sim` and in `tauto machine allocate`. Messages and answers are those of crates/fleet/decisions.
package decisions

/*
#cgo CFLAGS: -I${SRCDIR}/../../crates/fleet/c-interface
#cgo LDFLAGS: -ltautochrone -lpthread -ldl -lm
#include "tautochrone.h"
*/
import "C"

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// ErrLost says that the decisions failed inside and forgot everything. The owner opens another desk, and tells it what there is.
var ErrLost = errors.New("the decisions failed inside, and forgot everything")

// A Refusal is why something cannot be done, in one sentence. Nothing has changed.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// A Desk answers messages, one at a time.
type Desk struct {
	mutex sync.Mutex
	desk  *C.TautochroneDesk
}

// OpenFleet opens the decisions about a fleet: which node a pod gets.
func OpenFleet() (*Desk, error) {
	return open(func() *C.TautochroneDesk { return C.tautochrone_open_fleet() })
}

// OpenNode opens the decisions about a node: which cores a container gets.
func OpenNode() (*Desk, error) {
	return open(func() *C.TautochroneDesk { return C.tautochrone_open_node() })
}

func open(make func() *C.TautochroneDesk) (*Desk, error) {
	if linked := uint32(C.tautochrone_version()); linked != C.TAUTOCHRONE_VERSION {
		return nil, fmt.Errorf("libtautochrone has version %d of the messages, this program was made for %d: build both from one release",
			linked, uint32(C.TAUTOCHRONE_VERSION))
	}
	return &Desk{desk: make()}, nil
}

// Close forgets everything. The desk may not be used afterwards.
func (d *Desk) Close() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	C.tautochrone_close(d.desk)
	d.desk = nil
}

// Call sends the message {name: fields} and reads the answer's only field into answer, unless that is nil. It returns a
// Refusal for what cannot be done, and ErrLost.
func (d *Desk) Call(name string, fields, answer any) error {
	message, err := json.Marshal(map[string]any{name: fields})
	if err != nil {
		return fmt.Errorf("the message %s cannot be written: %w", name, err)
	}
	said := map[string]json.RawMessage{}
	if err := json.Unmarshal(d.call(message), &said); err != nil {
		return fmt.Errorf("the answer to %s cannot be read: %w", name, err)
	}
	if text, is := said["error"]; is {
		var refusal Refusal
		if err := json.Unmarshal(text, &refusal); err != nil {
			return fmt.Errorf("the answer to %s cannot be read: %w", name, err)
		}
		return refusal
	}
	if _, is := said["lost"]; is {
		return ErrLost
	}
	if answer == nil {
		return nil
	}
	for _, value := range said {
		if err := json.Unmarshal(value, answer); err != nil {
			return fmt.Errorf("the answer to %s cannot be read: %w", name, err)
		}
	}
	return nil
}

func (d *Desk) call(message []byte) []byte {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	answer := C.tautochrone_call(d.desk, (*C.uint8_t)(unsafe.SliceData(message)), C.size_t(len(message)))
	defer C.tautochrone_free(answer)
	return C.GoBytes(unsafe.Pointer(answer.data), C.int(answer.length))
}
