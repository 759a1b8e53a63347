import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '@billing/chassis/testing';
import { desktop, phone, visit } from '../support/browser-visit';
import { ensureChromium } from '../support/chromium';
import type { PortalScene } from '../support/portal-scene';
import { DashboardScene } from './dashboard-scene';
import {
  confirmDialog,
  fillIn,
  heading,
  look,
  press,
  recordMessages,
  untilMessage,
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

/** A one-off invoice of 34.51 USD that the customer pays by bank transfer. */
async function sentInvoice(customerId: string): Promise<string> {
  const lines = [
    { description: 'Installation', amount: 3_000 },
    { description: 'Travel', amount: 451 },
  ];
  const terms = { collectionMethod: 'SEND_INVOICE', finalize: true };
  return (await scene.create('/invoices', { customerId, currency: 'USD', lines, ...terms })).id;
}

testInChromium(
  'an operator records a payment, credits an invoice after a look at the split, and writes one off',
  async () => {
    const customerId = await scene.customer({ name: 'Eve' });
    const invoiceId = await sentInvoice(customerId);
    await visit(browser, desktop, async (page) => {
      await signIn(page);
      await open(page, `/invoices/${invoiceId}`);
      const paid = { method: 'Bank transfer', amount: '20', reference: 'Statement 7' };
      await fillIn(page, { opener: 'Record payment', confirm: 'Record $20.00', fields: paid });
      const payments = page.getByRole('region', { name: 'Payments' });
      await payments.getByRole('cell', { name: 'Statement 7' }).waitFor();
      await credit(page);
      await badge(page, 'paid');
      const notes = page.getByRole('region', { name: 'Credit notes' });
      await notes.getByText('$14.51 off what was owed, $9.99 to the balance').waitFor();
      await look(page, 'credited invoice');
      await notes.getByRole('link', { name: /^CN-/ }).click();
      await heading(page, /^CN-/);
      const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'PDF')]);
      expect(download.suggestedFilename()).toMatch(/^CN-\d{6}\.pdf$/);
      await look(page, 'credit note');
      await open(page, `/customers/${customerId}`);
      const ledger = page.getByRole('region', { name: 'Balance entries' });
      await ledger.getByText('$9.99 added to the balance').waitFor();
      await ledger.getByRole('link', { name: /^CN-\d{6}$/ }).waitFor();
      await ledger.getByRole('link', { name: /^INV-\d{6}$/ }).waitFor();
      await open(page, `/invoices/${await sentInvoice(customerId)}`);
      await fillIn(page, { opener: 'Mark uncollectible', confirm: 'Write off $24.52' });
      await badge(page, 'uncollectible');
      await fillIn(page, { opener: 'Record payment', confirm: 'Record $24.52' });
      await badge(page, 'paid');
    });
  },
  timeoutMs,
);

/** Credits two lines; the dialog says where the money goes before it is sent. */
async function credit(page: Page): Promise<void> {
  await press(page, 'Credit note');
  const dialog = page.locator('.dialog');
  const split = dialog.locator('.split');
  await split.getByText('Off what is owed').waitFor();
  await dialog.getByLabel('Credit', { exact: true }).selectOption({ label: 'An amount' });
  await dialog.getByText('Enter an amount').waitFor();
  await dialog.locator('[name=amount]').fill('34.52');
  await dialog.getByRole('button', { name: 'Credit', exact: true }).click();
  await dialog.getByText('More than what is left').waitFor();
  await dialog.getByLabel('Credit', { exact: true }).selectOption({ label: 'Chosen lines' });
  await dialog.getByRole('checkbox', { name: /^Travel/ }).check();
  await dialog.getByRole('checkbox', { name: /^Installation/ }).check();
  await dialog.getByLabel('Amount for Installation').fill('19.99');
  await dialog.getByLabel('Return what is paid').selectOption({ label: 'To the card' });
  await dialog.getByText('Only $0.00 came by card.').waitFor();
  await dialog.getByLabel('Return what is paid').selectOption({ index: 0 });
  await eventually(async () => {
    const amounts = await split.locator('dd').allTextContents();
    expect(amounts).toEqual(['$24.50', '$14.51', '$9.99']);
  });
  await look(page, 'credit note with split');
  await confirmDialog(page, 'Credit $24.50');
}

testInChromium.each([
  ['on a desk', { viewport: { width: 1440, height: 900 } }],
  ['in the dark on a phone', { ...phone, colorScheme: 'dark' as const }],
])(
  'a refund that failed waits on the refunds page and is settled in another way %s',
  async (name, looking) => {
    const customerId = await scene.customer({ name: 'Finn' });
    // Refunds to this card fail.
    const cardNumber = '4000000000005134';
    const { latestInvoiceId } = await scene.subscribe(customerId, { cardNumber });
    await visit(browser, looking, async (page) => {
      await signIn(page);
      await open(page, `/invoices/${String(latestInvoiceId)}`);
      const fields = { settle: 'To the card', reason: 'Goodwill' };
      await fillIn(page, { opener: 'Credit note', confirm: 'Credit $29.00', fields });
      const refunds = page.getByRole('region', { name: 'Refunds' });
      await refunds.getByText('Failed: refund declined').waitFor();
      await look(page, `invoice with a failed refund ${name}`);
      await open(page, '/refunds');
      const failed = page.getByRole('region', { name: 'Failed refunds' });
      await failed.getByRole('link', { name: 'Finn' }).waitFor();
      await look(page, `refunds ${name}`);
      const settled = { to: 'Add it to the customer’s balance' };
      await fillIn(page, { opener: 'Settle', confirm: 'Add $29.00', fields: settled });
      await failed.waitFor({ state: 'detached' });
      await page.getByText('Added to the balance').first().waitFor();
      for (const path of ['/credit-notes', '/disputes', '/dunning']) {
        await open(page, path);
        await look(page, `${path.slice(1)} ${name}`);
      }
    });
    const { data } = await scene.read(`/balances?customerId=${customerId}`);
    expect(data).toMatchObject([{ currency: 'USD', balance: 2_900 }]);
  },
  timeoutMs,
);

testInChromium(
  'an operator sets up seller and tax, and invoices anything from a draft to its payment',
  async () => {
    const her = { name: 'Gina', address: { country: 'DE' }, currency: 'EUR' };
    const customerId = await scene.customer(her);
    await visit(browser, { viewport: { width: 1440, height: 900 } }, async (page) => {
      await recordMessages(page);
      await signIn(page);
      await setUpSeller(page);
      await setUpTax(page);
      await open(page, '/invoices');
      const line = { 'lines.0.description': 'Training', 'lines.0.unitAmount': '29.00' };
      // The currency is that of the customer.
      const fields = { customerId: 'Gina', ...line, memo: 'Thank you' };
      await fillIn(page, { opener: 'New invoice', confirm: 'Create draft', fields });
      await heading(page, /^Draft /);
      await press(page, 'Edit');
      await page.locator('.dialog').getByRole('button', { name: 'Add line' }).click();
      await page.getByLabel('Line 2: description').fill('Rebate');
      await page.getByLabel('Line 2: unit price').fill('-x');
      await page.locator('.dialog').getByRole('button', { name: 'Save' }).click();
      await page.locator('.dialog .problem').first().waitFor();
      await look(page, 'draft refused');
      await page.getByLabel('Line 2: unit price').fill('-1.00');
      await page.getByLabel('Line 1: tax category').fill('ebook');
      await look(page, 'draft with a tax category');
      await confirmDialog(page, 'Save');
      await page.locator('.sums').getByText('€29.84').first().waitFor();
      await fillIn(page, {
        ...{ opener: 'Edit', confirm: 'Save' },
        fields: { 'lines.0.taxCategory': '' },
      });
      await page.locator('.sums').getByText('€33.32').first().waitFor();
      await look(page, 'draft');
      await fillIn(page, { opener: 'Finalize', confirm: 'Invoice €33.32' });
      await heading(page, /^ADA-/);
      await page.getByText('VAT 19% (DE) on €28.00').waitFor();
      await fillIn(page, { opener: 'Record payment', confirm: 'Record €33.32' });
      await badge(page, 'paid');
      await look(page, 'one-off invoice');
      await downloadEInvoice(page);
      await open(page, '/tax-report');
      await page.getByRole('cell', { name: '€5.32' }).waitFor();
      await look(page, 'tax report');
      await open(page, '/payments?currency=EUR');
      await page.getByRole('cell', { name: '€33.32' }).first().waitFor();
      await look(page, 'payments');
    });
    await visit(browser, { ...phone, colorScheme: 'dark' }, async (page) => {
      await signIn(page);
      for (const path of ['/settings/seller', '/settings/tax', '/tax-report', '/payments']) {
        await open(page, path);
        await look(page, `${path.slice(1).replace('/', ' ')} in the dark on a phone`);
      }
    });
    const { data } = await scene.read(`/invoices?customerId=${customerId}`);
    expect(data).toMatchObject([{ status: 'PAID', total: 3_332, tax: 532, memo: 'Thank you' }]);
  },
  timeoutMs,
);

async function downloadEInvoice(page: Page): Promise<void> {
  const form = { form: 'Factur-X (PDF)' };
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    fillIn(page, { opener: 'E-invoice', confirm: 'Download', fields: form }),
  ]);
  expect(file.suggestedFilename()).toMatch(/^ADA-\d{6}\.pdf$/);
}

const logo = join(__dirname, '../../services/checkout/vectors/logos/rgb.png');

async function setUpSeller(page: Page): Promise<void> {
  await open(page, '/settings/seller');
  await page.getByLabel('Legal name').fill('Ada GmbH');
  await page.getByLabel('Country').fill('DE');
  await press(page, 'Add tax id');
  await page.getByLabel('Tax id 1', { exact: true }).fill('DE136695978');
  await page.getByLabel('Account holder').fill('Ada GmbH');
  await page.getByLabel('IBAN').fill('DE89 3704 0044 0532 0130 00');
  await page.getByLabel('Number prefix').fill('ADA-');
  await page.getByLabel('Logo').setInputFiles(logo);
  await press(page, 'Save');
  await page.locator('.problem', { hasText: 'Invalid EU VAT id' }).waitFor();
  await look(page, 'seller refused');
  await page.getByLabel('Tax id 1', { exact: true }).fill('DE136695976');
  await press(page, 'Save');
  await page.getByRole('img', { name: 'Current logo' }).waitFor();
  await look(page, 'settings seller');
  const [sample] = await Promise.all([page.waitForEvent('download'), press(page, 'Sample PDF')]);
  expect(sample.suggestedFilename()).toBe('sample-invoice.pdf');
}

async function setUpTax(page: Page): Promise<void> {
  await open(page, '/settings/tax');
  await page.getByLabel('Prices').selectOption({ label: 'Prices exclude tax: it is added' });
  await page.getByLabel('Registrations').fill('FR');
  await press(page, 'Save');
  await page.getByText('registrations must contain DE').waitFor();
  await page.getByLabel('Registrations').fill('DE, EU');
  await press(page, 'Save');
  await untilMessage(page, 'Tax settings saved');
  await page.getByText('Shipped, not checked').first().waitFor();
  const rate = { country: 'DE', category: 'ebook', percent: '7', name: 'Books' };
  await fillIn(page, { opener: 'New tax rate', confirm: 'Create tax rate', fields: rate });
  const row = page.getByRole('row', { name: /ebook/ });
  await row.getByText('Your own').waitFor();
  await fillIn(page, { opener: 'Edit', confirm: 'Save', fields: { validTo: '2027-01-01' } });
  await row.getByText('Jan 1, 2027').waitFor();
  await look(page, 'settings tax');
}

testInChromium(
  'an operator reads an email, records its bounce, and changes the text of the next one',
  async () => {
    const image = readFileSync(logo).toString('base64');
    const seller = {
      legalName: 'Ada GmbH',
      address: { line1: 'Weg 1', city: 'Bonn', country: 'DE' },
      logo: `data:image/png;base64,${image}`,
    };
    await scene.api.expect(200, scene.api.request('PATCH', '/seller', { body: seller }));
    const customerId = await scene.customer({ name: 'Mia', email: 'mia@example.com' });
    const invoiceId = await sentInvoice(customerId);
    let address = '';
    await visit(browser, desktop, async (page) => {
      await signIn(page);
      await open(page, `/invoices/${invoiceId}`);
      await press(page, 'Email invoice');
      await confirmDialog(page, 'Email invoice');
      const emails = page.getByRole('region', { name: 'Emails' });
      await emails.getByText('mia@example.com').first().waitFor();
      await emails.getByRole('link').first().click();
      const frame = page.frameLocator('.email-frame');
      const button = frame.getByRole('link', { name: 'View and pay the invoice' });
      await button.waitFor();
      const padding = await page.evaluate(
        "getComputedStyle(document.querySelector('.email-frame').contentDocument.querySelector('a')).paddingLeft",
      );
      expect(padding).toBe('20px');
      await eventually(async () => {
        const image = await frame.getByAltText('Ada GmbH').evaluate(
          // Its width in pixels: 0 until it is loaded.
          (element) => (element as unknown as { naturalWidth: number }).naturalWidth,
        );
        expect(image).toBeGreaterThan(0);
      });
      await look(page, 'email');
      address = new URL(page.url()).pathname.replace(/.*(?=\/emails\/)/, '');
      const attachments = page.getByRole('region', { name: 'Attachments' });
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        attachments.getByRole('button', { name: 'Download' }).click(),
      ]);
      expect(file.suggestedFilename()).toMatch(/^[\w-]+\.pdf$/);
      expect(
        readFileSync(await file.path())
          .subarray(0, 5)
          .toString(),
      ).toBe('%PDF-');
      await press(page, 'Record bounce');
      await confirmDialog(page, 'Record bounce');
      await badge(page, 'bounced');
      await open(page, '/emails');
      await page.getByRole('cell', { name: 'mia@example.com', exact: true }).first().waitFor();
      await look(page, 'emails');
      await open(page, '/developers/inbox');
      await look(page, 'inbox');
      await open(page, '/settings/email');
      await page.getByRole('group', { name: 'Attach PDF' }).getByLabel('Receipt').uncheck();
      await look(page, 'email settings');
      await press(page, 'Save');
      await eventually(async () => {
        const { kinds } = await scene.read('/email-settings');
        expect([kinds.RECEIPT.attachPdf, kinds.INVOICE_ISSUED.attachPdf]).toEqual([false, true]);
      });
      await page.getByRole('link', { name: 'Invoice', exact: true }).click();
      await page.getByLabel('Subject').fill('Your bill {{x}}');
      await press(page, 'Save');
      await page.getByText('Unknown variable: x').first().waitFor();
      await page.getByLabel('Subject').fill('Your bill {{invoice.number}}');
      await press(page, 'Save');
      await page.getByText('Changed text').waitFor();
      await page.getByText('Your bill INV-000001').waitFor();
      await look(page, 'email text');
    });
    await visit(browser, { ...phone, colorScheme: 'dark' }, async (page) => {
      await signIn(page);
      await open(page, '/settings/email/RECEIPT/de');
      await page.frameLocator('.email-frame').getByRole('heading').waitFor();
      await look(page, 'email text on a phone in the dark');
      await open(page, address);
      await page.frameLocator('.email-frame').getByAltText('Ada GmbH').waitFor();
      await look(page, 'email on a phone in the dark');
    });
  },
  timeoutMs,
);

testInChromium(
  'an operator downloads chosen resources as an archive',
  async () => {
    await scene.customer({ name: 'Zoe' });
    await visit(browser, desktop, async (page) => {
      await signIn(page);
      await open(page, '/export');
      await page.getByRole('group', { name: 'Resources' }).getByLabel('Customers').check();
      const [archive] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);
      expect(archive.suggestedFilename()).toBe('export.zip');
      const bytes = readFileSync(await archive.path());
      // The signature of a ZIP file; names of its files are not compressed.
      expect(bytes.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004');
      for (const name of ['customers.csv', 'manifest.json'])
        expect(bytes.includes(name)).toBe(true);
      expect(bytes.includes('invoices.csv')).toBe(false);
      await look(page, 'export');
    });
    await visit(browser, { ...phone, colorScheme: 'dark' }, async (page) => {
      await signIn(page);
      await open(page, '/export');
      await look(page, 'export on a phone in the dark');
    });
  },
  timeoutMs,
);
