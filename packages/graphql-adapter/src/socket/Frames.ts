/**
 * The frames of a socket: how many it may send, in which turns of the event loop they are read, and how ours go out.
 *
 * Guarantee: the frames of many sockets hold up nothing else for long, and a slow client has a bounded number of bytes waiting.
 */
import type { Socket } from "node:net"
import { WebSocket } from "ws"
import type { LiveConfig } from "../GraphqlConfig.ts"

/**
 * Bounds the frames of one socket: a token bucket of frames and one of bytes. Frames of executed operations do not count, because
 * operations have limits that slow a socket down instead of cutting it.
 *
 * It is made by {@link makeFrameBudget}.
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
    /** Counts a frame; `false` when it is one too many. */
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

/**
 * Lets sockets take turns. In each turn of the event loop, the frames of all sockets take at most {@link turnMillis}
 * and one frame more. A socket that sends much delays its own frames, and those of another by one frame.
 */
export const turnMillis = 5

const framesPerTurn = 64

/** Handles one frame, or reads one slice; never throws. */
type Handle = () => void

/** Makes the turns. The returned function adds a socket, and returns the function that takes its frames. */
export const makeFrameTurns = (now = () => performance.now()) => {
  /** The frames of each socket that has any; the socket whose turn it is comes first. */
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
   * There is an immediate for each frame, so that promises that a frame has resolved run before the time is read again.
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

/**
 * Reads the connection of a socket in slices, each when it is the socket's turn: the parser of frames gets a slice
 * only after all frames of the slice before it were handled.
 */
export const sliceBytes = 4096

/** Makes the reader of a connection; `wait` runs its argument when it is the socket's turn. */
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
    // The connection ends when a read finds nothing.
    else transport.read()
  }
  // With this listener, listeners of `data` get only what is read here.
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
    /** Reads nothing more, and drops what arrives. */
    stop: () => {
      if (isStopped) return
      isStopped = true
      const drop = () => void transport.read()
      transport.removeAllListeners("data")
      // As the connection closes, `ws` would take the rest.
      transport.prependListener("close", drop)
      drop()
    }
  }
}

/** A socket in which more bytes wait has a slow peer. */
const slowBytes = 8 * 1024

export class Outbox {
  /** When waiting bytes went out last: a sign of life of a reading peer. */
  flushedAt = 0
  readonly socket: WebSocket
  readonly transport: Socket
  readonly limit: number
  #waiters: Array<() => void> = []

  /** Congested once more than `limit` bytes wait in the socket; `transport` is the stream that it writes to. */
  constructor(socket: WebSocket, transport: Socket, limit: number) {
    this.socket = socket
    this.transport = transport
    this.limit = limit
  }

  get isCongested(): boolean {
    return this.socket.bufferedAmount > this.limit && this.socket.readyState === WebSocket.OPEN
  }

  /** Whether bytes wait in the socket: until the peer has read them, it cannot answer a ping. */
  get isFlushing(): boolean {
    return this.socket.bufferedAmount > 0
  }

  /** Sends a text, congested or not; nothing once the socket is closing. */
  send(text: string | Buffer): void {
    const { bufferedAmount, readyState } = this.socket
    if (readyState !== WebSocket.OPEN) return
    // A character takes up to three bytes: each frame that may make the socket congested has a callback.
    const most = 16 + (typeof text === "string" ? 3 : 1) * text.length
    const onFlush = bufferedAmount + most > this.limit ? this.#flushed : undefined
    this.socket.send(text, { binary: false }, onFlush)
  }

  /** Sends a text whose middle is shared with other sockets, so that it is encoded once for all of them. */
  sendAround(before: Buffer, shared: Buffer, after: Buffer): void {
    // A waiting frame gets its own memory, because otherwise it would keep the 64 KiB that it shares with frames of other sockets.
    const make = this.socket.bufferedAmount > slowBytes ? Buffer.allocUnsafeSlow : Buffer.allocUnsafe
    const text = make(before.length + shared.length + after.length)
    text.set(before)
    text.set(shared, before.length)
    text.set(after, before.length + shared.length)
    this.send(text)
  }

  /** Hands what is sent meanwhile to the system at once. */
  together(run: () => void): void {
    this.transport.cork()
    try {
      run()
    } finally {
      this.transport.uncork()
    }
  }

  /** Calls back when the socket is no longer congested, or is closed. */
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
