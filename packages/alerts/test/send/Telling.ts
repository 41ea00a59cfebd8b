/** D26: people are told about each incident once, for every storage, whenever an instance ends, and whatever the other side answers. */
import { AlertStore } from "@dockline/alerts/domain/AlertStore"
import type { AlertStores } from "@dockline/alerts/suites/AlertWorld"
import { putRule } from "@dockline/alerts/suites/AlertWorld"
import * as Words from "@dockline/core/capability/DeclaredOperations"
import { Intake } from "@dockline/core/document/Intake"
import { exceptions } from "@dockline/core/exceptions/ExceptionCapability"
import { Exceptions } from "@dockline/core/exceptions/Exceptions"
import type { ExceptionStore } from "@dockline/core/exceptions/Exceptions"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { HistoryExpired, StorageUnavailable } from "@dockline/core/values/Errors"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import { dashboardUrl, labelsOf } from "@dockline/testing/generators/Given"
import * as Suite from "@dockline/testing/Suite"
import * as Deliveries from "@dockline/testing/worlds/DeliveryWorld"
import { at, aWorld, withItem } from "@dockline/testing/worlds/MovementWorld"
import { OutboundHttp } from "@dockline/webhook-adapter/outbound/OutboundHttp"
import { Effect, Layer, Redacted } from "effect"
import { assert } from "vitest"
import { vault } from "../../../../test/http/operator/Operator.ts"
import { alerts } from "../../src/AlertCapability.ts"
import { addressContext } from "../../src/domain/AlertRule.ts"
import type { RuleSettings } from "../../src/domain/AlertRule.ts"
import * as Reader from "../../src/rules/Reader.ts"
import * as Mail from "../../src/send/Mail.ts"
import * as Sender from "../../src/send/Sender.ts"
import * as MailServer from "./MailServer.ts"

const services = Layer.mergeAll(
  Exceptions.layer,
  Intake.layer(),
  Pallets.layer({ dashboardUrl }),
  Shipments.layer({ dashboardUrl }),
  Words.layer([exceptions, alerts])
)

/** A webhook of Slack or Teams: its requests, and its answers. */
class Chat {
  status = 200
  readonly bodies: Array<string> = []
  readonly layer = OutboundHttp.layerPromise(async ({ body }) => {
    this.bodies.push(body)
    return { status: this.status }
  })
}

const allKinds = ["SHORT_DEPARTURE", "URGENT_EXCEPTION", "WRONG_PALLET"]

/** A business with a rule, a mail server and a chat, and the rounds of an instance over them. */
const aPlace = Effect.fnUntraced(function*(
  fields: Partial<RuleSettings> = {},
  answer: MailServer.Answer = () => undefined
) {
  const world = yield* aWorld()
  const { business } = world
  const address = `${business}@example.com`
  const name = { business, rule: "r" }
  const url = yield* Effect.provide(
    SecretsVault.use((vault) =>
      vault.seal(Redacted.make("https://hooks.example.com/x"), addressContext(business))
    ),
    vault
  )
  const isMail = fields.channel === undefined || fields.channel === "EMAIL"
  yield* putRule(name, { kinds: allKinds, to: isMail ? [address] : [], url: isMail ? "" : url, ...fields })
  const server = yield* MailServer.make({ answer })
  const chat = new Chat()
  const ports = Layer.mergeAll(
    vault,
    chat.layer,
    Mail.smtp({ url: Redacted.make(`smtp://127.0.0.1:${server.port}`), from: "alerts@example.com" })
  )
  const shipmentId = yield* world.submit("S1", [withItem("O1", "L1")])
  const exceptions = yield* Exceptions
  let count = 0
  return {
    ...world,
    name,
    chat,
    ports,
    shipmentId,
    mails: () => server.mailsFor(address),
    report: (description: string, priority: "HIGH" | "LOW" = "HIGH") =>
      exceptions.report(String(shipmentId), { kind: "DAMAGED", priority, description }, world.client),
    pass: (lpn: string, dockSlug = "D1") =>
      world.record({
        shipmentId,
        dockSlug,
        eventId: `E${++count}`,
        occurredAt: at(count),
        labels: labelsOf(["lpn", lpn])
      }),
    read: Effect.flatten(Reader.makeLogRound),
    look: Effect.flatten(Reader.makeCheckRound),
    send: Effect.provide(Effect.flatten(Sender.makeRound), ports),
    rule: AlertStore.use((store) => store.find(name))
  }
})

/** A store of an instance that ends before, or after, one of its transactions. */
const ending = (method: "advance" | "look" | "settle", when: "after" | "before") =>
  Effect.map(AlertStore, (store) => {
    const end = Effect.fail(new StorageUnavailable({ cause: "ended" }))
    const wrap = <A extends ReadonlyArray<unknown>, B>(
      f: (...args: A) => Effect.Effect<B, StorageUnavailable>
    ) =>
    (...args: A) => when === "before" ? end : Effect.andThen(f(...args), end)
    return AlertStore.of(
      {
        advance: { ...store, advance: wrap(store.advance) },
        look: { ...store, look: wrap(store.look) },
        settle: { ...store, settle: wrap(store.settle) }
      }[method]
    )
  })

const idsOf = (mails: ReadonlyArray<MailServer.ArrivedMail>) =>
  mails.map(({ headers }) => headers.get("message-id"))

const subjectsOf = (mails: ReadonlyArray<MailServer.ArrivedMail>) =>
  mails.map(({ headers }) => headers.get("subject"))

const hour = 3_600_000

type Stores = AlertStores | ExceptionStore

/** The suite of telling people. */
export const tellingSuite: Suite.Suite<Stores> = Suite.ofParts(
  "telling people",
  {
    "D26": (test: Suite.AddTest<Stores | Exceptions | Intake | Pallets | Shipments>) => {
      test(
        "an urgent exception is an e-mail with its page, once; a low one is none",
        Effect.scoped(Effect.gen(function*() {
          const { business, mails, read, report, rule, send, shipmentId } = yield* aPlace()
          yield* report("Crushed ä 🚚")
          yield* report("Wet", "LOW")
          for (let round = 0; round < 3; round++) {
            yield* read
            yield* send
          }
          assert.deepStrictEqual(subjectsOf(mails()), [`[${business}/east] Urgent exception: shipment S1`])
          const [{ text }] = mails() as [MailServer.ArrivedMail]
          assert.include(text, "DAMAGED: Crushed ä 🚚\n")
          assert.match(text, new RegExp(`\nhttp\\S+/shipments/${shipmentId}\n`))
          const { lastFailure, lastSentAt, waiting } = (yield* rule)!
          assert.deepStrictEqual([lastFailure, lastSentAt === "", waiting], ["", false, 0])
        }))
      )

      test(
        "a wrong pallet and a short departure are told at Slack and Teams",
        Effect.scoped(Effect.gen(function*() {
          for (const channel of ["SLACK", "TEAMS"] as const) {
            const place = yield* aPlace({ channel })
            const shipments = yield* Shipments
            yield* place.pass("X1")
            yield* place.pass("X1")
            yield* shipments.depart(String(place.shipmentId), { occurredAt: at(30) }, place.client)
            for (let round = 0; round < 3; round++) {
              yield* place.read
              yield* place.send
            }
            const [body = "", ...others] = place.chat.bodies
            assert.deepStrictEqual(others, [])
            assert.include(body, "Wrong pallet at dock D1: X1, shipment S1")
            assert.include(body, "No open shipment of the facility expects the pallet.")
            assert.include(body, "Short at departure: shipment S1")
            assert.include(body, "1 expected pallet is missing: L1")
          }
        }))
      )

      test(
        "a rule tells its facility and its kinds alone",
        Effect.scoped(Effect.gen(function*() {
          const other = yield* aPlace({ facility: "west" })
          const kind = yield* aPlace({ kinds: ["SHORT_DEPARTURE"] })
          const off = yield* aPlace({ enabled: false })
          for (const place of [other, kind, off]) {
            yield* place.report("Crushed")
            yield* place.pass("X1")
            yield* place.read
            yield* place.send
            assert.deepStrictEqual(place.mails(), [])
          }
        }))
      )

      test(
        "an instance that ends before or after it notes what it read or sent loses nothing, and doubles no notice",
        Effect.scoped(Effect.gen(function*() {
          const { mails, ports, read, report, send } = yield* aPlace()
          for (const when of ["before", "after"] as const) {
            yield* report(`Reader ends ${when}`)
            const store = yield* ending("advance", when)
            yield* Effect.flatten(Effect.provideService(Reader.makeLogRound, AlertStore, store))
            yield* read
            yield* send
          }
          assert.lengthOf(new Set(mails().map(({ text }) => text)), 2)
          assert.lengthOf(mails(), 2)
          for (const when of ["before", "after"] as const) {
            yield* report(`Sender ends ${when}`)
            yield* read
            const store = yield* ending("settle", when)
            yield* Effect.provide(
              Effect.flatten(Effect.provideService(Sender.makeRound, AlertStore, store)),
              ports
            )
            yield* Timestamp.asOf(Date.now() + hour)(send)
          }
          // An instance that ended before the outcome was stored has sent it, and so has the next, under the same id, by which copies are
          // recognised.
          assert.lengthOf(mails(), 5)
          assert.lengthOf(new Set(idsOf(mails())), 4)
        }))
      )

      test(
        "a truck over its limit and an endpoint that fails are told once, whoever looks and ends when",
        Effect.scoped(Effect.gen(function*() {
          const { business, client, mails, name, ports, send, shipmentId } = yield* aPlace()
          const shipments = yield* Shipments
          const start = Date.parse(at(0))
          yield* Timestamp.asOf(start)(
            putRule(name, { kinds: ["DETENTION", "ENDPOINT_FAILING"], to: [`${business}@example.com`] })
          )
          const { id } = yield* Deliveries.create(business)
          const failingFrom = Effect.fnUntraced(function*(second: number) {
            const { lease } = yield* Deliveries.open(id)
            yield* Deliveries.settle(lease, 0, { failingSince: second === 0 ? null : at(second) })
          })
          yield* shipments.arrive(String(shipmentId), { occurredAt: at(1), dockSlug: "D2" }, client)
          yield* failingFrom(2)
          /** Checks at a time, by instances that may end before or after they store it, and by several instances at once. */
          const lookAt = (millis: number) =>
            Timestamp.asOf(millis)(Effect.gen(function*() {
              for (const when of ["before", "after"] as const) {
                const store = yield* ending("look", when)
                yield* Effect.flatten(Effect.provideService(Reader.makeCheckRound, AlertStore, store))
              }
              yield* Effect.all(Array.from({ length: 3 }, () => Effect.flatten(Reader.makeCheckRound)), {
                concurrency: "unbounded"
              })
              yield* Effect.provide(Effect.flatten(Sender.makeRound), ports)
            }))
          yield* lookAt(start + 1000 + 2 * hour)
          const subjects = () => subjectsOf(mails()).map((subject) => subject?.replace(/^\[\S+ /, ""))
          assert.deepStrictEqual(subjects(), [`Webhook endpoint ${id} fails`])
          assert.match(mails()[0]!.text, new RegExp(`\nhttp\\S+/dashboard/webhooks/${id}\n`))
          yield* lookAt(start + 20_000 + 2 * hour)
          yield* lookAt(start + 40_000 + 2 * hour)
          const truck = "Truck over its limit at dock D2: shipment S1"
          assert.deepStrictEqual(subjects().slice(1), [truck])
          assert.match(
            mails()[1]!.text,
            new RegExp(`more than 120 minutes.*\n.*\nhttp\\S+/shipments/${shipmentId}\n`)
          )
          // It works, and fails again: that is another incident.
          yield* failingFrom(0)
          yield* lookAt(start + 60_000 + 2 * hour)
          yield* failingFrom(30)
          yield* lookAt(start + 80_000 + 2 * hour)
          assert.deepStrictEqual(subjects().slice(2), [`Webhook endpoint ${id} fails`])
          yield* Timestamp.asOf(start + 3 * hour)(send)
          assert.lengthOf(mails(), 3)
        }))
      )

      test(
        "what began before the rule was made, or at another facility, is not told",
        Effect.scoped(Effect.gen(function*() {
          const { business, client, look, mails, name, send, shipmentId } = yield* aPlace()
          const shipments = yield* Shipments
          const to = [`${business}@example.com`]
          yield* shipments.arrive(String(shipmentId), { occurredAt: at(1) }, client)
          const limitAt = Date.parse(at(1)) + 2 * hour
          yield* Timestamp.asOf(limitAt + 1)(putRule(name, { kinds: ["DETENTION"], to }))
          yield* Timestamp.asOf(limitAt - hour)(
            putRule({ business, rule: "west" }, { kinds: ["DETENTION"], facility: "west", to })
          )
          yield* Timestamp.asOf(limitAt + hour)(look)
          yield* Timestamp.asOf(limitAt + hour)(send)
          assert.lengthOf(mails(), 0)
        }))
      )

      test(
        "quiet hours and digests are by the clock of the storage, whatever that of the instance says",
        Effect.scoped(Effect.gen(function*() {
          const { mails, ports, read, report, rule, send } = yield* aPlace({
            quietFrom: "22:00",
            quietTo: "06:00"
          })
          const store = yield* AlertStore
          const midnight = Timestamp.of("2027-01-02T00:00:00.000Z")
          const atNight = AlertStore.of({
            ...store,
            rules: (business) => Effect.map(store.rules(business), (all) => ({ ...all, now: midnight })),
            claim: (name, id) =>
              Effect.map(
                store.claim(name, id),
                (claim) => claim === null ? null : { ...claim, now: midnight }
              )
          })
          const noon = Timestamp.asOf(Date.parse(midnight) + 12 * hour)
          yield* report("Crushed")
          yield* noon(Effect.flatten(Effect.provideService(Reader.makeLogRound, AlertStore, atNight)))
          assert.strictEqual((yield* rule)!.nextAt, "2027-01-02T06:00:00.000Z")
          yield* noon(
            Effect.provide(
              Effect.flatten(Effect.provideService(Sender.makeRound, AlertStore, atNight)),
              ports
            )
          )
          assert.lengthOf(mails(), 0)
          yield* report("Wet")
          yield* noon(read)
          yield* noon(send)
          assert.lengthOf(mails(), 1)
        }))
      )

      test(
        "several instances at once tell each thing once",
        Effect.scoped(Effect.gen(function*() {
          const { mails, ports, report } = yield* aPlace()
          const reporting = Effect.forEach(
            Array.from({ length: 12 }),
            (_, n) => report(`Problem ${String.fromCharCode(65 + n)}.`)
          )
          const instances = Array.from({ length: 3 }, () =>
            Effect.gen(function*() {
              const read = yield* Reader.makeLogRound
              const send = yield* Effect.provide(Sender.makeRound, ports)
              for (let round = 0; round < 12; round++) {
                yield* read
                yield* send
                yield* Effect.yieldNow
              }
            }))
          yield* Effect.all([reporting, ...instances], { concurrency: "unbounded" })
          yield* Effect.flatten(Reader.makeLogRound)
          yield* Effect.provide(Effect.flatten(Sender.makeRound), ports)
          const text = mails().map((mail) => mail.text).join("\n")
          for (let n = 0; n < 12; n++) {
            assert.lengthOf(text.split(`Problem ${String.fromCharCode(65 + n)}.`), 2)
          }
        }))
      )

      test(
        "what fails is tried again later each time under its id, and given up in the end",
        Effect.scoped(Effect.gen(function*() {
          let code = 451
          const place = yield* aPlace({}, () => code === 250 ? undefined : { code, text: "not now" })
          const { mails, read, report, rule, send } = place
          yield* report("Crushed")
          const start = Date.now() + hour
          const sendAt = (minutes: number) => Timestamp.asOf(start + minutes * 60_000)(send)
          yield* Timestamp.asOf(start)(read)
          yield* sendAt(0)
          const failing = (yield* rule)!
          assert.include(failing.lastFailure, "not now")
          assert.strictEqual(failing.nextAt, Timestamp.fromMillis(start + 60_000))
          yield* sendAt(1)
          assert.strictEqual((yield* rule)!.nextAt, Timestamp.fromMillis(start + 3 * 60_000))
          yield* sendAt(2)
          code = 250
          assert.lengthOf(mails(), 0)
          yield* sendAt(3)
          assert.lengthOf(mails(), 1)
          code = 451
          yield* report("Wet")
          yield* Timestamp.asOf(start)(read)
          for (let tries = 0; tries < Sender.tryLimit; tries++) yield* sendAt(10 + tries * 100)
          const last = (yield* rule)!
          assert.deepStrictEqual([last.waiting, last.nextAt], [0, ""])
          assert.include(last.lastFailure, "not now")
        }))
      )

      test(
        "what the other side refuses for good is not tried again, and shown",
        Effect.scoped(Effect.gen(function*() {
          const chatting = yield* aPlace({ channel: "SLACK" })
          chatting.chat.status = 404
          const mailing = yield* aPlace({}, () => ({ code: 550, text: "no such user" }))
          for (
            const [place, failure] of [[chatting, "the webhook answered 404"], [
              mailing,
              "no such user"
            ]] as const
          ) {
            yield* place.report("Crushed")
            yield* place.read
            yield* place.send
            const rule = (yield* place.rule)!
            assert.include(rule.lastFailure, failure)
            assert.deepStrictEqual([rule.waiting, rule.nextAt], [0, ""])
          }
        }))
      )

      test(
        "in quiet hours nothing is told but a test; what waits is told when they end, together",
        Effect.scoped(Effect.gen(function*() {
          const { mails, name, read, report, send } = yield* aPlace({ quietFrom: "22:00", quietTo: "06:00" })
          const midnight = Date.parse("2027-01-02T00:00:00.000Z")
          yield* report("Crushed")
          yield* Timestamp.asOf(midnight - 7 * hour)(read)
          // It was due earlier, but has not been sent until then.
          yield* Timestamp.asOf(midnight)(send)
          yield* report("Wet")
          yield* Timestamp.asOf(midnight)(read)
          yield* Timestamp.asOf(midnight)(send)
          assert.lengthOf(mails(), 0)
          yield* Timestamp.asOf(midnight + 6 * hour)(send)
          const [{ text }, ...others] = mails() as [MailServer.ArrivedMail]
          assert.deepStrictEqual([text.includes("Crushed"), text.includes("Wet"), others.length], [
            true,
            true,
            0
          ])
          const store = yield* AlertStore
          const notice = { at: at(0), title: "Test", text: "Nothing.", url: "" }
          yield* Timestamp.asOf(midnight + 24 * hour)(store.test(name, notice))
          yield* Timestamp.asOf(midnight + 24 * hour)(send)
          assert.lengthOf(mails(), 2)
        }))
      )

      test(
        "a digest gathers what happens for one message",
        Effect.scoped(Effect.gen(function*() {
          const { business, mails, read, report, send } = yield* aPlace({ digestMinutes: 30 })
          const start = Date.parse("2027-01-02T12:00:00.000Z")
          yield* report("Crushed")
          yield* Timestamp.asOf(start)(read)
          yield* report("Wet")
          yield* Timestamp.asOf(start + 20 * 60_000)(read)
          yield* Timestamp.asOf(start + 29 * 60_000)(send)
          assert.lengthOf(mails(), 0)
          yield* Timestamp.asOf(start + 30 * 60_000)(send)
          assert.deepStrictEqual(subjectsOf(mails()), [`[${business}/east] 2 alerts`])
        }))
      )

      test(
        "without a mail server an e-mail waits, and the rule says why",
        Effect.scoped(Effect.gen(function*() {
          const { chat, read, report, rule } = yield* aPlace()
          yield* report("Crushed")
          yield* read
          yield* Effect.provide(
            Effect.flatten(Sender.makeRound),
            Layer.mergeAll(vault, chat.layer, Mail.none)
          )
          const { lastFailure, waiting } = (yield* rule)!
          assert.deepStrictEqual([lastFailure, waiting], ["the service has no mail server; set SMTP_URL", 1])
        }))
      )

      test(
        "a business whose log was dropped goes on behind what was dropped",
        Effect.scoped(Effect.gen(function*() {
          const { business, mails, read, report, send } = yield* aPlace()
          yield* report("Dropped")
          const log = yield* MessageLog
          const lastId = yield* log.lastId(business)
          const dropping = MessageLog.of({
            ...log,
            read: (query, position, limit) =>
              position.afterId < lastId
                ? Effect.fail(new HistoryExpired({ business, droppedId: lastId }))
                : log.read(query, position, limit)
          })
          yield* Effect.flatten(Effect.provideService(Reader.makeLogRound, MessageLog, dropping))
          yield* report("After it")
          yield* read
          yield* send
          assert.deepStrictEqual(mails().map(({ text }) => text.includes("After it")), [true])
        }))
      )
    }
  },
  services
)
