/** What towers report of pallets, over REST. */
import { send } from "./request.ts"

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
  send("/api/v1/pallet-events", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      ...passing,
      eventId: `dashboard-${crypto.randomUUID()}`,
      occurredAt: new Date().toISOString(),
      labels: [{ name: "lpn", value: lpn }]
    })
  })
