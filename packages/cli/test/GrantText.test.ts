/** Grants and fields as they are written on a command line. */
import { permissions } from "@dockline/core/access/Access"
import { Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import * as FieldText from "../src/FieldText.ts"

const faultOf = <A>(read: Result.Result<A, string>): string =>
  Result.match(read, {
    onFailure: (fault) => fault,
    onSuccess: (value) => `read as ${JSON.stringify(value)}`
  })

describe("a grant", () => {
  const slug = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,20}$/)
  const grant = fc.record({
    business: fc.oneof(slug, fc.constant("*")),
    facilities: fc.oneof(fc.constant("*" as const), fc.uniqueArray(slug, { minLength: 1, maxLength: 5 })),
    permissions: fc.subarray([...permissions], { minLength: 1 })
  })

  it("reads as it was written", () => {
    fc.assert(fc.property(grant, (grant) => {
      assert.deepStrictEqual(Result.getOrThrow(FieldText.readGrant(FieldText.writeGrant(grant))), grant)
    }))
  })

  it("is for all facilities when it names none", () => {
    assert.deepStrictEqual(Result.getOrThrow(FieldText.readGrant("acme=messages:read")), {
      business: "acme",
      facilities: "*",
      permissions: ["messages:read"]
    })
  })

  for (
    const [text, fault] of [
      ["acme", "business=permission,… or"],
      ["=operator", "business=permission,… or"],
      ["acme=", "business=permission,… or"],
      ["acme/=operator", "business=permission,… or"],
      ["acme/east,=operator", "facilities that are not empty"],
      ["acme=reading", "permissions instead of \"reading\": documents:write"],
      ["acme=operator,", "permissions instead of \"\": "]
    ] as const
  ) {
    it(`says what it expects instead of ${text}`, () =>
      assert.include(faultOf(FieldText.readGrant(text)), fault))
  }
})

describe("a field", () => {
  for (
    const [text, field] of [
      ["LPN=lpn", { name: "LPN", label: "lpn", list: false }],
      ["SKUs=sku:list", { name: "SKUs", label: "sku", list: true }],
      ["Ratio=a=b:c", { name: "Ratio", label: "a=b:c", list: false }]
    ] as const
  ) {
    it(`is read from ${text}`, () =>
      assert.deepStrictEqual(Result.getOrThrow(FieldText.readField(text)), field))
  }

  for (const text of ["LPN", "=lpn", "LPN=", "LPN=:list"]) {
    it(`is not read from ${text}`, () =>
      assert.include(faultOf(FieldText.readField(text)), "name=label or name=label:list, such as"))
  }

  it("is read from JSON, a whole map of them", () => {
    const map = [{ name: "LPN", label: "lpn", list: false }]
    assert.deepStrictEqual(Result.getOrThrow(FieldText.readJson(JSON.stringify(map))), map)
  })

  for (
    const text of [
      "",
      "{}",
      "[{\"name\":\"LPN\"}]",
      "[{\"name\":\"a\",\"label\":\"b\",\"list\":true,\"more\":1}]"
    ]
  ) {
    it(`is not read from the JSON ${text}`, () =>
      assert.include(faultOf(FieldText.readJson(text)), "must be a JSON list"))
  }
})
