/**
 * Lets sockets take turns. In each turn of the event loop, the frames of all sockets take at most {@link turnMillis}
 * and one frame more. A socket that sends much delays its own frames, and those of another by one frame.
 */

export const turnMillis = 5

const framesPerTurn = 64

/** Handles one frame, or reads one slice; never throws. */
type Handle = () => void

/** Makes the turns; the returned function adds a socket, whose frames the function that it returns takes. */
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

  /** An immediate for each frame: promises that a frame has resolved run on before the time is looked at again. */
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
