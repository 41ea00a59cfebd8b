/**
 * One socket of a client: what it may have running at once, what waits for it, and how it ends.
 *
 * Guarantee: what a client can make the service hold for it is bounded: operations and their text, executions at a
 * time, answers that it does not read. A socket that does not read is not read from either. What it may send is bounded
 * too, also while it is being closed: one that sends more is cut, and no more is read from it.
 */
import { Effect, Semaphore } from "effect"
import type { GraphQLError } from "graphql"
import type { Socket } from "node:net"
import { WebSocket } from "ws"
import { badInput } from "../engine/GraphqlErrors.ts"
import type { LiveConfig } from "../GraphqlConfig.ts"
import type { LiveSession, PageRead } from "../live/Sessions.ts"
import type { Delivery } from "./Delivery.ts"
import { FrameBudget } from "./FrameBudget.ts"
import { Outbox } from "./Outbox.ts"
import { SlicedReader } from "./SlicedReader.ts"

/** The longest reason of a closing frame, in bytes: `ws` throws beyond it. */
const reasonLimit = 123

/** How many frames of a socket may wait to be handled; the socket is not read from while there are more. */
const waitingLimit = 16

/** How long the peer of a socket that is cut may take to read why, in milliseconds. */
const cutMillis = 1000

/** An operation of a client, until it is over. */
export interface Operation {
  readonly id: string
  /** The length of its frame. */
  readonly size: number
  /** Whether the client may still be told of it: it has not completed it, and the socket is open. */
  isWanted: boolean
  /** Whether it is executed, or waits for that. */
  isExecuting: boolean
  /** What it sends, where it is a subscription that has begun. */
  delivery: Delivery | undefined
}

/** A socket. */
export class Connection {
  /** Names what the client does here in the logs. */
  readonly correlationId: string
  readonly outbox: Outbox
  readonly #socket: WebSocket
  readonly #transport: Socket
  readonly #config: LiveConfig
  /** The operations of which the client may be told, by their ids. */
  readonly #operations = new Map<string, Operation>()
  readonly #turns: Array<() => void> = []
  readonly #pages = Semaphore.makeUnsafe(1)
  #budget: FrameBudget
  #reader: SlicedReader | undefined
  #waiting = 0
  #live: LiveSession | undefined
  /** How many operations are not over, and how long their frames are together. */
  #count = 0
  #text = 0
  #executing = 0
  #isHeard = true
  #flushes = 0
  #aliveAt = performance.now()
  #isClosing = false
  #isCut = false

  /** `transport` is what the socket writes to. */
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

  /** Whether nothing that arrives, or is ready to be sent, matters any more. */
  get isClosing(): boolean {
    return this.#isClosing
  }

  /** The client, once it is authenticated. */
  get live(): LiveSession | undefined {
    return this.#live
  }

  /** The client is authenticated. */
  authenticated(live: LiveSession): void {
    this.#live = live
    this.#budget = new FrameBudget(this.#config.frameRate)
  }

  /** Whether nothing is read any more. */
  get isCut(): boolean {
    return this.#isCut
  }

  /** Has the socket read a slice at a time, each when `wait` runs what it is given. */
  readInSlices(wait: (read: () => void) => void): void {
    this.#reader = new SlicedReader(this.#transport, wait)
  }

  /** Counts a frame that has arrived; `false` when the socket has sent too much. */
  arrived(bytes: number): boolean {
    this.#isHeard = true
    return this.#budget.take(bytes)
  }

  /** A frame waits to be handled. */
  waits(): void {
    this.#waiting++
    this.#regulate()
  }

  /** A frame that waited is handled now. */
  handled(): void {
    this.#waiting--
    this.#regulate()
  }

  /** Whether the id is that of an operation that the client has not completed and was not told the end of. */
  isInUse(id: string): boolean {
    return this.#operations.has(id)
  }

  /** Takes in an operation, unless it is one too many. */
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
    const operation = { id, size, isWanted: true, isExecuting: false, delivery: undefined }
    this.#operations.set(id, operation)
    this.#count++
    this.#text += size
    return operation
  }

  /** The client wants nothing more of an operation, and may use its id for another. */
  complete(id: string): void {
    const operation = this.#operations.get(id)
    if (operation !== undefined) this.#dismiss(operation)
  }

  /** Sends a frame of an operation, if the client wants it. */
  answer(operation: Operation, text: string): Promise<void> | void {
    if (operation.isWanted) return this.send(text)
  }

  /** Sends the last frame of an operation, if the client wants it; from then on its id may be used for another. */
  finish(operation: Operation, text: string): Promise<void> | void {
    const sent = this.answer(operation, text)
    this.#dismiss(operation)
    return sent
  }

  /** An operation is over, and what it took is free. */
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

  /** Runs what reads a page of history and sends it: one at a time, and none while the socket is congested. */
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
    // Whoever leaves hands its turn over.
    const turn = new Promise<void>((resolve) => this.#turns.push(resolve))
    this.#regulate()
    await turn
  }

  /** Sends a frame of the protocol; what follows it waits as long as the socket is congested. */
  send(text: string): Promise<void> | void {
    this.outbox.send(text)
    if (this.outbox.isCongested) return new Promise((resolve) => this.outbox.onDrained(resolve))
  }

  /** Closes the socket: nothing more is taken from it, or sent. */
  close(code: number, reason: string): void {
    if (this.#isClosing) return
    this.#settle()
    // The peer's confirmation has to be read.
    this.#reading.resume()
    try {
      this.#socket.close(code, clip(reason))
    } catch {
      // It has not begun to close, and nothing would ever end it.
      this.#socket.terminate()
    }
  }

  /** Tells the peer why, reads nothing more from it, and ends the connection before long. */
  cut(code: number, reason: string): void {
    this.#isCut = true
    this.close(code, reason)
    this.#transport.end()
    this.#reader?.stop()
    // After a fault of the peer, `ws` reads on as soon as it has told of it.
    process.nextTick(() => this.#socket.pause())
    setTimeout(() => this.#socket.terminate(), cutMillis).unref()
  }

  /** The socket is closed. */
  closed(): void {
    this.#settle()
  }

  /** Cuts the socket. */
  terminate(): void {
    this.#settle()
    this.#socket.terminate()
  }

  /**
   * Asks for a sign of life; cuts the socket when there was none since it was asked last. One in which something waits
   * has longer: a consumer that takes its time to read, as a replay allows (D8.7), answers no ping meanwhile.
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

  /** What can be told to read on or not. */
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
    operation.delivery?.stop()
  }

  /** Reads from the socket only while there is room for what comes, and what was answered is read. */
  #regulate(): void {
    if (this.#isClosing) return
    if (this.outbox.isCongested) this.outbox.onDrained(() => this.#regulate())
    const isBusy = this.#turns.length > 0 || this.#waiting > waitingLimit
    const reading = this.#reading
    if (this.outbox.isCongested || isBusy) reading.pause()
    else if (reading.isPaused) reading.resume()
  }
}

/** The reason, as far as a closing frame has room for it; no character is cut in two. */
const clip = (reason: string): string => {
  const bytes = new TextEncoder().encode(reason)
  return bytes.length <= reasonLimit
    ? reason
    : new TextDecoder().decode(bytes.subarray(0, reasonLimit), { stream: true })
}
