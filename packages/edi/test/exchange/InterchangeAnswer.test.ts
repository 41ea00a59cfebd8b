/** D23.6: interchanges as a whole are acknowledged (TA1), by partners and by us. */
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { acknowledgmentsOf, maxFileFaults } from "../../src/exchange/Record.ts"
import { fileWith, noticeOf } from "../Files.ts"
import { client, open, partnerOf, supplier } from "./World.ts"

it("D18.3: of the errors that a partner notes as many are kept as of a file", () => {
  const errors = Array.from(
    { length: 150 },
    (_, segment) => ({ segmentId: "W06", segment, element: 0, code: "8", value: "" })
  )
  const sets = Array.from(
    { length: 30 },
    (_, at) => ({ id: "945", control: String(at), status: "R" as const, errors })
  )
  const count = { includedCount: 30, receivedCount: 30, acceptedCount: 0 }
  const [match] = acknowledgmentsOf([{
    functionalId: "FA",
    control: "1",
    faults: [],
    status: "A",
    acknowledgment: [],
    sets: [{
      id: "997",
      control: "0001",
      faults: [],
      status: "A",
      outcome: {
        _tag: "Acknowledged",
        acknowledgment: { functionalId: "SW", control: "9", status: "R", sets, ...count }
      }
    }]
  }])
  assert.strictEqual(match!.sets.reduce((sum, { faults }) => sum + faults.length, 0), maxFileFaults)
  assert.deepStrictEqual(match!.sets.map(({ outcome }) => outcome), sets.map(() => "REJECTED"))
})

type World = Awaited<ReturnType<typeof open>>

const take = async (world: World, text: string) => {
  const [receipt] = await world.run((exchange) => exchange.take(text, client))
  return receipt!.file
}

/** A file with TA1s and no groups. */
const acknowledging = (...lines: ReadonlyArray<string>) => {
  const [isa = "", , , , , , iea = ""] = fileWith("997", "FA", [""]).split("\n")
  return [isa, ...lines.map((line) => `${line}~`), iea.replace("IEA*1", "IEA*0")].join("\n")
}

const asking = (text: string) => text.replace("*0*P*>", "*1*P*>")

const linesOf = (text: string) => text.split("~\n").map((line) => line.replace(/~$/, ""))

/** Tells the partner about a shipment: the control number is the one after the acknowledgment of its notice. */
const tell = async (world: World) => {
  await take(world, fileWith("856", "SH", noticeOf("S-1", ["L1"])))
  await world.depart("S-1", "L1")
  await world.run((exchange) => exchange.tellAll)
  const [file] = await world.told()
  return file!
}

describe("D23.6: a TA1 of a partner", () => {
  it("that rejects an interchange of ours rejects its sets, with the code", async () => {
    await using world = await open()
    const file = await tell(world)
    const came = await take(world, acknowledging(`TA1*${file.control}*261120*1705*R*024`))
    assert.deepStrictEqual([came.outcome, came.faults, came.answer], ["ACCEPTED", [], ""])
    const [after] = await world.told()
    assert.strictEqual(after!.outcome, "REJECTED")
    assert.deepStrictEqual(after!.sets.map(({ faults, outcome }) => [outcome, faults]), [
      ["REJECTED", ["The partner rejects the interchange: code 024 (TA105)."]]
    ])
  })

  it("that accepts it leaves its sets waiting, and notes errors", async () => {
    await using world = await open()
    const file = await tell(world)
    await take(world, acknowledging(`TA1*${file.control}*261120*1705*A*000`))
    assert.strictEqual((await world.told())[0]!.outcome, "WAITING")
    await take(world, acknowledging(`TA1*${file.control}*261120*1705*E*017`))
    const [after] = await world.told()
    assert.deepStrictEqual([after!.outcome, after!.sets[0]!.faults], [
      "WAITING",
      ["The partner accepts with errors the interchange: code 017 (TA105)."]
    ])
  })

  it("or a 997 of what was never sent to it is noted, and counts for nothing of another partner", async () => {
    await using world = await open([supplier, partnerOf("other")])
    const file = await tell(world)
    const ofOther = (text: string) =>
      text.replace("*ZZ*SENDER ", "*ZZ*OTHER  ").replace("*SENDER*", "*OTHER*")
    const ta1 = await take(world, ofOther(acknowledging(`TA1*${file.control}*261120*1705*R*024`)))
    assert.deepStrictEqual([ta1.outcome, ta1.faults], ["NOTED", [
      `Segment 2 (TA1), element 1: no interchange that tells of a shipment was sent with the control number ${file.control}. Send the control number (ISA13) of one that you got.`
    ]])
    const group = Number(file.sets[0]!.groupControl)
    const ack = await take(world, ofOther(fileWith("997", "FA", [`AK1*RE*${group}`, "AK9*R*1*1*0"])))
    assert.deepStrictEqual([ack.outcome, ack.faults], ["NOTED", [
      `No group RE was sent with the control number ${group}, which is acknowledged (AK1).`
    ]])
    assert.deepStrictEqual((await world.told()).map(({ outcome }) => outcome), ["WAITING"])
  })
})

describe("D23.6: an interchange that asks for a TA1", () => {
  it("gets one that accepts it, before its acknowledgments", async () => {
    await using world = await open()
    const { answer } = await take(world, asking(fileWith("856", "SH", noticeOf("S-1", ["L1"]))))
    assert.match(linesOf(answer)[1]!, /^TA1\*\d{9}\*261120\*1700\*A\*000$/)
    assert.match(linesOf(answer)[2]!, /^GS\*FA/)
    const file = await take(
      world,
      asking(fileWith("856", "SH", noticeOf("S-2", ["L2"])).replace("*00401*", "*00200*"))
    )
    assert.match(linesOf(file.answer)[1]!, /\*E\*017$/)
    assert.strictEqual(file.outcome, "NOTED")
  })

  it("gets one though nothing else is acknowledged, and groups keep their numbers", async () => {
    await using world = await open()
    const { answer } = await take(world, asking(fileWith("997", "FA", ["AK1*RE*99", "AK9*A*1*1*1"])))
    assert.deepStrictEqual(linesOf(answer).map((line) => line.split("*")[0]), ["ISA", "TA1", "IEA"])
    const next = await take(world, fileWith("856", "SH", noticeOf("S-1", ["L1"])))
    assert.include(next.answer, "*000000042*0*P*")
    assert.include(linesOf(next.answer)[1], "*51*X*")
  })

  it("is told in what is to be sent that it is rejected, once, with the code", async () => {
    await using world = await open()
    const damagedText = asking(fileWith("856", "SH", noticeOf("S-1", ["L1"]))).replace("IEA*1", "IEA*2")
    for (let times = 0; times < 2; times++) {
      const error = await world.run((exchange) => Effect.flip(exchange.takeAsItIs(damagedText, client)))
      assert.strictEqual(error.code, "EDI_REFUSED")
    }
    const [file, ...others] = await world.told()
    assert.isEmpty(others)
    assert.strictEqual(linesOf(file!.text)[1], "TA1*000000007*261120*1700*R*021")
    assert.deepStrictEqual(file!.sets.map(({ kind, number }) => [kind, number]), [["TA1", "000000007"]])
  })
})
