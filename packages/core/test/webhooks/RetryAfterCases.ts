/** `Retry-After` as it is written, and the whole seconds that it asks for; `undefined` for nothing. */

export const now = Date.parse("2026-11-20T12:00:00.000Z")

const minute = 60

/** Seconds, and dates in the form that servers write today: what every reader of the header takes. */
export const usual: ReadonlyArray<readonly [header: string | undefined, seconds: number | undefined]> = [
  ["120", 120],
  [" 120 ", 120],
  ["0", 0],
  ["1", 1],
  ["000005", 5],
  ["1.5", 2],
  ["30.2", 31],
  ["0.001", 1],
  ["2.0", 2],
  ["7.", 7],
  [".5", 1],
  ["86400", 86_400],
  ["315360000", 315_360_000],
  ["9".repeat(400), Infinity],
  ["5, 10", 10],
  ["10,5.5", 10],
  ["-5", undefined],
  ["-0.5", undefined],
  ["+5", undefined],
  ["1.5.2", undefined],
  ["1e3", undefined],
  ["0x10", undefined],
  ["5 s", undefined],
  ["soon", undefined],
  ["NaN", undefined],
  ["", undefined],
  ["  ", undefined],
  [undefined, undefined],
  ["Fri, 20 Nov 2026 12:10:00 GMT", 10 * minute],
  ["Fri, 20 Nov 2026 12:00:00 GMT", undefined],
  ["Fri, 20 Nov 2026 11:59:59 GMT", undefined],
  ["Fri, 20 Foo 2026 12:10:00 GMT", undefined],
  ["Fri, 20 Nov 2026 25:10:00 GMT", undefined],
  ["2026-11-20T12:10:00Z", undefined]
]

export const all: typeof usual = [
  ...usual,
  ["Thu, 20 Nov 2036 12:00:00 GMT", 3653 * 86_400],
  ["Sun, 6 Dec 2026 12:00:00 GMT", 16 * 86_400],
  ["Friday, 20-Nov-26 12:10:00 GMT", 10 * minute],
  ["Friday, 20-Nov-94 12:10:00 GMT", undefined],
  ["Friday, 20-Nov-76 12:00:00 GMT", 18_263 * 86_400],
  ["Fri Nov 20 12:10:00 2026", 10 * minute],
  ["Sun Dec  6 12:00:00 2026", 16 * 86_400],
  ["Fri, 20 Nov 2026 12:09:60 GMT", 10 * minute],
  ["Fri, 20 Nov 2026 12:09:61 GMT", undefined],
  ["Mon, 31 Nov 2026 12:00:00 GMT", undefined],
  ["Fri, 20 Nov 2026 12:10:00 +0100", undefined]
]
