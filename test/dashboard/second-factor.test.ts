import type { Page } from 'playwright-core';
import { visit, viewports } from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { newAddress, OperatorClient, password } from '../support/operator-client';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import { confirmDialog, heading, look, press, pressInDialog } from './page-actions';
import { codeOf } from './totp-code';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;

let system: TestSystem;
let owner: OperatorClient;

beforeAll(async () => {
  system = await joinTestSystem();
  owner = await OperatorClient.owner(system, newAddress());
});

/** A new operator with the session of the invitation. */
async function aPerson(role: 'OWNER' | 'VIEWER') {
  const email = newAddress();
  const { body } = await owner.api('POST', '/operators', { email, role });
  const client = new OperatorClient(system.gatewayUrl);
  await client.accept(body.link as string, email);
  return { email, client };
}

async function setUp(client: OperatorClient) {
  const begun = await client.api('POST', '/second-factor', {});
  expect(begun).toMatchObject({
    status: 201,
    body: { secret: expect.stringMatching(/^[A-Z2-7]{32}$/) },
  });
  const { secret, uri } = begun.body as { secret: string; uri: string };
  expect(uri).toContain(`secret=${secret}`);
  const confirmed = await client.api('POST', '/second-factor/confirm', {
    code: codeOf(secret),
  });
  expect(confirmed.status).toBe(200);
  return { secret, codes: confirmed.body.recoveryCodes as string[] };
}

test('a second factor is asked for after the password, and required by the rule alone', async () => {
  const { email, client } = await aPerson('OWNER');
  const { client: viewer } = await aPerson('VIEWER');
  const { secret, codes } = await setUp(client);
  expect(new Set(codes).size).toBe(10);

  const anyone = new OperatorClient(system.gatewayUrl);
  const enter = (code?: string) => anyone.api('POST', '/session', { email, password, code });
  const required = await enter();
  expect([required.status, required.body]).toEqual([401, { error: 'Second factor required' }]);
  expect(required.headers.get('error-code')).toBe('second_factor_required');
  expect(required.headers.get('set-cookie')).toBeNull();
  const wrong = await enter(codeOf(secret, -1));
  expect(wrong.headers.get('error-code')).toBe('invalid_second_factor');
  // The next code is valid already, whenever the step ends.
  expect((await enter(codeOf(secret, 1))).status).toBe(200);
  expect((await enter(codes[0])).body.operator.secondFactor.recoveryCodesLeft).toBe(9);
  expect((await enter(codes[0])).status).toBe(401);

  const rules = { requireSecondFactor: true, providerOnly: false };
  expect((await viewer.api('PATCH', '/organization', rules)).status).toBe(403);
  expect((await owner.api('PATCH', '/organization', rules)).status).toBe(409);
  expect((await client.api('PATCH', '/organization', { providerOnly: true })).status).toBe(409);
  expect((await client.api('PATCH', '/organization', rules)).body).toMatchObject(rules);
  const { body: session } = await viewer.api('GET', '/session');
  expect(session).toMatchObject({ secondFactorMissing: true, organization: rules });
  const { id } = session.environments[0] as { id: string };
  for (const answer of [
    await viewer.api('GET', '/operators'),
    await viewer.api('PUT', '/password', { currentPassword: password, newPassword: password }),
    await viewer.in(id).api('GET', '/reports/overview'),
    await viewer.in(id).v1('GET', '/customers'),
  ]) {
    expect([answer.status, answer.headers.get('error-code')]).toEqual([
      403,
      'second_factor_missing',
    ]);
  }
  const factor = await setUp(viewer);
  expect((await viewer.in(id).v1('GET', '/customers')).status).toBe(200);

  const reset = `/operators/${String(session.operator.id)}/second-factor`;
  expect((await client.api('DELETE', reset)).status).toBe(204);
  expect((await viewer.api('GET', '/session')).status).toBe(401);
  const free = { requireSecondFactor: false };
  expect((await client.api('PATCH', '/organization', free)).status).toBe(200);
  const log = await client.api('GET', '/audit?perPage=100');
  const actions = (log.body.data as { action: string }[]).map(({ action }) => action);
  expect(actions).toEqual(
    expect.arrayContaining([
      'POST /dashboard/api/second-factor',
      'POST /dashboard/api/second-factor/confirm',
      'PATCH /dashboard/api/organization',
      'DELETE /dashboard/api/operators/:id/second-factor',
    ]),
  );
  for (const hidden of [secret, factor.secret, ...codes, ...factor.codes, codeOf(secret)]) {
    expect(JSON.stringify(log.body)).not.toContain(`"${hidden}"`);
  }
});

/** Changes the name and, with a code, the email address of the signed-in operator. */
async function changeAccount(page: Page, { email, code }: { email: string; code: string }) {
  const dialog = page.locator('.dialog');
  const facts = page.locator('.facts');
  await page.goto(`${system.gatewayUrl}/dashboard/live/account`);
  await press(page, 'Change name');
  await dialog.getByLabel('Name').fill('Olivia Owner');
  await confirmDialog(page, 'Change name');
  await facts.getByText('Olivia Owner').waitFor();
  await press(page, 'Change email');
  await dialog.getByLabel('New email').fill(email);
  await dialog.getByLabel('Password').fill(password);
  await pressInDialog(page, 'Change email');
  await dialog.locator('.field:has([name="code"]) .problem').waitFor();
  await dialog.getByLabel('Code').fill(code);
  await confirmDialog(page, 'Change email');
  await facts.getByText(email).waitFor();
}

testInChromium.each(viewports)(
  'an owner sets up a second factor in a browser %s',
  async (name, options) => {
    const { email } = await aPerson('OWNER');
    const browser = await launchChromium(program ?? '');
    const signIn = async (page: Page) => {
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
    };
    await visit(browser, options, async (page) => {
      await page.goto(`${system.gatewayUrl}/dashboard/live/security`);
      await signIn(page);
      await heading(page, 'Security');
      await press(page, 'Set up');
      await page.getByRole('img', { name: /QR code/ }).waitFor();
      await look(page, `second factor code ${name}`);
      const secret = await page.getByLabel('setup key', { exact: true }).innerText();
      await page.getByLabel('Code', { exact: true }).fill(codeOf(secret.trim()));
      await page.keyboard.press('Enter');
      await page.getByText('Second factor turned on').waitFor();
      const codes = await page.getByLabel('recovery codes', { exact: true }).innerText();
      const [recovery = '', another = ''] = codes.trim().split('\n');
      await look(page, `recovery codes ${name}`);
      await press(page, 'I saved the codes');
      await page.getByText('10 recovery codes left').waitFor();
      await look(page, `security ${name}`);
      await page.goto(`${system.gatewayUrl}/dashboard/live/team`);
      await heading(page, 'Team');
      await look(page, `team with second factors ${name}`);

      await page.context().clearCookies();
      await page.goto(`${system.gatewayUrl}/dashboard/live/security`);
      await signIn(page);
      await heading(page, 'Enter your code');
      await look(page, `sign-in code ${name}`);
      await page.getByLabel('Code', { exact: true }).fill(codeOf(secret.trim(), 1));
      await page.keyboard.press('Enter');
      await heading(page, 'Security');
      await changeAccount(page, { email: `new-${email}`, code: another });
      await look(page, `account ${name}`);
      await page.goto(`${system.gatewayUrl}/dashboard/live/security`);
      await press(page, 'Turn off');
      await page.locator('.dialog').getByLabel('Password').fill(password);
      await page.locator('.dialog').getByLabel('Code').fill(recovery);
      await pressInDialog(page, 'Turn off');
      await page.getByRole('button', { name: 'Set up' }).waitFor();
    });
    await browser.close();
  },
);
