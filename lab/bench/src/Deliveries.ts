/**
 * A server that receives webhooks. It reads no more of HTTP than necessary, because on a small machine its work slows down the sender.
 */
import { createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"

/** A received webhook. */
export interface Delivery {
  /** The path that it was posted to. */
  readonly target: string
  /** The number in its `webhook-id`. */
  readonly id: number
  readonly head: string
  readonly body: Buffer
}

/** Accepts a delivery, or refuses it for a second; `undefined` leaves it without an answer. */
export type Take = (delivery: Delivery) => "taken" | "later" | undefined

const answers = {
  taken: Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
  later: Buffer.from("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n")
}

const headEnd = Buffer.from("\r\n\r\n")
const targetPattern = /^POST (\/\S*) /
const lengthPattern = /\r\ncontent-length: *(\d+)/i
const idPattern = /\r\nwebhook-id: *msg_(\d+)/i

/** Listens on a free port of 127.0.0.1, and returns it; a request that is no delivery is a fault. */
export const listen = async (take: Take, onFault: (what: string) => void): Promise<number> => {
  const server = createServer((socket) => {
    let rest: Buffer = Buffer.alloc(0)
    socket.setNoDelay(true)
    socket.on("data", (chunk: Buffer) => {
      rest = takeAll(socket, rest.length === 0 ? chunk : Buffer.concat([rest, chunk]))
    })
    // A sender that is stopped drops its connections.
    socket.on("error", () => socket.destroy())
  })
  /** Handles the complete deliveries; returns the beginning of an incomplete one. */
  const takeAll = (socket: Socket, received: Buffer): Buffer => {
    let rest = received
    for (;;) {
      const end = rest.indexOf(headEnd)
      if (end < 0) return rest
      const head = rest.toString("latin1", 0, end)
      const start = end + headEnd.length
      const total = start + Number(lengthPattern.exec(head)?.[1] ?? 0)
      if (rest.length < total) return rest
      const target = targetPattern.exec(head)?.[1]
      const id = Number(idPattern.exec(head)?.[1] ?? 0)
      if (target === undefined || id === 0) {
        onFault(`a request that is no delivery: ${head.slice(0, 300)}`)
        socket.destroy()
        return Buffer.alloc(0)
      }
      const answer = take({ target, id, head, body: rest.subarray(start, total) })
      if (answer !== undefined) socket.write(answers[answer])
      rest = rest.subarray(total)
    }
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}

/** A header of a delivery. */
export const headerIn = (head: string, name: string): string | undefined =>
  new RegExp(`\\r\\n${name}: *([^\\r]*)`, "i").exec(head)?.[1]?.trim()
