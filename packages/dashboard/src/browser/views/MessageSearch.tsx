/** Shows why a message has, or has not, arrived at a customer's system: the results for a number on paper, with their messages. */
import type { Operations } from "@dockline/core/operations/Operations"
import { lostCodes } from "../api/live.ts"
import { listsOfShipments, pallet, search } from "../api/operations.ts"
import type { Hit, Message, Pallet } from "../api/operations.ts"
import { loadOperations, perform } from "../api/operator.ts"
import { Fault, run } from "../api/request.ts"
import { href } from "../router.ts"
import { session, slugOf } from "../session.ts"
import type { Place } from "../session.ts"
import { EmptyCard, lazy, LoadedData } from "../ui/Frame.tsx"
import { useLoaded } from "../ui/loaded.ts"
import { isWrong } from "../ui/lookup.ts"
import { messageTypes, readMessages } from "../ui/messages.ts"
import { Alert, Quote, Time } from "../ui/Parts.tsx"

const recordPath = (business: string, id: string | number): string =>
  `/v1/operator/businesses/${business}/messages/${id}`

/** The deliveries of a message, for operators. */
const Whereabouts = lazy(async () => {
  const [{ Entity }] = await Promise.all([import("./operator/Operator.tsx"), loadOperations()])
  return ({ business, id }: { readonly business: string; readonly id: string | number }) => {
    const path = recordPath(business, id)
    return <Entity key={path} isPart resource={{ pattern: recordPath(":slug", ":messageId"), path }} />
  }
})

/** The pallets of a shipment with their events, each of which names its message. */
const eventsOfShipment = listsOfShipments<Operations>()("shipmentPallets", "pallets", {}, "id lpn events")

/** An event of a pallet that has a message. */
interface Sighting {
  readonly lpn: string
  readonly event: Pallet["events"][number]
}

interface Findings {
  readonly sightings: ReadonlyArray<Sighting>
  /** Other results: items that are expected or were removed, and shipments, orders and trailers of which no pallet was seen. */
  readonly others: ReadonlyArray<Hit>
  /** The message with this id; only the id for operators, for whom the page shows the record of the message. */
  readonly message: Message | number | undefined
}

const isOperator = (): boolean => session.value?.operator === true

const mostPallets = 5

/** Treats a refusal with one of these codes as no result; other faults are shown. */
const nothingAt = (...codes: ReadonlyArray<string>) => (error: unknown): undefined => {
  if (!(error instanceof Fault) || !codes.includes(error.code)) throw error
}

const messageWith = async (place: Place, id: number): Promise<Findings["message"]> => {
  if (isOperator()) {
    return perform("GET", recordPath(place.business.slug, id)).then(() => id).catch(
      nothingAt("MESSAGE_NOT_FOUND")
    )
  }
  const since = "1970-01-01T00:00:00Z"
  const page = await readMessages(place, { messageTypes: messageTypes(), since, afterId: id - 1, limit: 1 })
    .catch(nothingAt(...lostCodes))
  const message = page?.[0]
  return message?.id === id ? message : undefined
}

const find = async (place: Place, text: string): Promise<Findings> => {
  const isId = /^[1-9]\d{0,14}$/.test(text)
  const [{ nodes }, message] = await Promise.all([
    run(search, { business: place.business.slug, text, first: 20 }),
    isId ? messageWith(place, Number(text)) : undefined
  ])
  const pallets = await Promise.all([
    ...nodes.filter(({ kind }) => kind === "PALLET").slice(0, mostPallets).map(async (hit) => {
      const one = await run(pallet, { shipmentId: hit.shipmentId, id: hit.palletId })
      return one === null ? [] : [one]
    }),
    ...nodes.filter(({ kind }) => kind === "SHIPMENT").slice(0, 1).map(async (
      { shipmentId }
    ) => (await run(eventsOfShipment, { id: shipmentId }))?.nodes ?? [])
  ])
  return {
    sightings: pallets.flat().flatMap(({ events, lpn }) => events.map((event) => ({ lpn, event })))
      .toSorted((one, other) => other.event.messageId - one.event.messageId),
    others: nodes.filter(({ kind }) => kind !== "PALLET"),
    message
  }
}

/** The reason why there is no pallet message about a number. */
const Reason = ({ hit }: { readonly hit: Hit }) =>
  hit.kind === "SHIPMENT" || hit.kind === "ORDER" || hit.kind === "TRAILER"
    ? (
      <>
        {{
          SHIPMENT: "Shipment",
          ORDER: "An order of shipment",
          TRAILER: "The trailer of shipment"
        }[hit.kind]}{" "}
        <a href={href(`/shipments/${hit.shipmentId}`)}>{hit.shipmentNumber}</a>: its own messages, such as
        that of its arrival, are in the list of all messages.
      </>
    )
    : hit.kind === "REMOVAL"
    ? (
      <>
        <a href={href(`/documents/${hit.documentId}`)}>Document {hit.documentId}</a> removed {hit.text}{" "}
        of shipment {hit.shipmentNumber}, <Time time={hit.removedAt} near />.
      </>
    )
    : (
      <>
        Order {hit.orderNumber} of shipment{" "}
        <a href={href(`/shipments/${hit.shipmentId}`)}>{hit.shipmentNumber}</a> expects{" "}
        {hit.text}. No tower has seen it, so no message tells of it yet.
      </>
    )

const MessageCard = ({ message }: { readonly message: Message }) => (
  <section class="card" aria-label="The message">
    <p class="totals">
      Message {message.id}, sent{" "}
      <Time time={message.sentAt} near />. Only operators see which endpoints have it.
    </p>
    <Quote class="sent" caption="The message">{JSON.stringify(message.message, null, 2)}</Quote>
  </section>
)

const Results = ({ findings, place, text }: {
  readonly place: Place
  readonly text: string
  readonly findings: Findings
}) => {
  const { message, others, sightings } = findings
  const business = place.business.slug
  const [first] = sightings
  const unseen = others.filter(({ kind, text }) =>
    kind === "ITEM" || kind === "REMOVAL" ? sightings.every(({ lpn }) => lpn !== text) : first === undefined
  )
  return (
    <>
      {typeof message === "number" ? <Whereabouts business={business} id={text} /> : null}
      {typeof message === "object" ? <MessageCard message={message} /> : null}
      {first === undefined ? null : (
        <section class="card" aria-label="Messages of it">
          <ol class="messages hits">
            {sightings.map(({ event: { direction, dockSlug, messageId, occurredAt, verdict }, lpn }) => (
              <li key={messageId} class="message">
                <Time time={occurredAt} near />
                <span class="what">
                  <b>{lpn}</b> {direction === "LOADING" ? "loaded" : "unloaded"} at dock {dockSlug}{" "}
                  {isWrong(verdict) ? <Alert tone="bad">{verdict.text}</Alert> : null}
                </span>
                <a href={href("/messages", { at: slugOf(place), find: String(messageId) })}>
                  Message {messageId}
                </a>
              </li>
            ))}
          </ol>
        </section>
      )}
      {first === undefined || message !== undefined || !isOperator()
        ? null
        : <Whereabouts business={business} id={first.event.messageId} />}
      {unseen.length === 0 ? null : (
        <section class="card" aria-label="Without a message">
          <ul class="removals">
            {unseen.map((hit) => (
              <li key={hit.id}>
                <Reason hit={hit} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {message === undefined && first === undefined && unseen.length === 0
        ? (
          <EmptyCard title={`No message tells of ${text}`}>
            No shipment or pallet of {place.business.name}, and no message of{" "}
            {isOperator() ? place.business.name : place.facility.name}, that you may see has this number.
            Messages are kept for 90 days, unless the service is set otherwise.
          </EmptyCard>
        )
        : null}
    </>
  )
}

/** The deliveries of messages about a number: an LPN, the number of a shipment, or the id of a message. */
export const MessageSearch = ({ place, text }: { readonly place: Place; readonly text: string }) => {
  const state = useLoaded(`${place.business.slug} ${text}`, () => find(place, text))
  return (
    <LoadedData state={state}>
      {(findings) => <Results place={place} text={text} findings={findings} />}
    </LoadedData>
  )
}
