import { Webhook } from 'standardwebhooks';

export function verify(body: string, headers: Record<string, string>, secret: string): unknown {
  return new Webhook(secret).verify(body, headers);
}
