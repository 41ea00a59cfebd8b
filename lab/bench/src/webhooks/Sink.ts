/**
 * The customer's side of the webhook benchmark: a process that takes deliveries, answers 200, and remembers when each
 * came. It reads no more of HTTP than it must, because what it computes is taken from the sender on a small machine.
 */
import { createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import { fault, serve } from "../Serve.ts"
import { clock, fixedHeaders, hangPath, path, signatureOf } from "./Workload.ts"

const ok = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
const headEnd = Buffer.from("\r\n\r\n")
const lengthPattern = /\r\ncontent-length: *(\d+)/i
const idPattern = /\r\nwebhook-id: *msg_(\d+)/i

/** One request in so many has all its headers and its signature checked. */
const checkedEach = 500

/** What the process is told. */
export type SinkCommand =
  /** Its port. */
  | { readonly port: true }
  /** Forgets what came; so many deliveries are expected, repeats not counted. */
  | { readonly reset: number }
  /** When the first delivery has come, in milliseconds of the machine's monotonic clock; waits for it. */
  | { readonly first: true }
  /** When all that are expected have come; waits for it. */
  | { readonly reached: true }
  /** What has come. */
  | { readonly report: true }

/** What has come since it was reset. */
export interface Came {
  /** By base path and message id, `/e7 4711`: when it came first. */
  readonly arrivals: ReadonlyArray<readonly [key: string, at: number]>
  /** Deliveries of what had come before. */
  readonly repeats: number
  /** Bytes of the first request, head and body. */
  readonly bytes: number
}

class Arrivals {
  readonly first = Promise.withResolvers<number>()
  readonly reached = Promise.withResolvers<number>()
  readonly #first = new Map<string, number>()
  #repeats = 0
  #bytes = 0
  #expected: number

  constructor(expected: number) {
    this.#expected = expected
  }

  take(base: string, id: string, head: string, body: Buffer): void {
    const at = clock()
    const key = `${base} ${id}`
    if (this.#first.has(key)) {
      this.#repeats += 1
      return
    }
    if (this.#first.size === 0) {
      this.#bytes = head.length + headEnd.length + body.length
      this.first.resolve(at)
    }
    if (this.#first.size % checkedEach === 0) check(id, head, body.toString())
    this.#first.set(key, at)
    if (this.#first.size === this.#expected) this.reached.resolve(at)
  }

  get report(): Came {
    return { arrivals: Array.from(this.#first), repeats: this.#repeats, bytes: this.#bytes }
  }
}

const check = (id: string, head: string, body: string): void => {
  const headers = new Map(
    head.split("\r\n").slice(1).map((line): [string, string] => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    })
  )
  for (const [name, value] of Object.entries(fixedHeaders)) {
    if (headers.get(name) !== value) {
      fault(`${name} is ${String(headers.get(name))} instead of ${value}`)
    }
  }
  const signature = signatureOf(`msg_${id}`, headers.get("webhook-timestamp") ?? "", body)
  if (headers.get("webhook-signature") !== signature) {
    fault(`The signature of message ${id} does not hold`)
  }
}

let arrivals = new Arrivals(Infinity)

/** Takes what has come of a connection; returns what is left of it: the beginning of a request. */
const takeAll = (socket: Socket, received: Buffer): Buffer => {
  let rest = received
  for (;;) {
    const end = rest.indexOf(headEnd)
    if (end < 0) return rest
    const head = rest.toString("latin1", 0, end)
    const total = end + headEnd.length + Number(lengthPattern.exec(head)?.[1] ?? 0)
    if (rest.length < total) return rest
    const target = head.slice(head.indexOf(" ") + 1, head.indexOf(" ", head.indexOf(" ") + 1))
    const base = target.slice(0, -path.length)
    const id = idPattern.exec(head)?.[1]
    if (!head.startsWith("POST ") || !target.endsWith(path) || id === undefined) {
      fault(`A request that is no delivery: ${head.slice(0, 500)}`)
    } else if (base !== hangPath) {
      arrivals.take(base, id, head, rest.subarray(end + headEnd.length, total))
      socket.write(ok)
    }
    rest = rest.subarray(total)
  }
}

const server = createServer((socket) => {
  let rest: Buffer = Buffer.alloc(0)
  socket.setNoDelay(true)
  socket.on("data", (chunk: Buffer) => {
    rest = takeAll(socket, rest.length === 0 ? chunk : Buffer.concat([rest, chunk]))
  })
  // A sender that is stopped drops its connections.
  socket.on("error", () => socket.destroy())
})

const listening = Promise.withResolvers<number>()
server.listen(0, "127.0.0.1", () => listening.resolve((server.address() as AddressInfo).port))

serve((command: SinkCommand) => {
  if ("reset" in command) return void (arrivals = new Arrivals(command.reset))
  if ("first" in command) return arrivals.first.promise
  if ("reached" in command) return arrivals.reached.promise
  return "port" in command ? listening.promise : arrivals.report
})
