import type { Page } from 'playwright-core';
import type {
  PriceMigrationJson,
  PriceMigrationSubscriptionJson,
} from '@billing/proto/json/change/price-migration';

type Row = PriceMigrationSubscriptionJson;

/** A migration in a state that the shop does not have at the end of its time. */
interface MigrationState {
  readonly job: Partial<PriceMigrationJson>;
  /** Subscriptions that the job has not reached. */
  readonly remaining: number;
  readonly rows: (rows: readonly Row[]) => readonly Row[];
}

const changeId = '01900000-0000-7000-8000-000000000000';
const scheduled = (row: Row): Row => ({ ...row, changeId });
const applied = (row: Row): Row => ({ ...row, changeId, result: 'APPLIED' });
const skipped = (row: Row): Row => ({
  ...{ ...row, result: 'SKIPPED', reason: 'SET_TO_CANCEL', effectiveAt: null },
  monthlyAmountAfter: row.monthlyAmountBefore,
});

/** States by the name of the page. Pages of other names show the dry run of the shop. */
const states: Readonly<Record<string, MigrationState>> = {
  'price migration running': {
    job: { dryRun: false, status: 'RUNNING', completedAt: null },
    remaining: 1,
    rows: (rows) => rows.slice(0, 1).map(scheduled),
  },
  'price migration done': {
    job: { dryRun: false },
    remaining: 0,
    rows: ([first, ...others]) => [
      ...(first === undefined ? [] : [applied(first)]),
      ...others.map(skipped),
    ],
  },
};

/**
 * Shows the rows of price migrations in one order, because those of one time have none, and the dry
 * run of the shop in other states. Returns the function that sets the page that is opened next.
 */
export async function fixMigrations(page: Page): Promise<(name: string) => void> {
  let state: MigrationState | undefined;
  const rowsOf = (data: readonly Row[]): readonly Row[] => {
    const sorted = data.toSorted((a, b) => b.monthlyAmountBefore - a.monthlyAmountBefore);
    return state === undefined ? sorted : state.rows(sorted);
  };
  await page.route(/\/v1\/price-migrations\/[^/?]+\/subscriptions/, async (route) => {
    const response = await route.fetch();
    // The page asks again after a refusal.
    if (!response.ok()) return route.fulfill({ response });
    const body = (await response.json()) as { readonly data: readonly Row[] };
    const data = rowsOf(body.data);
    await route.fulfill({ response, json: { ...body, data, total: data.length } });
  });
  await page.route(/\/v1\/price-migrations\/[^/?]+$/, async (route) => {
    const response = await route.fetch();
    if (!response.ok()) return route.fulfill({ response });
    const job = (await response.json()) as PriceMigrationJson;
    if (state === undefined) return route.fulfill({ response });
    const url = route.request().url();
    const headers = route.request().headers();
    const list = await page.request.get(`${url}/subscriptions`, { headers });
    const rows = rowsOf(((await list.json()) as { readonly data: readonly Row[] }).data);
    return route.fulfill({ response, json: { ...job, ...state.job, ...countsOf(rows, state) } });
  });
  return (name) => {
    state = states[name];
  };
}

function countsOf(
  rows: readonly Row[],
  { remaining }: MigrationState,
): Partial<PriceMigrationJson> {
  const moved = rows.filter(({ result }) => result !== 'SKIPPED');
  const sum = (amountOf: (row: Row) => number) =>
    moved.reduce((total, row) => total + amountOf(row), 0);
  return {
    ...{ total: rows.length + remaining, processed: rows.length },
    ...{ scheduled: moved.length, skipped: rows.length - moved.length },
    monthlyAmountBefore: sum((row) => row.monthlyAmountBefore),
    monthlyAmountAfter: sum((row) => row.monthlyAmountAfter),
  };
}
