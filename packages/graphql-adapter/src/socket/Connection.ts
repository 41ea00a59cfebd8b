/**
 * One socket of a client. The number of its running operations, the number of its waiting frames and the time that closing takes are
 * bounded. The service does not read from a socket whose peer does not read, and cuts a socket that sends too much.
 */
import { Effect, Semaphore } from "effect"
import type { GraphQLError } from "graphql"
import type { Socket } from "node:net"
import { WebSocket } from "ws"
import type { LiveConfig } from "../GraphqlConfig.ts"
import type { LiveSession } from "../live/Sessions.ts"
import { badInput } from "../resolvers/Run.ts"
import type { PageRead } from "../schema/SchemaMessages.ts"
import { makeFrameBudget, Outbox, readInSlices } from "./Frames.ts"

/** The longest reason of a closing frame, in bytes: `ws` throws for a longer one. */
const reasonLimit = 123

/** The most frames that may wait to be handled while the socket is read. */
const waitingLimit = 16

/** The time that a peer has to read the reason before its socket is cut, in milliseconds. */
const cutMillis = 1000

/** An operation of a client, until it is over. */
export interface SocketOperation {
  readonly id: string
  /** The length of the frame of the operation. */
  readonly size: number
  /** Whether frames of the operation are still sent: the client has not completed it, and the socket is open. */
  isWanted: boolean
  /** Whether the operation is executing, or waiting to execute. */
  isExecuting: boolean
  /** Stops the messages of a subscription that has begun. */
  stop: (() => void) | undefined
}

/** The request that has opened a socket. */
interface Upgrade {
  readonly correlationId: string
  /** The path of the request, which determines the schema of the operations. */
  readonly path: string
  readonly authorization?: string | undefined
}

export class Connection {
  readonly upgrade: Upgrade
  readonly outbox: Outbox
  /** The session of the client, once it has signed in. */
  live: LiveSession | undefined
  /** The length of the current frame. */
  textLength = 0
  isClosing = false
  isCut = false
  readonly #socket: WebSocket
  readonly #transport: Socket
  readonly #config: LiveConfig
  /** The operations that are not over. */
  readonly #operations = new Set<SocketOperation>()
  readonly #executions: Semaphore.Semaphore
  readonly #pageReads = Semaphore.makeUnsafe(1)
  #reader: Pick<WebSocket, "isPaused" | "pause" | "resume"> & { readonly stop?: () => void }
  #budget: ReturnType<typeof makeFrameBudget>
  #waiting = 0
  #aliveAt = performance.now()
  #pingedAt = 0

  constructor(socket: WebSocket, transport: Socket, upgrade: Upgrade, config: LiveConfig) {
    this.upgrade = upgrade
    this.#socket = socket
    this.#reader = socket
    this.#transport = transport
    this.#config = config
    this.outbox = new Outbox(socket, transport, config.sendBuffer)
    this.#executions = Semaphore.makeUnsafe(config.executionsPerSocket)
    this.#budget = makeFrameBudget({
      ...config.frameRate,
      frames: config.framesBeforeInit,
      framesPerSecond: 0
    })
  }

  signedIn(live: LiveSession): void {
    this.live = live
    this.#budget = makeFrameBudget(this.#config.frameRate)
  }

  /** Reads the socket in slices; `wait` runs the function that reads a slice. */
  readInSlices(wait: (read: () => void) => void): void {
    this.#reader = readInSlices(this.#transport, wait)
  }

  /** Counts a frame that has arrived; `false` when the socket has sent too much. */
  arrived(bytes: number): boolean {
    this.#aliveAt = performance.now()
    return this.#budget.take(bytes)
  }

  /** Handles a frame once `wait` runs the handler. */
  inTurn(wait: (handle: () => void) => void, handle: () => void): void {
    this.#waiting++
    this.#regulate()
    wait(() => {
      handle()
      this.#waiting--
      this.#regulate()
    })
  }

  /** Adds an operation; returns the refusal if there are too many, or if together they are too long. Call `end` also after a refusal. */
  begin(operation: SocketOperation): GraphQLError | undefined {
    const { operationsPerSocket, operationTextLimit } = this.#config
    if (this.#operations.size >= operationsPerSocket) {
      return badInput(
        `A socket has at most ${operationsPerSocket} operations at a time; complete one, or open another`
      )
    }
    this.#operations.add(operation)
    const text = Array.from(this.#operations).reduce((text, { size }) => text + size, 0)
    return text > operationTextLimit
      ? badInput(`The operations of a socket have at most ${operationTextLimit} characters together`)
      : undefined
  }

  /** Sends an answer to an operation unless the client has completed it, and waits until the socket is not congested. */
  answer(operation: SocketOperation, text: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (operation.isWanted) this.outbox.send(text)
      return this.whenDrained
    })
  }

  end(operation: SocketOperation): void {
    dismiss(operation)
    this.#operations.delete(operation)
    if (!operation.isExecuting) return
    this.#budget.giveBack(operation.size)
    this.#regulate()
  }

  /** Runs an effect that reads and sends a page of history: one at a time, and none while the socket is congested. */
  readonly page: PageRead = (page) => this.#pageReads.withPermit(Effect.andThen(this.whenDrained, page))

  readonly whenDrained: Effect.Effect<void> = Effect.callback<void>((resume) => {
    if (this.outbox.isCongested) this.outbox.onDrained(() => resume(Effect.void))
    else resume(Effect.void)
  })

  execute(operation: SocketOperation, execution: Effect.Effect<void>): Effect.Effect<void> {
    return Effect.suspend(() => {
      operation.isExecuting = true
      this.#regulate()
      return this.#executions.withPermit(Effect.suspend(() => this.isClosing ? Effect.void : execution))
    })
  }

  close(code: number, reason: string): void {
    if (this.isClosing) return
    this.release()
    // Reads on, to receive the peer's confirmation.
    this.#reader.resume()
    try {
      this.#socket.close(code, clip(reason))
    } catch {
      // The close has not begun, and nothing else would ever end the socket.
      this.#socket.terminate()
    }
  }

  /** Closes the socket, reads nothing more from it, and ends the connection soon. */
  cutOff(code: number, reason: string): void {
    this.isCut = true
    this.close(code, reason)
    this.#transport.end()
    this.#reader.stop?.()
    // In the next tick: after a fault of the peer, `ws` resumes reading as soon as its listeners have run.
    process.nextTick(() => this.#socket.pause())
    setTimeout(() => this.#socket.terminate(), cutMillis).unref()
  }

  /** Ends the operations and gives back what they hold; the socket may still be open. */
  release(): void {
    this.isClosing = true
    this.live?.close()
    this.#operations.forEach(dismiss)
    this.outbox.close()
  }

  terminate(): void {
    this.release()
    this.#socket.terminate()
  }

  /**
   * Pings the peer; cuts the socket if the peer has given no sign of life since the last ping. Executing operations count as a sign
   * of life. A socket with waiting bytes has more time: a consumer that reads slowly, as a replay allows (D8.7), answers no ping meanwhile.
   */
  checkAlive(): void {
    const now = performance.now()
    this.#aliveAt = executingOf(this.#operations) > 0 ? now : Math.max(this.#aliveAt, this.outbox.flushedAt)
    const isStalled = this.outbox.isFlushing && now - this.#aliveAt < this.#config.stallMillis
    if (this.#aliveAt < this.#pingedAt && !isStalled) return this.terminate()
    this.#pingedAt = now
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping()
  }

  /** Pauses reading from the socket while too many frames or operations wait, or the client does not read its answers. */
  #regulate(): void {
    if (this.isClosing) return
    const isCongested = this.outbox.isCongested
    if (isCongested) this.outbox.onDrained(() => this.#regulate())
    const isBusy = executingOf(this.#operations) > this.#config.executionsPerSocket ||
      this.#waiting > waitingLimit
    if (isCongested || isBusy) this.#reader.pause()
    else if (this.#reader.isPaused) this.#reader.resume()
  }
}

const executingOf = (operations: ReadonlySet<SocketOperation>): number =>
  Array.from(operations).reduce((count, { isExecuting }) => isExecuting ? count + 1 : count, 0)

/** Notes that the client wants no more frames of an operation. */
export const dismiss = (operation: SocketOperation): void => {
  if (!operation.isWanted) return
  operation.isWanted = false
  operation.stop?.()
}

/** The beginning of a reason that fits into a closing frame, in whole characters. */
const clip = (reason: string): string => {
  const bytes = new TextEncoder().encode(reason)
  return bytes.length <= reasonLimit
    ? reason
    : new TextDecoder().decode(bytes.subarray(0, reasonLimit), { stream: true })
}
