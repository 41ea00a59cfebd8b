/** A program that embeds Dockline as a process of its own, and the actions of a client of it. */
import { recently } from "@dockline/testing/generators/Given"
import { createClient } from "graphql-ws"
import type { Client } from "graphql-ws"
import { WebSocket } from "ws"
import * as Process from "./Process.ts"

const baseUrl = "http://dockline.test"

/** A running host. */
export interface Host {
  readonly url: string
  readonly process: Process.Process
  /** A token of one of its clients. */
  readonly token: (clientId: string) => Promise<string>
  /** Sends JSON with a client's token. */
  readonly post: (clientId: string, path: string, body: unknown) => Promise<Response>
  /** A client of web sockets. */
  readonly sockets: (clientId: string) => Promise<Client>
}

/** Starts a program and waits until it listens. */
export const start = async (
  program: string,
  env: Readonly<Record<string, string>> = {},
  args: ReadonlyArray<string> = []
): Promise<Host> => {
  const process = Process.start(program, args, {
    PORT: "0",
    BASE_URL: baseUrl,
    ...env
  })
  await process.until(({ output }) => /Listening on port \d+/.test(output()))
  const url = `http://localhost:${/Listening on port (\d+)/.exec(process.output())![1]}`

  const token = async (clientId: string): Promise<string> => {
    const response = await fetch(`${url}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_id: clientId,
        client_secret: `${clientId}-secret`,
        audience: `${baseUrl}/public_graphql`,
        grant_type: "client_credentials"
      })
    })
    return (await response.json() as { readonly access_token: string }).access_token
  }

  const post = async (clientId: string, path: string, body: unknown): Promise<Response> =>
    fetch(url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${await token(clientId)}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })

  const sockets = async (clientId: string): Promise<Client> =>
    createClient({
      url: `${url.replace("http", "ws")}/public_graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams: { Authorization: `Bearer ${await token(clientId)}` }
    })

  return { url, process, token, post, sockets }
}

/** A document of one order. */
export const order = (orderNumber: string, more: object = {}) => ({
  business: "acme",
  facility: "east",
  direction: "OUTBOUND",
  orderNumber,
  dockSlug: "D1",
  items: [{ lpn: `P-${orderNumber}`, sku: "S1", quantity: 1, quantityUnit: "CASE" }],
  ...more
})

/** A pallet of that order at the dock. */
export const eventOf = (orderNumber: string, occurredAt = recently("17:00:00Z")) => ({
  eventId: `event-${orderNumber}`,
  business: "acme",
  facility: "east",
  dockSlug: "D1",
  direction: "LOADING",
  occurredAt,
  labels: [{ name: "lpn", value: `P-${orderNumber}` }]
})

/** Follows all messages of the business. */
export const subscription =
  "subscription { pushMessage(filter: { businessSlug: \"acme\", afterId: 0 }) { id message } }"

/** Reads an event stream until it contains a text, or ends; returns the text so far. */
export const readUntil = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  text: string
): Promise<string> => {
  const decoder = new TextDecoder()
  let read = ""
  while (!read.includes(text)) {
    const { value, done } = await reader.read()
    if (done) break
    read += decoder.decode(value, { stream: true })
  }
  return read
}
