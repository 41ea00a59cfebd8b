/** Loads the data of a view, keeps it while it is loaded again, and follows the messages that change it. */
import { useEffect, useRef, useState } from "preact/hooks"
import { connection, follow } from "../api/live.ts"
import type { Follower } from "../api/live.ts"
import type { Message } from "../api/operations.ts"
import { faultOf } from "../api/request.ts"
import type { Fault } from "../api/request.ts"
import { loadSession } from "../session.ts"
import type { MessageSource } from "../session.ts"

export interface LoadState<A> {
  /** The last value; `undefined` until there is one. */
  readonly value: A | undefined
  readonly fault: Fault | undefined
  /** Loads again. Calls while a load runs lead to one more load after it. */
  readonly reload: () => void
  /** Loads again without a pause, after a change by the reader. */
  readonly reloadNow: () => void
}

/** The minimum time between two loads: pallets may pass faster than anybody reads. */
const spacingMillis = 2000

interface Loading {
  /** A change of the extent loads again; the last value stays until the next one is loaded. */
  readonly extent?: number
}

/** Whether the view polls, because it may not or need not follow messages. */
let isPolling = false

/** Shows whether the service answers; only for views that poll, as others see it by their socket. */
const noteAnswer = (isAnswered: boolean): void => {
  if (isPolling) connection.value = isAnswered ? "polling" : "offline"
}

/** Loads for a key, and again when the key changes. */
export const useLoaded = <A>(
  key: string,
  load: () => Promise<A>,
  { extent = 1 }: Loading = {}
): LoadState<A> => {
  const [state, setState] = useState<{ readonly key: string; readonly value?: A; readonly fault?: Fault }>({
    key
  })
  const job = useRef({ key: "", isRunning: false, isStale: false, isUrgent: false, load, endPause: () => {} })
  job.current.load = load

  const start = async (): Promise<void> => {
    const mine = job.current
    if (mine.isRunning) return void (mine.isStale = true)
    mine.isRunning = true
    do {
      mine.isStale = false
      mine.isUrgent = false
      let pauseMillis = spacingMillis
      try {
        const value = await mine.load()
        noteAnswer(true)
        if (job.current === mine) setState({ key: mine.key, value })
      } catch (error) {
        const fault = faultOf(error)
        // The request cost the service nothing, and the network may be back now.
        if (fault.code === "OFFLINE") pauseMillis = 0
        noteAnswer(fault.code !== "OFFLINE")
        if (job.current === mine) setState((before) => ({ ...before, key: mine.key, fault }))
      }
      // The loaded data may be older than the change that the reader wants to see.
      if (mine.isUrgent) continue
      await new Promise<void>((resolve) => {
        mine.endPause = resolve
        setTimeout(resolve, pauseMillis)
      })
    } while (mine.isStale && job.current === mine)
    mine.isRunning = false
  }

  const startNow = (): void => {
    job.current.isUrgent = true
    void start()
    job.current.endPause()
  }

  useEffect(() => {
    job.current = { key, isRunning: false, isStale: false, isUrgent: false, load, endPause: () => {} }
    setState({ key })
    void start()
    return () => void (job.current = { ...job.current, key: "" })
  }, [key])

  useEffect(() => {
    if (extent !== 1) startNow()
  }, [extent])

  const isMine = state.key === key
  return {
    value: isMine ? state.value : undefined,
    fault: isMine ? state.fault : undefined,
    reload: () => void start(),
    reloadNow: startNow
  }
}

/** The time after which a view is loaded again for changes without a message, such as documents. */
const refreshMillis = 15_000

/** The same for views that poll. */
const pollMillis = 5000

/**
 * Follows the messages of a place, calls `refresh` for changes without a message, and calls `refreshNow` whenever a
 * connection begins.
 */
export const useLive = (
  source: MessageSource | undefined,
  onMessage: Follower["onMessage"],
  refresh: () => void,
  refreshNow = refresh
): void => {
  const latest = useRef({ onMessage, refresh, refreshNow })
  latest.current = { onMessage, refresh, refreshNow }
  const key = source === undefined ? "" : `${source.business}/${source.facility ?? ""}`

  useEffect(() => {
    if (source === undefined) {
      isPolling = true
      connection.value = "polling"
      return () => void (isPolling = false)
    }
    const stop = follow(source, {
      onMessage: (message) => latest.current.onMessage(message),
      // The view may be out of date.
      onConnected: () => latest.current.refreshNow(),
      onRefused: () => {
        isPolling = true
        connection.value = "polling"
        latest.current.refreshNow()
        // The pages then offer the actions that the reader may still perform.
        void loadSession().catch(() => undefined)
      }
    })
    return () => {
      isPolling = false
      stop()
    }
  }, [key])

  useEffect(() => {
    let timer = 0
    const refreshIfSeen = (): void => {
      if (document.visibilityState === "visible") latest.current.refresh()
    }
    const next = (): void => {
      timer = setTimeout(() => {
        refreshIfSeen()
        next()
      }, isPolling ? pollMillis : refreshMillis)
    }
    // A view that follows messages is refreshed when its connection is back.
    const wake = (): void => {
      if (isPolling) refreshIfSeen()
    }
    next()
    addEventListener("online", wake)
    document.addEventListener("visibilitychange", wake)
    return () => {
      clearTimeout(timer)
      removeEventListener("online", wake)
      document.removeEventListener("visibilitychange", wake)
    }
  }, [])
}

interface Following<A> extends Loading {
  /** The messages that may change the loaded data, once it is known. */
  readonly source: (value: A | undefined) => MessageSource | undefined
  /** Whether to load again after a message; by default after every message. */
  readonly isChange?: (message: Message) => boolean
}

/** {@link useLoaded}; also loads again after messages, and from time to time for changes without a message. */
export const useFollowed = <A>(
  key: string,
  load: () => Promise<A>,
  { source, isChange = () => true, ...loading }: Following<A>
): LoadState<A> => {
  const state = useLoaded(key, load, loading)
  const onMessage = (message: Message): void => {
    if (isChange(message)) state.reload()
  }
  useLive(source(state.value), onMessage, state.reload, state.reloadNow)
  return state
}

/** {@link useLoaded}; also loads again from time to time for changes without a message. */
export const usePolled = <A>(key: string, load: () => Promise<A>, extent = 1): LoadState<A> =>
  useFollowed(key, load, { extent, source: () => undefined })

/** Marks a view that does not change. */
export const useStill = (): void =>
  useEffect(() => {
    connection.value = "none"
  }, [])
