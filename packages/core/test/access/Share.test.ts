/** Whose share work takes: a client's, within that of its business. */
import { assert, describe, it } from "@effect/vitest"
import type { Grant } from "../../src/access/Access.ts"
import * as Share from "../../src/access/Share.ts"

const grant = (business: string): Grant => ({ business, facilities: "*", permissions: ["documents:write"] })

const shareOf = (clientId: string, ...businesses: ReadonlyArray<string>) =>
  Share.ofPrincipal({ clientId, grants: businesses.map(grant) })

describe("the share of a principal", () => {
  it("is its own within that of its business, whichever clients and people that has", () => {
    const [first, second, person] = [
      shareOf("c-1", "acme"),
      shareOf("c-2", "acme", "acme"),
      shareOf("person:p-1", "acme")
    ]
    assert.strictEqual(new Set([first, second, person].map(({ client }) => client)).size, 3)
    assert.strictEqual(new Set([first, second, person].map(({ business }) => business)).size, 1)
    assert.notStrictEqual(shareOf("c-1", "globex").business, first.business)
    assert.notStrictEqual(shareOf("person:p-1").client, shareOf("person%3Ap-1").client)
  })

  it("is of all its businesses together, in whatever order, and takes nothing of theirs", () => {
    const both = shareOf("c-1", "acme", "globex").business
    assert.strictEqual(shareOf("c-2", "globex", "acme").business, both)
    assert.notInclude([shareOf("c", "acme").business, shareOf("c", "globex").business], both)
    assert.strictEqual(shareOf("c-1", "*").business, shareOf("c-2", "acme", "*").business)
    assert.notStrictEqual(shareOf("c-1", "*").business, both)
  })

  it("is its own alone without a business, as is that of a network", () => {
    assert.deepStrictEqual([shareOf("c-1").business, shareOf("c-2").business], ["client:c-1", "client:c-2"])
    const network = Share.ofNetwork("192.0.2.7")
    assert.strictEqual(network.business, network.client)
    assert.notStrictEqual(network.client, Share.ofNetwork("192.0.2.8").client)
  })
})
