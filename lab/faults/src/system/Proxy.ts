/**
 * The way of an instance to its database, which can go wrong as networks do. It reads PostgreSQL's protocol just enough
 * to lose the answer to a COMMIT after the server has given it.
 *
 * Guarantee: bytes keep their order, and none is changed, added, or lost on a connection that is not cut. What ends on
 * one side while nothing comes through ends on the other side only afterwards, as it does where a cable is out.
 */
import { connect, createServer } from "node:net"
import type { Socket } from "node:net"
import { isCommitted, isComplete, isEnd, isIdle, ServerFrames } from "./PostgresFrames.ts"
import { close, listen } from "./Tcp.ts"

/** How a way is. */
export type Condition =
  /**
   * As it should be; connections break, and none is made; nothing comes through in either direction; nothing comes back; the
   * connection is cut in place of the answer to a COMMIT, or to a statement or a transaction that is complete.
   */
  | { readonly kind: "open" | "closed" | "silent" | "mute" | "losesCommits" | "losesAnswers" }
  /** Everything comes later by as much, in milliseconds, in each direction. */
  | { readonly kind: "slow"; readonly millis: number }

export class Proxy {
  readonly #server = createServer((near) => this.#take(near))
  readonly #links = new Set<Link>()
  #target: number
  #condition: Condition = { kind: "open" }
  #port = 0
  /** How many answers were lost on purpose so far. */
  lost = 0

  private constructor(target: number) {
    this.#target = target
  }

  /** Opens a way to a port of this machine, on a free port. */
  static async open(target: number, opened: AsyncDisposableStack): Promise<Proxy> {
    const proxy = new Proxy(target)
    proxy.#port = await listen(proxy.#server)
    opened.defer(async () => {
      const closed = close(proxy.#server)
      proxy.cut()
      await closed
    })
    return proxy
  }

  get port(): number {
    return this.#port
  }

  /** Leads new connections to another port from now on, as they should be; those that are there stay where they are. */
  lead(target: number): void {
    this.#target = target
    this.set({ kind: "open" })
  }

  /** Makes the way as said, for connections that are there and for new ones. */
  set(condition: Condition): void {
    this.#condition = condition
    for (const link of this.#links) link.set(condition)
    if (condition.kind === "closed") this.cut()
  }

  cut(): void {
    for (const link of this.#links) link.cut()
  }

  #take(near: Socket): void {
    if (this.#condition.kind === "closed") return void near.on("error", () => {}).resetAndDestroy()
    const link = new Link(near, connect(this.#target, "127.0.0.1"), this.#condition, {
      ended: () => this.#links.delete(link),
      lost: () => this.lost++
    })
    this.#links.add(link)
  }
}

/** Whom a connection tells that it is over, and that an answer was lost. */
type Told = Readonly<Record<"ended" | "lost", () => void>>

class Link {
  readonly #near: Socket
  readonly #far: Socket
  readonly #requests: Lane
  readonly #answers: Lane
  readonly #frames = new ServerFrames()
  readonly #told: Told
  #condition: Condition
  /** What the server says from where a statement is complete, kept back until it is known whether it is to be lost. */
  #kept: Array<Buffer> = []
  #isCut = false

  constructor(near: Socket, far: Socket, condition: Condition, told: Told) {
    this.#near = near
    this.#far = far
    this.#condition = condition
    this.#told = told
    this.#requests = new Lane(far)
    this.#answers = new Lane(near)
    near.on("data", (chunk) => {
      this.#frames.asked(chunk)
      this.#requests.send(chunk)
    })
    far.on("data", (chunk) => this.#answer(chunk))
    near.on("close", () => this.#requests.send(undefined))
    far.on("close", () => this.#answers.send(undefined))
    let open = 2
    for (const socket of [near, far]) {
      socket.setNoDelay(true).on("error", () => {}).on("close", () => --open === 0 && this.cut())
    }
    this.set(condition)
  }

  set(condition: Condition): void {
    this.#condition = condition
    if (!this.#isLossy) this.#release()
    const { kind } = condition
    const delay = kind === "slow" ? condition.millis : 0
    this.#requests.set(kind === "silent", delay)
    this.#answers.set(kind === "silent" || kind === "mute", delay)
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
      const isOpen = this.#kept.length === 1 && !isComplete(message)
      if (!this.#isLossy || isOpen) this.#release()
      else if (isEnd(message)) this.#judge(message)
    }
  }

  /** The server is done with something: its answer is lost, or it goes on. */
  #judge(end: Buffer): void {
    const isLost = this.#condition.kind === "losesCommits"
      ? this.#kept.some(isCommitted)
      : isIdle(end) && this.#kept.some(isComplete)
    if (!isLost) return this.#release()
    this.#told.lost()
    this.cut()
  }

  #release(): void {
    if (this.#kept.length > 0) this.#answers.send(Buffer.concat(this.#kept))
    this.#kept = []
  }
}

class Lane {
  readonly #to: Socket
  readonly #queue: Array<{ readonly chunk: Buffer | undefined; readonly at: number }> = []
  #isHeld = false
  #delay = 0
  #timer: NodeJS.Timeout | undefined

  constructor(to: Socket) {
    this.#to = to
  }

  set(isHeld: boolean, delay: number): void {
    this.#isHeld = isHeld
    this.#delay = delay
    this.#pump()
  }

  /** Sends bytes; `undefined`: nothing more comes, and the other side is closed after what is still to be sent. */
  send(chunk: Buffer | undefined): void {
    this.#queue.push({ chunk, at: performance.now() + this.#delay })
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
