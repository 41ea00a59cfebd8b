import { suite } from "../test/Suite.ts"

/** The tests of the labs: `npm test --prefix lab/bench`, and of `faults` and `load`. */
export default suite({ include: ["lab/*/test/**/*.test.ts"], maxWorkers: 2 })
