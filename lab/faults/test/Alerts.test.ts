/** What may be wrong in what people are told by e-mail, and how an e-mail is read. */
import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { noticeOf } from "../../../packages/alerts/src/domain/AlertRule.ts"
import { mailText } from "../../../packages/alerts/src/send/Sender.ts"
import { thingOf } from "../src/history/History.ts"
import { thingsIn, titles } from "../src/workload/Alerts.ts"
import { history, judges, moment, passing } from "./Script.ts"
import type { Script } from "./Script.ts"

const kinds = ["URGENT_EXCEPTION", "WRONG_PALLET", "SHORT_DEPARTURE"]
const problem = thingOf("URGENT_EXCEPTION", "X1")
const pallet = thingOf("WRONG_PALLET", 7)
const departure = thingOf("SHORT_DEPARTURE", 1)

/** A rule of acme east, and what it is to tell of: a problem, a pallet that is wrong twice, and a departure. */
const happened = (script = history(), own = kinds) =>
  script.tell({ type: "rule", endpoint: "R", business: "acme", facility: "east", kinds: own })
    .told(1, "EXCEPTION_REPORTED", { exception: { id: 1, description: "X1", priority: "HIGH" } })
    .log(2, { ...passing(1, "7"), verdict: "WRONG_DOCK" })
    .log(3, { ...passing(2, "7"), verdict: "UNEXPECTED" })
    .told(4, "SHIPMENT_DISCREPANCIES", { discrepancies: ["OVER L", "SHORT L1"] })

/** What makes nobody say anything. */
const fine = () =>
  history().tell({ type: "rule", endpoint: "R", business: "acme", facility: "east", kinds })
    .told(1, "EXCEPTION_REPORTED", { exception: { id: 1, description: "X1", priority: "LOW" } })
    .log(2, { ...passing(1, "7"), verdict: "REPEATED" })
    .told(3, "SHIPMENT_DISCREPANCIES", { discrepancies: ["OVER L"] })
    .told(4, "EXCEPTION_REPORTED", {
      facility: "west",
      exception: { id: 1, description: "X1", priority: "HIGH" }
    })

let receipts = 0

/** An e-mail comes, and is answered unless the status is 0. */
const mail = (script: Script, webhookId: string, status: number, ...things: ReadonlyArray<string>) => {
  const receipt = ++receipts
  const told = { receipt, endpoint: "R", path: "mail", webhookId, signed: false, digest: webhookId, tags: [] }
  script.tell({ type: "receipt", ...told, things })
  return status === 0 ? script : script.tell({ type: "answered", receipt, status })
}
const all = (script = happened()) => mail(script, "m1", 250, problem, pallet, departure)
const calm = (script: Script) => script.tell({ type: "window", phase: "begin" })

judges("alerts are told", {
  "nothing is": [happened(), 3],
  "something is in no e-mail": mail(happened(), "m1", 250, problem, departure),
  "an e-mail is refused": mail(mail(happened(), "m1", 250, problem, departure), "m2", 451, pallet),
  "an e-mail is never answered": mail(mail(happened(), "m1", 250, problem, departure), "m2", 0, pallet)
}, {
  "in one e-mail": all(),
  "after a refusal": all(mail(happened(), "m1", 451, problem, pallet, departure)),
  "what a rule does not tell of": mail(happened(history(), ["WRONG_PALLET"]), "m1", 250, pallet),
  "nothing has gone wrong": fine(),
  "what was dropped before": mail(
    happened().tell({ type: "dropped", business: "acme", id: 1, age: 1 }),
    "m1",
    250,
    pallet,
    departure
  )
})

judges("alerts are told once", {
  "something is in two e-mails": mail(all(), "m2", 250, pallet),
  "something is in two e-mails, one of which was refused": all(mail(happened(), "m0", 451, problem)),
  "something has not happened": [mail(fine(), "m1", 250, problem, pallet), 2],
  "something is told that a rule does not tell of": mail(
    happened(history(), ["WRONG_PALLET"]),
    "m1",
    250,
    problem
  ),
  "an e-mail comes twice in a time without faults": all(all(calm(happened()))),
  "an e-mail comes twice after everything was healed": all(all(happened().tell({ type: "healed" })))
}, {
  "each thing once": all(),
  "an e-mail comes again after a refusal": all(mail(calm(happened()), "m1", 451, problem, pallet, departure)),
  "an e-mail comes twice, as somebody was killed": all(
    all(calm(happened())).tell({ type: "window", phase: "end" })
      .tell({ type: "fault", phase: "begin", kind: "instance-kill" })
  ),
  "an e-mail comes again after a promotion, which lacked its note": mail(
    mail(happened().copied(), "m1", 250, pallet, thingOf("WRONG_PALLET", 9)).promoted(),
    "m2",
    250,
    pallet
  )
})

it("an e-mail tells things by their titles, their texts and their pages", () => {
  const at = moment(1) as Parameters<typeof noticeOf>[0]
  const page = "https://dashboard.example.com/shipments/12"
  const text = mailText({
    rule: { business: "acme", facility: "east", slug: "shift", timeZone: "UTC" },
    surplus: 3,
    notices: [
      noticeOf(at, "Urgent exception: shipment S1", "DAMAGED, pallet L: T-acme-east-X7", page),
      noticeOf(at, "Wrong pallet at dock D1: L, shipment S1", "It belongs to another", `${page}/pallets/7`),
      noticeOf(at, "Short at departure: shipment S1", "1 expected pallet is missing: L1", page),
      noticeOf(at, "Test of alert rule shift", "This is a test: nothing has happened.", page)
    ]
  })
  assert.deepStrictEqual(thingsIn(text), [
    thingOf("URGENT_EXCEPTION", "T-acme-east-X7"),
    pallet,
    thingOf("SHORT_DEPARTURE", 12)
  ])
})

it("kinds and titles are those of the service", () => {
  const sources = ["alerts/src/AlertCapability.ts", "core/src/exceptions/ExceptionCapability.ts"]
    .map((file) => readFileSync(new URL(`../../../packages/${file}`, import.meta.url), "utf8")).join("")
  for (const [title, kind] of titles) {
    assert.include(sources, `${kind}: {`)
    assert.include(sources, `title: \`${title}`)
  }
})
