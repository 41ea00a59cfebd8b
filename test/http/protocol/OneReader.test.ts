/**
 * Every interface reads the same inputs alike: the headers that describe a body (D2.5, D2.6), a field that is `""` (D2.4), a time (D1.6).
 */
import { graphqlParts } from "@dockline/server/Capabilities"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { gzipSync } from "node:zlib"
import * as Site from "../../support/Site.ts"
import { unique } from "../../support/TestServer.ts"

let site: Site.Site
let cookie: string

beforeAll(async () => {
  site = await Site.start()
  const signedIn = await fetch(`${site.baseUrl}/dashboard/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: site.baseUrl, "content-type": "application/x-www-form-urlencoded" },
    body: signIn
  })
  cookie = signedIn.headers.get("set-cookie")!.split(";", 1)[0]!
})

afterAll(async () => {
  await site?.stop()
})

const signIn = "client_id=acme-client&client_secret=acme-client-secret"

interface Door {
  readonly path: string
  readonly body: () => string
  readonly as: "acme-client" | "operator" | "tower" | "cookie" | undefined
}

const document = () =>
  JSON.stringify({ business: "acme", facility: "west", direction: "INBOUND", orderNumber: unique("ORDER") })

const query = () => JSON.stringify({ query: "{ __typename }" })

/** The paths of the schemas of GraphQL. */
const graphqlPaths = ["/public_graphql", ...graphqlParts.map(({ path }) => path)]

/** The interfaces that accept JSON. */
const jsonDoors: Readonly<Record<string, Door>> = {
  REST: { path: "/v1/documents", body: document, as: "acme-client" },
  "the operator side": {
    path: "/v1/operator/businesses",
    body: () => JSON.stringify({ slug: unique("b").toLowerCase(), name: "B" }),
    as: "operator"
  },
  "the token endpoint": {
    path: "/oauth/token",
    body: () =>
      JSON.stringify({
        client_id: "acme-client",
        client_secret: "acme-client-secret",
        audience: `${site.baseUrl}/public_graphql`,
        grant_type: "client_credentials"
      }),
    as: undefined
  },
  GraphQL: { path: "/public_graphql", body: query, as: "acme-client" },
  ...Object.fromEntries(
    graphqlParts.map((
      { path }
    ) => [`GraphQL at ${path}`, { path, body: query, as: "acme-client" } satisfies Door])
  ),
  MCP: {
    path: "/mcp",
    body: () => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
    as: "acme-client"
  },
  "REST of pages": { path: "/dashboard/api/v1/documents", body: document, as: "cookie" },
  "GraphQL of pages": { path: "/dashboard/api/graphql", body: query, as: "cookie" }
}

const edi: Door = { path: "/v1/edi", body: () => "ISA*00*", as: "acme-client" }

const form: Door = { path: "/dashboard/sign-in", body: () => signIn, as: undefined }

const send = async (
  { as, path }: Door,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array<ArrayBuffer>
) => {
  const answer = await fetch(`${site.baseUrl}${path}`, {
    method: "POST",
    redirect: "manual",
    headers: {
      accept: "application/json, text/event-stream",
      ...as === undefined
        ? { origin: site.baseUrl }
        : as === "cookie"
        ? { cookie, origin: site.baseUrl }
        : { authorization: `Bearer ${await site.service.token(as)}` },
      ...headers
    },
    body
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const doors = Object.entries(jsonDoors)

describe.each(doors)("%s", (_, door) => {
  it.each([
    "application/json",
    "APPLICATION/JSON",
    "  application/json  ",
    "application/json;",
    "application/json; charset=utf-8",
    "application/json;charset=UTF8",
    "application/json; charset=\"utf-8\"",
    "application/json ; Charset = \"UTF-8\" ; odata=verbose",
    "application/json; odata=verbose",
    "application/json; profile=\"a;charset=latin1\"",
    "application/json; charset=us-ascii"
  ])("takes %s", async (type) => {
    const answer = await send(door, { "content-type": type }, door.body())
    assert.isBelow(answer.status, 300, answer.text)
  })

  it.each([
    "text/plain",
    "application/json; charset=iso-8859-1",
    "application/json; charset=utf-16",
    "application/json; charset=\"utf-8",
    "application/json, text/plain",
    "application/jsonp"
  ])("answers 415 to %s", async (type) => {
    const answer = await send(door, { "content-type": type }, door.body())
    assert.strictEqual(answer.status, 415, answer.text)
    assert.isNull(answer.headers.get("accept-encoding"))
  })

  it("takes a body that says it has no coding", async () => {
    const headers = { "content-type": "application/json", "content-encoding": "Identity" }
    const answer = await send(door, headers, door.body())
    assert.isBelow(answer.status, 300, answer.text)
  })
})

describe.each([...doors, ["the intake of EDI", edi], ["signing in", form]] as const)("%s", (_, door) => {
  const type = door === edi
    ? "application/edi-x12"
    : door === form
    ? "application/x-www-form-urlencoded"
    : "application/json"

  it.each(["gzip", "x-gzip", "br", "deflate", "identity, gzip", "unknown"])(
    "answers 415 to a body with the coding %s, and names the one that it takes",
    async (coding) => {
      // The content of the body does not matter, because it is not read.
      const bytes = coding === "unknown" ? door.body() : Uint8Array.from(gzipSync(door.body()))
      const answer = await send(door, { "content-type": type, "content-encoding": coding }, bytes)
      assert.strictEqual(answer.status, 415, answer.text)
      assert.strictEqual(answer.headers.get("accept-encoding"), "identity")
      if (door !== form) assert.include(answer.text, "coding")
    }
  )

  it("takes its media type whatever its parameters", async () => {
    const answer = await send(
      door,
      { "content-type": `${type.toUpperCase()};charset="UTF8"; v=1` },
      door.body()
    )
    assert.notStrictEqual(answer.status, 415, answer.text)
  })
})

describe("signing in", () => {
  it("answers 415 to what is no form", async () => {
    const answer = await send(form, { "content-type": "text/plain" }, signIn)
    assert.strictEqual(answer.status, 415)
  })
})

describe("GraphQL with files", () => {
  it.each([...graphqlPaths, "/dashboard/api/graphql"])(
    "answers 415 at %s to a coding, whatever the media type",
    async (path) => {
      const door: Door = {
        path,
        body: () => "",
        as: path.startsWith("/dashboard") ? "cookie" : "acme-client"
      }
      const headers = { "content-type": "multipart/form-data; boundary=x", "content-encoding": "gzip" }
      const answer = await send(door, headers, Uint8Array.from(gzipSync("--x--")))
      assert.strictEqual(answer.status, 415, answer.text)
    }
  )
})

describe("a text in ISO-8859-1", () => {
  // Bytes 80 to 9F have the meaning that senders intend: windows-1252 (the label's rule of the WHATWG Encoding Standard).
  const latin = Buffer.from("\x80uro \x93quoted\x94 \x96 \xe9", "latin1")
  const text = "€uro “quoted” – é"
  const xml = (declared: string) =>
    Buffer.concat([
      Buffer.from(`${declared}<Document><business>acme</business><facility>west</facility>
        <direction>INBOUND</direction><orderNumber>${unique("L1")}</orderNumber><carrier>`),
      latin,
      Buffer.from("</carrier></Document>")
    ])

  it.each([
    ["the header", "application/xml; charset=iso-8859-1", ""],
    ["the header, in short", "text/xml; charset=Latin1", ""],
    ["the declaration", "application/xml", `<?xml version="1.0" encoding="ISO-8859-1"?>`]
  ])("is read as senders mean it, by %s", async (_, type, declared) => {
    const answer = await send(jsonDoors["REST"]!, { "content-type": type }, Uint8Array.from(xml(declared)))
    assert.strictEqual(answer.status, 201, answer.text)
    assert.include(answer.text, text)
  })
})

const upload =
  "mutation ($file: Upload!) { uploadDocument(input: { file: $file }) { created { type } notes shipment { expectedArrivalAt } } }"

/** The ways of a JSON document into the service, which return its answer as text. */
const documentDoors: Readonly<
  Record<string, (document: object) => Promise<{ readonly status: number; readonly text: string }>>
> = {
  REST: (document) =>
    send(jsonDoors["REST"]!, { "content-type": "application/json" }, JSON.stringify(document)),
  "REST, when it is long": (document) =>
    send(
      jsonDoors["REST"]!,
      { "content-type": "application/json" },
      JSON.stringify(document) + " ".repeat(70_000)
    ),
  "REST of pages": (document) =>
    send(jsonDoors["REST of pages"]!, { "content-type": "application/json" }, JSON.stringify(document)),
  "uploadDocument": async (document) => {
    const form = new FormData()
    form.set("operations", JSON.stringify({ query: upload, variables: { file: null } }))
    form.set("map", JSON.stringify({ 0: ["variables.file"] }))
    form.set("0", new File([JSON.stringify(document)], "document.json", { type: "application/json" }))
    const answer = await fetch(`${site.baseUrl}/public_graphql`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${await site.service.token("acme-client")}`,
        accept: "application/json"
      },
      body: form
    })
    return { status: answer.status, text: await answer.text() }
  },
  MCP: async (document) => {
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "submitDocument", arguments: document }
    }
    return send(jsonDoors["MCP"]!, { "content-type": "application/json" }, JSON.stringify(call))
  }
}

const given = (fields: object = {}, itemFields: object = {}) => ({
  business: "acme",
  facility: "west",
  direction: "INBOUND",
  orderNumber: unique("ORDER"),
  items: [{ lpn: unique("LPN"), sku: "SKU-1", quantity: 1, quantityUnit: "CASE", ...itemFields }],
  ...fields
})

describe.each(Object.entries(documentDoors))("a document by %s", (_, submit) => {
  it.each<readonly [string, object, object]>([
    ["numbers", { expectedQuantity: "" }, { weightPerUnit: "", height: "", length: "", width: "" }],
    ["booleans", {}, { isDangerousGood: "" }],
    ["dates and times", { expectedArrivalAt: "" }, { expirationDate: "", manufacturingDate: "" }],
    ["lists", { additionalFields: "", orders: "" }, { caseSerials: "" }],
    ["words and texts", { carrier: "", trailerNumber: "" }, {
      weightUnit: "",
      dimensionUnit: "",
      identifier: ""
    }],
    ["lists of items", { items: "" }, {}]
  ])("has no %s where they are empty", async (_, fields, itemFields) => {
    const answer = await submit(given(fields, itemFields))
    assert.isBelow(answer.status, 300, answer.text)
    assert.include(answer.text, "ORDER")
    assert.notMatch(answer.text, /"errors"|isError":true/)
  })

  it.each<readonly [string, object, object, string]>([
    ["a required number that is empty", {}, { quantity: "" }, "is required by OVERWRITE"],
    ["a required text that is empty", { business: "" }, {}, "is required"],
    ["a direction that is empty", { direction: "" }, {}, "must be one of"],
    ["text in a number", { expectedQuantity: "5" }, {}, "must be a number, not a string"],
    ["a blank in a number", { expectedQuantity: " " }, {}, "must be a number, not a string"],
    ["an empty entry of a list", { items: [""] }, {}, "must be an object, not a string"],
    ["an unknown field that is empty", { expectedQty: "" }, {}, "is not a field"]
  ])("is refused for %s", async (_, fields, itemFields, detail) => {
    assert.include((await submit(given(fields, itemFields))).text, detail)
  })
})

/** The ways of times into the service, each as a text that may be refused; and whether the text is part of an address. */
const timeDoors: Readonly<
  Record<string, (time: string) => Promise<{ readonly status: number; readonly text: string }>>
> = {
  ...Object.fromEntries(
    Object.entries(documentDoors).map(([name, submit]) => [
      `a document by ${name}`,
      (time: string) => submit(given({ expectedArrivalAt: time }))
    ])
  ),
  "a document in XML": (time) =>
    send(
      jsonDoors["REST"]!,
      { "content-type": "application/xml" },
      `<Document><business>acme</business><facility>west</facility><direction>INBOUND</direction><orderNumber>${
        unique("X")
      }</orderNumber><expectedArrivalAt>${time}</expectedArrivalAt></Document>`
    ),
  "a pallet event": (time) =>
    send(
      { path: "/v1/pallet-events", body: () => "", as: "tower" },
      { "content-type": "application/json" },
      JSON.stringify({
        eventId: unique("E"),
        business: "acme",
        facility: "west",
        dockSlug: "D1",
        direction: "UNLOADING",
        occurredAt: time,
        labels: []
      })
    ),
  "a step": (time) =>
    send(
      { path: "/v1/shipments/1/arrive", body: () => "", as: "tower" },
      { "content-type": "application/json" },
      JSON.stringify({ occurredAt: time })
    ),
  ...Object.fromEntries(
    [
      "/v1/messages?business=acme&since=",
      "/v1/shipments?from=",
      "/v1/documents?to=",
      "/v1/operator/audit?from="
    ].map((path) => [path, async (time: string) => {
      const answer = await fetch(`${site.baseUrl}${path}${encodeURIComponent(time)}`, {
        headers: {
          authorization: `Bearer ${await site.service.token(
            path.includes("operator") ? "operator" : "acme-client"
          )}`
        }
      })
      return { status: answer.status, text: await answer.text() }
    }])
  ),
  ...Object.fromEntries(
    graphqlPaths.map((path) => [path, (time: string) =>
      send(
        { path, body: () => "", as: "acme-client" },
        { "content-type": "application/json" },
        JSON.stringify({
          query: "query ($input: PushMessageFilter!) { pushMessages(input: $input) { messageType } }",
          variables: { input: { businessSlug: "acme", since: time } }
        })
      )]
    )
  )
}

describe.each(Object.entries(timeDoors))("a time in %s", (_, ask) => {
  it.each([
    ["2026-11-20T17:00:00-0500", "write 2026-11-20T17:00:00-05:00"],
    ["2026-11-20T17:00:00.25+01", "write 2026-11-20T17:00:00.25+01:00"],
    ["2026-11-20T17:00:00 00:00", "write 2026-11-20T17:00:00+00:00; in an address the + is written as %2B"],
    ["2026-11-20T17:00:00 0530", "write 2026-11-20T17:00:00+05:30; in an address the + is written as %2B"],
    ["2026-11-20 17:00:00", "write 2026-11-20T17:00:00Z, or its offset, such as -05:00, in place of Z"],
    ["2026-11-20 17:00:00Z", "write 2026-11-20T17:00:00Z"],
    ["2026-11-20 17:00:00-05:00", "write 2026-11-20T17:00:00-05:00"],
    ["2026-11-20T17:00Z", "write 2026-11-20T17:00:00Z"],
    ["20/11/2026", "such as 2026-11-20T17:00:00Z"],
    ["2026-11-20T25:00:00-0500", "such as 2026-11-20T17:00:00Z"]
  ])("is refused as %s, with what to write", async (time, remedy) => {
    const answer = await ask(time)
    assert.match(answer.text, /a date and time as in RFC 3339/)
    assert.include(answer.text, remedy)
  })

  it.each(["2026-11-20T17:00:00Z", "2026-11-20T17:00:00", "2026-11-20t17:00:00.123-05:00"])(
    "is taken as %s",
    async (time) => {
      assert.notInclude((await ask(time)).text, "RFC 3339")
    }
  )
})

const elements = (fields: object): string =>
  Object.entries(fields).map(([name, value]) => {
    const text = Array.isArray(value) ? value.map(elements).join("") : String(value)
    return `<${name}>${text}</${name}>`
  }).join("")

/** The interfaces whose own types read a document, or which read XML. */
const furtherDoors: typeof documentDoors = {
  XML: (document) =>
    send(
      jsonDoors["REST"]!,
      { "content-type": "application/xml", accept: "application/xml" },
      `<document>${elements(document)}</document>`
    ),
  submitDocument: (document) =>
    send(
      jsonDoors["GraphQL"]!,
      { "content-type": "application/json" },
      JSON.stringify({
        query: "mutation ($input: DocumentInput!) { submitDocument(input: $input) { notes } }",
        variables: { input: document }
      })
    )
}

describe.each(Object.entries({ ...documentDoors, ...furtherDoors }))(
  "the answer to a document, %s",
  (_, ask) => {
    it("notes a check digit that does not fit, and nothing else", async () => {
      const odd = given({}, { lpn: "(00)106141411234567890" })
      const answer = await ask(odd)
      assert.isBelow(answer.status, 300)
      assert.include(
        answer.text,
        `order ${odd.orderNumber}: the check digit of SSCC 106141411234567890 should be 7`
      )
      assert.notInclude((await ask(given({}, { lpn: "(00)106141411234567897" }))).text, "check digit")
    })
  }
)
