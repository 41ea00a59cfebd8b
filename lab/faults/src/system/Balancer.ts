/**
 * The one address of the service, before its instances: each connection goes to one of them that takes it.
 *
 * It stands for the load balancer of an operator, in the simplest form that there is: nobody asks whether an instance
 * is ready, and a connection to one that is frozen stays where it is.
 */
import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { AddressInfo, Server, Socket } from "node:net"

/** A balancer. */
export class Balancer {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #ports: ReadonlyArray<number> = []
  #turn = 0

  private constructor() {
    this.#server = createServer((socket) => this.#take(socket))
  }

  /** Opens one on a free port, with no instance behind it yet. */
  static async open(): Promise<Balancer> {
    const balancer = new Balancer()
    balancer.#server.listen(0, "127.0.0.1")
    await once(balancer.#server, "listening")
    return balancer
  }

  /** The address: what instances are to be told as `BASE_URL`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** New connections go to these from now on. */
  forward(urls: ReadonlyArray<string>): void {
    this.#ports = urls.map((url) => Number(new URL(url).port))
  }

  /** Ends it and what goes through it. */
  async close(): Promise<void> {
    const closed = once(this.#server, "close")
    this.#server.close()
    this.#sockets.forEach((socket) => socket.destroy())
    await closed
  }

  #take(socket: Socket): void {
    this.#keep(socket)
    const first = this.#turn++
    const ports = this.#ports.map((_, at) => this.#ports[(first + at) % this.#ports.length]!)
    this.#join(socket, ports)
  }

  /** Joins it to the first instance that takes the connection. */
  #join(socket: Socket, [port, ...others]: ReadonlyArray<number>): void {
    if (port === undefined || socket.destroyed) return void socket.destroy()
    const instance = connect(port, "127.0.0.1")
    this.#keep(instance)
    let isJoined = false
    instance.once("connect", () => {
      isJoined = true
      socket.pipe(instance)
      instance.pipe(socket)
      socket.once("close", () => instance.destroy())
    })
    instance.once("close", () => isJoined ? socket.destroy() : this.#join(socket, others))
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    // A broken connection is what this is for: the other side is told by closing it.
    socket.on("error", () => {})
    socket.once("close", () => this.#sockets.delete(socket))
  }
}
