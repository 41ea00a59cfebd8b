/**
 * An entry of the log as its fields, and as a line.
 */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger, Tracer } from "effect"
import * as Logs from "../../src/telemetry/Logs.ts"

const entryOf = Effect.fnUntraced(function*<E>(logging: Effect.Effect<void, E>) {
  const entries: Array<Logs.LogEntry> = []
  yield* Effect.provide(
    logging,
    Logger.layer([Logger.map(Logs.entries, (entry) => void entries.push(entry))])
  )
  return entries[0]!
})

const external = Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16) })

describe("an entry of the log", () => {
  it.effect("has the time, the level, the text, the annotations, the trace and the cause", () =>
    Effect.gen(function*() {
      const { cause, timestamp, ...rest } = yield* entryOf(
        Effect.logError("It broke", Cause.fail(new Error("why"))).pipe(
          Effect.annotateLogs({ correlationId: "c-1" }),
          Effect.withParentSpan(external)
        )
      )
      assert.strictEqual(timestamp, "1970-01-01T00:00:00.000Z")
      assert.include(String(cause), "why")
      assert.deepStrictEqual(rest, {
        level: "ERROR",
        message: "It broke",
        correlationId: "c-1",
        traceId: "a".repeat(32),
        spanId: "b".repeat(16)
      })
    }))

  it.effect("cannot be made to say another time, level, text or trace", () =>
    Effect.gen(function*() {
      const entry = yield* entryOf(
        Effect.annotateLogs(Effect.logInfo("true"), {
          level: "FATAL",
          message: "false",
          traceId: "x",
          cause: "y"
        })
      )
      assert.deepStrictEqual([entry["level"], entry["message"], entry["traceId"], entry["cause"]], [
        "INFO",
        "true",
        undefined,
        undefined
      ])
    }))

  it("is one line of pairs, whatever it holds", () => {
    assert.strictEqual(
      Logs.logfmt({
        message: "two\nlines",
        "a b": "x=y",
        empty: "",
        plain: "/v1/documents",
        n: 1,
        deep: { a: [1] }
      }),
      `message="two\\nlines" a_b="x=y" empty="" plain=/v1/documents n=1 deep="{\\"a\\":[1]}"`
    )
  })

  it("has no character that ends a line or that a terminal obeys, and the same text in JSON", () => {
    const text = Array.from({ length: 0xa1 }, (_, code) => String.fromCharCode(code)).join("") +
      "\u2028\u2029"
    const entry = { message: text, subject: text, deep: [text] }
    for (const line of [Logs.json(entry), Logs.logfmt(entry)]) {
      assert.notMatch(line, /[\u2028\u2029\p{Cc}]/u)
    }
    assert.deepStrictEqual(JSON.parse(Logs.json(entry)), entry)
  })
})
