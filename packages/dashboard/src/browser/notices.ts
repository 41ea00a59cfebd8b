/**
 * Notifications of the browser: wrong pallets, short departures, exceptions of high priority, and for operators failing endpoints (D14.5).
 *
 * Guarantee: each notification is shown at most once, however many tabs are open, and even after a reload. Only one tab at a time reads the
 * logs (Web Locks), and it stores the cursor of a log before it shows anything.
 */
import type { EndpointView } from "@dockline/core/operator/OperatorView"
import { lostCodes } from "./api/live.ts"
import { readPages } from "./api/operations.ts"
import type { Message } from "./api/operations.ts"
import { readList } from "./api/operator.ts"
import { Fault } from "./api/request.ts"
import { navigate } from "./router.ts"
import { loadSession, places, session, slugOf } from "./session.ts"
import type { Place } from "./session.ts"
import { notify } from "./theme.ts"
import { messageKind, messageTypes, readMessages, textOf } from "./ui/messages.ts"
import { wrongAmong } from "./views/WrongPallets.tsx"

/** A notification, with the page that has the details. */
interface Notice {
  /** Identifies the notification, so that a browser shows it once. */
  readonly id: string
  readonly title: string
  readonly body: string
  readonly path: string
}

const roundMillis = 10_000

/** Endpoints are checked only once in this many rounds. */
const roundsOfEndpoints = 6

/** The age, in milliseconds, above which events are not shown: the reader was away. */
const newsMillis = 10 * 60_000

/** The most notifications of one round; the last one stands for all further ones. */
const mostAtOnce = 4

const pageLimit = 200

/** Where the next read of a facility's log begins. */
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
 * The next messages of a facility, and the cursor after them. Reading begins at the present if there is no cursor, and after the log has
 * lost it. Messages that are older than {@link newsMillis} are not read.
 */
const next = async (place: Place): Promise<readonly [messages: ReadonlyArray<Message>, cursor: Cursor]> => {
  const now: Cursor = { since: new Date().toISOString() }
  const { afterId, since: begin } = cursorOf(place) ?? now
  const newsBegin = new Date(Date.now() - newsMillis).toISOString()
  // A wrong clock may have stored a time in the future.
  const since = begin > newsBegin && begin <= now.since ? begin : newsBegin
  try {
    const page = { messageTypes: messageTypes(), since, afterId, limit: pageLimit }
    const messages = await readMessages(place, page)
    const lastId = messages.at(-1)?.id ?? afterId
    return [messages, { since, ...(lastId === undefined ? {} : { afterId: lastId }) }]
  } catch (error) {
    if (!(error instanceof Fault) || !lostCodes.has(error.code)) throw error
    return [[], now]
  }
}

/** The notifications for messages that need attention, in their order. */
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

/**
 * Identifies the failure of an endpoint by the time of its start and, if the service disabled the endpoint, by the reason; `""` without a
 * failure. An endpoint that is enabled again and disabled again has another failure.
 */
const failureOf = ({ disabledReason, failingSince, id }: EndpointView): string => {
  const isDisabled = disabledReason === "GONE" || disabledReason === "FAILING"
  if (failingSince === null && !isDisabled) return ""
  return `${id} ${isDisabled ? disabledReason : ""} ${failingSince}`
}

/** The endpoints that fail now, but did not at the last check. */
const failingEndpoints = async (): Promise<ReadonlyArray<Notice>> => {
  const { rows: all } = await readPages(
    Infinity,
    (after) => readList<EndpointView>("/v1/operator/webhook-endpoints", {}, after)
  )
  const before = localStorage.getItem(failuresKey)?.split("\n")
  const now = all.filter((endpoint) => failureOf(endpoint) !== "")
  localStorage.setItem(failuresKey, now.map(failureOf).join("\n"))
  // Failures that exist at the first check are not new.
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

/** The new notifications of a facility, up to the end of its log. */
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

/**
 * The notifications, or none if they cannot be read now; the next round tries again. Loads the session if the reader has lost access.
 */
const orNothing = async (news: Promise<ReadonlyArray<Notice>>): Promise<ReadonlyArray<Notice>> => {
  try {
    return await news
  } catch (error) {
    if (error instanceof Fault && error.code === "FORBIDDEN") await loadSession().catch(() => undefined)
    return []
  }
}

/** Shows the new notifications. A facility whose log cannot be read does not hide the notifications of others. */
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

/** Watches until the returned function is called; only one of several tabs watches at a time. */
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
