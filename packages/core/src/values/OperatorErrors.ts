/**
 * The part of the error catalogue that only operators meet, and the log of their dispatchers (see `Errors.ts`).
 */
import { Schema } from "effect"
import type { ErrorCategory } from "./Errors.ts"

/** There is a business of that slug already. */
export class BusinessExists extends Schema.TaggedError<BusinessExists>()("BusinessExists", {
  business: Schema.String
}) {
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "BUSINESS_EXISTS"
  override get message(): string {
    return `${this.code}: slug=${this.business}; change it with PATCH`
  }
}

/** The business has a facility of that slug already. */
export class FacilityExists extends Schema.TaggedError<FacilityExists>()("FacilityExists", {
  business: Schema.String,
  facility: Schema.String
}) {
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "FACILITY_EXISTS"
  override get message(): string {
    return `${this.code}: business=${this.business}, slug=${this.facility}; change it with PATCH`
  }
}

/** The facility has a dock of that slug already. */
export class DockExists extends Schema.TaggedError<DockExists>()("DockExists", {
  facility: Schema.String,
  dock: Schema.String
}) {
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "DOCK_EXISTS"
  override get message(): string {
    return `${this.code}: facility=${this.facility}, slug=${this.dock}`
  }
}

/** The service, a business or a facility holds as many of something as it can. */
export class TooManyEntries extends Schema.TaggedError<TooManyEntries>()("TooManyEntries", {
  /** What there are too many of, such as `facilities of a business`. */
  what: Schema.String,
  limit: Schema.Number
}) {
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "TOO_MANY_ENTRIES"
  override get message(): string {
    return `${this.code}: at most ${this.limit} ${this.what}`
  }
}

/** No API client of that id, or none that the operator may see. */
export class ClientNotFound extends Schema.TaggedError<ClientNotFound>()("ClientNotFound", {
  id: Schema.String
}) {
  readonly category = "notFound" satisfies ErrorCategory
  readonly code = "CLIENT_NOT_FOUND"
  override get message(): string {
    return `Unknown client: ${this.id}`
  }
}

/** The client has no secret of that id. */
export class SecretNotFound extends Schema.TaggedError<SecretNotFound>()("SecretNotFound", {
  id: Schema.String
}) {
  readonly category = "notFound" satisfies ErrorCategory
  readonly code = "SECRET_NOT_FOUND"
  override get message(): string {
    return `Unknown secret: ${this.id}`
  }
}

/** The client has as many secrets as may be valid at once (D10.4). */
export class TooManySecrets extends Schema.TaggedError<TooManySecrets>()("TooManySecrets", {
  clientId: Schema.String,
  limit: Schema.Number
}) {
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "TOO_MANY_SECRETS"
  override get message(): string {
    return `${this.code}: client ${this.clientId} has ${this.limit} secrets; delete the one that is no longer used`
  }
}

/** No webhook endpoint of that id, or none that the operator may see. */
export class WebhookEndpointNotFound
  extends Schema.TaggedError<WebhookEndpointNotFound>()("WebhookEndpointNotFound", { id: Schema.String })
{
  readonly category = "notFound" satisfies ErrorCategory
  readonly code = "WEBHOOK_ENDPOINT_NOT_FOUND"
  override get message(): string {
    return `Unknown webhook endpoint: ${this.id}`
  }
}

/** The endpoint has no delivery of that id. */
export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {
  id: Schema.String
}) {
  readonly category = "notFound" satisfies ErrorCategory
  readonly code = "DELIVERY_NOT_FOUND"
  override get message(): string {
    return `Unknown delivery: ${this.id}`
  }
}

/** A replay names more messages than one request replays. */
export class TooManyDeliveries extends Schema.TaggedError<TooManyDeliveries>()("TooManyDeliveries", {
  limit: Schema.Number
}) {
  readonly category = "tooMany" satisfies ErrorCategory
  readonly code = "TOO_MANY_DELIVERIES"
  override get message(): string {
    return `The range holds more than ${this.limit} messages; replay it in parts`
  }
}

/** Ids would be moved on by more than one request may: what was sent is likely a slip. */
export class AdvanceTooFar extends Schema.TaggedError<AdvanceTooFar>()("AdvanceTooFar", {
  /** The newest id that any log has given. */
  newestId: Schema.Number,
  limit: Schema.Number
}) {
  readonly category = "unprocessable" satisfies ErrorCategory
  readonly code = "ADVANCE_TOO_FAR"
  override get message(): string {
    return `Ids are moved on by at most ${this.limit} at once; the newest id is ${this.newestId}`
  }
}

/** The service has no key to seal secrets with, so that it cannot store any. */
export class SecretsKeyMissing extends Schema.TaggedError<SecretsKeyMissing>()("SecretsKeyMissing", {}) {
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "SECRETS_KEY_MISSING"
  override readonly message =
    "SECRETS_KEY_MISSING: the service has no key to encrypt secrets with; set SECRETS_KEY and start it again"
}

/** A stored secret does not open: not sealed with a key of this service, or damaged. */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  reason: Schema.String
}) {
  readonly category = "internal" satisfies ErrorCategory
  readonly code = "SECRET_UNREADABLE"
  override get message(): string {
    return `A stored secret does not open: ${this.reason}; is SECRETS_KEY the one it was stored with?`
  }
}
