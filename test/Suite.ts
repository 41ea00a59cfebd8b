/** The configuration of the suites: that of `npm test`, and of those with a command of their own. */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import type { ViteUserConfig } from "vitest/config"

// As Node itself resolves: a package that has both forms must not be loaded twice.
const conditions = ["@dockline/source", "module-sync", "node", "import", "default"]

/** The checkout. */
const root = fileURLToPath(new URL("../", import.meta.url))

/** What makes the folder of temporary files and the PostgreSQL that test files share. */
const globalSetup = ["test/support/TemporaryFolder.ts", "test/support/PostgresServer.ts"]

/** A suite of files of the checkout. */
export const suite = (test: NonNullable<ViteUserConfig["test"]>): ViteUserConfig =>
  defineConfig({
    root,
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    test: {
      globalSetup,
      pool: "forks",
      // They end what hangs. What is slow on a busy machine is no failure.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      ...test
    }
  })
