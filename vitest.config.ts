import { defineConfig } from "vitest/config"

// As Node itself resolves: a package that has both forms must not be loaded twice.
const conditions = ["@dockline/source", "module-sync", "node", "import", "default"]

/** Tests that change something of the whole process: a mock of a module, the environment. */
const alone = [
  "packages/http-adapter/test/tokens/Clients.test.ts",
  "packages/sql-storage/test/embedded/EmbeddedPostgres.test.ts"
]

/** Tests with a configuration of their own: such as `npm run test:packages`. */
const elsewhere = ["test/packages/**", "test/deploy/**", "test/site/**", "test/mcp/**"]

const project = (
  name: string,
  isolate: boolean,
  include: ReadonlyArray<string>,
  exclude: ReadonlyArray<string>
) => ({
  extends: true as const,
  test: { name, isolate, include: [...include], exclude: [...exclude] }
})

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
    // Most files share the modules of their worker: loading them anew for each took a third of the whole time.
    projects: [
      project("shared", false, ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"], [
        ...alone,
        ...elsewhere
      ]),
      project("alone", true, alone, [])
    ]
  }
})
