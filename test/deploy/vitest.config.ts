import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

// As in the configuration of `npm test`.
const conditions = ["@dockline/source", "module-sync", "node", "import", "default"]

/** The files in `deploy`, with the programs that they are for: those of Debian, as `.ci/run` installs them. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["*.test.ts"],
    pool: "forks",
    // What they wait for are programs of their own.
    maxWorkers: 3,
    testTimeout: 120_000,
    hookTimeout: 600_000
  }
})
