/**
 * The command line against the service on a real socket, in memory, as the demo's operator: how tests run a command, and
 * hold what it shows against the API. No run may show a secret that it was given.
 */
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { over } from "../../../test/support/Tests.ts"
import type { AddTest } from "../../../test/support/Tests.ts"
import { TestServer } from "../../../test/support/TestServer.ts"
import { runLine, words } from "./Running.ts"
import type { Ran } from "./Running.ts"

/** How the service of the tests is reached, and as whom. */
export const environment = (port: number) => ({
  DOCKLINE_URL: `http://127.0.0.1:${port}`,
  DOCKLINE_AUDIENCE: "http://dockline.test/public_graphql",
  DOCKLINE_CLIENT_ID: "operator",
  DOCKLINE_CLIENT_SECRET: "operator-secret"
})

/** Good enough to find a secret that comes out where it must not: what is sealed is not the secret as it is. */
export const vault = Layer.succeed(SecretsVault, {
  seal: (secret) => Effect.succeed(btoa(Redacted.value(secret)) as SealedText),
  open: (ciphertext) => Effect.succeed(Redacted.make(atob(ciphertext))),
  webhookKeys: () => []
})

/** Tests of commands against a service, each named by what it runs. */
export const commands = <R>(service: Layer.Layer<R>, tests: (command: AddTest<R>) => void) =>
  over(service)("dockline", tests)

/** A password agreed with a customer. */
export const password = "canary-password-1"

/** Secrets that nothing may show: the client's own, a token, a password of a customer. */
const canaries = /operator-secret|eyJ|canary-password/

const plants: Array<string> = []

/** A secret that the service has made and shown: from here on no run may show it again. */
export const plant = (secret: string): void => {
  assert.isNotEmpty(secret)
  plants.push(secret)
}

/** Holds that what a run has shown has no secret in it. */
export const showsNoSecret = ({ data, errors }: { readonly data: string; readonly errors: string }): void => {
  assert.notMatch(data + errors, canaries)
  for (const secret of plants) assert.notInclude(data + errors, secret)
}

/** Runs a command line, or its words, in this process: `Process.test.ts` shows the program as a process of its own. */
export const dockline = Effect.fnUntraced(function*(
  line: string | ReadonlyArray<string>,
  more: Readonly<Record<string, string>> = {},
  stdin = ""
) {
  const { port } = yield* TestServer
  const args = typeof line === "string" ? words(line) : line
  assert.notMatch(args.join(" "), canaries)
  const ran = yield* Effect.promise(() => runLine(args, { env: { ...environment(port), ...more }, stdin }))
  showsNoSecret(ran)
  return ran
})

/** How a client runs commands, each given as one line or as its words. */
export const asking = (client: Readonly<Record<string, string>>) => {
  /** Runs a command that succeeds and says nothing beside its data. */
  const run = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
    const { code, data, errors } = yield* dockline(args.length === 1 ? args[0]! : args, client)
    assert.deepStrictEqual([code, errors], [0, ""], `${args.join(" ")}: ${errors}`)
    return data
  })
  /** Runs a command that succeeds, with `--json`. */
  const json = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
    return JSON.parse(yield* run(...args.length === 1 ? words(args[0]!) : args, "--json"))
  })
  return { json, run }
}

/** Commands of the operator. */
export const { json, run } = asking({})

/** The customer of the demo. */
export const customer = { DOCKLINE_CLIENT_ID: "acme-client", DOCKLINE_CLIENT_SECRET: "acme-client-secret" }

/** The tower of the demo. */
export const tower = { DOCKLINE_CLIENT_ID: "tower", DOCKLINE_CLIENT_SECRET: "tower-secret" }

/** What the API answers the same operator. */
export const api = Effect.fnUntraced(function*(path: string) {
  const { get } = yield* TestServer
  const reply = yield* get(`/v1/operator/${path}`, { client: "operator" })
  assert.strictEqual(reply.status, 200, reply.text)
  return reply.body
})

/** A refusal of the service, without its correlation id. */
export const refusalOf = ({ code, data, errors }: Ran) => {
  assert.deepStrictEqual([code, data], [1, ""], errors)
  return errors.replace(/, correlation id \S+\n$/, "")
}

/** A folder that goes with the test. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "dockline-cli-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** The first line of a table. */
export const columnsOf = (table: string): string => table.split("\n")[0] ?? ""
