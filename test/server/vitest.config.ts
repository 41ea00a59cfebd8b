import { suite } from "../Suite.ts"

/** The bundled server as a process, with its embedded database, its logs, traces and metrics. */
export default suite({
  include: [
    "test/{server,observability,operations}/**/*.test.ts",
    "packages/sql-storage/test/embedded/*.test.ts"
  ],
  maxWorkers: 3
})
