import { renderOperatorMail } from './render-operator-mail';

describe('a mail to an operator', () => {
  test('that tests the settings names the seller, in text and HTML', () => {
    const { subject, text, html } = renderOperatorMail('TEST', { 'seller.name': 'Acme & Sons' });
    expect(subject).toBe('Test email from Acme & Sons');
    expect(text).toBe(`Test email

The mail server accepts emails from this sender. Customers get their emails from it.

--

Acme & Sons sends this email automatically.
`);
    expect(html).toContain('<title>Test email from Acme &amp; Sons</title>');
  });

  test('that invites names the organization as text, the inviter and the role', () => {
    const { subject, text, html } = renderOperatorMail('INVITATION', {
      'organization.name': 'Acme <b>& Sons</b> [x](https://evil.example)',
      'operator.role': 'viewer',
      'operator.invitedBy': 'ada@acme.example',
      link: 'https://billing.example/dashboard/invitation#token',
    });
    expect(subject).toContain('Invitation to the billing dashboard of Acme');
    expect(text).toContain('ada@acme.example invites you');
    expect(text).toContain(
      'Accept the invitation: https://billing.example/dashboard/invitation#token',
    );
    expect(html).not.toContain('<b>');
    expect([...html.matchAll(/<a /g)]).toHaveLength(1);
  });

  test('that resets a password has one button and no name', () => {
    const link = 'https://billing.example/dashboard/reset#token';
    const { subject, text, html } = renderOperatorMail('PASSWORD_RESET', { link });
    expect(subject).toBe('Reset your password');
    expect(text).toContain(`Set a new password: ${link}`);
    expect([...html.matchAll(/<a /g)]).toHaveLength(1);
  });

  test('that proves an address has a code and no link', () => {
    const { text, html } = renderOperatorMail('EMAIL_CODE', { link: 'ABCDEFGH' });
    expect(text).toContain('ABCDEFGH');
    expect(html).toContain('ABCDEFGH');
    expect([...html.matchAll(/<a /g)]).toHaveLength(0);
  });

  test('names no seller where there is none', () => {
    expect(renderOperatorMail('TEST', {}).subject).toBe('Test email');
  });
});
