import type { ApiKey, Environment } from '@billing/proto/billing/identity/v1/identity';
import { dateText } from '../date-text';
import {
  type FormProblems,
  postForm,
  problemSummary,
  type TextField,
  textField,
} from '../pages/form-fields';
import { type Html, html } from '../pages/html';
import type { Page } from '../pages/shell';
import { apiKeysAddress, apiKeysPath, dashboardPage, environmentName } from './dashboard-page';
import type { DashboardVisit } from './dashboard-route';

/** What the page of keys shows. */
export interface ShownKeys {
  readonly environments: readonly Environment[];
  /** Newest first. */
  readonly apiKeys: readonly ApiKey[];
  readonly now: Date;
  /** By which a form that is sent twice makes one key. */
  readonly nonce: string;
  readonly typed?: Readonly<Record<string, string>>;
  readonly problems?: FormProblems;
}

export const keyFields: readonly TextField[] = [
  { name: 'name', label: 'Name', autocomplete: 'off', lengthMax: 120 },
  {
    name: 'scopes',
    label: 'Scopes',
    autocomplete: 'off',
    hint: 'Such as customers:read invoices:write. None: all that you may do here yourself.',
    lengthMax: 2_000,
    isOptional: true,
  },
  {
    name: 'expiresAt',
    label: 'Expires',
    autocomplete: 'off',
    hint: 'The day from which it is refused, in UTC, such as 2027-12-31.',
    lengthMax: 10,
    isOptional: true,
  },
];

const labels = Object.fromEntries(keyFields.map(({ name, label }) => [name, label]));

/** The keys of an environment, and the form that makes another. */
export function apiKeyPage(visit: DashboardVisit, shown: ShownKeys): Page {
  const { environmentId } = visit.tenant;
  const problems = shown.problems ?? {};
  const rows = shown.apiKeys.map((apiKey) => keyRow(visit, apiKey, shown.now));
  const content = html`<section>
      <h1>API keys</h1>
      <nav aria-label="Environment">
        <ul>
          ${shown.environments.map((one) => environmentLink(one, environmentId))}
        </ul>
      </nav>
    </section>
    ${visit.mayChangeKeys && newKeySection(visit, shown, problems)}
    <section>
      <h2>Keys</h2>
      ${
        rows.length === 0
          ? html`<p>No keys yet.</p>`
          : html`<ul class="rows">
              ${rows}
            </ul>`
      }
    </section>`;
  const status = shown.problems === undefined ? 200 : 400;
  return dashboardPage(visit, { title: 'API keys', content, status });
}

/** A new key, once, and how it is used. */
export function newKeyPage(
  visit: DashboardVisit,
  { key, name, siteUrl }: { key: string; name: string; siteUrl: string },
): Page {
  const back = html`<p><a href="${apiKeysAddress(visit.tenant.environmentId)}">All keys</a></p>`;
  if (key === '') {
    const content = html`<section>
      <h1>This form was sent before</h1>
      <p>Its key was shown then, and is not known any more. Please revoke it and make another.</p>
      ${back}
    </section>`;
    return dashboardPage(visit, { title: 'Sent before', content, status: 409 });
  }
  const content = html`<section>
    <h1>${name}</h1>
    <p>
      A key of ${visit.tenant.live ? 'the live environment' : 'a sandbox'}. Copy it now: it is not
      shown again.
    </p>
    <p><code id="key">${key}</code></p>
    <h2>Try it</h2>
    <p><code id="curl">curl -s ${siteUrl}/v1/customers -H 'Authorization: Bearer ${key}'</code></p>
    ${back}
  </section>`;
  return dashboardPage(visit, { title: 'New API key', content, status: 201 });
}

function newKeySection(visit: DashboardVisit, shown: ShownKeys, problems: FormProblems): Html {
  const typed = shown.typed ?? {};
  return html`<section>
    <h2>New key</h2>
    ${problemSummary(problems, labels)}
    ${postForm({ path: apiKeysPath, formToken: visit.formToken }, '', [
      hidden('environment', visit.tenant.environmentId),
      hidden('nonce', shown.nonce),
      keyFields.map((field) => textField({ ...field, value: typed[field.name] ?? '' }, problems)),
      html`<button type="submit">Make key</button>`,
    ])}
  </section>`;
}

function keyRow(visit: DashboardVisit, apiKey: ApiKey, now: Date): Html {
  const { id, name, prefix, last4, scopes, expiresAt, revokedAt, lastUsedAt } = apiKey;
  const isOver = revokedAt !== undefined || (expiresAt !== undefined && expiresAt <= now);
  const facts = [
    scopes.length === 0 ? 'all scopes' : scopes.join(' '),
    lastUsedAt === undefined ? 'never used' : `last used ${dateText(lastUsedAt)}`,
    expiresAt !== undefined && `${isOver ? 'expired' : 'expires'} ${dateText(expiresAt)}`,
    revokedAt !== undefined && `revoked ${dateText(revokedAt)}`,
  ].filter((fact) => fact !== false);
  const revoke = postForm({ path: apiKeysPath, formToken: visit.formToken }, `/${id}/revoke`, [
    hidden('environment', visit.tenant.environmentId),
    html`<button class="quiet small" type="submit">
      Revoke<span class="unseen"> ${name}</span>
    </button>`,
  ]);
  return html`<li>
    <span>
      <strong class="line">${name}</strong>
      <code class="line">${prefix}…${last4}</code>
      <span class="faint line">${facts.join(', ')}</span>
    </span>
    ${visit.mayChangeKeys && !isOver && revoke}
  </li>`;
}

function environmentLink(environment: Environment, current: string): Html {
  const isCurrent = environment.id === current;
  return html`<li>
    <a href="${apiKeysAddress(environment.id)}" ${isCurrent && html` aria-current="page"`}
      >${environmentName(environment)}</a
    >
  </li>`;
}

function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}
