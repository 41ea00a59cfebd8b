import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

/** The packages as their users get them: packed, and installed elsewhere, without the workspace's condition. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  test: {
    include: ["*.test.ts"],
    globalSetup: ["PackedSetup.ts"],
    pool: "forks",
    // They wait for processes of their own: compilers, npm, servers.
    maxWorkers: 2,
    testTimeout: 320_000,
    hookTimeout: 600_000
  }
})
