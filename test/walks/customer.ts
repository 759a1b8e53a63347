import { eventually } from '@billing/chassis/testing';
import { type PortalScene, usd } from '../support/portal-scene';
import type { PayerWalk } from './payer';

/** A customer pays, changes card, address and plan, cancels, and changes their mind. */
export async function walkAsCustomer(walk: PayerWalk, url: string): Promise<void> {
  const { page, hands } = walk;
  await page.goto(url);
  await walk.look('portal link');
  await hands.press(walk.button('Open the portal'));
  await walk.heading('Ada Lovelace');
  await walk.look('portal overview');
  await payInvoice(walk);
  await changeCards(walk);
  await changeDetails(walk);
  await changePlans(walk);
  await leaveAndStay(walk);
  await hands.press(walk.button('Sign out'));
  await walk.heading('You are signed out');
}

async function payInvoice(walk: PayerWalk): Promise<void> {
  const { page, hands } = walk;
  await hands.press(walk.link(/^Pay of/));
  await hands.press(page.getByText('Pay with another card'));
  await walk.typeCard('4000002500003155');
  await walk.look('portal invoice');
  await hands.send(walk.button('Pay $70.00 with this card'));
  await walk.heading('Confirm your payment');
  await hands.press(walk.button('Approve'));
  await walk.text('This invoice is paid');
}

async function changeCards(walk: PayerWalk): Promise<void> {
  const { page, hands } = walk;
  await hands.press(walk.link('Payment methods'));
  await walk.heading('Payment methods');
  await walk.typeCard('5555555555554444');
  await hands.press(walk.field('Use as default'));
  await hands.send(walk.button('Save card'));
  await walk.text('The card was added.');
  await walk.look('portal cards');
  const card = page.getByRole('listitem').filter({ hasText: '4444' });
  await hands.press(card.getByRole('button', { name: /^Make default/ }));
  await card.getByText('Default', { exact: true }).waitFor();
}

async function changeDetails(walk: PayerWalk): Promise<void> {
  const { page, hands } = walk;
  await hands.press(walk.link(/^Contact details/));
  await hands.type(walk.field('City'), 'Bern');
  await hands.choose(walk.field('Country'), 'Switzerland');
  await hands.type(walk.field('Email'), 'not an address');
  await walk.look('portal details');
  await hands.press(walk.button('Save'));
  // The browser shows what is wrong at the field, which gets the focus.
  await walk.field('Email').and(page.locator(':focus:invalid')).waitFor();
  expect(await walk.field('Country').inputValue()).toBe('Switzerland');
  await walk.look('portal details refused');
  await hands.type(walk.field('Email'), 'ada@example.com');
  await hands.send(walk.button('Save'));
  await walk.text('Your details were saved.');
}

async function changePlans(walk: PayerWalk): Promise<void> {
  const { page, hands } = walk;
  await hands.press(walk.link('Overview'));
  await hands.press(walk.link('Change plan'));
  await walk.heading('Change your plan');
  await hands.press(page.getByRole('radio', { name: 'Large' }));
  await walk.look('portal plans');
  await hands.press(walk.button('Review change'));
  await walk.heading('Review your change');
  await walk.look('portal change');
  await hands.press(walk.button(/^Pay .* and change plan$/));
  await walk.text(/^Your (plan was changed|payment is being processed)/);
  // A busy machine changes the plan a moment later.
  await eventually(async () => {
    await hands.press(walk.link('Overview'));
    await page.getByRole('heading', { name: 'Large' }).waitFor({ timeout: 5_000 });
  });
}

async function leaveAndStay(walk: PayerWalk): Promise<void> {
  const { hands } = walk;
  await hands.press(walk.link('Cancel subscription'));
  await walk.heading(/^Cancel/);
  await walk.look('portal cancellation');
  await hands.press(walk.button('Cancel at the end of the period'));
  await walk.text('Your subscription will end');
  await hands.press(walk.button('Keep subscription'));
  await walk.text('Your subscription will renew as usual.');
  await hands.press(walk.link('Usage'));
  await walk.look('portal usage');
  await hands.press(walk.link('Invoices'));
  await walk.heading('Invoices');
  await walk.look('portal invoices');
}

/** Sign-in link of a customer with a plan, an open invoice, and a larger plan to change to. */
export async function customerPortal(scene: PortalScene): Promise<string> {
  const customerId = await scene.customer({ name: 'Ada Lovelace' });
  const product = { ...usd, amount: 1900 };
  const { id: large } = await scene.create('/products', {
    ...product,
    name: 'Large',
    amount: 4900,
  });
  const settings = { products: [large], quantity: false };
  await scene.api.expect(200, scene.api.request('PATCH', '/portal/settings', { body: settings }));
  await scene.subscribe(customerId, { plan: { ...product, name: 'Small' } });
  const lines = [{ description: 'Setup', amount: 7_000 }];
  const invoice = { customerId, lines, collectionMethod: 'SEND_INVOICE', finalize: true };
  await scene.create('/invoices', invoice);
  return String((await scene.create('/portal/sessions', { customerId })).url);
}
