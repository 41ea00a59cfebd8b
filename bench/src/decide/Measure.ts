/**
 * How long a document takes, by item: the decision, the answer, and what PostgreSQL is sent.
 */
import { decide } from "@dockline/core/Decision"
import * as Slices from "@dockline/core/internal/input/Slices"
import { intakeResult, outcome } from "@dockline/core/Outcome"
import { drawIds } from "@dockline/core/Plan"
import { planRows } from "@dockline/sql-storage/rows/PlanRows"
import { Result } from "effect"
import { location } from "./Cases.ts"
import type { Given } from "./Cases.ts"

/** The parts of the way of a document that grow with it and happen in our process. */
export const parts = ["decide", "answer", "rows"] as const

/** One part of the way of a document. */
export type Part = (typeof parts)[number]

/** Nanoseconds for each item; `undefined` where there is no plan to go on with. */
export type Costs = Readonly<Record<Part, number | undefined>>

/** What one measured document leaves, so that no part of it can be left out as unused. */
let kept: unknown

/** The last thing that was made. */
export const lastMade = (): unknown => kept

/** The mean CPU time of a run in nanoseconds for each item, all threads of the process together. */
const timed = (run: () => unknown, items: number, times: number): number => {
  const from = process.cpuUsage()
  for (let time = 0; time < times; time++) kept = run()
  const { user, system } = process.cpuUsage(from)
  return (user + system) * 1000 / (items * times)
}

/**
 * Measures a document so often that some `itemsInAll` have been decided, the garbage of others collected before. Beyond
 * the limits of a shipment there is a refusal, which is known only at the end of a decision, and nothing after it.
 */
export const measure = (
  { document, snapshot }: Given,
  items: number,
  itemsInAll: number,
  collect: () => void
): Costs => {
  const times = Math.max(1, Math.round(itemsInAll / items))
  const time = (run: () => unknown): number => timed(run, items, times)
  collect()
  const decision = decide(document, snapshot)
  const costs = { decide: time(() => decide(document, snapshot)), answer: undefined, rows: undefined }
  if (Result.isFailure(decision)) return costs
  const plan = decision.success
  let last = 20_000_000
  const ids = drawIds(plan, () => ++last)
  return {
    ...costs,
    answer: time(() => intakeResult(outcome(snapshot, plan, ids), location)),
    rows: time(() => Slices.atOnce(planRows([{ facilityId: 1, plan, snapshot, now: snapshot.now }])))
  }
}
