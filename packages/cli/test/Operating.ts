/**
 * The command line against the service on a real socket, in memory, as the demo's operator: how tests run a command, and
 * hold what it shows against the API. No run may show a secret that it was given.
 */
import type { Sealed } from "@dockline/core/SecretsVault"
import { SecretsVault } from "@dockline/core/SecretsVault"
import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestServer } from "../../../test/support/TestServer.ts"
import * as Child from "./Child.ts"
import type { Ended } from "./Child.ts"
import { runLine } from "./Running.ts"

/** How the service of the tests is reached, and as whom. */
export const environment = (port: number) => ({
  DOCKLINE_URL: `http://127.0.0.1:${port}`,
  DOCKLINE_AUDIENCE: "http://dockline.test/public_graphql",
  DOCKLINE_CLIENT_ID: "operator",
  DOCKLINE_CLIENT_SECRET: "operator-secret"
})

/** Good enough to find a secret that comes out where it must not: what is sealed is not the secret as it is. */
export const vault = Layer.succeed(SecretsVault, {
  seal: (secret) => Effect.succeed(btoa(Redacted.value(secret)) as Sealed),
  open: (sealed) => Effect.succeed(Redacted.make(atob(sealed)))
})

/** A password agreed with a customer. */
export const password = "canary-password-1"

/** Secrets that nothing may show: the client's own, a token, a password of a customer. */
const canaries = /operator-secret|eyJ|canary-password/

const planted: Array<string> = []

/** A secret that the service has made and shown: from here on no run may show it again. */
export const plant = (secret: string): void => {
  assert.isNotEmpty(secret)
  planted.push(secret)
}

/** The commands that a process of its own has run. */
const spawned = new Set<string>()

/** Runs a command line: each command in a process of its own once, and in this process, which is faster, from then on. */
export const spawn = Effect.fnUntraced(function*(
  args: ReadonlyArray<string>,
  more: Readonly<Record<string, string>> = {},
  stdin = ""
) {
  const { port } = yield* TestServer
  assert.notMatch(args.join(" "), canaries)
  const env = { ...environment(port), ...more }
  const command = args.slice(0, 2).join(" ")
  const ended: Ended = yield* Effect.promise(() =>
    spawned.has(command) ? runLine(args, { env, stdin }) : Child.start(args, env, { stdin }).ended
  )
  spawned.add(command)
  assert.notMatch(ended.data + ended.said, canaries)
  for (const secret of planted) assert.notInclude(ended.data + ended.said, secret)
  return ended
})

/** Runs a command that succeeds and says nothing beside its data. */
export const run = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
  const { code, data, said } = yield* spawn(args)
  assert.deepStrictEqual([code, said], [0, ""], `${args.join(" ")}: ${said}`)
  return data
})

/** Runs a command that succeeds, with `--json`. */
export const json = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
  return JSON.parse(yield* run(...args, "--json"))
})

/** What the API answers the same operator. */
export const api = Effect.fnUntraced(function*(path: string) {
  const { get } = yield* TestServer
  const reply = yield* get(`/v1/operator/${path}`, { client: "operator" })
  assert.strictEqual(reply.status, 200, reply.text)
  return reply.body
})

/** A refusal of the service, without its correlation id. */
export const refused = ({ code, data, said }: Ended) => {
  assert.deepStrictEqual([code, data], [1, ""], said)
  return said.replace(/, correlation id \S+\n$/, "")
}

/** The first line of a table. */
export const columnsOf = (table: string): string => table.split("\n")[0] ?? ""
