import type { ApiClient } from '../api-client';
import type { RouteExample } from './isolation-examples';

/** Examples of the routes of settings and texts of emails. */
export function emailSettingsExamples(customerId: string): Record<string, RouteExample> {
  return {
    'GET /email-settings': { path: '/email-settings', strangers: [200] },
    'PATCH /email-settings': {
      path: '/email-settings',
      body: { fromName: 'x' },
      strangers: [200],
    },
    'GET /email-templates': { path: '/email-templates', strangers: [200] },
    'GET /email-templates/:kind/:language': {
      path: '/email-templates/RECEIPT/en',
      strangers: [200],
    },
    'PATCH /email-templates/:kind/:language': {
      path: '/email-templates/RECEIPT/en',
      body: { subject: 'x' },
      strangers: [200],
    },
    'DELETE /email-templates/:kind/:language': {
      path: '/email-templates/RECEIPT/en',
      strangers: [204],
    },
    'POST /email-templates/preview': {
      path: '/email-templates/preview',
      body: { kind: 'RECEIPT', customerId },
    },
  };
}

/** The receipt of the subscription's first invoice, and the suppression of its address. */
export async function bouncedEmail(owner: ApiClient) {
  const { data: emails } = await owner.expect(200, owner.get('/emails?kind=RECEIPT'));
  const [{ id }] = emails;
  const email = await owner.expect(200, owner.get(`/emails/${String(id)}`));
  await owner.expect(200, owner.post(`/emails/${String(email.id)}/bounce`, { type: 'HARD' }));
  const { data: suppressions } = await owner.expect(200, owner.get('/email-suppressions'));
  return { email, suppression: suppressions[0] };
}
