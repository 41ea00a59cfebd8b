/**
 * The ports and databases of the guides of a test file, in place of those that they name.
 */
import { Effect, Redacted } from "effect"
import { freePortOfFourDigits } from "../support/ProgramSettings.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import type { Guide } from "./Block.ts"
import type { Substitute } from "./Project.ts"
import type { Services } from "./Shell.ts"

/** The values of one guide in place of those that it names. */
export interface Place {
  readonly services: Services
  readonly substitute: Substitute
}

/** The default port of the server. */
const serverPort = "8080"

const databases = /postgres:\/\/[^\s"'`]+/g

/** The resources that guides share. */
export interface Shared {
  /** Databases on which no guide starts a server, by the addresses in the guides. */
  readonly databases: Map<string, string>
  /** The server of all guides that start it without settings, as the first one does: they use it one after another. */
  server: Services | undefined
}

/** The command of a server that several guides start: a reader who goes from page to page already has it running. */
export const plainStart = "npm ci && npm start"

const created = Effect.map(TestDatabase.create, ({ url }) => Redacted.value(url))

/** Makes the place of a guide: a database for the server that it starts, and one for each that it names. */
export const make = Effect.fnUntraced(function*({ blocks }: Guide, shared: Shared) {
  const text = blocks.map((block) => block.text).join("\n")
  const isPlain = blocks.some((block) => block.text === plainStart)
  const serves = /\bnpm start\b/.test(text)
  const services = (isPlain ? shared.server : undefined) ?? {
    port: yield* Effect.promise(freePortOfFourDigits),
    databaseUrl: serves ? yield* created : "postgres://nobody@127.0.0.1:1/none"
  }
  if (isPlain) shared.server = services
  const ports = new Map([[serverPort, String(services.port)]])
  for (const [, shown] of text.matchAll(/(?:localhost:|127\.0\.0\.1:|\bPORT=)(\d{4})\b/g)) {
    if (!ports.has(shown!)) ports.set(shown!, String(yield* Effect.promise(freePortOfFourDigits)))
  }
  const urls = serves && text.includes("DATABASE_URL=") ? new Map<string, string>() : shared.databases
  for (const [shown] of text.matchAll(databases)) {
    if (!urls.has(shown)) urls.set(shown, yield* created)
  }
  const place: Place = {
    services,
    substitute: (shown) =>
      shown.split(new RegExp(`(${databases.source})`)).map((part) =>
        urls.get(part) ?? part.replace(/\b\d{4}\b/g, (port) => ports.get(port) ?? port)
      ).join("")
  }
  return place
})
