import { defineConfig } from "vitest/config"

// As Node itself resolves: a package that has both forms must not be loaded twice.
const conditions = ["@dockline/source", "module-sync", "node", "import", "default"]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/support/PostgresServer.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000
  }
})
