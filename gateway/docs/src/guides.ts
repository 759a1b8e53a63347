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
    title: 'Receive and connect',
    guides: [
      { name: 'verify-webhooks', summary: 'Prove that a webhook comes from your server.' },
      { name: 'exports', summary: 'Download all objects, and keep a copy up to date.' },
      { name: 'agents', summary: 'Give an agent tools that write in sandboxes and read in live.' },
      {
        name: 'official-client',
        summary: 'Send the requests of the official client library to your server.',
      },
    ],
  },
];
