/** How a webhook endpoint's authentication is put together from flags, what it has now, and questions. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import * as FakeService from "./FakeService.ts"
import { runLine, words } from "./Running.ts"
import type { RunInput } from "./Running.ts"
import { endpoint } from "./Showing.ts"

const folder = mkdtempSync(join(tmpdir(), "dockline-cli-"))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

/** Runs a line at a service that has endpoint 1 with this authentication; what it is sent, if anything. */
const run = async (now: object, args: ReadonlyArray<string>, input: RunInput = {}) => {
  await using service = await FakeService.serve((request, response) =>
    FakeService.json(
      {
        ...endpoint(now),
        headers: [{ name: "X-Zone" }, { name: "X-Old" }],
        ...(request.method === "POST" ? { signingSecret: "whsec_x" } : {})
      },
      request.method === "POST" ? 201 : 200
    )(request, response)
  )
  const env = {
    DOCKLINE_URL: service.url,
    DOCKLINE_CLIENT_ID: "me",
    DOCKLINE_CLIENT_SECRET: "s",
    PW: "canary-1"
  }
  const ran = await runLine(args, { ...input, env: { ...env, ...input.env } })
  assert.notMatch(ran.data + ran.errors, /canary/)
  const request = service.requests.find(({ method }) => method !== "GET")
  return { ...ran, sent: request === undefined ? undefined : JSON.parse(request.body) }
}

const create = (args: ReadonlyArray<string>, input?: RunInput) =>
  run({ type: "none" }, ["webhook", "create", "acme", "--base-url", "https://acme.example", ...args], input)

const update = (now: object, args: ReadonlyArray<string>, input?: RunInput) =>
  run(now, ["webhook", "update", "1", ...args], input)

const token = {
  type: "token",
  loginUrl: "https://acme.example/login",
  username: "dockline",
  tokenPath: "access_token",
  scheme: "Bearer"
}

describe("a new endpoint", () => {
  for (
    const [name, args, authentication] of [
      ["none", ["--auth", "none"], { type: "none" }],
      ["basic", ["--auth", "basic", "--username", "u", "--password-env", "PW"], {
        type: "basic",
        username: "u",
        password: "canary-1"
      }],
      [
        "token",
        words(
          "--auth token --username u --login-url https://l.example --password-env PW --username-field user " +
            "--scheme '' --login-format form"
        ),
        {
          type: "token",
          loginUrl: "https://l.example",
          username: "u",
          password: "canary-1",
          usernameField: "user",
          scheme: "",
          loginFormat: "form"
        }
      ],
      [
        "oauth2",
        words(
          "--auth oauth2 --token-url https://l.example/token --auth-client-id dockline --auth-client-secret-env PW " +
            "--scope hooks --auth-audience wms"
        ),
        {
          type: "oauth2",
          tokenUrl: "https://l.example/token",
          clientId: "dockline",
          clientSecret: "canary-1",
          scope: "hooks",
          audience: "wms"
        }
      ]
    ] as const
  ) {
    it(`has the settings that are given, and leaves the others to the service: ${name}`, async () => {
      const { code, errors, sent } = await create(args)
      assert.strictEqual(code, 0, errors)
      assert.deepStrictEqual(sent.authentication, authentication)
    })
  }

  const basic = ["--auth", "basic", "--username", "u"]
  for (
    const [name, args, input] of [
      ["a file, without the end of its last line", [
        ...basic,
        "--password-file",
        file("password", "canary pass \n")
      ], {}],
      ["standard input", [...basic, "--password-file", "-"], { stdin: "canary pass \r\n" }],
      ["the terminal", basic, { keystrokes: "canary pass \r" }],
      ["the terminal for -", [...basic, "--password-file", "-"], { keystrokes: "canary pass \r" }]
    ] as const
  ) {
    it(`takes its password from ${name}`, async () => {
      const { code, errors, sent } = await create(args, input)
      assert.strictEqual(code, 0, errors)
      assert.strictEqual(sent.authentication.password, "canary pass ")
    })
  }

  it("takes a signing secret as it takes a password", async () => {
    const args = ["--auth", "none", "--signing-secret-file", file("signing", "whsec_canary\n")]
    assert.strictEqual((await create(args)).sent.signingSecret, "whsec_canary")
    assert.notProperty((await create(["--auth", "none"])).sent, "signingSecret")
  })

  for (
    const [name, args, words] of [
      ["no --auth", ["--username", "u"], "Choose the authentication with --auth"],
      ["no password and nobody to ask", basic, "Give --password-env or --password-file"],
      ["a variable that is not set", [...basic, "--password-env", "NOWHERE"], "NOWHERE is not set"],
      ["a file that is not there", [...basic, "--password-file", join(folder, "nothing")], "cannot be read"],
      ["an empty file", [...basic, "--password-file", file("empty", "\n")], "the file is empty"],
      ["two places for one secret", [...basic, "--password-env", "PW", "--password-file", "-"], "not both"],
      ["no user name", ["--auth", "basic", "--password-env", "PW"], "--auth basic needs --username"],
      [
        "a setting of another scheme",
        [...basic, "--login-url", "https://l.example"],
        "--auth basic has no login url"
      ],
      [
        "a secret without a scheme for it",
        ["--auth", "none", "--password-env", "PW"],
        "--auth none has no password"
      ]
    ] as const
  ) {
    it(`is not sent with ${name}: exit 2`, async () => {
      const { code, errors, sent } = await create(args)
      assert.deepStrictEqual([code, sent], [2, undefined], errors)
      assert.include(errors, words)
    })
  }
})

describe("a change of an endpoint", () => {
  it("leaves the authentication alone when nothing is said of it", async () => {
    assert.deepStrictEqual((await update(token, ["--message", "PALLET_EVENT"])).sent, {
      messageTypes: ["PALLET_EVENT"]
    })
  })

  for (
    const [name, now] of [["no secrets", { type: "none" }], ["a scheme of the service's own", {
      type: "mtls"
    }]] as const
  ) {
    it(`of its address says nothing of authentication with ${name}`, async () => {
      assert.deepStrictEqual((await update(now, ["--base-url", "https://b.example"])).sent, {
        baseUrl: "https://b.example"
      })
    })
  }

  it("to the address that it has keeps the password", async () => {
    assert.deepStrictEqual((await update(token, ["--base-url", "https://acme.example/"])).sent, {
      baseUrl: "https://acme.example/"
    })
    const { errors, sent } = await update(token, ["--login-url", token.loginUrl])
    assert.deepStrictEqual(sent, { authentication: token }, errors)
  })

  for (
    const [name, args, change] of [
      ["base URL", ["--base-url", "https://b.example"], {
        authentication: token,
        baseUrl: "https://b.example"
      }],
      ["login URL", ["--login-url", "https://c.example"], {
        authentication: { ...token, loginUrl: "https://c.example" }
      }]
    ] as const
  ) {
    it(`of the ${name} asks for the password, which goes nowhere else by itself`, async () => {
      const { code, errors, sent } = await update(token, args, { keystrokes: "canary-3\r" })
      assert.strictEqual(code, 0, errors)
      assert.deepStrictEqual(sent, {
        ...change,
        authentication: { ...change.authentication, password: "canary-3" }
      })
      assert.strictEqual(
        (await update(token, [...args, "--password-env", "PW"])).sent.authentication.password,
        "canary-1"
      )
      const silent = await update(token, args)
      assert.deepStrictEqual([silent.code, silent.sent], [2, undefined], silent.errors)
    })
  }

  it("changes one setting and sends the others as they are, without a secret", async () => {
    assert.deepStrictEqual((await update(token, ["--scheme", "Token"])).sent, {
      authentication: { ...token, scheme: "Token" }
    })
  })

  it("changes the password alone", async () => {
    assert.deepStrictEqual((await update(token, ["--password-env", "PW"])).sent, {
      authentication: { ...token, password: "canary-1" }
    })
  })

  it("to another scheme keeps nothing of the one before, and asks for its password", async () => {
    const { code, errors, sent } = await update(token, ["--auth", "basic", "--username", "u"], {
      keystrokes: "canary-2\r"
    })
    assert.strictEqual(code, 0, errors)
    assert.deepStrictEqual(sent, { authentication: { type: "basic", username: "u", password: "canary-2" } })
  })

  it("to no authentication sends nothing else", async () => {
    assert.deepStrictEqual((await update(token, ["--auth", "none"])).sent, {
      authentication: { type: "none" }
    })
  })

  it("of a scheme of the service's own is left to the API: exit 2", async () => {
    const { code, errors, sent } = await update({ type: "mutual-tls" }, ["--username", "u"])
    assert.deepStrictEqual([code, sent], [2, undefined])
    assert.include(errors, "does not know the authentication \"mutual-tls\" of this endpoint")
  })
})

describe("headers", () => {
  it("come from the environment and from files, and not from the line", async () => {
    const { code, errors, sent } = await create([
      "--auth",
      "none",
      "--header-env",
      "X-Api-Key=PW",
      "--header-file",
      `X-Other=${file("header", "canary-2\n")}`,
      "--rate-per-second",
      "25"
    ])
    assert.strictEqual(code, 0, errors)
    assert.deepStrictEqual(sent.headers, [
      { name: "X-Api-Key", value: "canary-1" },
      { name: "X-Other", value: "canary-2" }
    ])
    assert.strictEqual(sent.ratePerSecond, 25)
  })

  it("stay where a change does not name them, and keep their values", async () => {
    const { code, errors, sent } = await update({ type: "none" }, [
      "--header-env",
      "x-zone=PW",
      "--header-env",
      "X-New=PW"
    ])
    assert.strictEqual(code, 0, errors)
    assert.deepStrictEqual(sent.headers, [
      { name: "X-Old" },
      { name: "x-zone", value: "canary-1" },
      { name: "X-New", value: "canary-1" }
    ])
  })

  it("are removed by name", async () => {
    const { sent } = await update({ type: "none" }, ["--remove-header", "x-old"])
    assert.deepStrictEqual(sent.headers, [{ name: "X-Zone" }])
    const unknown = await update({ type: "none" }, ["--remove-header", "X-Api-Key"])
    assert.strictEqual(unknown.sent, undefined)
    assert.match(unknown.errors, /The endpoint has no header X-Api-Key/)
  })

  it("have a name and a source", async () => {
    for (const text of ["X-Api-Key", "=PW", "X-Api-Key="]) {
      const { code, sent } = await update({ type: "none" }, ["--header-env", text])
      assert.deepStrictEqual([code === 0, sent], [false, undefined])
    }
    const { errors, sent } = await update({ type: "none" }, ["--header-env", "X-Api-Key=NOT_SET"])
    assert.strictEqual(sent, undefined)
    assert.match(errors, /--header-env: the environment variable NOT_SET is not set/)
  })
})
