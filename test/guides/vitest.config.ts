import { suite } from "../Suite.ts"

/** The guides and the programs in `examples`, carried out. */
export default suite({ include: ["test/{guides,examples}/**/*.test.ts"], maxWorkers: 2 })
