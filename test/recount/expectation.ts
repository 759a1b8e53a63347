import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import type { OperatorClient } from '../support/operator-client';
import { isSame, recountMoney } from './recount';

/** Fails with the reports on money that differ from their recount when no work is in flight. */
export async function expectMoneyReports(
  client: ApiClient,
  operator: OperatorClient,
  { timeoutMs }: { readonly timeoutMs: number },
): Promise<void> {
  await eventually(
    async () => {
      const reports = await recountMoney({ client, operator });
      const different = reports.filter((report) => !isSame(report));
      if (different.length > 0) throw new Error(`I24: ${JSON.stringify(different)}`);
    },
    { timeoutMs, everyMs: 250, everyMsMax: 4_000 },
  );
}
