import type { ApiClient } from '../../support/api-client';
import type { EmailPicture, MailPicture, MailTextPicture } from '../picture/mail-picture';

// Bounds the calls in a live environment with many sign-ins.
const linksReadMax = 100;
const languages = ['en', 'de', 'fr', 'it', 'es', 'pt', 'nl', 'pl', 'ja', 'zh'];

/** Reads the mails of an environment; undefined if a release or a key has none. */
export async function readMails(
  client: ApiClient,
  {
    customerIds,
    handedOver,
    hasContents,
    hasTexts,
  }: Pick<MailPicture, 'customerIds' | 'handedOver'> & {
    /** True: with the contents of the mails of a sandbox. */
    readonly hasContents: boolean;
    /** True: with the texts in each language. */
    readonly hasTexts: boolean;
  },
): Promise<MailPicture | undefined> {
  const { status, body: settings } = await client.get('/email-settings');
  if (status === 403 || status === 404) return undefined;
  const isLive = client.key?.startsWith('billing_live_') === true;
  const isInbox = !isLive && hasContents;
  const emails = await client.all(isInbox ? '/sandboxes/inbox' : '/emails');
  return {
    isLive,
    emails: isLive ? await withLinks(client, emails) : emails,
    suppressions: await client.all('/email-suppressions'),
    ...{ settings, customerIds, handedOver },
    texts: hasTexts ? await readTexts(client, Object.keys(settings.kinds as object)) : undefined,
  };
}

/** Adds the contents of sign-in links, as their own address shows them. */
async function withLinks(
  client: ApiClient,
  emails: readonly EmailPicture[],
): Promise<EmailPicture[]> {
  const links = emails.filter(({ kind }) => kind === 'PORTAL_LINK').slice(0, linksReadMax);
  const read = new Map<string, EmailPicture>();
  for (const { id } of links) {
    read.set(id, await client.expect(200, client.get(`/emails/${id}`)));
  }
  return emails.map((email) => read.get(email.id) ?? email);
}

async function readTexts(client: ApiClient, kinds: readonly string[]): Promise<MailTextPicture[]> {
  const texts: MailTextPicture[] = [];
  for (const kind of kinds) {
    for (const language of languages) {
      const path = `/email-templates/${kind}/${language}`;
      texts.push(await client.expect(200, client.get(path)));
    }
  }
  return texts;
}
