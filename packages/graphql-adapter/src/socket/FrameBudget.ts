/**
 * How much one socket may send: a token bucket of frames and one of bytes.
 *
 * Guarantee: over any time, a socket sends at most the burst and what that time adds at the rate. What is given back does
 * not count: an operation that was executed has limits of its own, which hold up the socket and do not cut it.
 */
import type { FrameRate } from "../GraphqlConfig.ts"

/** What is left of a rate. */
export class FrameBudget {
  readonly #rate: FrameRate
  #frames: number
  #bytes: number
  #at: number

  constructor(rate: FrameRate, now = performance.now()) {
    this.#rate = rate
    this.#frames = rate.frames
    this.#bytes = rate.bytes
    this.#at = now
  }

  /** Counts a frame; `false` when it is one too many. */
  take(bytes: number, now = performance.now()): boolean {
    const seconds = (now - this.#at) / 1000
    this.#at = now
    this.#add(seconds * this.#rate.framesPerSecond, seconds * this.#rate.bytesPerSecond)
    this.#frames--
    this.#bytes -= bytes
    return this.#frames >= 0 && this.#bytes >= 0
  }

  /** A frame of before is not to count. */
  giveBack(bytes: number): void {
    this.#add(1, bytes)
  }

  #add(frames: number, bytes: number): void {
    this.#frames = Math.min(this.#rate.frames, this.#frames + frames)
    this.#bytes = Math.min(this.#rate.bytes, this.#bytes + bytes)
  }
}
