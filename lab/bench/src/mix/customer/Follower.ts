/**
 * A program that follows the log as the guide says: it subscribes after the last id it has, and when the connection
 * ends, for whatever reason, it begins anew from there. What must hold: ids only grow, and none comes twice.
 */
import { FrameConnection } from "../../graphql/Frames.ts"
import { path, query, subscriptionDocument } from "../../graphql/Workload.ts"
import { Ids } from "./Ids.ts"
import type { Had } from "./Protocol.ts"

/** What followers share. */
export interface Surroundings {
  readonly ports: ReadonlyArray<number>
  readonly random: () => number
  readonly token: () => Promise<string>
  /** Milliseconds until the follower leaves; `undefined`: it stays. */
  readonly stay: () => number | undefined
  readonly onConnected: () => void
  readonly onExpired: () => void
  readonly onRefused: () => void
  readonly onFault: (what: string) => void
}

/** How long after a connection has ended it begins anew, in milliseconds. */
const pauseMillis = 200

const messageMark = "\"pushMessage\":{\"id\":"

/** Closed for its token: the way of every connection, sooner or later. */
const expiredPattern = /^closed with 4403\b/

/** Too slow, or too many: an overloaded service may say so, and the follower comes back. */
const refusedPattern = /^closed with (?:4429|1013)\b|^status (?:429|503)\b/

/** One program. */
export class Follower {
  readonly #name: string
  readonly #with: Surroundings
  readonly #ids = new Ids()
  #repeats = 0
  #isOn = true
  #end: (() => void) | undefined

  constructor(name: string, surroundings: Surroundings) {
    this.#name = name
    this.#with = surroundings
  }

  get had(): Had {
    return {
      name: this.#name,
      messages: this.#ids.count,
      firstId: this.#ids.first,
      lastId: this.#ids.last,
      repeats: this.#repeats
    }
  }

  /** Follows until {@link leave}. */
  async follow(afterId: number): Promise<void> {
    while (this.#isOn) {
      await this.#once(afterId).catch(this.#with.onRefused)
      if (this.#isOn) await new Promise((resolve) => setTimeout(resolve, pauseMillis))
    }
  }

  /** Closes the connection; it is not made again. */
  leave(): void {
    this.#isOn = false
    this.#end?.()
  }

  /** One connection, from its beginning to its end. */
  async #once(afterId: number): Promise<void> {
    const { onConnected, ports, random, stay, token } = this.#with
    const bearer = await token()
    const ended = Promise.withResolvers<void>()
    let connection: FrameConnection | undefined
    const send = (frame: object): void => connection?.send(JSON.stringify(frame))
    const port = ports[Math.floor(random() * ports.length)]!
    connection = await FrameConnection.open(port, path, "graphql-transport-ws", {
      onFrame: (_, text) => this.#receive(text!, afterId, send),
      onFault: (what) => {
        this.#judge(what)
        ended.resolve()
      }
    })
    onConnected()
    this.#end = ended.resolve
    if (!this.#isOn) ended.resolve()
    send({ type: "connection_init", payload: { Authorization: `Bearer ${bearer}` } })
    const millis = stay()
    const timer = millis === undefined ? undefined : setTimeout(ended.resolve, millis)
    await ended.promise
    clearTimeout(timer)
    this.#end = undefined
    connection.close()
  }

  #judge(what: string): void {
    const { onExpired, onFault, onRefused } = this.#with
    if (expiredPattern.test(what)) onExpired()
    else if (refusedPattern.test(what)) onRefused()
    // The end of the socket follows upon what was said before, or is said by the connection that could not be made.
    else if (what !== "the connection was closed") onFault(`${this.#name}: ${what}`)
  }

  #receive(text: string, afterId: number, send: (frame: object) => void): void {
    const at = text.indexOf(messageMark)
    if (at >= 0) return this.#take(Number.parseInt(text.slice(at + messageMark.length), 10))
    const { type } = JSON.parse(text) as { readonly type: string }
    if (type === "connection_ack") {
      const filter = {
        businessSlug: query.business,
        messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
        afterId: Math.max(afterId, this.#ids.last)
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
    if (id < this.#ids.last) this.#with.onFault(`${this.#name}: ${id} came after ${this.#ids.last}`)
    if (!this.#ids.add(id)) this.#repeats += 1
  }
}
