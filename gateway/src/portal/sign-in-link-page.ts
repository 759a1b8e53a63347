import { href, html } from '../pages/frame/html';
import { postForm } from '../pages/frame/form-fields';
import type { Page } from '../pages/frame/shell';

/**
 * Page behind a sign-in link. Signing in takes a button, since link scanners open links but press
 * no buttons.
 */
export function signInLinkPage({
  path,
  isTest,
}: {
  readonly path: string;
  readonly isTest: boolean;
}): Page {
  const content = html`<section>
    <h1>Your billing portal</h1>
    <p>View your subscriptions, usage and invoices, and manage your payment methods.</p>
    ${postForm({ path }, '', html`<button type="submit">Open the portal</button>`)}
    <p class="hint aside">This link works only once. Do not share it.</p>
  </section>`;
  return { title: 'Your billing portal', content, isTest, isVisit: true };
}

/** Page of a used or expired sign-in link. */
export function usedSignInLinkPage({ isUsed }: { readonly isUsed: boolean }): Page {
  const title = isUsed ? 'This link was already used' : 'This link has expired';
  const content = html`<section>
    <h1>${title}</h1>
    <p>
      A portal link works only once and expires after an hour. Please request a new link where you
      found this one.
    </p>
    ${
      isUsed &&
      html`<p>If you opened it in this browser, <a href="/portal">continue to the portal</a>.</p>`
    }
  </section>`;
  return { title, content, status: 410, isVisit: true };
}

/** Page after signing out. */
export function signedOutPage(returnUrl: string | undefined): Page {
  const content = html`<section>
    <h1>You are signed out</h1>
    <p>You need a new link to open the portal again.</p>
    ${returnUrl !== undefined && html`<p><a class="button" href="${href(returnUrl)}" rel="noreferrer">Go back</a></p>`}
  </section>`;
  return { title: 'You are signed out', content, isVisit: true };
}

/** Page without a valid session. */
export function expiredVisitPage(): Page {
  const content = html`<section>
    <h1>Your session has expired</h1>
    <p>A portal session lasts an hour. Please request a new link where you found the last one.</p>
  </section>`;
  return { title: 'Your session has expired', content, status: 410, isVisit: true };
}
