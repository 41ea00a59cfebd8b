/** Whose share work takes: a client's, within that of its business. */
import { assert, describe, it } from "@effect/vitest"
import type { Grant } from "../../src/access/Access.ts"
import { networkShare, shareOf } from "../../src/access/RequestLimits.ts"

const grant = (business: string): Grant => ({ business, facilities: "*", permissions: ["documents:write"] })

const shareOfClient = (clientId: string, ...businesses: ReadonlyArray<string>) =>
  shareOf({ clientId, grants: businesses.map(grant) })

describe("the share of a principal", () => {
  it("is its own within that of its business, whichever clients and people that has", () => {
    const [first, second, person] = [
      shareOfClient("c-1", "acme"),
      shareOfClient("c-2", "acme", "acme"),
      shareOfClient("person:p-1", "acme")
    ]
    assert.strictEqual(new Set([first, second, person].map(({ client }) => client)).size, 3)
    assert.strictEqual(new Set([first, second, person].map(({ business }) => business)).size, 1)
    assert.notStrictEqual(shareOfClient("c-1", "globex").business, first.business)
    assert.notStrictEqual(shareOfClient("person:p-1").client, shareOfClient("person%3Ap-1").client)
  })

  it("is of all its businesses together, in whatever order, and takes nothing of theirs", () => {
    const both = shareOfClient("c-1", "acme", "globex").business
    assert.strictEqual(shareOfClient("c-2", "globex", "acme").business, both)
    assert.notInclude([shareOfClient("c", "acme").business, shareOfClient("c", "globex").business], both)
    assert.strictEqual(shareOfClient("c-1", "*").business, shareOfClient("c-2", "acme", "*").business)
    assert.notStrictEqual(shareOfClient("c-1", "*").business, both)
  })

  // @threat load.22
  it("is of all who have no grants together: a business gets no more by clients whose grants it takes away", () => {
    assert.strictEqual(shareOfClient("c-1").business, shareOfClient("c-2").business)
    assert.notStrictEqual(shareOfClient("c-1").client, shareOfClient("c-2").client)
    assert.notStrictEqual(shareOfClient("c-1").business, shareOfClient("c-1", "acme").business)
    assert.notStrictEqual(shareOfClient("c-1").business, networkShare("192.0.2.7").business)
  })

  it("is its own alone of a network", () => {
    const network = networkShare("192.0.2.7")
    assert.strictEqual(network.business, network.client)
    assert.notStrictEqual(network.client, networkShare("192.0.2.8").client)
  })
})
