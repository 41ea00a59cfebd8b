/**
 * The process of a flood: sockets of `graphql-transport-ws` as a hostile client has them. Whole frames are made once and sent
 * again and again, so that the sender spends next to nothing on each. It ends when it is told to, or has sent as many frames
 * as it may.
 */
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { connect } from "node:net"
import type { Socket } from "node:net"
import { setTimeout as wait } from "node:timers/promises"

/** What the process is told first; the sockets that would introduce themselves stay away without a token. */
export interface FloodOptions {
  readonly port: number
  readonly token: string | undefined
}

/** What it did, as it tells at the end. */
export interface FloodResult {
  readonly frames: number
  readonly sockets: number
}

/** The most frames of one flood, and how many are written at once. */
const mostFrames = 3_000_000
const framesAtOnce = 100

/** How long a socket stays away that was closed, in milliseconds. */
const awayMillis = 50

type Frames = "ping" | "pong" | "complete" | "subscribe" | "mixed"

/** What each socket sends, and whether it introduces itself with a token first. */
const attacks: ReadonlyArray<readonly [frames: Frames, isSignedIn: boolean]> = [
  ["ping", false],
  ["ping", false],
  ["pong", false],
  ["complete", false],
  ["mixed", false],
  ["ping", true],
  ["subscribe", true]
]

const subscribed = (id: string) => ({ type: "subscribe", id, payload: { query: "{ __typename }" } })

const makers: Readonly<Record<Frames, (at: number) => unknown>> = {
  ping: () => ({ type: "ping" }),
  pong: () => ({ type: "pong" }),
  complete: (at) => ({ type: "complete", id: `c${at}` }),
  // An id is taken until its operation ends: each is given up right after it began.
  subscribe: (at) => at % 2 === 0 ? subscribed(`s${at}`) : { type: "complete", id: `s${at - 1}` },
  mixed: (at) => makers[(["ping", "pong", "complete"] as const)[at % 3]!](at)
}

/** A text as a frame of a client, masked with zeros; texts of more than 125 bytes have a longer head. */
const frame = (message: unknown): Buffer => {
  const text = Buffer.from(JSON.stringify(message))
  const head = text.length < 126
    ? [0x81, 0x80 | text.length]
    : [0x81, 0x80 | 126, text.length >> 8, text.length & 0xff]
  return Buffer.concat([Buffer.from(head), Buffer.alloc(4), text])
}

const leaving = new AbortController()
const open = new Set<Socket>()
const sent = { frames: 0, sockets: 0 }

const isOver = (): boolean => leaving.signal.aborted || sent.frames >= mostFrames

/** Opens a socket for GraphQL, and sends until it is closed or the flood is over. */
const attack = async (socket: Socket, port: number, frames: Frames, token: string | undefined) => {
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  await Promise.race([once(socket, "connect"), closed])
  const key = randomBytes(16).toString("base64")
  socket.write(
    `GET /public_graphql HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n` +
      `Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`
  )
  const [answer] = await Promise.race([once(socket, "data"), closed.then(() => [""])])
  if (!String(answer).startsWith("HTTP/1.1 101")) return
  socket.resume()
  sent.sockets++
  if (token !== undefined) {
    socket.write(frame({ type: "connection_init", payload: { Authorization: `Bearer ${token}` } }))
    await Promise.race([once(socket, "data"), closed])
  }
  const chunk = Buffer.concat(Array.from({ length: framesAtOnce }, (_, at) => frame(makers[frames](at))))
  while (!socket.destroyed && !isOver()) {
    sent.frames += framesAtOnce
    if (!socket.write(chunk)) await Promise.race([once(socket, "drain"), closed])
  }
}

const begin = async ({ port, token }: FloodOptions): Promise<void> => {
  await Promise.all(attacks.map(async ([frames, isSignedIn]) => {
    if (isSignedIn && token === undefined) return
    while (!isOver()) {
      const socket = connect(port, "127.0.0.1")
      open.add(socket)
      // A socket that fails is closed, which is what is waited for.
      socket.on("error", () => {}).once("close", () => open.delete(socket))
      await attack(socket, port, frames, isSignedIn ? token : undefined).catch(() => {})
      socket.destroy()
      await wait(awayMillis)
    }
  }))
  process.send?.(sent satisfies FloodResult, () => process.disconnect())
}

process.on("message", (message) => {
  if (message !== "over") return void begin(message as FloodOptions)
  leaving.abort()
  for (const socket of open) socket.destroy()
})
// An attacker that lost its harness must not be left behind.
process.once("disconnect", () => process.exit())
// A terminal tells the whole group; the harness passes it on in its own words.
process.on("SIGINT", () => {})
