/** The answers of the examples of the contract are those of the service. */
import type * as Operation from "@dockline/core/access/Operation"
import * as OperationExamples from "@dockline/core/operations/OperationExamples"
import { documentExamples } from "@dockline/core/operations/OperationExamples"
import { operations } from "@dockline/core/operations/Operations"
import type { Operations } from "@dockline/core/operations/Operations"
import { requests } from "@dockline/core/operator/DeclaredExamples"
import { operatorOperations as operators } from "@dockline/core/operator/OperatorOperations"
import type { OperatorOperations } from "@dockline/core/operator/OperatorOperations"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import { it } from "vitest"
import * as Recording from "../../../../test/contracts/Recording.ts"
import { eventually } from "../../../../test/support/Eventually.ts"

const at = "17:06:00"

/** The operations of operators that answer anything. */
type Answering = {
  readonly [Name in keyof OperatorOperations]: [Operation.AnswerView<OperatorOperations[Name]>] extends [void]
    ? never
    : Name
}[keyof OperatorOperations]

it("operations of clients", async () => {
  const recorder = await Recording.open()
  const { ask, entriesOf } = recorder
  const freight = Recording.freight(recorder)
  const { id } = freight
  const { created, other, updated } = await freight.expect()
  const before = "10:05:00"
  const ofShipment = { shipmentNumber: "SHP-1001" }
  const [entry] = await entriesOf<{ readonly id: number }>(operations.documents, {
    at: before,
    input: ofShipment
  })
  const freshShipment = {
    document: await ask(operations.document, { at: before, input: { id: entry!.id } }),
    documents: [entry],
    shipment: await ask(operations.shipment, { at: before, input: { id } }),
    shipments: await entriesOf(operations.shipments, { at: before, input: ofShipment }),
    orders: await entriesOf(operations.orders, { at: before, input: { orderNumber: "SO-1001" } }),
    items: await entriesOf(operations.items, { at: before, input: { id } })
  }
  const { wrongPallet: _, ...stepsOfFreight } = await freight.load()
  const pallets = await entriesOf<{ readonly id: string }>(operations.shipmentPallets, { at, input: { id } })
  const there = {
    pallet: await ask(operations.pallet, { at, input: { id, palletId: pallets[0]!.id } }),
    shipmentPallets: pallets.slice(0, 1),
    pallets: await entriesOf(operations.pallets, { at, input: { lpn: "000123" } }),
    search: await entriesOf(operations.search, { at, input: { text: "000123" } }),
    dockBoard: await ask(operations.dockBoard, { at, input: { business: "acme", facility: "east" } }),
    discrepancies: await entriesOf(operations.discrepancies, { at, input: { id } }),
    link: await ask(operations.link, {
      at,
      input: { id },
      body: OperationExamples.requests.link["link"]!.value
    })
  }
  const depart = await freight.depart()
  const third = await ask<typeof other>(operations.submit, {
    at: "18:10:00",
    body: documentExamples(2)["overwrite"]!.document
  })
  const cancel = await ask(operations.cancel, {
    at: "18:11:00",
    input: { id: third.shipment.id },
    body: OperationExamples.requests.cancel["now"]!.value
  })
  const messages = await entriesOf<{ readonly messageType: string; readonly message: object }>(
    operations.messages,
    { at: "18:12:00", input: { business: "acme" } }
  )
  const first = (type: string) => messages.find(({ messageType }) => messageType === type)!
  // The compiler asks for each.
  const answers: Readonly<Record<Exclude<keyof Operations, "submit">, unknown>> = {
    ...freshShipment,
    ...stepsOfFreight,
    ...there,
    depart,
    cancel,
    messages: [first("PALLET_EVENT")]
  }
  Recording.compare(new URL("../../../core/src/operations/answers.json", import.meta.url), {
    submit: { created, updated },
    answers,
    payloads: Object.fromEntries(messageTypes.map((type) => [type, first(type).message]))
  })
})

it("operations of operators", async () => {
  const recorder = await Recording.open()
  const freight = Recording.freight(recorder)
  const ask = <Answer = Readonly<Record<string, unknown>>>(
    name: keyof typeof operators,
    input: Readonly<Record<string, string>> = {},
    body?: { readonly value: unknown },
    at = "16:00:00"
  ) => recorder.ask<Answer>(operators[name], { at, input, body: body?.value, client: "operator" })
  const slug = "acme"
  const facility = "east"
  const place = { slug, facility }
  const { client, endpoint, person } = {
    client: await ask<{ readonly id: string }>("createClient", {}, requests.createClient["customer"]),
    endpoint: await ask<{ readonly id: string }>(
      "createWebhookEndpoint",
      {},
      requests.createWebhookEndpoint["token"]
    ),
    person: await ask<{ readonly id: string }>("addPerson", {}, requests.addPerson["email"])
  }
  const ofClient = { clientId: client.id }
  const ofPerson = { personId: person.id }
  const ofEndpoint = { endpointId: endpoint.id }
  const before = {
    listBusinesses: await ask("listBusinesses"),
    createBusiness: await ask("createBusiness", {}, requests.createBusiness["business"]),
    getBusiness: await ask("getBusiness", { slug }),
    getFieldMap: await ask("getFieldMap", { slug }),
    setFieldMap: await ask("setFieldMap", { slug }, requests.setFieldMap["fields"]),
    createFacility: await ask("createFacility", { slug }, requests.createFacility["facility"]),
    updateFacility: await ask("updateFacility", place, requests.updateFacility["timeZone"]),
    listFacilities: await ask("listFacilities", { slug, limit: "1" }),
    getFacility: await ask("getFacility", place),
    createDock: await ask("createDock", place, requests.createDock["dock"]),
    listDocks: await ask("listDocks", place),
    createClient: client,
    getClient: await ask("getClient", ofClient),
    addClientGrants: await ask("addClientGrants", ofClient, requests.addClientGrants["place"]),
    withdrawClientGrants: await ask("withdrawClientGrants", ofClient, requests.withdrawClientGrants["place"]),
    createSecret: await ask("createSecret", ofClient),
    updateClient: await ask("updateClient", ofClient, requests.updateClient["disable"]),
    listClients: await ask("listClients"),
    addPerson: person,
    getPerson: await ask("getPerson", ofPerson),
    updatePerson: await ask("updatePerson", ofPerson, requests.updatePerson["grants"]),
    addPersonGrants: await ask("addPersonGrants", ofPerson, requests.addPersonGrants["place"]),
    withdrawPersonGrants: await ask("withdrawPersonGrants", ofPerson, requests.withdrawPersonGrants["place"]),
    listPeople: await ask("listPeople"),
    createWebhookEndpoint: endpoint,
    getWebhookEndpoint: await ask("getWebhookEndpoint", ofEndpoint),
    testWebhookEndpoint: await ask(
      "testWebhookEndpoint",
      ofEndpoint,
      requests.testWebhookEndpoint["departure"]
    )
  }
  await freight.expect()
  await recorder.ask(operations.recordPallet, {
    at: "17:02:11.482",
    body: OperationExamples.requests.recordPallet["byLpn"]!.value
  })
  interface DeliveryList {
    readonly items: ReadonlyArray<{ readonly id: string; readonly attempts: ReadonlyArray<object> }>
  }
  const listDeliveries = await recorder.sendingWebhooks(
    "17:10:00",
    () =>
      eventually("the first attempt", async () => {
        const page = await ask<DeliveryList>("listDeliveries", ofEndpoint, undefined, "17:10:00")
        return page.items[0]?.attempts.length === 1 && page
      })
  )
  const delivery = { ...ofEndpoint, deliveryId: listDeliveries.items[0]!.id }
  const after = {
    listDeliveries,
    getDelivery: await ask("getDelivery", delivery, undefined, "17:10:00"),
    getMessage: await ask("getMessage", { slug, messageId: delivery.deliveryId }, undefined, "17:10:00"),
    updateWebhookEndpoint: await ask(
      "updateWebhookEndpoint",
      ofEndpoint,
      requests.updateWebhookEndpoint["move"],
      "17:20:00"
    ),
    listWebhookEndpoints: await ask("listWebhookEndpoints", {}, undefined, "17:20:00"),
    rotateSigningSecret: await ask("rotateSigningSecret", ofEndpoint, undefined, "17:20:00"),
    replayDeliveries: await ask("replayDeliveries", ofEndpoint, requests.replayDeliveries["ids"], "17:20:00"),
    renameBusiness: await ask("renameBusiness", { slug }, requests.renameBusiness["name"], "17:20:00"),
    listAudit: await ask("listAudit", { subject: `clients/${client.id}` }, undefined, "17:20:00"),
    advanceMessages: await ask("advanceMessages", {}, requests.advanceMessages["beyond"], "17:20:00")
  }
  const answers: Readonly<Record<Answering, unknown>> = { ...before, ...after }
  Recording.compare(new URL("../../../core/src/operator/answers.json", import.meta.url), {
    answers
  })
})
