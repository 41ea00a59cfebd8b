/**
 * A program that follows the log as the guide says: it subscribes after the last id it has, and when the connection
 * ends, for whatever reason, it begins anew from there. What must hold: ids only grow, and none comes twice.
 */
import { FrameConnection } from "../graphql/Frames.ts"
import { path, query, subscriptionDocument } from "../graphql/Workload.ts"

/** What followers share. */
export interface Surroundings {
  readonly port: number
  readonly token: string
  readonly onRefused: () => void
  readonly onFault: (what: string) => void
}

/** How long after a connection has ended it begins anew, in milliseconds. */
const pauseMillis = 200

const messageMark = "\"pushMessage\":{\"id\":"

/** Too slow, or too many: an overloaded service may say so, and the follower comes back. */
const refusedPattern = /^closed with (?:4429|1013)\b|^status (?:429|503)\b/

/** One program. */
export class Follower {
  readonly #name: string
  readonly #with: Surroundings
  #lastId = 0
  #isOn = true
  #end: (() => void) | undefined

  constructor(name: string, surroundings: Surroundings) {
    this.#name = name
    this.#with = surroundings
  }

  /** Follows until {@link leave}. */
  async follow(): Promise<void> {
    while (this.#isOn) {
      await this.#once().catch(this.#with.onRefused)
      if (this.#isOn) await new Promise((resolve) => setTimeout(resolve, pauseMillis))
    }
  }

  /** Closes the connection; it is not made again. */
  leave(): void {
    this.#isOn = false
    this.#end?.()
  }

  /** One connection, from its beginning to its end. */
  async #once(): Promise<void> {
    const { port, token } = this.#with
    const ended = Promise.withResolvers<void>()
    let connection: FrameConnection | undefined
    const send = (frame: object): void => connection?.send(JSON.stringify(frame))
    connection = await FrameConnection.open(port, path, "graphql-transport-ws", {
      onFrame: (_, text) => this.#receive(text!, send),
      onFault: (what) => {
        this.#judge(what)
        ended.resolve()
      }
    })
    this.#end = ended.resolve
    if (!this.#isOn) ended.resolve()
    send({ type: "connection_init", payload: { Authorization: `Bearer ${token}` } })
    await ended.promise
    this.#end = undefined
    connection.close()
  }

  #judge(what: string): void {
    const { onFault, onRefused } = this.#with
    if (refusedPattern.test(what)) onRefused()
    // The end of the socket follows upon what was said before, or is said by the connection that could not be made.
    else if (what !== "the connection was closed") onFault(`${this.#name}: ${what}`)
  }

  #receive(text: string, send: (frame: object) => void): void {
    const at = text.indexOf(messageMark)
    if (at >= 0) return this.#take(Number.parseInt(text.slice(at + messageMark.length), 10))
    const { type } = JSON.parse(text) as { readonly type: string }
    if (type === "connection_ack") {
      const filter = {
        businessSlug: query.business,
        messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
        afterId: this.#lastId
      }
      send({ id: "1", type: "subscribe", payload: { query: subscriptionDocument, variables: { filter } } })
    } else if (type === "ping") {
      send({ type: "pong" })
    } else {
      this.#with.onFault(`${this.#name}: ${text.slice(0, 300)}`)
      this.#end?.()
    }
  }

  #take(id: number): void {
    if (id <= this.#lastId) this.#with.onFault(`${this.#name}: ${id} came after ${this.#lastId}`)
    this.#lastId = id
  }
}
