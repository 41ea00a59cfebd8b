import { suite } from "../Suite.ts"

/** The files in `deploy`, with the programs that they are for: those of Debian, as `.ci/run` installs them. */
export default suite({
  include: ["test/deploy/*.test.ts"],
  globalSetup: [],
  // What they wait for are programs of their own.
  maxWorkers: 3,
  hookTimeout: 600_000
})
