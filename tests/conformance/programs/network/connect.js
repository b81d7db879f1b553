// A connection and a server from node's own event loop.
const net = require("net");
const worked = [];
let waiting = 2;
function done(what) {
    if (what) worked.push(what);
    if (--waiting === 0) console.log(worked.length === 0 ? "contained" : `ESCAPED: ${worked}`);
}
try {
    const client = net.connect(80, "127.0.0.1");
    client.on("connect", () => { client.destroy(); done("connected"); });
    client.on("error", (error) => done(error.code === "ECONNREFUSED" ? "a socket to connect with" : null));
} catch (error) {
    done();
}
try {
    const server = net.createServer();
    server.on("listening", () => { server.close(); done("listening"); });
    server.on("error", () => done());
    server.listen(8080, "127.0.0.1");
} catch (error) {
    done();
}
