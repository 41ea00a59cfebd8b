/**
 * The customer's side of the webhook benchmark: a process that takes deliveries, answers 200, and remembers when each
 * came. It reads no more of HTTP than it must, because what it computes is taken from the sender on a small machine.
 */
import { createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import { hangPath } from "./SinkProtocol.ts"
import type { Report, SinkCommand, SinkEvent } from "./SinkProtocol.ts"
import { clock, fixedHeaders, path, signatureOf } from "./Workload.ts"

const ok = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
const headEnd = Buffer.from("\r\n\r\n")
const lengthPattern = /\r\ncontent-length: *(\d+)/i
const idPattern = /\r\nwebhook-id: *msg_(\d+)/i

/** One request in so many has all its headers and its signature checked. */
const checkedEach = 500

const say = (event: SinkEvent): void => void process.send!(event)

class Arrivals {
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
      say({ first: at })
    }
    if (this.#first.size % checkedEach === 0) check(id, head, body.toString())
    this.#first.set(key, at)
    if (this.#first.size === this.#expected) say({ reached: at })
  }

  get report(): Report {
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
      say({ fault: `${name} is ${String(headers.get(name))} instead of ${value}` })
    }
  }
  const signature = signatureOf(`msg_${id}`, headers.get("webhook-timestamp") ?? "", body)
  if (headers.get("webhook-signature") !== signature) {
    say({ fault: `The signature of message ${id} does not hold` })
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
      say({ fault: `A request that is no delivery: ${head.slice(0, 500)}` })
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

process.on("message", (received) => {
  const command = received as SinkCommand
  if ("reset" in command) {
    arrivals = new Arrivals(command.reset.expect)
    say({ done: null })
  } else {
    say({ done: arrivals.report })
  }
})

server.listen(0, "127.0.0.1", () => say({ port: (server.address() as AddressInfo).port }))
