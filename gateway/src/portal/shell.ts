import { type FormPlace, postForm } from '../pages/frame/form-fields';
import { href, type Html, html, type HtmlValue } from '../pages/frame/html';
import type { Look } from '../pages/frame/look';
import { type Page, sellerMark } from '../pages/frame/shell';
import type { Visit } from './route';

/** Sections in the navigation. */
export type Section = 'overview' | 'usage' | 'invoices' | 'payment-methods' | 'details';

// On a phone, only the first part of a label is shown, so that all fit into one row.
const sections: Readonly<
  Record<Section, { readonly path: string; readonly label: readonly [string, string?] }>
> = {
  overview: { path: '/portal', label: ['Overview'] },
  usage: { path: '/portal/usage', label: ['Usage'] },
  invoices: { path: '/portal/invoices', label: ['Invoices'] },
  'payment-methods': { path: '/portal/payment-methods', label: ['Payment', ' methods'] },
  details: { path: '/portal/details', label: ['Contact', ' details'] },
};

/** Portal page with header and navigation. */
export function portalPage(
  visit: Visit,
  {
    title,
    section,
    content,
    ...rest
  }: Pick<Page, 'status' | 'isWide' | 'refresh' | 'hasScript' | 'hasImage'> & {
    readonly title: string;
    readonly section: Section;
    readonly content: HtmlValue;
  },
): Page {
  const header = (look: Look) => portalHeader(visit, section, look);
  return {
    ...rest,
    title: `${title} · Billing`,
    header,
    content,
    isTest: visit.isTest,
    isVisit: true,
  };
}

/** Target of a portal form. */
export function placeOf({ formToken }: Visit, path: string): FormPlace {
  return { path, formToken };
}

const doneTexts = {
  'card-added': 'The card was added.',
  'card-removed': 'The card was removed.',
  canceled: 'Your subscription will end when the current period ends.',
  ended: 'Your subscription is canceled. You are charged nothing.',
  kept: 'Your subscription will renew as usual.',
  'default-changed': 'This card is now your default.',
  'details-saved': 'Your details were saved.',
  'plan-changed': 'Your plan was changed.',
  'plan-scheduled': 'Your plan will change when the current period ends.',
  'plan-paying': 'Your payment is being processed. Your plan changes once it is paid.',
  'plan-kept': 'You keep your current plan.',
} as const;

/** Actions that have a notice. */
export type Done = keyof typeof doneTexts;

/** Redirect URL after an action, which shows its notice. */
export function doneAt(path: string, done: Done): string {
  return `${path}?done=${done}`;
}

/** Notice of a completed action, if any. */
export function doneNotice(done: unknown): Html | undefined {
  // The value comes from the URL, so it may be anything.
  if (!isDone(done)) return undefined;
  return html`<p class="done" role="status">${doneTexts[done]}</p>`;
}

function isDone(done: unknown): done is Done {
  return typeof done === 'string' && Object.hasOwn(doneTexts, done);
}

function portalHeader(visit: Visit, current: Section, { name, logo }: Look): Html {
  const { returnUrl } = visit;
  return html`<header class="unprinted">
    <a class="skip" href="#main">Skip to content</a>
    <div class="bar">
      ${sellerMark({ name: name ?? 'Billing', logo })}
      ${returnUrl !== undefined && html`<a href="${href(returnUrl)}" rel="noreferrer">Back to ${hostOf(returnUrl)}</a>`}
      ${postForm(placeOf(visit, '/portal'), '/leave', html`<button class="plain" type="submit">Sign out</button>`)}
    </div>
    <nav aria-label="Billing">
      <ul>
        ${(Object.keys(sections) as Section[]).map((section) => link(section, section === current))}
      </ul>
    </nav>
  </header>`;
}

function link(section: Section, isCurrent: boolean): Html {
  const { path, label } = sections[section];
  const [first, rest] = label;
  return html`<li>
    <a href="${path}" ${isCurrent && html` aria-current="page"`}
      >${first}${rest !== undefined && html`<span class="rest">${rest}</span>`}</a
    >
  </li>`;
}

function hostOf(address: string): string {
  return URL.parse(address)?.host ?? '';
}
