/** TCP servers on this machine: functions that open and close them, and the load balancer in front of the instances. */
import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { AddressInfo, Server, Socket } from "node:net"

/** Listens on a port, by default a free one, and returns the port. */
export const listen = async (server: Server, port = 0): Promise<number> => {
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}

/** Stops accepting connections, and resolves when the existing connections have ended. */
export const close = async (server: Server): Promise<void> => {
  const closed = once(server, "close")
  server.close()
  await closed
}

/**
 * Opens the one address of the service, and connects each client to an instance that accepts the connection.
 *
 * It stands in for the simplest load balancer of an operator: it does not check whether an instance is ready, and a connection to a frozen
 * instance stays with that instance.
 */
export const balance = async (opened: AsyncDisposableStack) => {
  const sockets = new Set<Socket>()
  let ports: ReadonlyArray<number> = []
  let turn = 0
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    // Broken connections are expected: the `close` handlers close the other side.
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
