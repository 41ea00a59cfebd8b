/**
 * The subscribers as a process: a thousand connections, and when a message has reached all of them. It takes
 * `SubscriberCommand`s.
 */
import { randomUUID } from "node:crypto"
import { fault, serve } from "../Serve.ts"
import { FrameConnection } from "./Frames.ts"
import { clock } from "./Workload.ts"

/** Whom to follow, and how. */
export interface SubscribersTask {
  readonly port: number
  readonly path: string
  readonly clients: number
  /** `undefined`: the server sends to whoever is connected. */
  readonly subscribe: { readonly token: string; readonly document: string; readonly variables: object } | null
}

/** What the process is told. */
export type SubscriberCommand =
  | { readonly open: SubscribersTask }
  /** Counts from 0 again. */
  | { readonly reset: true }
  /** Whether frames are decoded; the first client's always are. */
  | { readonly lookInside: boolean }
  /** Waits until this message, counted from 0, has reached everybody: when it had, in milliseconds of the machine's clock. */
  | { readonly reached: number }
  /** What the clients have {@link Seen}. */
  | { readonly seen: true }

/** What the clients have seen. */
export interface Seen {
  /** How many frames since the last reset: the fewest and the most of a client. */
  readonly frames: readonly [fewest: number, most: number]
  /** The ids of the last message that was looked into: the lowest and the highest of a client. */
  readonly lastIds: readonly [lowest: number, highest: number]
  /** Every id that the first client saw since the last reset. */
  readonly witnessed: ReadonlyArray<number>
  /** The bytes of a frame's payload. */
  readonly sampleSize: number
}

/** No message of the benchmark is smaller; frames of the protocol are. */
const smallestMessage = 300

const openAtOnce = 50

interface Client {
  connection: FrameConnection | undefined
  acknowledged: (() => void) | undefined
  frames: number
  lastId: number
}

/** The connections. */
class Subscribers {
  readonly #clients: Array<Client> = []
  #arrived: Array<number> = []
  #witnessed: Array<number> = []
  #reached = new Map<number, PromiseWithResolvers<number>>()
  #sampleSize = 0
  #expected = 0

  /** Connects all, and subscribes. Nothing says when the server has begun to follow: a message shows it. */
  async open(task: SubscribersTask): Promise<void> {
    this.#expected = task.clients
    for (let start = 0; start < task.clients; start += openAtOnce) {
      const count = Math.min(openAtOnce, task.clients - start)
      await Promise.all(Array.from({ length: count }, () => this.#openOne(task)))
    }
  }

  async #openOne({ path, port, subscribe }: SubscribersTask): Promise<void> {
    const client: Client = { connection: undefined, acknowledged: undefined, frames: 0, lastId: 0 }
    const at = this.#clients.push(client) - 1
    const connection = await FrameConnection.open(port, path, "graphql-transport-ws", {
      onFrame: (size, text) => this.#receive(client, at, size, text),
      onFault: (what) => fault(`client ${at}: ${what}`)
    })
    client.connection = connection
    if (subscribe === null) return
    const { document, token, variables } = subscribe
    const acknowledged = new Promise<void>((resolve) => {
      client.acknowledged = resolve
    })
    connection.send(
      JSON.stringify({ type: "connection_init", payload: { Authorization: `Bearer ${token}` } })
    )
    await acknowledged
    connection.send(
      JSON.stringify({ id: randomUUID(), type: "subscribe", payload: { query: document, variables } })
    )
  }

  /** Whether frames are decoded; the first client's always are. */
  lookInside(inside: boolean): void {
    for (const { connection } of this.#clients.slice(1)) connection!.looksInside = inside
  }

  /** Counts from 0 again. */
  reset(): void {
    this.#arrived = []
    this.#witnessed = []
    this.#reached = new Map()
    for (const client of this.#clients) {
      client.frames = 0
      client.lastId = 0
    }
  }

  /** What the clients have seen. */
  get seen(): Seen {
    const counts = this.#clients.map(({ frames }) => frames)
    const ids = this.#clients.map(({ lastId }) => lastId)
    return {
      frames: [Math.min(...counts), Math.max(...counts)],
      lastIds: [Math.min(...ids), Math.max(...ids)],
      witnessed: this.#witnessed,
      sampleSize: this.#sampleSize
    }
  }

  /** When a message has reached everybody. */
  reached(index: number): Promise<number> {
    return this.#waiter(index).promise
  }

  #waiter(index: number): PromiseWithResolvers<number> {
    const waiter = this.#reached.get(index) ?? Promise.withResolvers<number>()
    this.#reached.set(index, waiter)
    return waiter
  }

  #receive(client: Client, at: number, size: number, text: string | undefined): void {
    if (text !== undefined) {
      if (!this.#look(client, at, size, text)) return
    } else if (size < smallestMessage) {
      fault(`client ${at}: a frame of ${size} bytes that is no message`)
      return
    }
    const index = client.frames++
    const arrived = (this.#arrived[index] ?? 0) + 1
    this.#arrived[index] = arrived
    if (arrived === this.#expected) this.#waiter(index).resolve(clock())
  }

  /** Whether it is a message. */
  #look(client: Client, at: number, size: number, text: string): boolean {
    const { payload, type } = JSON.parse(text) as {
      readonly type: string
      readonly payload?: { readonly data?: { readonly pushMessage?: { readonly id: number } } }
    }
    const message = payload?.data?.pushMessage
    if (type === "next" && message !== undefined) {
      client.lastId = message.id
      if (at === 0) {
        this.#witnessed.push(message.id)
        this.#sampleSize = size
      }
      return true
    }
    if (type === "connection_ack") client.acknowledged?.()
    else if (type === "ping") client.connection?.send(JSON.stringify({ type: "pong" }))
    else fault(`client ${at}: ${text.slice(0, 500)}`)
    return false
  }
}

const subscribers = new Subscribers()

serve((command: SubscriberCommand) => {
  if ("open" in command) return subscribers.open(command.open)
  if ("reset" in command) return subscribers.reset()
  if ("lookInside" in command) return subscribers.lookInside(command.lookInside)
  return "reached" in command ? subscribers.reached(command.reached) : subscribers.seen
})
