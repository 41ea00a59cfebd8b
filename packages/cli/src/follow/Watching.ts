/**
 * `dockline shipment watch`: shows the progress of shipments until each of them has departed. A terminal shows one line for each shipment,
 * redrawn at each change; other outputs get a line for each change.
 */
import { operations } from "@dockline/core/operations/Operations"
import type { Progress } from "@dockline/core/shipment/Discrepancies"
import type { ShipmentView } from "@dockline/core/shipment/View"
import { Clock, Effect } from "effect"
import { Json } from "../GlobalFlags.ts"
import { jsonText } from "../Printable.ts"
import { Screen } from "../Screen.ts"
import { call } from "../ServiceCalls.ts"
import * as Table from "../Table.ts"
import * as Following from "./Following.ts"

const expectedPassed = ({ expectedPallets, missingPallets }: Progress): number =>
  expectedPallets - missingPallets

/** How many of the expected pallets have passed. */
export const passText = (progress: Progress): string =>
  `${expectedPassed(progress)} of ${progress.expectedPallets}`

/** All counts except zeros. */
export const sentence = (progress: Progress): string =>
  [
    `${passText(progress)} passed`,
    ...(progress.missingPallets === 0 ? [] : [`${progress.missingPallets} missing`]),
    ...(progress.unexpectedPallets === 0 ? [] : [`${progress.unexpectedPallets} unexpected`])
  ].join(", ")

/** A bar that is full if and only if pallets are expected and none is missing. */
export const bar = (progress: Progress, width: number): string => {
  const { expectedPallets } = progress
  const full = expectedPallets === 0 ? 0 : Math.floor((expectedPassed(progress) / expectedPallets) * width)
  return "█".repeat(full) + "░".repeat(width - full)
}

/** The most shipments to watch at a time. */
export const most = 20

type Line = Pick<ShipmentView, "id" | "shipmentNumber" | "status" | "dockSlug" | "progress">

const lineOf = ({ dockSlug, id, progress, shipmentNumber, status }: ShipmentView): Line => ({
  id,
  shipmentNumber,
  status,
  dockSlug,
  progress
})

const isOpen = ({ status }: Line): boolean => status === "SCHEDULED" || status === "ARRIVED"

const columns: Table.Columns<Line> = {
  id: ({ id }) => String(id),
  number: ({ shipmentNumber }) => shipmentNumber,
  status: ({ status }) => status,
  dock: ({ dockSlug }) => dockSlug || "-"
}

const gap = "  "

const shortestBar = 10
const longestBar = 40

/** A line with a bar for each shipment, each as wide as the terminal at most. */
export const picture = (all: ReadonlyArray<Line>, width: number): string => {
  const lines = all.map((shipment) => ({
    cells: Table.cells(columns, shipment),
    progress: shipment.progress,
    counts: sentence(shipment.progress)
  }))
  const widths = Table.widths(lines.map(({ cells }) => cells))
  const otherWidth = widths.reduce((sum, column) => sum + column + gap.length, gap.length) +
    Math.max(...lines.map(({ counts }) => counts.length))
  const barWidth = Math.min(longestBar, Math.max(shortestBar, width - otherWidth))
  return lines.map(({ cells, counts, progress }) => {
    const parts = [Table.line(cells, widths, false), bar(progress, barWidth), counts]
    return Table.truncate(parts.join(gap), width)
  }).join("\n")
}

/** Moves the cursor up by so many lines, to the left, and clears what was below. */
const back = (lines: number): string => (lines === 0 ? "" : `\u001b[${lines}A\r\u001b[J`)

const drawing = Effect.gen(function*() {
  const screen = yield* Screen
  const asJson = yield* Json
  const { columns: width } = screen
  const lines = new Map<number, string>()
  let height = 0
  return Effect.fnUntraced(function*(all: ReadonlyArray<Line>) {
    const changes = all.filter((each) => lines.get(each.id) !== JSON.stringify(each))
    for (const each of changes) lines.set(each.id, JSON.stringify(each))
    if (changes.length === 0) return
    if (asJson) return yield* screen.data(changes.map((each) => jsonText(each)).join("\n"))
    if (width !== undefined) {
      yield* screen.data(`${back(height)}${picture(all, width)}`)
      height = all.length
      return
    }
    const time = new Date(yield* Clock.currentTimeMillis).toISOString()
    yield* screen.data(
      changes.map((each) => [time, ...Table.cells(columns, each), sentence(each.progress)].join(gap)).join(
        "\n"
      )
    )
  })
})

const read = (id: string) =>
  Effect.map(call(operations.shipment, { params: { id } }), ({ value }) => lineOf(value))

/** Watches the shipments with these ids, and looks again after so many seconds. */
export const watch = Effect.fnUntraced(function*(ids: ReadonlyArray<string>, seconds: number) {
  const draw = yield* drawing
  const different = Array.from(new Set(ids))
  // An unknown id, or a service that cannot be reached, ends the run at once.
  let all = yield* Effect.forEach(different, read)
  yield* draw(all)
  let tookMillis = 0
  while (all.some(isOpen)) {
    yield* Following.rest(seconds, tookMillis)
    const looks = yield* Effect.forEach(all, (each) =>
      isOpen(each)
        ? Following.withTiming(read(String(each.id)))
        : Effect.succeed<Following.Timing<Line>>({ value: each, tookMillis: 0 }))
    all = looks.map(({ value }) => value)
    tookMillis = looks.reduce((sum, look) => sum + look.tookMillis, 0)
    yield* draw(all)
  }
})
