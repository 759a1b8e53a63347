/** A page as a browser without scripts sees it. */
export interface HostedPage {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  readonly forms: readonly PageForm[];
}

interface PageForm {
  readonly action: string;
  readonly fields: readonly PageField[];
  readonly buttons: readonly { readonly label: string; readonly field: PageField | undefined }[];
}

interface PageField {
  readonly name: string;
  readonly value: string;
  readonly autocomplete: string | undefined;
}

const redirectsMax = 5;

export const typedCards = {
  good: '4242424242424242',
  declined: '4000000000000002',
  asksOnce: '4000002500003155',
} as const;

/** Opens a page; where it leads to another address of the same host, that one. */
export async function openPage(url: string, init: RequestInit = {}): Promise<HostedPage> {
  let next = { url, init };
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const response = await fetch(next.url, { ...next.init, redirect: 'manual' });
    const location = response.headers.get('location');
    const text = await response.text();
    if (location === null) return toPage(response.status, next.url, text);
    const target = new URL(location, next.url);
    // The seller's own site: nothing of it is ours to open.
    if (target.host !== new URL(next.url).host) return toPage(response.status, target.href, '');
    next = { url: target.href, init: {} };
  }
  throw new Error(`${url} leads in circles`);
}

/** Types a card into the page's form and sends it. */
export function payWithCard(page: HostedPage, number: string): Promise<HostedPage> {
  const typed: Readonly<Record<string, string>> = {
    'cc-number': number,
    'cc-exp': '12/60',
    'cc-csc': '123',
    'cc-name': 'Ada',
  };
  const form = formWith(page, 'cc-number');
  const filled = form.fields.map(
    ({ name, value, autocomplete }) =>
      [name, typed[autocomplete ?? ''] ?? value] as [string, string],
  );
  return send(page, form, filled);
}

/** Presses the button whose label matches, with what stands in its form. */
export function press(page: HostedPage, label: RegExp): Promise<HostedPage> {
  for (const form of page.forms) {
    const button = form.buttons.find((one) => label.test(one.label));
    if (button === undefined) continue;
    const fields = [...form.fields, ...(button.field === undefined ? [] : [button.field])];
    return send(
      page,
      form,
      fields.map(({ name, value }) => [name, value]),
    );
  }
  throw new Error(`No button ${String(label)} on ${page.text}`);
}

function formWith(page: HostedPage, autocomplete: string): PageForm {
  const found = page.forms.find(({ fields }) =>
    fields.some((field) => field.autocomplete === autocomplete),
  );
  if (found === undefined) throw new Error(`No ${autocomplete} on ${page.text}`);
  return found;
}

function send(page: HostedPage, form: PageForm, fields: [string, string][]): Promise<HostedPage> {
  const action = new URL(form.action, page.url).href;
  return openPage(action, { method: 'POST', body: new URLSearchParams(fields) });
}

function toPage(status: number, url: string, text: string): HostedPage {
  const forms = [...text.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].map(
    ([, head = '', body = '']) => ({
      action: attribute(head, 'action') ?? url,
      fields: [...body.matchAll(/<input([^>]*)>/g)].map(([, input = '']) => toField(input)),
      buttons: [...body.matchAll(/<button([^>]*)>(.*?)<\/button>/gs)].map(
        ([, button = '', label = '']) => ({
          label: label.replace(/<[^>]*>/g, '').trim(),
          field: attribute(button, 'name') === undefined ? undefined : toField(button),
        }),
      ),
    }),
  );
  return { status, url, text, forms };
}

function toField(tag: string): PageField {
  return {
    name: attribute(tag, 'name') ?? '',
    value: attribute(tag, 'value') ?? '',
    autocomplete: attribute(tag, 'autocomplete'),
  };
}

function attribute(tag: string, name: string): string | undefined {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll('&amp;', '&');
}
