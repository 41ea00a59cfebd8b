/** A database that refuses every connection with an SQLSTATE. */
import { once } from "node:events"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"

/** Listens until it is disposed; `url` contains the password `hidden`. */
export const listen = async (state: string): Promise<{ readonly url: string } & AsyncDisposable> => {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${state}\0Mrefused with ${state}\0\0`)
  const head = Buffer.from("E\0\0\0\0")
  head.writeInt32BE(fields.length + 4, 1)
  const server = createServer((socket) => {
    socket.on("error", () => undefined)
    socket.once("data", () => socket.end(Buffer.concat([head, fields])))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `postgres://user:hidden@127.0.0.1:${(server.address() as AddressInfo).port}/x`,
    [Symbol.asyncDispose]: async () => {
      server.close()
      await once(server, "close")
    }
  }
}
