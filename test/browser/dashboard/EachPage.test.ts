/**
 * D14.1: each page of the dashboard as each demo client, in a real browser. A client sees the entities of its places and nothing of others,
 * and where it may not see a page, the page says so.
 */
import * as DemoData from "@dockline/server/lifecycle/DemoData"
import { assert, describe, it } from "@effect/vitest"
import type { Page } from "playwright-core"
import * as Chromium from "../Chromium.ts"
import { begin, endpointOf, site, visitAt, yard } from "./Scene.ts"
import type { Made } from "./Yard.ts"

const places = ["acme/east", "acme/west", "globex/main"] as const

type Place = (typeof places)[number]

/** A shipment at a place, at its dock with one of its pallets, with the texts to look for. */
interface There extends Made {
  readonly place: Place
  readonly facility: string
  readonly palletId: string
  readonly documentId: number
}

/** The rights of a client: its places, those whose messages it reads, and whether it operates the service. */
interface Sight {
  readonly sees: ReadonlyArray<Place>
  readonly reads: ReadonlyArray<Place>
  readonly operates: boolean
}

const sights: Readonly<Record<string, Sight>> = {
  "acme-client": { sees: ["acme/east", "acme/west"], reads: ["acme/east", "acme/west"], operates: false },
  "acme-east-client": { sees: ["acme/east"], reads: ["acme/east"], operates: false },
  "globex-client": { sees: ["globex/main"], reads: ["globex/main"], operates: false },
  tower: { sees: places, reads: [], operates: false },
  operator: { sees: places, reads: [], operates: true }
}

const names: Readonly<Record<Place, string>> = {
  "acme/east": "Acme East",
  "acme/west": "Acme West",
  "globex/main": "Globex Main"
}

let everywhere: ReadonlyArray<There>
let endpointId: string
let messageId: number

const makeThere = async (place: Place): Promise<There> => {
  const [business, facility] = place.split("/") as [string, string]
  const made = await yard.shipment({ business, facility, fields: { dockSlug: "D1" } })
  const [palletId] = await yard.pallets(made, made.lpns.slice(0, 1), "D1", facility, business)
  await yard.except(made, { priority: "LOW", description: "Wet" })
  const { body } = await site.service.call(`${business}-client`, {
    method: "GET",
    path: `/v1/documents?shipmentNumber=${made.number}`
  })
  const [record] = body["items"] as ReadonlyArray<{ readonly id: number }>
  return { ...made, place, facility, palletId: palletId!, documentId: record!.id }
}

/** The lists of a place, with a text on each. */
const lists: Readonly<Record<string, (there: There) => string>> = {
  docks: ({ number }) => number,
  day: () => "From arrival to departure",
  shipments: ({ number }) => number,
  exceptions: ({ number }) => number,
  messages: ({ number }) => number,
  documents: ({ number }) => number,
  trace: () => "Trace goods for a recall"
}

/** The pages of one entity at a place, with their headings. */
const details = (there: There): ReadonlyArray<readonly [path: string, heading: string]> => [
  [`/shipments/${there.id}`, there.number],
  [`/shipments/${there.id}/pallets/${there.palletId}`, there.lpns[0]!],
  [`/documents/${there.documentId}`, `Document ${there.documentId}`]
]

/** The pages of operators, with a text on each. */
const operators = (): ReadonlyArray<readonly [path: string, shown: string]> => [
  ["/webhooks", "https://wms.globex.example"],
  [`/webhooks/${endpointId}`, "https://wms.globex.example"],
  ["/businesses", "Globex"],
  ["/businesses/globex", "Globex Main"],
  ["/businesses/globex/field-map", "Preview with a recent pallet"],
  ["/businesses/globex/facilities/main", "D1"],
  [`/businesses/globex/messages/${messageId}`, "Other type"],
  ["/clients", "globex-client"],
  ["/clients/globex-client", "globex-client"],
  ["/audit", "Webhook created"],
  ["/people", "Nobody can sign in with the provider yet"]
]

/** Checks that a page shows nothing of other places, and no technical values. */
const checkText = async (page: Page, { operates, sees }: Sight, path: string): Promise<void> => {
  const text = await page.locator("main").innerText()
  for (const { lpns, number, place } of everywhere) {
    if (sees.includes(place)) continue
    for (const foreign of [number, ...lpns, names[place]]) assert.notInclude(text, foreign, path)
  }
  if (!operates) assert.notInclude(text, "wms.globex.example", path)
  assert.notMatch(text, /undefined|\[object|NaN|FORBIDDEN|NOT_FOUND|Bad Request|Internal Server Error/, path)
}

describe.skipIf(Chromium.isSkipped)("each page of the dashboard", { timeout: 180_000 }, () => {
  begin(async () => {
    const made: Array<There> = []
    for (const place of places) made.push(await makeThere(place))
    everywhere = made
    const { id } = await endpointOf({
      business: "globex",
      baseUrl: "https://wms.globex.example",
      messageTypes: ["SHIPMENT_COMPLETE"],
      enabled: false
    })
    endpointId = String(id)
    const messages = { method: "GET", path: "/v1/messages?business=globex" }
    const { body } = await site.service.call("globex-client", messages)
    messageId = (body["items"] as ReadonlyArray<{ readonly id: number }>)[0]!.id
  })

  it("is visited by each demo client", () => {
    assert.deepStrictEqual(Object.keys(sights).sort(), Object.keys(DemoData.grants).sort())
  })

  for (const [client, sight] of Object.entries(sights)) {
    it(`D14.1 as ${client}: what is at ${sight.sees.join(", ")}, and kind words for the rest`, async () => {
      const { follow, page } = await visitAt("/nowhere", client)
      await page.getByRole("heading", { name: "There is no such page" }).waitFor()
      for (const there of everywhere) {
        const isSeen = sight.sees.includes(there.place)
        for (const [list, shown] of Object.entries(lists)) {
          const path = `/${list}?at=${there.place}`
          await follow(path)
          if (!isSeen) await page.getByLabel("Facility").waitFor()
          else if (list === "messages" && !sight.reads.includes(there.place)) {
            await page.getByRole("heading", {
              name: `You may not read the messages of ${names[there.place]}`
            }).waitFor()
          } else await page.locator("main").getByText(shown(there)).first().waitFor()
          await checkText(page, sight, path)
        }
        for (const [path, heading] of details(there)) {
          await follow(path)
          if (isSeen) await page.getByRole("heading", { name: heading }).first().waitFor()
          else assert.include(await page.getByRole("alert").innerText(), "There is no", path)
          await checkText(page, sight, path)
        }
      }
      for (const [path, shown] of operators()) {
        await follow(path)
        if (sight.operates) await page.locator("main").getByText(shown).first().waitFor()
        else await page.getByRole("heading", { name: "There is no such page" }).waitFor()
        await checkText(page, sight, path)
      }
    })
  }
})
