/**
 * The service as the demo calls it: tokens, and requests that must be answered as expected.
 */
import * as Client from "@dockline/client"
import * as DemoData from "@dockline/server/lifecycle/DemoData"

export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What an error says, and what caused it: `fetch failed` alone tells nobody anything. */
export const textOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${textOf(error.cause)}`
}

export interface Site {
  /** Asks for the token that requests are sent with. */
  readonly signIn: () => Promise<void>
  /** Gets JSON; the answer must have status 200. */
  readonly get: (path: string) => Promise<JsonObject>
  /** Posts JSON and returns the answer, which must have that status. */
  readonly post: (path: string, body: object, status: number) => Promise<JsonObject>
  /** Posts without a body; the answer must have that status, and need not hold anything. */
  readonly trigger: (path: string, status: number) => Promise<void>
}

/** The service at an address, for one of its demo clients. */
export const make = (baseUrl: string, clientId: string, signal: AbortSignal): Site => {
  const { token } = Client.make({ url: baseUrl, clientId, clientSecret: DemoData.secretOf(clientId) })
  const send = async (method: string, path: string, body: object | undefined) =>
    fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${await token()}`,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)])
    }).catch((error: unknown) => {
      throw new Error(`${method} ${path} was not answered: ${textOf(error)}`)
    })
  const call = async (method: string, path: string, body: object | undefined, status: number) => {
    const response = await send(method, path, body)
    const answer: unknown = await response.json().catch(() => undefined)
    if (response.status !== status) {
      const detail = isObject(answer) ? String(answer["detail"]) : "no JSON"
      throw new Error(`${method} ${path} was answered ${response.status}, not ${status}: ${detail}`)
    }
    return answer
  }
  const withJson = async (method: string, path: string, body: object | undefined, status: number) => {
    const answer = await call(method, path, body, status)
    if (!isObject(answer)) throw new Error(`${method} ${path} was answered without a JSON object`)
    return answer
  }
  return {
    signIn: async () => {
      await token()
    },
    get: (path) => withJson("GET", path, undefined, 200),
    post: (path, body, status) => withJson("POST", path, body, status),
    trigger: async (path, status) => {
      await call("POST", path, undefined, status)
    }
  }
}
