/**
 * The subscribers as a process: it opens a thousand connections, and reports when a message has reached all of them. It accepts
 * `SubscriberCommand`s.
 *
 * On a small machine its CPU time is lost to the server, so only the first client parses its messages, and the others count theirs.
 */
import { once } from "node:events"
import { WebSocket } from "ws"
import { fault, serve } from "../Serve.ts"
import { clock, path, query, subscriptionDocument } from "./Workload.ts"

/** The commands to the process. Messages are counted from 0 since the last reset. */
export type SubscriberCommand =
  /** Opens a number of connections; without a token the server sends to all connections. */
  | { readonly open: number; readonly port: number; readonly token: string | null }
  | { readonly reset: true }
  /** Waits until this message has reached all clients; answered with the time, by {@link clock}. */
  | { readonly reached: number }
  | { readonly seen: true }

/** The messages that clients have seen since the last reset. */
export interface Seen {
  /** The fewest and the most messages of a client. */
  readonly frames: readonly [fewest: number, most: number]
  /** Every id that the first client saw. */
  readonly witnessed: ReadonlyArray<number>
  /** The bytes of a message. */
  readonly bytes: number
}

/** Every message of the benchmark is at least this long; frames of the protocol are shorter. */
const smallestMessage = 300

const openAtOnce = 50

const clients: Array<{ frames: number }> = []
let arrived: Array<number> = []
let witnessed: Array<number> = []
let waiting = new Map<number, PromiseWithResolvers<number>>()
let bytes = 0

const waiterOf = (index: number): PromiseWithResolvers<number> => {
  const waiter = waiting.get(index) ?? Promise.withResolvers<number>()
  waiting.set(index, waiter)
  return waiter
}

const take = (at: number, data: Buffer): void => {
  const client = clients[at]
  if (client === undefined) return
  if (at === 0) {
    bytes = data.length
    witnessed.push(JSON.parse(data.toString()).payload.data.pushMessage.id)
  }
  const index = client.frames++
  const count = (arrived[index] ?? 0) + 1
  arrived[index] = count
  if (count === clients.length) waiterOf(index).resolve(clock())
}

const openOne = async (port: number, token: string | null): Promise<void> => {
  const at = clients.push({ frames: 0 }) - 1
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, "graphql-transport-ws", {
    perMessageDeflate: false,
    skipUTF8Validation: true
  })
  const acknowledged = Promise.withResolvers<void>()
  const send = (message: object) => socket.send(JSON.stringify(message))
  const short = (text: string): void => {
    if (text.includes("\"connection_ack\"")) acknowledged.resolve()
    else if (text.includes("\"ping\"")) send({ type: "pong" })
    else fault(`client ${at}: ${text}`)
  }
  socket.on(
    "message",
    (data: Buffer) => data.length < smallestMessage ? short(data.toString()) : take(at, data)
  )
  socket.on("error", (error) => fault(`client ${at}: ${error.message}`))
  socket.on("close", (code, reason) => fault(`client ${at}: closed with ${code} ${reason.toString()}`))
  await once(socket, "open")
  if (token === null) return
  send({ type: "connection_init", payload: { Authorization: `Bearer ${token}` } })
  await acknowledged.promise
  const variables = { filter: { businessSlug: query.business } }
  send({ id: "1", type: "subscribe", payload: { query: subscriptionDocument, variables } })
}

/** Opens all connections, and subscribes. Only a message shows that the server has begun to follow. */
const open = async (count: number, port: number, token: string | null): Promise<void> => {
  for (let start = 0; start < count; start += openAtOnce) {
    const length = Math.min(openAtOnce, count - start)
    await Promise.all(Array.from({ length }, () => openOne(port, token)))
  }
}

const reset = (): void => {
  arrived = []
  witnessed = []
  waiting = new Map()
  for (const client of clients) client.frames = 0
}

const seen = (): Seen => {
  const counts = clients.map(({ frames }) => frames)
  return { frames: [Math.min(...counts), Math.max(...counts)], witnessed, bytes }
}

serve((command: SubscriberCommand) => {
  if ("open" in command) return open(command.open, command.port, command.token)
  if ("reset" in command) return reset()
  return "reached" in command ? waiterOf(command.reached).promise : seen()
})
