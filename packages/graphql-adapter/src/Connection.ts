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
import type { Delivery } from "./Delivery.ts"
import { FrameBudget } from "./FrameBudget.ts"
import type { LiveConfig } from "./GraphqlConfig.ts"
import { badInput } from "./GraphqlErrors.ts"
import { OperationIds } from "./OperationIds.ts"
import { Outbox } from "./Outbox.ts"
import type { LiveSession, PageRead } from "./Sessions.ts"

/** The longest id of an operation: each of its frames repeats it. */
const idLimit = 256

/** The longest reason of a closing frame, in bytes: `ws` throws beyond it. */
const reasonLimit = 123

/** How many frames of a socket may wait to be handled; the socket is not read from while there are more. */
const waitingLimit = 16

/** How long the peer of a socket that is cut may take to read why, in milliseconds. */
const cutMillis = 1000

/** What a frame set going, until it is over. */
export interface Operation {
  readonly size: number
  id: string | undefined
  isExecuting: boolean
}

/** A socket. */
export class Connection {
  /** Names what the client does here in the logs. */
  readonly correlationId: string
  readonly outbox: Outbox
  readonly #socket: WebSocket
  readonly #transport: Socket
  readonly #config: LiveConfig
  readonly #operations = new Map<string, Operation>()
  readonly #deliveries = new Set<Delivery>()
  readonly #turns: Array<() => void> = []
  readonly #ids = new OperationIds()
  readonly #pages = Semaphore.makeUnsafe(1)
  #budget: FrameBudget
  #waiting = 0
  #live: LiveSession | undefined
  #entering: Operation | undefined
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

  /** Passes a frame on to the protocol, and looks after what it sets going until that is over. */
  receive(text: string, handle: (text: string) => Promise<void>, onError: (cause: unknown) => void): void {
    const incoming = this.#ids.incoming(text)
    if (incoming === undefined) {
      return this.close(4409, "The id of an operation that is running was used again")
    }
    const operation: Operation = { size: text.length, id: undefined, isExecuting: false }
    // The protocol gets to an operation in this turn, if the frame is one.
    this.#entering = operation
    const handled = handle(incoming.text)
    this.#entering = undefined
    handled.catch(onError).finally(() => {
      incoming.release()
      this.#leave(operation)
    })
    this.#regulate()
  }

  /** Takes in the operation of the frame that is being received, unless it is one too many. */
  enter(id: string): Operation | GraphQLError {
    const operation = this.#entering!
    const { operationsPerSocket, operationTextLimit } = this.#config
    if (id.length > idLimit) {
      this.close(4400, `The id of an operation has at most ${idLimit} characters`)
      return badInput("The id is too long")
    }
    if (this.#operations.size >= operationsPerSocket) {
      return badInput(
        `A socket has at most ${operationsPerSocket} operations at a time; complete one, or open another`
      )
    }
    if (this.#text + operation.size > operationTextLimit) {
      return badInput(`The operations of a socket have at most ${operationTextLimit} characters together`)
    }
    operation.id = id
    this.#operations.set(id, operation)
    this.#text += operation.size
    return operation
  }

  /** What the client calls the operation that the protocol knows by this id. */
  clientId(id: string): string {
    return this.#ids.clientId(id)
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

  /** Ends a delivery with the socket, if it has not ended before. */
  adopt(delivery: Delivery): void {
    this.#deliveries.add(delivery)
  }

  /** A delivery has ended. */
  release(delivery: Delivery): void {
    this.#deliveries.delete(delivery)
  }

  /** Sends a frame of the protocol; what follows it waits as long as the socket is congested. */
  send(text: string): Promise<void> | void {
    this.outbox.send(this.#ids.outgoing(text))
    if (this.outbox.isCongested) return new Promise((resolve) => this.outbox.onDrained(resolve))
  }

  /** Closes the socket: nothing more is taken from it, or sent. */
  close(code: number, reason: string): void {
    if (this.#isClosing) return
    this.#settle()
    // The peer's confirmation has to be read.
    this.#socket.resume()
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

  #settle(): void {
    this.#isClosing = true
    this.#live?.close()
    for (const delivery of this.#deliveries) delivery.stop()
    this.outbox.close()
    for (const resume of this.#turns.splice(0)) resume()
  }

  #leave(operation: Operation): void {
    if (operation.id !== undefined) {
      this.#operations.delete(operation.id)
      this.#text -= operation.size
    }
    if (!operation.isExecuting) return
    this.#budget.giveBack(operation.size)
    const next = this.#turns.shift()
    if (next === undefined) this.#executing--
    else next()
    this.#regulate()
  }

  /** Reads from the socket only while there is room for what comes, and what was answered is read. */
  #regulate(): void {
    if (this.#isClosing) return
    if (this.outbox.isCongested) this.outbox.onDrained(() => this.#regulate())
    const isBusy = this.#turns.length > 0 || this.#waiting > waitingLimit
    if (this.outbox.isCongested || isBusy) this.#socket.pause()
    else if (this.#socket.isPaused) this.#socket.resume()
  }
}

/** The reason, as far as a closing frame has room for it; no character is cut in two. */
const clip = (reason: string): string => {
  const bytes = new TextEncoder().encode(reason)
  return bytes.length <= reasonLimit
    ? reason
    : new TextDecoder().decode(bytes.subarray(0, reasonLimit), { stream: true })
}
