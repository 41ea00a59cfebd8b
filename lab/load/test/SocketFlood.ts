/**
 * A thread that floods a server with frames of one kind, on a number of sockets, as fast as possible. Sockets that are cut reconnect,
 * until the thread is told to stop.
 */
import { connect } from "node:net"
import { Worker, workerData } from "node:worker_threads"

/** The server, the sockets and the frames of a flood. */
export interface Flood {
  readonly port: number
  readonly sockets: number
  /** Sent first on each socket. */
  readonly first: ReadonlyArray<string>
  readonly frame: string
}

/** Floods until the returned function is called. */
export const flood = (given: Flood): () => Promise<number> => {
  const worker = new Worker(new URL(import.meta.url), { workerData: given })
  return () => worker.terminate()
}

const upgradeAt = (port: number): string =>
  `GET /public_graphql HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
  "Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n"

/** A text frame of a client, masked with zeros. */
const frameOf = (text: string): Buffer => {
  const payload = Buffer.from(text)
  const head = Buffer.alloc(payload.length < 126 ? 6 : 8)
  head[0] = 0x81
  head[1] = 0x80 | (payload.length < 126 ? payload.length : 126)
  if (payload.length >= 126) head.writeUInt16BE(payload.length, 2)
  return Buffer.concat([head, payload])
}

const run = ({ port, sockets, first, frame }: Flood): void => {
  const opening = Buffer.concat(first.map(frameOf))
  const many = Buffer.concat(Array.from({ length: 50 }, () => frameOf(frame)))
  const open = () => {
    const socket = connect(port, "127.0.0.1")
    const send = () => {
      while (socket.writable && socket.write(many));
    }
    socket.on("error", () => undefined)
    socket.on("close", () => setImmediate(open))
    socket.on("drain", send)
    socket.once("data", () => {
      if (opening.length === 0) return send()
      socket.write(opening)
      socket.once("data", send)
    })
    socket.on("data", () => undefined)
    socket.write(upgradeAt(port))
  }
  for (let count = 0; count < sockets; count++) open()
}

if (workerData !== null) run(workerData as Flood)
