import type { Locator, Page } from 'playwright-core';
import { expectToFit, takeScreenshot } from '../support/browser-visit';
import type { PortalScene } from '../support/portal-scene';
import { expectReachable, type Hands, type Way } from './hands';

/** A walk of a payer through public pages, by one kind of input alone. */
export class PayerWalk {
  readonly hands: Hands;

  constructor(
    readonly page: Page,
    private readonly way: Way,
  ) {
    this.hands = way.handsOf(page);
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', {
      name,
      ...(typeof name === 'string' && { exact: true }),
    });
  }

  link(name: string | RegExp): Locator {
    return this.page.getByRole('link', { name, ...(typeof name === 'string' && { exact: true }) });
  }

  field(label: string): Locator {
    return this.page.getByLabel(label);
  }

  async heading(name: string | RegExp): Promise<void> {
    await this.page.getByRole('heading', { name }).first().waitFor();
  }

  async text(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  async typeCard(number: string): Promise<void> {
    await this.hands.type(this.field('Card number'), number);
    await this.hands.type(this.field('Expires'), '1234');
    await this.hands.type(this.field('Security code'), '123');
  }

  async look(name: string): Promise<void> {
    await expectToFit(this.page);
    await expectReachable(this.page, this.way);
    await takeScreenshot(this.page, `${name} ${this.way.name}`);
  }
}

/** A payer types a code, is refused, answers their bank, and pays an invoice later. */
export async function walkAsPayer(
  walk: PayerWalk,
  { checkoutUrl, hostedUrl, code }: { checkoutUrl: string; hostedUrl: string; code: string },
): Promise<void> {
  const { page, hands } = walk;
  await page.goto(checkoutUrl);
  await walk.text('$29.00 due today');
  await hands.press(page.getByText('Add a discount code'));
  await hands.type(walk.field('Discount code'), 'WRONG');
  await hands.send(walk.button('Apply'));
  await walk.text('This code is not valid.');
  await walk.look('wrong code');
  await hands.type(walk.field('Discount code'), code);
  await hands.send(walk.button('Apply'));
  await walk.text('$14.50 due today');

  await walk.typeCard('4000000000000002');
  await walk.look('typed card');
  await hands.send(walk.button('Pay $14.50'));
  await walk.text('Your card was declined');
  await walk.typeCard('4000002500003155');
  await hands.send(walk.button('Pay $14.50'));
  await walk.heading('Confirm your payment');
  await walk.look('challenge');
  await hands.press(walk.button('Approve'));
  await walk.heading('Thank you');
  await walk.look('paid session');

  await page.goto(hostedUrl);
  await hands.press(page.getByText('Show calculation'));
  await walk.look('invoice');
  await walk.typeCard('4242424242424242');
  await hands.send(walk.button('Pay $100.00'));
  await walk.text('This invoice is paid');
  await walk.look('paid invoice');
}

/** A session whose discount code halves it, and an open invoice of tiers. */
export async function payerPages(scene: PortalScene, code: string) {
  const half = { name: 'Half', code, type: 'PERCENTAGE', value: 50, duration: 'ONCE' };
  await scene.create('/discounts', half);
  const price = { currency: 'usd', billingInterval: 'MONTHLY' };
  const pro = await scene.create('/products', {
    ...price,
    name: 'Pro',
    type: 'FLAT',
    amount: 2900,
  });
  const tiers = [
    { upTo: '10', unitAmount: '500' },
    { upTo: null, unitAmount: '400', flatAmount: '1000' },
  ];
  const seats = await scene.create('/products', {
    ...price,
    name: 'Seats',
    type: 'TIERED',
    amount: 0,
    tiers,
  });
  const session = { productId: pro.id, allowDiscountCodes: true };
  const customerId = await scene.customer();
  const { checkoutUrl } = await scene.create('/checkout', { customerId, ...session });
  // Of another customer: a card that is saved pays what its customer owes.
  const bought = { customerId: await scene.customer(), productId: seats.id, quantity: 20 };
  const { latestInvoiceId } = await scene.create('/subscriptions', bought);
  const { hostedUrl } = await scene.read(`/invoices/${String(latestInvoiceId)}`);
  return { checkoutUrl: String(checkoutUrl), hostedUrl: String(hostedUrl), code };
}
