import { type HTMLElement, parse } from 'node-html-parser';
import { repeatRefused } from './repeat-refused';

/** A page as a payer sees it. */
export interface PayerPage {
  readonly status: number;
  readonly url: string;
  readonly headers: Headers;
  readonly root: HTMLElement;
  /** Its visible text. */
  readonly text: string;
  /** The address outside the gateway to which the browser was redirected; undefined: none. */
  readonly left?: string;
}

/** A payer's input, by the autocomplete names of fields. */
export type Typed = Readonly<Record<string, string>>;

const redirectsMax = 5;
const looksMax = 3;

/**
 * A minimal browser without scripts: it opens pages, submits forms and follows redirects within the
 * gateway.
 */
export class Payer {
  constructor(private readonly gatewayUrl: string) {}

  /** Opens a page; looks again where a busy machine could not read it in time, as its text asks. */
  async open(url: string): Promise<PayerPage> {
    for (let looks = 1; ; looks += 1) {
      const page = await this.load(url, {});
      if (page.status !== 504 || looks === looksMax) return page;
    }
  }

  /** Fills in a form of the page and presses one of its buttons, by default the first. */
  submit(
    page: PayerPage,
    typed: Typed = {},
    { button, headers = {} }: { button?: string; headers?: Record<string, string> } = {},
  ): Promise<PayerPage> {
    const { action, fields } = readForm(page, typed, button);
    return this.post(new URL(action, page.url).href, fields, headers);
  }

  post(url: string, fields: Typed, headers: Record<string, string> = {}): Promise<PayerPage> {
    const body = new URLSearchParams(fields).toString();
    const type = 'application/x-www-form-urlencoded';
    return this.load(url, { method: 'POST', body, headers: { 'Content-Type': type, ...headers } });
  }

  private async load(url: string, request: RequestInit, redirects = 0): Promise<PayerPage> {
    const response = await repeatRefused(() => fetch(url, { ...request, redirect: 'manual' }));
    const { status, headers } = response;
    const text = await response.text();
    if (status !== 303) {
      const root = parsePage(text);
      return { status, url, headers, root, text: readable(root) };
    }
    const target = new URL(headers.get('location') ?? '', url).href;
    if (new URL(target).origin !== new URL(this.gatewayUrl).origin) {
      return { status, url, headers, root: parse(''), text: '', left: target };
    }
    if (redirects === redirectsMax) throw new Error(`Too many redirects at ${target}`);
    return this.load(target, {}, redirects + 1);
  }
}

/** A good card of the sandbox, or the one with the given number. */
export function card(number = '4242424242424242'): Typed {
  return { 'cc-number': number, 'cc-exp': '12/34', 'cc-csc': '123', 'cc-name': 'Ada Lovelace' };
}

function readForm(page: PayerPage, typed: Typed, button?: string) {
  const form = page.root.querySelector('form');
  if (form === null) throw new Error(`No form on the page: ${page.text}`);
  const fields: Record<string, string> = {};
  for (const input of form.querySelectorAll('input')) {
    const { name = '', type = 'text', autocomplete = '', value = '' } = input.attributes;
    if (type === 'radio' && input.getAttribute('checked') === undefined) continue;
    fields[name] = typed[autocomplete] ?? typed[name] ?? value;
  }
  for (const [name, selected] of selectionsOf(form)) fields[name] = typed[name] ?? selected;
  const pressed = form
    .querySelectorAll('button')
    .find(({ text }) => button === undefined || text.trim() === button);
  if (pressed === undefined) throw new Error(`No button ${button ?? ''}: ${page.text}`);
  const { name, value = '' } = pressed.attributes;
  if (name !== undefined) fields[name] = value;
  return { action: form.getAttribute('action') ?? '', fields };
}

/** Names of the selections of a form, with the selected texts. */
export function selectionsOf(form: HTMLElement): (readonly [string, string])[] {
  return form.querySelectorAll('select').map((select) => {
    const selected = select.querySelector('option[selected]');
    return [select.attributes.name ?? '', selected?.textContent ?? ''];
  });
}

/** Parses a page. The parser needs the end tags of options, which HTML lets a page leave out. */
export function parsePage(text: string): HTMLElement {
  return parse(text.replace(/(<option[^>]*>[^<]*)(?=<option|<\/select)/g, '$1</option>'));
}

function readable(root: HTMLElement): string {
  const body = root.querySelector('body') ?? root;
  return body.textContent.replace(/\s+/g, ' ').trim();
}
