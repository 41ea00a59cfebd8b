/**
 * The settings of the MCP adapter, with their defaults. Only the composing program reads the environment.
 */

/** The defaults of {@link McpConfig}. */
export const defaultMcpConfig = {
  /** The address that clients use, without a trailing slash. */
  baseUrl: "http://localhost:8080",
  /** The issuers of the tokens that the service takes, for clients that look for one (RFC 9728). */
  authorizationServers: ["http://localhost:8080"] as ReadonlyArray<string>,
  /** The largest request body, in bytes (413 beyond it). */
  bodyLimit: 1024 * 1024,
  /** The version of the service, which clients are told. */
  version: "0.1.0"
}

/** Settings of the MCP adapter; see {@link defaultMcpConfig}. */
export type McpConfig = Readonly<typeof defaultMcpConfig>
