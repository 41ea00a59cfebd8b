/**
 * The streams of sessions of PostgreSQL and of their cancellations, encrypted if the server agrees.
 *
 * Guarantee: if a commit stopped waiting for its synchronous standby because it was cancelled, the stream breaks before it passes on the
 * answer. PostgreSQL then reports success with a mere notice, which the driver drops. The driver gets streams that are already encrypted,
 * because streams that the driver encrypts cannot be inspected.
 */
import { PgProtocol } from "@effect/sql-pg"
import { Effect, Result } from "effect"
import { SqlError } from "effect/sql"
import { isIP } from "node:net"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import { connect } from "node:tls"
import type { Encryption } from "./PostgresUrl.ts"
import { TlsRefused } from "./StorageErrors.ts"

/** The driver listens for errors as soon as it has the stream. */
const ignore = () => {}

const agreement = "S".charCodeAt(0)

/** The reason why a server does not encrypt: it cannot, or it accepts no connections. */
const refusalIn = (answer: Buffer): Error => {
  if (answer.toString("latin1") === "N") return new TlsRefused()
  const message = Result.try(() => PgProtocol.makeParser().push(answer)[0])
  return Result.isSuccess(message) && message.success?._tag === "ErrorResponse"
    ? Object.assign(new Error(message.success.fields.message), message.success.fields)
    : new Error("The server does not speak the protocol of PostgreSQL")
}

/** Agrees with the server on encryption, before anything else is sent on the socket. */
const agree = (
  socket: Socket,
  options: Exclude<Encryption, false>,
  settle: (stream: Result.Result<Duplex, Error>) => void
): void => {
  let stream: Duplex = socket
  const end = (result: Result.Result<Duplex, Error>) => {
    stream.off("error", fail).off("close", closed).on("error", ignore)
    settle(result)
  }
  const fail = (cause: Error) => {
    end(Result.fail(cause))
    stream.destroy()
  }
  const closed = () => fail(new Error("Connection closed"))
  socket.on("error", fail).on("close", closed)
  socket.once("data", (answer: Buffer) => {
    // A longer answer may come from an attacker between this process and the server.
    if (answer.length > 1 || answer[0] !== agreement) return fail(refusalIn(answer))
    socket.off("error", fail).off("close", closed)
    const { host = "" } = options
    stream = connect({ ...(isIP(host) === 0 ? { servername: host } : {}), ...options, socket })
      .on("error", fail)
      .on("close", closed)
      .once("secureConnect", () => end(Result.succeed(stream)))
  })
  socket.write(PgProtocol.encodeSslRequest())
}

/** The stream of a session on a new socket. */
export const ofSession = (socket: Socket, encryption: Encryption): Effect.Effect<Duplex, SqlError.SqlError> =>
  Effect.callback((resume) => {
    const settle = (stream: Result.Result<Duplex, Error>) =>
      resume(Effect.fromResult(Result.mapBoth(stream, { onFailure: refusal, onSuccess: breakAtUnconfirmed })))
    if (encryption !== false) return agree(socket, encryption, settle)
    settle(Result.succeed(socket.on("error", ignore)))
  })

const refusal = (cause: Error) => {
  const props = { cause, message: "The connection failed", operation: "connect" }
  return new SqlError.SqlError({
    reason: "severity" in cause ? new SqlError.UnknownError(props) : new SqlError.ConnectionError(props)
  })
}

/** The stream of a cancellation on a new socket. It sends data, encrypted, once the server has agreed. */
export const ofCancellation = (socket: Socket, encryption: Encryption): Duplex => {
  if (encryption === false) return socket
  const stream = new Duplex({
    read: () => {},
    write: (chunk, _, done) =>
      agree(
        socket,
        encryption,
        (agreement) =>
          Result.isFailure(agreement) ? done(agreement.failure) : void agreement.success.write(chunk, done)
      ),
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    }
  })
  socket.once("close", () => stream.destroy())
  return stream
}

const headerLength = 5

const noticeType = "N".charCodeAt(0)

/** Reads chunks of messages, each with a type, a length and a body, and calls `onNotice` for each notice. */
export const noticesIn = (
  onNotice: (notice: PgProtocol.NoticeResponse) => void
): (chunk: Buffer) => void => {
  /** The received part of a header or of a notice. */
  let pending: Buffer = Buffer.alloc(0)
  /** The number of bytes of the current message that have not arrived. */
  let due = 0
  return (chunk) => {
    const bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    let at = due
    while (at + headerLength <= bytes.length) {
      const end = at + 1 + bytes.readUInt32BE(at + 1)
      if (bytes[at] === noticeType) {
        if (end > bytes.length) break
        for (const message of PgProtocol.makeParser().push(bytes.subarray(at, end))) {
          if (message._tag === "NoticeResponse") onNotice(message)
        }
      }
      at = end
    }
    due = Math.max(0, at - bytes.length)
    pending = bytes.subarray(at)
  }
}

/**
 * Breaks a stream at the notice that a commit was not confirmed. The name of the function in the notice is the same in every version and
 * language.
 */
const breakAtUnconfirmed = (stream: Duplex): Duplex =>
  stream.prependListener(
    "data",
    noticesIn(({ fields }) => {
      // The stream breaks at once, before the driver reads on.
      if (fields.routine === "SyncRepWaitForLSN") {
        stream.emit("error", new Error("The commit was not confirmed by a standby"))
      }
    })
  )
