/**
 * Dockline inside a service on bare `node:http`.
 *
 * `NodeServer` is a server whose own refusals are problems too, with limits of its own; that of `createServer` does as well.
 */
import { NodeServer } from "@dockline/server/NodeServer"
import { getRequestListener } from "@hono/node-server"
import { announce, onStop, open, port } from "./Service.ts"

const service = await open()

const dockline = getRequestListener(
  (request, { incoming }) => service.handler(request, { remoteAddress: incoming.socket.remoteAddress }),
  { overrideGlobalObjects: false }
)

const server = new NodeServer()
server.on("request", (request, response) => {
  if (service.serves(request)) return void dockline(request, response)
  response.setHeader("content-type", "application/json")
  if (request.url !== "/hello") response.statusCode = 404
  response.end(JSON.stringify({ hello: "from node:http" }))
})

announce(server)
server.on("upgrade", service.handleUpgrade)
server.listen(port)

onStop(service, server)
