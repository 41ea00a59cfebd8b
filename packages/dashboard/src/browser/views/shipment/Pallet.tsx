/** A pallet: where it is, which labels the tower read, and what happened to it. */
import { pallet } from "../../api/operations.ts"
import type { Pallet as Shown } from "../../api/operations.ts"
import { found, run } from "../../api/request.ts"
import { href } from "../../router.ts"
import { locate, place, slugsOf } from "../../session.ts"
import { Loaded, ThingHead } from "../../ui/Frame.tsx"
import { useLive, useLoaded } from "../../ui/loaded.ts"
import { Alert, Fact, Time } from "../../ui/Parts.tsx"
import { isWrong } from "../WrongPallets.tsx"

const nameOf = ({ id, lpn }: Pick<Shown, "id" | "lpn">): string =>
  lpn === "" ? `Pallet ${id}, without an LPN` : lpn

const orderName = ({ expected, orders }: Shown): string => {
  if (!expected) return "Order of the shipment"
  return orders.length > 1 ? "Orders" : "Order"
}

const Content = ({ shown }: { readonly shown: Shown }) => {
  document.title = `${nameOf(shown)} · Dockline`
  const { labels } = shown
  const shipment = <a href={href(`/shipments/${shown.shipmentId}`)}>{shown.shipmentNumber}</a>
  return (
    <>
      <ThingHead
        list="shipments"
        at={shown}
        above={shipment}
        title={nameOf(shown)}
        badges={
          <>
            <span class="badge" data-tone="ok">{shown.state === "LOADED" ? "Loaded" : "Unloaded"}</span>
            {shown.expected ? null : <span class="badge" data-tone="bad">Not on any order</span>}
          </>
        }
      />
      <section class="card overview" aria-label="Overview">
        <dl class="facts">
          <Fact name="Shipment">{shipment}</Fact>
          <Fact name={orderName(shown)}>{shown.orders.join(", ") || "–"}</Fact>
          <Fact name="Last seen at dock">{shown.dockSlug}</Fact>
          <Fact name="First seen">
            <Time time={shown.firstSeenAt} />
          </Fact>
          <Fact name="Last seen">
            <Time time={shown.lastSeenAt} />
          </Fact>
        </dl>
      </section>
      <div class="lists">
        <section class="card" aria-labelledby="events">
          <h2 id="events">What happened</h2>
          <ol class="events">
            {shown.events.toReversed().map(({ direction, dockSlug, messageId, occurredAt, verdict }) => (
              <li key={messageId}>
                <b>{direction === "LOADING" ? "Loaded" : "Unloaded"} at dock {dockSlug}</b>
                {isWrong(verdict) ? <Alert tone="bad">{verdict.text}</Alert> : null}
                <span class="soft">
                  <Time time={occurredAt} near />
                  <span class="sub">Message {messageId}</span>
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
    </>
  )
}

export const Pallet = ({ id, shipmentId }: { readonly shipmentId: string; readonly id: string }) => {
  const state = useLoaded(`${shipmentId} ${id}`, async () => {
    const shown = await found(
      run(pallet, { shipmentId: Number(shipmentId), id }),
      `There is no pallet ${id} of shipment ${shipmentId} that you may see.`
    )
    locate(`/shipments/${shipmentId}/pallets/${id}`, shown)
    return shown
  })
  const { reload, reloadNow, value } = state
  useLive(
    value !== undefined && place.value?.facility.messages === true ? slugsOf(value) : undefined,
    {
      onMessage: ({ message }) => {
        if (message["servicePalletId"] === id) reload()
      }
    },
    reload,
    reloadNow
  )
  return (
    <Loaded state={state} head={<ThingHead list="shipments" title={`Pallet ${id}`} />}>
      {(shown) => <Content shown={shown} />}
    </Loaded>
  )
}
