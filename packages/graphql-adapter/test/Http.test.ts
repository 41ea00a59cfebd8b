/** The interface over HTTP: requests, answers, refusals (D8.5, D8.6, D8.8, D10, D12.3). */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { serverAudits } from "graphql-http"
import { server, TestGraphql } from "./HttpSetup.ts"
import type { Reply } from "./HttpSetup.ts"

const json = { "content-type": "application/json" }
const post = (body: string, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { ...json, ...headers },
  body
})
const typename = JSON.stringify({ query: "{ __typename }" })

const codeOf = ({ body }: Reply) => body.errors?.[0]?.extensions?.["code"]

layer(server({ bodyLimit: 10_000 }))("GraphQL over HTTP", (it) => {
  const test = (name: string, run: (graphql: TestGraphql["Service"]) => Promise<void>) =>
    it.effect(name, () => Effect.flatMap(TestGraphql, (graphql) => Effect.promise(() => run(graphql))))

  test("passes all 61 audits of graphql-http, with a token (D8.8)", async ({ url }) => {
    const audits = serverAudits({
      url,
      fetchFn: (input: string, init: RequestInit = {}) => {
        const headers = new Headers(init.headers)
        headers.set("authorization", "Bearer acme-client")
        return fetch(input, { ...init, headers })
      }
    })
    const results = await Promise.all(audits.map((audit) => audit.fn()))
    expect(results.filter(({ status }) => status !== "ok").map(({ name }) => name)).toEqual([])
    expect(results).toHaveLength(61)
  })

  test("answers 401 before it reads the body (WIRE.md, authentication)", async ({ send }) => {
    const reply = await send(post("x".repeat(20_000), { authorization: "" }))
    expect(reply.status).toBe(401)
  })

  test("refuses a mutation by GET as an event stream as well", async ({ send }) => {
    const mutation = "mutation { departShipment(input: { shipmentId: 1 }) { id } }"
    const headers = { accept: "text/event-stream" }
    const refusal = await send({ headers }, `?query=${encodeURIComponent(mutation)}`)
    expect(refusal.status).toBe(405)
  })

  for (const [method, body] of [["PUT", typename], ["DELETE", undefined], ["PATCH", typename]] as const) {
    test(`answers ${method} with 405, Allow and a problem (D4.2)`, async ({ send }) => {
      const reply = await send({ method, headers: json, ...(body === undefined ? {} : { body }) })
      expect(reply.status).toBe(405)
      expect(reply.headers.get("allow")).toBe("GET, POST")
      expect(reply.body).toMatchObject({ status: 405, code: "METHOD_NOT_ALLOWED" })
    })
  }

  test("chooses the operation by name, and says when there is none, or no name", async ({ send }) => {
    const ask = (query: string, operationName?: string) =>
      send(post(JSON.stringify({ query, operationName })))
    const two = "query a { __typename } query b { b: __typename }"
    expect((await ask(two, "b")).body).toEqual({ data: { b: "Query" } })
    for (const [query, name] of [[two, "c"], ["{ __typename }", "c"]] as const) {
      expect((await ask(query, name)).body.errors).toEqual([{
        message: "The document holds no operation of the given operationName",
        extensions: { code: "BAD_USER_INPUT" }
      }])
    }
    expect((await ask(two)).body.errors).toEqual([{
      message: "The document holds several operations: name one in operationName",
      extensions: { code: "BAD_USER_INPUT" }
    }])
  })

  test("refuses batches with a clear error (D8.8)", async ({ send }) => {
    const reply = await send(post(` [${typename},${typename}]`))
    expect(reply.status).toBe(400)
    expect(reply.body.errors).toEqual([
      {
        message:
          "The request cannot be read: body: is a list; batches are not supported: send one operation in each request",
        extensions: {
          code: "BAD_USER_INPUT",
          reason: "MALFORMED_REQUEST",
          errors: [{
            path: "body",
            detail: "is a list; batches are not supported: send one operation in each request"
          }]
        }
      }
    ])
  })

  test("refuses a body beyond the limit with 413, announced or not (D2.7)", async ({ send }) => {
    const body = JSON.stringify({ query: `{ __typename } #${"x".repeat(10_000)}` })
    const announcement = await send(post(body))
    expect(announcement.status).toBe(413)
    expect(announcement.body.errors?.[0]?.extensions).toEqual({
      code: "BAD_USER_INPUT",
      reason: "PAYLOAD_TOO_LARGE"
    })
    const stream = await send({
      method: "POST",
      headers: json,
      body: new Blob([body]).stream(),
      duplex: "half"
    } as RequestInit)
    expect(stream.status).toBe(413)
    expect((await send(post(JSON.stringify({ query: "{ __typename }" })))).status).toBe(200)
  })

  test("tells how to subscribe where a subscription is sent as a plain request", async ({ ask }) => {
    const reply = await ask(`subscription { pushMessage(filter: { businessSlug: "acme" }) { id } }`)
    expect(reply.body.errors?.[0]?.message).toBe(
      "Subscribe over a WebSocket, or send Accept: text/event-stream"
    )
    expect(codeOf(reply)).toBe("BAD_USER_INPUT")
  })

  for (const key of [undefined, "deep"]) {
    test(`refuses JSON nested over 64 levels${key === undefined ? "" : " under an Idempotency-Key"} (D2.6)`, async ({ send }) => {
      const query = "mutation ($x: JSON) { departShipment(input: { shipmentId: 1 }) { id } }"
      const headers = key === undefined ? json : { ...json, "idempotency-key": key }
      // The body and its variables are two levels.
      const nest = (levels: number) =>
        `{"query":${JSON.stringify(query)},"variables":{"x":${"[".repeat(levels)}"]\\"["${
          "]".repeat(levels)
        }}}`
      const refusal = { code: "BAD_USER_INPUT", reason: "MALFORMED_REQUEST" }
      for (const levels of [63, 1500]) {
        const reply = await send(post(nest(levels), headers))
        expect(reply.status).toBe(400)
        expect(reply.body.errors?.[0]?.extensions).toMatchObject({
          ...refusal,
          errors: [{ path: "body", detail: expect.stringMatching(/nested over 64 levels deep$/) }]
        })
      }
      const answer = await send(post(nest(62), headers))
      expect(answer.body.errors?.[0]?.extensions?.["reason"]).not.toBe("MALFORMED_REQUEST")
    })
  }

  test("leads a browser from the path with a slash to the page, whose files are beside it", async ({ url }) => {
    const headers = { accept: "text/html" }
    const redirect = await fetch(`${url}/?query=a%20b`, { headers, redirect: "manual" })
    expect(redirect.status).toBe(308)
    expect(new URL(redirect.headers.get("location")!, `${url}/?query=a%20b`).href).toBe(`${url}?query=a%20b`)
    expect((await fetch(`${url}/`, { headers })).status).toBe(200)
  })

  test("shows GraphiQL to a browser without a token, from this service alone (D8.8)", async ({ url }) => {
    const page = await fetch(url, { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } })
    expect(page.status).toBe(200)
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(page.headers.get("vary")).toBe("accept, accept-encoding")
    const policy = page.headers.get("content-security-policy")
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    const html = await page.text()
    expect(html).not.toMatch(/https?:/)
    const links = Array.from(
      html.matchAll(/(?:src|href)="(public_graphql\/graphiql[^"]+)"/g),
      (match) => match[1]!
    )
    expect(links).toHaveLength(6)
    for (const link of links) {
      const file = await fetch(new URL(link, url))
      expect(file.status, link).toBe(200)
      expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
      expect((await file.text()).length).toBeGreaterThan(100)
    }
    const file = await fetch(`${url}/schema.graphql`)
    expect(file.headers.get("content-type")).toBe("text/plain; charset=utf-8")
    expect(await file.text()).toContain("type Query")
    const unchanged = { "if-none-match": file.headers.get("etag")! }
    expect((await fetch(`${url}/schema.graphql`, { headers: unchanged })).status).toBe(304)
    const [link = ""] = links
    const other = await fetch(new URL(link.replace(/v=.*/, "v=other"), url))
    expect(other.headers.get("cache-control")).toBe("no-cache")
    const etag = { "if-none-match": other.headers.get("etag")! }
    expect((await fetch(new URL(link, url), { headers: etag })).status).toBe(304)
    expect((await fetch(`${url}/graphiql/nothing.js`)).status).toBe(404)
  })
})
