/**
 * Dockline inside an Express application.
 *
 * It is mounted before any parser of bodies: Dockline reads a body itself, within its limits.
 */
import { getRequestListener } from "@hono/node-server"
import express from "express"
import { createServer } from "node:http"
import { announce, onStop, open, port } from "./Service.ts"

const service = await open()

const dockline = getRequestListener(
  (request, { incoming }) => service.handler(request, { remoteAddress: incoming.socket.remoteAddress }),
  { overrideGlobalObjects: false }
)

const app = express()
app.disable("x-powered-by")
app.use((request, response, next) => service.serves(request) ? void dockline(request, response) : next())
app.use(express.json())
app.get("/hello", (_request, response) => {
  response.json({ hello: "from Express" })
})

const server = createServer(app)
announce(server)
server.on("upgrade", service.handleUpgrade)
server.listen(port)

onStop(service, server)
