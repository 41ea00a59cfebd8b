/**
 * Bounds the frames of one socket: a token bucket of frames and one of bytes. Frames of executed operations do not
 * count, as operations have limits that slow a socket down instead of cutting it.
 */
import type { LiveConfig } from "../GraphqlConfig.ts"

export class FrameBudget {
  readonly #rate: LiveConfig["frameRate"]
  #frames: number
  #bytes: number
  #at: number

  constructor(rate: LiveConfig["frameRate"], now = performance.now()) {
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

  giveBack(bytes: number): void {
    this.#add(1, bytes)
  }

  #add(frames: number, bytes: number): void {
    this.#frames = Math.min(this.#rate.frames, this.#frames + frames)
    this.#bytes = Math.min(this.#rate.bytes, this.#bytes + bytes)
  }
}
