/** A shipment with its orders and items: on a screen, and as a sheet on paper. */
import { shipment } from "../api/operations.ts"
import { Fault, run } from "../api/request.ts"
import type { ShipmentResult } from "../api/results.ts"
import { href } from "../router.ts"
import { places, session } from "../session.ts"
import { calendarDate } from "../time.ts"
import { useLive, useLoaded } from "../ui/loaded.ts"
import { Crumbs, Direction, Empty, FaultNote, Status, Time, Waiting } from "../ui/Parts.tsx"
import { BigProgress } from "../ui/Progress.tsx"

type Shown = NonNullable<ShipmentResult["shipment"]>
type Order = Shown["orders"][number]
type Item = Order["items"][number]

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  PALLET: ["pallet", "pallets"],
  CASE: ["case", "cases"],
  UNIT: ["unit", "units"]
}

const amount = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 })

const Quantity = ({ item: { quantity, quantityUnit } }: { readonly item: Item }) => {
  const [one, many] = units[quantityUnit] ?? [quantityUnit.toLowerCase(), quantityUnit.toLowerCase()]
  return (
    <>
      {amount.format(quantity)} <span class="soft">{quantity === 1 ? one : many}</span>
    </>
  )
}

const Lines = ({ items }: { readonly items: ReadonlyArray<Item> }) => (
  <table class="table cards items">
    <thead>
      <tr>
        <th scope="col">LPN</th>
        <th scope="col">Item</th>
        <th scope="col">Lot</th>
        <th scope="col">Expires</th>
        <th scope="col" class="number">Quantity</th>
      </tr>
    </thead>
    <tbody>
      {items.map((item) => (
        <tr key={item.id}>
          <td class="main mono">{item.lpn === "" ? <span class="soft">No LPN</span> : item.lpn}</td>
          <td class="wide">
            {item.sku}
            {item.description === "" ? null : <span class="sub">{item.description}</span>}
            {item.isDangerousGood ? <span class="badge" data-tone="bad">Dangerous goods</span> : null}
          </td>
          <td data-label={item.lot === "" ? undefined : "Lot"}>{item.lot}</td>
          <td data-label={item.expirationDate === "" ? undefined : "Expires"} class="nowrap">
            {item.expirationDate === "" ? "" : calendarDate(item.expirationDate)}
          </td>
          <td class="number end quantity">
            <Quantity item={item} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** `driverLicensePlate` in words. */
const wordsOf = (name: string): string => {
  const words = name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const facts = (pairs: ReadonlyArray<readonly [name: string, value: string]>) =>
  pairs.filter(([, value]) => value !== "").map(([name, value]) => (
    <div key={name}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  ))

const OrderCard = ({ order }: { readonly order: Order }) => {
  const details = facts([
    ["Supplier", order.supplier],
    ["Client", order.client],
    ["Destination", order.destination],
    ["Seal", order.sealNumber]
  ])
  return (
    <section class="card order" aria-labelledby={`order-${order.id}`}>
      <header class="order-head">
        <h2 id={`order-${order.id}`}>Order {order.orderNumber}</h2>
        <Status status={order.status} />
        <span class="soft count">{order.items.length === 1 ? "1 item" : `${order.items.length} items`}</span>
      </header>
      {details.length === 0 ? null : <dl class="facts">{details}</dl>}
      {order.items.length === 0
        ? <p class="order-empty soft">The documents of this order name no items.</p>
        : <Lines items={order.items} />}
    </section>
  )
}

const Steps = ({ shown: { statusEvents } }: { readonly shown: Shown }) => (
  <ol class="steps" aria-label="Progress of the shipment">
    {statusEvents.map(({ completed, completedAt, displayName, status }) => (
      <li key={status} data-done={completed}>
        <b>{displayName}</b>
        {completed ? <Time time={completedAt} /> : <span class="soft">Not yet</span>}
      </li>
    ))}
  </ol>
)

const Content = ({ shown }: { readonly shown: Shown }) => {
  document.title = `${shown.shipmentNumber} · Dockline`
  return (
    <>
      <div class="view-head">
        <div>
          <Crumbs>
            <a href={href(`/shipments?at=${shown.business.slug}/${shown.facility.slug}`)}>Shipments</a>
            <span aria-hidden="true">/</span>
            {shown.business.name}, {shown.facility.name}
          </Crumbs>
          <h1 class="title">
            {shown.shipmentNumber} <Status status={shown.status} />
          </h1>
          <p class="lead">
            <Direction direction={shown.direction} />
          </p>
        </div>
        <button type="button" class="plain no-print" onClick={() => print()}>Print</button>
      </div>
      <section class="card overview" aria-label="Overview">
        <BigProgress counts={shown.progress} />
        <Steps shown={shown} />
        <dl class="facts">
          {facts([
            ["Dock", shown.dockSlug],
            ["Carrier", shown.carrier],
            ["Trailer", shown.trailerNumber],
            ...shown.additionalFields.map(({ name, value }) => [wordsOf(name), value] as const)
          ])}
          <div>
            <dt>Expected</dt>
            <dd>
              <Time time={shown.expectedArrivalAt} />
            </dd>
          </div>
        </dl>
      </section>
      {shown.orders.length === 0
        ? (
          <section class="card">
            <Empty title="No orders">
              <p>Its orders have moved to other shipments. A document for this number brings new ones.</p>
            </Empty>
          </section>
        )
        : shown.orders.map((order) => <OrderCard key={order.id} order={order} />)}
    </>
  )
}

const load = async (id: string): Promise<Shown> => {
  const found = await run(shipment, { id: Number(id) }).catch((thrown) => {
    if (!(thrown instanceof Fault) || thrown.code !== "SHIPMENT_NOT_FOUND") throw thrown
    return { shipment: null }
  })
  if (found.shipment !== null) return found.shipment
  throw new Fault(
    `There is no shipment ${id} that you may see. It may be at a facility that ${session.value?.clientId} has no rights at.`,
    "SHIPMENT_NOT_FOUND"
  )
}

/** The view of the shipment with this id. */
export const Shipment = ({ id }: { readonly id: string }) => {
  const { fault, reload, value } = useLoaded(id, () => load(id))
  const at = places.value.find(({ business, facility }) =>
    business.slug === value?.business.slug && facility.slug === value.facility.slug
  )
  useLive(
    at?.facility.messages === true ? { business: at.business.slug, facility: at.facility.slug } : undefined,
    {
      onMessage: ({ message }) => {
        if (message["serviceShipmentId"] === id) reload()
      }
    },
    reload
  )
  return (
    <>
      {value === undefined && fault !== undefined ? <h1>Shipment {id}</h1> : null}
      {fault === undefined ? null : <FaultNote fault={fault} retry={reload} />}
      {value === undefined ? fault === undefined ? <Waiting /> : null : <Content shown={value} />}
    </>
  )
}
