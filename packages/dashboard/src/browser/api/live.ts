/**
 * Follows the messages of a business or a facility over a web socket (`graphql-transport-ws`).
 *
 * Guarantee: whenever a connection begins, it resumes after the last message and calls `onConnected`, so that the view misses no change. A
 * dead connection, as after an hour of sleep, is detected within two seconds of waking up.
 */
import { signal } from "@preact/signals"
import { loadSession } from "../session.ts"
import type { MessageSource } from "../session.ts"
import { messageTypes } from "../ui/messages.ts"
import type { Message } from "./operations.ts"
import { root } from "./request.ts"

export interface Follower {
  readonly onMessage: (message: Message) => void
  /** Messages come from now on; earlier ones may be missing, so the view has to be loaded again. */
  readonly onConnected: () => void
  /** The reader may not follow these messages, or has lost the right to; no messages come from now on. */
  readonly onRefused: () => void
}

/** The state of the connection, for people: `polling` if the view has no messages to follow, `none` if the view never changes. */
export const connection = signal<"connecting" | "live" | "polling" | "offline" | "none">("connecting")

const subscription = `subscription Live($filter: PushMessageSubscriptionFilter!) {
  pushMessage(filter: $filter) { id facilitySlug messageType message sentAt }
}`

const pingMillis = 15_000
const openMillis = 10_000
const pongMillis = 2000
/** After waking up, a connection is more likely dead than slow, and a new one costs little. */
const wokenPongMillis = 1000
const longestWaitMillis = 10_000

/** The service closes a socket with this code when its session has ended, or has lost the right to read these messages. */
const forbidden = 4403

/** Refusals of a cursor whose messages have been dropped, or which belongs to an earlier log: following then starts at the present. */
export const lostCodes: ReadonlySet<string> = new Set(["HISTORY_EXPIRED", "CURSOR_AHEAD"])

interface Frame {
  readonly type: string
  readonly payload?: unknown
}

/** Follows until the returned function is called. */
export const follow = (
  { business, facility }: MessageSource,
  { onConnected, onMessage, onRefused }: Follower
): () => void => {
  let socket: WebSocket | undefined
  let listening = new AbortController()
  let cursor: number | undefined
  let failures = 0
  let subscriptions = 0
  let isOver = false
  let retry = 0
  let silence = 0

  const send = (message: object): void => socket?.send(JSON.stringify(message))

  const init = (): void => send({ type: "connection_init" })

  const subscribe = (): void => {
    send({
      id: String(++subscriptions),
      type: "subscribe",
      payload: {
        query: subscription,
        variables: {
          filter: {
            businessSlug: business,
            facilitySlug: facility,
            messageTypes: messageTypes(),
            afterId: cursor
          }
        }
      }
    })
    probe()
    onConnected()
  }

  /** Requests a sign of life, and connects again unless the service answers in time. */
  const probe = (patienceMillis = pongMillis): void => {
    if (socket?.readyState !== WebSocket.OPEN) return
    send({ type: "ping" })
    clearTimeout(silence)
    silence = setTimeout(reconnect, patienceMillis)
  }

  const receive = ({ payload, type }: Frame): void => {
    clearTimeout(silence)
    switch (type) {
      case "connection_ack":
        connection.value = "live"
        return subscribe()
      case "next": {
        // The casts here and below rely on the protocol and on the schema of the service.
        const { data } = payload as { readonly data?: { readonly pushMessage: Message } }
        if (data === undefined) {
          cursor = undefined
          return reconnect()
        }
        failures = 0
        cursor = data.pushMessage.id
        return onMessage(data.pushMessage)
      }
      case "error":
        return refuse(payload)
      case "complete":
        return reconnect()
    }
  }

  const refuse = (payload: unknown): void => {
    const [error] = payload as ReadonlyArray<{ readonly extensions?: { readonly code?: string } }>
    const code = error?.extensions?.code ?? ""
    if (code === "FORBIDDEN") {
      isOver = true
      socket?.close()
      return onRefused()
    }
    if (!lostCodes.has(code)) return reconnect()
    cursor = undefined
    subscribe()
  }

  const reconnect = (): void => {
    clearTimeout(silence)
    if (socket !== undefined) {
      listening.abort()
      socket.close()
      socket = undefined
    }
    if (isOver) return
    connection.value = "offline"
    clearTimeout(retry)
    const wait = Math.min(longestWaitMillis, 250 * 2 ** failures)
    failures++
    retry = setTimeout(connect, wait * (0.75 + Math.random() / 2))
  }

  const connect = (): void => {
    clearTimeout(retry)
    if (isOver || socket !== undefined) return
    const address = `${location.origin.replace(/^http/, "ws")}${root}/api/graphql`
    const next = new WebSocket(address, "graphql-transport-ws")
    socket = next
    // Without a network, a browser would try to connect for minutes.
    silence = setTimeout(reconnect, openMillis)
    listening = new AbortController()
    const { signal } = listening
    next.addEventListener("open", () => isOver ? reconnect() : init(), { signal })
    next.addEventListener("message", ({ data }) => receive(JSON.parse(String(data))), { signal })
    next.addEventListener("close", ({ code }) => {
      clearTimeout(silence)
      socket = undefined
      // Without a session, this opens the sign-in page; with a session, it loads what the reader may still follow.
      if (code === forbidden) return void loadSession().then(reconnect, reconnect)
      reconnect()
    }, { signal })
  }

  const wake = (): void => {
    if (document.visibilityState === "hidden") return
    failures = 0
    if (socket?.readyState === WebSocket.OPEN) return probe(wokenPongMillis)
    // The network in which an earlier attempt began may be gone.
    listening.abort()
    socket?.close()
    socket = undefined
    clearTimeout(silence)
    connect()
  }

  const beat = setInterval(() => {
    // The connection has lasted, so the next failure counts as the first.
    if (socket?.readyState === WebSocket.OPEN) failures = 0
    probe()
  }, pingMillis)
  addEventListener("online", wake)
  document.addEventListener("visibilitychange", wake)
  connect()

  return () => {
    isOver = true
    clearInterval(beat)
    clearTimeout(retry)
    removeEventListener("online", wake)
    document.removeEventListener("visibilitychange", wake)
    // Browsers warn when a socket is closed while it connects: the listener of `open`, or the timeout, closes it then.
    if (socket?.readyState !== WebSocket.CONNECTING) reconnect()
  }
}
