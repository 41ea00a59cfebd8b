/** The messages of a facility, live, newest first, with their contents for the customer. */
import { useLayoutEffect, useState } from "preact/hooks"
import { connection } from "../api/live.ts"
import type { Message } from "../api/operations.ts"
import { href, query, setQuery } from "../router.ts"
import { session, slugOf, slugsOf } from "../session.ts"
import type { Place } from "../session.ts"
import { exactTime, fullTime } from "../time.ts"
import { submitting } from "../ui/forms.ts"
import { EmptyCard, lazy, LoadedData, PageHead, SendExample } from "../ui/Frame.tsx"
import { Announcement, Download, pathOf } from "../ui/lists.tsx"
import { useLive, useLoaded, useStill } from "../ui/loaded.ts"
import { isWrong, palletEvent, shipmentNumber } from "../ui/lookup.ts"
import {
  messageKind,
  messageTypes,
  newest,
  shownAtMost,
  textOf,
  withNewer,
  withNewest
} from "../ui/messages.ts"
import type { MessageType } from "../ui/messages.ts"
import { Alert, Badge, Choices, Plain, TextInput } from "../ui/Parts.tsx"

const MessageSearch = lazy(async () => (await import("./MessageSearch.tsx")).MessageSearch)

const enough = 50

/** How far back the messages of a download go. */
const downloadedMillis = 30 * 24 * 60 * 60_000

interface Filter {
  readonly name: string
  readonly label: string
  readonly types: ReadonlyArray<MessageType>
}

const filtersOf = (): ReadonlyArray<Filter> => [
  { name: "all", label: "All", types: messageTypes() },
  ...Array.from(
    Map.groupBy(messageTypes(), (type) => messageKind(type).filter[0]),
    ([name, types]) => ({ name, label: messageKind(types[0]!).filter[1], types })
  )
]

const Line = ({ isFresh, message }: { readonly message: Message; readonly isFresh: boolean }) => {
  const [isOpen, setOpen] = useState(false)
  const kind = messageKind(message.messageType)
  const shipmentId = textOf(message.message, "serviceShipmentId")
  const palletId = textOf(message.message, "servicePalletId")
  const pallet = palletId === "" ? undefined : palletEvent(message)
  const number = palletId === ""
    ? textOf(message.message, "shipmentNumber") || shipmentNumber(shipmentId).value
    : pallet?.shipmentNumber
  return (
    <li class={isFresh ? "message fresh" : "message"}>
      <time dateTime={message.sentAt} title={fullTime(message.sentAt)} class="soft">
        {exactTime(message.sentAt)}
      </time>
      <Badge of={kind.badge(message.message)} />
      <span class="what">
        <b>
          <a
            href={href(
              `/shipments/${encodeURIComponent(shipmentId)}` +
                (palletId === "" ? "" : `/pallets/${encodeURIComponent(palletId)}`)
            )}
          >
            {kind.summary({ lpn: pallet?.lpn, ...message.message })}
          </a>
        </b>
        {pallet?.event !== undefined && isWrong(pallet.event.verdict)
          ? <Alert tone="bad">{pallet.event.verdict.text}</Alert>
          : null}
        <span class="sub soft">
          {textOf(message.message, "orders") === "" ? "" : `Order ${textOf(message.message, "orders")} · `}
          <a href={href(`/shipments/${encodeURIComponent(shipmentId)}`)}>
            Shipment {number ?? ""}
          </a>
        </span>
      </span>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Message {message.id}</summary>
        {isOpen ? <pre tabindex={0}>{JSON.stringify(message.message, null, 2)}</pre> : null}
      </details>
    </li>
  )
}

/** The messages of the list, newest first, and newer messages that wait while the reader has scrolled down. */
interface Lists {
  readonly visible: ReadonlyArray<Message>
  readonly waiting: ReadonlyArray<Message>
}

const isAtTop = (): boolean => scrollY < 40

/** Changes the list. At the top of the page, the list shows new messages at once, unless others wait; further down, they wait. */
const update =
  (change: (before: ReadonlyArray<Message>) => ReadonlyArray<Message>) => (before: Lists): Lists => {
    const all = change([...before.waiting, ...before.visible])
    const wasShown = new Set(before.visible.map(({ id }) => id))
    const first = all.findIndex(({ id }) => wasShown.has(id))
    if (first === -1 || (isAtTop() && before.waiting.length === 0)) return { visible: all, waiting: [] }
    return { visible: all.slice(first), waiting: all.slice(0, first) }
  }

const MessagesOf = ({ place }: { readonly place: Place }) => {
  const filters = filtersOf()
  const filter = filters.find(({ name }) => name === query.value.get("type")) ?? filters[0]!
  const { types } = filter
  const key = `${slugOf(place)} ${filter.name}`
  const [{ visible, waiting }, setLists] = useState<Lists>({ visible: [], waiting: [] })
  const state = useLoaded(key, () => newest(place, types, enough, waiting[0] ?? visible[0]))
  const { reloadNow, value } = state
  const [loadedLast, setLoadedLast] = useState(0)

  // This runs before the page is painted, so that the list is never empty.
  useLayoutEffect(() => {
    if (value === undefined) return
    setLists(update(withNewer(value)))
    setLoadedLast((before) => before === 0 ? value.lastId : before)
  }, [value])

  const onMessage = (message: Message): void => {
    if (types.includes(message.messageType)) setLists(update(withNewest(message)))
  }
  // While messages arrive over the socket, there is nothing else to load.
  const refresh = (): void => connection.value === "polling" ? reloadNow() : undefined
  useLive(slugsOf(place), onMessage, refresh, reloadNow)

  return (
    <>
      <div class="toolbar">
        <Choices
          label="Kind"
          options={filters.map(({ label, name }) => [name, label])}
          choice={filter.name}
          choose={(name) => setQuery({ type: name === filters[0]?.name ? "" : name })}
        />
        <Download
          name={`messages-${slugOf(place)}`}
          paths={types.map((messageType) =>
            pathOf("messages", {
              ...slugsOf(place),
              messageType,
              since: new Date(Date.now() - downloadedMillis).toISOString()
            })
          )}
        />
      </div>
      <LoadedData state={state}>
        {() =>
          visible.length === 0
            ? (
              <EmptyCard title="No messages in the last 30 days">
                A message appears here as soon as a tower reports a pallet at a dock of{" "}
                {place.facility.name}, or a shipment arrives or departs. <SendExample />
              </EmptyCard>
            )
            : (
              <ol class="card messages">
                {visible.map((message) => (
                  <Line key={message.id} message={message} isFresh={message.id > loadedLast} />
                ))}
              </ol>
            )}
      </LoadedData>
      <Announcement
        count={waiting.length}
        noun="message"
        show={() => {
          setLists(({ visible, waiting }) => ({
            visible: [...waiting, ...visible].slice(0, shownAtMost),
            waiting: []
          }))
          scrollTo(0, 0)
        }}
      />
    </>
  )
}

const Forbidden = ({ place: { business, facility } }: { readonly place: Place }) => {
  useStill()
  return (
    <EmptyCard title={`You may not read the messages of ${facility.name}`}>
      You need the permission <code>messages:read</code> there. An operator of {business.name} can grant it.
    </EmptyCard>
  )
}

const Finder = ({ text }: { readonly text: string }) => (
  <form
    class="finder no-print"
    role="search"
    onSubmit={submitting((valueOf) => setQuery({ find: valueOf("find") }))}
  >
    <label>
      <span class="unseen">Where is my message?</span>
      <TextInput
        key={text}
        type="search"
        name="find"
        defaultValue={text}
        placeholder="Where is my message? LPN, shipment or id"
      />
    </label>
    {text === "" ? null : <Plain onClick={() => setQuery({ find: "" })}>Back to all</Plain>}
  </form>
)

export const Messages = ({ place }: { readonly place: Place }) => {
  const text = query.value.get("find") ?? ""
  const mayFind = place.facility.messages || session.value?.operator === true
  return (
    <>
      <PageHead title="Messages">
        {mayFind ? <Finder text={text} /> : null}
      </PageHead>
      {mayFind && text !== ""
        ? <MessageSearch key={text} place={place} text={text} />
        : place.facility.messages
        ? <MessagesOf key={query.value.get("type") ?? ""} place={place} />
        : <Forbidden place={place} />}
    </>
  )
}
