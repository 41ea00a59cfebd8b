/** Connections that are reset while nobody has taken them yet. */
import { Worker } from "node:worker_threads"

/** Loaded without modules of its own, as the thread that would load them waits. */
const program = `
const { connect } = require("node:net")
const { connections, done, port } = require("node:worker_threads").workerData
for (let left = connections; left > 0; left--) {
  const socket = connect(port, "127.0.0.1", () => {
    socket.write("GET /reset HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n", () => socket.resetAndDestroy())
  })
  socket.once("close", () => {
    Atomics.add(done, 0, 1)
    Atomics.notify(done, 0)
  })
}`

/** Sends requests on so many connections, and resets these, all while this thread does nothing else. */
export const reset = (port: number, connections: number): void => {
  const done = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(program, { eval: true, workerData: { connections, done, port } })
  worker.unref()
  for (let count = 0; count < connections; count = Atomics.load(done, 0)) {
    if (Atomics.wait(done, 0, count, 60_000) === "timed-out") throw new Error("No connection is reset")
  }
}
