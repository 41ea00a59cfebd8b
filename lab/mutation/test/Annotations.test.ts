/** Mutation leaves out texts for readers, and no rule. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { fieldTable, shouldIgnore } from "../annotations.ts"

const text = (value: string) => ({ type: "StringLiteral", value })
const object = { type: "ObjectExpression" }
const called = (name: string) => ({ name })
const member = (of: string, name: string) => ({
  object: { type: "Identifier", name: of },
  property: { type: "Identifier", name }
})

/** The verdict about an argument of a call, by default the last one. */
const verdictOf = (
  callee: ReturnType<typeof called> | ReturnType<typeof member>,
  args: ReadonlyArray<{ readonly type: string }>,
  at = args.length - 1
) => shouldIgnore({ node: args[at]!, parent: { type: "CallExpression", callee, arguments: args } })

describe("what is left out of mutation", () => {
  it.each([
    ["an annotation", member("Grant", "annotate"), [object]],
    ["the description of a row", member("FieldTable", "text"), [text("Lot number")]],
    ["the description of a word", member("FieldTable", "word"), [
      text("weightUnits"),
      text("Unit of weightPerUnit")
    ]],
    ["the description of a list", member("FieldTable", "list"), [
      object,
      { type: "Identifier" },
      text("Serial numbers")
    ]],
    ["the description of a field of an answer", called("shownText"), [text("Business slug")]],
    ["the description of a list of orders", called("orderNumbers"), [text("The numbers")]],
    ["the key of a service", member("Context", "Reference"), [text("@dockline/core/Settings")]]
  ])("is %s", (_, callee, args) => assert.isDefined(verdictOf(callee, args)))

  it.each([
    ["the vocabulary of a word", member("FieldTable", "word"), [text("weightUnits"), text("Unit")], 0],
    ["a kind of rows", member("FieldTable", "namesOfKinds"), [object, { type: "ArrayExpression" }], 1],
    ["the fields of a schema", member("Schema", "Struct"), [object], 0],
    ["the table of a list", member("FieldTable", "list"), [object, text("Serial numbers")], 0],
    ["another text of a service", member("Context", "Reference"), [text("dockline")], 0],
    ["a text elsewhere", called("partOf"), [text("gs1:")], 0],
    ["a text of another member", member("label", "startsWith"), [text("gs1:")], 0]
  ])("is not %s", (_, callee, args, at) => assert.isUndefined(verdictOf(callee, args, at)))

  it("is named as the rules import it", () => {
    const rule = new URL("../../../packages/core/src/shipment/Shipment.ts", import.meta.url)
    assert.include(readFileSync(rule, "utf8"), `import * as ${fieldTable} from "../values/FieldTable.ts"`)
  })

  it("is nothing that is no argument", () => {
    assert.isUndefined(shouldIgnore({ node: text("SHIPMENT"), parent: { type: "ArrayExpression" } }))
    assert.isUndefined(shouldIgnore({}))
  })
})
