/**
 * HTTP as an attacker sends it: bytes over one connection, and the whole answer until it was closed.
 */
import { Effect } from "effect"
import { connect } from "node:net"

/** A final answer, from its bytes. */
export interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Sends text, each part in a packet of its own, and returns all bytes until the server closed the connection. */
export const exchange = (
  port: number,
  ...parts: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<RawAnswer>> =>
  Effect.callback<string>((resume) => {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true })
    let received = ""
    const sendFrom = (at: number): void => {
      const part = parts[at]
      // In a turn of its own, so that the server reads it as a separate packet.
      if (part !== undefined) socket.write(part, "latin1", () => setImmediate(sendFrom, at + 1))
    }
    socket.setEncoding("latin1")
    socket.on("connect", () => sendFrom(0))
    socket.on("data", (chunk: string) => (received += chunk))
    // A reset, if the server closes while there are bytes that it has not read.
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(received)))
    return Effect.sync(() => socket.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: "60 seconds",
      orElse: () => Effect.die(new Error(`The connection was not closed after ${JSON.stringify(parts)}`))
    }),
    Effect.map(answersIn)
  )

/** The final answers in the bytes; each has a length or ends with the connection. */
const answersIn = (bytes: string): ReadonlyArray<RawAnswer> => {
  const answers: Array<RawAnswer> = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf("\r\n\r\n", at)
    if (end < 0) throw new Error(`No answer begins with ${JSON.stringify(bytes.slice(at, at + 100))}`)
    const head = bytes.slice(at, end)
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
    const [, length] = /^content-length: *(\d+)$/im.exec(head) ?? []
    const start = end + 4
    at = status < 200 || status === 204 || status === 304
      ? start
      : length === undefined
      ? bytes.length
      : start + Number(length)
    if (status >= 200) answers.push({ status, head, body: bytes.slice(start, at) })
  }
  return answers
}
