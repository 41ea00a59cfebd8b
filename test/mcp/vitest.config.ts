import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

// As in the configuration of `npm test`.
const conditions = ["@dockline/source", "module-sync", "node", "import", "default"]

/** The interface of MCP before the conformance suite of the protocol. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { include: ["*.test.ts"], testTimeout: 120_000, hookTimeout: 60_000 }
})
