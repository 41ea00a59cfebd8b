import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

// As in the configuration of `npm test`.
const conditions = ["@dockline/source", "module-sync", "node", "import", "default"]

/** The tests of the labs themselves: `npm test --prefix lab/bench`, `npm test --prefix lab/faults`. */
export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ["test/support/TemporaryFolder.ts", "test/support/PostgresServer.ts"],
    include: ["lab/*/test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
