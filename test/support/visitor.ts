import type { HTMLElement } from 'node-html-parser';
import type { ApiClient } from './api-client';
import { parsePage, selectionsOf, type Typed } from './payer';
import { repeatRefused } from './repeat-refused';

/** A page of the portal as its visitor sees it. */
export interface VisitorPage {
  readonly status: number;
  readonly url: string;
  readonly headers: Headers;
  readonly root: HTMLElement;
  /** The visible text of its main part. */
  readonly text: string;
  readonly bytes: Buffer;
}

const redirectsMax = 5;

/**
 * A browser without scripts that stores cookies: it opens pages, follows links and submits forms.
 */
export class Visitor {
  readonly cookies = new Map<string, string>();

  /** The cookies set by the last response. */
  lastCookies: readonly string[] = [];

  constructor(private readonly gatewayUrl: string) {}

  /** Signs in to the portal as a customer. */
  static async enter(
    api: ApiClient,
    { customerId, returnUrl }: { customerId: string; returnUrl?: string },
  ): Promise<{ visitor: Visitor; page: VisitorPage; url: string }> {
    const input = { customerId, returnUrl: returnUrl ?? null };
    const { url } = await api.expect(201, api.post('/portal/sessions', input));
    const visitor = new Visitor(api.gatewayUrl);
    const link = await visitor.open(url as string);
    return { visitor, page: await visitor.submit(link), url };
  }

  open(address: string): Promise<VisitorPage> {
    return this.load(new URL(address, this.gatewayUrl).href, {});
  }

  /**
   * Fills in and submits the form that has a button with this text, by default the page's first
   * form.
   */
  submit(page: VisitorPage, typed: Typed = {}, button?: string): Promise<VisitorPage> {
    const { action, fields } = readForm(page, typed, button);
    return this.post(new URL(action, page.url).href, fields);
  }

  post(address: string, fields: Typed, headers: Record<string, string> = {}): Promise<VisitorPage> {
    const body = new URLSearchParams(fields).toString();
    const type = 'application/x-www-form-urlencoded';
    const request = { method: 'POST', body, headers: { 'Content-Type': type, ...headers } };
    return this.load(new URL(address, this.gatewayUrl).href, request);
  }

  private async load(url: string, request: RequestInit, redirects = 0): Promise<VisitorPage> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(request.headers as Record<string, string>), Cookie: cookie };
    const response = await repeatRefused(() =>
      fetch(url, { ...request, headers, redirect: 'manual' }),
    );
    this.keep(response.headers.getSetCookie());
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status === 303 && redirects < redirectsMax) {
      const target = new URL(response.headers.get('location') ?? '', url).href;
      return this.load(target, {}, redirects + 1);
    }
    const root = parsePage(bytes.toString());
    const main = root.querySelector('main') ?? root;
    const text = main.textContent.replace(/\s+/g, ' ').trim();
    return { status: response.status, url, headers: response.headers, root, text, bytes };
  }

  private keep(set: readonly string[]): void {
    if (set.length > 0) this.lastCookies = set;
    for (const one of set) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
      if (/max-age=0/i.test(one)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

/** The fields that a form of the page would send. */
export function readForm(page: VisitorPage, typed: Typed = {}, button?: string) {
  const forms = page.root.querySelectorAll('main form');
  const isMeant = (form: HTMLElement) =>
    button === undefined || form.querySelectorAll('button').some((one) => labelOf(one) === button);
  const form = forms.find(isMeant);
  if (form === undefined) throw new Error(`No form with ${button ?? 'a button'}: ${page.text}`);
  const fields: Record<string, string> = {};
  for (const input of form.querySelectorAll('input')) {
    const { name = '', type = 'text', autocomplete = '', value = '' } = input.attributes;
    const isChoice = type === 'radio' || type === 'checkbox';
    if (isChoice && input.getAttribute('checked') === undefined) continue;
    fields[name] = typed[autocomplete] ?? typed[name] ?? value;
  }
  for (const [name, selected] of selectionsOf(form)) fields[name] = typed[name] ?? selected;
  const pressed = form
    .querySelectorAll('button')
    .find((one) => button === undefined || labelOf(one) === button);
  if (pressed?.attributes.name !== undefined) {
    fields[pressed.attributes.name] = pressed.attributes.value ?? '';
  }
  return { action: form.getAttribute('action') ?? '', fields: { ...fields, ...choices(typed) } };
}

// A changed selection is named with a leading underscore: `{ _method: id }`.
function choices(typed: Typed): Record<string, string> {
  const changed = Object.entries(typed).filter(([name]) => name.startsWith('_'));
  return Object.fromEntries(changed.map(([name, value]) => [name.slice(1), value]));
}

function labelOf(button: HTMLElement): string {
  return button.textContent.replace(/\s+/g, ' ').trim();
}
