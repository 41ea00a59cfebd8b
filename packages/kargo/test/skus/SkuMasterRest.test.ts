/** D17.4, D20.1: `/v1/sku_master` is served only if a service lists both `kargo` and `skus`. */
import { Authenticator } from "@dockline/core/access/Authenticator"
import type * as Capability from "@dockline/core/capability/Capability"
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Memory from "@dockline/core/memory/Memory"
import { skus } from "@dockline/core/skus/SkuCapability"
import * as RestHandler from "@dockline/http-adapter/RestHandler"
import { assert, describe, it } from "vitest"
import { kargo } from "../../src/KargoCapability.ts"
import { kargoSkuMaster } from "../../src/skus/SkuMasterRest.ts"

const authenticator = Authenticator.layerPromise(async () => ({
  clientId: "reader",
  grants: [{ business: "acme", facilities: "*", permissions: ["documents:write"] }]
}))

const ask = async (capabilities: Capability.List) => {
  await using dockline = await Dockline.open({ storage: Memory.layerWith([skus]), capabilities })
  await dockline.places([{ slug: "acme", name: "Acme", facilities: [{ slug: "east", name: "East" }] }])
  await using rest = await RestHandler.make(dockline.layer, { authenticator, parts: [kargoSkuMaster] })
  const get = (path: string) =>
    rest.handler(new Request(`http://localhost:8080${path}`, { headers: { authorization: "Key" } }))
  const { status } = await get("/v1/sku_master?business=acme&facility=east")
  const reference = await (await get("/v1/openapi.json")).text()
  return [status, reference.includes("sku_master")]
}

describe("the SKU master in Kargo's form", () => {
  it("is served by a service with the capabilities kargo and skus", async () => {
    assert.deepStrictEqual(await ask([skus, kargo]), [200, true])
  })

  it("is unknown to a service that leaves one of them out", async () => {
    assert.deepStrictEqual([await ask([skus]), await ask([kargo])], [[404, false], [404, false]])
  })
})
