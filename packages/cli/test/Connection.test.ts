/** How the service is reached, and as whom: the token, the secret, the settings. */
import { assert, describe, it } from "vitest"
import * as FakeService from "./FakeService.ts"
import { runLine } from "./Running.ts"
import { acme, env, errorsOf, secret, show } from "./Showing.ts"

describe("the token", () => {
  it("is asked for with the audience of the service, and sent with the request", async () => {
    const bodies: Array<unknown> = []
    const ran = await show(FakeService.json(acme), ({ body }, response) => {
      bodies.push(JSON.parse(body))
      FakeService.json({ access_token: "access-token", token_type: "Bearer", expires_in: 60 })(
        { method: "", path: "", authorization: "", accept: "", body },
        response
      )
    })
    assert.strictEqual(ran.code, 0, ran.errors)
    assert.deepStrictEqual(bodies, [{
      client_id: "operator",
      client_secret: secret,
      audience: `${ran.url}/public_graphql`,
      grant_type: "client_credentials"
    }])
    assert.deepStrictEqual(
      ran.requests.map(({ authorization, method, path }) => [method, path, authorization]),
      [
        ["GET", "/v1/operator/businesses/acme", "Bearer access-token"]
      ]
    )
  })

  it("is asked for at --auth-url with --audience when they are given, before the environment", async () => {
    await using issuer = await FakeService.serve(FakeService.json({}), ({ body }, response) => {
      const { audience, client_id } = JSON.parse(body)
      assert.deepStrictEqual([audience, client_id], ["https://dockline.example/public_graphql", "me"])
      FakeService.json({ access_token: "elsewhere", token_type: "Bearer", expires_in: 60 })(
        { method: "", path: "", authorization: "", accept: "", body },
        response
      )
    })
    const ran = await show(
      FakeService.json(acme),
      FakeService.json({}, 500),
      { env: { DOCKLINE_AUTH_URL: "http://localhost:1", DOCKLINE_AUDIENCE: "nobody" } },
      "--auth-url",
      issuer.url,
      "--audience",
      "https://dockline.example/public_graphql",
      "--client-id",
      "me"
    )
    assert.deepStrictEqual(
      ran.requests.map(({ authorization }) => authorization),
      ["Bearer elsewhere"],
      ran.errors
    )
  })

  for (
    const [name, tokens, words] of [
      [
        "invalid_client",
        FakeService.json({ error: "invalid_client" }, 401),
        "does not accept client \"operator\""
      ],
      ["invalid_target", FakeService.json({ error: "invalid_target" }, 400), "Set --audience"],
      [
        "too many failures",
        FakeService.json({ error: "temporarily_unavailable", error_description: "slow down" }, 429, {
          "retry-after": "7"
        }),
        "slow down; try again after 7 s"
      ],
      ["no JSON", FakeService.json("<html>", 502), "answers 502, but not as a Dockline service does"]
    ] as const
  ) {
    it(`is refused with ${name}: exit 3, and what to check`, async () => {
      assert.include(await errorsOf(3, show(FakeService.json(acme), tokens)), words)
    })
  }
})

describe("the secret", () => {
  it("is asked for at a terminal, on standard error, and not shown", async () => {
    const ran = await show(FakeService.json(acme), undefined, {
      keystrokes: `${secret}\r`,
      env: { DOCKLINE_CLIENT_SECRET: "" }
    })
    assert.strictEqual(ran.code, 0, ran.errors)
    assert.strictEqual(ran.data, "slug  acme\nname  Acme\n")
    assert.include(ran.errors, "Secret of client operator")
  })

  it("is missing without a terminal: exit 2, and which variable to set", async () => {
    const text = await errorsOf(
      2,
      show(FakeService.json(acme), undefined, { env: { DOCKLINE_CLIENT_SECRET: "" } })
    )
    assert.include(text, "Set DOCKLINE_CLIENT_SECRET")
  })

  it("is not asked for when Ctrl-C is keystrokes: exit 130, and nothing is sent", async () => {
    const ran = await show(FakeService.json(acme), undefined, {
      keystrokes: "",
      env: { DOCKLINE_CLIENT_SECRET: "" }
    })
    assert.deepStrictEqual([ran.code, ran.data, ran.requests.length], [130, "", 0])
  })
})

describe("settings that cannot be", () => {
  for (
    const [name, args, words] of [
      ["no client", ["--url", "http://localhost:1"], "Name your API client"],
      ["no address", ["--url", "localhost:8080"], "--url or DOCKLINE_URL must be an address"],
      ["another scheme", ["--url", "ftp://localhost"], "must be an address such as"],
      ["a user in the address", ["--url", "http://me:canary@localhost"], "without user, query and fragment"],
      ["a wrong --auth-url", ["--auth-url", "nowhere"], "--auth-url or DOCKLINE_AUTH_URL must be an address"],
      ["a timeout of nothing", ["--timeout", "0"], "must be a number of seconds"]
    ] as const
  ) {
    it(`${name}: exit 2`, async () => {
      const text = await errorsOf(
        2,
        runLine(["business", "list", ...args], { env: { DOCKLINE_CLIENT_ID: "" } })
      )
      assert.include(text, words)
      assert.notInclude(text, "canary")
    })
  }

  it("an address may end with slashes and have a path", async () => {
    await using service = await FakeService.serve(FakeService.json(acme))
    const ran = await runLine(["business", "show", "acme"], {
      env: {
        ...env(service.url),
        DOCKLINE_URL: `${service.url}/logistics/`,
        DOCKLINE_AUTH_URL: `${service.url}//`
      }
    })
    assert.strictEqual(ran.code, 0, ran.errors)
    assert.deepStrictEqual(service.requests.map(({ path }) => path), [
      "/logistics/v1/operator/businesses/acme"
    ])
  })
})
