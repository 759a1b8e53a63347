import Stripe from 'stripe';

export function verify(body: string, headers: Record<string, string>, secret: string): unknown {
  return Stripe.webhooks.constructEvent(body, headers['billing-signature'] ?? '', secret);
}
