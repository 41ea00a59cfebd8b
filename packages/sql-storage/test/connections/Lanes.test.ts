/** How the connections of a process are divided. */
import {
  connectionsOf,
  defaultDatabaseConfig,
  lanesOf,
  leastConnections
} from "@dockline/sql-storage/connections/Database"
import { assert, describe, it } from "@effect/vitest"

const configs = Array.from(
  { length: 100 },
  (_, more) => ({ ...defaultDatabaseConfig, maxConnections: leastConnections + more })
)

describe("the connections of a process", () => {
  it("are never all of one business", () => {
    for (const config of configs) {
      const { reads, requests } = lanesOf(config)
      assert.isBelow(requests.share, requests.size, `${config.maxConnections} for writes`)
      assert.isBelow(reads.share, reads.size, `${config.maxConnections} for reads`)
    }
  })

  it("are as many as the setting, one to listen, two for webhooks, and the reserved ones", () => {
    for (const config of configs) {
      assert.strictEqual(
        connectionsOf({ ...config, reservedConnections: 3 }),
        config.maxConnections + 1 + 2 + 3
      )
    }
  })
})
