/**
 * The page of the interactive reference: what the browser gets besides Swagger UI itself.
 *
 * Guarantee: nothing in it is inline but the markup, and nothing names another host, so that it works under
 * {@link contentSecurityPolicy} and without a network.
 */

/**
 * The page loads scripts, styles, images and data from the service alone; Swagger UI holds its icons in `data:`
 * URLs of its style sheet. It is no frame in another page, where a click could be led to *Execute*.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** `GET /v1/docs/`; what it links to is relative, so that it may stand under a path of a proxy. */
export const html = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dockline: interactive reference</title>
<link rel="icon" href="favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="swagger-ui.css">
<link rel="stylesheet" href="reference.css">
<script defer src="swagger-ui-bundle.js"></script>
<script defer src="reference.js"></script>
</head>
<body>
<noscript>The reference needs JavaScript. Without it, read <a href="openapi.json">openapi.json</a>.</noscript>
<div id="reference"></div>
</body>
</html>
`

/** Starts Swagger UI on the page. */
export const script = `"use strict"

// People paste the value that the interface names, "Bearer <ACCESS_TOKEN>", and Swagger UI puts "Bearer " before it.
const withOneScheme = (request) => {
  const headers = request.headers ?? {}
  for (const name of Object.keys(headers)) {
    if (name.toLowerCase() === "authorization") {
      headers[name] = headers[name].trim().replace(/^(?:Bearer\\s+)+/i, "Bearer ")
    }
  }
  return request
}

SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: true,
  requestInterceptor: withOneScheme,
  tryItOutEnabled: true,
  // It would ask a host on the internet.
  validatorUrl: null
})
`

/** What the page looks like beside Swagger UI's own style. */
export const styles = `body { margin: 0; }
/* A whole document of an order, without scrolling. */
.swagger-ui textarea.body-param__text { min-height: 28em; }
.swagger-ui .auth-container input[type="text"] { width: 100%; max-width: none; box-sizing: border-box; }
`

/** A dock with a truck before it, as an icon. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">\
<rect width="32" height="32" rx="6" fill="#14532d"/>\
<path d="M5 10h13v11H5zM19 14h5l3 4v3h-8z" fill="#fff"/>\
<circle cx="10" cy="23" r="2.5" fill="#fff"/><circle cx="22" cy="23" r="2.5" fill="#fff"/></svg>
`
