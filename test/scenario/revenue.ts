import { newAddress, OperatorClient } from '../support/operator-client';
import type { TestSystem } from '../support/shared-system';
import type { Scenario } from './scenario';

/** One operator for each organization; a test file has one. */
const operators = new WeakMap<TestSystem, Promise<OperatorClient>>();

/** The last months of the report on recurring revenue in USD, the oldest first. */
export async function revenueOf(
  { system, environmentId }: Scenario,
  months: number,
): Promise<any[]> {
  const owner = operators.get(system) ?? OperatorClient.owner(system, newAddress());
  operators.set(system, owner);
  const operator = (await owner).in(environmentId);
  const { status, body } = await operator.api('GET', `/reports/revenue?months=${String(months)}`);
  if (status !== 200) throw new Error(`No report: ${JSON.stringify(body)}`);
  return body.data.find(({ currency }: any) => currency === 'USD').months;
}
