/**
 * The present schema is one file, `schema.sql` beside this one, which every change of it updates:
 * `UPDATE_SCHEMA=1 npx vitest run packages/sql-storage/test/schema`.
 */
import { assert } from "@effect/vitest"
import { SqlClient } from "effect/sql"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over } from "../../../../test/support/Tests.ts"
import { schemaText } from "./Catalogue.ts"

const file = join(import.meta.dirname, "schema.sql")

const heading = "-- The schema as migrations and definitions leave it, written by test/schema/Schema.test.ts."

over(TestDatabase.layer)("a migrated database", (test) => {
  test("has the schema that is reviewed", function*() {
    const sql = yield* SqlClient.SqlClient
    const text = `${heading}\n\n${yield* sql.withTransaction(schemaText)}`
    if (process.env["UPDATE_SCHEMA"] !== undefined) writeFileSync(file, text)
    assert.strictEqual(text, readFileSync(file, "utf8"))
  })
})
