/** D20.3: `dockline webhook certify` tests a receiver from the command line alone, over real sockets. */
import { Effect, Exit, Scope } from "effect"
import { Webhook } from "standardwebhooks"
import { assert, describe, it } from "vitest"
import * as CustomerServer from "../../../webhook-adapter/test/CustomerServer.ts"
import type { CheckResult } from "../../src/follow/Certification.ts"
import { runLine } from "../Running.ts"

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

type Receive = (request: CustomerServer.CustomerRequest, verify: () => boolean) => number

/** What the command says of a receiver, and the requests that it got. */
const certify = async (
  receive: Receive,
  args: ReadonlyArray<string> = ["--message", "PALLET_EVENT", "--message", "SHIPMENT_COMPLETE"]
) => {
  const scope = Scope.makeUnsafe()
  const receiver = await Effect.runPromise(
    Scope.provide(
      CustomerServer.http((request, response) => {
        const verify = () => {
          try {
            new Webhook(secret).verify(request.body, request.headers as Record<string, string>)
            return true
          } catch (error) {
            // The library verifies, and then reads JSON, which an interchange is not.
            return error instanceof SyntaxError
          }
        }
        response.writeHead(receive(request, verify)).end()
      }),
      scope
    )
  )
  const ran = await runLine(["webhook", "certify", `${receiver.url}/in/`, ...args, "--json"], {
    env: { DOCKLINE_WEBHOOK_SECRET: secret }
  })
  await Effect.runPromise(Scope.close(scope, Exit.void))
  const checks = ran.data.trim().split("\n").map((line) => JSON.parse(line) as CheckResult)
  const of = (verdictName: string) =>
    checks.filter(({ verdict }) => verdict === verdictName).map(({ name }) => name)
  return { ...ran, checks, of, received: receiver.received }
}

const wrong = ["UNSIGNED", "WRONG_SIGNATURE", "ALTERED_BODY", "OLD_TIMESTAMP"]

const verifies: Receive = (_, verify) => verify() ? 204 : 401

describe("D20.3 webhook certify", () => {
  it("passes a receiver that verifies and acknowledges; what nobody can see from outside is not green", async () => {
    const { checks, code, of, received, errors } = await certify(verifies)
    assert.deepStrictEqual(of("PASSED"), [
      "SIGNED",
      ...wrong,
      "DUPLICATE",
      "OUT_OF_ORDER",
      "AFTER_PAUSE",
      "SIGNED_SHIPMENT_COMPLETE"
    ])
    assert.deepStrictEqual(of("UNSEEN"), ["COUNTED_ONCE", "RESUMED"])
    assert.strictEqual(code, 0, errors)
    assert.match(errors, /The receiver has passed every check that can be seen from outside\.\n$/)
    const ids = received.map(({ headers }) => headers["webhook-id"])
    for (const id of ids) assert.match(String(id), /^test_/)
    assert.strictEqual(ids[5], ids[0])
    assert.strictEqual(new Set(ids).size, received.length - 1)
    assert.strictEqual(received[0]!.url, "/in/api/palletEvent")
    assert.strictEqual(received.at(-1)!.url, "/in/api/shipmentComplete")
    assert.isUndefined(received[1]!.headers["webhook-signature"])
    const bodies = received.map(({ body }) =>
      JSON.parse(body) as { readonly occurredAt: string; readonly test: boolean; readonly altered?: boolean }
    )
    assert.isTrue(bodies.every(({ test }) => test))
    assert.isTrue(bodies[3]!.altered)
    const sentAt = Number(received[4]!.headers["webhook-timestamp"])
    assert.closeTo(sentAt, Date.now() / 1000 - 600, 60)
    assert.closeTo(Date.parse(bodies[6]!.occurredAt), Date.now() - 3_600_000, 60_000)
    for (const { detail, verdict, webhookId } of checks) {
      assert.strictEqual(detail === "", verdict === "PASSED")
      assert.strictEqual(webhookId === "", verdict === "UNSEEN")
    }
    assert.include(checks.find(({ name }) => name === "COUNTED_ONCE")!.detail, String(ids[0]))
  })

  it("sends each type of message, and an interchange as X12 where it is asked for", async () => {
    const all = await certify(verifies, [])
    assert.strictEqual(all.code, 0, all.errors)
    assert.deepStrictEqual(
      all.of("PASSED").slice(8),
      [
        "SIGNED_SHIPMENT_COMPLETE",
        "SIGNED_SHIPMENT_ARRIVED",
        "SIGNED_SHIPMENT_CANCELLED",
        "SIGNED_SHIPMENT_DISCREPANCIES",
        "SIGNED_EXCEPTION_REPORTED",
        "SIGNED_EXCEPTION_RESOLVED"
      ].toSorted((left, right) => all.of("PASSED").indexOf(left) - all.of("PASSED").indexOf(right))
    )
    const edi = await certify(verifies, ["--message", "EDI_INTERCHANGE"])
    assert.strictEqual(edi.code, 0, edi.errors)
    assert.deepStrictEqual(
      [edi.received[0]!.url, edi.received[0]!.headers["content-type"]],
      ["/in/api/edi", "application/edi-x12"]
    )
  })

  it("signs in with Basic where the receiver asks for it", async () => {
    const { code, received, errors } = await certify(
      ({ headers }, verify) => headers["authorization"] !== undefined && verify() ? 204 : 401,
      [
        "--message",
        "SHIPMENT_COMPLETE",
        "--username",
        "dockline",
        "--password-env",
        "DOCKLINE_WEBHOOK_SECRET"
      ]
    )
    assert.strictEqual(code, 0, errors)
    assert.strictEqual(
      received[0]!.headers["authorization"],
      `Basic ${Buffer.from(`dockline:${secret}`).toString("base64")}`
    )
  })

  const receivers: ReadonlyArray<
    readonly [title: string, receive: () => Receive, failed: ReadonlyArray<string>, detail: string]
  > = [
    ["takes whatever comes", () => () => 200, wrong, "anyone could have sent"],
    [
      "does not look at the time",
      () => ({ headers }, verify) =>
        verify() || Number(headers["webhook-timestamp"]) < Date.now() / 1000 - 300 ? 200 : 401,
      ["OLD_TIMESTAMP"],
      "recorded and sent again"
    ],
    ["fails at a wrong signature", () => (_, verify) => verify() ? 200 : 500, wrong, "Refuse it with 401"],
    ["tells it to come later", () => (_, verify) => verify() ? 200 : 429, wrong, "Refuse it with 401"],
    [
      "refuses a repeat",
      () => {
        const ids = new Set<unknown>()
        return ({ headers }, verify) => {
          if (!verify()) return 401
          const id = headers["webhook-id"]
          if (ids.has(id)) return 409
          ids.add(id)
          return 204
        }
      },
      ["DUPLICATE"],
      "its log should say why"
    ]
  ]
  // At once, as the last check comes after a pause.
  it("fails a receiver that is wrong in one way, and says what to do", async () => {
    await Promise.all(receivers.map(async ([title, receive, failures, detail]) => {
      const { checks, code, of, errors } = await certify(receive())
      assert.strictEqual(code, 1, title)
      assert.deepStrictEqual(of("FAILED"), failures, title)
      assert.include(checks.find(({ verdict }) => verdict === "FAILED")!.detail, detail, title)
      assert.match(errors, /dockline: The receiver did not pass: fix it, and run the checks again\n$/, title)
    }))
  })

  it("sends nothing more to a receiver that refuses everything: what it refuses says nothing then", async () => {
    const { code, of, received } = await certify(() => 401)
    assert.deepStrictEqual([code, of("PASSED"), of("FAILED")], [1, [], ["SIGNED"]])
    assert.lengthOf(of("NOT_SENT"), 8)
    assert.lengthOf(received, 1)
  })

  it("says what is missing or wrong before anything is sent", async () => {
    const lines: ReadonlyArray<readonly [args: ReadonlyArray<string>, errors: RegExp]> = [
      [["http://localhost:1"], /Give the signing secret .*--secret whsec_…, or DOCKLINE_WEBHOOK_SECRET/],
      [
        ["http://localhost:1", "--secret", "hush"],
        /--secret must be whsec_ and the base64 of 24 to 64 bytes/
      ],
      [["localhost", "--secret", secret], /must be an address such as http:\/\/localhost:3000/],
      [["http://localhost:1", "--secret", secret, "--username", "u"], /Give --username with --password-env/]
    ]
    for (const [args, text] of lines) {
      const { code, data, errors } = await runLine(["webhook", "certify", ...args], {})
      assert.deepStrictEqual([code, data], [2, ""], args.join(" "))
      assert.match(errors, text)
      assert.notInclude(errors, "hush")
    }
  })

  it("shows a table for people", async () => {
    const { code, data } = await runLine(["webhook", "certify", "http://127.0.0.1:1", "--secret", secret], {})
    assert.strictEqual(code, 1)
    assert.match(data, /^CHECK +VERDICT +ANSWER +TOOK +ASKS$/m)
    assert.match(data, /^SIGNED +FAILED +- +\d+ ms +A signed message is taken$/m)
    assert.match(data, /^UNSIGNED +not sent +- +- +A message without a signature is refused$/m)
  })
})
