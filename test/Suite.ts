/** The configuration of the suites: that of `npm test`, and those with a command of their own. */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import type { ViteUserConfig } from "vitest/config"

// The conditions with which Node itself resolves: a package with both forms must not be loaded twice.
const conditions = ["@dockline/source", "module-sync", "node", "import", "default"]

/** The checkout. */
const root = fileURLToPath(new URL("../", import.meta.url))

/** The set-up of the folder of temporary files and of the PostgreSQL that test files share. */
const globalSetup = ["test/support/TemporaryFolder.ts", "test/support/PostgresServer.ts"]

/** A suite of test files of the checkout. */
export const suite = (test: NonNullable<ViteUserConfig["test"]>): ViteUserConfig =>
  defineConfig({
    root,
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    test: {
      globalSetup,
      pool: "forks",
      // The limits only end tests that hang. Slowness on a busy machine is no failure.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      ...test
    }
  })
