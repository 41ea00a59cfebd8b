import { suite } from "../../test/Suite.ts"

/** The suites that main.ts names, on a cluster. */
export default suite({
  include: [
    "packages/*/test/**/*.test.ts",
    "test/**/*.test.ts",
    "lab/citus/test/**/*.test.ts",
    "lab/faults/test/Database.test.ts"
  ],
  maxWorkers: 2,
  isolate: false
})
