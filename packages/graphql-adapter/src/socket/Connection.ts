/**
 * One socket of a client: its running operations, its waiting frames, and its end, all bounded. A socket that does
 * not read is not read from; a socket that sends more than it may is cut.
 */
import { Effect, Semaphore } from "effect"
import type { GraphQLError } from "graphql"
import type { Socket } from "node:net"
import { WebSocket } from "ws"
import type { LiveConfig } from "../GraphqlConfig.ts"
import type { LiveSession } from "../live/Sessions.ts"
import { badInput } from "../resolvers/GraphqlErrors.ts"
import type { PageRead } from "../schema/MessageStream.ts"
import { FrameBudget } from "./FrameBudget.ts"
import { Outbox } from "./Outbox.ts"
import { SlicedReader } from "./SlicedReader.ts"
import type { SocketPush } from "./SocketPush.ts"

/** The longest reason of a closing frame, in bytes: `ws` throws beyond it. */
const reasonLimit = 123

/** The most frames that may wait to be handled while the socket is read. */
const waitingLimit = 16

/** The time for a peer to read why its socket is cut, in milliseconds. */
const cutMillis = 1000

/** An operation of a client, until it is over. */
export interface Operation {
  readonly id: string
  /** The length of its frame. */
  readonly size: number
  /** Whether the client still wants frames of it: it has not completed it, and the socket is open. */
  isWanted: boolean
  isExecuting: boolean
  /** Sends the messages of a subscription that has begun. */
  push: SocketPush | undefined
}

export class Connection {
  readonly correlationId: string
  readonly outbox: Outbox
  readonly #socket: WebSocket
  readonly #transport: Socket
  readonly #config: LiveConfig
  /** The wanted operations by their ids. */
  readonly #operations = new Map<string, Operation>()
  readonly #turns: Array<() => void> = []
  readonly #pages = Semaphore.makeUnsafe(1)
  #budget: FrameBudget
  #reader: SlicedReader | undefined
  #waiting = 0
  #live: LiveSession | undefined
  /** The number of operations that are not over, and the length of their frames. */
  #count = 0
  #text = 0
  #executing = 0
  #isHeard = true
  #flushes = 0
  #aliveAt = performance.now()
  #isClosing = false
  #isCut = false

  constructor(socket: WebSocket, transport: Socket, correlationId: string, config: LiveConfig) {
    this.#socket = socket
    this.#transport = transport
    this.#config = config
    this.correlationId = correlationId
    this.outbox = new Outbox(socket, transport, config.sendBuffer)
    this.#budget = new FrameBudget({
      ...config.frameRate,
      frames: config.framesBeforeInit,
      framesPerSecond: 0
    })
  }

  get isClosing(): boolean {
    return this.#isClosing
  }

  get live(): LiveSession | undefined {
    return this.#live
  }

  authenticated(live: LiveSession): void {
    this.#live = live
    this.#budget = new FrameBudget(this.#config.frameRate)
  }

  get isCut(): boolean {
    return this.#isCut
  }

  /** Reads the socket in slices, each when `wait` runs its argument. */
  readInSlices(wait: (read: () => void) => void): void {
    this.#reader = new SlicedReader(this.#transport, wait)
  }

  /** Counts a frame that has arrived; `false` when the socket has sent too much. */
  arrived(bytes: number): boolean {
    this.#isHeard = true
    return this.#budget.take(bytes)
  }

  waits(): void {
    this.#waiting++
    this.#regulate()
  }

  handled(): void {
    this.#waiting--
    this.#regulate()
  }

  isInUse(id: string): boolean {
    return this.#operations.has(id)
  }

  /** Adds an operation, or returns the refusal of one too many. */
  begin(id: string, size: number): Operation | GraphQLError {
    const { operationsPerSocket, operationTextLimit } = this.#config
    if (this.#count >= operationsPerSocket) {
      return badInput(
        `A socket has at most ${operationsPerSocket} operations at a time; complete one, or open another`
      )
    }
    if (this.#text + size > operationTextLimit) {
      return badInput(`The operations of a socket have at most ${operationTextLimit} characters together`)
    }
    const operation = { id, size, isWanted: true, isExecuting: false, push: undefined }
    this.#operations.set(id, operation)
    this.#count++
    this.#text += size
    return operation
  }

  /** Ends the wish for frames of an operation, and frees its id. */
  complete(id: string): void {
    const operation = this.#operations.get(id)
    if (operation !== undefined) this.#dismiss(operation)
  }

  answer(operation: Operation, text: string): Promise<void> | void {
    if (operation.isWanted) return this.send(text)
  }

  /** Sends the last frame of an operation, and frees its id. */
  finish(operation: Operation, text: string): Promise<void> | void {
    const sent = this.answer(operation, text)
    this.#dismiss(operation)
    return sent
  }

  end(operation: Operation): void {
    this.#dismiss(operation)
    this.#count--
    this.#text -= operation.size
    if (!operation.isExecuting) return
    this.#budget.giveBack(operation.size)
    const next = this.#turns.shift()
    if (next === undefined) this.#executing--
    else next()
    this.#regulate()
  }

  /** Runs the reading and sending of a page of history: one at a time, and none while the socket is congested. */
  readonly page: PageRead = (page) => this.#pages.withPermit(Effect.andThen(this.#drained, page))

  readonly #drained: Effect.Effect<void> = Effect.callback<void>((resume) => {
    if (this.outbox.isCongested) this.outbox.onDrained(() => resume(Effect.void))
    else resume(Effect.void)
  })

  /** Resolves when it is the turn of an operation to be executed. */
  async turn(operation: Operation): Promise<void> {
    operation.isExecuting = true
    if (this.#executing < this.#config.executionsPerSocket) {
      this.#executing++
      return
    }
    // An operation that ends hands its turn over.
    const turn = new Promise<void>((resolve) => this.#turns.push(resolve))
    this.#regulate()
    await turn
  }

  /** Sends a frame; resolves when the socket is not congested. */
  send(text: string): Promise<void> | void {
    this.outbox.send(text)
    if (this.outbox.isCongested) return new Promise((resolve) => this.outbox.onDrained(resolve))
  }

  close(code: number, reason: string): void {
    if (this.#isClosing) return
    this.#settle()
    // The peer's confirmation has to be read.
    this.#reading.resume()
    try {
      this.#socket.close(code, clip(reason))
    } catch {
      // Without a close that has begun, nothing would ever end the socket.
      this.#socket.terminate()
    }
  }

  /** Closes the socket, reads nothing more from it, and ends the connection soon. */
  cut(code: number, reason: string): void {
    this.#isCut = true
    this.close(code, reason)
    this.#transport.end()
    this.#reader?.stop()
    // After a fault of the peer, `ws` reads on as soon as it has told of it.
    process.nextTick(() => this.#socket.pause())
    setTimeout(() => this.#socket.terminate(), cutMillis).unref()
  }

  closed(): void {
    this.#settle()
  }

  terminate(): void {
    this.#settle()
    this.#socket.terminate()
  }

  /**
   * Pings the peer; cuts the socket without a sign of life since the last ping. A socket with waiting bytes has longer: a
   * consumer that reads slowly, as a replay allows (D8.7), answers no ping meanwhile.
   */
  checkAlive(): void {
    const { flushes, isFlushing } = this.outbox
    const now = performance.now()
    const isAlive = this.#isHeard || this.#executing > 0 || flushes !== this.#flushes
    this.#isHeard = false
    this.#flushes = flushes
    if (isAlive) this.#aliveAt = now
    const isStalled = isFlushing && now - this.#aliveAt < this.#config.stallMillis
    if (!isAlive && !isStalled) this.terminate()
    else if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping()
  }

  get #reading(): SlicedReader | WebSocket {
    return this.#reader ?? this.#socket
  }

  #settle(): void {
    this.#isClosing = true
    this.#live?.close()
    for (const operation of this.#operations.values()) this.#dismiss(operation)
    this.outbox.close()
    for (const resume of this.#turns.splice(0)) resume()
  }

  #dismiss(operation: Operation): void {
    if (!operation.isWanted) return
    operation.isWanted = false
    this.#operations.delete(operation.id)
    operation.push?.stop()
  }

  /** Reads from the socket only while there is room for more frames and the client reads its answers. */
  #regulate(): void {
    if (this.#isClosing) return
    if (this.outbox.isCongested) this.outbox.onDrained(() => this.#regulate())
    const isBusy = this.#turns.length > 0 || this.#waiting > waitingLimit
    const reading = this.#reading
    if (this.outbox.isCongested || isBusy) reading.pause()
    else if (reading.isPaused) reading.resume()
  }
}

/** The beginning of the reason that fits in a closing frame; no character is cut in two. */
const clip = (reason: string): string => {
  const bytes = new TextEncoder().encode(reason)
  return bytes.length <= reasonLimit
    ? reason
    : new TextDecoder().decode(bytes.subarray(0, reasonLimit), { stream: true })
}
