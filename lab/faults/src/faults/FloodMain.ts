/**
 * The attacker, in a process of its own so that it keeps nobody else of the harness waiting: several sockets that send
 * frames as fast as they are taken, and that come back when they are closed. It ends when it is told to, or has sent as
 * many frames as it may.
 */
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { connect } from "node:net"
import type { Socket } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import { attacks, chunkOf, framesAtOnce, initOf } from "./FloodFrames.ts"
import type { Attack } from "./FloodFrames.ts"
import { over } from "./FloodMessage.ts"
import type { FloodOptions, FloodResult } from "./FloodMessage.ts"

/** The most frames of one flood. */
const mostFrames = 3_000_000

/** How long a socket stays away that was closed, in milliseconds. */
const awayMillis = 50

const leaving = new AbortController()
const open = new Set<Socket>()
const sent = { frames: 0, sockets: 0 }

const isOver = (): boolean => leaving.signal.aborted || sent.frames >= mostFrames

/** Opens a socket for GraphQL, and sends until it is closed or the flood is over. */
const attack = async (socket: Socket, { port, token }: FloodOptions, kind: Attack): Promise<void> => {
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  await Promise.race([once(socket, "connect"), closed])
  const key = randomBytes(16).toString("base64")
  socket.write(
    `GET /public_graphql HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n` +
      `Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`
  )
  const [answer] = await Promise.race([once(socket, "data"), closed.then(() => [""])])
  if (!String(answer).startsWith("HTTP/1.1 101")) return
  socket.resume()
  sent.sockets++
  if (kind.isSignedIn && token !== undefined) {
    socket.write(initOf(token))
    await Promise.race([once(socket, "data"), closed])
  }
  const chunk = chunkOf(kind)
  while (!socket.destroyed && !isOver()) {
    sent.frames += framesAtOnce
    if (!socket.write(chunk)) await Promise.race([once(socket, "drain"), closed])
  }
}

const flood = async (options: FloodOptions, kind: Attack): Promise<void> => {
  if (kind.isSignedIn && options.token === undefined) return
  while (!isOver()) {
    const socket = connect(options.port, "127.0.0.1")
    open.add(socket)
    // A socket that fails is closed, which is what is waited for.
    socket.on("error", () => {}).once("close", () => open.delete(socket))
    await attack(socket, options, kind).catch(() => {})
    socket.destroy()
    await wait(awayMillis)
  }
}

const begin = async (options: FloodOptions): Promise<void> => {
  await Promise.all(attacks.map((kind) => flood(options, kind)))
  process.send?.(sent satisfies FloodResult, () => process.disconnect())
}

const end = (): void => {
  leaving.abort()
  for (const socket of open) socket.destroy()
}

process.on("message", (message) => {
  if (message === over) end()
  else void begin(message as FloodOptions)
})
// An attacker that lost its harness must not be left behind.
process.once("disconnect", () => process.exit())
// A terminal tells the whole group; the harness passes it on in its own words.
process.on("SIGINT", () => {})
