import { defineConfig } from "vitest/config"

// As Node itself resolves: a package that has both forms must not be loaded twice.
const conditions = ["@dockline/source", "module-sync", "node", "import", "default"]

/** Tests that change something of the whole process: a mock of a module, the environment. */
const alone = [
  "packages/http-adapter/test/tokens/Clients.test.ts",
  "packages/sql-storage/test/embedded/EmbeddedPostgres.test.ts"
]

/** Tests with a configuration of their own: `npm run test:packages`, `npm run test:deploy`. */
const elsewhere = ["test/packages/**", "test/deploy/**"]

/**
 * Node loads the modules itself, as in production: Vite rewrites each of them, and what it has rewritten runs slower. Node 22 does
 * not know all syntax of the tests (`await using`), and leaves it to Vite.
 */
const native = Number.parseInt(process.versions.node, 10) < 24 ? {} : {
  execArgv: ["--conditions=@dockline/source"],
  experimental: { viteModuleRunner: false, nodeLoader: false }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ["test/support/TemporaryFolder.ts", "test/support/PostgresServer.ts"],
    pool: "forks",
    maxWorkers: 3,
    // They end what hangs. What is slow on a busy machine is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      // Most files share the modules of their worker: loading them anew for each took a third of the whole time.
      {
        extends: true,
        test: {
          name: "shared",
          include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...alone, ...elsewhere],
          isolate: false,
          ...native
        }
      },
      // Vite mocks modules.
      { extends: true, test: { name: "alone", include: [...alone] } }
    ]
  }
})
