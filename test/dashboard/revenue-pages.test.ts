import { differentViewports, visit } from '../support/browser-visit';
import { ensureChromium } from '../support/chromium';
import { DashboardScene } from './dashboard-scene';
import { heading, lookClosely } from './page-actions';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 600_000;

let dashboard: DashboardScene;

beforeAll(async () => {
  if (program === undefined) return;
  dashboard = await DashboardScene.begin(program);
  await makeMovements();
}, timeoutMs);

afterAll(async () => {
  if (program !== undefined) await dashboard.end();
});

/** Movements of all kinds in March 2026, by changes of subscriptions that began in January. */
async function makeMovements(): Promise<void> {
  const { scene } = dashboard;
  const seats = { name: 'Seats', type: 'PER_UNIT', amount: 1900 };
  const subscribe = async (quantity: number): Promise<string> => {
    const customerId = await scene.customer();
    const { id } = await scene.subscribe(customerId, { plan: seats, input: { quantity } });
    return id;
  };
  const change = (id: string, body: object) => scene.create(`/subscriptions/${id}/changes`, body);
  const [grown, shrunk, paused, resumed] = [
    await subscribe(10),
    await subscribe(10),
    await subscribe(10),
    await subscribe(10),
  ];
  await scene.api.advanceTo('2026-02-10T00:00:00.000Z');
  await change(resumed, { kind: 'PAUSE', at: 'NOW' });
  await scene.api.advanceTo('2026-03-10T00:00:00.000Z');
  await subscribe(2);
  await change(grown, { quantity: 12, at: 'NOW' });
  await change(shrunk, { quantity: 5, at: 'NOW' });
  await change(paused, { kind: 'PAUSE', at: 'NOW' });
  await change(resumed, { kind: 'RESUME' });
  await scene.untilIdle();
}

testInChromium.each(differentViewports)(
  'the revenue page shows a month with all movements %s (needs Chromium)',
  async (looking, options) => {
    await visit(dashboard.browser, options, async (page) => {
      await dashboard.signIn(page);
      await dashboard.open(page, '/revenue');
      await heading(page, 'Revenue');
      const march = page.getByRole('row', { name: 'Mar 2026' }).last();
      await march.getByText('$551.00').waitFor();
      const cells = await march.getByRole('cell').allTextContents();
      const amounts = ['$38.00', '$38.00', '$190.00', '$95.00', '$190.00', '−$19.00', '$551.00'];
      expect(cells.slice(-9)).toEqual([...amounts, '1', '0']);
      // A pause ends no subscription.
      const ended = page.locator('.figure', { hasText: 'Ended' });
      await ended.getByText('$190.00 churned MRR').waitFor();
      await lookClosely(page, `revenue with all movements ${looking}`);
    });
  },
  timeoutMs,
);
