/**
 * The frames of a socket: how many the peer may send, in which turns of the event loop they are handled, and how frames are sent to the
 * peer.
 *
 * Guarantee: the frames of many sockets do not block other work for long. The outbox says when it is congested; its callers wait then, so
 * that the bytes that wait for a slow client are bounded.
 */
import type { Socket } from "node:net"
import { WebSocket } from "ws"
import type { LiveConfig } from "../GraphqlConfig.ts"

/**
 * Bounds the frames of one socket: a token bucket of frames and one of bytes. Frames of executed operations do not count, because
 * operations have limits that slow a socket down instead of cutting it.
 */
export type FrameBudget = ReturnType<typeof makeFrameBudget>

/** Makes the budget of a socket that opens now. */
export const makeFrameBudget = (rate: LiveConfig["frameRate"], now = performance.now()) => {
  let { bytes: bytesLeft, frames: framesLeft } = rate
  let at = now
  const add = (frames: number, bytes: number): void => {
    framesLeft = Math.min(rate.frames, framesLeft + frames)
    bytesLeft = Math.min(rate.bytes, bytesLeft + bytes)
  }
  return {
    /** Counts a frame; `false` if the socket has sent too much. */
    take: (bytes: number, now = performance.now()): boolean => {
      const seconds = (now - at) / 1000
      at = now
      add(seconds * rate.framesPerSecond, seconds * rate.bytesPerSecond)
      framesLeft--
      bytesLeft -= bytes
      return framesLeft >= 0 && bytesLeft >= 0
    },
    giveBack: (bytes: number): void => add(1, bytes)
  }
}

/** The time for the frames of all sockets in one turn of the event loop, in milliseconds. */
export const turnMillis = 5

const framesPerTurn = 64

/** Handles one frame, or reads one slice; never throws. */
type Handle = () => void

/**
 * Makes the queue in which sockets take turns. In each turn of the event loop, handling the frames of all sockets takes at most
 * {@link turnMillis} plus the time of one frame. A socket that sends many frames delays its own frames, and another socket by one frame.
 *
 * The returned function adds a socket; it returns the function that queues a frame of that socket.
 */
export const makeFrameTurns = (now = () => performance.now()) => {
  /** The waiting frames of each socket that has any, in the order of their turns. */
  const lines: Array<Array<Handle>> = []
  let waiting = 0
  let isRunning = false

  const handleNext = (): void => {
    const line = lines.shift()
    line?.[0]?.()
    line?.shift()
    waiting--
    if (line !== undefined && line.length > 0) lines.push(line)
  }

  /**
   * Schedules an immediate for each frame, so that reactions to promises that a frame has resolved run before the clock is read again.
   */
  const begin = (): void => {
    isRunning = true
    let remainder = Math.min(framesPerTurn, waiting)
    let endsAt: number | undefined
    const step = () => {
      endsAt ??= now() + turnMillis
      if (now() < endsAt) handleNext()
      if (--remainder > 0) return
      isRunning = false
      if (waiting > 0) begin()
    }
    for (let count = remainder; count > 0; count--) setImmediate(step)
  }

  return (): (handle: Handle) => void => {
    const line: Array<Handle> = []
    return (handle) => {
      waiting++
      if (line.push(handle) === 1) lines.push(line)
      if (!isRunning) begin()
    }
  }
}

/** The size of a slice that is read from a connection. */
export const sliceBytes = 4096

/**
 * Reads a connection in slices; `wait` runs its argument when it is the socket's turn. The parser of frames gets a slice only after all
 * frames of the previous slice were handled.
 */
export const readInSlices = (transport: Socket, wait: (read: () => void) => void) => {
  let isWaiting = false
  let isPaused = false
  let isStopped = false

  const next = (): void => {
    if (isWaiting || isPaused || isStopped) return
    isWaiting = true
    wait(read)
  }
  const read = (): void => {
    isWaiting = false
    if (isPaused || isStopped) return
    if (transport.readableLength > 0) transport.read(Math.min(transport.readableLength, sliceBytes))
    if (transport.readableLength > 0) next()
    // Node reports the end of the connection only after a read that finds nothing.
    else transport.read()
  }
  // With this listener, listeners of `data` get only the slices that are read here.
  transport.on("readable", next)

  return {
    get isPaused() {
      return isPaused
    },
    pause: () => {
      isPaused = true
    },
    resume: () => {
      isPaused = false
      next()
    },
    /** Stops reading slices, and drops the bytes that arrive. */
    stop: () => {
      if (isStopped) return
      isStopped = true
      const drop = () => void transport.read()
      transport.removeAllListeners("data")
      // Otherwise `ws` would read the remaining bytes when the connection closes.
      transport.prependListener("close", drop)
      drop()
    }
  }
}

/** If more bytes wait in a socket, its peer is slow. */
const slowBytes = 8 * 1024

export class Outbox {
  /** When waiting bytes were last sent, which shows that the peer reads. */
  flushedAt = 0
  readonly socket: WebSocket
  readonly transport: Socket
  readonly limit: number
  #waiters: Array<() => void> = []

  /** The outbox is congested while more than `limit` bytes wait in the socket; `transport` is the stream to which the socket writes. */
  constructor(socket: WebSocket, transport: Socket, limit: number) {
    this.socket = socket
    this.transport = transport
    this.limit = limit
  }

  get isCongested(): boolean {
    return this.socket.bufferedAmount > this.limit && this.socket.readyState === WebSocket.OPEN
  }

  /** Whether bytes wait in the socket. Until the peer has read them, it does not see a ping. */
  get isFlushing(): boolean {
    return this.socket.bufferedAmount > 0
  }

  /** Sends a text even if the socket is congested, but not once it is closing. */
  send(text: string | Buffer): void {
    const { bufferedAmount, readyState } = this.socket
    if (readyState !== WebSocket.OPEN) return
    // A character takes up to three bytes. Each frame that may make the socket congested gets a callback.
    const most = 16 + (typeof text === "string" ? 3 : 1) * text.length
    const onFlush = bufferedAmount + most > this.limit ? this.#flushed : undefined
    this.socket.send(text, { binary: false }, onFlush)
  }

  /** Sends a text whose middle is shared with other sockets, so that it is encoded once for all of them. */
  sendAround(before: Buffer, shared: Buffer, after: Buffer): void {
    // A waiting frame needs its own memory: it would keep alive the 64 KiB that it shares with frames of other sockets.
    const make = this.socket.bufferedAmount > slowBytes ? Buffer.allocUnsafeSlow : Buffer.allocUnsafe
    const text = make(before.length + shared.length + after.length)
    text.set(before)
    text.set(shared, before.length)
    text.set(after, before.length + shared.length)
    this.send(text)
  }

  /** Passes all frames that `run` sends to the system in one write. */
  together(run: () => void): void {
    this.transport.cork()
    try {
      run()
    } finally {
      this.transport.uncork()
    }
  }

  /** Calls `callback` once the socket is no longer congested, or is closed. */
  onDrained(callback: () => void): void {
    this.#waiters.push(callback)
  }

  close(): void {
    for (const resume of this.#waiters.splice(0)) resume()
  }

  readonly #flushed = (): void => {
    this.flushedAt = performance.now()
    if (!this.isCongested) this.close()
  }
}
