import { suite } from "../Suite.ts"

/** The files in `deploy`, with the programs for which they are made: those of Debian, as `.ci/run` installs them. */
export default suite({
  include: ["test/deploy/*.test.ts"],
  globalSetup: [],
  // They wait for processes of their own.
  maxWorkers: 3,
  hookTimeout: 600_000
})
