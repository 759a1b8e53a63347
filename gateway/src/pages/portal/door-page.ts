import { href, html } from '../html';
import { postForm } from '../form-fields';
import type { Page } from '../shell';

/** The page that opens the portal by a button: whoever looks at links for others presses none. */
export function doorPage({
  path,
  isTest,
}: {
  readonly path: string;
  readonly isTest: boolean;
}): Page {
  const content = html`<section>
    <h1>Your billing portal</h1>
    <p>See your subscriptions, usage and invoices, and change how you pay.</p>
    ${postForm({ path }, '', html`<button type="submit">Open the portal</button>`)}
    <p class="hint aside">This link works once. Do not pass it on.</p>
  </section>`;
  return { title: 'Your billing portal', content, isTest, isVisit: true };
}

/** The page behind a token that opens nothing any more. */
export function usedDoorPage({ isUsed }: { readonly isUsed: boolean }): Page {
  const title = isUsed ? 'This link was used before' : 'This link has expired';
  const content = html`<section>
    <h1>${title}</h1>
    <p>A link to the portal works once, within an hour. Please open it again where you found it.</p>
    ${
      isUsed &&
      html`<p>If it was you, in this browser, <a href="/portal">go on in the portal</a>.</p>`
    }
  </section>`;
  return { title, content, status: 410, isVisit: true };
}

/** The page of whoever has left. */
export function leftPage(returnUrl: string | undefined): Page {
  const content = html`<section>
    <h1>You have left the portal</h1>
    <p>Nobody can go on in this browser without a new link.</p>
    ${returnUrl !== undefined && html`<p><a class="button" href="${href(returnUrl)}" rel="noreferrer">Go back</a></p>`}
  </section>`;
  return { title: 'You have left the portal', content, isVisit: true };
}

/** What is shown of a page to whoever does not visit (any more). */
export function overPage(): Page {
  const content = html`<section>
    <h1>Your visit is over</h1>
    <p>The portal closes after an hour. Please open it again where you found the link.</p>
  </section>`;
  return { title: 'Your visit is over', content, status: 410, isVisit: true };
}
