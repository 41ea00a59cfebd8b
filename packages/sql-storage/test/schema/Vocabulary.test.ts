/** What SQL writes out of core's fields, words and numbers is what core has. */
import { retentionMillis } from "@dockline/core/access/Idempotency"
import { itemFields, orderFields, shipmentFields } from "@dockline/core/shipment/Shipment"
import { endingLength } from "@dockline/core/shipment/ShipmentItem"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import { assert, describe, it } from "@effect/vitest"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over } from "../../../../test/support/Tests.ts"

const read = (file: string): string => readFileSync(join(import.meta.dirname, "../../sql", file), "utf8")

/** The types of columns by the kinds of fields. */
const types = {
  text: "text",
  identifier: "text",
  key: "text",
  word: "text",
  amount: "float8",
  wholeAmount: "bigint",
  flag: "boolean",
  date: "date",
  list: "jsonb"
} as const

type Fields = Readonly<Record<string, { readonly kind: keyof typeof types }>>

const nameOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The statement of a file that begins so. */
const statementOf = (file: string, beginning: string): string => {
  const text = read(file)
  const from = text.indexOf(beginning)
  assert.isAtLeast(from, 0, `${file} has ${beginning}`)
  return text.slice(from).split(/;\n\n(?=\S)/, 1)[0] ?? ""
}

describe("each field of core", () => {
  const tables: Readonly<Record<string, Fields>> = {
    shipment: shipmentFields,
    customer_order: orderFields,
    order_item: itemFields
  }
  it.each(Object.entries(tables))("of %s has its column", (table, fields) => {
    const file = "0001_initial.sql"
    const statement = statementOf(file, `create table dockline.${table} (`)
    const lacking = Object.entries(fields).filter(([field, { kind }]) =>
      !new RegExp(`^  ${nameOf(field)} ${types[kind]}\\b`, "m").test(statement)
    )
    assert.deepStrictEqual(
      lacking.map(([field]) => `${file} lacks ${table}.${nameOf(field)} of ${field}`),
      []
    )
  })

  it.each(Object.entries(tables))(
    "of %s is written by intake_apply, and changed unless it is fixed",
    (table, fields) => {
      const file = "intake.sql"
      const statement = statementOf(file, "create or replace function dockline.intake_apply(")
      const insertion = new RegExp(`insert into dockline\\.${table} \\((.*?)\\)`, "s").exec(statement)?.[1] ??
        ""
      const update = Array.from(
        statement.matchAll(new RegExp(`update dockline\\.${table} \\w set\\s(.*?)\\n    from`, "gs")),
        ([, set]) => set
      ).join()
      const lacking = Object.entries(fields).flatMap(([field, { kind }]) => [
        ...new RegExp(`\\b${nameOf(field)}\\b`).test(insertion)
          ? []
          : [`${file} does not insert ${table}.${nameOf(field)}`],
        ...kind === "key" || new RegExp(`\\b${nameOf(field)} = `).test(update)
          ? []
          : [`${file} does not change ${table}.${nameOf(field)}`]
      ])
      assert.deepStrictEqual(lacking, [])
    }
  )

  it("of items is shown by items_of_shipment, in its order", () => {
    const file = "shipments.sql"
    const statement = statementOf(file, "create or replace function dockline.items_of_shipment(")
    const columns = /json_build_array\(i\.id::text, (.*?)\)\)\n/s.exec(statement)?.[1]
    assert.deepStrictEqual(
      Array.from(columns?.matchAll(/\bi\.(\w+)/g) ?? [], ([, name]) => `${file}: ${name}`),
      Object.keys(itemFields).map((field) => `${file}: ${nameOf(field)}`)
    )
  })
})

describe("a number of core", () => {
  it.each([
    ["basics.sql", `lower(right(p_lpn, ${endingLength}) collate "C")`],
    ["search.sql", `lower(right(t.number, ${endingLength}) collate "C") = p_ending`],
    ["answers.sql", `- ${retentionMillis} * interval '1 millisecond'`]
  ])("is in %s", (file, text) => assert.include(read(file), text))
})

over(TestDatabase.layer)("the functions of the schema", (test) => {
  test("know the types of messages of the contract", function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly types: ReadonlyArray<string> }>`select
      dockline.message_types() as types`
    assert.deepStrictEqual(row?.types, messageTypes)
  })
})
