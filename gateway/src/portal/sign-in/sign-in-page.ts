import { html } from '../../pages/frame/html';
import { postForm, textField } from '../../pages/frame/form-fields';
import type { Page } from '../../pages/frame/shell';

const title = 'Sign in to the billing portal';

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
    label: 'E-mail',
    autocomplete: 'email',
    type: 'email',
    inputMode: 'email',
    lengthMax: 254,
  });
  const content = html`<section>
    <h1>${title}</h1>
    <p>We send you a link that opens the portal.</p>
    ${postForm({ path }, '', [field, html`<button type="submit">Send the link</button>`])}
  </section>`;
  return { title, content, isTest, isVisit: true };
}

/** Page after an address was typed. It is the same for known and unknown addresses. */
export function signInRequestedPage({ isTest }: { readonly isTest: boolean }): Page {
  const content = html`<section>
    <h1>Check your e-mail</h1>
    <p>If we know this address, we have sent a link to it.</p>
  </section>`;
  return { title: 'Check your e-mail', content, isTest, isVisit: true };
}
