import { suite } from "../Suite.ts"

/** The interface of MCP, tested by the conformance suite of the protocol. */
export default suite({ include: ["test/mcp/*.test.ts"], globalSetup: [] })
