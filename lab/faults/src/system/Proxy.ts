/**
 * The proxy between an instance and its database, which can fail as networks do. It parses just enough of PostgreSQL's protocol to lose
 * the answer to a COMMIT after the server has sent it.
 *
 * Guarantee: bytes keep their order, and none is changed, added, or lost on a connection that is not cut. If one side ends while the
 * proxy is silent, the other side ends only afterwards, as when a cable is unplugged.
 */
import { connect, createServer } from "node:net"
import type { Socket } from "node:net"
import { isCommitted, isComplete, isEnd, isIdle, ServerFrames } from "./PostgresFrames.ts"
import { close, listen } from "./Tcp.ts"

/** The condition of a proxy. */
export type Condition =
  /**
   * Open; connections break and new ones are refused; no data passes in either direction; no answers pass; the connection is cut instead
   * of the answer to a COMMIT, or of the answer to a complete statement or transaction.
   */
  | { readonly kind: "open" | "closed" | "silent" | "mute" | "losesCommits" | "losesAnswers" }
  /** Everything is delayed by this number of milliseconds, in each direction. */
  | { readonly kind: "slow"; readonly millis: number }

export class Proxy {
  readonly #server = createServer((near) => this.#take(near))
  readonly #links = new Set<Link>()
  #target: number
  #condition: Condition = { kind: "open" }
  #port = 0
  /** The number of answers that were lost on purpose. */
  lost = 0

  private constructor(target: number) {
    this.#target = target
  }

  /** Opens a proxy for a port of this machine, on a free port. */
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

  /** Passes new connections to another port, with the condition open; existing connections stay. */
  lead(target: number): void {
    this.#target = target
    this.set({ kind: "open" })
  }

  /** Sets the condition, for existing and for new connections. */
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

/** The callbacks of a connection: it has ended, and it has lost an answer. */
type Told = Readonly<Record<"ended" | "lost", () => void>>

class Link {
  readonly #near: Socket
  readonly #far: Socket
  readonly #requests: Lane
  readonly #answers: Lane
  readonly #frames = new ServerFrames()
  readonly #told: Told
  #condition: Condition
  /** The bytes of the server from the completion of a statement on, held back until it is decided whether they are lost. */
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

  /** Breaks the connection, for both sides. */
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
      // A message before the completion of a statement, as during sign-in, is passed on at once, because the client waits for it.
      const isOpen = this.#kept.length === 1 && !isComplete(message)
      if (!this.#isLossy || isOpen) this.#release()
      else if (isEnd(message)) this.#judge(message)
    }
  }

  /** The server has completed a statement: its answer is lost or passed on. */
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

  /** Sends bytes; `undefined`: there are no more, and the other side is closed after the remaining bytes. */
  send(chunk: Buffer | undefined): void {
    this.#queue.push({ chunk, at: performance.now() + this.#delay })
    this.#pump()
  }

  /** Drops bytes that were not sent yet. */
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
