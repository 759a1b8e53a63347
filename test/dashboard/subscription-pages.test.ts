import type { Browser, Page } from 'playwright-core';
import { desktop, expectAccessible, phone, takeScreenshot, visit } from '../support/browser-visit';
import { ensureChromium } from '../support/chromium';
import { authorization, numbers, type PortalScene, usd } from '../support/portal-scene';
import { DashboardScene } from './dashboard-scene';
import {
  changeUsagePrice,
  confirmDialog,
  fillIn,
  heading,
  look,
  pick,
  press,
  pressInDialog,
} from './page-actions';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 600_000;

let dashboard: DashboardScene;
let browser: Browser;
let scene: PortalScene;

beforeAll(async () => {
  if (program === undefined) return;
  dashboard = await DashboardScene.begin(program);
  ({ browser, scene } = dashboard);
}, timeoutMs);

afterAll(async () => {
  if (program !== undefined) await dashboard.end();
});

const badge = (page: Page, text: string) =>
  page.locator('.page-head .badge', { hasText: text }).waitFor();

const open = (page: Page, path: string) => dashboard.open(page, path);
const signIn = (page: Page) => dashboard.signIn(page);

testInChromium(
  'an operator creates a customer and a subscription, collects its invoice, and cancels the subscription',
  async () => {
    await scene.create('/products', { ...usd, name: 'Team' });
    const meter = { name: 'API calls', unit: 'calls' };
    await scene.create('/meters', meter);
    await visit(browser, desktop, async (page) => {
      await signIn(page);
      await createTieredProduct(page);
      await page.getByRole('link', { name: 'Customers', exact: true }).click();
      await heading(page, 'Customers');
      await page.getByText('No customers yet').waitFor();
      await createCustomer(page);
      await startSubscription(page);
      await collect(page);
      await endSubscription(page);
    });
  },
  timeoutMs,
);

/** Tiers are typed in dollars, with a preview by the rules that bill them. */
async function createTieredProduct(page: Page): Promise<void> {
  await open(page, '/products');
  await press(page, 'New product');
  const dialog = page.locator('.dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Storage');
  await dialog.getByLabel('Pricing model').selectOption({ label: 'Graduated tiers' });
  await dialog.getByLabel('Tier 1: price per unit').fill('8');
  await dialog.getByLabel('Tier 2: price per unit').fill('3.00');
  await dialog.getByLabel('Tier 2: flat fee').fill('45');
  await dialog.getByText('150 units: $545.00').waitFor();
  await dialog.getByRole('button', { name: 'Add tier' }).click();
  await dialog.getByLabel('Tier 2: to').fill('5');
  await expectAccessible(page);
  await takeScreenshot(page, 'dashboard tiers');
  await dialog.getByRole('button', { name: 'Create product' }).click();
  await dialog.locator('.problem').first().waitFor();
  await dialog.getByRole('button', { name: 'Remove tier 2' }).click();
  await confirmDialog(page, 'Create product');
  await page.getByRole('link', { name: 'Storage' }).click();
  await heading(page, 'Storage');
  await fillIn(page, { opener: 'Edit', confirm: 'Save', fields: { lookupKey: 'storage' } });
  await page.locator('code', { hasText: 'storage' }).waitFor();
  const amounts = { unitAmount: '0,005', minimumAmount: '5', maximumAmount: '50' };
  const usage = { ...amounts, metadata: 'team: research' };
  await fillIn(page, { opener: 'Add usage price', confirm: 'Save price', fields: usage });
  const row = page.getByRole('row', { name: /API calls/ });
  await row.getByText('$0.005 / unit').waitFor();
  await row.getByText('$50.00').waitFor();
  await row.getByText('team: research').waitFor();
  await changeUsagePrice(page, row);
  const [{ tiers, meterPrices }] = (await scene.read('/products?lookupKey=storage')).data;
  expect(tiers).toEqual([
    { upTo: '10', unitAmount: '800', flatAmount: '0' },
    { upTo: null, unitAmount: '300', flatAmount: '4500' },
  ]);
  expect(meterPrices).toMatchObject([
    {
      ...{ unitAmount: '0.5', minimumAmount: 500, maximumAmount: 6_000 },
      metadata: { team: 'research' },
    },
  ]);
  await takeScreenshot(page, 'dashboard product');
}

async function createCustomer(page: Page): Promise<void> {
  await press(page, 'New customer');
  await page.locator('.dialog').locator('[name=email]').fill('malformed');
  await page.locator('.dialog').getByRole('button', { name: 'Create customer' }).click();
  await page.locator('.dialog').locator('.problem', { hasText: 'Invalid email' }).waitFor();
  await page.keyboard.press('Escape');
  await fillIn(page, {
    opener: 'New customer',
    confirm: 'Create customer',
    fields: {
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      externalId: 'user-7',
      'address.city': 'Ulm',
    },
  });
  await heading(page, 'Ada Lovelace');
  await fillIn(page, { opener: 'Edit', confirm: 'Save', fields: { phone: '+49 731 1' } });
  await page.getByText('+49 731 1').waitFor();
  const metadata = { metadata: 'team: research\nseats: 3' };
  await fillIn(page, { opener: 'Edit metadata', confirm: 'Save', fields: metadata });
  await page.getByRole('cell', { name: 'research' }).waitFor();
  const credits = { meterId: 'API calls (calls)', amount: '2500', name: 'To try it out' };
  await fillIn(page, { opener: 'Grant credits', confirm: 'Grant credits', fields: credits });
  await page.getByRole('cell', { name: 'To try it out' }).waitFor();
  const adjusted = { amount: '5.50', description: 'Goodwill' };
  const opener = 'Adjust balance';
  await fillIn(page, { opener, confirm: 'Add $5.50', fields: adjusted });
  await page.getByRole('cell', { name: '$5.50 added to the balance: Goodwill' }).waitFor();
  const feed = page.getByRole('list', { name: 'Activity' });
  await feed.getByText('$5.50 added to the balance: Goodwill').waitFor();
  await feed
    .getByText(/changed the phone of customer/)
    .first()
    .waitFor();
  const direction = 'Take: you owe the customer less';
  await fillIn(page, { opener, confirm: 'Take $5.50', fields: { ...adjusted, direction } });
  await feed.getByText('$5.50 taken from the balance: Goodwill').waitFor();
  const { data } = await scene.read('/customers?externalId=user-7');
  expect(data).toMatchObject([
    { phone: '+49 731 1', address: { city: 'Ulm' }, metadata: { team: 'research', seats: 3 } },
  ]);
}

async function startSubscription(page: Page): Promise<void> {
  const dialog = page.locator('.dialog');
  await press(page, 'New subscription');
  const picker = dialog.locator('.field:has(> input[name="productId"]) > .picker');
  await pick(page, picker, 'Team');
  await dialog.getByLabel('First payment').selectOption({ label: 'Authorized transaction' });
  await pressInDialog(page, 'Review price');
  await dialog.locator('.problem', { hasText: 'Required' }).waitFor();
  await look(page, 'new subscription with an authorized transaction');
  await dialog.getByLabel('Transaction ID').fill(authorization(numbers.declined));
  await pressInDialog(page, 'Review price');
  await dialog
    .getByText('$29.00 is due today. The subscription starts now. The authorized transaction')
    .waitFor();
  await dialog.getByText('Next invoice on Feb 28, 2026').waitFor();
  await look(page, 'preview of a new subscription');
  await confirmDialog(page, 'Create subscription');
  await heading(page, 'Subscription of Ada Lovelace');
  await badge(page, 'past due');
  await page.locator('.facts', { hasText: 'Jan 31, 2026 to Feb 27, 2026' }).waitFor();
  await page.locator('.timeline-tick').first().waitFor();
  await page.locator('summary', { hasText: 'Show as table' }).first().click();
  await page.getByText('Charge of $29.00 for INV-000001 failed: card declined').waitFor();
  await takeScreenshot(page, 'dashboard past due');
}

async function collect(page: Page): Promise<void> {
  await page.locator('a.number', { hasText: 'INV-000001' }).click();
  await heading(page, 'INV-000001');
  const charge = (cardNumber: string) => ({
    opener: 'Charge now',
    confirm: 'Charge $29.00',
    fields: { authorizedTransactionId: authorization(cardNumber) },
  });
  await fillIn(page, charge(numbers.declined));
  await page.getByText('Payment failed: card declined.').waitFor();
  await expectAccessible(page);
  await fillIn(page, charge(numbers.good));
  await badge(page, 'paid');
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'PDF')]);
  expect(download.suggestedFilename()).toBe('INV-000001.pdf');
}

async function endSubscription(page: Page): Promise<void> {
  await page.locator('.facts a[href*="/subscriptions/"]').click();
  await heading(page, 'Subscription of Ada Lovelace');
  await badge(page, 'active');
  const dialog = page.locator('.dialog');
  await press(page, 'Cancel');
  await pressInDialog(page, 'Review');
  await dialog.getByText('The subscription ends on Feb 28, 2026.').waitFor();
  await confirmDialog(page, 'Cancel subscription');
  await page.getByText('Ends on Feb 28, 2026').waitFor();
  await fillIn(page, { opener: 'Undo cancellation', confirm: 'Undo cancellation' });
  await page.getByText('Renews on Feb 28, 2026').waitFor();
  await press(page, 'Cancel');
  const when = dialog.locator('[name="when"]');
  await when.selectOption({ label: 'Immediately, credit the rest of the period' });
  await look(page, 'cancellation');
  await pressInDialog(page, 'Review');
  await dialog.getByText('$29.00 is credited to the balance.').waitFor();
  await look(page, 'cancellation preview');
  await pressInDialog(page, 'Back');
  await when.selectOption({ label: 'Immediately, no credit' });
  await pressInDialog(page, 'Review');
  await dialog.getByText('Nothing is due today. The subscription ends now').waitFor();
  await confirmDialog(page, 'Cancel subscription');
  await badge(page, 'canceled');
  await page.locator('.facts a[href*="/customers/"]').click();
  await heading(page, 'Ada Lovelace');
  const owed = page.locator('.figure', { hasText: 'Owes' });
  await owed.getByText('Nothing open').waitFor();
  await page.locator('.figure', { hasText: 'Paid' }).getByText('$29.00').waitFor();
  const feed = page.getByRole('list', { name: 'Activity' });
  await page.getByLabel('Show').selectOption({ label: 'Invoices and payments' });
  await feed
    .getByText(/Payment of \$29\.00 for INV-000001 failed: card declined/)
    .first()
    .waitFor();
  await feed.getByText('Paid $29.00 for INV-000001').waitFor();
  await expectAccessible(page);
  await takeScreenshot(page, 'dashboard customer');
  await press(page, 'Portal link');
  await page.locator('.dialog').getByRole('button', { name: 'Create link' }).click();
  const url = await page.getByRole('region', { name: 'portal link' }).textContent();
  expect((await fetch(url ?? '')).status).toBe(200);
}

testInChromium(
  'an operator changes a plan for the price of its preview, takes a downgrade back, pauses and resumes',
  async () => {
    const seats = { name: 'Seats', type: 'PER_UNIT', amount: 1900 };
    const subscribe = async (name: string, cardNumber: string) =>
      scene.subscribe(await scene.customer({ email: `${name}@example.com`, name }), {
        cardNumber,
        plan: seats,
        input: { quantity: 10 },
      });
    const { id } = await subscribe('Grace', numbers.good);
    const failing = await subscribe('Edsger', numbers.failsWhenSaved);
    await visit(browser, desktop, async (page) => {
      await signIn(page);
      await open(page, `/subscriptions/${String(id)}`);
      await upgrade(page, `/subscriptions/${String(id)}/changes`);
      await downgrade(page, String(id));
      await pauseAndResume(page);
      await discount(page, `/subscriptions/${String(id)}`);
      await open(page, `/subscriptions/${String(failing.id)}`);
      await askFor(page, { quantity: '12' });
      await pressInDialog(page, 'Charge $38.00 and change');
      await page.getByText('The payment failed: card declined. Nothing has changed.').waitFor();
      await look(page, 'change declined');
      await page.keyboard.press('Escape');
    });
    await visit(browser, { ...phone, colorScheme: 'dark' }, async (page) => {
      await signIn(page);
      await open(page, `/subscriptions/${String(id)}`);
      await askFor(page, { quantity: '20' });
      await page.getByText('is charged today').waitFor();
      await look(page, 'change preview on a phone in the dark');
      await page.keyboard.press('Escape');
      await press(page, 'Pause');
      await page.locator('.dialog').getByLabel('Resume (UTC)').waitFor();
      await look(page, 'pause on a phone in the dark');
    });
    expect(await scene.read(`/subscriptions/${String(failing.id)}`)).toMatchObject({
      quantity: 10,
      status: 'ACTIVE',
    });
  },
  timeoutMs,
);

testInChromium(
  'an operator changes each item of a subscription with several',
  async () => {
    const product = async (name: string, amount: number): Promise<string> =>
      (await scene.create('/products', { ...usd, type: 'PER_UNIT', name, amount })).id;
    const seats = await product('Seats of many', 1900);
    const support = await product('Support', 500);
    const training = await product('Training', 500);
    const premium = await product('Premium support', 700);
    const { id } = await scene.create('/subscriptions', {
      customerId: await scene.customer({ email: 'barbara@example.com', name: 'Barbara' }),
      items: [{ productId: seats, quantity: 10 }, { productId: support }, { productId: training }],
      authorizedTransactionId: authorization(numbers.good),
    });
    await visit(browser, desktop, async (page) => {
      const dialog = page.locator('.dialog');
      await signIn(page);
      await open(page, `/subscriptions/${String(id)}`);
      await askFor(page, { 'items.0.quantity': '11', 'items.2.quantity': '0' });
      const refused = dialog.locator('.field:has([name="items.2.quantity"]) .problem');
      await refused.waitFor();
      // The third item is now the second, and takes its problem along.
      await dialog.getByRole('button', { name: 'Remove item 2' }).click();
      const quantity = dialog.locator('.field:has([name="items.1.quantity"])');
      await quantity.locator('.problem').waitFor();
      expect(await dialog.locator('.problem').count()).toBe(1);
      await quantity.locator('input').fill('3');
      const picker = dialog.locator('.field:has(> input[name="items.1.productId"]) > .picker');
      await pick(page, picker, 'Premium support');
      await look(page, 'change of several items');
      await pressInDialog(page, 'Review price');
      await dialog.getByText('$30.00 is charged today. The change takes effect now.').waitFor();
      await look(page, 'preview of a change of several items');
      await confirmDialog(page, 'Charge $30.00 and change');
    });
    expect(await scene.read(`/subscriptions/${String(id)}`)).toMatchObject({
      items: [
        { productId: seats, quantity: 11 },
        { productId: premium, quantity: 3 },
      ],
    });
  },
  timeoutMs,
);

/** Opens the dialog of a change, fills it in, and asks for the price. */
async function askFor(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  await press(page, 'Change plan');
  const dialog = page.locator('.dialog');
  for (const [name, value] of Object.entries(fields)) {
    await dialog.locator(`[name="${name}"]`).fill(value);
  }
  await pressInDialog(page, 'Review price');
}

/** The price of a preview that has become stale is shown again, and then charged. */
async function upgrade(page: Page, changes: string): Promise<void> {
  const dialog = page.locator('.dialog');
  await askFor(page, { quantity: '0' });
  await dialog.locator('.problem').first().waitFor();
  await look(page, 'change refused');
  await dialog.locator('[name=quantity]').fill('12');
  await look(page, 'change of a plan');
  await pressInDialog(page, 'Review price');
  await dialog.getByText('$38.00 is charged today. The change takes effect now.').waitFor();
  await dialog.getByText('Next invoice on Feb 28, 2026').waitFor();
  await look(page, 'change preview');
  await scene.create(changes, { quantity: 11 });
  await pressInDialog(page, 'Charge $38.00 and change');
  const stale = dialog.locator('.notice');
  await stale.waitFor();
  expect(await stale.textContent()).toMatch(
    /^The price has changed since you looked: the subscription has changed\b.* Please review again\.$/,
  );
  await look(page, 'change preview stale');
  await confirmDialog(page, 'Charge $19.00 and change');
  await page.locator('.facts').getByText('12', { exact: true }).waitFor();
  expect(await scene.read(changes)).toMatchObject({
    data: [
      { status: 'APPLIED', to: { items: [{ quantity: 12 }] } },
      { status: 'APPLIED', to: { items: [{ quantity: 11 }] } },
    ],
  });
}

/** A pause gives nothing back by default, and its end begins a new period. */
async function pauseAndResume(page: Page): Promise<void> {
  const dialog = page.locator('.dialog');
  await press(page, 'Pause');
  await dialog.locator('[name="when"]').selectOption({ label: 'Now' });
  await look(page, 'pause');
  await pressInDialog(page, 'Review');
  await dialog.getByText('Nothing is due today. The pause begins now.').waitFor();
  await look(page, 'pause preview');
  await confirmDialog(page, 'Pause now');
  await badge(page, 'Paused');
  await look(page, 'paused subscription');
  await press(page, 'Resume');
  await pressInDialog(page, 'Review price');
  await dialog.getByText('$228.00 is charged today.').waitFor();
  await look(page, 'resume preview');
  await confirmDialog(page, 'Charge $228.00 and resume');
  await badge(page, 'Active');
}

/** A discount counts from the next period on, so nothing is charged for it. */
async function discount(page: Page, path: string): Promise<void> {
  const half = { name: 'Friends', type: 'PERCENTAGE', value: 50, duration: 'FOREVER' };
  const { id: discountId } = await scene.create('/discounts', half);
  const dialog = page.locator('.dialog');
  await press(page, 'Change plan');
  const picker = dialog.locator('.field:has(> input[name="discountId"]) > .picker');
  await pick(page, picker, 'Friends');
  await look(page, 'change of a discount');
  await pressInDialog(page, 'Review price');
  await dialog.getByText('Nothing is due today. The change takes effect now.').waitFor();
  await dialog.getByText('−$114.00').waitFor();
  await look(page, 'discount preview');
  await confirmDialog(page, 'Change now');
  await page.locator('.facts').getByRole('link', { name: 'Friends' }).waitFor();
  expect(await scene.read(path)).toMatchObject({ discountId, quantity: 12 });
}

async function downgrade(page: Page, id: string): Promise<void> {
  await askFor(page, { quantity: '5' });
  await page.locator('.dialog').getByText('Nothing is due today.').waitFor();
  await look(page, 'downgrade preview');
  await confirmDialog(page, 'Schedule change');
  const waiting = page.locator('.panel', { hasText: 'Scheduled change' });
  await waiting.getByText('5 × $19.00 / unit / month').waitFor();
  await page.locator('summary', { hasText: 'Show as table' }).first().click();
  await page.getByText(/Changed from 11 × .* to 12 × /).waitFor();
  await page.getByText(/Change to 5 × .* scheduled for Feb 28, 2026/).waitFor();
  await look(page, 'scheduled change');
  await fillIn(page, { opener: 'Take back', confirm: 'Take back change' });
  await waiting.waitFor({ state: 'detached' });
  await page.getByText(/Change to 5 × .* canceled/).waitFor();
  expect(await scene.read(`/subscriptions/${id}`)).toMatchObject({
    quantity: 12,
    pendingChange: null,
  });
}
