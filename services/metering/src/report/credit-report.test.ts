import fc from 'fast-check';
import { lastDays } from '@billing/kernel/calendar-day';
import { Decimal } from '@billing/kernel/decimal';
import { type CreditAccount, setConsumption } from '../credit/account';
import { CreditReport, type ReportedAccount } from './credit-report';

const now = new Date('2026-11-21T12:00:00Z');
const hourMs = 3_600_000;
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * hourMs);
const none = Decimal.of(0n);

function anAccount(account: Partial<CreditAccount> = {}): CreditAccount {
  return {
    id: 'a',
    customerId: 'c',
    meterId: 'm',
    grants: [],
    consumptions: [],
    burns: [],
    ...account,
  };
}

function aGrant(amount: string, effectiveAt: Date, expiresAt: Date | null = null) {
  return {
    id: `${amount} of ${effectiveAt.toISOString()}`,
    amount,
    effectiveAt,
    expiresAt,
    priority: 100,
    source: 'PAID' as const,
    createdAt: effectiveAt,
  };
}

function report(accounts: readonly ReportedAccount[], days = 4) {
  const made = new CreditReport(lastDays(now, { days, max: 90 }), now);
  for (const account of accounts) made.add(account);
  return made.byMeter();
}

const summaryOf = (accounts: readonly ReportedAccount[], days?: number) =>
  [...report(accounts, days)].map(([meterId, credits]) => [
    meterId,
    ...credits.map(({ granted, used, expired, balance }) =>
      [granted, used, expired, balance].map(String).join(' '),
    ),
  ]);

test('units returned by a later settlement lower the use of the day of that settlement', () => {
  const grant = aGrant('10', hoursAgo(24 * 30));
  const settle = (account: CreditAccount, settlement: string, quantity: string, at: Date) =>
    setConsumption(
      account,
      { period: 's:0', settlement, quantity, uses: [{ grantId: grant.id, quantity }] },
      at,
    );
  const first = settle(anAccount({ grants: [grant] }), 'one', '4', hoursAgo(48));
  const second = settle(first, 'two', '2.5', hoursAgo(24));
  expect(summaryOf([second], 3)).toEqual([['m', '0 4 0 6', '0 -1.5 0 7.5', '0 0 0 7.5']]);
});

test('usage settled before burns were recorded counts before the first day', () => {
  const grant = aGrant('10', hoursAgo(24 * 30));
  const uses = [{ grantId: grant.id, quantity: '4' }];
  const consumptions = [{ period: 's:0', settlement: 'x', quantity: '4', uses }];
  expect(summaryOf([anAccount({ grants: [grant], consumptions })], 1)).toEqual([['m', '0 0 0 6']]);
});

test('future events are not reported, and an account without grants reports nothing', () => {
  const grants = [aGrant('10', hoursAgo(1), hoursAgo(-1)), aGrant('5', hoursAgo(-1))];
  expect(summaryOf([anAccount({ grants }), anAccount({ meterId: 'other' })], 1)).toEqual([
    ['m', '10 0 0 10'],
  ]);
});

test('the final balance is granted minus used minus expired, and the days add up to it', () => {
  const units = fc.integer({ min: 1, max: 1_000 }).map((cents) => (cents / 100).toFixed(2));
  const grant = fc
    .record({
      amount: units,
      from: fc.nat({ max: 200 }),
      lasts: fc.option(fc.integer({ min: 1, max: 150 })),
    })
    .map(({ amount, from, lasts }) =>
      aGrant(amount, hoursAgo(from), lasts === null ? null : hoursAgo(from - lasts)),
    );
  const settlement = fc.record({
    period: fc.constantFrom('s:0', 's:1', 't:0'),
    share: fc.nat({ max: 3 }),
    hoursAgo: fc.nat({ max: 200 }),
  });
  fc.assert(
    fc.property(
      fc.array(grant, { minLength: 1, maxLength: 4 }),
      fc.array(settlement, { maxLength: 6 }),
      (grants, settlements) => {
        let account = anAccount({
          grants: grants.map((one, index) => ({ ...one, id: String(index) })),
        });
        settlements.forEach(({ period, share, hoursAgo: at }, index) => {
          // At most a ninth of each grant, for each of three periods.
          const uses = account.grants.map(({ id: grantId, amount }) => ({
            grantId,
            quantity: Decimal.parse(amount)
              .multiply(Decimal.parse(`0.${String(share)}`))
              .toString(),
          }));
          const consumption = { period, settlement: String(index), quantity: '0', uses };
          account = setConsumption(account, consumption, hoursAgo(at));
        });
        const before = (at: Date | null) => at !== null && at <= now;
        const used = (grantId: string) =>
          account.consumptions
            .flatMap(({ uses }) => uses)
            .filter((use) => use.grantId === grantId)
            .reduce((sum, { quantity }) => sum.add(Decimal.parse(quantity)), none);
        const left = account.grants
          .filter(({ effectiveAt, expiresAt }) => before(effectiveAt) && !before(expiresAt))
          .reduce((sum, { id, amount }) => sum.add(Decimal.parse(amount)).subtract(used(id)), none);
        const [days = []] = [...report([account], 3).values()];
        expect(days.at(-1)?.balance.toString()).toBe(left.toString());
        days.slice(1).forEach((day, index) => {
          const { balance } = days[index] ?? day;
          const end = balance.add(day.granted).subtract(day.used).subtract(day.expired);
          expect(end.toString()).toBe(day.balance.toString());
        });
      },
    ),
  );
});
