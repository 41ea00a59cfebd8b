/**
 * The headers of every page of the dashboard.
 */

/**
 * Scripts, styles and connections of this host alone, none of them inline; no other page may frame the pages, and no
 * script may write HTML (`require-trusted-types-for`).
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

/** The headers of a page. Forms must name their origin, which a stricter `Referrer-Policy` would hide. */
export const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY"
} as const
