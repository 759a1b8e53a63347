import { isDeepStrictEqual } from 'node:util';
import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import type { OperatorClient } from '../support/operator-client';
import { recount } from './recount';

/** Fails with the reports of an environment that differ from their recount when it is quiet. */
export async function expectReports(
  client: ApiClient,
  operator: OperatorClient,
  { timeoutMs }: { readonly timeoutMs: number },
): Promise<void> {
  await eventually(
    async () => {
      const reports = await recount({ client, operator });
      const different = reports.filter(({ shown, counted }) => !isDeepStrictEqual(shown, counted));
      if (different.length > 0) throw new Error(`I24: ${JSON.stringify(different)}`);
    },
    { timeoutMs, everyMs: 250, everyMsMax: 4_000 },
  );
}
