/**
 * The law that a service does what the model of it does, and that two services do the same.
 *
 * ```ts
 * await Law.check(HistoryLaw.agrees(() => Service.fromStores(MyStorage.layer)))
 * ```
 *
 * Guarantee: what breaks it is a history as short as it could be made, with the happening at which the answers differ,
 * what was expected and what came.
 */
import { Effect } from "effect"
import * as assert from "../Assert.ts"
import * as Histories from "../generators/Histories.ts"
import { show } from "../generators/History.ts"
import type { History } from "../generators/History.ts"
import * as Law from "../Law.ts"
import { unique } from "../Unique.ts"
import { observe } from "./HistoryRun.ts"
import type { Observation } from "./HistoryRun.ts"
import * as Model from "./Model.ts"
import type { Service } from "./Service.ts"

/** Throws where two runs of a history differ: at which happening, what was expected, what came. */
export const sameAnswers = (history: History, expected: Observation, actual: Observation): void => {
  for (const index of history.happenings.keys()) {
    same(
      expected.answers[index],
      actual.answers[index],
      () => `The answers differ at ${index + 1}. ${show(history.happenings[index]!)}`
    )
  }
  for (const [what, at] of Object.entries(expected.end)) {
    same(at, actual.end[what as keyof Observation["end"]], () => `The ${what} at the end differ`)
  }
}

const same = (expected: unknown, actual: unknown, where: () => string): void => {
  try {
    assert.deepStrictEqual(actual, expected)
  } catch (error) {
    const difference = error instanceof Error ? error.message : String(error)
    // The text has it all; as a cause it would be printed twice.
    // oxlint-disable-next-line preserve-caught-error
    throw new Error(`${where()}\n\n${difference}`)
  }
}

/** The observation without the times at which a service with a clock of its own processed what happened. */
const withoutOwnTimes = (history: History, observation: Observation): Observation => {
  const given = new Set<string>()
  const isTime = (value: unknown): value is string =>
    typeof value === "string" && /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d/.test(value)
  const walk = (value: unknown, visit: (time: string) => string): unknown => {
    if (isTime(value)) return visit(value)
    if (Array.isArray(value)) return value.map((member) => walk(member, visit))
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member, visit)]))
  }
  walk(history.happenings, (time) => {
    given.add(canonical(time))
    return time
  })
  const blank = (value: unknown): unknown =>
    walk(value, (time) => (given.has(canonical(time)) ? time : "(when it was processed)"))
  return {
    answers: observation.answers.map(blank),
    end: blank(observation.end) as Observation["end"],
    times: observation.times
  }
}

const canonical = (time: string): string =>
  new Date(/([Zz]|[+-]\d\d:\d\d)$/.test(time) ? time : `${time}Z`).toISOString()

/** Throws where a service does not do what the model does; the business is made for the history. */
export const agreesOn = async (service: Service, history: History): Promise<void> => {
  const business = unique("acme")
  const actual = await observe(service, history, { business })
  const expected = await observe(Model.service(), history, { business, times: actual.times })
  if (service.setTime !== undefined) return sameAnswers(history, expected, actual)
  sameAnswers(history, withoutOwnTimes(history, expected), withoutOwnTimes(history, actual))
}

/**
 * The law that a service answers as the model does, at every step, and ends with all the same.
 * `open` gives the service for one history: a new one each time, or the same one.
 */
export const agrees = (open: () => Promise<Service>, { steps = 50, runs = 50 } = {}): Law.Law =>
  Law.effect(
    "answers as the model of the service does, at every step, and ends as it does",
    Histories.histories(steps),
    (history) =>
      Effect.promise(async () => {
        const service = await open()
        try {
          await agreesOn(service, history)
        } finally {
          await service.close?.()
        }
      }),
    runs
  )
