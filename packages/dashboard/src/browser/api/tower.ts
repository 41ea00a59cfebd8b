/** What towers and people at the docks report of shipments, over REST. */
import { send } from "./request.ts"

const report = (path: string, body: object): Promise<unknown> =>
  send(`/api/v1/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })

/** A pallet, and where it passes. */
export interface Passing {
  readonly business: string
  readonly facility: string
  readonly dockSlug: string
  readonly shipmentId: number
  readonly direction: "LOADING" | "UNLOADING"
  readonly lpn: string
}

/** Lets a pallet pass a dock now. */
export const passPallet = ({ lpn, ...passing }: Passing): Promise<unknown> =>
  report("pallet-events", {
    ...passing,
    eventId: `dashboard-${crypto.randomUUID()}`,
    occurredAt: new Date().toISOString(),
    labels: [{ name: "lpn", value: lpn }]
  })

/** Lets a shipment arrive at a dock now. */
export const arrive = (id: number, dockSlug: string): Promise<unknown> =>
  report(`shipments/${id}/arrive`, { dockSlug })

/** Lets a shipment depart now. */
export const depart = (id: number): Promise<unknown> => report(`shipments/${id}/depart`, {})

/** Cancels a shipment that has not arrived, with its orders. */
export const cancel = (id: number): Promise<unknown> => report(`shipments/${id}/cancel`, {})
