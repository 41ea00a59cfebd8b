/**
 * Dockline inside a Hono application on Node.
 *
 * Hono speaks `Request` and `Response` as Dockline does: there is nothing between them.
 */
import { serve } from "@hono/node-server"
import { getConnInfo } from "@hono/node-server/conninfo"
import { Hono } from "hono"
import { Server } from "node:http"
import { announce, onStop, open, port } from "./Service.ts"

const service = await open()

const app = new Hono()
app.get("/hello", (context) => context.json({ hello: "from Hono" }))
app.all("*", async (context) =>
  service.serves(context.req.raw)
    ? service.handler(context.req.raw, { remoteAddress: getConnInfo(context).remote.address })
    : context.json({ error: "not found" }, 404))

const server = serve({ fetch: app.fetch, port, overrideGlobalObjects: false })
if (!(server instanceof Server)) throw new Error("Hono serves HTTP/1.1 here")
announce(server)
server.on("upgrade", service.handleUpgrade)

onStop(service, server)
