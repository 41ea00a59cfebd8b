/** What SQL has written out of core's words and numbers is what core has. */
import { messageTypes } from "@dockline/core/values/Vocabulary"
import { assert } from "@effect/vitest"
import { SqlClient } from "effect/sql"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over } from "../../../../test/support/Tests.ts"

over(TestDatabase.layer)("the functions of the schema", (test) => {
  test("know the types of messages of the contract", function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<
      { readonly types: ReadonlyArray<string> }
    >`select dockline.message_types() as types`
    assert.deepStrictEqual(row?.types, messageTypes)
  })
})
