/**
 * A client in Go that genqlient generates from the names of Kargo's public schema: it compiles, reads history, and follows (D17.1). It is
 * skipped, with a message, if there is no Go.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFile, spawn, spawnSync } from "node:child_process"
import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as GraphqlServer from "../support/GraphqlServer.ts"
import * as TestServer from "../support/TestServer.ts"
import { pass, places, unloaded } from "./Service.ts"

const hasGo = spawnSync("go", ["version"]).status === 0

const root = fileURLToPath(new URL("../../", import.meta.url))

/** The compiled client stays there. */
const folder = join(root, "node_modules/.cache/foreign-go")

/** Generates and compiles the client; returns the path of the program. */
const build = async (): Promise<string> => {
  mkdirSync(join(folder, "kargo"), { recursive: true })
  cpSync(join(import.meta.dirname, "go"), folder, { recursive: true })
  cpSync(join(root, "packages/kargo/test/facts.graphql"), join(folder, "schema.graphql"))
  const go = (...parameters: ReadonlyArray<string>) => promisify(execFile)("go", parameters, { cwd: folder })
  await go("tool", "genqlient")
  await go("vet", "./...")
  await go("build", "-o", "client", ".")
  return join(folder, "client")
}

describe("D17.1 a generated client in Go", () => {
  layer(GraphqlServer.layerMemory(), { excludeTestServices: true })((it) => {
    it.effect.skipIf(!hasGo)(
      "reads a shipment and history, and follows by subscription (skipped without Go)",
      () =>
        Effect.gen(function*() {
          const { token } = yield* TestServer.TestServer
          const { graphql } = yield* places
          yield* unloaded("T-GO")
          const program = yield* Effect.promise(build)
          const env = { ...process.env, KARGO_URL: graphql, TOKEN: yield* token("acme-client") }
          const child = spawn(program, { env, stdio: ["ignore", "pipe", "pipe"] })
          const errors = text(child.stderr)
          let said = ""
          child.stdout.on("data", (data: Buffer) => void (said += String(data)))
          const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
          // The exact beginning of the subscription is unknown, so pallets pass until the program has received a message.
          for (let passed = 2; child.exitCode === null; passed++) {
            if (said.includes("following")) yield* pass("T-GO", `T-GO-P${passed}`)
            yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          }
          const status = yield* Effect.promise(() => ended)
          assert.strictEqual(status, 0, yield* Effect.promise(() => errors))
          assert.deepStrictEqual(said.trim().split("\n"), [
            "read 1 PALLET_EVENT T-GO UNLOADED 4",
            "following",
            "followed PALLET_EVENT true"
          ])
        }),
      600_000
    )
  })
})
