/** A way to PostgreSQL that can stop forwarding what its connections say, without closing anything. */
import { Effect, Redacted } from "effect"
import { connect, createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"

/** Opens the way until the scope closes: its URL, and the sockets of both its ends. `greet` changes what clients say first. */
export const silentWay = Effect.fnUntraced(function*(
  url: Redacted.Redacted<string>,
  isSilent: (socket: Socket) => boolean,
  greet: (startup: Buffer) => Buffer = (startup) => startup
) {
  const detour = new URL(Redacted.value(url))
  const target = { host: detour.hostname, port: Number(detour.port) }
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target)
    near.once("data", (startup) => isSilent(near) ? undefined : far.write(greet(startup)))
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket)
      socket.on("error", () => {}).on("close", () => other.destroy())
      const forward = (chunk: Buffer) => void (isSilent(socket) || other.write(chunk))
      if (socket === far) socket.on("data", forward)
      else socket.once("data", () => socket.on("data", forward))
    }
  })
  yield* Effect.callback<void>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.void))
  })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      sockets.forEach((socket) => socket.destroy())
      server.close()
    })
  )
  detour.port = String((server.address() as AddressInfo).port)
  return { url: Redacted.make(detour.href), sockets: sockets as ReadonlySet<Socket> }
})
