/**
 * The requests of Kargo's collection, run by Postman's own runner (newman) against the service in memory and on PostgreSQL: each passes
 * (D17.1).
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as GraphqlServer from "../support/GraphqlServer.ts"
import { collection, requestCount } from "./Collection.ts"
import { credentials, places, unloaded } from "./Service.ts"

/** The part of newman's interface that is used. */
interface Newman {
  readonly run: (
    options: object,
    done: (
      error: Error | null,
      summary: {
        readonly run: {
          readonly stats: Readonly<
            Record<"requests" | "assertions", { readonly total: number; readonly failed: number }>
          >
          readonly failures: ReadonlyArray<{
            readonly source?: { readonly name?: string }
            readonly error: { readonly message: string }
          }>
        }
      }
    ) => void
  ) => void
}

const newman: Newman = createRequire(import.meta.url)("newman")

const folder = mkdtempSync(join(tmpdir(), "foreign-"))
writeFileSync(join(folder, "label.png"), new Uint8Array([137, 80, 78, 71]))

/** Runs the collection with values of its variables; returns the requests and assertions, and the failures. */
const run = (values: Readonly<Record<string, string>>) =>
  Effect.callback<
    { readonly requests: number; readonly assertions: number; readonly failures: ReadonlyArray<string> },
    Error
  >((resume) => {
    newman.run({
      collection,
      envVar: Object.entries(values).map(([key, value]) => ({ key, value })),
      workingDir: folder,
      reporters: []
    }, (error, summary) => {
      if (error !== null) return resume(Effect.fail(error))
      const { failures, stats } = summary.run
      resume(Effect.succeed({
        requests: stats.requests.total,
        assertions: stats.assertions.total,
        failures: failures.map(({ error, source }) => `${source?.name ?? ""}: ${error.message}`)
      }))
    })
  })

for (
  const [storage, server] of [
    ["memory", GraphqlServer.layerMemory()],
    ["PostgreSQL", GraphqlServer.layerPostgres()]
  ] as const
) {
  describe(`D17.1 the collection of Kargo, on ${storage}`, () => {
    layer(server, { excludeTestServices: true })((it) => {
      it.effect("passes, request by request", () =>
        Effect.gen(function*() {
          const { graphql, token } = yield* places
          const id = yield* unloaded("T-1")
          const result = yield* run({
            base_url: graphql,
            token_url: token,
            client_id: credentials.client_id,
            client_secret: credentials.client_secret,
            audience: credentials.audience,
            business: "acme",
            facility: "east",
            dock: "D1",
            shipment_id: String(id)
          })
          assert.deepStrictEqual(result, { requests: requestCount, assertions: requestCount, failures: [] })
          assert.strictEqual(requestCount, 22)
        }))
    })
  })
}
