/**
 * Random histories on PostgreSQL, in memory and on the model: every answer and every state the same, but for ids. These
 * are some; `npm run test:soak` runs as many as one wants.
 */
import type { Services } from "@dockline/core/testing/model/Service"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, describe, it } from "vitest"
import * as Differential from "../soak/src/Differential.ts"
import { often } from "../support/Runner.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const postgres = ManagedRuntime.make(
  Layer.unwrap(Effect.map(TestDatabase.createMigrated, ({ url }) => Differential.layer(url)))
)
afterAll(() => postgres.dispose())

const steps = 50
const count = Math.ceil(40 * (often.factor ?? 1))

describe("PostgreSQL, memory and the model", () => {
  it(`give the same answers and end in the same state, in ${count} histories of ${steps} steps`, async () => {
    const seed = Math.trunc(Math.random() * 0x4000_0000)
    await postgres.runPromise(
      Effect.flatMap(
        Effect.context<Services>(),
        (context) => Differential.runAll(context, { count, steps, seed })
      )
    )
  }, 240_000)
})
