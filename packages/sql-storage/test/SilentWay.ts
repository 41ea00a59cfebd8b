/** A way to PostgreSQL that can stop forwarding what its connections say, without closing anything. */
import { Effect, Redacted } from "effect"
import { connect, createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"

/** Opens the way until the scope closes: its URL, and the sockets of both its ends. */
export const silentWay = Effect.fnUntraced(function*(
  url: Redacted.Redacted<string>,
  isSilent: (socket: Socket) => boolean
) {
  const detour = new URL(Redacted.value(url))
  const target = { host: detour.hostname, port: Number(detour.port) }
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target)
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket)
      socket.on("error", () => {}).on("close", () => other.destroy())
      socket.on("data", (chunk) => isSilent(socket) ? undefined : other.write(chunk))
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
