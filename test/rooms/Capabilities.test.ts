/** D20.1: a capability that a program leaves out is absent from all of its interfaces. */
import type { Principal, ReadScope } from "@dockline/core/access/Access"
import { day } from "@dockline/core/day/DayCapability"
import * as Dockline from "@dockline/core/embed/Dockline"
import { exceptions } from "@dockline/core/exceptions/ExceptionCapability"
import { ExceptionStore } from "@dockline/core/exceptions/Exceptions"
import * as Memory from "@dockline/core/memory/Memory"
import { skus } from "@dockline/core/skus/SkuCapability"
import { SkuStore } from "@dockline/core/skus/Skus"
import { trace } from "@dockline/core/trace/TraceCapability"
import * as GraphqlHandler from "@dockline/graphql-adapter/GraphqlHandler"
import * as RestHandler from "@dockline/http-adapter/RestHandler"
import { capabilities, capabilitiesOf } from "@dockline/server/Capabilities"
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"

const baseUrl = "https://dockline.example"

const reader: Principal = {
  clientId: "desk",
  grants: [{ business: "acme", facilities: "*", permissions: ["documents:write"] }]
}

/** The requests to the interfaces of a service, and the texts of the interfaces. */
const interfacesOf = async (dockline: Pick<Dockline.Dockline, "layer">, paths: ReadonlyArray<string>) => {
  await using rest = await RestHandler.make(dockline.layer, {
    baseUrl,
    clients: [{ id: "desk", secret: "secret", grants: reader.grants }]
  })
  await using graphql = await GraphqlHandler.make(rest.layer)
  const ask = (path: string, init?: RequestInit) => rest.handler(new Request(`${baseUrl}${path}`, init))
  const granted = await ask("/oauth/token", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_id: "desk",
      client_secret: "secret",
      audience: `${baseUrl}/public_graphql`,
      grant_type: "client_credentials"
    })
  })
  const { access_token } = await granted.json() as { readonly access_token: string }
  const authorization = `Bearer ${access_token}`
  const answers = await Promise.all(paths.map(async (path) => {
    const response = await ask(path, { headers: { authorization } })
    return [response.status, await response.text()] as const
  }))
  const query = async (text: string) => {
    const response = await graphql.handler(
      new Request(`${baseUrl}/public_graphql`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ query: text })
      })
    )
    return await response.json() as unknown
  }
  const sdl = await graphql.handler(new Request(`${baseUrl}/public_graphql/schema.graphql`))
  return {
    answers,
    queried: await query(itemsQuery),
    openapi: await (await ask("/v1/openapi.json")).text(),
    sdl: await sdl.text()
  }
}

const itemsQuery = "{ shipment(id: 1) { items { nodes { lpn skuDescription casesPerPallet } } } }"

const addAcme = (dockline: Pick<Dockline.Dockline, "places">) =>
  dockline.places([{ slug: "acme", name: "Acme", facilities: [{ slug: "east", name: "East" }] }])

describe("the trace of goods", () => {
  it("is in every interface of a service that takes it", async () => {
    await using dockline = await Dockline.open({ storage: Memory.layerWith([trace]), capabilities: [trace] })
    await addAcme(dockline)
    const traced = await dockline.trace({ lot: "L-1" }, reader)
    assert.deepStrictEqual(traced, { ok: true, value: { items: [], next: null } })
    const { answers: [traces], openapi, sdl } = await interfacesOf(dockline, ["/v1/trace?lot=L-1"])
    assert.strictEqual(traces?.[0], 200)
    assert.include(openapi, "\"/v1/trace\"")
    assert.include(sdl, "TraceEntry")
  })

  it("is in none of a service that leaves it out", async () => {
    await using dockline = await Dockline.open({ storage: Memory.layer })
    assert.notProperty(dockline, "trace")
    await addAcme(dockline)
    const { answers: [traces], openapi, sdl } = await interfacesOf(dockline, ["/v1/trace?lot=L-1"])
    assert.strictEqual(traces?.[0], 404)
    assert.notMatch(openapi, /\/v1\/trace|TraceEntry/)
    assert.notMatch(sdl, /TraceEntry/)
  })
})

describe("days", () => {
  const paths = ["/v1/day?business=acme&facility=east", "/v1/day/shipments?business=acme&facility=east"]

  it("are in every interface of a service that takes them", async () => {
    await using dockline = await Dockline.open({ storage: Memory.layerWith([day]), capabilities: [day] })
    await addAcme(dockline)
    const shown = await dockline.dayShipments({ business: "acme", facility: "east" }, reader)
    assert.deepStrictEqual(shown, { ok: true, value: { items: [], next: null } })
    const { answers, openapi, sdl } = await interfacesOf(dockline, paths)
    assert.deepStrictEqual(answers.map(([status]) => status), [200, 200])
    assert.include(openapi, "\"/v1/day/shipments\"")
    assert.include(sdl, "enum DayGroupKind")
  })

  it("are in none of a service that leaves them out", async () => {
    await using dockline = await Dockline.open({ storage: Memory.layer })
    assert.notProperty(dockline, "day")
    assert.notProperty(dockline, "dayShipments")
    await addAcme(dockline)
    const { answers, openapi, sdl } = await interfacesOf(dockline, paths)
    assert.deepStrictEqual(answers.map(([status]) => status), [404, 404])
    assert.notMatch(openapi, /\/v1\/day|DayGroup|DayShipment/)
    assert.notMatch(sdl, /DayGroup|DayShipment/)
  })
})

describe("the SKU master", () => {
  const place = { business: "acme", facility: "east" }
  const itemOf = (lpn: string, sku: string, description: string) => ({
    lpn,
    sku,
    description,
    quantity: 1,
    quantityUnit: "CASE" as const
  })
  const document = {
    ...place,
    direction: "OUTBOUND",
    orderNumber: "SO-1",
    items: [
      itemOf("L1", "S1", ""),
      itemOf("L2", "S1", "Oats"),
      itemOf("L3", "S2", ""),
      itemOf("L4", "none", "")
    ]
  } as const
  const paths = [
    "/v1/skus?business=acme&facility=east",
    "/v1/shipments/1/items",
    "/v1/shipments/1/items?find=nothing"
  ]

  it("says what it knows of the items of a shipment, in every interface of a service that takes it", async () => {
    await using dockline = await Dockline.open({ storage: Memory.layerWith([skus]), capabilities: [skus] })
    await addAcme(dockline)
    const set = { ...place, skus: [{ id: "S1", description: "Oat drink", casesPerPallet: 60 }, { id: "S2" }] }
    assert.isTrue((await dockline.setSkus(set, reader)).ok)
    assert.isTrue((await dockline.submit(document, reader)).ok)
    const items = await dockline.items(1, {}, reader)
    assert.isTrue(items.ok)
    const words = items.ok
      ? items.value.items.map((
        { casesPerPallet, lpn, skuDescription }
      ) => [lpn, skuDescription, casesPerPallet])
      : []
    assert.deepStrictEqual(words, [["L1", "Oat drink", 60], ["L2", "", 60], ["L3", "", 0], ["L4", "", 0]])
    const { answers, openapi, queried, sdl } = await interfacesOf(dockline, paths)
    assert.deepStrictEqual(answers.map(([status]) => status), [200, 200, 200])
    const [, [, shown], [, none]] = answers as [unknown, [number, string], [number, string]]
    assert.deepStrictEqual(JSON.parse(shown).items, items.ok ? items.value.items : [])
    assert.deepStrictEqual(JSON.parse(none).items, [])
    assert.deepStrictEqual(queried, {
      data: {
        shipment: {
          items: {
            nodes: words.map(([lpn, skuDescription, casesPerPallet]) => ({
              lpn,
              skuDescription,
              casesPerPallet
            }))
          }
        }
      }
    })
    for (const text of [openapi, sdl]) assert.include(text, "casesPerPallet")
  })

  it("is in no interface of a service that leaves it out, and adds nothing to items", async () => {
    await using dockline = await Dockline.open({ storage: Memory.layer })
    assert.notProperty(dockline, "setSkus")
    await addAcme(dockline)
    assert.isTrue((await dockline.submit(document, reader)).ok)
    const items = await dockline.items(1, {}, reader)
    assert.deepStrictEqual(items.ok && items.value.items.map((item) => "casesPerPallet" in item), [
      false,
      false,
      false,
      false
    ])
    const { answers, openapi, queried, sdl } = await interfacesOf(dockline, paths)
    assert.deepStrictEqual(answers.map(([status]) => status), [404, 200, 200])
    assert.notInclude(answers[1]?.[1], "casesPerPallet")
    assert.notProperty(queried, "data")
    for (const text of [openapi, sdl]) {
      assert.notMatch(text, /casesPerPallet|skuDescription|SetSkus/)
    }
  })

  it("asks the storage once for a page of items", async () => {
    const asked: Array<ReadonlyArray<string>> = []
    const counted = Layer.effect(
      SkuStore,
      Effect.map(SkuStore, (store) => ({
        ...store,
        descriptionsFor: (id: number, ids: ReadonlyArray<string>, reader: ReadonlyArray<ReadScope>) => {
          asked.push(ids)
          return store.descriptionsFor(id, ids, reader)
        }
      }))
    )
    const storage = Layer.provideMerge(counted, Memory.layerWith([skus]))
    await using dockline = await Dockline.open({ storage, capabilities: [skus] })
    await addAcme(dockline)
    await dockline.submit(document, reader)
    assert.isTrue((await dockline.items(1, {}, reader)).ok)
    assert.deepStrictEqual(asked, [["S1", "S2", "none"]])
    assert.isTrue((await dockline.items(1, { find: "nothing" }, reader)).ok)
    assert.lengthOf(asked, 1)
  })
})

describe("exceptions", () => {
  const place = { business: "acme", facility: "east" }
  const paths = [
    "/v1/exceptions",
    "/v1/schemas/EXCEPTION_REPORTED.json",
    "/v1/dock-boards/acme/east",
    "/v1/day?business=acme&facility=east",
    "/v1/day/shipments?business=acme&facility=east&counted=openExceptions",
    "/v1/messages?business=acme&messageType=EXCEPTION_REPORTED"
  ]
  const document = { ...place, direction: "INBOUND", orderNumber: "PO-1", items: [] } as const
  const writer: Principal = {
    clientId: "desk",
    grants: [{
      business: "acme",
      facilities: "*",
      permissions: ["documents:write", "messages:read", "shipments:write"]
    }]
  }
  const report = { kind: "DAMAGED", priority: "HIGH", description: "Wet" } as const

  it("are counted at boards and days, and told by messages, in every interface of a service that takes them", async () => {
    const taken = [exceptions, day] as const
    await using dockline = await Dockline.open({ storage: Memory.layerWith(taken), capabilities: taken })
    await addAcme(dockline)
    assert.isTrue((await dockline.submit(document, writer)).ok)
    assert.isTrue((await dockline.arrive(1, {}, writer)).ok)
    assert.isTrue((await dockline.reportException(1, report, writer)).ok)
    const board = await dockline.dockBoard("acme", "east", writer)
    assert.deepStrictEqual(
      board.ok
        ? [
          board.value.openExceptions,
          board.value.urgentExceptions,
          board.value.docks.flatMap(({ shipments }) => shipments.map((each) => each.urgentExceptions))
        ]
        : board.error,
      [1, 1, [1]]
    )
    const counted = await dockline.day(place, writer)
    const [total] = counted.ok ? counted.value.items : []
    assert.deepStrictEqual([total?.shipments, total?.exceptions, total?.openExceptions], [1, 1, 1])
    const told = await dockline.messages({ business: "acme", types: ["EXCEPTION_REPORTED"] }, writer)
    assert.deepStrictEqual(told.ok && told.value.map(({ type }) => type), ["EXCEPTION_REPORTED"])
    const { answers, openapi, sdl } = await interfacesOf(dockline, paths)
    assert.deepStrictEqual(answers.map(([status]) => status), [200, 200, 200, 200, 200, 403])
    const shown = JSON.parse(answers[4]?.[1] ?? "") as { readonly items: ReadonlyArray<object> }
    assert.deepInclude(shown.items[0], { exceptions: 1, openExceptions: 1 })
    for (const text of [openapi, sdl]) {
      for (const word of ["EXCEPTION_REPORTED", "openExceptions", "ExceptionKind"]) {
        if (text === sdl || word !== "ExceptionKind") assert.include(text, word)
      }
    }
  })

  it("are in no interface of a service that leaves them out, and nothing is counted", async () => {
    await using dockline = await Dockline.open({ storage: Memory.layerWith([day]), capabilities: [day] })
    assert.notProperty(dockline, "reportException")
    await addAcme(dockline)
    assert.isTrue((await dockline.submit(document, writer)).ok)
    const { answers, openapi, sdl } = await interfacesOf(dockline, paths)
    assert.deepStrictEqual(answers.map(([status]) => status), [404, 404, 200, 200, 400, 400])
    for (const text of [openapi, sdl, answers[2]?.[1] ?? "", answers[3]?.[1] ?? ""]) {
      assert.notMatch(text, /exception/i)
    }
  })

  it("ask the storage once for a board and once for a day", async () => {
    const taken = [exceptions, day] as const
    const asked: Array<number> = []
    const counted = Layer.effect(
      ExceptionStore,
      Effect.map(ExceptionStore, (store) => ({
        ...store,
        countsOf: (...given: Parameters<typeof store.countsOf>) => {
          asked.push(given[1].length)
          return store.countsOf(...given)
        }
      }))
    )
    const storage = Layer.provideMerge(counted, Memory.layerWith(taken))
    await using dockline = await Dockline.open({ storage, capabilities: taken })
    await addAcme(dockline)
    assert.isTrue((await dockline.dockBoard("acme", "east", writer)).ok)
    assert.deepStrictEqual(asked, [])
    for (const orderNumber of ["PO-1", "PO-2"]) await dockline.submit({ ...document, orderNumber }, writer)
    assert.isTrue((await dockline.dockBoard("acme", "east", writer)).ok)
    assert.isTrue((await dockline.day(place, writer)).ok)
    assert.deepStrictEqual(asked, [2, 2])
  })
})

describe("the server", () => {
  it("has the capabilities that its settings name", () => {
    const names = capabilities.map(({ name }) => name)
    assert.deepStrictEqual(capabilitiesOf(names), capabilities)
    assert.deepStrictEqual(capabilitiesOf([]), [])
  })
})
