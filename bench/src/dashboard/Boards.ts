/**
 * Boards without a browser: each follows the messages and asks for changes as the board in the browser was seen to, which
 * costs the server the same and the machine far less.
 */
import { WebSocket } from "ws"

/** What the board in the browser sent. */
export interface Seen {
  /** The message by which it follows. */
  readonly subscription: string
  /** The bodies of its requests while pallets passed, in order. */
  readonly bodies: ReadonlyArray<string>
  /** Over how many seconds it sent these. */
  readonly seconds: number
}

/** Where boards are, and as whom. */
export interface Site {
  readonly baseUrl: string
  readonly cookie: string
}

/** Boards that are open. */
export interface Boards {
  /** The messages that they got. */
  readonly messages: () => number
  /** The requests that they sent. */
  readonly requests: () => number
  readonly close: () => Promise<void>
}

/** Opens so many boards; resolves once all of them follow. */
export const open = async (count: number, { baseUrl, cookie }: Site, seen: Seen): Promise<Boards> => {
  let [messages, requests] = [0, 0]
  let isOver = false
  const headers = { cookie, origin: baseUrl }
  const everyMillis = seen.seconds / seen.bodies.length * 1000
  const waiting = new Set<Promise<void>>()
  const timers: Array<ReturnType<typeof setInterval>> = []

  const ask = async (body: string): Promise<void> => {
    requests++
    const response = await fetch(`${baseUrl}/dashboard/api/graphql`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body
    })
    const { errors } = await response.json() as { readonly errors?: unknown }
    if (errors !== undefined && !isOver) throw new Error(`a board was answered ${JSON.stringify(errors)}`)
  }

  const start = (at: number): void => {
    let next = at
    timers.push(setInterval(() => {
      const asked = ask(seen.bodies[next++ % seen.bodies.length]!)
      waiting.add(asked)
      void asked.finally(() => waiting.delete(asked))
    }, everyMillis))
  }

  const sockets = await Promise.all(Array.from({ length: count }, async (_, at) => {
    const socket = new WebSocket(
      `${baseUrl.replace("http", "ws")}/dashboard/api/graphql`,
      "graphql-transport-ws",
      { headers }
    )
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject)
      socket.once("open", () => socket.send(JSON.stringify({ type: "connection_init" })))
      socket.on("message", (data) => {
        const { type } = JSON.parse(String(data)) as { readonly type: string }
        if (type === "next") messages++
        if (type !== "connection_ack") return
        socket.send(seen.subscription)
        resolve()
      })
    })
    // They do not ask all at once, as people open them one by one.
    setTimeout(() => isOver || start(at), everyMillis * at / count)
    return socket
  }))

  return {
    messages: () => messages,
    requests: () => requests,
    close: async () => {
      isOver = true
      timers.forEach(clearInterval)
      for (const socket of sockets) socket.close()
      await Promise.all(waiting)
    }
  }
}
