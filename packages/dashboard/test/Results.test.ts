/**
 * The types of what pages get from the service are those of its schema: they are made of the operations of the pages and
 * the schema, and kept in a file that this test holds. `UPDATE_RESULTS=1 npx vitest run packages/dashboard/test/Results.test.ts`
 * writes it anew.
 */
import { GraphqlEngine } from "@dockline/graphql-adapter/engine/Engine"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { parse, validate } from "graphql"
import { readFileSync, writeFileSync } from "node:fs"
import { engine } from "../../graphql-adapter/test/EngineSetup.ts"
import * as operations from "../src/browser/api/operations.ts"
import * as ResultTypes from "./ResultTypes.ts"

const file = new URL("../src/browser/api/results.ts", import.meta.url)

describe("the operations of the pages", () => {
  it.effect("are valid, and their types are those of the schema", () =>
    Effect.gen(function*() {
      const { schema } = yield* GraphqlEngine
      for (const [name, { text }] of Object.entries(operations)) {
        expect(validate(schema, parse(text)), name).toEqual([])
      }
      const written = ResultTypes.write(schema, Object.values(operations).map(({ text }) => text))
      if (process.env["UPDATE_RESULTS"] !== undefined) writeFileSync(file, written)
      expect(readFileSync(file, "utf8")).toBe(written)
    }).pipe(Effect.provide(engine())))
})
