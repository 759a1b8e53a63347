import type { CallContext } from '@billing/chassis/call-context';
import type { Call } from '../../http/exchange';
import type { Peers } from '../../peer/peers';

/** Names of operators by id. */
export type OperatorNames = ReadonlyMap<string, string>;

/** Names of the operators of the caller's organization. */
export async function operatorNamesOf(
  sessionToken: string,
  call: Call,
  peers: Peers,
): Promise<OperatorNames> {
  const { operators } = await peers.operator.listOperators({ sessionToken }, call as CallContext);
  return new Map(operators.map(({ id, name }) => [id, name]));
}
