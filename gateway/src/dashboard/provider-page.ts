import type { HttpError } from '../http-error';
import { html } from '../pages/html';
import { type Page, pageAnswer } from '../pages/shell';
import type { ApiAnswer } from '../route';
import { signInPath } from './addresses';

/** Where a browser is sent on to the identity provider. */
export const providerPath = `${signInPath}/provider`;

const tellings: Readonly<Record<string, string>> = {
  sign_in_not_begun:
    'This sign-in was begun in another browser, more than ten minutes ago, or was finished already. Please begin again.',
  sign_in_refused: 'The identity provider did not confirm who you are. Please begin again.',
  email_not_verified:
    'The identity provider has not verified your e-mail address. Please have it verified there first.',
  not_an_operator:
    'Nobody may sign in here with this account. Please ask an owner or an admin for an invitation to your e-mail address.',
  provider_unavailable:
    'The identity provider cannot be reached at the moment. Please try again in a minute.',
  not_found: 'There is no identity provider here. Please sign in with your password.',
  too_many_requests: 'Too many attempts. Please wait a minute.',
};

/**
 * Leads on to the dashboard by a step of our own: the session's cookie is `Strict`, and a redirection would still count as coming from the
 * provider's site.
 */
export function welcomePage(returnTo: string): Page {
  const content = html`<section>
    <h1>Signed in</h1>
    <p><a href="${returnTo}">Go on to the dashboard</a></p>
  </section>`;
  return { title: 'Signed in', content, isVisit: true, refresh: { seconds: 0, url: returnTo } };
}

/** Why somebody is not signed in, and what they can do. */
export function failurePage(
  { status, code, headers }: HttpError,
  { requestId, label }: { readonly requestId: string; readonly label: string },
): ApiAnswer {
  const telling = tellings[code] ?? 'Signing in did not work. Please try again in a minute.';
  const content = html`<section>
    <h1>Not signed in</h1>
    <p role="alert">${telling}</p>
    ${label !== '' && html`<p><a href="${providerPath}">Sign in with ${label}</a></p>`}
    <p><a href="${signInPath}">Other ways to sign in</a></p>
    <p class="faint">Request <code>${requestId}</code></p>
  </section>`;
  const page = { title: 'Not signed in', content, status, isVisit: true };
  return pageAnswer(page, { ...headers, 'Error-Code': code });
}
