/**
 * No client and no customer can write a line of the log, or move the cursor of a terminal that shows it: in every format, their texts stay
 * within their entry.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Service from "../operations/Service.ts"
import type * as ServerProcess from "../support/ServerProcess.ts"
import { EchoCustomer } from "./EchoCustomer.ts"
import { exchange } from "./RawHttp.ts"
import { ServiceClient, tokenRequest } from "./ServiceClient.ts"

const forged = "FORGED level=ERROR"

/** Texts that would begin a line, end a quoted value, or control a terminal. */
const hostile = [
  `a\n${forged}`,
  `a\r\n${forged}`,
  `a\r${forged}`,
  `a\u2028${forged}`,
  `a\u0085${forged}`,
  `a\u001b[2K${forged}`,
  `a\u009b2K${forged}`,
  `a" level=Fatal message="${forged}`,
  `a\\" ${forged}`,
  `a","level":"FATAL","message":"${forged}`
]

/** The texts in the form for the head of a request: one byte a character, no controls below a space. */
const inHead = hostile.map((text) =>
  Array.from(text, (character) => character < " " ? "" : character > "\xff" ? "?" : character).join("")
)

/** The form of a line in each format: a complete entry, which no text can break out of. */
const isEntry: Readonly<Record<string, (line: string) => boolean>> = {
  json: (line) => {
    try {
      const entry: unknown = JSON.parse(line)
      return typeof entry === "object" && entry !== null && "level" in entry && "message" in entry
    } catch {
      return false
    }
  },
  logfmt: (line) =>
    /^timestamp=[\d:TZ.-]+ level=[A-Z]+ message=/.test(line) &&
    /^(?:[\w.-]+=(?:[^\s"=\\]+|"(?:[^"\\]|\\.)*")(?: |$))+$/.test(line),
  // An entry has several lines here; those after the first are indented.
  pretty: (line) => /^(?:\[[\d:.]+\] |\s)/.test(line)
}

/** Characters that must not occur in a line of the log: controls, and those that some programs treat as the end of a line. */
const unprintable = /(?!\t)[\p{Cc}\u2028\u2029]/u

describe("the lines of the log", () => {
  for (const logFormat of ["json", "logfmt", "pretty"]) {
    // @threat requests.7
    it.live(`as ${logFormat} are the server's own`, () =>
      Effect.gen(function*() {
        const server = yield* Service.process({ LOG_LEVEL: "All", LOG_FORMAT: logFormat })
        const customer = yield* EchoCustomer.open(() => ({ status: 500, body: hostile.join("\n") }))
        yield* Effect.promise(() => speak(server, customer.port))
        const port = Number(new URL(server.baseUrl).port)
        for (const text of inHead) {
          const escaped = encodeURIComponent(text)
          const asked = text.replaceAll(" ", "+")
          for (
            const path of [
              `/${asked}`,
              `/${escaped}`,
              `/v1/shipments/${escaped}`,
              `/v1/shipments?status=${escaped}`
            ]
          ) {
            const head = [
              `GET ${path} HTTP/1.1`,
              `Host: localhost:${port}`,
              "Connection: close",
              `Correlation-Id: ${text}`
            ]
            yield* exchange(
              port,
              `${head.join("\r\n")}\r\nUser-Agent: ${text}\r\nTraceparent: ${text}\r\n\r\n`
            )
          }
        }
        server.child.kill("SIGTERM")
        yield* Effect.promise(() => server.ended)
        const lines = server.output().split("\n")
        assert.isAbove(lines.length, 50)
        assert.deepStrictEqual(lines.filter((line) => /^\W*FORGED/.test(line)), [])
        assert.deepStrictEqual(lines.filter((line) => unprintable.test(line)), [])
        // The server's message for people at its start ends with a request to send and an empty line.
        const entries = lines.slice(lines.findLastIndex((line) => line.startsWith("curl ")) + 2, -1)
        assert.isAbove(entries.length, 50)
        assert.deepStrictEqual(entries.filter((line) => !isEntry[logFormat]!(line)), [])
        // The texts are in the log, so a forgery would be visible.
        assert.isTrue(lines.some((line) => line.includes("FORGED")))
      }))
  }
})

/** Sends hostile texts wherever clients, operators and customers can send texts. */
const speak = async (server: ServerProcess.ServerProcess, customerPort: number): Promise<void> => {
  const client = new ServiceClient(server.baseUrl)
  const token = await client.tokenOf("acme-client", "acme-client-secret")
  const operator = await client.tokenOf("operator", "operator-secret")
  for (const text of hostile) {
    await client.ask("POST", "/oauth/token", { body: tokenRequest(server.baseUrl, text, text) })
    await client.ask("POST", "/v1/documents", {
      token,
      body: { business: text, facility: text, [text]: text }
    })
    await client.ask("POST", "/v1/documents", {
      token,
      body: { business: "acme", facility: "east", direction: "OUTBOUND", orderNumber: text, carrier: text }
    })
    await client.ask("POST", "/public_graphql", {
      token,
      body: { query: `query ${text}`, operationName: text }
    })
    await client.ask("POST", "/public_graphql", {
      token,
      body: { query: "{ __typename }", operationName: text }
    })
    await client.ask("POST", "/v1/operator/clients", { token: operator, body: { name: text, grants: [] } })
    await client.ask("POST", "/v1/operator/webhook-endpoints", {
      token: operator,
      body: {
        business: "acme",
        baseUrl: `http://127.0.0.1:${customerPort}`,
        messageTypes: ["PALLET_EVENT"],
        authentication: {
          type: "token",
          username: text,
          password: text,
          loginUrl: `http://127.0.0.1:${customerPort}/login`
        }
      }
    })
  }
}
