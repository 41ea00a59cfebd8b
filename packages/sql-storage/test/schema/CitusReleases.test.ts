import { faultOfRelease } from "@dockline/sql-storage/schema/cluster/Layout"
import { assert, describe, it } from "@effect/vitest"

describe("a release of Citus", () => {
  it.each([
    ["Citus 13.2.0 on x86_64-pc-linux-gnu, compiled by gcc 12.2.0, 64-bit", true],
    ["Citus 13.2.1 on x86_64-pc-linux-gnu, compiled by gcc 12.2.0, 64-bit", false],
    ["Citus 13.2.2 on x86_64-pc-linux-gnu, compiled by gcc 12.2.0, 64-bit", false],
    ["Citus 13.1.0 on aarch64-unknown-linux-gnu", false]
  ])(
    "%s is refused: %s",
    (release, isRefused) => assert.strictEqual(faultOfRelease(release) !== undefined, isRefused)
  )
})
