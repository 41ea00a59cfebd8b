/**
 * The readers of the message log, as customers have them: one requests small pages, one subscribes and resumes after interruptions, and
 * one follows with `@dockline/client`. Each starts at the beginning of the log and records every message in the order in which the
 * customer gets it.
 */
import { DocklineError, make } from "@dockline/client"
import { createClient } from "graphql-ws"
import { WebSocket } from "ws"
import type { Random } from "../../../Random.ts"
import { facilityOf } from "../history/History.ts"
import { asList, asRecord } from "../Json.ts"
import { graphql, operate } from "./Client.ts"
import type { Site } from "./Client.ts"
import { ReaderLog } from "./ReaderLog.ts"

const selection = "{ id businessSlug facilitySlug messageType message sentAt }"

/**
 * A socket that ignores error events, because its end shows each failure: a socket that is closed while it opens reports one more error.
 */
class QuietSocket extends WebSocket {
  constructor(...given: ConstructorParameters<typeof WebSocket>) {
    super(...given)
    this.on("error", () => {})
  }
}

/** Requests small pages, again and again. */
const poll = async (log: ReaderLog): Promise<void> => {
  const query = `query($input: PushMessageFilter!) { pushMessages(input: $input) ${selection} }`
  const limit = 7
  while (!log.signal.aborted) {
    const input = { ...log.filter, since: "1970-01-01T00:00:00Z", limit }
    const asked = log.now
    const request = operate(`page of ${log.reading.reader}`, graphql(query, { input }))
    const { data, errors } = asRecord((await log.client.attempt(request)).body)
    log.heard(errors, asked)
    const page = asList(asRecord(data)["pushMessages"])
    for (const message of page) log.saw(message)
    if (page.length < limit) await log.pause(200)
    if (page.length < limit) await log.sleep()
  }
}

/** Subscribes at any instance, for a while or until it is cut off. */
const subscribe = async (log: ReaderLog): Promise<void> => {
  while (!log.signal.aborted) {
    const instance = log.client.instance()
    const token = await log.client.token(instance)
    if (typeof token === "string") await followOnce(log, instance, token)
    await log.pause(300)
    await log.sleep()
  }
}

const followOnce = (log: ReaderLog, instance: number, token: string): Promise<void> =>
  new Promise((resolve) => {
    let silence: NodeJS.Timeout | undefined
    const client = createClient({
      url: `${log.client.site.urls[instance]!.replace("http", "ws")}/public_graphql`,
      webSocketImpl: QuietSocket,
      retryAttempts: 0,
      connectionAckWaitTimeout: 4000,
      connectionParams: { Authorization: `Bearer ${token}` },
      keepAlive: 2000,
      on: {
        ping: (received) => {
          if (!received) silence = setTimeout(() => client.terminate(), 4000)
        },
        pong: (received) => {
          if (received) clearTimeout(silence)
        }
      }
    })
    const end = () => {
      stay()
      clearTimeout(silence)
      log.signal.removeEventListener("abort", end)
      client.terminate()
      resolve()
    }
    const stay = log.restartLater(end)
    log.signal.addEventListener("abort", end)
    const asked = log.now
    let isOver = false
    const over = () => {
      isOver = true
      end()
    }
    client.subscribe<{ readonly pushMessage: unknown }>({
      query:
        `subscription($filter: PushMessageSubscriptionFilter!) { pushMessage(filter: $filter) ${selection} }`,
      variables: { filter: log.filter }
    }, {
      next: ({ data, errors }) => {
        log.heard(errors, asked)
        if (!isOver && data !== null && data !== undefined) log.saw(data.pushMessage)
      },
      error: (error) => {
        log.heard(error, asked)
        if (asRecord(error)["code"] === 4403) log.client.forget(instance)
        over()
      },
      complete: over
    })
  })

/** Follows with the published client, and sometimes stops and starts it, like a process that restarts. */
const follow = async (log: ReaderLog): Promise<void> => {
  const { business, client: clientId, facility } = log.reading
  while (!log.signal.aborted) {
    const client = make({ url: log.client.site.baseUrl, clientId, clientSecret: `${clientId}-secret` })
    const readAt = log.now
    const stay = log.restartLater(client.close)
    try {
      const place = {
        business,
        facility: facility ?? undefined,
        afterId: log.afterId
      }
      for await (const message of client.follow({ ...place, intervalMillis: 100, signal: log.signal })) {
        log.saw(message)
      }
    } catch (error) {
      if (!(error instanceof DocklineError)) throw error
      const { code, droppedId, message, newestId } = error
      log.heard([{ message, extensions: { code, droppedId, newestId } }], readAt)
      await log.pause(500)
    } finally {
      stay()
      client.close()
    }
  }
}

/** The function of each kind of reader. */
const kinds = { poller: poll, subscriber: subscribe, follower: follow }

/** All readers of a run; the sleepy ones only if some should sleep. */
const all = `acme-client poller
acme-client subscriber
acme-client follower
acme-east-client poller
acme-east-client subscriber
globex-client poller
globex-client subscriber
globex-client follower
acme-client sleepy-poller
globex-client sleepy-subscriber`

export class Readers {
  readonly #leaving = new AbortController()
  readonly #logs: ReadonlyArray<ReaderLog>
  readonly #running: ReadonlyArray<Promise<void>>

  /** Two more readers sleep for at most `longestSleep`, if it is above 0. */
  constructor(site: Site, random: Random, longestSleep: number) {
    const readers = all.split("\n").map((each) => each.split(" ") as [client: string, kind: string])
      .filter(([, kind]) => longestSleep > 0 || !kind.startsWith("sleepy")).map(([client, kind]) => {
        const read = kinds[kind.replace("sleepy-", "") as keyof typeof kinds]
        const reader = `${client}-${kind}`
        const business = client.split("-")[0]!
        const reading = { reader, client, business, facility: facilityOf[client] ?? null }
        const sleep = kind.startsWith("sleepy") ? longestSleep : 0
        return { read, log: new ReaderLog(reading, site, random.split(reader), this.#leaving.signal, sleep) }
      })
    this.#logs = readers.map(({ log }) => log)
    this.#running = readers.map(({ log, read }) => read(log))
  }

  /** Steady readers are no longer restarted, so that each sees new messages by itself; otherwise they are restarted now and then. */
  settle(isSteady: boolean): void {
    for (const log of this.#logs) log.isSteady = isSteady
  }

  async close(): Promise<void> {
    this.#leaving.abort()
    await Promise.all(this.#running)
  }
}
