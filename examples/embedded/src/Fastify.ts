/**
 * Dockline inside a Fastify application.
 *
 * The hook takes a request before Fastify reads its body: Dockline reads it itself, within its limits.
 */
import { getRequestListener } from "@hono/node-server"
import Fastify from "fastify"
import { announce, onStop, open, port } from "./Service.ts"

const service = await open()

const dockline = getRequestListener(
  (request, { incoming }) => service.handler(request, { remoteAddress: incoming.socket.remoteAddress }),
  { overrideGlobalObjects: false }
)

const app = Fastify()
app.addHook("onRequest", (request, reply, next) => {
  if (!service.serves(request.raw)) return next()
  reply.hijack()
  void dockline(request.raw, reply.raw)
})
app.get("/hello", () => ({ hello: "from Fastify" }))

announce(app.server)
app.server.on("upgrade", service.handleUpgrade)
await app.listen({ port, host: "::" })

onStop(service, app.server, () => app.close())
