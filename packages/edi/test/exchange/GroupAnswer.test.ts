/** D23.6: a 997 counts if it agrees with the group that was sent and with itself; any other is noted and ignored. */
import * as Law from "@dockline/testing/Law"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { answersByGroup, markOf } from "../../src/domain/EdiFile.ts"
import type { EdiSet } from "../../src/domain/EdiFile.ts"
import { contradictionOf } from "../../src/exchange/InterchangeAnswer.ts"
import { fileWith } from "../Files.ts"
import { client, open, palletOf } from "./World.ts"

/** Two orders of a load depart, and the partner gets two shipping advices in one group. */
const twoAdvices = async (world: Awaited<ReturnType<typeof open>>) => {
  let shipmentId = ""
  for (const [order, lpn] of [["SO-1", "P-1"], ["SO-2", "P-2"]]) {
    const lines = [`W05*N*${order}`, "N9*LO*L-1", "LX*1", `MAN*W*${lpn}`, "W01*5*CA**SK*A"]
    await world.run((exchange) => exchange.take(fileWith("940", "OW", lines), client))
    const event = await world.dockline.recordPallet(palletOf("L-1", lpn!, "LOADING"), client)
    if (!event.ok) throw event.error
    shipmentId = String(event.value.answer.verdict.shipmentId)
  }
  await world.dockline.depart(shipmentId, { occurredAt: "2026-11-20T21:00:00Z" }, client)
  await world.run((exchange) => exchange.tellAll)
  const [file] = await world.told()
  return file!.sets.find(({ kind }) => kind === "945")!.groupControl
}

const answerTo = async (group: string, ...lines: ReadonlyArray<string>) => {
  await using world = await open()
  const control = Number(await twoAdvices(world)) + (group === "another" ? 100 : 0)
  const [kind, number] = group === "0" ? ["SW", "0"] : [group === "another" ? "SW" : group, control]
  const text = fileWith("997", "FA", [`AK1*${kind}*${number}`, ...lines])
  const [receipt] = await world.run((exchange) => exchange.take(text, client))
  const [file] = await world.told()
  return {
    outcome: receipt!.file.outcome,
    faults: receipt!.file.faults.map((fault) => fault.replace(String(number), "N")),
    sets: file!.sets.filter(({ kind }) => kind === "945").map(({ outcome }) => outcome)
  }
}

describe("D23.6: a 997 of a group of two sets", () => {
  it.each(
    [
      [["AK9*A*2*2*2"], ["ACCEPTED", "ACCEPTED"]],
      [["AK9*E*2*2*2"], ["NOTED", "NOTED"]],
      [["AK9*R*2*2*0"], ["REJECTED", "REJECTED"]],
      [["AK2*945*0001", "AK5*R*5", "AK9*P*2*2*1"], ["REJECTED", "ACCEPTED"]],
      [["AK2*945*00001", "AK5*A", "AK2*945*0002", "AK5*R", "AK9*P*2*2*1"], ["ACCEPTED", "REJECTED"]],
      [["AK2*945*0002", "AK5*E*5", "AK9*A*2*2*2"], ["ACCEPTED", "NOTED"]]
    ] as const
  )("counts as it says it: %j", async (lines, outcomes) => {
    const { faults, outcome, sets } = await answerTo("SW", ...lines)
    assert.deepStrictEqual([outcome, faults, sets], ["ACCEPTED", [], [...outcomes]])
  })

  const counts = "A group SW was sent with the control number N, and its acknowledgment counts for nothing: "
  it.each(
    [
      ["SW", ["AK2*945*0009", "AK5*R*5", "AK9*P*2*2*1"], `${counts}it has no set 945 0009 (AK2).`],
      ["SW", ["AK2*944*0001", "AK5*R*5", "AK9*P*2*2*1"], `${counts}it has no set 944 0001 (AK2).`],
      ["SW", ["AK2*945*0000", "AK5*R*5", "AK9*P*2*2*1"], `${counts}it has no set 945 0000 (AK2).`],
      [
        "SW",
        ["AK2*945*0001", "AK5*R*5", "AK2*945*0001", "AK5*A", "AK9*P*2*2*1"],
        `${counts}the set 945 0001 is named twice (AK2).`
      ],
      ["SW", ["AK9*P*2*2*1"], `${counts}1 of its sets are accepted (AK904), and 2 by what is said of them.`],
      ["SW", ["AK9*P*2*2*2"], `${counts}2 of its 2 sets are accepted, which its code does not say (AK901).`],
      ["SW", ["AK9*A*2*1*1"], `${counts}1 of its 2 sets were received (AK903).`],
      ["SW", ["AK9*A*1*1*1"], `${counts}it had 2 sets, not 1 (AK902).`],
      ["SW", ["AK9*A*2*2*1"], `${counts}1 of its sets are accepted (AK904), and 2 by what is said of them.`],
      [
        "SW",
        ["AK2*945*0001", "AK5*R*5", "AK9*A*2*2*1"],
        `${counts}1 of its 2 sets are accepted, which its code does not say (AK901).`
      ],
      [
        "SW",
        ["AK2*945*0001", "AK5*A", "AK9*R*2*2*1"],
        `${counts}1 of its 2 sets are accepted, which its code does not say (AK901).`
      ],
      ["SH", ["AK9*A*1*1*1"], "No group SH was sent with the control number N, which is acknowledged (AK1)."],
      [
        "another",
        ["AK9*A*2*2*2"],
        "No group SW was sent with the control number N, which is acknowledged (AK1)."
      ],
      ["0", ["AK9*A*2*2*2"], "No group SW was sent with the control number N, which is acknowledged (AK1)."]
    ] as const
  )(
    "counts for nothing, and is noted, where it contradicts the group or itself: %s %j",
    async (group, lines, fault) => {
      const { faults, outcome, sets } = await answerTo(group, ...lines)
      assert.deepStrictEqual([outcome, faults, sets], ["NOTED", [fault], ["WAITING", "WAITING"]])
    }
  )
})

const outcomes = fc.constantFrom("ACCEPTED", "NOTED", "REJECTED")

const answers = fc.record({
  group: fc.constant("SW"),
  groupControl: fc.constant("7"),
  outcome: fc.constantFrom("ACCEPTED", "NOTED", "PARTIAL", "REJECTED"),
  includedCount: fc.nat(3),
  receivedCount: fc.nat(3),
  acceptedCount: fc.nat(3),
  sets: fc.array(
    fc.record({
      kind: fc.constantFrom("945", "945", "944"),
      control: fc.constantFrom("0001", "2", "0003", "A"),
      outcome: outcomes,
      faults: fc.constant([])
    }),
    { maxLength: 3 }
  )
})

Law.register({ describe, it }, "D23.6: an answer that counts", [
  Law.make(
    "makes of the sets what its counts say, and says of each that it names what becomes of it",
    fc.tuple(answers, fc.integer({ min: 1, max: 3 })),
    ([answer, setCount]) => {
      const group = { group: "SW", groupControl: "7", kind: "945", setCount }
      if (contradictionOf(answer, group) !== undefined) return
      const sets = Array.from({ length: setCount }, (_, index): EdiSet => ({
        kind: "945",
        control: `000${index + 1}`,
        group: "SW",
        groupControl: "7",
        outcome: "WAITING",
        number: "",
        shipmentId: "",
        faults: []
      }))
      const outcomes = sets.map(markOf(answersByGroup([answer])))
      const acceptedCount = outcomes.filter(({ outcome }) => outcome !== "REJECTED").length
      assert.deepStrictEqual(
        [answer.includedCount, answer.receivedCount, answer.acceptedCount],
        [setCount, setCount, acceptedCount]
      )
      for (const { control, kind, outcome } of answer.sets) {
        const set = outcomes.find((each) => Number(each.control) === Number(control))
        assert.deepStrictEqual([set?.kind, set?.outcome], [kind, outcome])
      }
      assert.strictEqual(answer.outcome === "PARTIAL", acceptedCount > 0 && acceptedCount < setCount)
      assert.strictEqual(answer.outcome === "REJECTED", acceptedCount === 0)
    },
    5000
  )
])
