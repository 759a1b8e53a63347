import { type Environment, EnvironmentKind } from '@billing/proto/billing/identity/v1/identity';
import { operatorRoles } from '@billing/proto/values/identity';
import type { HttpError } from '../http-error';
import { postForm } from '../pages/form-fields';
import { type Html, html, type HtmlValue } from '../pages/html';
import { type Page, pageAnswer } from '../pages/shell';
import type { ApiAnswer } from '../route';
import type { DashboardVisit } from './dashboard-route';

export const dashboardPath = '/dashboard';
export const apiKeysPath = '/dashboard/api-keys';

/** A page of the dashboard: what every page has around what it shows. */
export function dashboardPage(
  { signedIn, formToken }: Pick<DashboardVisit, 'signedIn' | 'formToken'>,
  { title, content, status = 200 }: { title: string; content: HtmlValue; status?: number },
): Page {
  const header = html`<header class="unprinted">
    <a class="skip" href="#main">Skip to content</a>
    <div class="bar">
      <strong>${signedIn.organizationName}</strong>
      <span class="faint">${signedIn.operator.email}</span>
      ${postForm(
        { path: dashboardPath, formToken },
        '/sign-out',
        html`<button class="plain" type="submit">Sign out</button>`,
      )}
    </div>
    <nav aria-label="Dashboard">
      <ul>
        <li><a href="${dashboardPath}">Dashboard</a></li>
        <li><a href="${apiKeysPath}">API keys</a></li>
      </ul>
    </nav>
  </header>`;
  return { title: `${title} · Dashboard`, header, content, status, isVisit: true };
}

/** Who is signed in, and where they may work. */
export function frontPage(visit: DashboardVisit, environments: readonly Environment[]): Page {
  const { operator, organizationName } = visit.signedIn;
  const content = html`<section>
      <h1>${organizationName}</h1>
      <dl>
        <dt>Signed in as</dt>
        <dd>${operator.name}</dd>
        <dt>E-mail</dt>
        <dd>${operator.email}</dd>
        <dt>Role</dt>
        <dd>${operatorRoles.nameOf(operator.role).toLowerCase()}</dd>
      </dl>
    </section>
    <section>
      <h2>Environments</h2>
      <ul class="rows">
        ${environments.map(environmentRow)}
      </ul>
    </section>`;
  return dashboardPage(visit, { title: organizationName, content });
}

/** What an environment is called by people. */
export function environmentName({ kind, name }: Pick<Environment, 'kind' | 'name'>): string {
  if (kind === EnvironmentKind.ENVIRONMENT_KIND_LIVE) return 'Live';
  return name === '' ? 'Sandbox' : name;
}

/** The address of an environment's keys. */
export function apiKeysAddress(environmentId: string): string {
  return `${apiKeysPath}?environment=${environmentId}`;
}

/** An error as an operator is told it. */
export function dashboardFailure({ status, code, body, headers }: HttpError): ApiAnswer {
  const title = status >= 500 ? 'Temporarily unavailable' : 'That did not work';
  const text = typeof body.error === 'string' ? body.error : 'The form could not be read';
  const content = html`<section>
    <h1>${title}</h1>
    <p>${text}.</p>
    <p><a href="${dashboardPath}">Back to the dashboard</a></p>
  </section>`;
  return pageAnswer({ title, content, status, isVisit: true }, { ...headers, 'Error-Code': code });
}

function environmentRow(environment: Environment): Html {
  return html`<li>
    <span>${environmentName(environment)}</span>
    <a href="${apiKeysAddress(environment.id)}">API keys</a>
  </li>`;
}
