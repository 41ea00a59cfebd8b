/**
 * The process of a flood: sockets of `graphql-transport-ws` of a hostile client. Frames are made once and sent again and again, so that
 * the sender spends next to nothing on each. It ends when it is told to, or when it has sent the most frames of a flood.
 */
import { randomBytes } from "node:crypto"
import { request } from "node:http"
import type { Duplex } from "node:stream"
import { setTimeout as wait } from "node:timers/promises"

/** The first message to the process; without a token, the sockets that need one are not opened. */
export interface FloodOptions {
  readonly url: string
  readonly token: string | undefined
}

/** The result that the process reports at the end. */
export type FloodResult = Readonly<Record<"frames" | "sockets", number>>

/** The most frames of one flood, and how many are written at once. */
const mostFrames = 3_000_000
const framesAtOnce = 100

/** The pause before a closed socket reconnects, in milliseconds. */
const awayMillis = 50

const [ping, pong] = [{ type: "ping" }, { type: "pong" }]
const complete = (id: string) => ({ type: "complete", id })
const subscribe = (id: string) => ({ type: "subscribe", id, payload: { query: "{ __typename }" } })

const frames = {
  ping: () => ping,
  pong: () => pong,
  complete: (at: number) => complete(`c${at}`),
  // An id is in use until its operation ends, so each operation is completed right after it began.
  subscribe: (at: number) => at % 2 === 0 ? subscribe(`s${at}`) : complete(`s${at - 1}`),
  mixed: (at: number) => [ping, pong, complete(`c${at}`)][at % 3]
}

/** The frames of each socket, and whether it first sends a token. */
const attacks: ReadonlyArray<readonly [keyof typeof frames, isSignedIn: boolean]> = [
  ["ping", false],
  ["ping", false],
  ["pong", false],
  ["complete", false],
  ["mixed", false],
  ["ping", true],
  ["subscribe", true]
]

/** A text as a frame of a client, masked with zeros; texts of more than 125 bytes have a longer head. */
const frame = (message: unknown): Buffer => {
  const text = Buffer.from(JSON.stringify(message))
  const head = text.length < 126
    ? [0x81, 0x80 | text.length]
    : [0x81, 0x80 | 126, text.length >> 8, text.length & 0xff]
  return Buffer.concat([Buffer.from(head), Buffer.alloc(4), text])
}

const leaving = new AbortController()
const { signal } = leaving
const sent = { frames: 0, sockets: 0 }

const isOver = (): boolean => signal.aborted || sent.frames >= mostFrames

/** Opens a socket for GraphQL, and sends until it is closed or the flood is over. */
const attack = async (url: string, chunk: Buffer, token: string | undefined): Promise<void> => {
  const opening = request(`${url}/public_graphql`, {
    agent: false,
    signal,
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": randomBytes(16).toString("base64"),
      "sec-websocket-protocol": "graphql-transport-ws"
    }
  }).end()
  const socket = await new Promise<Duplex | undefined>((resolve) => {
    opening.once("upgrade", (_, socket) => resolve(socket)).on("error", () => resolve(undefined))
      .once("response", () => {
        opening.destroy()
        resolve(undefined)
      })
  })
  if (socket === undefined) return
  const closed = new Promise<void>((resolve) => socket.on("error", () => {}).once("close", resolve))
  signal.addEventListener("abort", () => socket.destroy())
  sent.sockets++
  if (token !== undefined) {
    socket.write(frame({ type: "connection_init", payload: { Authorization: `Bearer ${token}` } }))
    await Promise.race([new Promise((go) => socket.once("data", go)), closed])
  }
  socket.resume()
  while (!socket.destroyed && !isOver()) {
    sent.frames += framesAtOnce
    if (!socket.write(chunk)) await Promise.race([new Promise((go) => socket.once("drain", go)), closed])
  }
  socket.destroy()
}

const begin = async ({ token, url }: FloodOptions): Promise<void> => {
  await Promise.all(attacks.map(async ([kind, isSignedIn]) => {
    if (isSignedIn && token === undefined) return
    const all = Array.from({ length: framesAtOnce }, (_, at) => frame(frames[kind](at)))
    const chunk = Buffer.concat(all)
    while (!isOver()) {
      // A socket that is closed or refused reconnects.
      await attack(url, chunk, isSignedIn ? token : undefined)
      await wait(awayMillis)
    }
  }))
  process.send?.(sent satisfies FloodResult, () => process.disconnect())
}

process.on("message", (message) => {
  if (message === "over") leaving.abort()
  else void begin(message as FloodOptions)
})
// An attacker that loses its harness must end.
process.once("disconnect", () => process.exit())
// A terminal signals the whole group; the harness tells this process over the channel instead.
process.on("SIGINT", () => {})
