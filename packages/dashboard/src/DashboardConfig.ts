/**
 * The settings of the dashboard. Only the composing program reads the environment.
 */

import type { Redacted } from "effect"

/** A client for which the sign-in page has a button. */
export interface DemoClient {
  readonly id: string
  readonly secret: string
  /** What a person sees after signing in as this client. */
  readonly description: string
}

/** An OpenID Connect provider by which people sign in. */
export interface ProviderConfig {
  /** The address of the issuer, which has `.well-known/openid-configuration` below it; https, or http on the same machine. */
  readonly issuer: string
  /** The id of the dashboard as a client of the provider, with `{baseUrl}/dashboard/sign-in/callback` as its redirect address. */
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  /** The name of the provider for people; the host of the issuer by default. */
  readonly name?: string
}

/** Settings of the dashboard. */
export interface DashboardConfig {
  /** The address that browsers use for the service, without a trailing slash. */
  readonly baseUrl: string
  /** Clients with publicly known secrets, for a service with demo data; none when absent. */
  readonly demoClients?: ReadonlyArray<DemoClient>
  /** The provider by which people sign in; without it, only clients sign in. */
  readonly provider?: ProviderConfig
}

/** The path of the dashboard in requests that reach the service. */
export const root = "/dashboard"

/** The path of the dashboard in requests of browsers. It begins with the path of `baseUrl`, which a proxy may remove. */
export const publicRoot = ({ baseUrl }: DashboardConfig): string =>
  `${new URL(baseUrl).pathname.replace(/\/$/, "")}${root}`
