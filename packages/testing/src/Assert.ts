/**
 * Assertions for suites and laws: those of Node under names that read well in suites. A failed assertion throws an `AssertionError` with
 * `actual` and `expected`, which every test runner shows as a difference.
 */
import assert from "node:assert/strict"

/** The same value (`Object.is`). */
export const strictEqual = (actual: unknown, expected: unknown, message?: string): void =>
  assert.strictEqual(actual, expected, message)

/** Another value (not `Object.is`). */
export const notStrictEqual = (actual: unknown, expected: unknown, message?: string): void =>
  assert.notStrictEqual(actual, expected, message)

/** Deeply equal. */
export const deepStrictEqual = (actual: unknown, expected: unknown, message?: string): void =>
  assert.deepStrictEqual(actual, expected, message)

/** `true`. */
export const isTrue = (value: unknown, message?: string): void => assert.strictEqual(value, true, message)

/** `false`. */
export const isFalse = (value: unknown, message?: string): void => assert.strictEqual(value, false, message)

/** A value that is neither `null` nor `undefined`. */
export const present = <A>(value: A, message?: string): NonNullable<A> => {
  if (value === null || value === undefined) assert.fail(message ?? `the value is ${String(value)}`)
  return value
}

/** The entry of a list at an index. A negative index counts from the end of the list. Fails if the list is too short. */
export const at = <A>(list: ReadonlyArray<A>, place: number): NonNullable<A> =>
  present(list.at(place), `a list of ${list.length} has no entry ${place}`)

/** `null`. */
export const isNull = (value: unknown, message?: string): void => assert.strictEqual(value, null, message)

/** More than. */
export const isAbove = (value: number, limit: number, message?: string): void =>
  assert.ok(value > limit, message ?? `${value} is not above ${limit}`)

/** The limit or more. */
export const isAtLeast = (value: number, limit: number, message?: string): void =>
  assert.ok(value >= limit, message ?? `${value} is not at least ${limit}`)

/** Less than. */
export const isBelow = (value: number, limit: number, message?: string): void =>
  assert.ok(value < limit, message ?? `${value} is not below ${limit}`)

/** The limit or less. */
export const isAtMost = (value: number, limit: number, message?: string): void =>
  assert.ok(value <= limit, message ?? `${value} is not at most ${limit}`)

/** A part of a text, or a member of a list. */
export const include = <A>(whole: string | ReadonlyArray<A>, part: A, message?: string): void =>
  assert.ok(holds(whole, part), message ?? `${JSON.stringify(whole)} has no ${JSON.stringify(part)}`)

/** Not a part of a text, or not a member of a list. */
export const notInclude = <A>(whole: string | ReadonlyArray<A>, part: A, message?: string): void =>
  assert.ok(!holds(whole, part), message ?? `${JSON.stringify(whole)} has ${JSON.stringify(part)}`)

/** All given members are in a list. */
export const includeMembers = <A>(
  whole: ReadonlyArray<A>,
  members: ReadonlyArray<A>,
  message?: string
): void => members.forEach((member) => include(whole, member, message))

/** The same members, each equally often, in any order; compared by `===`. */
export const sameMembers = <A>(
  actual: ReadonlyArray<A>,
  expected: ReadonlyArray<A>,
  message?: string
): void => {
  const count = (list: ReadonlyArray<A>) => {
    const counts = new Map<A, number>()
    for (const each of list) counts.set(each, (counts.get(each) ?? 0) + 1)
    return counts
  }
  assert.deepStrictEqual(count(actual), count(expected), message)
}

/** Text that matches a pattern. */
export const match = (text: string, pattern: RegExp, message?: string): void =>
  assert.match(text, pattern, message)

const holds = <A>(whole: string | ReadonlyArray<A>, part: A): boolean =>
  typeof whole === "string" ? whole.includes(String(part)) : whole.includes(part)
