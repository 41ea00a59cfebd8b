/**
 * Dockline inside a service on bare `node:http`.
 *
 * `NodeServer.create` is a server whose own refusals are problems too; `createServer` does as well.
 */
import * as NodeServer from "@dockline/http-adapter/NodeServer"
import { getRequestListener } from "@hono/node-server"
import { announce, onStop, open, port } from "./Service.ts"

const service = await open()

const dockline = getRequestListener(
  (request, { incoming }) => service.handler(request, { remoteAddress: incoming.socket.remoteAddress }),
  { overrideGlobalObjects: false }
)

const server = NodeServer.create()
server.on("request", (request, response) => {
  if (service.serves(request)) return void dockline(request, response)
  response.setHeader("content-type", "application/json")
  if (request.url !== "/hello") response.statusCode = 404
  response.end(JSON.stringify({ hello: "from node:http" }))
})

announce(server)
service.attach(server)
server.listen(port)

onStop(service, server)
