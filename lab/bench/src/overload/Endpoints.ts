/**
 * The customers' webhook endpoints: `/good` and `/flaky`. They check signatures now and then, and the
 * order within each shipment always: a message of a shipment comes first when all earlier ones of it have been taken.
 */
import { createHmac } from "node:crypto"
import { createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import { Ids } from "./Ids.ts"

/** How an endpoint behaves: it takes everything, or refuses one delivery in twenty for a second. */
export const behaviours = ["good", "flaky"] as const

/** How an endpoint behaves. */
export type Behaviour = (typeof behaviours)[number]

/** The signing secret of every endpoint. */
export const signingSecret = `whsec_${Buffer.alloc(32, 11).toString("base64")}`

const headEnd = Buffer.from("\r\n\r\n")
const targetPattern = /^POST \/(\w+)\/api\/(?:palletEvent|shipmentComplete) /
const lengthPattern = /\r\ncontent-length: *(\d+)/i
const idPattern = /\r\nwebhook-id: *msg_(\d+)/i
const shipmentMark = Buffer.from("\"serviceShipmentId\":\"")

const taken = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
const later = Buffer.from(
  "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"
)

/** One delivery in so many has its signature checked. */
const checkedEach = 200

/** One delivery in so many is refused by the flaky endpoint. */
const refusedEach = 20

const key = Buffer.from(signingSecret.slice("whsec_".length), "base64")

class Endpoint {
  readonly behaviour: Behaviour
  readonly #ids = new Ids()
  /** By shipment: the last message of it that was taken. */
  readonly #lastOf = new Map<string, number>()
  readonly #onFault: (what: string) => void
  #requests = 0

  constructor(behaviour: Behaviour, onFault: (what: string) => void) {
    this.behaviour = behaviour
    this.#onFault = onFault
  }

  /** Takes a delivery, or not; returns the answer. */
  deliver(id: number, head: string, body: Buffer): Buffer {
    this.#requests += 1
    if (this.behaviour === "flaky" && this.#requests % refusedEach === 0) return later
    if (this.#requests % checkedEach === 1) this.#check(id, head, body)
    if (!this.#ids.add(id)) return taken
    const at = body.indexOf(shipmentMark) + shipmentMark.length
    const shipment = body.toString("latin1", at, body.indexOf(34, at))
    if (id < (this.#lastOf.get(shipment) ?? 0)) {
      this.#onFault(`${this.behaviour}: message ${id} of shipment ${shipment} came after a later one`)
    }
    this.#lastOf.set(shipment, id)
    // A completion is the last of its shipment.
    if (head.includes("/api/shipmentComplete ")) this.#lastOf.delete(shipment)
    return taken
  }

  #check(id: number, head: string, body: Buffer): void {
    const seconds = /\r\nwebhook-timestamp: *(\d+)/i.exec(head)?.[1] ?? ""
    const signature = /\r\nwebhook-signature: *([^\r]+)/i.exec(head)?.[1]?.trim()
    const due = createHmac("sha256", key).update(`msg_${id}.${seconds}.`).update(body).digest("base64")
    if (signature !== `v1,${due}`) {
      this.#onFault(`${this.behaviour}: the signature of message ${id} does not hold`)
    }
  }
}

/** The endpoints, listening. */
export class Endpoints {
  readonly #endpoints: ReadonlyMap<string, Endpoint>
  readonly #onFault: (what: string) => void
  readonly #server = createServer((socket) => this.#serve(socket))

  constructor(onFault: (what: string) => void) {
    this.#onFault = onFault
    this.#endpoints = new Map(behaviours.map((behaviour) => [behaviour, new Endpoint(behaviour, onFault)]))
  }

  /** Listens on a free port of 127.0.0.1. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    return (this.#server.address() as AddressInfo).port
  }

  #serve(socket: Socket): void {
    let rest: Buffer = Buffer.alloc(0)
    socket.setNoDelay(true)
    socket.on("data", (chunk: Buffer) => {
      rest = this.#takeAll(socket, rest.length === 0 ? chunk : Buffer.concat([rest, chunk]))
    })
    // A sender that is stopped drops its connections.
    socket.on("error", () => socket.destroy())
  }

  /** Takes what is whole; returns the beginning of what is not. */
  #takeAll(socket: Socket, received: Buffer): Buffer {
    let rest = received
    for (;;) {
      const end = rest.indexOf(headEnd)
      if (end < 0) return rest
      const head = rest.toString("latin1", 0, end)
      const start = end + headEnd.length
      const total = start + Number(lengthPattern.exec(head)?.[1] ?? 0)
      if (rest.length < total) return rest
      const endpoint = this.#endpoints.get(targetPattern.exec(head)?.[1] ?? "")
      const id = Number(idPattern.exec(head)?.[1] ?? 0)
      if (endpoint === undefined || id === 0) {
        this.#onFault(`a request that is no delivery: ${head.slice(0, 300)}`)
        socket.destroy()
        return rest
      }
      socket.write(endpoint.deliver(id, head, rest.subarray(start, total)))
      rest = rest.subarray(total)
    }
  }
}
