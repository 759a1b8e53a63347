/** Every value of the header `Error-Code`, with its status and the sentence in the body. */
export const errorCodes = {
  invalid_request: { status: 400, text: 'Body must be a JSON object' },
  malformed_json: { status: 400, text: 'Malformed JSON' },
  invalid_api_key: { status: 401, text: 'Invalid or expired API key' },
  insufficient_permissions: { status: 403, text: 'Insufficient permissions' },
  not_found: { status: 404, text: 'Not found' },
  api_key_not_found: { status: 404, text: 'API key not found' },
  balance_entry_not_found: { status: 404, text: 'Balance entry not found' },
  checkout_link_not_found: { status: 404, text: 'Checkout link not found' },
  checkout_session_not_found: { status: 404, text: 'Checkout session not found' },
  customer_not_found: { status: 404, text: 'Customer not found' },
  discount_exhausted: { status: 404, text: 'Discount not found' },
  discount_expired: { status: 404, text: 'Discount not found' },
  discount_inactive: { status: 404, text: 'Discount not found' },
  discount_not_found: { status: 404, text: 'Discount not found' },
  discount_not_started: { status: 404, text: 'Discount not found' },
  discount_wrong_currency: { status: 404, text: 'Discount not found' },
  discount_wrong_product: { status: 404, text: 'Discount not found' },
  invoice_not_found: { status: 404, text: 'Invoice not found' },
  meter_not_found: { status: 404, text: 'Meter not found' },
  product_not_found: { status: 404, text: 'Product not found' },
  sandbox_not_found: { status: 404, text: 'Sandbox not found' },
  subscription_not_found: { status: 404, text: 'Subscription not found' },
  tax_rate_not_found: { status: 404, text: 'Tax rate not found' },
  webhook_delivery_not_found: { status: 404, text: 'Webhook delivery not found' },
  webhook_event_not_found: { status: 404, text: 'Webhook event not found' },
  webhook_endpoint_not_found: { status: 404, text: 'Webhook endpoint not found' },
  method_not_allowed: { status: 405, text: 'Method not allowed' },
  conflict: { status: 409, text: 'Not allowed in the current state' },
  code_taken: { status: 409, text: 'Discount with this code already exists' },
  external_id_taken: { status: 409, text: 'Customer with this externalId already exists' },
  lookup_key_taken: { status: 409, text: 'Product with this lookupKey already exists' },
  idempotency_key_in_use: { status: 409, text: 'Idempotency-Key is in use' },
  sandbox_limit_reached: { status: 409, text: 'Sandbox limit reached' },
  cursor_expired: { status: 410, text: 'Events after this cursor are no longer kept' },
  stale_version: { status: 412, text: 'Stale version' },
  request_too_large: { status: 413, text: 'Request body too large' },
  unsupported_media_type: { status: 415, text: 'Content-Type must be application/json' },
  idempotency_key_reused: { status: 422, text: 'Idempotency-Key was used with another request' },
  too_many_requests: { status: 429, text: 'Too many requests' },
  internal: { status: 500, text: 'Internal server error' },
  unavailable: { status: 503, text: 'Service unavailable' },
  timed_out: { status: 504, text: 'Timed out' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly text: string }>>;

export type ErrorCode = keyof typeof errorCodes;

/** Errors that every operation may return. */
export const everywhere: readonly ErrorCode[] = [
  'invalid_api_key',
  'insufficient_permissions',
  'not_found',
  'method_not_allowed',
  'too_many_requests',
  'internal',
  'unavailable',
  'timed_out',
];

/** Errors that every operation with a body may return. */
export const withBody: readonly ErrorCode[] = [
  'invalid_request',
  'malformed_json',
  'idempotency_key_in_use',
  'idempotency_key_reused',
  'request_too_large',
  'unsupported_media_type',
];
