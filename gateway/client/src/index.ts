export { Billing } from './client';
export {
  BillingConnectionError,
  BillingError,
  BillingTimeoutError,
  type RefusedFields,
  type VerificationFailure,
  WebhookVerificationError,
} from './errors';
export type { components, WebhookEvent } from './gen/api';
export { type FeedPage, List, type Page } from './pages';
export type { BillingOptions, CallOptions, ResponseInfo } from './transport';
export type { UnwrapOptions, WebhookRequestHeaders } from './webhooks';
