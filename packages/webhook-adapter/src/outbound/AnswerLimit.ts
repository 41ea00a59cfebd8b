/**
 * Limits the bytes of an answer on the wire. It covers what the limits of headers and body do not: blank lines before
 * the status, the text after it, extensions of chunks, zeros before chunk sizes.
 */
import type { Socket } from "node:net"
import { OutboundError } from "./FailureText.ts"

/** The most bytes of an answer, sixteen times the body limit: enough for a body in chunks of one byte. */
export const wireLimit = 1024 * 1024

/** Must be called before anything is sent on the connection. */
export const limitAnswers = (socket: Socket): void => {
  let sent = -1
  let from = 0
  socket.on("readable", () => {
    // One request at a time is under way: bytes that are read after it was written belong to its answer.
    if (socket.bytesWritten !== sent) {
      sent = socket.bytesWritten
      from = socket.bytesRead
    } else if (socket.bytesRead - from > wireLimit) {
      socket.destroy(
        new OutboundError(
          `the answer is longer than ${wireLimit / 1024} KiB with all that is around its body`
        )
      )
    }
  })
}
