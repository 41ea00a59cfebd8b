/**
 * The customers as a process: webhook endpoints, and programs that follow the log, come and go. It takes
 * `CustomerCommand`s one at a time and answers each with what has come so far.
 */
import { clientId } from "../../graphql/Workload.ts"
import { random } from "../Arrivals.ts"
import { Endpoints } from "./Endpoints.ts"
import { Follower } from "./Follower.ts"
import type { CustomerCommand, Following, Seen } from "./Protocol.ts"

/** Faults that are told; one is enough to fail. */
const mostFaults = 20

const faults: Array<string> = []
const onFault = (what: string): void => {
  if (faults.length < mostFaults) faults.push(what)
}

const endpoints = new Endpoints(onFault)
const port = endpoints.listen()

/** The share of connections that are only ended by the server. */
const staying = 0.25

let followers: ReadonlyArray<Follower> = []
let running: ReadonlyArray<Promise<void>> = []
let isSettled = false
let connections = 0
let expired = 0
let refused = 0

/** Tokens are kept until a while before they expire, as everybody should. */
const tokens = (baseUrl: string): () => Promise<string> => {
  let kept: { readonly token: Promise<string>; readonly until: number } | undefined
  const request = async (): Promise<readonly [string, number]> => {
    const response = await fetch(`${baseUrl}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_id: clientId,
        client_secret: `${clientId}-secret`,
        audience: `${baseUrl}/public_graphql`,
        grant_type: "client_credentials"
      })
    })
    if (!response.ok) throw new Error(`no token: ${response.status} ${await response.text()}`)
    const { access_token, expires_in } = await response.json() as {
      readonly access_token: string
      readonly expires_in: number
    }
    return [access_token, expires_in]
  }
  return () => {
    if (kept !== undefined && Date.now() < kept.until) return kept.token
    const asked = request()
    const fresh = { token: asked.then(([token]) => token), until: Date.now() + 10_000 }
    kept = fresh
    asked.then(
      ([, seconds]) => {
        if (kept === fresh) kept = { ...fresh, until: Date.now() + seconds * 500 }
      },
      () => {
        if (kept === fresh) kept = undefined
      }
    )
    return fresh.token
  }
}

const follow = ({ baseUrl, followers: count, ports, stay }: Following): void => {
  const next = random(2)
  const surroundings = {
    ports,
    random: next,
    token: tokens(baseUrl),
    // Some leave at once, some stay long, and some until their tokens have expired.
    stay: () => stay === null || isSettled || next() < staying ? undefined : stay * 2 * next(),
    onConnected: () => void connections++,
    onExpired: () => void expired++,
    onRefused: () => void refused++,
    onFault
  }
  followers = Array.from({ length: count }, (_, at) => new Follower(`follower ${at}`, surroundings))
  running = followers.map((follower) => follower.follow(0))
}

const obey = async (command: CustomerCommand): Promise<Seen> => {
  if ("follow" in command) follow(command.follow)
  else if ("settle" in command) isSettled = true
  else if ("leave" in command) {
    for (const follower of followers) follower.leave()
    await Promise.all(running)
  }
  return {
    port: await port,
    endpoints: endpoints.had,
    followers: followers.map(({ had }) => had),
    connections,
    expired,
    refused,
    faults
  }
}

process.on("message", (message) => {
  const { command, id } = message as { readonly id: number; readonly command: CustomerCommand }
  void obey(command).then(
    (answer) => process.send!({ id, answer }),
    (error: unknown) => process.send!({ id, error: String(error) })
  )
})
