/**
 * The commands about webhook endpoints and deliveries, what each shows, that `--json` is the body of the answer, and
 * that passwords go in and never come out.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Facility from "../../../../test/http/facility/Facility.ts"
import { messaging } from "../../../../test/support/TestMessaging.ts"
import { layerMemory } from "../../../../test/support/TestServer.ts"
import * as CustomerServer from "../../../webhook-adapter/test/CustomerServer.ts"
import { api, commands, dockline, json, password, plant, refusalOf, run, vault } from "../Operating.ts"

commands(layerMemory(messaging(vault)), (command) => {
  command("webhook create, show, update, disable, enable, rotate-secret, delete", function*() {
    const created = yield* dockline(
      "webhook create acme --facility east --base-url https://acme.example:8443/in/ --auth token " +
        "--username dockline --login-url https://acme.example/login --scheme Token " +
        "--password-env CUSTOMER_PASSWORD --disabled --json",
      { CUSTOMER_PASSWORD: password }
    )
    const { signingSecret, ...endpoint } = JSON.parse(created.data)
    assert.match(signingSecret, /^whsec_/)
    assert.notInclude(created.errors, signingSecret)
    plant(signingSecret)
    assert.match(created.errors, /^Give the signing secret to the customer now/)
    const { id } = endpoint
    assert.deepStrictEqual(yield* json("webhook", "show", id), endpoint)
    assert.deepInclude(endpoint, {
      business: "acme",
      facility: "east",
      baseUrl: "https://acme.example:8443/in",
      messageTypes: ["PALLET_EVENT"],
      enabled: false
    })
    assert.include(endpoint.authentication, {
      type: "token",
      username: "dockline",
      scheme: "Token",
      loginFormat: "json"
    })

    const updated = yield* json(
      "webhook",
      "update",
      id,
      "--token-path",
      "data.token",
      "--message",
      "PALLET_EVENT"
    )
    assert.deepStrictEqual(updated.authentication, { ...endpoint.authentication, tokenPath: "data.token" })
    assert.deepStrictEqual(updated.messageTypes, ["PALLET_EVENT"])
    assert.match(yield* run("webhook", "enable", id), /^enabled +yes$/m)
    assert.match(yield* run("webhook", "disable", id), /^enabled +no\ndisabled reason +OPERATOR$/m)

    const rotation = yield* dockline(["webhook", "rotate-secret", id])
    assert.match(rotation.data, /^signing secret {2}whsec_\S+\n$/)
    const next = rotation.data.trim().slice("signing secret".length).trim()
    assert.notInclude(rotation.errors, next)
    plant(next)
    assert.include(rotation.errors, "24 hours")
    assert.strictEqual((yield* json("webhook", "show", id)).signingSecrets.length, 2)
    const deletion = yield* dockline(["webhook", "delete", id, "--yes"])
    assert.deepStrictEqual([deletion.code, deletion.data, deletion.errors], [
      0,
      "",
      `Deleted webhook endpoint ${id}.\n`
    ])
    assert.include(
      refusalOf(yield* dockline(["webhook", "show", id])),
      "404 Not Found, code WEBHOOK_ENDPOINT_NOT_FOUND"
    )
  })

  command(
    "webhook create and update, with types that capabilities have in the log and in outboxes",
    function*() {
      const types = ["EXCEPTION_REPORTED", "EDI_INTERCHANGE"]
      const messages = types.flatMap((type) => ["--message", type])
      const created = yield* dockline(
        [
          "webhook",
          "create",
          "acme",
          "--base-url",
          "https://acme.example",
          "--auth",
          "none",
          ...messages,
          "--json"
        ]
      )
      const endpoint = JSON.parse(created.data)
      plant(endpoint.signingSecret)
      assert.deepStrictEqual(endpoint.messageTypes, types)
      const change = yield* json("webhook", "update", endpoint.id, "--message", "EDI_INTERCHANGE")
      assert.deepStrictEqual(change.messageTypes, ["EDI_INTERCHANGE"])
      yield* dockline(["webhook", "delete", endpoint.id, "--yes"])
    }
  )

  command("webhook test, to a receiver that takes it and one that does not", function*() {
    let status = 204
    const customer = yield* CustomerServer.http((_, response) =>
      response.writeHead(status, { "x-by": "the customer" }).end(
        status === 204 ? undefined : "who are you?"
      )
    )
    const created = yield* dockline(
      `webhook create acme --message PALLET_EVENT --message SHIPMENT_COMPLETE --base-url ${customer.url} --auth none --disabled --json`
    )
    const { id, messageTypes, warnings } = JSON.parse(created.data)
    assert.deepStrictEqual(messageTypes, ["PALLET_EVENT", "SHIPMENT_COMPLETE"])
    assert.match(warnings.join(), /^The contract says Basic for \/api\/shipmentComplete/)
    assert.include(created.errors, warnings.join())
    const acceptance = yield* dockline(["webhook", "test", id, "--message", "SHIPMENT_COMPLETE"])
    assert.strictEqual(acceptance.code, 0, acceptance.errors)
    assert.match(acceptance.data, /^message type +SHIPMENT_COMPLETE$/m)
    assert.match(acceptance.data, /^request url +http:\S+\/api\/shipmentComplete$/m)
    assert.match(acceptance.data, /^request headers webhook-signature +v1,\S+$/m)
    assert.match(acceptance.data, /^request body +\{.*"test":true\}$/m)
    assert.match(acceptance.data, /^status +204\nduration ms +\d+$/m)
    assert.match(acceptance.data, /^answer headers x-by +the customer$/m)
    assert.match(acceptance.data, /^remedy +-$/m)
    assert.match(acceptance.errors, /^The endpoint has taken test_\S+\.\n$/)
    status = 401
    const refusedTest = yield* dockline(["webhook", "test", id])
    assert.deepStrictEqual([refusedTest.code, refusedTest.errors], [
      1,
      "dockline: The endpoint has not accepted the test message\n"
    ])
    assert.match(refusedTest.data, /^answer body +who are you\?$/m)
    assert.match(refusedTest.data, /^remedy +Compare the signing secret/m)
    const asJson = yield* dockline(["webhook", "test", id, "--json"])
    assert.strictEqual(asJson.code, 1)
    assert.deepInclude(JSON.parse(asJson.data), { isTaken: false, status: 401 })
    assert.lengthOf(customer.received, 3)
  })

  command("delivery list, replay, replay-range; message advance", function*() {
    const shipment = yield* Facility.scheduled({}, "LPN-1", "LPN-2")
    yield* Facility.arrive(shipment.id)
    const { messages } = yield* Facility.messagesOf(
      "acme",
      Effect.forEach(
        ["LPN-1", "LPN-2"],
        (lpn) => Facility.record(Facility.palletEvent({ labels: [Facility.label("lpn", lpn)] }))
      )
    )
    const [first, last] = messages.map(({ id }) => String(id))
    assert.isDefined(first)
    assert.isDefined(last)
    const { data } = yield* dockline(
      "webhook create acme --base-url https://acme.example --auth none --json"
    )
    const { id, messageTypes, warnings } = JSON.parse(data)
    assert.deepStrictEqual([messageTypes, warnings], [["PALLET_EVENT"], []])

    const replayed = yield* json("delivery", "replay-range", id, "--from-id", first!, "--to-id", last!)
    assert.deepStrictEqual(replayed, { count: 2 })
    const byTime = ["--from", "2020-01-01T00:00:00Z", "--to", "2100-01-01T00:00:00+02:00"]
    assert.match(yield* run("delivery", "replay-range", id, ...byTime), /^count {2}\d+\n$/)
    const table = yield* run("delivery", "list", id, "--status", "PENDING", "--limit", "1")
    assert.match(
      table,
      new RegExp(
        `^ID +MESSAGE +SHIPMENT +STATUS +TRIES +LAST TRY +ANSWER +NEXT TRY\n${last} +PALLET_EVENT +\\d+ +PENDING +0 +- +- +\\S+\n$`
      )
    )
    const text = yield* run("delivery", "show", id, first!)
    assert.match(text, /^request url +https:\/\/acme\.example\/api\/palletEvent$/m)
    assert.match(text, new RegExp(`^request headers webhook-id +msg_${first}$`, "m"))
    assert.match(text, /^request body +\{"businessSlug":"acme",.*LPN-1.*\}$/m)
    assert.deepStrictEqual(
      yield* json("delivery", "show", id, first!),
      yield* api(`webhook-endpoints/${id}/deliveries/${first}`)
    )
    const one = yield* dockline(["delivery", "replay", id, first!])
    assert.deepStrictEqual([one.code, one.data, one.errors], [0, "", `Delivery ${first} is pending again.\n`])
    assert.include(
      refusalOf(yield* dockline(["delivery", "replay", id, "999999"])),
      "code DELIVERY_NOT_FOUND"
    )
    const half = yield* dockline(["delivery", "replay-range", id, "--from-id", "1"])
    assert.deepStrictEqual([half.code, half.data], [2, ""])

    const beyond = Number(last) + 500
    assert.deepStrictEqual(yield* json("message", "advance", "--beyond", String(beyond)), {
      newestId: beyond
    })
    assert.strictEqual(yield* run("message", "advance", "--beyond", "1"), `newest id  ${beyond}\n`)
    const far = yield* dockline(["message", "advance", "--beyond", "9007199254740991"])
    assert.include(refusalOf(far), "code ADVANCE_TOO_FAR")
    const none = yield* dockline(["message", "advance"])
    assert.deepStrictEqual([none.code, none.data], [2, ""])
  })
})
