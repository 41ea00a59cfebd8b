/** Requests of the generators, made in advance so that nothing is serialized during the measurement. */
import { Client } from "undici"

/** A request as undici sends it. */
export interface Request {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
}

/** A `POST` of JSON text. */
export const postOf = (path: string, token: string, text: string): Request => ({
  method: "POST",
  path,
  headers: {
    "content-type": "application/json",
    accept: "application/json",
    authorization: `Bearer ${token}`
  },
  body: Buffer.from(text)
})

/** A keep-alive connection to 127.0.0.1, which sends one request after another. */
export const connect = (port: number): Client => new Client(`http://127.0.0.1:${port}`, { pipelining: 1 })
