/** D20.1, D20.2: Kargo's part of a service that lists the capability, and its absence from one that does not. */
import { Authenticator } from "@dockline/core/access/Authenticator"
import { RequestLimits } from "@dockline/core/access/RequestLimits"
import type * as Capability from "@dockline/core/capability/Capability"
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { DocumentReader } from "@dockline/core/document/DocumentReader"
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Memory from "@dockline/core/memory/Memory"
import * as GraphqlHandler from "@dockline/graphql-adapter/GraphqlHandler"
import { openApiOf } from "@dockline/http-adapter/openapi/OpenApiDocument"
import { Layer } from "effect"
import { assert, describe, it } from "vitest"
import { kargo } from "../src/KargoCapability.ts"
import { kargoGraphql, kargoPath } from "../src/KargoGraphql.ts"

const authenticator = Authenticator.layerPromise(async (header) =>
  header === "Key" ? { clientId: "reader", grants: [] } : null
)

/** The answers of a service with some capabilities: to a field map, to a request at Kargo's path, and its reference. */
const ask = async (capabilities: Capability.List) => {
  await using dockline = await Dockline.open({ storage: Memory.layer, capabilities })
  const places = await dockline.places([{
    slug: "acme",
    name: "Acme",
    fieldMap: [{ name: "kargoShipmentId", label: "lpn", list: false }],
    facilities: []
  }])
  const services = Layer.mergeAll(
    dockline.layer,
    authenticator,
    RequestLimits.layerNone,
    DocumentReader.layerJson().pipe(Layer.provide(dockline.layer))
  )
  await using graphql = await GraphqlHandler.make(services, { parts: [kargoGraphql] })
  const ping = new Request(`http://dockline.test${kargoPath}?query={ping}`, {
    headers: { authorization: "Key" }
  })
  return {
    fieldMap: places.ok ? "taken" : places.error.code,
    status: (await graphql.handler(ping)).status,
    serves: graphql.serves({ url: kargoPath }),
    reference: JSON.stringify(openApiOf(DocumentInput.defaultRules, true, capabilities))
  }
}

describe("a service that lists kargo", () => {
  it("serves its schema, takes its profile, and keeps its names for it", async () => {
    const { reference, ...answers } = await ask([kargo])
    assert.deepStrictEqual(answers, { fieldMap: "INVALID_REQUEST", status: 200, serves: true })
    assert.include(reference, `"enum":["dockline","kargo"]`)
  })
})

describe("a service that leaves kargo out", () => {
  it("has nothing of it: no path, no profile, no name", async () => {
    const { reference, ...answers } = await ask([])
    assert.deepStrictEqual(answers, { fieldMap: "taken", status: 404, serves: false })
    assert.notMatch(reference, /kargo/i)
  })
})
