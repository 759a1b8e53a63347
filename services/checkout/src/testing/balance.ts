import type { Db } from 'mongodb';
import { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type Clock, systemClock } from '@billing/chassis/clock';
import { createLogger } from '@billing/chassis/logging';
import type { Balance } from '../balance/balance';
import { balanceDefinition, BalanceStore } from '../balance/balance-store';
import { BalanceEntryStore } from '../balance/entry-store';

/** The balances of one replica. */
export function balancesOn(db: Db, clock: Clock = systemClock) {
  const documents = new AggregateCollection<Balance>(db, balanceDefinition, { clock: systemClock });
  const entries = new BalanceEntryStore(db);
  const logger = createLogger({ service: 'test', level: 'silent' });
  return { documents, entries, balances: new BalanceStore(documents, entries, clock, logger) };
}
