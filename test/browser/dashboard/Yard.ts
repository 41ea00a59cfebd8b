/** Freight at the demo facilities, for the pages to show. */
import { assert } from "vitest"
import type { Service } from "../../operations/Service.ts"

/** A shipment that was made, with the pallets in its items. */
export interface Made {
  readonly id: number
  readonly number: string
  readonly orderNumber: string
  readonly direction: "INBOUND" | "OUTBOUND"
  readonly lpns: ReadonlyArray<string>
}

/** The differences from a shipment of a few pallets that comes to Acme East. */
export interface Wanted {
  readonly business?: string
  readonly facility?: string
  readonly direction?: Made["direction"]
  readonly pallets?: number
  readonly fields?: Readonly<Record<string, unknown>>
  readonly item?: Readonly<Record<string, unknown>>
  readonly lpnPrefix?: string
  readonly supplier?: string
}

let made = 0

/** Makes freight by the interfaces that customers and towers use. */
export class Yard {
  readonly #service: Service

  constructor(service: Service) {
    this.#service = service
  }

  /** Sends the document of a shipment. */
  async shipment(wanted: Wanted = {}): Promise<Made> {
    const n = ++made
    const { business = "acme", direction = "INBOUND", facility = "east", fields = {}, item = {} } = wanted
    const lpns = Array.from(
      { length: wanted.pallets ?? 4 },
      (_, at) => `${wanted.lpnPrefix ?? "0034012345"}${String(n * 100_000 + at).padStart(8, "0")}`
    )
    const document = {
      business,
      facility,
      direction,
      shipmentNumber: `${direction === "INBOUND" ? "ASN" : "SHP"}-${4830 + n}`,
      carrier: "Northline Freight",
      trailerNumber: `TR-${7120 + n}`,
      orders: [{
        orderNumber: `PO-${9100 + n}`,
        supplier: wanted.supplier ?? "Fenland Mills",
        items: lpns.map((lpn) => ({
          lpn,
          sku: "OAT-500",
          description: "Rolled oats 500 g",
          lot: `L26-${n}`,
          quantity: 48,
          quantityUnit: "CASE",
          ...item
        }))
      }],
      ...fields
    }
    const answer = await this.#service.call(`${business}-client`, { path: "/v1/documents", body: document })
    assert.strictEqual(answer.status, 201, JSON.stringify(answer.body))
    const { id } = answer.body["shipment"] as { readonly id: number }
    return { id, number: document.shipmentNumber, orderNumber: `PO-${9100 + n}`, direction, lpns }
  }

  /** Sends a document that leaves the order of a shipment with the items of these pallets. */
  async items(
    { direction, number, orderNumber }: Made,
    lpns: ReadonlyArray<string>,
    facility = "east",
    business = "acme"
  ): Promise<void> {
    const { body, status } = await this.#service.call(`${business}-client`, {
      path: "/v1/documents",
      body: {
        business,
        facility,
        direction,
        shipmentNumber: number,
        orders: [{
          orderNumber,
          items: lpns.map((lpn) => ({ lpn, sku: "OAT-500", quantity: 48, quantityUnit: "CASE" }))
        }]
      }
    })
    assert.strictEqual(status, 201, JSON.stringify(body))
  }

  /** The id of the last document of a shipment of Acme in the record. */
  async documentOf({ number }: Made): Promise<number> {
    const { body } = await this.#service.call("acme-client", {
      method: "GET",
      path: `/v1/documents?business=acme&shipmentNumber=${number}`
    })
    return (body["items"] as ReadonlyArray<{ readonly id: number }>)[0]!.id
  }

  /** Reports pallets of a shipment, one after another; returns the pallets' ids. */
  async pallets(
    { direction, id }: Made,
    lpns: ReadonlyArray<string>,
    dock = "D1",
    facility = "east",
    business = "acme"
  ): Promise<ReadonlyArray<string>> {
    const ids: Array<string> = []
    for (const lpn of lpns) {
      const { body, status } = await this.#service.call("tower", {
        path: "/v1/pallet-events",
        body: {
          eventId: `event-${++made}`,
          business,
          facility,
          dockSlug: dock,
          direction: direction === "INBOUND" ? "UNLOADING" : "LOADING",
          occurredAt: new Date().toISOString(),
          shipmentId: id,
          labels: [{ name: "lpn", value: lpn }, { name: "sku", value: "OAT-500" }]
        }
      })
      assert.strictEqual(status, 201, JSON.stringify(body))
      ids.push(String(body["servicePalletId"]))
    }
    return ids
  }

  /** Lets a shipment arrive at a dock. */
  async arrive({ id }: Made, dockSlug = "D1"): Promise<void> {
    const { status } = await this.#service.call("tower", {
      path: `/v1/shipments/${id}/arrive`,
      body: { dockSlug }
    })
    assert.strictEqual(status, 200)
  }

  /** Reports an exception of a shipment. */
  async except({ id }: Made, fields: Readonly<Record<string, string>>): Promise<void> {
    const { body, status } = await this.#service.call("tower", {
      path: `/v1/shipments/${id}/exceptions`,
      body: { kind: "OTHER", ...fields }
    })
    assert.strictEqual(status, 201, JSON.stringify(body))
  }

  /** Lets a shipment depart. */
  async depart({ id }: Made): Promise<void> {
    const { status } = await this.#service.call("tower", { path: `/v1/shipments/${id}/depart`, body: {} })
    assert.strictEqual(status, 200)
  }
}
