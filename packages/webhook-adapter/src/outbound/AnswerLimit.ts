/**
 * A limit for all that one answer may be on the wire.
 *
 * Guarantee: no more is read of it, whatever it is. Headers and body have limits of their own; what stands around them
 * has none: blank lines before the status, the text behind it, extensions of chunks, zeros before their sizes. Without
 * this a customer could keep the process reading at full speed until the time is over.
 */
import type { Socket } from "node:net"
import { Refused } from "../dispatch/FailureWords.ts"

/** The most bytes of an answer, sixteen times its body: enough for a body that comes byte by byte in chunks. */
export const wireLimit = 1024 * 1024

/** Ends a connection when an answer on it is too long. To be called before anything is sent on it. */
export const limitAnswers = (socket: Socket): void => {
  let sent = -1
  let from = 0
  socket.on("readable", () => {
    // One request at a time is on its way: what is read after it was written is its answer.
    if (socket.bytesWritten !== sent) {
      sent = socket.bytesWritten
      from = socket.bytesRead
    } else if (socket.bytesRead - from > wireLimit) {
      socket.destroy(
        new Refused(`the answer is longer than ${wireLimit / 1024} KiB with all that is around its body`)
      )
    }
  })
}
