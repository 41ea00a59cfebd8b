/** JSON is taken or refused as REST takes or refuses it, wherever a request of GraphQL holds some (D2.6). */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { server, TestGraphql } from "./HttpSetup.ts"

const json = { "content-type": "application/json" }
const query = "mutation ($i: DocumentInput!) { submitDocument(input: $i) { created { reference } } }"
const upload = "mutation ($f: Upload!) { uploadDocument(input: { file: $f }) { created { reference } } }"

/** A document with a key twice, of which the second used to be written. */
const twice =
  `{"business":"acme","facility":"east","direction":"OUTBOUND","orderNumber":"A","orderNumber":"B"}`

const boundary = "b"
const multipart = (parts: Readonly<Record<string, string | Uint8Array>>): RequestInit => {
  const body = Object.entries(parts).flatMap(([name, content]) => [
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${
      name === "file" ? "; filename=\"a.json\"\r\ncontent-type: application/json" : ""
    }\r\n\r\n`,
    content,
    "\r\n"
  ])
  return {
    method: "POST",
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: new Blob([...body as Array<BlobPart>, `--${boundary}--\r\n`])
  }
}

const operations = JSON.stringify({ query: upload, variables: { f: null } })
const map = `{"file":["variables.f"]}`
const invalid = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])

const post = (body: string | Uint8Array<ArrayBuffer>, headers = {}): RequestInit => ({
  method: "POST",
  headers: { ...json, ...headers },
  body
})

type Case = readonly [
  what: string,
  request: RequestInit,
  search: Readonly<Record<string, string>>,
  path: string
]

const cases: ReadonlyArray<Case> = [
  ["a key of the body twice", post(`{"query":"{__typename}","query":"{a:__typename}"}`), {}, "query"],
  [
    "a key of a variable twice",
    post(`{"query":${JSON.stringify(query)},"variables":{"i":${twice}}}`),
    {},
    "variables.i.orderNumber"
  ],
  [
    "a key of a variable twice in a request for events",
    post(`{"query":${JSON.stringify(query)},"variables":{"i":${twice}}}`, { accept: "text/event-stream" }),
    {},
    "variables.i.orderNumber"
  ],
  [
    "a key twice in a large body",
    post(`{"query":"{__typename}","variables":{"i":${twice}}${" ".repeat(100_000)}}`),
    {},
    "variables.i.orderNumber"
  ],
  ["a body that is not UTF-8", post(invalid), {}, "body"],
  ["a body that is no object", post("5"), {}, "body"],
  ["a body that is a text", post(JSON.stringify(JSON.stringify({ query: "{__typename}" }))), {}, "body"],
  ["a variable of a GET twice", {}, { query: "{__typename}", variables: `{"a":1,"a":2}` }, "variables.a"],
  ["variables of a GET that are no JSON", {}, { query: "{__typename}", variables: "{" }, "variables"],
  ["an extension of a GET twice", {}, { query: "{__typename}", extensions: `{"a":1,"a":2}` }, "extensions.a"],
  [
    "a key of operations twice",
    multipart({ operations: operations.replace("{", `{"query":"{__typename}",`), map, file: "{}" }),
    {},
    "operations.query"
  ],
  [
    "a key of variables twice",
    multipart({ query: upload, variables: `{"f":null,"f":null}`, map, file: "{}" }),
    {},
    "variables.f"
  ],
  [
    "a key of map twice",
    multipart({ operations, map: map.replace("{", `{"file":["variables.f"],`), file: "{}" }),
    {},
    "map.file"
  ],
  ["operations that are not UTF-8", multipart({ operations: invalid, map, file: "{}" }), {}, "operations"],
  ["a key of an uploaded document twice", multipart({ operations, map, file: twice }), {}, "orderNumber"],
  ["an uploaded document that is not UTF-8", multipart({ operations, map, file: invalid }), {}, ""],
  [
    "an uploaded document that nests too deep",
    multipart({ operations, map, file: `{"items":${"[".repeat(64)}${"]".repeat(64)}}` }),
    {},
    ""
  ]
]

layer(server())("D2.6 JSON of a request of GraphQL", (it) => {
  for (const [what, request, search, path] of cases) {
    // @threat requests.9
    it.effect(`is refused with ${what}`, () =>
      Effect.flatMap(TestGraphql, ({ send }) =>
        Effect.promise(async () => {
          const { body, status } = await send(
            request,
            Object.keys(search).length === 0 ? "" : `?${new URLSearchParams(search)}`
          )
          const { code, reason, errors } = body.errors?.[0]?.extensions ?? {}
          expect(body.data?.["submitDocument"] ?? body.data?.["uploadDocument"] ?? null).toBe(null)
          expect([code, errors]).toMatchObject(["BAD_USER_INPUT", [{ path }]])
          // A file is read when its mutation is run.
          expect([status, reason]).toEqual(
            what.includes("uploaded") ? [200, "MALFORMED_DOCUMENT"] : [400, "MALFORMED_REQUEST"]
          )
        })))
  }
})
