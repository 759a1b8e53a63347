import type { Browser, Page } from 'playwright-core';
import {
  expectAccessible,
  expectToFit,
  phone,
  takeScreenshot,
  typeCard,
  visit,
} from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { PortalScene } from '../support/portal-scene';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 600_000;

let system: TestSystem;
let scene: PortalScene;
let browser: Browser;

beforeAll(async () => {
  if (program === undefined) return;
  system = await joinTestSystem();
  scene = await PortalScene.begin(system);
  const body = {
    legalName: 'Ada GmbH',
    address: { line1: 'Hauptstr. 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
    taxIds: [{ type: 'EU_VAT', value: 'DE136695976' }],
    tax: { prices: 'EXCLUDE_TAX', registrations: ['DE', 'EU'] },
  };
  await scene.api.expect(200, scene.api.request('PATCH', '/seller', { body }));
  browser = await launchChromium(program);
}, timeoutMs);

afterAll(async () => {
  if (program === undefined) return;
  await browser.close();
});

describe.each([
  ['on a desk', { viewport: { width: 1440, height: 900 } }],
  [
    'on a phone in the dark',
    { ...phone, viewport: { width: 390, height: 844 }, colorScheme: 'dark' as const },
  ],
])('%s', (looking, options) => {
  const look = async (page: Page, name: string) => {
    await expectToFit(page);
    await expectAccessible(page);
    await takeScreenshot(page, `${name}-${looking}`);
  };

  testInChromium(
    'a checkout asks for the country, turns to reverse charge, and charges no total that has changed (needs Chromium)',
    async () => {
      const customerId = await scene.customer({ name: null });
      const price = { type: 'FLAT', currency: 'EUR', amount: 2900, billingInterval: 'MONTHLY' };
      const { id: productId } = await scene.create('/products', { name: 'Pro', ...price });
      const { checkoutUrl, invoice } = await scene.create('/checkout', { customerId, productId });
      await visit(browser, options, async (page, context) => {
        await page.goto(String(checkoutUrl));
        await page.getByText('The tax depends on where you are based.').waitFor();
        expect(await page.locator('[autocomplete=cc-number]').count()).toBe(0);
        await look(page, 'taxed-country');
        await page.getByRole('combobox', { name: 'Country' }).selectOption('France');
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByText('VAT 20% on €29.00').waitFor();
        await look(page, 'taxed-france');

        // The total changes in another tab.
        const tab = await context.newPage();
        await tab.goto(String(checkoutUrl));
        await tab.getByText('Add a VAT or tax id').click();
        await tab.getByLabel('VAT or tax id').fill('FR40303265045');
        await tab.getByRole('button', { name: 'Update the total' }).click();
        await tab.getByText('Reverse charge, Art. 196 Directive 2006/112/EC').waitFor();
        await tab.getByRole('button', { name: 'Pay €29.00' }).waitFor();
        await look(tab, 'taxed-reverse-charge');
        await tab.close();

        await typeCard(page, '4242 4242 4242 4242');
        await page.getByRole('button', { name: 'Pay €34.80' }).click();
        await page.getByText('The total has changed.').waitFor();
        await look(page, 'taxed-total-changed');
        const path = `/invoices/${String(invoice.id)}`;
        expect(await scene.read(path)).toMatchObject({ status: 'OPEN', total: 2900, payments: [] });
        await typeCard(page, '4242 4242 4242 4242');
        await page.getByRole('button', { name: 'Pay €29.00' }).click();
        await page.getByText('Reverse charge').first().waitFor();
        await page.getByRole('button', { name: 'Pay €29.00' }).waitFor({ state: 'detached' });
        await look(page, 'taxed-paid');
        expect(await scene.read(path)).toMatchObject({ status: 'PAID', amountPaid: 2900 });
      });
    },
    timeoutMs,
  );

  testInChromium(
    'the portal shows an invoice with its tax and its credit notes (needs Chromium)',
    async () => {
      const address = { country: 'DE' };
      const customerId = await scene.customer({ name: 'Ada Lovelace', address });
      const plan = { name: 'Team', currency: 'eur', amount: 2900 };
      const { latestInvoiceId: invoiceId } = await scene.subscribe(customerId, { plan });
      const note = { invoiceId, reason: 'SERVICE', memo: 'For the outage of Monday' };
      const kept = await scene.create('/credit-notes', { ...note, amount: 1_000 });
      await scene.create('/credit-notes', { ...note, amount: 500, settle: 'REFUND' });
      const { url } = await scene.create('/portal/sessions', { customerId });
      await visit(browser, options, async (page) => {
        await page.goto(String(url));
        await page.getByRole('button', { name: 'Open the portal' }).click();
        await page.getByText('Your balance is €10.00.').waitFor();
        await look(page, 'taxed-portal');
        await page.goto(new URL(`/portal/invoices/${String(invoiceId)}`, page.url()).href);
        await page.getByText('VAT 19% on €29.00').waitFor();
        await page.getByText('Added to your balance: €10.00').waitFor();
        await page.getByText('Refunded to your card: €5.00').waitFor();
        await page.getByRole('link', { name: `PDF of ${String(kept.number)}` }).waitFor();
        await look(page, 'taxed-portal-invoice');
        await page.getByRole('link', { name: String(kept.number), exact: true }).click();
        await page.getByText('Total credited').waitFor();
        await look(page, 'taxed-portal-credit-note');
        await page.goto(new URL('/portal/details', page.url()).href);
        await page.getByLabel('VAT or tax id').fill('DE123');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Invalid VAT or tax id').first().waitFor();
        await look(page, 'taxed-portal-details');
      });
    },
    timeoutMs,
  );
});
