import { numbers, type PortalScene } from '../support/portal-scene';
import type { OperatorWalk } from './operator-walk';

/** A merchant prices a product, sells it to a customer, changes the plan and returns money. */
export async function walkAsMerchant(walk: OperatorWalk, scene: PortalScene): Promise<void> {
  await priceProduct(walk);
  await offerDiscount(walk);
  await subscribeCustomer(walk);
  await settleInvoice(walk);
  await changePlan(walk);
  await collectDebt(walk, scene);
}

async function priceProduct(walk: OperatorWalk): Promise<void> {
  const { page, hands } = walk;
  await walk.open('Usage');
  await walk.inDialog('New meter', async () => {
    await hands.type(walk.field('Name'), 'API calls');
    await hands.choose(walk.field('Aggregation'), 'Largest quantity');
    await walk.confirm('Create meter');
  });
  await page.getByRole('cell', { name: 'API calls' }).waitFor();

  await walk.open('Products');
  await walk.inDialog('New product', async () => {
    await hands.type(walk.field('Name'), 'Team');
    await hands.choose(walk.field('Pricing model'), 'Graduated tiers');
    await walk.confirm('Add tier');
    await hands.type(walk.field('Tier 1: to'), '20');
    await hands.type(walk.field('Tier 2: to'), '50');
    await hands.type(walk.field('Tier 2: price per unit'), '3.00');
    await walk.confirm('Remove tier 2');
    await hands.choose(walk.field('Billing period'), 'Years');
    await hands.choose(walk.field('Billing period'), 'Months');
    await walk.look('new tiers');
    await walk.confirm('Create product');
  });
  await hands.press(page.locator('main').getByRole('link', { name: 'Team', exact: true }));
  await walk.heading('Team');
  await walk.inDialog('Add usage price', async () => {
    await hands.type(walk.field('Price per unit'), '0.005');
    await walk.look('new usage price');
    await walk.send('Save price');
  });
  await page.getByRole('row', { name: /API calls/ }).waitFor();
  await walk.look('product');
}

async function offerDiscount(walk: OperatorWalk): Promise<void> {
  const { page, hands } = walk;
  await walk.open('Discounts');
  await walk.inDialog('New discount', async () => {
    await hands.type(walk.field('Name'), 'Spring');
    await hands.type(walk.field('Percent'), '10');
    await hands.choose(walk.field('Duration'), 'Several months');
    await hands.type(walk.field('Number of months'), '3');
    await walk.look('new discount');
    await walk.send('Create discount');
  });
  await page.getByRole('link', { name: 'Spring' }).first().waitFor();
}

async function subscribeCustomer(walk: OperatorWalk): Promise<void> {
  const { page, hands } = walk;
  await walk.open('Customers');
  await walk.openDialog('New customer');
  await hands.type(walk.field('Email'), 'grace@example.com');
  await hands.type(walk.field('Name'), 'Grace Hopper');
  await hands.choose(walk.field('Collection'), 'Send invoice');
  await walk.look('new customer');
  await walk.confirm('Create customer');
  await walk.heading('Grace Hopper');
  await walk.look('customer');

  await walk.openDialog('New subscription');
  await hands.pick(walk.dialog.getByRole('combobox', { name: /^Product/ }), 'Team');
  await hands.type(walk.field('Quantity'), '12');
  await hands.pick(walk.dialog.getByRole('combobox', { name: /^Discount/ }), 'Spring');
  await walk.look('new subscription');
  await walk.confirm('Review price');
  await page.getByText('$54.00').first().waitFor();
  await walk.look('reviewed subscription');
  await walk.confirm('Create subscription');
  await walk.heading('Subscription of Grace Hopper');
}

/** Records a bank transfer, and credits a part of it. */
async function settleInvoice(walk: OperatorWalk): Promise<void> {
  const { page, hands } = walk;
  await hands.press(page.getByRole('table').getByRole('link', { name: /^INV-/ }).first());
  await walk.heading(/^INV-/);
  await walk.inDialog('Record payment', async () => {
    await hands.type(walk.field('Reference'), 'Statement 7');
    await walk.look('new payment');
    await walk.send('Record $54.00');
  });
  await page.locator('.badge', { hasText: 'paid' }).first().waitFor();
  await walk.button('Record payment').waitFor({ state: 'detached' });
  await page.locator('main:focus').waitFor();
  await walk.inDialog('Credit note', async () => {
    await hands.choose(walk.field('Credit'), 'An amount');
    await hands.type(walk.field('Amount in USD, with tax'), '4');
    await hands.choose(walk.field('Reason'), 'Goodwill');
    await walk.look('new credit note');
    await walk.confirm('Credit $4.00');
  });
  await page.getByRole('link', { name: /^CN-/ }).first().waitFor();
  await walk.look('credited invoice');
}

async function changePlan(walk: OperatorWalk): Promise<void> {
  const { page, hands } = walk;
  await walk.open('Subscriptions');
  await hands.press(page.getByRole('table').getByRole('link', { name: 'Grace Hopper' }).first());
  await walk.heading('Subscription of Grace Hopper');
  await walk.inDialog('Change plan', async () => {
    await hands.type(walk.field('Quantity'), '13');
    await walk.send('Review price');
    await walk.look('reviewed change');
    await walk.confirm('Back');
    await hands.type(walk.field('Quantity'), '12');
    await walk.confirm('Cancel');
  });
  await walk.inDialog('Cancel', async () => {
    await hands.choose(walk.field('When'), 'Immediately, no credit');
    await hands.press(walk.field('When'));
    await walk.confirm('Keep subscription');
  });
  await walk.look('subscription');
}

/** Charges the card of a late payer again, from the list of what is at risk, and gives up. */
async function collectDebt(walk: OperatorWalk, scene: PortalScene): Promise<void> {
  const { page } = walk;
  const customerId = await scene.customer({ email: 'late@example.com', name: 'Late Payer' });
  await scene.subscribe(customerId, { cardNumber: numbers.declined });
  await walk.open('Dunning');
  await page.getByRole('link', { name: 'Late Payer' }).waitFor();
  const failures = page.locator('td[data-title="Failures"]');
  expect(await failures.allTextContents()).toEqual(['1']);
  await walk.look('dunning');
  await walk.inDialog('Charge now', () => walk.confirm('Charge $29.00'));
  await failures.filter({ hasText: '2' }).waitFor();
  await walk.openDialog('Void');
  await walk.confirm('Void invoice');
  await page.getByText('No invoices at risk').waitFor();
}
