/** The answers in the examples of EPCIS are those of the service: a truck is loaded, and departs. */
import { operations } from "@dockline/core/operations/Operations"
import { assert, it } from "vitest"
import * as Recording from "../../../../test/contracts/Recording.ts"
import { settingsOperations } from "../../src/domain/EpcisSettings.ts"
import { epcis, operatorRequests } from "../../src/EpcisCapability.ts"
import { epcisRest, queryEpcisEvents } from "../../src/rest/EpcisRest.ts"
import { faultsOf } from "../Judge.ts"

it("the events of a truck, and the settings of its business", async () => {
  const { ask } = await Recording.open([epcis], { parts: [epcisRest] })
  const { getEpcisSettings, setEpcisSettings } = settingsOperations
  const operate = { at: "09:00:00", client: "operator", input: { slug: "acme" } } as const
  const place = { business: "acme", facility: "east" }
  const lpn = "106141411234567897"
  const setting = await ask(setEpcisSettings, {
    ...operate,
    body: operatorRequests.setEpcisSettings.urns.value
  })
  const { shipment: { id } } = await ask<{ readonly shipment: { readonly id: number } }>(operations.submit, {
    at: "09:30:00",
    body: {
      ...place,
      direction: "OUTBOUND",
      shipmentNumber: "LOAD-1",
      trailerNumber: "TR-4711",
      orderNumber: "PO-1",
      items: [{ lpn, sku: "SKU-1", quantity: 12, quantityUnit: "CASE" }]
    }
  })
  const input = { id }
  await ask(operations.arrive, {
    at: "16:42:01",
    input,
    body: { occurredAt: "2026-11-20T16:42:00Z", dockSlug: "D1" }
  })
  await ask(operations.recordPallet, {
    at: "17:02:11.482",
    body: {
      eventId: "E-1001",
      ...place,
      dockSlug: "D1",
      direction: "LOADING",
      occurredAt: "2026-11-20T17:02:10Z",
      labels: [{ name: "lpn", value: lpn }]
    }
  })
  await ask(operations.depart, { at: "18:05:02", input, body: { occurredAt: "2026-11-20T18:05:00Z" } })
  const query = { name: queryEpcisEvents, rest: "GET /v1/epcis/events" } as const
  const answer = await ask(query, { at: "18:10:00" })
  assert.deepStrictEqual(faultsOf(answer), [])
  Recording.compare(new URL("../../src/domain/answers.json", import.meta.url), {
    answers: { queryEpcisEvents: answer },
    operatorAnswers: {
      getEpcisSettings: await ask(getEpcisSettings, operate),
      setEpcisSettings: setting
    }
  })
})
