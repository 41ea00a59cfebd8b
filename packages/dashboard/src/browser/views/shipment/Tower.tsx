/** The towers of a sandbox as buttons: a pallet passes, the trailer arrives, the trailer departs. */
import { useState } from "preact/hooks"
import { arriveShipment, departShipment, recordPalletEvent } from "../../api/operations.ts"
import type { Shipment } from "../../api/operations.ts"
import { run } from "../../api/request.ts"
import { slugsOf } from "../../session.ts"
import { useActions } from "../../ui/forms.ts"
import { FaultNote, Said } from "../../ui/Frame.tsx"
import { Plain } from "../../ui/Parts.tsx"
import { unseenLpns } from "./OrderCard.tsx"
import type { Seen } from "./OrderCard.tsx"
import type { Items } from "./ShipmentItems.ts"

interface TowerProps {
  readonly shown: Shipment
  readonly seen: Seen
  readonly items: Items | undefined
  readonly docks: ReadonlyArray<string>
  readonly reload: () => void
}

/** The first pallet that is expected and has not passed; `""` without one. */
const nextOf = (items: Items | undefined, seen: Seen): string => {
  const [lpn = ""] = items === undefined ? [] : unseenLpns(items, seen)
  return lpn
}

export const Tower = ({ docks, items, reload, seen, shown }: TowerProps) => {
  const { act, fault, isBusy, said } = useActions(reload)
  const [typed, setTyped] = useState<string>()
  const { business, direction, id, status } = shown
  const dock = shown.dockSlug || docks[0] || ""
  const lpn = typed ?? nextOf(items, seen)

  const pass = async () => {
    await run(recordPalletEvent, {
      input: {
        ...slugsOf(shown),
        dockSlug: dock,
        shipmentId: id,
        direction: direction === "INBOUND" ? "UNLOADING" : "LOADING",
        eventId: `dashboard-${crypto.randomUUID()}`,
        occurredAt: new Date().toISOString(),
        labels: [{ name: "lpn", value: lpn }]
      }
    })
    setTyped(undefined)
  }

  const step = status === "SCHEDULED"
    ? {
      name: "Trailer arrives",
      take: () => run(arriveShipment, { input: { shipmentId: id, dockSlug: dock } }),
      said: `The trailer has arrived at dock ${dock}.`
    }
    : {
      name: "Trailer departs",
      take: () => run(departShipment, { input: { shipmentId: id } }),
      said: "The trailer has departed."
    }

  return (
    <section class="card try no-print" aria-label="Towers of the sandbox">
      <h2>Towers of the sandbox</h2>
      <p class="soft">
        {business.name}{" "}
        has no real freight. What these buttons report is what towers report, and makes messages to its
        customer.
      </p>
      <FaultNote fault={fault} />
      <div class="buttons">
        <input
          aria-label="LPN of the pallet"
          value={lpn}
          maxLength={128}
          autocomplete="off"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <Plain
          aria-disabled={isBusy}
          disabled={lpn === "" || dock === ""}
          onClick={() => act(pass, `Pallet ${lpn} has passed dock ${dock}.`)}
        >
          Pallet passes
        </Plain>
        <Plain
          aria-disabled={isBusy}
          disabled={status === "SCHEDULED" && dock === ""}
          onClick={() => act(step.take, step.said)}
        >
          {step.name}
        </Plain>
      </div>
      <Said>{said}</Said>
    </section>
  )
}
