import type { Browser, BrowserContext } from 'playwright-core';
import { localOrganization } from '@billing/local/first-keys';
import { ensureChromium, launchChromium } from '../support/chromium';
import { OperatorClient } from '../support/operator-client';
import type { Bench, Effort, FigureTable } from './report/bench';
import { judgeLimit, percentileOf, sampleOf, spreadText } from './figures/statistics';
import { createResource } from './stage/api';
import { Replay } from './stage/replay';
import type { StagedSystem } from './stage/stage';

const rowCount = 25;
const loads = { quick: 3, usual: 20 };
// Up to a second a reader does not lose the thread.
const shownMsMax = 1_000;
const viewport = { width: 1440, height: 900 };
const loadedWithinMs = 60_000;

/** Pages with what shows that their figures are there. */
const measuredPages = {
  home: ['', '.figure-value'],
  customers: ['/customers', 'tbody tr'],
  subscriptions: ['/subscriptions', 'tbody tr'],
  invoices: ['/invoices', 'tbody tr'],
  products: ['/products', 'tbody tr'],
} as const;

/**
 * Time from the request of a page in a browser until its figures are on the screen, against the
 * same page and the same responses from memory.
 */
export const pages: Bench = {
  name: 'pages',
  title: 'time until the pages of the dashboard show their figures',
  run: async (stage, effort) => {
    const system = await stage.system();
    const program = ensureChromium();
    if (program === undefined) throw new Error('There is no Chromium');
    stage.log(`pages: creating ${String(rowCount)} subscriptions`);
    await fillShop(system);
    const browser = await launchChromium(program);
    try {
      return { figures: [await measure(system, { browser, effort, log: stage.log })] };
    } finally {
      await browser.close();
    }
  },
};

async function fillShop(system: StagedSystem): Promise<void> {
  for (let number = 1; number <= rowCount; number += 1) {
    const name = `Number ${String(number)}`;
    const terms = { type: 'FLAT', currency: 'USD', amount: 2900, billingInterval: 'MONTHLY' };
    const product = await createResource(system, '/products', { name, ...terms });
    const email = `number${String(number)}@example.com`;
    const customer = await createResource(system, '/customers', { name, email });
    await createResource(system, '/subscriptions', {
      ...{ customerId: customer.id, productId: product.id },
      authorizedTransactionId: `txn_4242424242424242_${String(number)}`,
    });
  }
}

interface Measured {
  readonly browser: Browser;
  readonly effort: Effort;
  readonly log: (line: string) => void;
}

async function measure(system: StagedSystem, measured: Measured): Promise<FigureTable> {
  const { gatewayUrl } = system;
  const owner = await OperatorClient.owner({ ...system, organization: localOrganization });
  const { data } = (await owner.api('GET', '/environments')).body;
  const { id } = data.find(({ kind }: { kind: string }) => kind === 'SANDBOX');
  const [name = '', value = ''] = (owner.cookie ?? '').split('=');
  const newContext = async (origin: string) => {
    const context = await measured.browser.newContext({ viewport });
    await context.addCookies([{ name, value, url: origin }]);
    return context;
  };
  const rows: string[][] = [];
  for (const [page, [path, shown]] of Object.entries(measuredPages)) {
    measured.log(`pages: ${page}`);
    const place = `/dashboard/${String(id)}${path}`;
    const replay = new Replay();
    const origins = { ours: gatewayUrl, memory: await replay.listen() };
    try {
      const recording = await newContext(gatewayUrl);
      const recorded = await recording.newPage();
      await replay.record(recorded, async () => {
        await recorded.goto(`${gatewayUrl}${place}`);
        await recorded.locator(`main ${shown}`).first().waitFor();
        await recorded.locator('main .skeleton-line').first().waitFor({ state: 'detached' });
        await recorded.waitForLoadState('networkidle');
      });
      await recording.close();
      const visits = { newContext, origins, place, shown };
      rows.push(...(await rowsOf(page, visits, measured.effort)));
    } finally {
      replay.close();
    }
  }
  return {
    title: `Time until the figures of a page are shown, ${String(rowCount)} rows, alternately from the system and from memory`,
    columns: [
      'page',
      'p50, ms',
      'p95, ms',
      'from memory p50, ms',
      'ratio',
      `p95 ≤ ${String(shownMsMax)} ms`,
    ],
    rows,
  };
}

interface Visits {
  readonly newContext: (origin: string) => Promise<BrowserContext>;
  readonly origins: { readonly ours: string; readonly memory: string };
  readonly place: string;
  /** Selector of what the page shows in the end. */
  readonly shown: string;
}

/** Times of the first visit of a browser, and of its second one, which has the files. */
async function rowsOf(
  page: string,
  { newContext, origins, place, shown }: Visits,
  { isQuick }: Effort,
): Promise<string[][]> {
  const visit = async (origin: string) => {
    const context = await newContext(origin);
    const first = await shownAfterMs(context, `${origin}${place}`, shown);
    const again = await shownAfterMs(context, `${origin}${place}`, shown);
    await context.close();
    return { first, again };
  };
  // The processes have compiled their code after it.
  await visit(origins.ours);
  await visit(origins.memory);
  const pairs: Record<'ours' | 'memory', Record<'first' | 'again', number>>[] = [];
  for (let load = 0; load < (isQuick ? loads.quick : loads.usual); load += 1) {
    pairs.push({ ours: await visit(origins.ours), memory: await visit(origins.memory) });
  }
  return (['first', 'again'] as const).map((which) => {
    const ours = pairs.map((pair) => pair.ours[which]);
    const memory = pairs.map((pair) => pair.memory[which]);
    const ratio = sampleOf(pairs.map((pair) => pair.ours[which] / pair.memory[which]));
    const times = [percentileOf(ours, 0.5), percentileOf(ours, 0.95), percentileOf(memory, 0.5)];
    const name = which === 'first' ? `${page}, first visit` : `${page}, files in the cache`;
    const limit = { atMost: shownMsMax, isReduced: isQuick };
    const verdict = judgeLimit(percentileOf(ours, 0.95), limit);
    return [name, ...times.map((ms) => ms.toFixed(0)), spreadText(ratio), verdict];
  });
}

/** Opens an address; the page itself sees when it shows the figures and no placeholder. */
async function shownAfterMs(context: BrowserContext, url: string, shown: string): Promise<number> {
  const page = await context.newPage();
  const reported = Promise.withResolvers<number>();
  await page.exposeFunction('reportShown', reported.resolve);
  await page.addInitScript(`
    const observer = new MutationObserver(() => {
      if (document.querySelector('main .skeleton-line') !== null) return;
      if (document.querySelector(${JSON.stringify(`main ${shown}`)}) === null) return;
      observer.disconnect();
      window.reportShown(performance.now());
    });
    observer.observe(document, { subtree: true, childList: true });
  `);
  await page.goto(url);
  const late = setTimeout(() => {
    reported.reject(new Error(`${url} did not show its figures`));
  }, loadedWithinMs);
  const ms = await reported.promise;
  clearTimeout(late);
  await page.close();
  return ms;
}
