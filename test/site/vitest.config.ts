import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

// As in the configuration of `npm test`.
const conditions = ["@dockline/source", "module-sync", "node", "import", "default"]

/** The site of the documentation as `npm run docs` has built it, in a real browser. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { include: ["*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 }
})
