/** A pallet: where it is, which labels the tower read, and what happened to it. */
import { pallet } from "../../api/operations.ts"
import { Fault, run } from "../../api/request.ts"
import type { PalletResult } from "../../api/results.ts"
import { href } from "../../router.ts"
import { locate, place } from "../../session.ts"
import { useLive, useLoaded } from "../../ui/loaded.ts"
import { Crumbs, FaultNote, Missing, Time, Waiting } from "../../ui/Parts.tsx"

type Shown = NonNullable<PalletResult["pallet"]>

/** What a pallet is called. */
const nameOf = ({ id, lpn }: Pick<Shown, "id" | "lpn">): string =>
  lpn === "" ? `Pallet ${id}, without an LPN` : lpn

const Content = ({ shown }: { readonly shown: Shown }) => {
  document.title = `${nameOf(shown)} · Dockline`
  const { business, facility, labels, shipmentId, shipmentNumber } = shown
  return (
    <>
      <div class="view-head">
        <div>
          <Crumbs>
            {business.name}, {facility.name}
            <span aria-hidden="true">/</span>
            <a href={href(`/shipments?at=${business.slug}/${facility.slug}`)}>Shipments</a>
            <span aria-hidden="true">/</span>
            <a href={href(`/shipments/${shipmentId}`)}>{shipmentNumber}</a>
          </Crumbs>
          <h1 class="title">
            {nameOf(shown)}{" "}
            <span class="badge" data-tone="ok">{shown.state === "LOADED" ? "Loaded" : "Unloaded"}</span>
            {shown.expected ? null : <span class="badge" data-tone="bad">Not on any order</span>}
          </h1>
        </div>
      </div>
      <section class="card overview" aria-label="Overview">
        <dl class="facts">
          <div>
            <dt>Shipment</dt>
            <dd>
              <a href={href(`/shipments/${shipmentId}`)}>{shipmentNumber}</a>
            </dd>
          </div>
          <div>
            <dt>
              {!shown.expected ? "Order of the shipment" : shown.orders.length > 1 ? "Orders" : "Order"}
            </dt>
            <dd>{shown.orders.length === 0 ? "–" : shown.orders.join(", ")}</dd>
          </div>
          <div>
            <dt>Last seen at dock</dt>
            <dd>{shown.dockSlug}</dd>
          </div>
          <div>
            <dt>First seen</dt>
            <dd>
              <Time time={shown.firstSeenAt} />
            </dd>
          </div>
          <div>
            <dt>Last seen</dt>
            <dd>
              <Time time={shown.lastSeenAt} />
            </dd>
          </div>
        </dl>
      </section>
      <div class="lists">
        <section class="card" aria-labelledby="events">
          <h2 id="events">What happened</h2>
          <ol class="events">
            {shown.events.toReversed().map(({ direction, dockSlug, messageId, occurredAt }) => (
              <li key={messageId}>
                <b>{direction === "LOADING" ? "Loaded" : "Unloaded"} at dock {dockSlug}</b>
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

/** The view of a pallet of a shipment. */
export const Pallet = ({ id, shipmentId }: { readonly shipmentId: string; readonly id: string }) => {
  const { fault, reload, reloadNow, value } = useLoaded(`${shipmentId} ${id}`, async () => {
    const found = await run(pallet, { shipmentId: Number(shipmentId), id }).catch((thrown) => {
      if (!(thrown instanceof Fault) || !/^(SHIPMENT|PALLET)_NOT_FOUND$/.test(thrown.code)) throw thrown
      return { pallet: null }
    })
    if (found.pallet !== null) {
      locate(`/shipments/${shipmentId}/pallets/${id}`, found.pallet)
      return found.pallet
    }
    throw new Fault(
      `There is no pallet ${id} of shipment ${shipmentId} that you may see.`,
      "PALLET_NOT_FOUND"
    )
  })
  useLive(
    value !== undefined && place.value?.facility.messages === true
      ? { business: value.business.slug, facility: value.facility.slug }
      : undefined,
    {
      onMessage: ({ message }) => {
        if (message["servicePalletId"] === id) reload()
      }
    },
    reload,
    reloadNow
  )
  return (
    <>
      {value === undefined && fault !== undefined ? <Missing list="shipments">Pallet {id}</Missing> : null}
      {fault === undefined ? null : <FaultNote fault={fault} retry={reload} />}
      {value === undefined ? fault === undefined ? <Waiting /> : null : <Content shown={value} />}
    </>
  )
}
