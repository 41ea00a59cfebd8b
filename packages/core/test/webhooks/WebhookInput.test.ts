import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { messageTypes } from "../../src/values/Vocabulary.ts"
import { defaultSchemes, plainSettings } from "../../src/webhooks/WebhookEndpoint.ts"
import * as WebhookInput from "../../src/webhooks/WebhookInput.ts"
import { readWith } from "../operator/OperatorServices.ts"
import { invalid, malformed, requestFaultsOf } from "../Reading.ts"

const long = (length: number) => "x".repeat(length)

const endpoint = (fields: Record<string, unknown> = {}) => ({
  business: "acme",
  baseUrl: "https://customer.example:8443",
  messageTypes: ["PALLET_EVENT"],
  authentication: { type: "none" },
  ...fields
})

const noBase =
  "must be an absolute URL without user name, password, query and fragment, such as https://example.com:8443"

const readEndpoint = WebhookInput.endpointReader()
const readPatch = WebhookInput.endpointPatchReader()

/** The faults of a value of one field, which are the same in a new endpoint and in a change. */
const faultsOfField = (name: string, value: unknown) => {
  const faults = requestFaultsOf(readEndpoint, endpoint({ [name]: value }))
  assert.deepStrictEqual(requestFaultsOf(readPatch, { [name]: value }), faults)
  return faults
}

describe("D9.1, D11 webhook endpoints", () => {
  it("the least, and what stands for the rest", () => {
    assert.deepStrictEqual(readWith(readEndpoint, endpoint()), {
      ...endpoint(),
      messageTypes: ["PALLET_EVENT"],
      authentication: { type: "none", settings: {}, secrets: {} },
      facility: null,
      signingSecret: undefined,
      ...plainSettings,
      enabled: true,
      fromId: null
    })
    for (const facility of [null, ""]) {
      assert.isNull(readWith(readEndpoint, endpoint({ facility })).facility)
    }
    assert.deepStrictEqual(readWith(readPatch, {}), {})
  })

  it("what is missing or misspelt is named", () => {
    assert.deepStrictEqual(
      requestFaultsOf(readEndpoint, { url: "https://a" }),
      malformed(
        ["url", "is not a field of a webhook endpoint; check its spelling"],
        ["business", "is required"],
        ["baseUrl", "is required"],
        ["authentication", "is required"]
      )
    )
    for (const field of ["business", "facility", "fromId", "signingSecret"]) {
      assert.deepStrictEqual(
        requestFaultsOf(readPatch, { [field]: 1 }),
        malformed([field, "is not a field of a change of a webhook endpoint; check its spelling"])
      )
    }
  })

  it.each(
    [
      ["https://a", "https://a"],
      ["https://a/", "https://a"],
      ["HTTPS://a.example:8443/in//", "HTTPS://a.example:8443/in"],
      ["http://[2001:db8::1]:80", "http://[2001:db8::1]:80"],
      [`https://a/${long(1014)}`, `https://a/${long(1014)}`]
    ] as const
  )("the base URL %s", (baseUrl, expected) => {
    assert.strictEqual(readWith(readEndpoint, endpoint({ baseUrl })).baseUrl, expected)
    assert.strictEqual(readWith(readPatch, { baseUrl }).baseUrl, expected)
  })

  it.each(
    [
      ["customer.example", noBase],
      ["//customer.example", noBase],
      ["https://", noBase],
      ["https:customer.example", noBase],
      ["https://user@a", noBase],
      ["https://a?x=1", noBase],
      ["https://a/#x", noBase],
      ["https://a/b c", noBase],
      [" https://a", noBase],
      ["https://a\\@b", noBase],
      [`https://a/${long(1015)}`, "must be at most 1024 characters long"]
    ] as const
  )("no base URL: %j", (baseUrl, detail) => {
    assert.deepStrictEqual(faultsOfField("baseUrl", baseUrl), invalid(["baseUrl", detail]))
  })

  it("an empty base URL is none", () => {
    assert.deepStrictEqual(
      requestFaultsOf(readEndpoint, endpoint({ baseUrl: "" })),
      invalid(["baseUrl", "is required"])
    )
    assert.notProperty(readWith(readPatch, { baseUrl: "" }), "baseUrl")
  })

  it.each(
    [
      [[], invalid(["messageTypes", "must name at least one type"])],
      [["PALLET_EVENT", "PALLET_EVENT"], invalid(["messageTypes", "must name each type once"])],
      [["PALLET"], invalid(["messageTypes[0]", `must be one of ${messageTypes.join(", ")}`])],
      ["PALLET_EVENT", malformed(["messageTypes", "must be a list, not a string"])]
    ] as const
  )("no message types: %j", (messageTypes, faults) => {
    assert.deepStrictEqual(faultsOfField("messageTypes", messageTypes), faults)
  })

  it.each([0, 1.5, -1, 2 ** 53])("no fromId: %d", (fromId) => {
    const { category, errors } = requestFaultsOf(readEndpoint, endpoint({ fromId }))
    assert.deepStrictEqual([category, errors.map(({ path }) => path)], ["unprocessable", ["fromId"]])
  })

  const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`

  it.each([24, 25, 26, 32, 63, 64])("a signing secret of %d bytes", (bytes) => {
    const { signingSecret } = readWith(readEndpoint, endpoint({ signingSecret: secretOf(bytes) }))
    assert.strictEqual(Redacted.value(signingSecret!), secretOf(bytes))
  })

  it.each([
    secretOf(23),
    secretOf(65),
    secretOf(32).slice(6),
    secretOf(32).slice(0, -1),
    secretOf(32).replace("B", "-"),
    ` ${secretOf(32)}`,
    `${secretOf(33)}\n`
  ])("no signing secret: %j, which is not repeated", (signingSecret) => {
    assert.deepStrictEqual(
      requestFaultsOf(readEndpoint, endpoint({ signingSecret })),
      invalid([
        "signingSecret",
        "must be whsec_ and 24 to 64 bytes in base64; leave it out, and the service makes a secret"
      ])
    )
  })
})

describe("D9.1, D9.2 authentication", () => {
  const basic = { type: "basic", username: "us", password: "secret" }
  const token = { type: "token", loginUrl: "https://a/login", username: "us:ä\t", password: "se\ncret" }

  it("secrets are wrapped, and defaults are filled in", () => {
    const read = (authentication: unknown) => {
      const { type, settings, secrets } = readWith(readEndpoint, endpoint({ authentication })).authentication
      return {
        type,
        settings,
        secrets: Object.entries(secrets).map((
          [name, secret]
        ) => [name, String(secret), Redacted.value(secret)])
      }
    }
    assert.deepStrictEqual(read(basic), {
      type: "basic",
      settings: { username: "us" },
      secrets: [["password", "<redacted>", "secret"]]
    })
    const defaults = {
      usernameField: "username",
      passwordField: "password",
      tokenPath: "access_token",
      lifetimePath: "expires_in",
      scheme: "Bearer",
      loginFormat: "json"
    }
    const { type: _, password, ...settings } = token
    assert.deepStrictEqual(read(token), {
      type: "token",
      settings: { ...settings, ...defaults },
      secrets: [["password", "<redacted>", password]]
    })
    const endpointSettings = {
      ...defaults,
      scheme: "",
      lifetimePath: "",
      tokenPath: "data.token",
      loginFormat: "form"
    }
    assert.deepStrictEqual(read({ ...token, ...endpointSettings }).settings, {
      ...settings,
      ...endpointSettings
    })
  })

  it("a change may leave secrets out, and nothing else", () => {
    const { authentication } = readWith(readPatch, { authentication: { type: "basic", username: "us" } })
    assert.deepStrictEqual(authentication, { type: "basic", settings: { username: "us" }, secrets: {} })
    assert.deepStrictEqual(
      requestFaultsOf(readPatch, { authentication: { type: "token" } }),
      invalid(["authentication.loginUrl", "is required"], ["authentication.username", "is required"])
    )
    assert.deepStrictEqual(
      requestFaultsOf(readEndpoint, endpoint({ authentication: { type: "token" } })),
      invalid(
        ["authentication.loginUrl", "is required"],
        ["authentication.username", "is required"],
        ["authentication.password", "is required"]
      )
    )
  })

  const sameField = invalid(["authentication.passwordField", "must not be the name in usernameField"])

  it.each(
    [
      ["none", malformed(["authentication", "must be an object, not a string"])],
      [{}, invalid(["authentication.type", "is required"])],
      [{ type: "Basic" }, invalid(["authentication.type", "must be one of none, basic, token, oauth2"])],
      [{ type: 1 }, malformed(["authentication.type", "must be a string, not a number"])],
      [
        { type: "none", username: "us" },
        malformed(["authentication.username", "is not a field of a webhook endpoint; check its spelling"])
      ],
      [{ ...basic, username: "" }, invalid(["authentication.username", "is required"])],
      [{ ...basic, username: "us:them" }, invalid(["authentication.username", "must not contain \":\""])],
      [
        { ...basic, username: "u\ts" },
        invalid(["authentication.username", "must not contain control characters"])
      ],
      [{ ...basic, password: "" }, invalid(["authentication.password", "is required"])],
      [
        { ...basic, password: "a\u007f" },
        invalid(["authentication.password", "must not contain control characters"])
      ],
      [{ ...basic, password: 7 }, malformed(["authentication.password", "must be a string, not a number"])],
      [{ ...token, loginUrl: "https://us:secret@a" }, invalid(["authentication.loginUrl", noBase])],
      [{ ...token, loginUrl: "https://a/login?key=secret" }, invalid(["authentication.loginUrl", noBase])],
      [{ ...token, usernameField: "name", passwordField: "name" }, sameField],
      [{ ...token, passwordField: "username" }, sameField],
      [
        { ...token, loginFormat: "xml" },
        invalid(["authentication.loginFormat", "must be one of json, form"])
      ],
      [
        { ...token, scheme: "Bearer\r\nX: y" },
        invalid(["authentication.scheme", "must be one word of printable ASCII characters"])
      ]
    ] as const
  )("%j is refused", (authentication, faults) => {
    assert.deepStrictEqual(requestFaultsOf(readEndpoint, endpoint({ authentication })), faults)
  })

  it("the schemes in force are the ones that may be used", () => {
    const [none] = defaultSchemes
    const own = { type: "own", fields: [] }
    const read = WebhookInput.endpointReader([none!, own])
    assert.strictEqual(
      readWith(read, endpoint({ authentication: { type: "own" } })).authentication.type,
      "own"
    )
    assert.deepStrictEqual(
      requestFaultsOf(read, endpoint({ authentication: basic })),
      invalid(["authentication.type", "must be one of none, own"])
    )
  })

  it("schemes in force that declare one type twice are refused", () => {
    const schemes = [...defaultSchemes, { type: "basic", fields: [] }]
    for (const make of [WebhookInput.endpointReader, WebhookInput.endpointPatchReader]) {
      assert.throws(() => make(schemes), TypeError, "AuthenticationSchemes declare the type basic twice")
    }
  })
})

describe("D15.3 the headers of an endpoint", () => {
  const header = (name: string, value = "agreed") => [{ name, value }]
  const faultsOf = (headers: unknown) => faultsOfField("headers", headers)

  it("are read with their values wrapped; a change may leave a value out", () => {
    const [read] = readWith(readEndpoint, endpoint({ headers: header("X-Api-Key", "a b~!") })).headers
    assert.deepStrictEqual([read!.name, Redacted.value(read!.value!)], ["X-Api-Key", "a b~!"])
    assert.deepStrictEqual(readWith(readPatch, { headers: [{ name: "X" }] }).headers, [
      { name: "X", value: undefined }
    ])
    assert.deepStrictEqual(readWith(readPatch, { headers: [] }).headers, [])
  })

  const ours = "is set by the service; choose another name"
  const http = "belongs to HTTP itself; choose another name"
  const unfit = "must begin with a letter, and hold letters, digits, hyphens, periods and underscores only"

  const refusedNames = {
    [ours]: [
      "Content-Type",
      "USER-AGENT",
      "webhook-id",
      "Webhook-Signature",
      "webhook-anything",
      "traceparent",
      "TraceState"
    ],
    "is set by the authentication; configure the sign-in there": ["Authorization"],
    [http]: [
      "Host",
      "content-length",
      "Content-Encoding",
      "Transfer-Encoding",
      "Connection",
      "Keep-Alive",
      "Proxy-Authorization",
      "TE",
      "Trailer",
      "Upgrade",
      "Expect",
      "Accept-Encoding"
    ],
    "is required": [""],
    [unfit]: ["__proto__", "X:Y", "X Y", "X\r\nY", "Ä"],
    "must be at most 64 characters long": [`X${long(64)}`]
  }

  for (const [detail, names] of Object.entries(refusedNames)) {
    for (const name of names) {
      // @threat calls.5
      it(`no header: ${JSON.stringify(name).slice(0, 24)}`, () => {
        assert.deepStrictEqual(faultsOf(header(name)), invalid(["headers[0].name", detail]))
      })
    }
  }

  it.each([" a", "a ", "a\nb", "ä", "\u007f"])("no value: %j", (value) => {
    assert.deepStrictEqual(
      faultsOf(header("X", value)),
      invalid(["headers[0].value", "must be printable ASCII characters, without blanks at its ends"])
    )
  })

  it("are at most ten, each of another name in whatever case", () => {
    const some = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `X-${n}`, value: "v" }))
    assert.strictEqual(readWith(readEndpoint, endpoint({ headers: some(10) })).headers.length, 10)
    assert.deepStrictEqual(faultsOf(some(11)), invalid(["headers", "must hold at most 10 entries"]))
    assert.deepStrictEqual(
      faultsOf([...header("X-Key"), ...header("x-KEY")]),
      invalid(["headers[1].name", "is the name of an earlier header; choose another name"])
    )
  })

  it("have no other fields", () => {
    const { category } = requestFaultsOf(readEndpoint, endpoint({ headers: [{ name: "X", text: "v" }] }))
    assert.strictEqual(category, "malformed")
    assert.deepStrictEqual(faultsOf(["X"]), malformed(["headers[0]", "must be an object, not a string"]))
  })
})

describe("D15.3 the rate of an endpoint", () => {
  it.each([0, 1, 1000])("%d", (ratePerSecond) => {
    assert.strictEqual(readWith(readEndpoint, endpoint({ ratePerSecond })).ratePerSecond, ratePerSecond)
    assert.strictEqual(readWith(readPatch, { ratePerSecond }).ratePerSecond, ratePerSecond)
  })

  it.each([-1, 0.5, 1001, 2 ** 53])("not %d", (ratePerSecond) => {
    assert.deepStrictEqual(
      faultsOfField("ratePerSecond", ratePerSecond),
      invalid(["ratePerSecond", "must be a whole number from 1 to 1000, or 0 for no limit"])
    )
  })
})

describe("D15.3 the signatures and the payload profile of an endpoint", () => {
  it("are read, in one order", () => {
    const reader = WebhookInput.endpointReader(defaultSchemes, {
      webhookTypes: messageTypes,
      outboxes: {},
      payloadProfiles: ["dockline", "shouting"]
    })
    const read = readWith(reader, endpoint({ signatures: ["v1a", "v1"], payloadProfile: "shouting" }))
    assert.deepStrictEqual([read.signatures, read.payloadProfile], [["v1", "v1a"], "shouting"])
    assert.deepStrictEqual(readWith(readPatch, { signatures: ["v1"] }).signatures, ["v1"])
  })

  it.each(
    [
      [["v1a"], invalid(["signatures", "must name v1"])],
      [[], invalid(["signatures", "must name v1"])],
      [["v1", "v1"], invalid(["signatures", "must name each kind once"])],
      [["v1", "v2"], invalid(["signatures[1]", "must be one of v1, v1a"])],
      ["v1", malformed(["signatures", "must be a list, not a string"])]
    ] as const
  )("no signatures: %j", (signatures, faults) => {
    assert.deepStrictEqual(faultsOfField("signatures", signatures), faults)
  })

  it("another profile is none", () => {
    assert.deepStrictEqual(
      faultsOfField("payloadProfile", "shouting"),
      invalid(["payloadProfile", "must be one of dockline"])
    )
  })
})
