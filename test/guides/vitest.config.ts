import { suite } from "../Suite.ts"

/** What the guides and the programs in `examples` say to do, done. */
export default suite({ include: ["test/{guides,examples}/**/*.test.ts"], maxWorkers: 2 })
