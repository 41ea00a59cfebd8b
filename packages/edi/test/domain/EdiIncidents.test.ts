/** D26.2: the incidents of EDI: files that were rejected, by whom, and the page that shows them. */
import { IncidentSources } from "@dockline/core/capability/Capability"
import * as Words from "@dockline/core/capability/DeclaredOperations"
import * as Memory from "@dockline/core/memory/Memory"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { add, aPartner } from "@dockline/edi/suites/EdiWorld"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { edi } from "../../src/domain/EdiCapability.ts"
import { EdiStore } from "../../src/domain/EdiStore.ts"

const aSet = {
  kind: "945",
  control: "0001",
  group: "SW",
  groupControl: "9",
  outcome: "REJECTED",
  number: "SO-1",
  shipmentId: "12",
  faults: []
} as const

const services = Layer.provideMerge(Words.layer([edi]), Memory.layerWith([edi]))

it.effect("a file that was rejected is an incident of its facility, with who rejected it and its page", () =>
  Effect.provide(
    Effect.gen(function*() {
      const { business, name, partner: { slug } } = yield* aPartner()
      const store = yield* EdiStore
      const source = (yield* IncidentSources).get("EDI_REJECTED")
      const incidents = source !== undefined && "since" in source
        ? source.since(business, Timestamp.earliest)
        : Effect.die("EDI has no such incidents")
      yield* add(name, { outcome: "ACCEPTED", control: "000000007" })
      const went = yield* add(name, { outcome: "REJECTED", control: "000000008", sets: [aSet] })
      yield* add(name, {
        direction: "IN",
        outcome: "PARTIAL",
        control: "000000009",
        sets: [aSet, { ...aSet, kind: "856", outcome: "NOTED" }]
      })
      yield* add(name, {
        outcome: "UNWRITTEN",
        control: "",
        text: "",
        sets: [{ ...aSet, outcome: "UNWRITTEN" }]
      })
      yield* store.refuse(name, { control: "000000010", fingerprint: "hash", fault: "no", text: "ISA*" })
      const all = yield* incidents
      assert.deepStrictEqual(all.map(({ facility, text, title }) => [facility, title, text]), [
        ["east", `EDI rejected: 945 000000008, partner ${slug}`, "The partner has rejected its set"],
        ["east", `EDI rejected: 856 945 000000009, partner ${slug}`, "We have rejected 1 of its 2 sets"],
        ["east", `EDI rejected: 945, partner ${slug}`, "X12 cannot hold it, and it was not sent"],
        ["east", `EDI rejected: 000000010, partner ${slug}`, "We have rejected the file as a whole"]
      ])
      assert.strictEqual(all[0]?.key, `edi:${went}`)
      assert.match(all[0]?.url ?? "", new RegExp(`^http.*/dashboard/edi/${went}$`))
    }),
    services
  ))
