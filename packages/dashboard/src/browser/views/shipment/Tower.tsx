/** The towers of a sandbox as buttons: a pallet passes, the trailer arrives, the trailer departs. */
import { useState } from "preact/hooks"
import { arriveShipment, departShipment } from "../../api/operations.ts"
import { faultOf, run } from "../../api/request.ts"
import type { Fault } from "../../api/request.ts"
import { passPallet } from "../../api/tower.ts"
import { FaultNote } from "../../ui/Parts.tsx"
import { unseenLpns } from "./OrderCard.tsx"
import type { Seen, Shown } from "./OrderCard.tsx"
import type { Items } from "./ShipmentItems.ts"

interface TowerProps {
  readonly shown: Shown
  readonly seen: Seen
  readonly items: Items | undefined
  /** The docks of the facility. */
  readonly docks: ReadonlyArray<string>
  readonly reload: () => void
}

/** The first pallet that is expected and has not passed; `""` without one. */
const nextOf = (items: Items | undefined, seen: Seen): string => {
  const [lpn = ""] = items === undefined ? [] : unseenLpns(items, seen)
  return lpn
}

/** The view, for a shipment that has not departed. */
export const Tower = ({ docks, items, reload, seen, shown }: TowerProps) => {
  const [isSending, setSending] = useState(false)
  const [said, setSaid] = useState("")
  const [fault, setFault] = useState<Fault>()
  const [typed, setTyped] = useState<string>()
  const { business, direction, facility, id, status } = shown
  const dock = shown.dockSlug || docks[0] || ""
  const lpn = typed ?? nextOf(items, seen)

  const act = async (action: () => Promise<unknown>, words: string): Promise<void> => {
    if (isSending) return
    setSending(true)
    try {
      await action()
      setSaid(words)
      setFault(undefined)
      setTyped(undefined)
    } catch (thrown) {
      setFault(faultOf(thrown))
    }
    setSending(false)
    reload()
  }

  const pass = () =>
    passPallet({
      business: business.slug,
      facility: facility.slug,
      dockSlug: dock,
      shipmentId: id,
      direction: direction === "INBOUND" ? "UNLOADING" : "LOADING",
      lpn
    })

  return (
    <section class="card try no-print" aria-label="Towers of the sandbox">
      <h2>Towers of the sandbox</h2>
      <p class="soft">
        {business.name}{" "}
        has no real freight. What these buttons report is what towers report, and makes messages to its
        customer.
      </p>
      {fault === undefined ? null : <FaultNote fault={fault} />}
      <div class="buttons">
        <input
          aria-label="LPN of the pallet"
          value={lpn}
          maxLength={128}
          autocomplete="off"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <button
          type="button"
          class="plain"
          aria-disabled={isSending}
          disabled={lpn === "" || dock === ""}
          onClick={() => void act(pass, `Pallet ${lpn} has passed dock ${dock}.`)}
        >
          Pallet passes
        </button>
        {status === "SCHEDULED"
          ? (
            <button
              type="button"
              class="plain"
              aria-disabled={isSending}
              disabled={dock === ""}
              onClick={() =>
                void act(
                  () => run(arriveShipment, { input: { shipmentId: id, dockSlug: dock } }),
                  `The trailer has arrived at dock ${dock}.`
                )}
            >
              Trailer arrives
            </button>
          )
          : (
            <button
              type="button"
              class="plain"
              aria-disabled={isSending}
              onClick={() =>
                void act(
                  () => run(departShipment, { input: { shipmentId: id } }),
                  "The trailer has departed."
                )}
            >
              Trailer departs
            </button>
          )}
      </div>
      <p class="said soft" role="status">{said}</p>
    </section>
  )
}
