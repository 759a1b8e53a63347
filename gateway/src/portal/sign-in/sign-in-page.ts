import { html } from '../../pages/frame/html';
import { postForm, textField } from '../../pages/frame/form-fields';
import type { Page } from '../../pages/frame/shell';
import { say } from '@billing/documents/say';

/** Page on which a customer asks for a link to the portal. */
export function signInPage({
  path,
  isTest,
}: {
  readonly path: string;
  readonly isTest: boolean;
}): Page {
  const field = textField({
    name: 'email',
    label: say('field.email'),
    autocomplete: 'email',
    type: 'email',
    inputMode: 'email',
    lengthMax: 254,
  });
  const content = html`<section>
    <h1>${say('signIn.askTitle')}</h1>
    <p>${say('signIn.askText')}</p>
    ${postForm({ path }, '', [field, html`<button type="submit">${say('signIn.send')}</button>`])}
  </section>`;
  return { title: say('signIn.askTitle'), content, isTest, isVisit: true };
}

/** Page after an address was typed. It is the same for known and unknown addresses. */
export function signInRequestedPage({ isTest }: { readonly isTest: boolean }): Page {
  const content = html`<section>
    <h1>${say('signIn.sentTitle')}</h1>
    <p>${say('signIn.sentText')}</p>
  </section>`;
  return { title: say('signIn.sentTitle'), content, isTest, isVisit: true };
}
