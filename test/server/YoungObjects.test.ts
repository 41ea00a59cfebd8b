/** Garbage of requests is collected while it is young: that collector runs often, and its cost grows with what survives. */
import { afterAll, assert, beforeAll, it } from "vitest"
import * as Programs from "../../programs/Programs.mjs"
import { serveAlone } from "../support/ServerProcess.ts"
import type { OwnServer } from "../support/ServerProcess.ts"

let server: OwnServer

beforeAll(async () => {
  // A small space, so that there are many collections.
  const flags = ["--trace-gc", "--max-semi-space-size=1"]
  server = await serveAlone({}, [...flags, await Programs.bundled("packages/server/src/main.ts")])
})

afterAll(() => server.stop())

/** The heap before and after each collection of young objects, in MB. */
const collections = (): ReadonlyArray<readonly [before: number, after: number]> =>
  [...server.output().matchAll(/Scavenge[^0-9]*([\d.]+) \([\d.]+\) -> ([\d.]+)/g)].map((
    [, before, after]
  ) => [Number(before), Number(after)])

it("is collected while it is young", async () => {
  const request = async (count: number) => {
    for (let sent = 0; sent < count; sent++) {
      const response = await fetch(`${server.baseUrl}/healthz`)
      assert.strictEqual((await response.text()).length > 0, true)
    }
  }
  await request(1000)
  const start = collections().length
  await request(3000)
  const during = collections().slice(start)
  assert.isAbove(during.length, 20)
  let [made, kept] = [0, 0]
  for (const [at, [before, after]] of during.entries()) {
    const [, last] = during[at - 1] ?? [0, before]
    // A collection of the whole heap may come in between.
    made += Math.max(0, before - last)
    if (at > 0) kept += Math.max(0, after - last)
  }
  assert.isBelow(kept / made, 0.07)
}, 60_000)
