/** D18.3 on PostgreSQL: two instances share the exchange, and tell each partner about each shipment once, without gaps in its numbers. */
import { ediSql } from "@dockline/edi/storage/EdiSql"
import * as Sql from "@dockline/sql-storage/Sql"
import { Layer, ManagedRuntime } from "effect"
import { afterAll, assert, it } from "vitest"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { fileWith, noticeOf } from "../Files.ts"
import { client, open } from "./World.ts"

const database = ManagedRuntime.make(TestDatabase.layer)
afterAll(() => database.dispose())

const storage = Layer.provide(
  Sql.layerWith([ediSql]),
  Layer.orDie(Layer.effectContext(database.contextEffect))
)

const notice = (number: string): string => fileWith("856", "SH", noticeOf(number, [`L-${number}`]))

const isaOf = (text: string): number => Number(text.split("*")[13])

it("D18.3 two instances tell each departure once, and give numbers without a gap", async () => {
  await using one = await open(undefined, storage)
  await using other = await open([], storage)
  const numbers = Array.from({ length: 12 }, (_, index) => `S-${index}`)
  const answers: Array<number> = []
  const work = numbers.map(async (number, index) => {
    const here = index % 2 === 0 ? one : other
    const [receipt] = await here.run((exchange) =>
      exchange.takeAsItIs(
        notice(number).replaceAll("000000007", String(101 + index).padStart(9, "0")),
        client
      )
    )
    answers.push(isaOf(receipt!.file.answer))
    await here.depart(number, `L-${number}`)
    await Promise.all([one, other].map((each) => each.run((exchange) => exchange.tellAll)))
  })
  await Promise.all(work)
  await Promise.all([one, other].map((each) => each.run((exchange) => exchange.tellAll)))
  const files = await one.told()
  assert.sameMembers(
    files.flatMap(({ sets }) => sets.map(({ number }) => number)),
    numbers.map((number) => `PO-${number}`)
  )
  const controls = [...answers, ...files.map(({ text }) => isaOf(text))].toSorted((left, right) =>
    left - right
  )
  assert.deepStrictEqual(controls, Array.from({ length: 24 }, (_, index) => 41 + index))
  // The outbox has them in the order of their control numbers, because ids grow with these.
  assert.deepStrictEqual(
    files.map(({ text }) => isaOf(text)),
    files.map(({ text }) => isaOf(text)).toSorted((left, right) => left - right)
  )
  const again = notice("S-0").replaceAll("000000007", "000000101")
  const [repeated] = await other.run((exchange) => exchange.takeAsItIs(again, client))
  assert.isTrue(repeated!.isRepeated)
  assert.include(answers, isaOf(repeated!.file.answer))
})
