/**
 * Reads the connection of a socket in slices, each when it is the socket's turn: the parser of frames gets a slice
 * only after all frames of the slice before it were handled.
 */
import type { Socket } from "node:net"

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
