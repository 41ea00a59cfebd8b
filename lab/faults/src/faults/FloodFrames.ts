/**
 * Frames of `graphql-transport-ws` as a hostile client sends them: whole WebSocket frames, made once and sent again and
 * again, so that the sender spends next to nothing on each.
 */

/** What a socket of the flood sends. */
export interface Attack {
  /** Whether it introduces itself with a token first. */
  readonly isSignedIn: boolean
  readonly frames: "ping" | "pong" | "complete" | "subscribe" | "mixed"
}

/** One for each socket of a flood. */
export const attacks: ReadonlyArray<Attack> = [
  { isSignedIn: false, frames: "ping" },
  { isSignedIn: false, frames: "ping" },
  { isSignedIn: false, frames: "pong" },
  { isSignedIn: false, frames: "complete" },
  { isSignedIn: false, frames: "mixed" },
  { isSignedIn: true, frames: "ping" },
  { isSignedIn: true, frames: "subscribe" }
]

/** How many frames are written at once. */
export const framesAtOnce = 100

/** A text as a frame of a client, masked with zeros; texts of more than 125 bytes have a longer head. */
export const frame = (message: unknown): Buffer => {
  const text = Buffer.from(JSON.stringify(message))
  const head = text.length < 126
    ? [0x81, 0x80 | text.length]
    : [0x81, 0x80 | 126, text.length >> 8, text.length & 0xff]
  return Buffer.concat([Buffer.from(head), Buffer.alloc(4), text])
}

const subscribed = (id: string) => ({ type: "subscribe", id, payload: { query: "{ __typename }" } })

const makers: Readonly<Record<Attack["frames"], (at: number) => unknown>> = {
  ping: () => ({ type: "ping" }),
  pong: () => ({ type: "pong" }),
  complete: (at) => ({ type: "complete", id: `c${at}` }),
  // An id is taken until its operation ends: each is given up right after it began.
  subscribe: (at) => at % 2 === 0 ? subscribed(`s${at}`) : { type: "complete", id: `s${at - 1}` },
  mixed: (at) => makers[(["ping", "pong", "complete"] as const)[at % 3]!](at)
}

/** The frames that a socket writes at once. */
export const chunkOf = ({ frames }: Attack): Buffer =>
  Buffer.concat(Array.from({ length: framesAtOnce }, (_, at) => frame(makers[frames](at))))

/** The first frame of a socket that introduces itself. */
export const initOf = (token: string): Buffer =>
  frame({ type: "connection_init", payload: { Authorization: `Bearer ${token}` } })
