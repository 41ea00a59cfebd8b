/**
 * Where the guides of a test file run: ports and databases of their own in place of those that they name.
 */
import { Effect, Redacted } from "effect"
import { once } from "node:events"
import { createServer } from "node:net"
import * as TestDatabase from "../support/TestDatabase.ts"
import type { Guide } from "./Block.ts"
import type { Substitute } from "./Project.ts"
import type { Services } from "./Shell.ts"

/** What one guide has in place of what it names. */
export interface Place {
  readonly services: Services
  readonly substitute: Substitute
}

/** The port that the server has unless told otherwise. */
const serverPort = "8080"

/** Ports that were given to guides: those of two must not meet. */
const given = new Set<number>()

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer()
  try {
    server.listen(port, "127.0.0.1")
    await once(server, "listening")
    server.close()
    await once(server, "close")
    return true
  } catch {
    return false
  }
}

/** A free port of four digits, so that tables stay as wide as they are shown; none that the system gives by itself. */
const freePort = async (): Promise<number> => {
  for (;;) {
    const port = 2000 + Math.floor(Math.random() * 8000)
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
}

const databases = /postgres:\/\/[^\s"'`]+/g

/** Makes the place of a guide: a database for the server, and one for each that it names. */
export const make = Effect.fnUntraced(function*({ blocks }: Guide) {
  const text = blocks.map((block) => block.text).join("\n")
  const shownPorts = new Set([
    serverPort,
    ...Array.from(text.matchAll(/(?:localhost:|127\.0\.0\.1:|\bPORT=)(\d{4})\b/g), ([, port]) => port!)
  ])
  const ports = new Map<string, string>()
  for (const shown of shownPorts) ports.set(shown, String(yield* Effect.promise(freePort)))
  const urls = new Map<string, string>()
  for (const [shown] of text.matchAll(databases)) {
    if (!urls.has(shown)) urls.set(shown, Redacted.value((yield* TestDatabase.create).url))
  }
  const { url } = yield* TestDatabase.create
  const place: Place = {
    services: { port: Number(ports.get(serverPort)), databaseUrl: Redacted.value(url) },
    substitute: (shown) =>
      shown.split(new RegExp(`(${databases.source})`)).map((part) =>
        urls.get(part) ?? part.replace(/\b\d{4}\b/g, (port) => ports.get(port) ?? port)
      ).join("")
  }
  return place
})
