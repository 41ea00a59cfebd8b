/**
 * Notifications of the browser: wrong pallets, short departures, exceptions of high priority, and for operators endpoints that fail (D14.5).
 *
 * Guarantee: each is shown once, however many tabs are open and after a reload. One tab at a time reads the logs (Web Locks), each by a
 * cursor that is stored before anything is shown.
 */
import type { EndpointView } from "@dockline/core/operator/OperatorView"
import { lostCodes } from "../api/live.ts"
import { messages as messagesOperation } from "../api/operations.ts"
import type { Message } from "../api/operations.ts"
import { call, pageSize } from "../api/operator.ts"
import { Fault, run } from "../api/request.ts"
import { navigate } from "../router.ts"
import { loadSession, places, session, slugOf } from "../session.ts"
import type { Place } from "../session.ts"
import { messageKind, messageTypes, textOf } from "../ui/messageKinds.ts"
import { wrongAmong } from "../views/WrongPallets.tsx"
import { notify } from "./choice.ts"

/** What needs attention, and the page that says more. */
interface Notice {
  /** Its identity, so that a browser shows it in one place. */
  readonly id: string
  readonly title: string
  readonly body: string
  readonly path: string
}

const roundMillis = 10_000

/** Endpoints are looked at once in so many rounds. */
const roundsOfEndpoints = 6

/** What happened longer ago is no news: the reader was away. */
const newsMillis = 10 * 60_000

/** The most that one round shows one by one. */
const mostAtOnce = 4

const pageLimit = 200

/** Where the next read of the log of a place begins. */
interface Cursor {
  readonly since: string
  readonly afterId?: number
}

const cursorKey = (place: Place): string => `dockline-notices ${slugOf(place)}`

const cursorOf = (place: Place): Cursor | undefined => {
  const text = localStorage.getItem(cursorKey(place))
  return text === null ? undefined : JSON.parse(text) as Cursor
}

/**
 * The next messages of a place, and the cursor behind them. A place begins now, and anew where its log has lost the cursor. What is no news
 * is not read.
 */
const next = async (place: Place): Promise<readonly [messages: ReadonlyArray<Message>, cursor: Cursor]> => {
  const now: Cursor = { since: new Date().toISOString() }
  const { afterId, since: begin } = cursorOf(place) ?? now
  const newsBegin = new Date(Date.now() - newsMillis).toISOString()
  // A clock that was ahead has left a begin in the future.
  const since = begin > newsBegin && begin <= now.since ? begin : newsBegin
  const input = {
    businessSlug: place.business.slug,
    facilitySlug: place.facility.slug,
    messageTypes: messageTypes(),
    since,
    afterId,
    limit: pageLimit
  }
  try {
    const messages = await run(messagesOperation, { input })
    const lastId = messages.at(-1)?.id ?? afterId
    return [messages, { since, ...(lastId === undefined ? {} : { afterId: lastId }) }]
  } catch (error) {
    if (!(error instanceof Fault) || !lostCodes.has(error.code)) throw error
    return [[], now]
  }
}

/** What needs attention of what messages tell, in their order. */
const noticesOf = async (place: Place, messages: ReadonlyArray<Message>): Promise<ReadonlyArray<Notice>> => {
  const at = ` · ${place.facility.name}`
  const wrong = await wrongAmong(messages.filter(({ messageType }) => messageType === "PALLET_EVENT"))
  return messages.flatMap((message): ReadonlyArray<Notice> => {
    const id = `${slugOf(place)} ${message.id}`
    const pallet = wrong.find((each) => each.id === message.id)
    if (pallet !== undefined) {
      const { dockSlug, name, path, text } = pallet
      return [{ id, title: `Wrong pallet at dock ${dockSlug}${at}`, body: `${name}: ${text}`, path }]
    }
    const words = messageKind(message.messageType).noticeOf?.(message.message)
    if (words === undefined) return []
    const number = textOf(message.message, "shipmentNumber")
    const path = `/shipments/${textOf(message.message, "serviceShipmentId")}`
    return [{ id, title: `${words}${at}`, body: `Shipment ${number}`, path }]
  })
}

const failuresKey = "dockline-notices endpoints"

/** What is wrong with an endpoint; a name for it, which differs each time that it begins to fail. */
const failureOf = ({ disabledReason, failingSince, id }: EndpointView): string =>
  disabledReason === "GONE" || disabledReason === "FAILING"
    ? `${id} ${disabledReason}`
    : failingSince === null
    ? ""
    : `${id} ${failingSince}`

/** The endpoints that fail and did not when they were looked at last. */
const failingEndpoints = async (): Promise<ReadonlyArray<Notice>> => {
  const all: Array<EndpointView> = []
  for (let after: string | undefined; after !== "";) {
    const page = await call("GET /v1/operator/webhook-endpoints", {
      limit: pageSize,
      ...(after === undefined ? {} : { after })
    })
    all.push(...page.items)
    after = page.next ?? ""
  }
  const before = localStorage.getItem(failuresKey)?.split("\n")
  const now = all.filter((endpoint) => failureOf(endpoint) !== "")
  localStorage.setItem(failuresKey, now.map(failureOf).join("\n"))
  // What fails already when they are looked at first is no news.
  const news = before === undefined ? [] : now.filter((endpoint) => !before.includes(failureOf(endpoint)))
  return news.map((endpoint) => ({
    id: failureOf(endpoint),
    title: endpoint.enabled ? "A webhook endpoint fails" : "A webhook endpoint was disabled",
    body: `${endpoint.baseUrl} · ${endpoint.business}`,
    path: `/webhooks/${endpoint.id}`
  }))
}

const show = ({ body, id, path, title }: Notice): void => {
  const notification = notify(title, { body, tag: id })
  notification.addEventListener("click", () => {
    focus()
    notification.close()
    navigate(path)
  })
}

const showAll = (notices: ReadonlyArray<Notice>): void => {
  const isMany = notices.length > mostAtOnce
  for (const notice of isMany ? notices.slice(0, mostAtOnce - 1) : notices) show(notice)
  const [first, ...others] = isMany ? notices.slice(mostAtOnce - 1) : []
  if (first !== undefined) {
    show({ ...first, title: `${others.length + 1} more need attention`, body: first.title, path: "/docks" })
  }
}

/** What is new at a place, up to the end of its log. */
const newsOf = async (place: Place): Promise<ReadonlyArray<Notice>> => {
  const notices: Array<Notice> = []
  for (let isMore = true; isMore;) {
    const [messages, cursor] = await next(place)
    notices.push(...await noticesOf(place, messages))
    localStorage.setItem(cursorKey(place), JSON.stringify(cursor))
    isMore = messages.length === pageLimit
  }
  return notices
}

/** What is found, or nothing where it cannot be read now: that is read in the next round. What the reader may not see is asked anew. */
const orNothing = async (news: Promise<ReadonlyArray<Notice>>): Promise<ReadonlyArray<Notice>> => {
  try {
    return await news
  } catch (error) {
    if (error instanceof Fault && error.code === "FORBIDDEN") await loadSession().catch(() => undefined)
    return []
  }
}

/** Shows what is new. A place that cannot be read hides no other. */
const round = async (count: number): Promise<void> => {
  const notices: Array<Notice> = []
  for (const place of places.value.filter(({ facility }) => facility.messages)) {
    notices.push(...await orNothing(newsOf(place)))
  }
  if (session.value?.operator === true && count % roundsOfEndpoints === 0) {
    notices.push(...await orNothing(failingEndpoints()))
  }
  showAll(notices)
}

/** Watches until the returned function is called; of several tabs, one does. */
export const watch = (): () => void => {
  const end = new AbortController()
  const rounds = async (): Promise<void> => {
    for (let count = 0; !end.signal.aborted; count++) {
      await round(count).catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, roundMillis))
    }
  }
  navigator.locks.request("dockline-notices", { signal: end.signal }, rounds).catch(() => undefined)
  return () => end.abort()
}
