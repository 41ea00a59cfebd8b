/**
 * The way of an instance to its database, which can go wrong as networks do. It reads PostgreSQL's protocol just enough
 * to lose the answer to a COMMIT after the server has given it.
 *
 * Guarantee: bytes keep their order, and none is changed, added, or lost on a connection that is not cut. What ends on
 * one side while nothing comes through ends on the other side only afterwards, as it does where a cable is out.
 */
import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { AddressInfo, Server, Socket } from "node:net"
import { ServerFrames } from "./PostgresFrames.ts"
import type { ServerMessage } from "./PostgresFrames.ts"

/** How a way is. */
export type Condition =
  /** As it should be. */
  | { readonly kind: "open" }
  /** Connections break, and none is made. */
  | { readonly kind: "closed" }
  /** Nothing comes through in either direction. */
  | { readonly kind: "silent" }
  /** Nothing comes back. */
  | { readonly kind: "mute" }
  /** Everything comes later by as much, in milliseconds, in each direction. */
  | { readonly kind: "slow"; readonly millis: number }
  /** The connection is cut in place of the answer to a COMMIT. */
  | { readonly kind: "losesCommits" }
  /** The connection is cut in place of the answer to a statement or a transaction that is complete. */
  | { readonly kind: "losesAnswers" }

/** A way to a database. */
export class Proxy {
  readonly #server: Server
  #target: number
  readonly #links = new Set<Link>()
  #condition: Condition = { kind: "open" }
  /** How many answers were lost on purpose. */
  #lost = 0

  private constructor(target: number) {
    this.#target = target
    this.#server = createServer((near) => this.#take(near))
  }

  /** Opens a way to a port of this machine, on a free port. */
  static async open(target: number): Promise<Proxy> {
    const proxy = new Proxy(target)
    proxy.#server.listen(0, "127.0.0.1")
    await once(proxy.#server, "listening")
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Leads new connections to another port from now on; those that are there stay where they are. */
  lead(target: number): void {
    this.#target = target
  }

  /** How many answers were lost so far. */
  get lost(): number {
    return this.#lost
  }

  /** Makes the way as said, for connections that are there and for new ones. */
  set(condition: Condition): void {
    this.#condition = condition
    for (const link of this.#links) link.set(condition)
    if (condition.kind === "closed") this.cut()
  }

  /** Breaks all connections. */
  cut(): void {
    for (const link of this.#links) link.cut()
  }

  /** Ends it and everything on it. */
  async close(): Promise<void> {
    const closed = once(this.#server, "close")
    this.#server.close()
    this.cut()
    await closed
  }

  #take(near: Socket): void {
    if (this.#condition.kind === "closed") {
      near.on("error", () => {})
      near.resetAndDestroy()
      return
    }
    const link = new Link(near, connect(this.#target, "127.0.0.1"), this.#condition, {
      ended: () => this.#links.delete(link),
      lost: () => this.#lost++
    })
    this.#links.add(link)
  }
}

/** One connection through a proxy. */
class Link {
  readonly #near: Socket
  readonly #far: Socket
  readonly #requests: Lane
  readonly #answers: Lane
  readonly #frames = new ServerFrames()
  readonly #told: { readonly ended: () => void; readonly lost: () => void }
  #condition: Condition
  /** What the server says from where a statement is complete, kept back until it is known whether it is to be lost. */
  #kept: Array<ServerMessage> = []
  #isCut = false

  constructor(
    near: Socket,
    far: Socket,
    condition: Condition,
    told: { readonly ended: () => void; readonly lost: () => void }
  ) {
    this.#near = near
    this.#far = far
    this.#condition = condition
    this.#told = told
    this.#requests = new Lane(far)
    this.#answers = new Lane(near)
    for (const socket of [near, far]) socket.setNoDelay(true).on("error", () => {})
    near.on("data", (chunk) => {
      this.#frames.asked(chunk)
      this.#requests.send(chunk)
    })
    far.on("data", (chunk) => this.#answer(chunk))
    near.on("close", () => this.#requests.end())
    far.on("close", () => this.#answers.end())
    let open = 2
    for (const socket of [near, far]) socket.on("close", () => --open === 0 && this.cut())
    this.set(condition)
  }

  set(condition: Condition): void {
    this.#condition = condition
    if (!this.#isLossy) this.#release()
    const delay = condition.kind === "slow" ? condition.millis : 0
    this.#requests.set({ isHeld: condition.kind === "silent", delay })
    this.#answers.set({ isHeld: condition.kind === "silent" || condition.kind === "mute", delay })
  }

  /** Breaks it, for both sides. */
  cut(): void {
    if (this.#isCut) return
    this.#isCut = true
    this.#requests.drop()
    this.#answers.drop()
    this.#near.resetAndDestroy()
    this.#far.resetAndDestroy()
    this.#told.ended()
  }

  get #isLossy(): boolean {
    return this.#condition.kind === "losesCommits" || this.#condition.kind === "losesAnswers"
  }

  #answer(chunk: Buffer): void {
    for (const message of this.#frames.push(chunk)) {
      if (this.#isCut) return
      this.#kept.push(message)
      // What comes before a statement is complete, as while a client signs in, is waited for.
      const isOpen = this.#kept.length === 1 && !message.isComplete
      if (!this.#isLossy || isOpen) this.#release()
      else if (message.isEnd) this.#judge(message)
    }
  }

  /** The server is done with something: its answer is lost, or it goes on. */
  #judge(end: ServerMessage): void {
    const isLost = this.#condition.kind === "losesCommits"
      ? this.#kept.some(({ isCommitted }) => isCommitted)
      : end.isIdle && this.#kept.some(({ isComplete }) => isComplete)
    if (!isLost) return this.#release()
    this.#told.lost()
    this.cut()
  }

  #release(): void {
    if (this.#kept.length === 0) return
    this.#answers.send(Buffer.concat(this.#kept.map(({ bytes }) => bytes)))
    this.#kept = []
  }
}

/** One direction of a connection. */
class Lane {
  readonly #to: Socket
  readonly #queue: Array<{ readonly chunk: Buffer | undefined; readonly at: number }> = []
  #isHeld = false
  #delay = 0
  #timer: NodeJS.Timeout | undefined

  constructor(to: Socket) {
    this.#to = to
  }

  set({ delay, isHeld }: { readonly isHeld: boolean; readonly delay: number }): void {
    this.#isHeld = isHeld
    this.#delay = delay
    this.#pump()
  }

  send(chunk: Buffer): void {
    this.#queue.push({ chunk, at: performance.now() + this.#delay })
    this.#pump()
  }

  /** Nothing more comes: the other side is closed after what is still to be sent. */
  end(): void {
    this.#queue.push({ chunk: undefined, at: performance.now() + this.#delay })
    this.#pump()
  }

  /** Forgets what has not been sent. */
  drop(): void {
    clearTimeout(this.#timer)
    this.#queue.length = 0
  }

  #pump(): void {
    clearTimeout(this.#timer)
    while (this.#queue.length > 0 && !this.#isHeld) {
      const wait = this.#queue[0]!.at - performance.now()
      if (wait > 0) {
        this.#timer = setTimeout(() => this.#pump(), Math.ceil(wait))
        return
      }
      const { chunk } = this.#queue.shift()!
      if (chunk === undefined) this.#to.destroySoon()
      else if (this.#to.writable) this.#to.write(chunk)
    }
  }
}
