import { eventually } from '@billing/chassis/testing';
import type { Browser, Page } from 'playwright-core';
import { desktop, visit } from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { newAddress, OperatorClient, password } from '../support/operator-client';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import { heading, look, press, pressInDialog } from './page-actions';
import { codeOf } from './totp-code';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const newPassword = 'another horse battery staple';
const unknown = { status: 503, json: { error: 'Service unavailable' } };

let system: TestSystem;
let owner: OperatorClient;
let browser: Browser;

beforeAll(async () => {
  system = await joinTestSystem();
  owner = await OperatorClient.owner(system, newAddress());
  if (program !== undefined) browser = await launchChromium(program);
});

afterAll(() => browser.close());

/** A write whose first answer is lost. */
interface LostAnswer {
  /** Idempotency keys of its attempts. */
  readonly keys: (string | undefined)[];
  /** Lets the second attempt through. */
  readonly release: () => void;
}

/** Loses the first answer of a write, after its effect. */
async function loseAnswer(page: Page, path: string): Promise<LostAnswer> {
  const keys: (string | undefined)[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  await page.route(`**/dashboard/api${path}`, async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    const isFirst = keys.length === 1;
    if (!isFirst) await released;
    const response = await route.fetch();
    await route.fulfill(isFirst ? unknown : { response });
  });
  return {
    keys,
    release: () => {
      release(undefined);
    },
  };
}

/**
 * Expects that a form says that it retries a write, and sends it with the same key. Without a name,
 * the form is not looked at, because a code in it is valid for a short time.
 */
async function seeRetry(page: Page, { keys, release }: LostAnswer, name?: string): Promise<void> {
  await page.getByRole('status').getByText('Trying again is safe. Retrying…').waitFor();
  if (name !== undefined) await look(page, `${name} retried`);
  release();
  await eventually(() => {
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
  });
}

async function invite(): Promise<{ email: string; link: string }> {
  const email = newAddress();
  const { body } = await owner.api('POST', '/operators', { email, role: 'DEVELOPER' });
  return { email, link: body.link as string };
}

const signIn = (email: string, typed: string, code?: string) =>
  new OperatorClient(system.gatewayUrl).api('POST', '/session', { email, password: typed, code });

testInChromium('a lost answer to an accepted invitation signs in after a retry', async () => {
  const { email, link } = await invite();
  await visit(browser, desktop, async (page) => {
    await page.goto(link);
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Password').fill(newPassword);
    const keys = await loseAnswer(page, '/invitations/accept');
    await press(page, 'Accept and sign in');
    await seeRetry(page, keys, 'invitation');
    await page.waitForURL('**/dashboard/live');
  });
  expect((await signIn(email, newPassword)).status).toBe(200);
});

testInChromium(
  'lost answers to a new password and to a reset link succeed after a retry',
  async () => {
    const { email, link } = await invite();
    const person = new OperatorClient(system.gatewayUrl);
    const { body: joined } = await person.accept(link, email);
    await visit(browser, desktop, async (page) => {
      await page.goto(`${system.gatewayUrl}/dashboard/live/account`);
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
      await heading(page, 'Your account');
      await page.getByLabel('Current password').fill(password);
      await page.getByLabel('New password').fill(newPassword);
      const changes = await loseAnswer(page, '/password');
      await press(page, 'Change password');
      await seeRetry(page, changes, 'password');
      await page.getByText('Password changed. All your other sessions').waitFor();

      const id = joined.operator.id as string;
      const reset = await owner.api('POST', `/operators/${id}/reset-link`, {});
      await page.goto(reset.body.url as string);
      await page.getByLabel('New password').fill(password);
      const uses = await loseAnswer(page, '/reset-links/use');
      await press(page, 'Set password');
      await seeRetry(page, uses, 'reset');
      await heading(page, 'Password changed');
    });
    expect((await signIn(email, password)).status).toBe(200);
  },
);

testInChromium('a lost answer to a new email address succeeds after a retry', async () => {
  const { email, link } = await invite();
  await new OperatorClient(system.gatewayUrl).accept(link, email);
  const changed = newAddress();
  await visit(browser, desktop, async (page) => {
    await page.goto(`${system.gatewayUrl}/dashboard/live/account`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await heading(page, 'Your account');
    await press(page, 'Change email');
    await page.locator('.dialog').getByLabel('New email').fill(changed);
    await page.locator('.dialog').getByLabel('Password').fill(password);
    const answers = await loseAnswer(page, '/operators/me/email');
    await pressInDialog(page, 'Change email');
    await seeRetry(page, answers, 'new email address');
    await page.getByText('Email changed').waitFor();
  });
  expect((await signIn(changed, password)).status).toBe(200);
});

testInChromium(
  'lost answers do not hide a second factor, its recovery codes and its end',
  async () => {
    const { email, link } = await invite();
    await new OperatorClient(system.gatewayUrl).accept(link, email);
    await visit(browser, desktop, async (page) => {
      await page.goto(`${system.gatewayUrl}/dashboard/live/security`);
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
      await heading(page, 'Security');
      const begun = await loseAnswer(page, '/second-factor');
      await press(page, 'Set up');
      await seeRetry(page, begun, 'second factor key');
      const secret = await page.getByLabel('setup key', { exact: true }).innerText();
      // The next code is valid already, and longer than the present one.
      await page.getByLabel('Code', { exact: true }).fill(codeOf(secret.trim(), 1));
      const confirmed = await loseAnswer(page, '/second-factor/confirm');
      await press(page, 'Turn on');
      await seeRetry(page, confirmed);
      await page.getByText('Second factor turned on').waitFor();
      const codes = await page.getByLabel('recovery codes', { exact: true }).innerText();
      const [first = '', second = ''] = codes.trim().split('\n');
      expect((await signIn(email, password, first)).status).toBe(200);
      await press(page, 'I saved the codes');
      await press(page, 'Turn off');
      await page.locator('.dialog').getByLabel('Password').fill(password);
      await page.locator('.dialog').getByLabel('Code').fill(second);
      const removed = await loseAnswer(page, '/second-factor/remove');
      await pressInDialog(page, 'Turn off');
      await seeRetry(page, removed, 'second factor end');
      await page.getByRole('button', { name: 'Set up' }).waitFor();
    });
    expect((await signIn(email, password)).status).toBe(200);
  },
);

testInChromium('a code that is too old for a retry leads to new recovery codes', async () => {
  const { email, link } = await invite();
  await new OperatorClient(system.gatewayUrl).accept(link, email);
  await visit(browser, desktop, async (page) => {
    await page.goto(`${system.gatewayUrl}/dashboard/live/security`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await heading(page, 'Security');
    await press(page, 'Set up');
    const secret = await page.getByLabel('setup key', { exact: true }).innerText();
    await page.getByLabel('Code', { exact: true }).fill(codeOf(secret.trim(), 1));
    let attempts = 0;
    await page.route('**/dashboard/api/second-factor/confirm', async (route) => {
      attempts += 1;
      if (attempts === 1) {
        await route.fetch();
        return route.fulfill(unknown);
      }
      // As identity answers an earlier code.
      const headers = { 'Error-Code': 'second_factor_not_found' };
      return route.fulfill({ status: 404, headers, json: { error: 'Second factor not found' } });
    });
    await press(page, 'Turn on');
    await page.getByText('Your second factor may be on already. Reload the page').waitFor();
    await look(page, 'second factor of unknown outcome');
    await page.reload();
    await page.getByText('10 recovery codes left').waitFor();
    await page.getByText('For a new phone or new recovery codes, turn it off and on').waitFor();
  });
});
