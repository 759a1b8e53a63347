/** A group of guides in the navigation. */
export interface GuideGroup {
  readonly title: string;
  readonly guides: readonly Guide[];
}

/** A page that is written in Markdown, in the folder `guides`. */
interface Guide {
  /** Path under `/docs`, and name of the file. */
  readonly name: string;
  /** Content of the page in one line. */
  readonly summary: string;
}

/** All guides, in the order of the navigation. */
export const guideGroups: readonly GuideGroup[] = [
  {
    title: 'Start',
    guides: [
      { name: 'quickstart', summary: 'From nothing to a paid invoice and a year of renewals.' },
      { name: 'concepts', summary: 'The objects, and the rules that hold everywhere.' },
    ],
  },
  {
    title: 'Build',
    guides: [
      { name: 'products-and-prices', summary: 'Flat, per unit, in tiers, by use; discounts.' },
      { name: 'checkout', summary: 'Let customers pay on a hosted page, or from a link.' },
      { name: 'subscriptions', summary: 'Trials, renewals, changes, cancellation, access.' },
      { name: 'usage-and-credits', summary: 'Send usage, read it back, bill it, prepay it.' },
      {
        name: 'receive-webhooks',
        summary: 'Respond, order, gaps, replay, and the feed of events.',
      },
      { name: 'verify-webhooks', summary: 'Prove that a webhook comes from your server.' },
      { name: 'exports', summary: 'Download all objects, and keep a copy up to date.' },
      { name: 'sandboxes-and-clocks', summary: 'Test environments whose clock you control.' },
      { name: 'errors-and-idempotency', summary: 'What to do after each error; safe retries.' },
      { name: 'keys-and-scopes', summary: 'Create, restrict and replace API keys.' },
    ],
  },
  {
    title: 'Tools',
    guides: [
      {
        name: 'official-client',
        summary: 'Send the requests of the official client library to your server.',
      },
      { name: 'client', summary: 'The client for TypeScript and JavaScript.' },
      { name: 'command-line', summary: 'Requests, clocks, events and exports from a terminal.' },
      { name: 'agents', summary: 'Give an agent tools that write in sandboxes and read in live.' },
    ],
  },
  {
    title: 'Operate',
    guides: [
      { name: 'one-machine', summary: 'To try it, or behind a domain with systemd.' },
      { name: 'docker-compose', summary: 'The services, databases and a proxy with Compose.' },
      { name: 'kubernetes', summary: 'Each service on its own, with any number of replicas.' },
      {
        name: 'backup',
        summary: 'Copy a system while it runs, restore it after a loss, and move it.',
      },
      { name: 'upgrading', summary: 'Upgrade to a release, and go back.' },
      { name: 'security', summary: 'What the system does, and what is yours to do.' },
      { name: 'license', summary: 'Apache-2.0, and what it permits.' },
    ],
  },
];
