import { aGrant } from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import * as OperatorInput from "../../src/operator/internal/OperatorInput.ts"
import { invalid, malformed, requestFaultsOf } from "../Reading.ts"
import { readWith } from "./OperatorServices.ts"

describe("D10.3, D11 clients", () => {
  const { readClient, readClientChange } = OperatorInput

  it("everything, and the least", () => {
    const grants = [aGrant("acme", ["east"], ["documents:write"]), aGrant("*", "*", ["operator"])]
    const client = { name: "WMS", grants, enabled: false }
    assert.deepStrictEqual(readWith(readClient, client), client)
    assert.deepStrictEqual(readWith(readClient, { name: "WMS", grants: [] }), { name: "WMS", grants: [] })
    assert.deepStrictEqual(readWith(readClientChange, client), client)
    assert.deepStrictEqual(readWith(readClientChange, { name: null }), {})
  })

  const acme = (fields: Record<string, unknown>) => ({ ...aGrant("acme"), ...fields })
  const wordOrList = "must be \"*\" or a list"
  const permissions =
    "must be one of documents:write, messages:read, pallets:write, shipments:write, operator"

  it.each(
    [
      [acme({ facilities: "east" }), invalid(["grants[0].facilities", wordOrList])],
      [
        acme({ facilities: { east: true } }),
        malformed(["grants[0].facilities", `${wordOrList}, not an object`])
      ],
      [
        acme({ facilities: ["east", 1, ""] }),
        malformed(
          ["grants[0].facilities[1]", "must be a string, not a number"],
          ["grants[0].facilities[2]", "is required"]
        )
      ],
      [
        acme({ permissions: ["documents:write", "root"] }),
        invalid(["grants[0].permissions[1]", permissions])
      ],
      [
        acme({ permissions: [7] }),
        malformed(["grants[0].permissions[0]", "must be a string, not a number"])
      ],
      [
        acme({ permissions: "operator" }),
        malformed(["grants[0].permissions", "must be a list, not a string"])
      ],
      [
        acme({ permissions: Array.from({ length: 6 }, () => "operator") }),
        invalid(["grants[0].permissions", "must hold at most 5 entries"])
      ],
      [
        {},
        invalid(
          ["grants[0].business", "is required"],
          ["grants[0].facilities", "is required"],
          ["grants[0].permissions", "is required"]
        )
      ],
      [
        aGrant("acme", ["east"], ["documents:write", "operator"]),
        invalid(["grants[0].facilities", "must be \"*\" in a grant with the permission operator"])
      ],
      [aGrant("*", ["east"]), invalid(["grants[0].facilities", "must be \"*\" where business is \"*\""])],
      [aGrant("*", []), invalid(["grants[0].facilities", "must be \"*\" where business is \"*\""])],
      [
        aGrant("acme", Array.from({ length: 1001 }, (_, n) => `f${n}`)),
        invalid(["grants[0].facilities", "must hold at most 1000 entries"])
      ]
    ] as const
  )("the grant %j is refused", (grant, faults) => {
    assert.deepStrictEqual(requestFaultsOf(readClient, { name: "WMS", grants: [grant] }), faults)
    assert.deepStrictEqual(requestFaultsOf(readClientChange, { grants: [grant] }), faults)
  })

  it("1,000 facilities and 100 grants are the most", () => {
    const facilities = Array.from({ length: 1000 }, (_, n) => `f${n}`)
    const grants = Array.from({ length: 100 }, () => aGrant("acme", facilities))
    assert.strictEqual(readWith(readClient, { name: "WMS", grants }).grants.length, 100)
    assert.deepStrictEqual(
      requestFaultsOf(readClient, { name: "WMS", grants: [...grants, aGrant("*", ["east"])] }),
      invalid(["grants", "must hold at most 100 entries"])
    )
  })

  it("what is missing, misspelt or of a wrong type is named", () => {
    assert.deepStrictEqual(
      requestFaultsOf(readClient, { enabled: "yes", secret: "s" }),
      malformed(
        ["enabled", "must be true or false, not a string"],
        ["secret", "is not a field of a client; check its spelling"],
        ["name", "is required"],
        ["grants", "is required"]
      )
    )
    assert.deepStrictEqual(
      requestFaultsOf(readClientChange, { name: "\n", id: "x", grants: {} }),
      malformed(
        ["name", "must not contain control characters"],
        ["id", "is not a field of a change of a client; check its spelling"],
        ["grants", "must be a list, not an object"]
      )
    )
  })
})

describe("D14.4 people", () => {
  const { readPerson, readPersonChange } = OperatorInput
  const grants = [aGrant("acme", ["east"], ["messages:read"])]

  it("are known by an address or by a subject", () => {
    for (
      const identity of [{ email: "Ada.Byron+dock@Example.com" }, {
        subject: "auth0|5f7c8ec7c33c6c004bbafe82"
      }]
    ) {
      const person = { name: "Ada", grants, ...identity }
      assert.deepStrictEqual(readWith(readPerson, person), person)
    }
    assert.deepStrictEqual(readWith(readPersonChange, { grants: [] }), { grants: [] })
  })

  const ascii = "must be an e-mail address in ASCII"

  it.each(
    [
      [{}, invalid(["email", "is required unless subject is given"])],
      [{ email: "a@b.example", subject: "s" }, invalid(["subject", "must be left out where email is given"])],
      [{ email: "ada" }, invalid(["email", ascii])],
      [{ email: "a@b@c.example" }, invalid(["email", ascii])],
      [{ email: "a da@b.example" }, invalid(["email", ascii])],
      // The sign of Kelvin becomes a k in lower case.
      [{ email: "\u212aim@b.example" }, invalid(["email", ascii])],
      [{ email: `${"a".repeat(65)}@b.example` }, invalid(["email", ascii])],
      [{ subject: "", email: "" }, invalid(["email", "is required unless subject is given"])],
      [{ subject: "a".repeat(256) }, invalid(["subject", "must be 1 to 255 printable ASCII characters"])],
      [{ email: 7 }, malformed(["email", "must be a string, not a number"])]
    ] as const
  )("%j is refused", (identity, refusal) => {
    assert.deepStrictEqual(requestFaultsOf(readPerson, { name: "Ada", grants, ...identity }), refusal)
  })
})
