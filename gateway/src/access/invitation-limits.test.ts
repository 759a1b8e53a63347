import { InvitationLimits } from './invitation-limits';

const now = new Date('2026-03-01T12:00:00Z');
const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000);

test('an organization mails three invitations an hour to an address, however it is written', () => {
  const limits = new InvitationLimits();
  const mayMail = (email: string, at = now, organization = 'acme') =>
    limits.mayMail(organization, email, at);
  const written = ['ada@example.com', ' Ada@Example.com', 'ADA@EXAMPLE.COM ', 'ada@example.com'];
  expect(written.map((email) => mayMail(email))).toEqual([true, true, true, false]);
  expect([mayMail('bob@example.com'), mayMail('ada@example.com', now, 'other')]).toEqual([
    true,
    true,
  ]);
  expect([mayMail('ada@example.com', later(19)), mayMail('ada@example.com', later(20))]).toEqual([
    false,
    true,
  ]);
});
