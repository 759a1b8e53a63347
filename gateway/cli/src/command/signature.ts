import { createHmac, randomBytes } from 'node:crypto';

/** Makes a secret in the form of an endpoint's. */
export function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}

/** Headers of a webhook, as the notifier sends them to an endpoint with the usual prefix. */
export function webhookHeaders(
  { id, type, body }: { id: string; type: string; body: string },
  { secret, timestamp }: { secret: string; timestamp: number },
): Record<string, string> {
  const time = String(timestamp);
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const standard = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
  const own = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': time,
    'webhook-signature': `v1,${standard}`,
    'billing-event': type,
    'billing-signature': `t=${time},v1=${own}`,
  };
}
