import { suite } from "../Suite.ts"

/** Clients that were written for another service. */
export default suite({ include: ["test/foreign/*.test.ts"] })
