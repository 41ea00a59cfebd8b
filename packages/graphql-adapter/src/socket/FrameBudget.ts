/**
 * Bounds the frames of one socket: a token bucket of frames and one of bytes. Frames of executed operations do not
 * count, as operations have limits that slow a socket down instead of cutting it.
 */
import type { LiveConfig } from "../GraphqlConfig.ts"

/** See {@link makeFrameBudget}. */
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
