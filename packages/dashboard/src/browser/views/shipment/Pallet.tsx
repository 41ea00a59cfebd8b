/** The page of a pallet: its location, the labels that the tower read, and its history. */
import { pallet } from "../../api/operations.ts"
import type { Pallet as Shown } from "../../api/operations.ts"
import { run } from "../../api/request.ts"
import { href } from "../../router.ts"
import { messagesAbout, slugOf, thingAt } from "../../session.ts"
import { LoadedData, Part, ThingHead } from "../../ui/Frame.tsx"
import { Rows } from "../../ui/lists.tsx"
import { useFollowed } from "../../ui/loaded.ts"
import { isWrong } from "../../ui/lookup.ts"
import { Alert, Badge, Facts, Time } from "../../ui/Parts.tsx"
import { columnsAt, find, Removals } from "../Search.tsx"
import type { Finding } from "../Search.tsx"

const nameOf = ({ id, lpn }: Pick<Shown, "id" | "lpn">): string =>
  lpn === "" ? `Pallet ${id}, without an LPN` : lpn

const orderName = ({ expected, orders }: Shown): string => {
  if (!expected) return "Order of the shipment"
  return orders.length > 1 ? "Orders" : "Order"
}

/** A pallet, with the other search results for its LPN. */
interface Sighting {
  readonly pallet: Shown
  readonly elsewhere: Finding
}

const nowhere: Finding = { rows: [], removals: [], hasMore: false }

/** The other shipments that expect the pallet or on which it was seen, and the documents that removed it. */
const Elsewhere = ({ elsewhere: { removals, rows }, pallet }: Sighting) => {
  const others = rows.filter(({ id }) => id !== pallet.shipmentId)
  return others.length + removals.length === 0 ? null : (
    <Part id="elsewhere" title="Elsewhere">
      {others.length === 0 ? null : <Rows rows={others} columns={columnsAt(pallet)} />}
      {removals.length === 0 ? null : <Removals of={removals} />}
    </Part>
  )
}

const Content = ({ elsewhere, pallet }: Sighting) => {
  const { labels } = pallet
  const shipment = <a href={href(`/shipments/${pallet.shipmentId}`)}>{pallet.shipmentNumber}</a>
  return (
    <>
      <ThingHead
        list="shipments"
        at={pallet}
        above={shipment}
        title={nameOf(pallet)}
        badges={
          <>
            <Badge of={[pallet.state === "LOADED" ? "Loaded" : "Unloaded", "ok"]} />
            {pallet.expected ? null : <Badge of={["Not on this shipment", "bad"]} />}
          </>
        }
      />
      <section class="card overview" aria-label="Overview">
        <Facts
          of={[
            ["Shipment", shipment],
            [orderName(pallet), pallet.orders.join(", ") || "–"],
            ["Last seen at dock", pallet.dockSlug],
            ["First seen", <Time time={pallet.firstSeenAt} />],
            ["Last seen", <Time time={pallet.lastSeenAt} />]
          ]}
        />
      </section>
      <div class="lists">
        <section class="card" aria-labelledby="events">
          <h2 id="events">What happened</h2>
          <ol class="events">
            {pallet.events.toReversed().map(({ direction, dockSlug, messageId, occurredAt, verdict }) => (
              <li key={messageId}>
                <div>
                  <b>{direction === "LOADING" ? "Loaded" : "Unloaded"} at dock {dockSlug}</b>
                  {isWrong(verdict)
                    ? (
                      <span class="sub">
                        <Alert tone="bad">{verdict.text}</Alert>
                      </span>
                    )
                    : null}
                </div>
                <span class="soft">
                  <Time time={occurredAt} near />
                  <a class="sub" href={href("/messages", { at: slugOf(pallet), find: String(messageId) })}>
                    Message {messageId}
                  </a>
                </span>
              </li>
            ))}
          </ol>
        </section>
        <section class="card" aria-labelledby="labels">
          <h2 id="labels">Labels</h2>
          {labels.length === 0
            ? <p class="none soft">The tower read no labels.</p>
            : (
              <dl class="labels">
                {labels.map(({ name, value }, at) => (
                  <div key={at}>
                    <dt>{name}</dt>
                    <dd class="mono">{value}</dd>
                  </div>
                ))}
              </dl>
            )}
        </section>
      </div>
      <Elsewhere pallet={pallet} elsewhere={elsewhere} />
    </>
  )
}

/** Loads a pallet with the other search results for its LPN. */
const load = async (shipmentId: string, id: string): Promise<Sighting> => {
  const one = await thingAt(
    `/shipments/${shipmentId}/pallets/${id}`,
    run(pallet, { shipmentId: Number(shipmentId), id }),
    `There is no pallet ${id} of shipment ${shipmentId} that you may see.`
  )
  return { pallet: one, elsewhere: one.lpn === "" ? nowhere : await find(one, one.lpn, 1) }
}

export const Pallet = ({ id, shipmentId }: { readonly shipmentId: string; readonly id: string }) => {
  const state = useFollowed(`${shipmentId} ${id}`, () => load(shipmentId, id), {
    source: (sighting) => messagesAbout(sighting?.pallet),
    isChange: ({ message }) => message["servicePalletId"] === id
  })
  return (
    <LoadedData state={state} head={<ThingHead list="shipments" title={`Pallet ${id}`} />}>
      {(sighting) => <Content {...sighting} />}
    </LoadedData>
  )
}
