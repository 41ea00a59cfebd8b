/** Servers of this machine that pass connections on, and break them on command. */
import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { AddressInfo, Server, Socket } from "node:net"

/** Listens on a free port, or on one that is given. */
export const listen = async (server: Server, port = 0): Promise<number> => {
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}

/** Accepts no more connections, and resolves when the existing ones have ended. */
export const close = async (server: Server): Promise<void> => {
  const closed = once(server, "close")
  server.close()
  await closed
}

/**
 * The one address of the service, in front of its instances: each connection goes to one instance that accepts it.
 *
 * It stands for the load balancer of an operator, in its simplest form: it does not check whether an instance is ready, and a connection
 * to a frozen instance stays there.
 */
export const balance = async (opened: AsyncDisposableStack) => {
  const sockets = new Set<Socket>()
  let ports: ReadonlyArray<number> = []
  let turn = 0
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    // Broken connections are expected: the other side is closed too.
    return socket.on("error", () => {}).once("close", () => sockets.delete(socket))
  }
  /** Joins a connection to the first instance that accepts it. */
  const join = (socket: Socket, [port, ...others]: ReadonlyArray<number>): void => {
    if (port === undefined || socket.destroyed) return void socket.destroy()
    const instance = keep(connect(port, "127.0.0.1"))
    let isJoined = false
    instance.once("connect", () => {
      isJoined = true
      socket.pipe(instance)
      instance.pipe(socket)
      socket.once("close", () => instance.destroy())
    })
    instance.once("close", () => isJoined ? socket.destroy() : join(socket, others))
  }
  const server = createServer((socket) => {
    const first = turn++
    join(keep(socket), ports.map((_, at) => ports[(first + at) % ports.length]!))
  })
  const port = await listen(server)
  opened.defer(async () => {
    for (const socket of sockets) socket.destroy()
    await close(server)
  })
  /** Sets the instances for new connections. */
  const forward = (urls: ReadonlyArray<string>): void => {
    ports = urls.map((url) => Number(new URL(url).port))
  }
  return { url: `http://127.0.0.1:${port}`, forward }
}
