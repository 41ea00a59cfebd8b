/**
 * D18.1: readers by other authors read written files back unchanged: node-x12, in strict mode and with the envelope, and x12-parser, which
 * reads a stream.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { X12Interchange, X12Parser } from "node-x12"
import { Readable } from "node:stream"
import { assert, describe, it } from "vitest"
import { X12parser } from "x12-parser"
import {
  replacing,
  writeCancellation,
  writeEmptyReceipts,
  writeReceiptAdvices,
  writeShipNotice,
  writeShippingAdvices
} from "../../src/sets/AdviceSets.ts"
import type { AdviceSet } from "../../src/sets/AdviceSets.ts"
import { readSets } from "../../src/sets/SetReader.ts"
import type { SegmentDraft } from "../../src/x12/Fault.ts"
import { write } from "../../src/x12/X12Writer.ts"
import type { Release } from "../../src/x12/X12Writer.ts"
import { departed, departureOf } from "../Departed.ts"
import { acknowledge, east, fileOf, interchangeOf } from "../Files.ts"

interface WritingCase {
  readonly text: string
  readonly sets: ReadonlyArray<{ readonly id: string; readonly segments: ReadonlyArray<SegmentDraft> }>
}

const [group] = Result.getOrThrow(readSets(fileOf("EdiEngine/AckTest.edi"), east))
const acknowledgment = acknowledge(group!)

/** Departed shipments, each as all of its sets. */
const files: ReadonlyArray<WritingCase> = fc.sample(departed, { numRuns: 300, seed: 18 }).flatMap(
  (shipment) => {
    const departure = departureOf(shipment)
    const notice = writeShipNotice(departure)
    const first: ReadonlyArray<AdviceSet> = [
      ...(notice.length === 0 ? [] : [{ id: "856" as const, segments: notice }]),
      ...writeShippingAdvices(departure).map((segments) => ({ id: "945" as const, segments })),
      ...writeReceiptAdvices(departure).map((segments) => ({ id: "944" as const, segments }))
    ]
    const sets = [
      ...first,
      ...first.map(replacing),
      { id: "856", segments: writeCancellation(departure) },
      ...writeEmptyReceipts(departure).map((segments) => ({ id: "944", segments })),
      { id: "997", segments: acknowledgment }
    ]
    return (["004010", "005010"] satisfies ReadonlyArray<Release>).flatMap((release) => {
      const text = write(interchangeOf("SH", sets, release))
      return text._tag === "Success" ? [{ text: text.success, sets }] : []
    })
  }
)

/** The elements without empty ones at the end. */
const withoutTail = (elements: ReadonlyArray<string>): ReadonlyArray<string> =>
  elements.slice(0, elements.findLastIndex((element) => element !== "") + 1)

const contentOf = ({ sets }: WritingCase, show = (element: string) => element): unknown =>
  sets.map(({ id, segments }) => [
    id,
    segments.map((each) => [each.id, ...withoutTail(each.elements.map((element) => show(String(element))))])
  ])

describe("D18.1: readers of others read what is written", () => {
  it("of many shipments", () => {
    assert.isAbove(files.length, 100)
    assert.isAbove(files.filter(({ sets }) => sets.some(({ id }) => id === "856")).length, 30)
  })

  it("node-x12, strictly", () => {
    for (const file of files) {
      const interchange = new X12Parser(true).parse(file.text)
      assert.instanceOf(interchange, X12Interchange)
      if (!(interchange instanceof X12Interchange)) continue
      const read = interchange.functionalGroups.flatMap(({ transactions }) => transactions).map((
        { header, segments }
      ) => [
        header.elements[0]?.value,
        segments.map(({ elements, tag }) => [tag, ...withoutTail(elements.map(({ value = "" }) => value))])
      ])
      assert.deepStrictEqual(read, contentOf(file) as typeof read)
    }
  })

  it("x12-parser, in a stream", async () => {
    for (const file of files) {
      const sets: Array<[id: unknown, segments: Array<ReadonlyArray<string>>]> = []
      const rows: AsyncIterable<Readonly<Record<string, string>>> = Readable.from([Buffer.from(file.text)])
        .pipe(
          new X12parser("utf8")
        )
      for await (const { name = "", ...elements } of rows) {
        const entries = Object.entries(elements).map(([number, value]) => [Number(number), value] as const)
        const values: Array<string> = []
        for (const [number, value] of entries) values[number - 1] = value
        if (name === "ST") sets.push([values[0], []])
        else if (!["ISA", "GS", "SE", "GE", "IEA"].includes(name)) {
          sets.at(-1)?.[1].push([name, ...withoutTail(Array.from(values, (value) => value ?? ""))])
        }
      }
      // This reader trims elements.
      assert.deepStrictEqual(sets as unknown, contentOf(file, (element) => element.trim()))
    }
  })
})
