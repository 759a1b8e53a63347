import { readConfig } from '@billing/gateway/config';
import { start } from '@billing/gateway/service';
import type { OwnTestSystem } from '../support/test-system';

/** Starts a second gateway on the services of a system, in the test's process. */
export function startSecondGateway({
  gatewayUrl,
  addresses,
}: Pick<OwnTestSystem, 'gatewayUrl' | 'addresses'>): ReturnType<typeof start> {
  const ofServices = Object.entries(addresses).map(([service, address]) => [
    `${service.toUpperCase()}_ADDRESS`,
    address,
  ]);
  return start(
    readConfig({
      HTTP_LISTEN: '127.0.0.1:0',
      HOSTED_PAGE_URL: gatewayUrl,
      LOG_LEVEL: 'silent',
      RATE_LIMIT_PER_SECOND: '0',
      ...(Object.fromEntries(ofServices) as Record<string, string>),
    }),
  );
}
