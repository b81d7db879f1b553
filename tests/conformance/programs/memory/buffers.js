// Typed arrays outside of the engine's own heap, touched.
const blocks = [];
for (;;) {
    blocks.push(new Uint8Array(4 << 20).fill(1));
}
