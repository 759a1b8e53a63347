import { type Stored, toStored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { networkKnownMs } from '../password/login-attempts';
import type { Operator } from './operator';
import { isOpen, type OperatorSession } from './session';

const shownMax = 100;

/** The sessions of an operator. */
export class OperatorSessionStore {
  constructor(private readonly sessions: AggregateCollection<OperatorSession>) {}

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.sessions.documents, [
      { name: 'operator', key: { environmentId: 1, operatorId: 1, createdAt: -1, _id: -1 } },
    ]);
  }

  /** True when the operator has recently signed in from the network, `since` then if given. */
  async isKnown(
    { state, tenant: { environmentId } }: Stored<Operator>,
    network: string,
    { now, since }: { readonly now: Date; readonly since?: Date | undefined },
  ): Promise<boolean> {
    const earliestMs = Math.max(now.getTime() - networkKnownMs, since?.getTime() ?? 0);
    const createdAt = { $gte: new Date(earliestMs) };
    const query = { environmentId, operatorId: state.id, createdAt, 'origin.network': network };
    return (await retryTransient(() => this.sessions.documents.findOne(query))) !== null;
  }

  /** The open sessions at real time `now`, newest first. */
  async listOpen(
    { state: operator, tenant: { environmentId } }: Stored<Operator>,
    now: Date,
  ): Promise<Stored<OperatorSession>[]> {
    const { documents, definition } = this.sessions;
    const { id: operatorId, sessionGeneration: generation } = operator;
    const query = { environmentId, operatorId, generation, endedAt: null, expiresAt: { $gt: now } };
    const found = await retryTransient(() =>
      documents.find(query).sort({ createdAt: -1, _id: -1 }).limit(shownMax).toArray(),
    );
    return found
      .map((document) => toStored(definition, document))
      .filter(({ state }) => isOpen(state, operator, now));
  }

  /** Finds a session of the operator, open or not; undefined for any other. */
  async find(
    { state: { id: operatorId }, tenant }: Stored<Operator>,
    id: string,
    now: Date,
  ): Promise<Stored<OperatorSession> | undefined> {
    const found = await this.sessions.within({ tenant, now }).find(id);
    return found?.state.operatorId === operatorId ? found : undefined;
  }
}
